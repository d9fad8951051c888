"""What `check` advises, followed: it has to work."""
import re

from program import ROOT, Checks, fresh, palpate, said, summary

# A plate that bends most easily across, nearly incompressible.
PLATE = """\
name: plate
bodies:
  - name: plate
    shape: {box: [0.1, 0.04, 0.01], cells: [10, 4, 1]}
    element: h8
    material: {law: neo-hookean, shear: 2000, bulk: 2e6, density: 1000}
conditions:
  - {body: plate, where: {plane: x-min}, fix: xyz}
  - {body: plate, where: {plane: x-max}, force: [0, 0, -0.02]}
solver: {method: explicit, time: 1}
probes:
  - {name: tip, body: plate, where: {plane: x-max}, record: displacement}
output: {report: false}
"""

# A tool that falls on tissue on a table.
DROP = """\
name: drop
bodies:
  - name: tissue
    shape: {box: [0.06, 0.06, 0.02], cells: [6, 6, 2]}
    place: {translate: [0, 0, 0.0101]}
    material: {law: neo-hookean, young: 5000, poisson: 0.3, density: 1060}
rigid:
  - {name: table, shape: {box: [0.2, 0.2, 0.01]}, place: {translate: [0, 0, -0.005]}}
  - {name: tool, shape: {sphere: 0.006}, place: {translate: [0, 0, 0.03]}, mass: 0.03}
conditions:
  - {gravity: [0, 0, -9.81]}
contact:
  - {between: all, friction: 0.3}
solver: {method: explicit, time: 0.5, damping: 2}
"""

# A ball drawn through a slab, hardly wider than the slab's cells.
PLOUGH = """\
name: plough
bodies:
  - name: slab
    shape: {box: [4, 2, 1], cells: [16, 8, 4]}
    material: {law: neo-hookean, young: 1000, poisson: 0.4, density: 1}
rigid:
  - {name: ball, shape: {sphere: 0.6}, place: {translate: [-1, 0, 1.11]}, motion: {translate: [2, 0, -0.1]}}
conditions:
  - {body: slab, where: {plane: z-min}, fix: xyz}
contact:
  - {between: [ball, slab], friction: 0.5}
solver: {method: implicit-static, time: 1}
"""


def tip(checks, scene, folder, *sets):
    done = palpate("run", scene, "-o", folder, "-q", *[f"--set={one}" for one in sets])
    checks.equal(done.returncode, 0, folder.name, done.stderr)
    return summary(folder)["probes"]["tip"][2]


def check_plate(checks, work):
    """The damping and end that `check` names lead to what statics finds, and then it is content."""
    scene = work / "plate.yaml"
    scene.write_text(PLATE)
    text = said(palpate("check", scene))
    checks.true("change until the end, so that bodies are still moving then" in text, text)
    found = re.search(r"use method: implicit-static or relaxation \(with hourglass-control: "
                      r"bending, as now\), or solver: \{span: (\S+), damping: (\S+), "
                      r"time: (\S+)\}", text)
    if not checks.true(found is not None, text):
        return
    advised = [f"solver.{key}={value}" for key, value in
               zip(("span", "damping", "time"), found.groups())]
    again = said(palpate("check", scene, *[f"--set={one}" for one in advised]))
    checks.true("for a state of rest" not in again, again)
    bending = "bodies.0.hourglass-control=bending"
    at_rest = tip(checks, scene, work / "statics", bending, "solver.method=implicit-static")
    relaxed = tip(checks, scene, work / "relaxed", bending, "solver.method=relaxation")
    damped = tip(checks, scene, work / "damped", *advised)
    checks.true(abs(relaxed - at_rest) < 1e-4 * abs(at_rest), "relaxation", relaxed, at_rest)
    checks.true(abs(damped - at_rest) < 0.01 * abs(at_rest), "damping", damped, at_rest)


def check_drop(checks, work):
    """No method that refuses the scene is named, and no damping that would brake the fall."""
    scene = work / "drop.yaml"
    scene.write_text(DROP)
    text = said(palpate("check", scene))
    checks.true('"tool" moves freely, and damping would brake its fall' in text, text)
    checks.true("method: " not in text and "damping: " not in text, text)
    # what only contact holds can be relaxed, but not be braked
    lines = [line for line in DROP.splitlines() if "tool" not in line]
    scene.write_text("\n".join(lines) + "\n")
    text = said(palpate("check", scene))
    found = re.search(r"for a state of rest use method: (\S+)(?: or (\S+))?", text)
    if checks.true(found is not None and "damping: " not in text, text):
        for method in filter(None, found.groups()):
            done = palpate("check", scene, f"--set=solver.method={method}")
            checks.equal(done.returncode, 0, method, done.stdout + done.stderr)


def check_steps(checks, work):
    """Steps that instruments with friction need are counted: there are no fewer, and not many more."""
    scene = ROOT / "scenes" / "retractor.yaml"
    text = said(palpate("check", scene))
    found = re.search(r"at least (\d+) steps until time 1, as instruments with friction go \S+ at "
                      r"most in each", text)
    if not checks.true(found is not None and "if all steps are like the first ones" in text, text):
        return
    done = palpate("run", scene, "-o", work / "retractor", "-q", "--set=output.report=false")
    checks.equal(done.returncode, 0, "the retractor", done.stderr)
    told = summary(work / "retractor")
    checks.true(int(found[1]) <= told["steps"] <= 1.5 * int(found[1]), found[1], told["steps"])
    checks.equal(told["retries"], 0, "steps tried in vain")
    # what bodies do to themselves does not bind an instrument without friction
    scene = work / "smooth.yaml"
    rough = PLOUGH.replace("friction: 0.5}", "friction: 0}\n  - {self: slab, friction: 0.3}")
    for text, bound in ((PLOUGH, True), (rough, False)):
        scene.write_text(text)
        checks.equal("as instruments with friction" in said(palpate("check", scene)), bound, "bound")


def check_fast_instruments(checks, work):
    """Many more steps than were asked for, for an instrument's way, are warned of, in runs as well."""
    scene = work / "fast.yaml"
    scene.write_text(PLOUGH)
    far = ("--set", "rigid.0.motion.translate=[400, 0, 0]")
    hint = re.compile(r'rigid "ball" goes 400 until time \S+, and instruments with friction go (\S+) at most in a step '
                      r"of method implicit-static: that takes (\S+) steps or more")
    found = hint.search(said(palpate("check", scene, *far)))
    if checks.true(found is not None, "a way of 400"):
        steps = int(found[2].replace(",", ""))
        checks.true(abs(steps * float(found[1]) / 400 - 1) < 0.01, found[0])
    smooth = said(palpate("check", scene, *far, "--set", "contact.0.friction=0"))
    checks.true("steps or more" not in smooth, "no friction")
    checks.true("steps or more" not in said(palpate("check", scene)), "as it is")
    done = palpate("run", scene, *far, "-o", work / "fast", "--set", "output.report=false", "--strict")
    checks.true(hint.search(" ".join(done.stderr.split())) is not None, "at the start of a run", done.stderr)


def check_few_edges(checks, work):
    """What slides by friction over few edges is told of, where steps tell in where it hangs."""
    scene = work / "plough.yaml"
    scene.write_text(PLOUGH)
    hint = re.compile(r'rigid "ball" has a radius of only (\S+) edges of body "slab", and friction 0.5')
    found = hint.search(said(palpate("check", scene)))
    checks.true("Peaks between the ends of steps are not seen" in said(palpate("check", scene)), "its peaks")
    if checks.true(found is not None, "a ball hardly wider than cells"):
        checks.true(1.7 < float(found[1]) < 2.4, "its radius", found[1])
    for change in ("contact.0.friction=0", "bodies.0.shape.cells=[28, 14, 7]", "solver.method=explicit",
                   "rigid.0.motion.translate=[0, 0, -0.1]"):
        checks.true(not hint.search(said(palpate("check", scene, f"--set={change}"))), change)


def check_vademecums(checks, work):
    """Loads that hardly any nodes share, as with a patch in other units, are warned of before they are computed."""
    scene = work / "loads.yaml"
    scene.write_text(PLATE.replace("element: h8", "element: t4")
                     + "vademecum: {body: plate, where: {plane: z-max}, patch: 0.015, largest: 0.1}\n")
    found = re.compile(r'(note|warning): vademecum of body "plate": loads at up to (\d+) places, (\d+) nodes? of the')
    told = found.search(said(palpate("check", scene)))
    if checks.true(told is not None, "a patch of one and a half edges"):
        # half of 11 by 5 nodes are at the rim, with 6 nodes around them above, and 4 below
        checks.equal(told.groups(), ("note", "55", "10"), "its loads")
    told = found.search(said(palpate("check", scene, "--set", "vademecum.patch=0.000015")))
    checks.equal(told and told.groups(), ("warning", "55", "1"), "a patch in other units")
    done = palpate("check", scene, "--set", "vademecum=null")
    checks.true("vademecum" not in said(done), "a scene without one")


def main():
    checks = Checks()
    work = fresh("advice")
    check_plate(checks, work)
    check_drop(checks, work)
    check_steps(checks, work)
    check_fast_instruments(checks, work)
    check_few_edges(checks, work)
    check_vademecums(checks, work)
    checks.finish()


if __name__ == "__main__":
    main()
