"""A run that finds no equilibrium in contact says where, between whom and what to do, and keeps the
last state that was in balance: resuming goes on from there."""
import re
import shutil

from program import Checks, fingerprint, frames, fresh, history, palpate, summary

# A block whose middle is led down, through its own lower half, into one that is held everywhere.
LED = """\
name: led
bodies:
  - name: target
    shape: {box: [1, 1, 0.5], cells: [4, 4, 2]}
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
  - name: driver
    shape: {box: [0.5, 0.5, 0.5], cells: [3, 3, 3]}
    place: {translate: [0.01, 0.02, 0.51]}
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
conditions:
  - {body: target, where: all, fix: xyz}
  - {body: driver, where: {box: [[-0.1, -0.1, 0.4], [0.12, 0.12, 0.6]]}, displace: [0, 0, -0.6], ramp: linear}
contact:
  - {between: all, friction: 0.1}
  - {response: barrier}
solver: {method: implicit-static, time: 1, step: 0.1}
output: {report: false}
"""

# A ball far above a slab that turns at once.
TURNS = """\
name: turns
bodies:
  - name: slab
    shape: {box: [4, 2, 1], cells: [4, 2, 1]}
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
rigid:
  - name: ball
    shape: {sphere: 0.6}
    place: {translate: [-1, 0, 5]}
    motion:
      rotate: {axis: [0, 0, 1], degrees: 90, about: [-1, 0, 5]}
      ramp: [[0, 0], [0.5, 0], [0.50000000001, 1], [1, 1]]
conditions:
  - {body: slab, where: {plane: z-min}, fix: xyz}
contact:
  - {between: [ball, slab], friction: 0}
solver: {method: METHOD, time: 1, step: 0.1}
output: {report: false}
"""

GAP = r'the nearest contact is of "driver" and "target", .* at \(.*\), with a gap of (\S+), where contact begins at (\S+);'
DEPTH = r'the deepest contact is of "(?:driver|target)" in "(?:target|driver)", at \(.*\), (\S+) deep;'
HEAD = r"palpate: no equilibrium after time (\S+) \(of 1\), step (\d+): "


def fail(checks, scene, folder, *options):
    """Runs what must fail; returns the one line that it says."""
    done = palpate("run", scene, "-o", folder, "-q", "--threads", "1", *options)
    checks.equal(done.returncode, 1, folder.name, done.stderr)
    checks.equal(len(done.stderr.splitlines()), 1, folder.name, "says", repr(done.stderr))
    return done.stderr


def check_jam(checks, work, name, text, where, advice):
    """What is said, what is kept, and that resuming fails in the same words at the same state."""
    scene, folder = work / f"{name}.yaml", work / name
    scene.write_text(text)
    said = fail(checks, scene, folder)
    head, pair = re.match(HEAD, said), re.search(where, said)
    if not checks.true(head is not None and pair is not None, name, "says", said):
        return
    checks.true(said.rstrip().endswith(advice), name, "advises", said)
    checks.true("instruments less" not in said, name, "has no instruments", said)
    told, rows = summary(folder), history(folder)
    checks.equal(told["status"], "failed", name)
    checks.equal(f'palpate: {told["reason"]}\n', said, name, "the summary's reason")
    checks.equal(told["steps"], int(head.group(2)), name, "steps")
    checks.equal(len(rows), told["steps"] + 1, name, "rows")
    checks.true(abs(float(rows[-1]["time"]) - told["time"]) < 1e-9, name, "the last row")
    checks.true(0 < told["time"] < 1 and len(frames(folder)) == len(rows), name, "frames")
    before = fingerprint(folder)
    checks.equal(fail(checks, scene, folder, "--resume"), said, name, "resumed")
    checks.equal(fingerprint(folder), before, name, "resumed, the state")
    return said


def check_turns(checks, work):
    """Where nothing is near, what goes too fast is told all the same, with advice that fits."""
    for method, other in (("implicit, scheme: backward-euler", "use method: explicit"),
                          ("implicit-static", "follow the motion in time by method: implicit")):
        folder = work / method.split(",")[0]
        scene = folder.with_suffix(".yaml")
        scene.write_text(TURNS.replace("METHOD", method))
        said = fail(checks, scene, folder)
        checks.true(said.endswith(': contact finds no end, as instrument "ball" turns by 1.57 in one step, expected '
                                  'at most 0.35, however short the step; let instruments go more slowly, or '
                                  f'{other}\n'), method, "says", said)


def check_ways_on(checks, work):
    """From the checkpoint of a failed run: another load and an end in the past are refused, shorter
    steps get farther, and the time reached is an end like any other."""
    scene, folder = work / "barrier.yaml", work / "barrier"
    reached = summary(folder)["time"]
    for change, words in (("conditions.1.displace=[0, 0, -0.1]", "belongs to another scene"),
                          ("solver.time=0.1", "already, expected solver.time of at least that")):
        before = fingerprint(folder)
        done = palpate("run", scene, "-o", folder, "--resume", "--set", change)
        checks.equal(done.returncode, 2, change, done.stderr)
        checks.true(words in done.stderr, change, done.stderr)
        checks.equal(fingerprint(folder), before, change, "is refused, the files")
    shorter = work / "shorter"
    shutil.copytree(folder, shorter)
    fail(checks, scene, shorter, "--resume", "--set", "solver.step=0.001")
    checks.true(summary(shorter)["time"] > reached, "shorter steps end at", summary(shorter)["time"])
    done = palpate("run", scene, "-o", folder, "--resume", "--set", f"solver.time={reached!r}")
    checks.equal(done.returncode, 0, "an end at what was reached", done.stderr)
    checks.equal(summary(folder)["status"], "ok", "an end at what was reached")


def check_shown(checks, work):
    """Not quiet, the program says where the last good state is."""
    scene, folder = work / "barrier.yaml", work / "shown"
    done = palpate("run", scene, "-o", folder, "--threads", "1")
    text = " ".join(done.stdout.split())
    checks.true("shown/checkpoint.h5 the last good state, at time 0." in text and
                "--resume goes on from there, also with another solver.step, solver.tolerance or "
                "solver.time" in text, done.stdout)


def check_same_bits(checks, work, response):
    """A run that ended too early goes on to the bits of one that did not."""
    scene, whole, broken = work / f"few-{response}.yaml", work / f"whole-{response}", work / f"few-{response}"
    scene.write_text(LED.replace("-0.6]", "-0.12]").replace("barrier", response))
    done = palpate("run", scene, "-o", whole, "-q", "--threads", "1")
    checks.equal(done.returncode, 0, response, done.stderr)
    said = fail(checks, scene, broken, "--set", "solver.steps-limit=6")
    checks.true("the end is not reached after 6 steps" in said, said)
    checks.equal(summary(broken)["steps"], 6, response)
    done = palpate("run", scene, "-o", broken, "-q", "--threads", "2", "--resume")
    checks.equal(done.returncode, 0, response, "resumed", done.stderr)
    checks.equal(fingerprint(broken), fingerprint(whole), response, "resumed, the result")


def main():
    checks = Checks()
    work = fresh("jam")
    advice = "lower the load, refine, or follow the motion in time by method: implicit"
    said = check_jam(checks, work, "barrier", LED, GAP, advice)
    gap, begins = map(float, re.search(GAP, said or "").groups()) if said else (0, 0)
    checks.true(0 < gap < 0.01 * begins, "the gap", gap, begins)
    check_jam(checks, work, "depth", LED.replace("barrier", "material-depth"), DEPTH, advice)
    check_jam(checks, work, "collocation", LED.replace("barrier", "collocation"), DEPTH, advice)
    all_led = re.sub(r"where: \{box: .*\}, displace", "where: all, displace", LED)
    said = check_jam(checks, work, "all-led", all_led, GAP, advice)
    checks.true("held nodes or instruments do not get to where they are to be" in said, said)
    check_turns(checks, work)
    check_ways_on(checks, work)
    check_shown(checks, work)
    for response in ("barrier", "material-depth"):
        check_same_bits(checks, work, response)
    checks.finish()


if __name__ == "__main__":
    main()
