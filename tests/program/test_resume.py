"""A run that is killed or interrupted, and resumed, ends with the bits of one that was not."""
import random
import shutil
import signal
import time

from program import BAR, Checks, fingerprint, fresh, palpate, start, summary

LONG = ["--set", "bodies.0.shape.cells=[16,4,4]", "--set", "solver.time=2",
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


def wait_for(process, ready, seconds=60):
    """Until ready() holds; False when the process ended first."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            return False
        if ready():
            return True
        time.sleep(0.001)
    raise TimeoutError("the run never got so far")


def stop_after(scene, folder, sent, frame_count, pause, resume, options=LONG):
    """Starts or resumes a run and sends it a signal some moment after a frame was written."""
    process = start("run", scene, "-o", folder, *options, *(["--resume"] if resume else []))
    frames = lambda: len(list(folder.glob("frames/*.vtu")))
    if wait_for(process, lambda: (folder / "checkpoint.h5").exists() and frames() >= frame_count):
        time.sleep(pause)
    process.send_signal(sent)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def kill_in_contact(checks, work):
    """The same with bodies that touch: forces of contact go on where they were."""
    scene, whole, killed = work / "ball.yaml", work / "ball", work / "ball-killed"
    scene.write_text(BALL)
    began = time.monotonic()
    done = palpate("run", scene, "-o", whole, "--threads", "1")
    took = time.monotonic() - began
    checks.equal(done.returncode, 0, "the run with contact", done.stderr)
    expected = fingerprint(whole)
    checks.equal(len(expected["contacts"]), 51, "files of contacts")
    moments = random.Random(11)
    kills = 0
    for attempt, frame_count in enumerate([1, 12, 20, 30]):
        status, _, err = stop_after(scene, killed, signal.SIGKILL, frame_count,
                                    moments.uniform(0, took / 40), attempt > 0, ["--threads", "2"])
        checks.true(status in (-signal.SIGKILL, 0), "killed in contact", attempt, status, err)
        kills += status == -signal.SIGKILL
    checks.true(kills >= 2, "only", kills, "runs in contact were killed before they ended")
    done = palpate("run", scene, "-o", killed, "--resume", "--threads", "1")
    checks.equal(done.returncode, 0, "the run with contact, resumed", done.stderr)
    checks.equal(fingerprint(killed), expected, "in contact, after kills, the result")
    done = palpate("run", scene, "-o", killed, "--resume", "--threads", "1")
    checks.equal(fingerprint(killed), expected, "in contact, resumed at the end, the result")


def main():
    checks = Checks()
    work = fresh("work")
    scene = work / "bar.yaml"
    scene.write_text(BAR)

    began = time.monotonic()
    whole = work / "whole"
    done = palpate("run", scene, "-o", whole, *LONG)
    took = time.monotonic() - began
    checks.equal(done.returncode, 0, "the run without interruption", done.stderr)
    expected = fingerprint(whole)

    # Killed again and again, each time a little further.
    moments = random.Random(7)
    killed = work / "killed"
    kills = 0
    for attempt, frame_count in enumerate([1, 8, 16, 24, 32]):
        status, out, err = stop_after(scene, killed, signal.SIGKILL, frame_count,
                                      moments.uniform(0, took / 40), attempt > 0)
        checks.true(status in (-signal.SIGKILL, 0), "killed run", attempt, "ended with", status, err)
        kills += status == -signal.SIGKILL
    checks.true(kills >= 3, "only", kills, "runs were killed before they ended")
    done = palpate("run", scene, "-o", killed, *LONG, "--resume")
    checks.equal(done.returncode, 0, "the run resumed after kills", done.stderr)
    checks.equal(fingerprint(killed), expected, "after kills the result")

    # Interrupted in an orderly way, with another number of threads afterwards.
    for sent in (signal.SIGINT, signal.SIGTERM):
        stopped = work / sent.name
        status, out, err = stop_after(scene, stopped, sent, 5, 0.01, False)
        checks.equal(status, 130, sent.name, err)
        checks.true(err.count("\n") == 1 and "--resume" in err, sent.name, "says", repr(err))
        checks.true("interrupted" in out, sent.name, "prints", repr(out))
        checks.true("interrupted" in summary(stopped)["reason"], sent.name, summary(stopped)["reason"])
        done = palpate("run", scene, "-o", stopped, *LONG, "--resume", "--threads", "3")
        checks.equal(done.returncode, 0, "resumed after", sent.name, done.stderr)
        checks.equal(fingerprint(stopped), expected, "after", sent.name, "the result")

    # Two signals at once: no more than a checkpoint already written is promised.
    process = start("run", scene, "-o", work / "twice", *LONG)
    wait_for(process, lambda: (work / "twice" / "checkpoint.h5").exists())
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    checks.equal(process.returncode, 130, "two signals")
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
    kill_in_contact(checks, work)
    checks.finish()


main()
