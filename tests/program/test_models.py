"""Models of FEBio and Abaqus: run as they are, converted, mapped to our laws, and refused by line."""
import re

from models import GEL, convert, edited, feb, feb_boundary, feb_quadratic_mesh, inp
from program import Checks, fresh, history, palpate, summary


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
    ('type="neo-Hookean"', "<E>3000</E><v>0.4</v>",
     "law: compressible-neo-hookean, young: 3000, poisson: 0.4", None),
    ('type="Mooney-Rivlin"', "<c1>5</c1><k>500</k>",
     "law: mooney-rivlin.*c10: 5, c01: 0, bulk: 0, bulk-log: 500", None),
    ('type="Mooney-Rivlin"', "<c1>5</c1><c2>1</c2><k>500</k><pressure_model>Abaqus</pressure_model>",
     "law: polynomial.*c10: 5, c01: 1, bulk: 500", None),
    ('type="Ogden"', "<c1>8</c1><m1>3</m1><c2>2</c2><m2>-1</m2><k>500</k>"
     "<pressure_model>NIKE3D</pressure_model>",
     "law: ogden.*shear-1: 4, alpha-1: 3, shear-2: 1, alpha-2: -1", None),
    ('type="trans iso Mooney-Rivlin"', "<c1>5</c1><c2>1</c2><c3>2</c3><c4>30</c4><c5>90</c5>"
     '<lam_max>1.05</lam_max><k>500</k><fiber type="vector">0,0,1</fiber>',
     "law: fibre-mooney-rivlin.*fibre-scale: 2, fibre-steepness: 30, fibre-slope: 90, "
     "straight-stretch: 1.05.*direction: .0, 0, 1.", None),
    ('type="uncoupled solid mixture"', '<solid type="Mooney-Rivlin"><c1>5</c1><k>500</k></solid>'
     '<solid type="Mooney-Rivlin"><c1>2</c1><c2>1</c2><k>100</k></solid>',
     "law: mooney-rivlin.*c10: 7, c01: 1, bulk: 0, bulk-log: 600", None),
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
    ("*HYPERELASTIC, OGDEN, N=2\n4, 3, 1, -1, 0.5, 0",
     "law: ogden.*bulk: 0.*shear-1: 4, alpha-1: 3.*bulk-quadratic: 4", None),
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
]


def check_quadratic(checks, folder):
    """tet10 becomes t10; stretched evenly, it has the energy of a cube of any other element."""
    text = feb(3.0, mesh=feb_quadratic_mesh())
    done, _ = convert(folder, "quadratic.feb", text, "--strict")
    checks.equal(done.returncode, 0, "tet10", done.stderr)
    done = palpate("check", "quadratic.feb.yaml", cwd=folder)
    checks.true("48 elements t10, volume 1," in done.stdout, "tet10", done.stdout)
    hashes = set()
    for what in ("quadratic.feb", "quadratic.feb.yaml"):
        done = palpate("run", what, "-o", "out-" + what, "-q", cwd=folder)
        checks.equal(done.returncode, 0, what, done.stderr)
        ours = summary(folder / ("out-" + what))
        hashes.add(ours["state_hash"])
    checks.equal(len(hashes), 1, "states of tet10")
    other = summary(folder / "out-cube-3.0.feb")["energy"]["strain"]
    checks.true(abs(ours["energy"]["strain"] / other - 1) < 1e-3, "tet10 and hex8",
                ours["energy"]["strain"], other)
    for old, new in ((",125</elem>", ",999</elem>"), (",125</elem>", "</elem>")):
        done, _ = convert(folder, "broken.feb", text.replace(old, new))
        checks.equal(done.returncode, 2, "broken tet10", done.stderr)
        checks.true(re.match(r"broken.feb:\d+", done.stderr) is not None, done.stderr)


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
    lost = r'g.feb:\d+: <body_load> of type "const" in <Loads> is not carried over'
    checks.equal(done.returncode, 2, done.stderr)
    checks.true(re.match(lost + "; --lenient", done.stderr), "of a part", done.stderr)
    done, scene = convert(folder, "g.feb", part, "--lenient")
    checks.equal(done.returncode, 0, done.stderr)
    checks.true(re.search(lost, done.stderr) and "gravity" not in scene, "of a part", done.stderr, scene)
    wrong = edited(feb(), ("<Output>", '<Loads><body_load type="body force"><force>1,2</force>'
                           "</body_load></Loads><Output>"))
    (folder / "g.feb").write_text(wrong)
    done = palpate("convert", "g.feb", "never.yaml", cwd=folder)
    checks.equal(done.returncode, 2, "two components", done.stderr)
    checks.true(re.match(r"g.feb:\d+: a body force of 2 components, expected 3", done.stderr), done.stderr)


def check_refusals(checks, folder):
    """One line each: file, line, what; nothing written."""
    two = 4.0
    good = feb(two)
    shells = edited(good, ('type="hex8"', 'type="tri3"'))
    cases = [
        ("f.feb", feb(material=(GEL[0], "<c1>1</c1><k>9</k>"), analysis="DYNAMIC"),
         r"no density; add <density>"),
        ("f.feb", feb(material=('type="damage"', "")), r'type "damage", expected isotropic'),
        ("f.feb", feb(material=('type="Ogden"', "<density>1</density>"
                                + "".join(f"<c{i}>1</c{i}>" for i in range(1, 6)))), r"3 terms"),
        ("f.feb", edited(good, ('version="4.0"', 'version="1.2"')), r"expected 2.5, 3.0 or 4.0"),
        ("f.feb", edited(good, ('Module type="solid"', 'Module type="fluid"')), r'"fluid"'),
        ("f.feb", shells, r"expected tet4, tet10 or hex8"),
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
        ("f.feb", "<febio_spec version='4.0'/>", r"no <Material>"),
        ("f.feb", "", r"expected well-formed XML"),
        ("f.inp", inp(density="", step="*DYNAMIC\n0.1, 1."), r"no density; add \*DENSITY"),
        ("f.inp", inp(density="", loads="*DLOAD\nAll, GRAV, 9.81, 0, 0, -1"), r"no density; add"),
        ("f.inp", inp(material="*HYPERELASTIC, NEO HOOKE\n50., 0"), r"incompressible"),
        ("f.inp", inp(material="*HYPERELASTIC, NEO HOOKE\n50., 4e-4, 300.\n60., 4e-4, 400."),
         r"with 6 numbers, expected at most 2, of one temperature"),
        ("f.inp", inp(density="*DENSITY\n-5."), r"a density of -5, expected more than 0"),
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
        ("f.inp", inp(more="*END STEP\n*STEP\n*DYNAMIC\n0.1, 1.\n"), r"a dynamic step after a static"),
        ("f.inp", inp(loads="*DLOAD\nAll, P7, 1."), r"kind P7 is not carried over, expected P1"),
        ("f.inp", inp(loads="*DLOAD\n99, P1, 1."), r"no solid element 99"),
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


FEB_LOSSES = [  # what decides the answer and has no counterpart
    ('<Loads><body_load type="centrifugal"/></Loads>', r'<body_load> of type "centrifugal" in <Loads>'),
    ('<Contact><contact type="tied-elastic" surface_pair="p"/></Contact>', r'of type "tied-elastic"'),
    ('<Constraints><constraint type="volume"/></Constraints>', r'<constraint> of type "volume" in <Constraints>'),
    ('<Initial><ic type="initial velocity" node_set="top"/></Initial>', r"<Initial> in <febio_spec>"),
    ('<Discrete><discrete_material id="1" type="linear spring"/></Discrete>', r"<Discrete> in"),
    ('<MeshData><ElementData var="fiber"/></MeshData>', r"<MeshData> in"),
    ('<Loads><surface_load type="pressure" surface="top"><pressure>1</pressure><linear>1</linear>'
     "</surface_load></Loads>", r"a linear pressure"),
    ('<Loads><surface_load type="traction" surface="top"><traction>1,0,0</traction><linear>1</linear>'
     "</surface_load></Loads>", r"a linear traction"),
    ('<Loads><surface_load type="fluidflux" surface="top"/></Loads>', r'of type "fluidflux"'),
]
INP_LOSSES = [
    ("*TIE\na, b\n", r"\*TIE is not carried over: surfaces cannot be tied"),
    ("*EQUATION\n2\n1, 1, 1., 2, 1, -1.\n", r"\*EQUATION is not carried over"),
    ("*TEMPERATURE\ntop, 20.\n", r"\*TEMPERATURE is not carried over"),
    ("*DLOAD\nAll, CENTRIF, 1., 0, 0, 0, 0, 0, 1\n", r"kind CENTRIF is not carried over"),
    ("*DLOAD\nTOP, GRAV, 1., 0, 0, -1\n", r"gravity on .* whose elements share nodes"),
    ("*DLOAD\nAll, P1, 3.\n", r"a pressure on .*expected faces that are all on the surface"),
    ("*CLOAD, FOLLOWER\ntop, 3, 1.\n", r"the parameter FOLLOWER of \*CLOAD is not read"),
    ("*BOUNDARY, FIXED\ntop, 1\n", r"the parameter FIXED of \*BOUNDARY"),
    ("*FREQUENCY\n10\n", r"\*FREQUENCY is not carried over"),
]


def check_losses(checks, folder):
    """What decides the answer is refused, or with --lenient left out and told."""
    cases = [("w.feb", feb(more=more + "\n"), pattern) for more, pattern in FEB_LOSSES]
    cases += [("w.inp", inp(more=more), pattern) for more, pattern in INP_LOSSES]
    cases += [
        ("w.inp", edited(inp(), ("*SOLID", "*ELEMENT, TYPE=SPRINGA, ELSET=S\n99, 1, 2\n*SOLID")),
         r"elements of type SPRINGA"),
        ("w.inp", edited(inp(), ("*STEP", "*INITIAL CONDITIONS, TYPE=VELOCITY\ntop, 1, 2.\n*STEP")),
         r"\*INITIAL CONDITIONS of type VELOCITY"),
        ("w.inp", inp(material="*PLASTIC\n3., 0.\n*ELASTIC\n3000, 0.4"), r"\*PLASTIC is not carried"),
        ("w.inp", inp(material="*DAMPING, ALPHA=2.\n*ELASTIC\n3000, 0.4"), r"\*DAMPING is not"),
        ("w.feb", feb(material=('type="Veronda-Westmann"', "<density>1</density><c1>10</c1><c2>2</c2>"
                                "<k>1000</k>")), r"those of C here"),
        ("w.feb", feb(material=(GEL[0], GEL[1].replace("<c1>", '<c1 lc="1">'))), r"changes in time"),
        ("w.feb", feb(material=(GEL[0], GEL[1] + "<c9>1</c9>")), r"<c9> in <material>"),
        ("w.feb", edited(feb(analysis="DYNAMIC"), ("LINEAR", "SMOOTH")), r"not straight between"),
        ("w.feb", edited(feb(), ("<pt>1,1</pt>", "<pt>0.7,1</pt>"), ("<points>",
         "<extend>EXTRAPOLATE</extend><points>")), r"goes on behind its last point"),
    ]
    for name, text, pattern in cases:
        (folder / name).write_text(text)
        ways = [["convert", name, "never.yaml"], ["run", name, "-o", "never"], ["check", name]]
        for words in ways if "TIE" in pattern else ways[:1]:
            done = palpate(*words, cwd=folder)
            checks.equal(done.returncode, 2, *words, pattern, done.stderr)
            checks.true(re.search(rf"^{name}:\d+: .*{pattern}.*; --lenient runs without it$",
                                  done.stderr.strip()), pattern, "in", done.stderr)
            checks.true(not (folder / "never").exists() and not (folder / "never.yaml").exists(),
                        "left something behind", pattern)
        done, scene = convert(folder, name, text, "--lenient")
        checks.equal(done.returncode, 0, "lenient", pattern, done.stderr)
        checks.true(re.search(rf"warning: {name}:\d+: .*{pattern}", done.stderr), pattern, done.stderr)
        checks.true(re.search(rf"# {name}:\d+: .*{pattern}", scene), pattern, "in the scene")
        if "TIE" in pattern:
            done = palpate("check", name, "--lenient", cwd=folder)
            checks.equal(done.returncode, 0, "lenient check", pattern, done.stderr)
    # the summary of a lenient run lists what was lost, no other has the key
    (folder / "w.inp").write_text(inp(more="*TIE\na, b\n*EQUATION\n2\n1, 1, 1., 2, 1, -1.\n"))
    done = palpate("run", "w.inp", "-o", "lenient", "--lenient", cwd=folder)
    checks.equal(done.returncode, 0, "lenient run", done.stderr)
    lost = summary(folder / "lenient")["lenient"]
    checks.true(len(lost) == 2 and "*TIE" in lost[0] and "*EQUATION" in lost[1], lost)
    checks.equal(done.stdout.count("lenient "), 2, "told at the end", done.stdout)
    checks.true("lenient" not in summary(folder / "out-cube.inp"), "lenient where nothing was lost")
    done = palpate("run", "w.inp", "-o", "never", "--lenient", "--strict", cwd=folder)
    checks.equal(done.returncode, 2, "lenient and strict", done.stderr)
    done = palpate("convert", "cube.inp", "mesh.vtu", "--lenient", cwd=folder)
    checks.equal(done.returncode, 2, "lenient and a mesh", done.stderr)


def check_decoration(checks, folder):
    """What does not change the answer is told, and no reason to refuse."""
    text = inp(more="*OUTPUT, FIELD\n*NODE OUTPUT\nU\n*NODE PRINT, NSET=top\nU\n*RESTART, WRITE\n"
                    "*CONTROLS, RESET\n")
    done, scene = convert(folder, "d.inp", text)
    checks.equal(done.returncode, 0, done.stderr)
    checks.true(re.search(r"d.inp:\d+: what does not change the answer is left out: \*OUTPUT, \*NODE "
                          r"OUTPUT, \*NODE PRINT, \*RESTART, \*CONTROLS$", done.stderr.strip()),
                done.stderr)
    done = palpate("run", "d.inp", "-o", "decorated", "-q", cwd=folder)
    checks.equal(summary(folder / "decorated")["state_hash"],
                 summary(folder / "out-cube.inp")["state_hash"], "decoration")
    for command in (("run", "d.inp", "-o", "strictly", "-q"), ("convert", "d.inp", "strictly.yaml"),
                    ("check", "d.inp")):
        done = palpate(*command, "--strict", cwd=folder)
        checks.equal(done.returncode, 0, "decoration is no reason to refuse", command, done.stderr)
    text = edited(feb(), ("</Mesh>", '<DiscreteSet name="unused"><delem>1,2</delem></DiscreteSet></Mesh>'))
    done, scene = convert(folder, "d.feb", text)
    checks.equal(done.returncode, 0, done.stderr)
    checks.true("<DiscreteSet> in <Mesh> is not carried over" in done.stderr, done.stderr)


def main():
    checks = Checks()
    folder = fresh("models")
    check_versions(checks, folder)
    check_dynamics(checks, folder)
    check_quadratic(checks, folder)
    check_laws(checks, folder)
    check_own_name(checks, folder)
    check_taken_names(checks, folder)
    check_odd_names(checks, folder)
    check_body_loads(checks, folder)
    check_refusals(checks, folder)
    check_losses(checks, folder)
    check_decoration(checks, folder)
    checks.finish()


main()
