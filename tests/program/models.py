"""Models of a cube in the words of FEBio and Abaqus, for the tests that read them."""
from program import palpate

N = 2


def at(i, j, k):
    return (k * (N + 1) + j) * (N + 1) + i + 1


NODES = [(i / N, j / N, k / N) for k in range(N + 1) for j in range(N + 1) for i in range(N + 1)]
HEXES = [(at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k), at(i, j, k + 1),
          at(i + 1, j, k + 1), at(i + 1, j + 1, k + 1), at(i, j + 1, k + 1))
         for k in range(N) for j in range(N) for i in range(N)]
SIDES = {name: [n + 1 for n, x in enumerate(NODES) if x[axis] == value]
         for name, axis, value in (("bottom", 2, 0), ("top", 2, 1), ("x0", 0, 0), ("y0", 1, 0))}
TOP = [h[4:] for h in HEXES if NODES[h[4] - 1][2] == 1]
GEL = ('type="Mooney-Rivlin"', "<c1>100</c1><c2>20</c2><k>5000</k>"
       "<pressure_model>NIKE3D</pressure_model><density>1000</density>")


def listed(numbers):
    return ",".join(map(str, numbers))


def feb_mesh(version):
    tag = "Geometry" if version == 2.5 else "Mesh"
    nodes = "\n".join(f'<node id="{i + 1}">{listed(x)}</node>' for i, x in enumerate(NODES))
    cells = "\n".join(f'<elem id="{i + 1}">{listed(h)}</elem>' for i, h in enumerate(HEXES))
    text = f'<{tag}><Nodes name="all">\n{nodes}\n</Nodes>\n'
    text += f'<Elements type="hex8"{" mat=" + chr(34) + "1" + chr(34) if version == 2.5 else ""} '
    text += f'name="Part1">\n{cells}\n</Elements>\n'
    for name, numbers in SIDES.items():
        inside = (listed(numbers) if version == 4.0
                  else "".join(f'<node id="{n}"/>' for n in numbers))
        text += f'<NodeSet name="{name}">{inside}</NodeSet>\n'
    faces = "".join(f'<quad4 id="{i + 1}">{listed(q)}</quad4>' for i, q in enumerate(TOP))
    text += f'<Surface name="top">{faces}</Surface></{tag}>\n'
    if version > 2.5:
        text += '<MeshDomains><SolidDomain name="Part1" mat="gel"/></MeshDomains>\n'
    return text


def feb_quadratic_mesh():
    """Each hexahedron as six tetrahedra of ten nodes, in the words of FEBio 3."""
    nodes, middles = list(NODES), {}

    def middle(a, b):
        key = min(a, b), max(a, b)
        if key not in middles:
            nodes.append(tuple((x + y) / 2 for x, y in zip(nodes[a - 1], nodes[b - 1])))
            middles[key] = len(nodes)
        return middles[key]

    cells = [(h[0], h[a], h[b], h[6]) for h in HEXES for a, b in
             ((1, 2), (2, 3), (3, 7), (7, 4), (4, 5), (5, 1))]
    edges = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
    tens = [c + tuple(middle(c[i], c[j]) for i, j in edges) for c in cells]
    text = '<Mesh><Nodes name="all">\n'
    text += "\n".join(f'<node id="{i + 1}">{listed(x)}</node>' for i, x in enumerate(nodes))
    text += '\n</Nodes>\n<Elements type="tet10" name="Part1">\n'
    text += "\n".join(f'<elem id="{i + 1}">{listed(c)}</elem>' for i, c in enumerate(tens))
    text += "\n</Elements>\n"
    for name, axis, value in (("bottom", 2, 0), ("top", 2, 1), ("x0", 0, 0), ("y0", 1, 0)):
        inside = "".join(f'<node id="{i + 1}"/>' for i, x in enumerate(nodes) if x[axis] == value)
        text += f'<NodeSet name="{name}">{inside}</NodeSet>\n'
    return text + '</Mesh>\n<MeshDomains><SolidDomain name="Part1" mat="gel"/></MeshDomains>\n'


def feb_boundary(version, pull=True):
    text = ""
    for name, axis in (("bottom", "z"), ("x0", "x"), ("y0", "y")):
        text += {2.5: f'<fix bc="{axis}" node_set="{name}"/>',
                 3.0: f'<bc name="{name}" type="fix" node_set="{name}"><dofs>{axis}</dofs></bc>',
                 4.0: f'<bc name="{name}" type="zero displacement" node_set="{name}">'
                      + "".join(f"<{c}_dof>{int(c == axis)}</{c}_dof>" for c in "xyz") + "</bc>",
                 }[version] + "\n"
    if pull:
        text += {2.5: '<prescribe bc="z" node_set="top"><scale lc="1">0.5</scale></prescribe>',
                 3.0: '<bc type="prescribe" node_set="top"><dof>z</dof><scale lc="1">0.5</scale>'
                      "<relative>0</relative></bc>",
                 4.0: '<bc type="prescribed displacement" node_set="@surface:top"><dof>z</dof>'
                      '<value lc="1">0.5</value><relative>0</relative></bc>'}[version]
    return f"<Boundary>{text}</Boundary>\n"


def feb_curve(version):
    if version == 2.5:
        return ('<LoadData><loadcurve id="1" type="linear"><point>0,0</point><point>1,1</point>'
                "</loadcurve></LoadData>\n")
    tag = "point" if version == 3.0 else "pt"
    return ('<LoadData><load_controller id="1" type="loadcurve"><interpolate>LINEAR</interpolate>'
            f"<points><{tag}>0,0</{tag}><{tag}>1,1</{tag}></points></load_controller></LoadData>\n")


def feb(version=4.0, material=GEL, boundary=None, more="", analysis="STATIC", mesh=None):
    word = (f'<analysis type="{analysis.lower()}"/>' if version == 2.5
            else f"<analysis>{analysis}</analysis>")
    return (f'<?xml version="1.0" encoding="ISO-8859-1"?>\n<febio_spec version="{version}">\n'
            f'<Module type="solid"/>\n<Control>{word}<time_steps>10</time_steps>'
            "<step_size>0.1</step_size><max_refs>15</max_refs></Control>\n"
            f'<Material><material id="1" name="gel" {material[0]}>{material[1]}</material></Material>\n'
            f"{mesh or feb_mesh(version)}{boundary or feb_boundary(version)}{feb_curve(version)}{more}"
            '<Output><plotfile type="febio"/></Output>\n</febio_spec>\n')


def inp(material="*HYPERELASTIC, MOONEY-RIVLIN\n100., 20., 4e-4", density="*DENSITY\n1000.,",
        step="*STATIC\n0.1, 1.", loads="*BOUNDARY, AMPLITUDE=ramp\nTop, 3, 3, 0.5", more=""):
    text = "*HEADING\ncube\n*NODE\n"
    text += "".join(f"{i + 1}, {x}, {y}, {z}\n" for i, (x, y, z) in enumerate(NODES))
    text += "*ELEMENT, TYPE=C3D8R, ELSET=All\n"
    text += "".join(f"{i + 1}, {listed(h)}\n" for i, h in enumerate(HEXES))
    for name in ("bottom", "top", "x0"):
        text += f"*NSET, NSET={name}\n{listed(SIDES[name])}\n"
    # as Abaqus/CAE writes a set of a face: its nodes, and the elements behind them
    text += f"*ELSET, ELSET=TOP\n5, 6, 7, 8\n*SURFACE, NAME=Top, TYPE=ELEMENT\nTOP, S2\n"
    held = "".join(f"{n}, 2, 2\n" for n in SIDES["y0"])
    return (text + f"*SOLID SECTION, ELSET=All, MATERIAL=Gel\n*MATERIAL, NAME=gel\n{material}\n"
            f"{density}\n*AMPLITUDE, NAME=Ramp\n0., 0., 1., 1.\n*STEP, NLGEOM=YES\n{step}\n"
            f"*BOUNDARY\nbottom, 3\nx0, XSYMM\n{held}{loads}\n{more}*END STEP\n")


def convert(folder, name, text, *options):
    (folder / name).write_text(text)
    done = palpate("convert", name, name + ".yaml", "--force", *options, cwd=folder)
    scene = (folder / (name + ".yaml"))
    return done, scene.read_text() if done.returncode == 0 else ""


def edited(text, *changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text
