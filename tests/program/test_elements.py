"""Bodies of t10 and mixed in whole runs: contact, probes, quadratic meshes, resumed to the same bits."""
import os
import pathlib
import signal

from program import Checks, fingerprint, fresh, history, palpate, summary

STOP_AT_CALL = pathlib.Path(os.environ["PAL_BUILD"]) / "tests/stop_at_call.so"

# A ball that falls on a block without weight, and springs back.
FALL = """\
name: fall
bodies:
  - name: block
    shape: {box: [0.04, 0.04, 0.01], cells: [6, 6, 2]}
    element: BLOCK
    material: {law: neo-hookean, shear: 1000, bulk: 20000, density: 1000}
  - name: ball
    shape: {sphere: 0.01, cells: [6]}
    element: BALL
    place: {translate: [0, 0, 0.0153]}
    velocity: [0, 0, -0.3]
    material: {law: neo-hookean, shear: 1000, bulk: 20000, density: 1000}
conditions:
  - {body: block, where: {plane: z-min}, fix: xyz}
contact:
  - {between: all}
solver: {method: explicit, time: 0.04}
probes:
  - {name: push, between: [ball, block], record: force}
  - {name: top, body: ball, where: {point: [0, 0, 0.0253]}, record: displacement}
  - {name: foot, body: block, where: {plane: z-min}, record: force}
output: {every: 0.002, history: 0.0001, checkpoint: 0, report: false}
"""

# A block pressed until it bulges, in ten steps.
PRESS = """\
name: press
bodies:
  - name: block
    shape: {box: [1, 1, 1], cells: [3, 3, 3]}
    element: ELEMENT
    material: {law: neo-hookean, shear: 100, bulk: 5000, density: 1}
conditions:
  - {body: block, where: {plane: z-min}, fix: xyz}
  - {body: block, where: {plane: z-max}, displace: [0.1, 0, -0.3]}
solver: {method: implicit-static, steps: 10}
output: {report: false, checkpoint: 0}
"""


def impulse(rows, column):
    """The sum of a force over time, by the trapezoidal rule."""
    points = [(float(row["time"]), float(row[column])) for row in rows]
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:]))


def check_contact(checks, work, block, ball):
    """What the block gives the ball is what turns it round; nothing passes through."""
    name = f"{ball}-on-{block}"
    scene, folder = work / f"{name}.yaml", work / name
    scene.write_text(FALL.replace("BLOCK", block).replace("BALL", ball))
    done = palpate("run", scene, "-o", folder, "-q")
    checks.equal(done.returncode, 0, name, done.stderr)
    end, rows = summary(folder), history(folder)
    checks.equal(end["intersections"], 0, name, "crossings")
    checks.true(abs(end["energy"]["worst_drift"]) < 1e-3, name, "energy", end["energy"])
    velocity = end["bodies"]["ball"]["velocity"][2]
    checks.true(velocity > 0.1, name, "springs back by", velocity)
    mass = end["momentum"]["initial"][2] / -0.3
    given = mass * (velocity + 0.3)
    checks.true(abs(impulse(rows, "push.z") / given - 1) < 0.03, name, "impulse",
                impulse(rows, "push.z"), "of", given)
    checks.true(float(rows[-1]["top.z"]) > min(float(row["top.z"]) for row in rows) + 1e-3, name,
                "the top has turned back")
    return scene, folder


def check_resumed(checks, scene, whole, calls):
    """Killed, and resumed with another number of threads: the same bits."""
    killed = whole.parent / (whole.name + "-killed")
    done = palpate("run", scene, "-o", killed, "-q", "--threads", "2",
                   env={"LD_PRELOAD": str(STOP_AT_CALL), "STOP_CALLS": str(calls),
                        "STOP_SIGNALS": str(int(signal.SIGKILL))})
    checks.equal(done.returncode, -signal.SIGKILL, killed.name, done.stderr)
    done = palpate("run", scene, "-o", killed, "-q", "--resume", "--threads", "1")
    checks.equal(done.returncode, 0, killed.name, done.stderr)
    checks.equal(fingerprint(killed), fingerprint(whole), killed.name, "the result")


def check_statics(checks, work, element):
    scene, folder = work / f"press-{element}.yaml", work / f"press-{element}"
    scene.write_text(PRESS.replace("ELEMENT", element))
    done = palpate("run", scene, "-o", folder, "-q", "--threads", "1")
    checks.equal(done.returncode, 0, element, done.stderr)
    check_resumed(checks, scene, folder, 25)


def check_quadratic(checks, work):
    """A mesh made quadratic has nodes on its edges, and is read as such from every format."""
    (work / "tets.msh").write_text(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
        "5 1 1 1\n$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 2 3 4 5\n$EndElements\n")
    for kind in ("msh", "vtu", "inp"):
        done = palpate("convert", "tets.msh", f"quadratic.{kind}", "--quadratic", cwd=work)
        checks.equal(done.returncode, 0, kind, done.stderr)
        scene = work / f"quadratic-{kind}.yaml"
        scene.write_text(
            f"bodies:\n  - {{name: two, mesh: quadratic.{kind}, element: t10, material: "
            "{law: neo-hookean, shear: 1, bulk: 10, density: 2}}\n"
            "solver: {method: explicit, time: 0.01}\n")
        done = palpate("check", scene)
        checks.equal(done.returncode, 0, kind, done.stderr)
        # nine edges, and 1/6 + 1/3 of a unit cube
        checks.true("14 nodes, 2 elements t10, volume 0.5, mass 1" in done.stdout, kind, done.stdout)


def main():
    checks = Checks()
    work = fresh("elements")
    scene, folder = check_contact(checks, work, "t10", "mixed")
    check_resumed(checks, scene, folder, 60)
    check_contact(checks, work, "mixed", "t10")
    for element in ("t10", "mixed"):
        check_statics(checks, work, element)
    check_quadratic(checks, work)
    checks.finish()


main()
