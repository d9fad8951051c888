"""What models of FEBio and Abaqus say besides one body at rest: loads, steps, files, contact, rigid bodies."""
import re

from models import GEL, HEXES, NODES, TOP, convert, edited, feb, feb_boundary, inp, listed
from program import Checks, fresh, palpate, summary

ELASTIC = "*ELASTIC\n3000, 0.3"


def expect(checks, folder, name, text, *pieces, options=()):
    """Converts; the scene has all pieces."""
    done, scene = convert(folder, name, text, *options)
    checks.equal(done.returncode, 0, name, done.stderr)
    flat = re.sub(r"\s+", " ", scene)
    for piece in pieces:
        checks.true(piece in flat, piece, "in", scene)
    return scene


def refuse(checks, folder, name, text, pattern):
    done, _ = convert(folder, name, text)
    checks.equal(done.returncode, 2, pattern, done.stderr)
    checks.true(re.match(pattern, done.stderr), pattern, "in", done.stderr)


def run(checks, folder, name, *options):
    done = palpate("run", name, "-o", "run-" + name, "-q", *options, cwd=folder)
    checks.equal(done.returncode, 0, "run", name, done.stderr)
    return summary(folder / ("run-" + name)) if done.returncode == 0 else {}


def near(checks, one, other, what, share=1e-3):
    checks.true(abs(one - other) <= share * max(abs(one), abs(other)), what, one, other)


def check_pressures(checks, folder):
    """Faces of elements, by sets or one by one, are the surface of the same faces."""
    hashes = {}
    for name, loads in (("surface", "*DSLOAD\nTop, P, 3."), ("short", "*DSLOAD\nTop, 3."),
                        ("set", "*DLOAD\nTOP, P2, 3."),
                        ("single", "*DLOAD\n5, P2, 3.\n6, P2, 3.\n7, P2, 3.\n8, P2, 3."),
                        ("grown", "*DLOAD, AMPLITUDE=ramp\nTOP, P2, 3.")):
        scene = expect(checks, folder, name + ".inp", inp(loads=loads), "pressure: 3")
        checks.equal(scene.count("pressure: "), 1, name, scene)
        hashes[name] = run(checks, folder, name + ".inp")["state_hash"]
    checks.equal(len(set(hashes.values())), 1, hashes)
    expect(checks, folder, "two.inp", inp(loads="*DLOAD\n5, P2, 3.\n6, P2, 4."), "pressure: 3",
           "pressure: 4")
    expect(checks, folder, "g.inp", inp(loads="*DLOAD\nAll, GRAV, 9.81, 0, 0, -2"),
           "{body: body, gravity: [0, 0, -9.81], ramp: linear}")
    refuse(checks, folder, "p.inp", inp(loads="*DLOAD\nAll, P9, 3."), r"p.inp:\d+: a load of kind P9")
    refuse(checks, folder, "p.inp", inp(loads="*DLOAD\nx0, P2, 3."), r"p.inp:\d+: a pressure on .x0., which has no")
    refuse(checks, folder, "p.inp", inp(loads="*DLOAD\nTOP, P2"), r"p.inp:\d+: a distributed load without")
    refuse(checks, folder, "p.inp", inp(loads="*DLOAD\nTOP, P2, 3., 7"), r"p.inp:\d+: a distributed load with more")


def check_files(checks, folder):
    """*INCLUDE: beside the file that names it, as deep as 16, not in a circle; messages name files."""
    whole = inp()
    mesh, rest = whole.split("*SOLID SECTION", 1)
    material, steps = rest.split("*AMPLITUDE", 1)
    (folder / "parts" / "deep").mkdir(parents=True)
    (folder / "parts" / "mesh.inp").write_text(mesh.split("*NSET")[0] + "*INCLUDE, INPUT=deep/sets.inp")
    (folder / "parts" / "deep" / "sets.inp").write_text("*NSET" + mesh.split("*NSET", 1)[1])
    (folder / "parts" / "steps.inp").write_text("*AMPLITUDE" + steps)
    joined = ('*Include, input="parts/mesh.inp"\n*SOLID SECTION' + material
              + "*INCLUDE,\nINPUT=parts/steps.inp")
    (folder / "whole.inp").write_text(whole)
    (folder / "joined.inp").write_text(joined)
    checks.equal(run(checks, folder, "joined.inp")["state_hash"],
                 run(checks, folder, "whole.inp")["state_hash"], "in one file or in four")
    done = palpate("convert", "joined.inp", "joined.vtu", cwd=folder)
    checks.equal(done.returncode, 0, "mesh of several files", done.stderr)
    last = len(("*AMPLITUDE" + steps).splitlines())
    cases = [
        ("parts/steps.inp", "*AMPLITUDE" + steps.replace("*BOUNDARY", "*TIE\na, b\n*BOUNDARY", 1),
         r"parts/steps.inp:6: \*TIE"),
        ("parts/steps.inp", "*AMPLITUDE" + steps + "*CLOAD\nnowhere, 1, 1.",
         rf"parts/steps.inp:{last + 2}: there is no set"),
        ("parts/deep/sets.inp", "*NSET, NSET=bottom\n999\n", r"parts/deep/sets.inp:2:1: there is no node"),
        ("parts/deep/sets.inp", "*INCLUDE, INPUT=../mesh.inp", r"parts/deep/sets.inp:1: \*INCLUDE of "
         r"'parts/deep/../mesh.inp': a file that includes itself"),
        ("parts/deep/sets.inp", "**\n*INCLUDE, INPUT=none.inp", r"parts/deep/sets.inp:2: \*INCLUDE of "
         r"'parts/deep/none.inp': No such file"),
        ("parts/deep/sets.inp", "*INCLUDE, INPUT=..", r"parts/deep/sets.inp:1: .*not a regular file"),
        ("parts/deep/sets.inp", "*INCLUDE\n", r"parts/deep/sets.inp:1: .*no file is named, expected INPUT="),
    ]
    for name, text, pattern in cases:
        before = (folder / name).read_text()
        (folder / name).write_text(text)
        done = palpate("convert", "joined.inp", "never.yaml", cwd=folder)
        checks.equal(done.returncode, 2, pattern, done.stderr)
        checks.true(re.match(pattern, done.stderr), pattern, "in", done.stderr)
        (folder / name).write_text(before)
    for i in range(17):
        (folder / f"down-{i}.inp").write_text(f"*INCLUDE, INPUT=down-{i + 1}.inp\n")
    (folder / "down-17.inp").write_text(whole)
    done = palpate("convert", "down-0.inp", "never.yaml", cwd=folder)
    checks.true(re.match(r"down-16.inp:1: .*more than 16 files within files", done.stderr), done.stderr)
    done = palpate("convert", "down-1.inp", "deep.yaml", cwd=folder)
    checks.equal(done.returncode, 0, "16 files within files", done.stderr)


def static(loads, name="*STEP, NLGEOM=YES\n*STATIC\n0.1, "):
    return f"*END STEP\n{name}2.\n{loads}"


def check_steps(checks, folder):
    """Loads of several static steps: what holds at the end decides, and their ramps go through all of it."""
    first = "*CLOAD\ntop, 1, 0.5\n27, 3, 0.3\n*DLOAD\nTOP, P2, 3."
    text = inp(material=ELASTIC, loads=first, more=static("*CLOAD\ntop, 1, 2.\n"))
    expect(checks, folder, "mod.inp", text, "force: [2, 0, 0]", "ramp: [[0, 0], [1, 0.25], [3, 1]]",
           "force: [0, 0, 0.3]", "ramp: [[0, 0], [1, 1]]", "pressure: 3",
           "solver: {method: relaxation, time: 3}")
    once = inp(material=ELASTIC, loads=first.replace("0.5", "2."))
    (folder / "once.inp").write_text(once)
    near(checks, run(checks, folder, "mod.inp")["energy"]["strain"],
         run(checks, folder, "once.inp")["energy"]["strain"], "two steps and one")
    text = inp(material=ELASTIC, loads=first, more=static("*CLOAD, OP=NEW\ntop, 2, 1.\n"
                                                          "*BOUNDARY\nbottom, 3, 3, -0.1\n"))
    scene = expect(checks, folder, "new.inp", text, "force: [0, 1, 0]", "ramp: [[0, 0], [1, 0], [3, 1]]",
                   "pressure: 3", "displace: [null, null, -0.1]")
    checks.equal(scene.count("force: "), 1, "forces that are gone", scene)
    text = inp(material=ELASTIC, loads="*BOUNDARY\ntop, 3, 3, 0.2",
               more=static("*BOUNDARY, OP=NEW\nbottom, ENCASTRE\n"))
    scene = expect(checks, folder, "free.inp", text, "where: {group: bottom}, fix: xyz")
    checks.true("displace" not in scene and scene.count("fix") == 1, "what is free in the end", scene)
    text = edited(inp(material=ELASTIC, loads="*CLOAD, AMPLITUDE=ramp\ntop, 1, 4.",
                      more=static("*CLOAD, AMPLITUDE=ramp\ntop, 1, 8.\n")),
                  ("0., 0., 1., 1.", "0., 0., 0.5, 1., 1., 0.25"))
    expect(checks, folder, "table.inp", text, "force: [8, 0, 0]",
           "ramp: [[0, 0], [0.5, 0.5], [1, 0.125], [1.000000001, 0], [1.5, 1], [2, 0.25], [3, 0.25]]")
    part = inp(material=ELASTIC, loads="*CLOAD\ntop, 1, 1.", more=static("*CLOAD\n27, 1, 2.\n"))
    refuse(checks, folder, "part.inp", part, r"part.inp:\d+: this changes a part of what line \d+ says")
    free = inp(step="*DYNAMIC\n0.1, 1.", more=static("*BOUNDARY, OP=NEW\nbottom, 3\n",
                                                    "*STEP, NLGEOM=YES\n*DYNAMIC\n0.1, "))
    refuse(checks, folder, "loose.inp", free, r"loose.inp:\d+: OP=NEW sets nodes free during a dynamic")
    push = inp(step="*DYNAMIC\n0.1, 1.", loads="*CLOAD\ntop, 1, 1.",
               more=static("*CLOAD\ntop, 1, 2.\n", "*STEP, NLGEOM=YES\n*DYNAMIC\n0.1, "))
    expect(checks, folder, "push.inp", push, "solver: {method: explicit, time: 3}", "force: [2, 0, 0]")
    twice = inp(loads="*BOUNDARY\ntop, 3, 3, 0.1\ntop, 3, 3, 0.2")
    refuse(checks, folder, "twice.inp", twice, r"twice.inp:\d+: a second value for the same nodes")


def two_cubes(gap=0.01):
    """The cube and another above it, in one file of Abaqus."""
    count = len(NODES)
    text = edited(inp(material=ELASTIC, loads=""), ("*ELEMENT", "".join(
        f"{count + i + 1}, {x}, {y}, {z + 1 + gap}\n" for i, (x, y, z) in enumerate(NODES)) + "*ELEMENT"))
    text = edited(text, ("*NSET, NSET=bottom", "".join(
        f"{len(HEXES) + i + 1}, {listed(n + count for n in h)}\n" for i, h in enumerate(HEXES))
        + "*NSET, NSET=bottom"))
    above = "*NSET, NSET=lid\n" + listed(n + count for n in range(19, 28)) + "\n"
    return edited(text, ("*SOLID", above + "*ELSET, ELSET=low\n9, 10, 11, 12\n"
                         "*SURFACE, NAME=Under\nlow, S1\n*SOLID"))


def check_contact(checks, folder):
    """Surfaces that touch: their bodies are apart and named in contact."""
    pair = ("*SURFACE INTERACTION, NAME=I\n*FRICTION\n0.3\n*SURFACE BEHAVIOR, "
            "PRESSURE-OVERCLOSURE=HARD\n*CONTACT PAIR, INTERACTION=I\nUnder, Top\n*STEP")
    press = "*BOUNDARY\nlid, 1, 2\nlid, 3, 3, -0.05\n*END STEP"
    text = edited(two_cubes(), ("*STEP", pair), ("*END STEP", press))
    scene = expect(checks, folder, "pair.inp", text, "between: [part-1, part-2], friction: 0.3",
                   "name: part-2 mesh: pair.inp-part-2.inp", "body: part-1", "body: part-2")
    checks.equal(scene.count("displace"), 1, "only what is there", scene)
    done = run(checks, folder, "pair.inp")
    checks.equal(done["state_hash"], run(checks, folder, "pair.inp.yaml")["state_hash"], "as a scene")
    checks.true(done["energy"]["strain"] > 0 and done["penetration"]["final"] == 0, done["energy"])
    general = edited(two_cubes(), ("*STEP", "*SURFACE INTERACTION, NAME=I\n*FRICTION\n0.2\n*CONTACT\n"
                                   "*CONTACT INCLUSIONS, ALL EXTERIOR\n*CONTACT PROPERTY ASSIGNMENT\n"
                                   ", , I\n*STEP"))
    expect(checks, folder, "all.inp", general, "between: all, friction: 0.2", "self: all, friction: 0.2")
    soft = edited(text, ("=HARD", "=EXPONENTIAL\n0.1, 1."))
    refuse(checks, folder, "soft.inp", soft, r"soft.inp:\d+: contact with a pressure-overclosure of EXPON")
    refuse(checks, folder, "no.inp", edited(text, ("INTERACTION=I\n", "INTERACTION=J\n")),
           r'no.inp:\d+: there is no interaction "J"')


def check_rigid_nodes(checks, folder):
    """*RIGID BODY of nodes: they do what their reference does, if all of that is given."""
    more = "*RIGID BODY, NSET=top, REF NODE=901, ROT NODE=902\n*SOLID"
    nodes = ("*ELEMENT", "901, 0.5, 0.5, 2.\n902, 0.5, 0.5, 2.\n*ELEMENT")
    lead = "*BOUNDARY\n901, 1, 2\n901, 3, 3, -0.1\n902, 1, 3"
    text = edited(inp(material=ELASTIC, loads=lead), nodes, ("*SOLID", more))
    expect(checks, folder, "ref.inp", text, "where: {group: top}, fix: xy}",
           "where: {group: top}, displace: [null, null, -0.1]")
    run(checks, folder, "ref.inp")
    for change, pattern in ((("902, 1, 3", "902, 1, 2"), "is free to move"),
                            (("902, 1, 3", "902, 1, 2\n902, 3, 3, 0.2"), "turns"),
                            (("902, 1, 3", "902, 1, 3\n*CLOAD\n901, 1, 2."), "a force on the reference")):
        refuse(checks, folder, "ref.inp", edited(text, change), rf"ref.inp:\d+: .*{pattern}")


def feb_pair(version, kind, body, rigid, shell=False):
    """The cube under a plate of its own, in the words of a version."""
    count = len(NODES)
    plate = [(-0.2, -0.2), (1.2, -0.2), (1.2, 1.2), (-0.2, 1.2)]
    corners = [(x, y, z) for z in (1.01, 1.2) for x, y in plate]
    nodes = "".join(f'<node id="{count + i + 1}">{listed(x)}</node>' for i, x in enumerate(corners))
    ids = list(range(count + 1, count + 9))
    elements = (f'<Elements type="{"quad4" if shell else "hex8"}" name="plate"'
                f'{" mat=" + chr(34) + "2" + chr(34) if version == 2.5 else ""}><elem id="99">'
                f'{listed(ids[:4] if shell else ids)}</elem></Elements>')
    pair = {2.5: '<SurfacePair name="p"><master surface="top"/><slave surface="low"/></SurfacePair>'}.get(
        version, '<SurfacePair name="p"><primary>top</primary><secondary>low</secondary></SurfacePair>')
    tag = "</Geometry>" if version == 2.5 else "</Mesh>"
    text = edited(feb(version, boundary=feb_boundary(version, False), more=rigid + "\n"),
                  ("</Nodes>", nodes + "</Nodes>"), ("</Elements>", "</Elements>" + elements),
                  (tag, f'<Surface name="low"><quad4 id="1">{listed(ids[3::-1])}</quad4></Surface>{pair}{tag}'),
                  ("</Material>", f'<material id="2" name="steel" type="{kind}">{body}</material></Material>'))
    if version > 2.5:
        domain = "ShellDomain" if shell else "SolidDomain"
        text = edited(text, ("</MeshDomains>", f'<{domain} name="plate" mat="steel"/></MeshDomains>'))
    return text


SLIDING = ('<Contact><contact type="sliding-elastic" surface_pair="p"><penalty>1</penalty>'
           "<fric_coeff>0.25</fric_coeff></contact></Contact>")
LED = {2.5: '<Boundary><rigid_body mat="2"><fixed bc="x"/><fixed bc="y"/><fixed bc="Rx"/><fixed bc="Ry"/>'
            '<fixed bc="Rz"/><prescribed bc="z" lc="1">-0.05</prescribed></rigid_body></Boundary>',
       3.0: '<Rigid><rigid_constraint type="fix"><rb>2</rb><dofs>Rx,Ry,Ru,Rv,Rw</dofs></rigid_constraint>'
            '<rigid_constraint type="prescribe"><rb>2</rb><dof>Rz</dof><value lc="1">-0.05</value>'
            "</rigid_constraint></Rigid>",
       4.0: '<Rigid><rigid_bc type="rigid_fixed"><rb>steel</rb><Rx_dof>1</Rx_dof><Ry_dof>1</Ry_dof>'
            "<Ru_dof>1</Ru_dof><Rv_dof>1</Rv_dof><Rw_dof>1</Rw_dof></rigid_bc><rigid_bc "
            'type="rigid_displacement"><rb>steel</rb><dof>z</dof><value lc="1">-0.05</value></rigid_bc></Rigid>'}


def joined_boundary(text):
    """Of two sections <Boundary>, one."""
    return re.sub(r"</Boundary>\n(.*?)<Boundary>(.*?)</Boundary>", r"\2</Boundary>\n\1", text, count=1,
                  flags=re.S)


def check_febio_rigid(checks, folder):
    """A plate that is led presses a cube, in three versions; one simulation."""
    hashes = set()
    for version in (2.5, 3.0, 4.0):
        name = f"plate-{version}.feb"
        text = feb_pair(version, "rigid body", "<density>1</density>", LED[version] + SLIDING)
        if version == 2.5:
            text = joined_boundary(text)
        expect(checks, folder, name, text, "rigid: - name: steel surface:",
               "motion: [{translate: [0, 0, -0.05], ramp: [[0, 0], [1, 1]]}]",
               "between: [body, steel], friction: 0.25")
        hashes.add(run(checks, folder, name)["state_hash"])
    checks.equal(len(hashes), 1, hashes)
    led = LED[4.0]
    shell = feb_pair(4.0, "rigid body", "<density>1</density>", led + SLIDING, shell=True)
    expect(checks, folder, "shell.feb", shell, "between: [body, steel]")
    run(checks, folder, "shell.feb")
    turned = feb_pair(4.0, "rigid body", "<center_of_mass>0.5,0.5,1.1</center_of_mass>", edited(
        led, ("<Rw_dof>1</Rw_dof>", ""), ("</Rigid>", '<rigid_bc type="rigid_rotation"><rb>steel</rb>'
              '<dof>Rw</dof><value lc="1">3.141592653589793</value></rigid_bc></Rigid>')) + SLIDING)
    expect(checks, folder, "turned.feb", turned,
           "rotate: {axis: [0, 0, 3.141592653589793], degrees: 180, about: [0.5, 0.5, 1.1]}")
    loose = feb_pair(4.0, "rigid body", "", edited(led, ("<Rw_dof>1</Rw_dof>", "")) + SLIDING)
    refuse(checks, folder, "loose.feb", loose, r'loose.feb:\d+: the rigid body "steel" is free in turn of z')
    free = feb_pair(4.0, "rigid body", "<density>2</density>", '<Rigid><rigid_load type="rigid_force">'
                    '<rb>steel</rb><dof>Rz</dof><value lc="1">-3</value></rigid_load></Rigid>' + SLIDING)
    refuse(checks, folder, "free.feb", free, r'free.feb:\d+: the rigid body "steel" is free in a static')
    expect(checks, folder, "free.feb", free.replace("STATIC", "DYNAMIC"), "density: 2",
           "force: [0, 0, -3]", "ramp: [[0, 0], [1, 1]]")
    # two soft bodies
    soft = feb_pair(4.0, GEL[0][6:-1], GEL[1], SLIDING)
    expect(checks, folder, "soft.feb", soft, "between: [Part1, plate], friction: 0.25",
           "name: plate mesh: soft.feb-plate.inp")
    refuse(checks, folder, "pull.feb", soft.replace("<penalty>", "<tension>1</tension><penalty>"),
           r"pull.feb:\d+: a contact with <tension> 1")


def check_attached(checks, folder):
    """Nodes that go along with a rigid body that is told where to go."""
    attach = '<bc type="rigid" node_set="top"><rb>steel</rb></bc></Boundary>'
    text = edited(feb_pair(4.0, "rigid body", "", LED[4.0]), ("</Boundary>", attach))
    expect(checks, folder, "glued.feb", text, "where: {group: top}, fix: x}", 'where: {group: top}, fix: "y"}',
           "where: {group: top}, displace: [null, null, -0.05], ramp: [[0, 0], [1, 1]]")
    # a plate that shares its nodes with the cube
    shared = feb(4.0, boundary=feb_boundary(4.0, False), more=LED[4.0] + "\n")
    shared = edited(shared, ("</Elements>", '</Elements><Elements type="quad4" name="lid">' + "".join(
        f'<elem id="{90 + i}">{listed(q)}</elem>' for i, q in enumerate(TOP)) + "</Elements>"),
        ("</MeshDomains>", '<ShellDomain name="lid" mat="steel"/></MeshDomains>'),
        ("</Material>", '<material id="2" name="steel" type="rigid body"/></Material>'))
    expect(checks, folder, "shared.feb", shared, 'where: {group: "nodes on steel"}, fix: x}',
           'where: {group: "nodes on steel"} displace: [null, null, -0.05]')
    run(checks, folder, "shared.feb")
    turning = shared.replace("<Rw_dof>1</Rw_dof>", "").replace(
        "</Rigid>", '<rigid_bc type="rigid_rotation"><rb>steel</rb><dof>Rw</dof><value>1</value></rigid_bc></Rigid>')
    refuse(checks, folder, "shared.feb", turning, r"shared.feb:\d+: soft nodes go along with .*which turns")


def check_febio_loads(checks, folder):
    more = ('<Loads><surface_load type="traction" surface="top"><scale lc="1">2</scale>'
            "<traction>0,3,-1</traction></surface_load></Loads>\n")
    expect(checks, folder, "t.feb", feb(boundary=feb_boundary(4.0, False), more=more),
           'where: {group: "top surface"}, traction: [0, 6, -2], ramp: [[0, 0], [1, 1]]')


def check_febio_steps(checks, folder):
    """What a step adds ends with it: the last one and what is outside of all decide."""
    control = "<Control><analysis>STATIC</analysis><time_steps>10</time_steps><step_size>0.1</step_size></Control>"
    push = '<Loads><nodal_load type="nodal_force" node_set="top"><value lc="1">0,0,{}</value></nodal_load></Loads>'
    steps = f'<Step><step id="1">{control}{push.format(5)}</step><step id="2">{control}{push.format(7)}</step></Step>'
    text = edited(feb(boundary=feb_boundary(4.0, False), more=steps + "\n"), (
        "<max_refs>15</max_refs>", ""))
    text = re.sub(r"<Control>.*?</Control>\n", "", text, count=1)
    scene = expect(checks, folder, "s.feb", text, "solver: {method: relaxation, time: 2}",
                   "force: [0, 0, 7]")
    checks.true("force: [0, 0, 5]" not in scene, scene)
    refuse(checks, folder, "s.feb", text.replace("STATIC", "DYNAMIC"),
           r"s.feb:\d+: a dynamic step whose conditions end with it")
    mixed = text.replace("STATIC", "DYNAMIC", 1)
    refuse(checks, folder, "s.feb", mixed, r"s.feb:\d+: a dynamic step beside a static one")


def main():
    checks = Checks()
    folder = fresh("imports")
    for check in (check_pressures, check_files, check_steps, check_contact, check_rigid_nodes,
                  check_febio_rigid, check_attached, check_febio_loads, check_febio_steps):
        check(checks, folder)
    checks.finish()


main()
