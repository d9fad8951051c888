"""Scenes and meshes that must be refused: (name, files, pattern of the one line on stderr)."""
import math
import struct

from program import BAR


def scene(old, new):
    """The bar with a passage changed."""
    assert BAR.count(old) == 1, f"{old!r} stands {BAR.count(old)} times in the scene"
    return {"scene.yaml": BAR.replace(old, new)}


def with_mesh(name, content, element=""):
    """The bar with a mesh file instead of a shape."""
    changed = scene("shape: {box: [0.04, 0.01, 0.01], cells: [8, 2, 2]}", f"mesh: {name}" + element)
    return {**changed, name: content}


def place(line, column=r"\d+"):
    return rf"^scene\.yaml:{line}:{column}: "


def skin(triangles, corners, more=""):
    """A shell of these triangles instead of the bar."""
    text = "".join("v %g %g %g\n" % point for point in corners)
    text += "".join("f %d %d %d\n" % tuple(k + 1 for k in corner) for corner in triangles)
    return {"skin.obj": text, "scene.yaml": f"""\
bodies:
  - name: skin
    mesh: skin.obj
    element: ebst
    thickness: 0.01
    material: {MATERIAL}
{more}solver: {{time: 0.01}}
"""}


def one_sided(count=24):
    """A Moebius strip."""
    corners, triangles = [], []
    for i in range(count):
        angle = 2 * math.pi * i / count
        for side in (-0.5, 0.5):
            radius = 3 + side * math.cos(angle / 2)
            corners.append((radius * math.cos(angle), radius * math.sin(angle),
                            side * math.sin(angle / 2)))
        a, b = 2 * i, 2 * i + 1
        c, d = (2 * i + 2, 2 * i + 3) if i < count - 1 else (1, 0)
        triangles += [(a, c, b), (b, c, d)]
    return triangles, corners


ANYWHERE = place(r"\d+")
MATERIAL = "{law: neo-hookean, young: 3000, poisson: 0.45, density: 1000}"

TENT = [(0, 0, 0), (1, 0, 0), (0.5, 1, 0), (0.5, -1, 0), (0.5, 0, 1)]

SCENES = [
    # what is no scene at all
    ("empty file", {"scene.yaml": ""}, r"^scene\.yaml:.*(empty|expected)"),
    ("only a comment", {"scene.yaml": "# nothing\n"}, r"^scene\.yaml:.*(empty|expected)"),
    ("zero bytes", {"scene.yaml": b"\0" * 200}, r"^scene\.yaml:"),
    ("bytes that are no text", {"scene.yaml": bytes(range(128, 256)) * 4}, r"^scene\.yaml:"),
    ("bad UTF-8 in a name", {"scene.yaml": BAR.replace("name: bar\nb", "name: b\udcffr\nb")
                             .encode("utf-8", "surrogateescape")}, r"^scene\.yaml:"),
    ("a list", {"scene.yaml": "- 1\n- 2\n"}, place(1)),
    ("a number", {"scene.yaml": "3\n"}, place(1)),
    ("brackets left open", {"scene.yaml": "bodies: [[[{\n"}, r"^scene\.yaml:\d+:\d+: "),
    ("tabs for indentation", {"scene.yaml": "bodies:\n\t- name: a\n"}, ANYWHERE),
    ("deep nesting", {"scene.yaml": "bodies: " + "[" * 100000}, r"^scene\.yaml:"),
    ("an alias bomb", {"scene.yaml": "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{i}: &a{i} [{','.join(['*a' + str(i - 1)] * 9)}]\n" for i in range(1, 12))},
     r"^scene\.yaml:"),
    ("JSON that breaks off", {"scene.yaml": '{"name": "bar", "bodies": [{"name": '}, ANYWHERE),
    ("a key twice", scene("name: bar\nbodies", "name: bar\nname: bar\nbodies"), place("[23]")),

    # keys and values
    ("no bodies", {"scene.yaml": "solver: {time: 1}\n"}, r"^scene\.yaml:.*bodies"),
    ("bodies is a word", {"scene.yaml": "bodies: none\nsolver: {time: 1}\n"}, place(1)),
    ("an unknown key", scene("solver:", "sovler:"), place(10) + ".*sovler.*solver"),
    ("an unknown key inside", scene("density:", "densty:"), place(6) + ".*densty.*density"),
    ("a law nobody knows", scene("neo-hookean", "neo-hokean"), place(6) + ".*neo-hookean"),
    ("a parameter missing", scene("young: 3000, ", ""), place(6)),
    ("a parameter too many", scene("young: 3000", "young: 3000, shear: 5"), place(6) + ".*"),
    ("negative stiffness", scene("young: 3000", "young: -3000"), place(6) + ".*young"),
    ("stiffness is a word", scene("young: 3000", "young: soft"), place(6) + ".*soft"),
    ("stiffness is not a number", scene("young: 3000", "young: .nan"), place(6)),
    ("stiffness is infinite", scene("young: 3000", "young: .inf"), place(6)),
    ("stiffness overflows", scene("young: 3000", "young: 1e999"), place(6)),
    ("stiffness as a hexadecimal", scene("young: 3000", "young: 0x10p3"), place(6)),
    ("incompressible", scene("poisson: 0.45", "poisson: 0.5"), place(6) + ".*poisson"),
    ("no density", scene(", density: 1000", ""), place(6) + ".*density"),
    ("zero density", scene("density: 1000", "density: 0"), place(6) + ".*density"),
    ("a box without depth", scene("[0.04, 0.01, 0.01]", "[0.04, 0.01]"), place(5)),
    ("a box turned inside out", scene("[0.04, 0.01, 0.01]", "[0.04, -0.01, 0.01]"), place(5)),
    ("no cells", scene("[8, 2, 2]", "[0, 2, 2]"), place(5)),
    ("half a cell", scene("[8, 2, 2]", "[8, 2.5, 2]"), place(5)),
    ("cells beyond counting", scene("[8, 2, 2]", "[100000, 100000, 100000]"), ANYWHERE),
    ("two shapes", scene("cells:", "sphere: 1, cells:"), place(5)),
    ("mesh and shape", scene("    shape", "    mesh: a.msh\n    shape"), place("[456]")),
    ("neither mesh nor shape", scene("    shape: {box: [0.04, 0.01, 0.01], cells: [8, 2, 2]}\n", ""),
     place("[45]") + ".*(mesh|shape)"),
    ("an unknown element", scene("    material", "    element: t5\n    material"), place(6)),
    ("a shell without thickness", scene("    material", "    element: ebst\n    material"),
     place(4) + ".*thickness"),
    ("a shell of no thickness", scene("    material", "    element: ebst\n    thickness: 0\n    "
                                      "material"), place(7) + ".*thickness"),
    ("a shell that branches", skin([(0, 1, 2), (1, 0, 3), (0, 1, 4)], TENT),
     place(3, 11) + "3 triangles meet at one edge, at .0.5, 0, 0.*expected"),
    ("a shell that hangs together at a node", skin([(0, 1, 2), (0, 4, 3)], TENT),
     place(3, 11) + "parts of the membrane meet at node 0 only.*expected"),
    ("a shell with triangles that face opposite ways", skin([(0, 1, 2), (0, 1, 3)], TENT),
     place(3, 11) + "triangles 0 and 1, at .0.5, 0, 0., face opposite ways.*orient: true"),
    ("a shell with one side", skin(*one_sided()), place(3, 11) + ".*Moebius.*cannot be turned"),
    ("a shell that crosses itself",
     skin([(0, 1, 2), (5, 6, 7)], TENT + [(0.5, 0.3, -1), (0.5, 0.3, 1), (0.4, 0.5, 1)]),
     place(3, 11) + "the membrane crosses itself at.*expected none"),
    ("a shell thicker than it is round", {"scene.yaml": f"""\
bodies:
  - name: pipe
    shape: {{tube: [0.1, 1], cells: [12, 10]}}
    element: ebst
    thickness: 0.2
    material: {MATERIAL}
solver: {{time: 0.01}}
"""}, place(5, 16) + ".*radius of curvature of triangle 0.*expected a thickness below"),
    ("attached to nothing near", skin([(0, 1, 2)], TENT, f"""\
  - name: block
    shape: {{box: [1, 1, 1], cells: [2, 2, 2]}}
    place: {{translate: [0, 0, -3]}}
    material: {MATERIAL}
conditions:
  - {{body: skin, where: all, attach: block}}
"""), place(12, 5) + 'node 0 of body "skin", at .*is to be attached to "block", which is .*expected'),
    ("orient with solids", scene("    material", "    orient: true\n    material"),
     place(6) + ".*orient has no effect"),
    ("two bodies of one name", scene("conditions:", f"""\
  - name: bar
    shape: {{box: [1, 1, 1]}}
    material: {MATERIAL}
conditions:"""), ANYWHERE + ".*bar"),

    # conditions, probes, solver, output
    ("a body nobody knows", scene("{body: bar, where: {plane: x-min}, fix", "{body: baz, "
                                  "where: {plane: x-min}, fix"), place(8) + ".*baz"),
    ("a selection of nothing", scene("{plane: x-min}", "{sphere: {centre: [9, 9, 9], radius: 1}}"),
     place(8)),
    ("a group that is not there", scene("{plane: x-min}", "{group: left}"), place(8) + ".*left"),
    ("an axis that is none", scene("fix: xyz", "fix: xw"), place(8)),
    ("no axis", scene("fix: xyz", 'fix: ""'), place(8)),
    ("a condition of nothing", scene(", fix: xyz", ""), place(8)),
    ("two conditions in one", scene("fix: xyz", "fix: xyz, pressure: 1"), place(8)),
    ("a force of two parts", scene("[0, 0, -0.001]", "[0, -0.001]"), place(9)),
    ("a ramp nobody knows", scene("ramp: smooth", "ramp: smoth"), place(9) + ".*smooth"),
    ("a ramp back in time", scene("ramp: smooth, until: 0.5", "ramp: [[0, 0], [1, 1], [0.5, 2]]"),
     place(9)),
    ("a ramp over no time", scene("until: 0.5", "until: 0"), place(9)),
    ("a plane without direction", scene("{plane: x-min}",
                                        "{plane: {point: [0, 0, 0], normal: [0, 0, 0]}}"), place(8)),
    ("no time", scene("time: 1,", "time: 0,"), place(10) + ".*time"),
    ("time backwards", scene("time: 1,", "time: -1,"), place(10) + ".*time"),
    ("a step backwards", scene("step: auto", "step: -1e-4"), place(10) + ".*step"),
    ("a scheme of another method", scene("explicit", "explicit, scheme: hht"),
     place(10) + ".*scheme"),
    ("a method nobody knows", scene("explicit", "explict"), place(10) + ".*explicit"),
    ("a probe on nobody", scene("name: tip, body: bar", "name: tip, body: tap"), place(12)),
    ("a probe of nothing", scene("record: displacement", "record: temperature"), place(12)),
    ("two probes of one name", scene("probes:", "probes:\n  - {name: tip, body: bar, "
                                     "where: all, record: force}"), place("1[23]") + ".*tip"),
    ("output never", scene("every: 0.05", "every: 0"), place(13)),
    ("a field nobody knows", scene("[displacement, velocity, stress]", "[heat]"), place(13)),
    ("contact with nobody", {"scene.yaml": BAR + "contact:\n  - {between: [bar, beam]}\n"},
     place(15, 21) + ".*beam.*bar"),
    ("contact with itself by two names", {"scene.yaml": BAR + "contact:\n  - {between: [bar, bar]}\n"},
     place(15, 21) + ".*self"),
    ("contact twice", {"scene.yaml": BAR + "contact:\n  - {self: bar}\n  - {self: bar}\n"},
     place(16, 5) + r".*scene\.yaml:15:5"),
    ("negative friction", {"scene.yaml": BAR + "contact:\n  - {self: bar, friction: -1}\n"},
     place(15) + ".*friction"),
    ("two responses", {"scene.yaml": BAR + "contact:\n  - {self: bar, response: lagrange}\n"
                       "  - {response: johnsen2012}\n"}, place(16) + ".*lagrange"),
    ("an unknown schedule", {"scene.yaml": BAR + "contact:\n  - {schedule: sometimes}\n"},
     place(15) + ".*every-step or trajectory"),
    ("a leaf without spheres", {"scene.yaml": BAR + "contact:\n  - {leaf: obb}\n"}, place(15) + ".*hierarchy: sphere"),
    ("a force of contact without contact", scene("body: bar, where: {plane: x-max}, record: "
                                                 "displacement", "between: [bar, bar]"), place(12)),
]

# One tetrahedron, as Gmsh writes it.
MSH = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 1 1 1 2 3 4
$EndElements
"""

VTK = """\
# vtk DataFile Version 3.0
one tetrahedron
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0 1 0 0 0 1 0 0 0 1
CELLS 1 5
4 0 1 2 3
CELL_TYPES 1
10
"""


def mesh_case(name, text, old="", new="", pattern=r"^body\.(msh|vtk):", file="body.msh", element=""):
    assert old in text
    return (name, with_mesh(file, text.replace(old, new) if old else text, element), pattern)


HUGE_STL = b"\0" * 80 + struct.pack("<I", 0xFFFFFFFF) + b"\0" * 50

MESHES = [
    ("a mesh that is not there", scene("shape: {box: [0.04, 0.01, 0.01], cells: [8, 2, 2]}",
                                       "mesh: none.msh"), place(5) + r".*none\.msh"),
    ("a mesh that is a folder", {**scene("shape: {box: [0.04, 0.01, 0.01], cells: [8, 2, 2]}",
                                         "mesh: folder.msh"), "folder.msh/x": ""}, r"folder\.msh"),
    mesh_case("an empty mesh file", ""),
    mesh_case("a mesh of zero bytes", "\0" * 64),
    mesh_case("a mesh that breaks off", MSH[:len(MSH) // 2]),
    mesh_case("a version nobody wrote", MSH, "2.2 0 8", "9.9 0 8", r"^body\.msh:2:.*9\.9"),
    mesh_case("a node that is not there", MSH, "1 2 3 4\n", "1 2 3 9\n", r"^body\.msh:13:.*9"),
    mesh_case("a coordinate that is a word", MSH, "2 1 0 0", "2 one 0 0", r"^body\.msh:7:"),
    mesh_case("a coordinate that is not a number", MSH, "2 1 0 0", "2 nan 0 0", r"body\.msh"),
    mesh_case("more nodes than can be", MSH, "$Nodes\n4", "$Nodes\n2147483647"),
    mesh_case("fewer nodes than none", MSH, "$Nodes\n4", "$Nodes\n-4"),
    mesh_case("a count beyond all integers", MSH, "$Elements\n1\n", "$Elements\n99999999999999999999\n"),
    mesh_case("a corner twice", MSH, "1 2 3 4\n", "1 2 3 3\n", r"node 2 .*twice|node 2 at two corners"),
    mesh_case("a cell without volume", MSH, "4 0 0 1", "4 1 1 0", r"no volume"),
    mesh_case("no solid cells", MSH, "1 4 2 1 1 1 2 3 4", "1 2 2 1 1 1 2 3", r"^body\.msh:.*triangle"),
    mesh_case("bricks wanted, tetrahedra given", MSH, element="\n    element: h8", pattern=r"h8"),
    mesh_case("VTK without cells", VTK, "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n", "",
              file="body.vtk"),
    mesh_case("VTK with a cell beyond its points", VTK, "4 0 1 2 3", "4 0 1 2 7", file="body.vtk"),
    mesh_case("VTK with endless points", VTK, "POINTS 4", "POINTS 4000000000000", file="body.vtk"),
    mesh_case("XML that is none", "<VTKFile><oops", file="body.vtu", pattern=r"^body\.vtu:"),
    mesh_case("an entity bomb", '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(10))
        + ']><VTKFile type="UnstructuredGrid">&k;</VTKFile>', file="body.vtu", pattern=r"^body\.vtu:"),
    mesh_case("INP without elements", "*NODE\n1, 0, 0, 0\n", file="body.inp", pattern=r"^body\.inp:"),
    mesh_case("a surface for a solid", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", file="body.obj",
              pattern=r"^body\.obj:"),
    mesh_case("a file nobody reads", "hello\n", file="body.docx", pattern=r"^body\.docx:"),
    ("a surface of 4 thousand million triangles",
     {**scene("conditions:", "rigid:\n  - {name: probe, surface: probe.stl}\nconditions:"),
      "probe.stl": HUGE_STL}, r"^probe\.stl:"),
]
