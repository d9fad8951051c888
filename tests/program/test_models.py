"""Models of FEBio and Abaqus: run as they are, converted, mapped to our laws, and refused by line."""
import re

from program import Checks, fresh, history, palpate, summary

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
            f"*BOUNDARY\nbottom, 3\nx0, XSYMM\n{held}{loads}\n*OUTPUT, FIELD\n*NODE OUTPUT\nU\n"
            f"{more}*END STEP\n")


def convert(folder, name, text, *options):
    (folder / name).write_text(text)
    done = palpate("convert", name, name + ".yaml", "--force", *options, cwd=folder)
    scene = (folder / (name + ".yaml"))
    return done, scene.read_text() if done.returncode == 0 else ""


def check_versions(checks, folder):
    """Three versions of one model are one simulation; so is each scene it becomes."""
    hashes = set()
    for version in (2.5, 3.0, 4.0):
        name = f"cube-{version}.feb"
        done, scene = convert(folder, name, feb(version), "--strict")
        checks.equal(done.returncode, 0, name, done.stderr)
        checks.true("material: {law: mooney-rivlin, density: 1000, c10: 100, c01: 20, bulk: 5000}"
                    in scene, name, scene)
        for what in (name, name + ".yaml"):
            done = palpate("run", what, "-o", "out-" + what, "-q", cwd=folder)
            checks.equal(done.returncode, 0, what, done.stderr)
            hashes.add(summary(folder / ("out-" + what))["state_hash"])
    checks.equal(len(hashes), 1, "states")
    energy = summary(folder / "out-cube-4.0.feb")["energy"]["strain"]
    done, _ = convert(folder, "cube.inp", inp(), "--strict")
    checks.equal(done.returncode, 0, "cube.inp", done.stderr)
    for what in ("cube.inp", "cube.inp.yaml"):
        done = palpate("run", what, "-o", "out-" + what, "-q", cwd=folder)
        checks.equal(done.returncode, 0, what, done.stderr)
    ours = summary(folder / "out-cube.inp")
    checks.equal(ours["state_hash"], summary(folder / "out-cube.inp.yaml")["state_hash"], "INP")
    # uniaxial stretch of 1.5; the two differ in their volumetric terms only, J - 1 is below 1 %
    incompressible = 100 * (1.5 ** 2 + 2 / 1.5 - 3) + 20 * (2 * 1.5 + 1.5 ** -2 - 3)
    checks.true(abs(energy / incompressible - 1) < 0.03, "energy", energy, incompressible)
    checks.true(abs(ours["energy"]["strain"] / energy - 1) < 1e-3, "INP and FEB",
                ours["energy"]["strain"], energy)


def check_dynamics(checks, folder):
    """Forces, pressure and gravity arrive; the mass is that of the density."""
    more = ('<Loads><nodal_load type="nodal_force" node_set="top"><value lc="1">0,0,2</value>'
            '</nodal_load><surface_load type="pressure" surface="top"><pressure lc="1">3</pressure>'
            "</surface_load></Loads>\n")
    done, scene = convert(folder, "dynamic.feb",
                          feb(boundary=feb_boundary(4.0, False), more=more, analysis="DYNAMIC"))
    checks.equal(done.returncode, 0, done.stderr)
    for piece in ("force: [0, 0, 2], each: true, ramp: [[0, 0], [1, 1]]", "pressure: 3",
                  "solver: {method: explicit, time: 1}", "every: 0.1", 'group: "top surface"'):
        checks.true(piece in scene, piece, "in", scene)
    loads = ("*CLOAD, AMPLITUDE=RAMP\ntop, 3, 2.\n27, 1, 0.5\n*DSLOAD\nTop, P, 3.\n"
             "*DLOAD\n, GRAV, 9.81, 0, 0, -2")
    done, scene = convert(folder, "dynamic.inp", inp(step="*DYNAMIC, EXPLICIT\n, 0.5", loads=loads,
                                                    density="*DENSITY\n1."))
    checks.equal(done.returncode, 0, done.stderr)
    for piece in ("force: [0, 0, 2]", "force: [0.5, 0, 0]", 'group: "top surface"}, pressure: 3',
                  "gravity: [0, 0, -9.81], ramp: step", "solver: {method: explicit, time: 0.5}"):
        checks.true(piece in scene, piece, "in", scene)
    done = palpate("run", "dynamic.inp", "-o", "dynamic", "-q", cwd=folder)
    checks.equal(done.returncode, 0, done.stderr)
    checks.true(float(history(folder / "dynamic")[-1]["time"]) == 0.5, "the end")


FEB_LAWS = [
    ('type="isotropic elastic"', "<E>3000</E><v>0.4</v>",
     "law: st-venant-kirchhoff, young: 3000, poisson: 0.4", None),
    ('type="neo-Hookean"', "<E>3000</E><v>0.4</v>", "law: neo-hookean, young: 3000, poisson: 0.4",
     r"neo-Hookean .*mu ln J"),
    ('type="Mooney-Rivlin"', "<c1>5</c1><k>500</k>", "law: mooney-rivlin.*c10: 5, c01: 0, bulk: 500",
     r"ln J\)\^2 of .* is taken as"),
    ('type="Mooney-Rivlin"', "<c1>5</c1><c2>1</c2><k>500</k><pressure_model>Abaqus</pressure_model>",
     "law: polynomial.*c10: 5, c01: 1, bulk: 500", None),
    ('type="Ogden"', "<c1>8</c1><m1>3</m1><c2>2</c2><m2>-1</m2><k>500</k>"
     "<pressure_model>NIKE3D</pressure_model>",
     "law: ogden.*shear-1: 4, alpha-1: 3, shear-2: 1, alpha-2: -1", None),
    ('type="Veronda-Westmann"', "<c1>10</c1><c2>2</c2><k>1000</k>",
     r"law: veronda-westmann.*c1: 10, c2: 2, bulk: 866.66", r"those of C here"),
    ('type="Arruda-Boyce"', "<mu>10</mu><N>9</N><k>1000</k><pressure_model>1</pressure_model>",
     "law: arruda-boyce.*shear: 10.*limit-stretch: 3", None),
    ('type="Holzapfel-Gasser-Ogden"', "<c>10</c><k1>5</k1><k2>2</k2><gamma>90</gamma><k>1000</k>",
     "law: fibre-reinforced.*k1: 5, k2: 2", None),
    ('type="uncoupled viscoelastic"', '<g1>1</g1><t1>0.5</t1><elastic type="Mooney-Rivlin"><c1>5</c1>'
     "<c2>1</c2><k>500</k><pressure_model>NIKE3D</pressure_model></elastic>",
     "weight: 0.5, time: 0.5.*c10: 10, c01: 2, bulk: 500", None),
]
INP_LAWS = [
    ("*HYPERELASTIC, NEO HOOKE\n50., 4e-4", "law: neo-hookean.*shear: 100, bulk: 5000", None),
    ("*HYPERELASTIC, POLYNOMIAL, N=2\n1, 2, 3, 4, 5, 0.5, 0", "law: polynomial.*c10: 1, c01: 2, "
     "c20: 3, c11: 4, c02: 5, bulk: 4", None),
    ("*HYPERELASTIC, REDUCED POLYNOMIAL, N=2\n1, 3, 0.5", "c10: 1, c01: 0, c20: 3, bulk: 4", None),
    ("*HYPERELASTIC, OGDEN, N=2\n4, 3, 1, -1, 0.5, 0", "law: ogden.*bulk: 4.*shear-1: 4, alpha-1: 3",
     r"volumetric term"),
    ("*HYPERELASTIC, ARRUDA-BOYCE\n10, 3, 0.5", "law: arruda-boyce.*shear: 10", None),
    ("*ELASTIC\n3000, 0.4", "law: st-venant-kirchhoff.*young: 3000, poisson: 0.4",
     r"linear elasticity"),
    ("*HYPERELASTIC, NEO HOOKE\n50., 4e-4\n*VISCOELASTIC, TIME=PRONY\n0.5, 0, 0.1\n0.25, 0, 1",
     "shear: 400, bulk: 5000", None),
    ("*HYPERELASTIC, NEO HOOKE, MODULI=INSTANTANEOUS\n50., 4e-4\n*VISCOELASTIC, TIME=PRONY\n"
     "0.5, 0.2, 0.1", "shear: 100, bulk: 5000", None),
    ("*ELASTIC\n3000, 0.4\n*VISCOELASTIC, TIME=PRONY\n0.5, 0.5, 0.1",
     r"young: 6000, poisson: 0.4.*\{isochoric: \[\{weight: 0.5, time: 0.1\}\]\}", r"linear elasticity"),
    ("*ELASTIC, MODULI=INSTANTANEOUS\n3000, 0.4\n*VISCOELASTIC, TIME=PRONY\n0.5, 0.5, 0.1",
     "young: 3000, poisson: 0.4", r"linear elasticity"),
    ("*DAMPING, ALPHA=2.\n*HYPERELASTIC, NEO HOOKE\n50., 4e-4", "shear: 100, bulk: 5000",
     r"\*DAMPING is not carried over"),
]


def check_laws(checks, folder):
    cases = [("law.feb", feb(material=(kind, inside + "<density>1000</density>")), expected, warning)
             for kind, inside, expected, warning in FEB_LAWS]
    cases += [("law.inp", inp(material=material), expected, warning)
              for material, expected, warning in INP_LAWS]
    for name, text, expected, warning in cases:
        done, scene = convert(folder, name, text)
        checks.equal(done.returncode, 0, expected, done.stderr)
        flat = re.sub(r"\n\s+", ", ", scene)
        checks.true(re.search(expected, flat), expected, "in", scene)
        warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
        checks.equal(bool(warnings), warning is not None, expected, "warnings", warnings)
        if warning is not None:
            checks.true(re.search(warning, done.stderr), warning, "in", done.stderr)
            checks.true(re.match(rf"warning: {name}:\d+: ", done.stderr), done.stderr)
            (folder / (name + ".yaml")).unlink()
            done = palpate("convert", name, name + ".yaml", "--strict", "--force", cwd=folder)
            checks.equal(done.returncode, 2, "strict", expected)
            checks.true(not (folder / (name + ".yaml")).exists(), "strict wrote", expected)


def check_own_name(checks, folder):
    """A mesh is not written over the model it comes from."""
    text = inp()
    (folder / "cube-body.inp").write_text(text)
    done = palpate("convert", "cube-body.inp", "cube.yaml", cwd=folder)
    checks.equal(done.returncode, 2, "own name", done.stderr)
    checks.true("over the model itself" in done.stderr, done.stderr)
    checks.equal((folder / "cube-body.inp").read_text(), text, "the model")
    checks.true(not (folder / "cube.yaml").exists(), "scene without its mesh")


def check_taken_names(checks, folder):
    """A mesh is not written over a file that nobody named, unless asked to; the scene's name is given."""
    (folder / "taken.inp").write_text(inp())
    (folder / "scene.yaml").write_text("mine\n")
    (folder / "scene-body.inp").write_text("mine\n")
    done = palpate("convert", "taken.inp", "scene.yaml", cwd=folder)
    checks.equal(done.returncode, 2, "taken name", done.stderr)
    refused = r"scene-body.inp: the mesh would replace this file.*--force$"
    checks.true(re.match(refused, done.stderr.strip()), done.stderr)
    for name in ("scene.yaml", "scene-body.inp"):
        checks.equal((folder / name).read_text(), "mine\n", name)
    done = palpate("convert", "taken.inp", "scene.yaml", "--force", cwd=folder)
    checks.equal(done.returncode, 0, "forced", done.stderr)
    done = palpate("run", "scene.yaml", "-o", "out-taken", "-q", cwd=folder)
    checks.equal(done.returncode, 0, "run what was forced", done.stderr)
    done = palpate("convert", "scene-body.inp", "mesh.vtu", "--force", cwd=folder)
    checks.equal(done.returncode, 2, "force and a mesh", done.stderr)


def check_odd_names(checks, folder):
    """Names that INP files cannot hold: two that differ in case, commas, quotes, signs."""
    odd = {"bottom": "TOP", "x0": "a, b", "y0": "a=&quot;b&quot; *"}
    text = feb(4.0)
    for old, new in odd.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    done, scene = convert(folder, "odd.feb", text, "--strict")
    checks.equal(done.returncode, 0, "odd names", done.stderr)
    checks.true("mesh: odd.feb-body.vtu" in scene.replace('"', ""), "a VTU file in", scene)
    for what in ("odd.feb", "odd.feb.yaml"):
        done = palpate("run", what, "-o", "out-" + what, "-q", cwd=folder)
        checks.equal(done.returncode, 0, what, done.stderr)
        # names change nothing in the simulation
        checks.equal(summary(folder / ("out-" + what))["state_hash"],
                     summary(folder / "out-cube-4.0.feb")["state_hash"], what)


def check_body_loads(checks, folder):
    """Forces per mass, which FEBio counts against the acceleration; of all elements or not at all."""
    loads = {
        '<body_load type="const"><z lc="1">9.81</z></body_load>':
            ["gravity: [0, 0, -9.81], ramp: [[0, 0], [1, 1]]"],
        '<body_load type="body force" elem_set="Part1"><force>1,-2,3</force></body_load>':
            ["gravity: [-1, 2, -3], ramp: step"],
        '<body_load type="const"><x>1</x><y lc="1">2</y><z>3</z></body_load>':
            ["gravity: [-1, 0, -3], ramp: step", "gravity: [0, -2, 0], ramp: [[0, 0], [1, 1]]"],
    }
    for load, pieces in loads.items():
        done, scene = convert(folder, "g.feb", feb(boundary=feb_boundary(4.0, False),
                                                   more=f"<Loads>{load}</Loads>\n", analysis="DYNAMIC"),
                              "--strict")
        checks.equal(done.returncode, 0, load, done.stderr)
        checks.equal(scene.count("gravity"), len(pieces), load, scene)
        for piece in pieces:
            checks.true(piece in scene, piece, "in", scene)
    part = edited(feb(), ("</Mesh>", '<ElementSet name="half">1,2,3,4</ElementSet></Mesh>'),
                  ("<Output>", '<Loads><body_load type="const" elem_set="half"><z>1</z></body_load>'
                   "</Loads><Output>"))
    done, scene = convert(folder, "g.feb", part)
    checks.equal(done.returncode, 0, done.stderr)
    checks.true(re.search(r'g.feb:\d+: <body_load> of type "const" in <Loads> is not carried over',
                          done.stderr) and "gravity" not in scene, "of a part", done.stderr, scene)
    wrong = edited(feb(), ("<Output>", '<Loads><body_load type="body force"><force>1,2</force>'
                           "</body_load></Loads><Output>"))
    (folder / "g.feb").write_text(wrong)
    done = palpate("convert", "g.feb", "never.yaml", cwd=folder)
    checks.equal(done.returncode, 2, "two components", done.stderr)
    checks.true(re.match(r"g.feb:\d+: a body force of 2 components, expected 3", done.stderr), done.stderr)


def edited(text, *changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def check_refusals(checks, folder):
    """One line each: file, line, what; nothing written."""
    two = 4.0
    good = feb(two)
    shells = edited(good, ('type="hex8"', 'type="tri3"'))
    cases = [
        ("f.feb", feb(material=(GEL[0], "<c1>1</c1><k>9</k>")), r"no density; add <density>"),
        ("f.feb", feb(material=('type="damage"', "")), r'type "damage", expected isotropic'),
        ("f.feb", feb(material=('type="Ogden"', "<density>1</density>"
                                + "".join(f"<c{i}>1</c{i}>" for i in range(1, 6)))), r"3 terms"),
        ("f.feb", edited(good, ('version="4.0"', 'version="1.2"')), r"expected 2.5, 3.0 or 4.0"),
        ("f.feb", edited(good, ('Module type="solid"', 'Module type="fluid"')), r'"fluid"'),
        ("f.feb", shells, r"expected tet4 or hex8"),
        ("f.feb", edited(good, ("<Output>", '<Loads from="loads.feb"/><Output>')),
         r'<Loads> from the file "loads.feb"'),
        ("f.feb", edited(good, ('lc="1"', 'lc="7"')), r'no curve "7"'),
        ("f.feb", edited(good, ('node_set="x0"', 'node_set="nowhere"')), r'no set "nowhere"'),
        ("f.feb", edited(good, ("<elem id=\"1\">1,", "<elem id=\"1\">99,")), r"no node 99"),
        ("f.feb", edited(good, ('<node id="2">0.5', '<node id="2">soft')), r"expected numbers"),
        ("f.feb", edited(good, ('mat="gel"', 'mat="glue"')), r'material "glue"'),
        ("f.feb", edited(good, ("<time_steps>10", "<time_steps>-1")), r"more than 0"),
        ("f.feb", good[:300], r"well-formed"),
        ("f.feb", '<!DOCTYPE x [<!ENTITY a "b">]>\n<febio_spec version="4.0"/>', r"DOCTYPE"),
        ("f.feb", "<febio_spec version='4.0'/>", r"no <Mesh>"),
        ("f.feb", "", r"expected well-formed XML"),
        ("f.inp", inp(density=""), r"no density; add \*DENSITY"),
        ("f.inp", inp(material="*HYPERELASTIC, NEO HOOKE\n50., 0"), r"incompressible"),
        ("f.inp", inp(material="*ELASTIC\n3000, 0.4\n*VISCOELASTIC, TIME=PRONY\n0.5, 0.2, 0.1"),
         r"g 0.5 and k 0.2, expected the same"),
        ("f.inp", inp(material="*HYPERELASTIC, NEO HOOKE\n50., 4e-4\n*VISCOELASTIC, TIME=PRONY\n"
                      "0.5, 0, 0.1\n-0.2, 0, 1"), r"expected neither below 0"),
        ("f.inp", edited(inp(), ("SECTION, ELSET=All", "SECTION, ELSET=TOP")), r"material"),
        ("f.inp", inp(material="*HYPERELASTIC, YEOH\n1,2,3,4,5,6"), r"expected NEO HOOKE"),
        ("f.inp", inp(material="*HYPERELASTIC, POLYNOMIAL, N=3\n" + "1," * 12), r"degree 3"),
        ("f.inp", inp(material="*HYPERELASTIC, MOONEY-RIVLIN\n1, two, 3"), r"'two', expected a number"),
        ("f.inp", inp(material="*ELASTIC, TYPE=ORTHOTROPIC\n1,2,3"), r"expected ISOTROPIC"),
        ("f.inp", inp(loads="*BOUNDARY, AMPLITUDE=none\ntop, 3, 3, 1"), r'no amplitude "none"'),
        ("f.inp", inp(loads="*BOUNDARY\nnowhere, 3"), r'no set "nowhere"'),
        ("f.inp", inp(loads="*BOUNDARY\n99, 3"), r"no node 99"),
        ("f.inp", inp(loads="*BOUNDARY\ntop, 9"), r"expected 1 to 3"),
        ("f.inp", inp(loads="*CLOAD\ntop, 5, 1."), r"freedom 5"),
        ("f.inp", edited(inp(), ("*AMPLITUDE, NAME=Ramp", "*AMPLITUDE, NAME=Ramp, VALUE=ABSOLUTE")),
         r"expected relative ones"),
        ("f.inp", inp(step="*DYNAMIC\n0.1"), r"without its duration"),
        ("f.inp", inp(more="*STEP\n*STATIC\n"), r"a second \*STEP"),
        ("f.inp", edited(inp(), ("*STEP, NLGEOM=YES\n*STATIC\n0.1, 1.\n", "")), r"no \*STEP"),
        ("f.inp", edited(inp(), ("MATERIAL=Gel", "MATERIAL=glue")), r"no elasticity"),
        ("f.inp", edited(inp(), ("*SOLID SECTION, ELSET=All, MATERIAL=Gel\n", "")),
         r"expected \*SOLID SECTION"),
        ("f.inp", edited(inp(), ("*SOLID SECTION, ELSET=All", "*SOLID SECTION, ELSET=TOP")),
         r"elements are in no section with a material, expected \*SOLID SECTION for every"),
        ("f.inp", "*NODE\n1, 0, 0, 0\n", r"no tetrahedra|no cells"),
    ]
    for name, text, pattern in cases:
        (folder / name).write_text(text)
        for words in (["run", name, "-o", "never"], ["convert", name, "never.yaml"]):
            done = palpate(*words, cwd=folder)
            checks.equal(done.returncode, 2, *words, pattern, done.stderr)
            checks.equal(len(done.stderr.splitlines()), 1, "one line", done.stderr)
            checks.true(re.search(rf"^{name}(:\d+)*: .*", done.stderr), done.stderr)
            checks.true(re.search(pattern, done.stderr), pattern, "in", done.stderr)
            checks.true(not (folder / "never").exists() and not (folder / "never.yaml").exists(),
                        "left something behind", pattern)


def check_warnings(checks, folder):
    """What is not carried over, with its line."""
    done, scene = convert(folder, "w.feb", feb(more='<Contact><contact type="sliding"/></Contact>\n'
                                               '<Loads><body_load type="centrifugal"/></Loads>\n'))
    checks.equal(done.returncode, 0, done.stderr)
    for pattern in (r"w.feb:\d+: <Contact> in <febio_spec> is not carried over",
                    r'w.feb:\d+: <body_load> of type "centrifugal" in <Loads> is not carried over'):
        checks.true(re.search(pattern, done.stderr), pattern, "in", done.stderr)
        checks.true(re.search("# " + pattern, scene), pattern, "in the scene")
    done, scene = convert(folder, "w.inp", inp(more="*CONTACT PAIR\na, b\n*DLOAD\nAll, P1, 3\n"
                                               "*BOUNDARY, OP=NEW\nbottom, 3\n"))
    checks.equal(done.returncode, 0, done.stderr)
    for pattern in (r"w.inp:\d+: \*CONTACT PAIR is not carried over", r"kind P1 is not carried over",
                    r"w.inp:\d+: OP=NEW sets nothing free"):
        checks.true(re.search(pattern, done.stderr), pattern, "in", done.stderr)
    line = next(i + 1 for i, text in enumerate((folder / "w.inp").read_text().splitlines())
                if text.startswith("*CONTACT PAIR"))
    checks.true(f"w.inp:{line}:" in done.stderr, "line", line, done.stderr)
    done = palpate("run", "w.inp", "-o", "never", "--strict", cwd=folder)
    checks.equal(done.returncode, 2, "strict run", done.stderr)


def main():
    checks = Checks()
    folder = fresh("models")
    check_versions(checks, folder)
    check_dynamics(checks, folder)
    check_laws(checks, folder)
    check_own_name(checks, folder)
    check_taken_names(checks, folder)
    check_odd_names(checks, folder)
    check_body_loads(checks, folder)
    check_refusals(checks, folder)
    check_warnings(checks, folder)
    checks.finish()


main()
