"""A run that is killed or interrupted, and resumed, ends with the bits of one that was not."""
import os
import pathlib
import shutil
import signal

from program import BAR, Checks, fingerprint, frames, fresh, palpate, summary

STOP_AT_CALL = pathlib.Path(os.environ["PAL_BUILD"]) / "tests/stop_at_call.so"

LONG = ["--set", "bodies.0.shape.cells=[16,4,4]", "--set", "solver.time=8",
        "--set", "output.checkpoint=0", "--threads", "1"]


# A ball dropped on a block, with friction.
BALL = """\
name: ball
bodies:
  - name: block
    shape: {box: [0.04, 0.04, 0.01], cells: [8, 8, 2]}
    material: {law: neo-hookean, young: 3000, poisson: 0.45, density: 1000}
  - name: ball
    shape: {sphere: 0.01, cells: [8]}
    place: {translate: [0, 0, 0.0155]}
    velocity: [0.1, 0, -0.3]
    material: {law: neo-hookean, young: 3000, poisson: 0.45, density: 1000}
conditions:
  - {body: block, where: {plane: z-min}, fix: xyz}
contact:
  - {between: all, friction: 0.3}
  - {self: all}
solver: {method: explicit, time: 0.1}
probes:
  - {name: push, between: [ball, block]}
output: {every: 0.002, history: 0.0003, checkpoint: 0}
"""


def stop_after(calls, signals, scene, folder, *options):
    """A run that sends itself signals when it has changed files so many times."""
    return palpate("run", scene, "-o", folder, *options,
                   env={"LD_PRELOAD": str(STOP_AT_CALL), "STOP_CALLS": str(calls),
                        "STOP_SIGNALS": " ".join(str(int(sent)) for sent in signals)})


def kill_again_and_again(checks, scene, folder, calls, *options):
    """Each time a little further."""
    for attempt, count in enumerate(calls):
        done = stop_after(count, [signal.SIGKILL], scene, folder, *options,
                          *(["--resume"] if attempt > 0 else []))
        checks.equal(done.returncode, -signal.SIGKILL, folder.name, "attempt", attempt, done.stderr)


def kill_in_contact(checks, work):
    """The same with bodies that touch: forces of contact go on where they were."""
    scene, whole, killed = work / "ball.yaml", work / "ball", work / "ball-killed"
    scene.write_text(BALL)
    done = palpate("run", scene, "-o", whole, "--threads", "1")
    checks.equal(done.returncode, 0, "the run with contact", done.stderr)
    expected = fingerprint(whole)
    checks.equal(len(expected["contacts"]), 51, "files of contacts")
    kill_again_and_again(checks, scene, killed, [20, 151, 202, 133, 104], "--threads", "2")
    checks.true(20 < len(frames(killed)) < 51, "killed with", len(frames(killed)), "frames")
    done = palpate("run", scene, "-o", killed, "--resume", "--threads", "1")
    checks.equal(done.returncode, 0, "the run with contact, resumed", done.stderr)
    checks.equal(fingerprint(killed), expected, "in contact, after kills, the result")
    done = palpate("run", scene, "-o", killed, "--resume", "--threads", "1")
    checks.equal(fingerprint(killed), expected, "in contact, resumed at the end, the result")


def extend(checks, work):
    """A run that ended goes on to a later end, with the ramp and the frames that it had."""
    scene, longer = work / "short.yaml", work / "longer.yaml"
    scene.write_text(BAR.replace(", until: 0.5", "").replace("every: 0.05, ", ""))
    longer.write_text(BAR.replace("until: 0.5", "until: 1").replace("every: 0.05", "every: 0.02")
                      .replace("time: 1,", "time: 1.5,"))
    for path, folder in ((scene, "extended"), (longer, "long")):
        done = palpate("run", path, "-o", work / folder, "--threads", "1")
        checks.equal(done.returncode, 0, folder, done.stderr)
    done = palpate("run", scene, "-o", work / "extended", "--threads", "1", "--resume",
                   "--set", "solver.time=1.5")
    checks.equal(done.returncode, 0, "extending a run", done.stderr)
    extended, long = (fingerprint(work / folder) for folder in ("extended", "long"))
    checks.equal((extended["steps"], len(extended["frames"])), (long["steps"], len(long["frames"])),
                 "the extended run")
    # The last step of the shorter run was the last one planned: bits differ, results do not.
    for a, b in zip(extended["probes"]["tip"], long["probes"]["tip"]):
        checks.true(abs(a - b) < 1e-6 * 0.005, "the extended run ends at", a, "not at", b)
    checks.true("time: 1.5" in (work / "extended" / "scene.yaml").read_text(), "its scene")
    before = fingerprint(work / "extended")
    done = palpate("run", scene, "-o", work / "extended", "--resume", "--set", "solver.time=1.2")
    checks.equal(done.returncode, 2, "an end before the checkpoint", done.stderr)
    checks.true("at time 1.5 already" in done.stderr, "says", repr(done.stderr))
    checks.equal(fingerprint(work / "extended"), before, "what was refused")
    done = palpate("run", scene, "-o", work / "extended", "--resume", "--set", "solver.time=2",
                   "--set", "solver.damping=3")
    checks.equal(done.returncode, 2, "another scene", done.stderr)


def change_steps(checks, work):
    """How steps are found may change when a run goes on; what decides the answer may not."""
    scene, folder = work / "changed.yaml", work / "changed"
    scene.write_text(BAR)
    done = palpate("run", scene, "-o", folder, "--threads", "1")
    checks.equal(done.returncode, 0, "the first part", done.stderr)
    first = summary(folder)
    later = ["--resume", "--threads", "1", "--set", "solver.time=1.5"]
    done = palpate("run", scene, "-o", folder, *later, "--set", f"solver.step={first['step'] / 4}")
    checks.equal(done.returncode, 0, "with another step", done.stderr)
    second = summary(folder)
    checks.true(second["steps"] - first["steps"] > 1.5 * first["steps"], "smaller steps:",
                first["steps"], second["steps"])
    for key in ("safety=0.5", "tolerance=1e-5", "steps-limit=1e6", "threads=1"):
        done = palpate("run", scene, "-o", folder, *later, "--set", f"solver.{key}")
        checks.equal(done.returncode, 0, "with", key, done.stderr)
    for key in ("damping=3", "mass-scaling=1e-5", "method=newmark"):
        done = palpate("run", scene, "-o", folder, *later, "--set", f"solver.{key}")
        checks.equal(done.returncode, 2, "with", key, done.stderr)


STATICS = ["--set", "solver.method=implicit-static", "--set", "solver.steps=400"]


def stop_statics(checks, work, scene):
    """Equilibria go on after an interruption; a load too large leaves the last one behind."""
    done = palpate("run", scene, "-o", work / "statics", *STATICS)
    checks.equal(done.returncode, 0, "statics", done.stderr)
    stopped = work / "statics-stopped"
    done = stop_after(20, [signal.SIGINT], scene, stopped, *STATICS)
    checks.equal(done.returncode, 130, "statics, interrupted", done.stderr)
    checks.true(0 < summary(stopped)["time"] < 1, "statics, interrupted at", summary(stopped)["time"])
    done = palpate("run", scene, "-o", stopped, *STATICS, "--resume", "--threads", "3")
    checks.equal(done.returncode, 0, "statics, resumed", done.stderr)
    checks.equal(fingerprint(stopped), fingerprint(work / "statics"), "statics, resumed, the result")

    crushed = work / "crushed"
    load = ["--set", "conditions.1={body: bar, where: {plane: x-max}, displace: [-0.1, 0, 0]}"]
    done = palpate("run", scene, "-o", crushed, *STATICS, *load)
    checks.equal(done.returncode, 1, "statics, crushed", done.stderr)
    checks.true("no equilibrium after time" in done.stderr and "bar" in done.stderr, done.stderr)
    checks.true((crushed / "checkpoint.h5").exists(), "the last equilibrium is kept")
    checks.true("checkpoint" in done.stdout, "and told of:", done.stdout)
    reached = summary(crushed)["time"]
    finer = ["--set", "solver.method=implicit-static", "--set", "solver.steps=1000"]
    done = palpate("run", scene, "-o", crushed, *finer, *load, "--resume")
    checks.true("no equilibrium after time" in done.stderr, "with more steps:", done.stderr)
    checks.true(summary(crushed)["time"] >= reached, "goes on from there", summary(crushed)["time"])


def main():
    checks = Checks()
    work = fresh("work")
    scene = work / "bar.yaml"
    scene.write_text(BAR)

    whole = work / "whole"
    done = palpate("run", scene, "-o", whole, *LONG)
    checks.equal(done.returncode, 0, "the run without interruption", done.stderr)
    expected = fingerprint(whole)

    killed = work / "killed"
    kill_again_and_again(checks, scene, killed, [1, 4, 31, 52, 53, 54, 55, 56], *LONG)
    checks.true(20 < len(frames(killed)) < 41, "killed with", len(frames(killed)), "frames")
    done = palpate("run", scene, "-o", killed, *LONG, "--resume")
    checks.equal(done.returncode, 0, "the run resumed after kills", done.stderr)
    checks.equal(fingerprint(killed), expected, "after kills the result")

    # Interrupted in an orderly way, early: frames are written while steps go on. With another number of threads afterwards.
    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        stopped = work / sent.name
        done = stop_after(15, [sent], scene, stopped, *LONG)
        out, err = done.stdout, done.stderr
        checks.equal(done.returncode, 130, sent.name, err)
        checks.true(err.count("\n") == 1 and "--resume" in err, sent.name, "says", repr(err))
        checks.true("interrupted" in out, sent.name, "prints", repr(out))
        checks.true("interrupted" in summary(stopped)["reason"], sent.name, summary(stopped)["reason"])
        done = palpate("run", scene, "-o", stopped, *LONG, "--resume", "--threads", "3")
        checks.equal(done.returncode, 0, "resumed after", sent.name, done.stderr)
        checks.equal(fingerprint(stopped), expected, "after", sent.name, "the result")

    # Two signals at once: no more than a checkpoint already written is promised.
    done = stop_after(20, [signal.SIGTERM, signal.SIGINT], scene, work / "twice", *LONG)
    checks.equal(done.returncode, 130, "two signals")
    done = palpate("run", scene, "-o", work / "twice", *LONG, "--resume")
    checks.equal(done.returncode, 0, "resumed after two signals", done.stderr)
    checks.equal(fingerprint(work / "twice"), expected, "after two signals the result")

    # Nothing to resume: from the beginning.
    done = palpate("run", scene, "-o", work / "new", *LONG, "--resume")
    checks.equal(done.returncode, 0, "resuming nothing", done.stderr)
    checks.equal(fingerprint(work / "new"), expected, "without a checkpoint the result")

    # Resuming a run that ended changes nothing.
    again = work / "again"
    shutil.copytree(whole, again)
    done = palpate("run", scene, "-o", again, *LONG, "--resume")
    checks.equal(done.returncode, 0, "resuming a finished run", done.stderr)
    checks.equal(fingerprint(again), expected, "a finished run, resumed,")
    stop_statics(checks, work, scene)
    kill_in_contact(checks, work)
    extend(checks, work)
    change_steps(checks, work)
    checks.finish()


main()
