"""One call of the program fails: for memory, or of the system for a file. What must hold then."""
import os
import pathlib
import re
import shutil

from program import ROOT, fingerprint, palpate

SHIM = pathlib.Path(os.environ["PAL_BUILD"]) / "tests/fail_at_call.so"

# Shapes and mesh files, an instrument, contact, probes: a little of everything that is read.
SCENE = """\
bodies:
  - name: bar
    shape: {box: [0.04, 0.01, 0.01], cells: [4, 1, 1]}
    material: &soft {law: neo-hookean, young: 3000, poisson: 0.45, density: 1000}
  - name: wedge
    mesh: wedge.vtu
    place: {scale: 0.005, translate: [0, 0, 0.0053]}
    velocity: [0, 0, -0.1]
    material: *soft
rigid:
  - name: plate
    surface: plate.stl
    place: {scale: 0.01, translate: [0, 0, 0.02]}
    motion: {translate: [0, 0, -0.001]}
conditions:
  - {body: bar, where: {plane: x-min}, fix: xyz}
contact:
  - {between: all, friction: 0.3}
  - {self: bar}
solver: {method: explicit, time: 0.01}
probes:
  - {name: tip, body: bar, where: {plane: x-max}, record: displacement}
output: {every: 0.004, checkpoint: 0, report: %s}
"""
RUN = ["run", "scene.yaml", "-o", "out", "--threads", "1", "--quiet"]


def prepare(folder, report):
    """A scene, its meshes, and `whole`: the run without a fault."""
    meshes = ROOT / "tests/data/meshes"
    shutil.copy(meshes / "two-tets-binary-zlib-uint32-little.vtu", folder / "wedge.vtu")
    shutil.copy(meshes / "two-triangles-binary.stl", folder / "plate.stl")
    (folder / "scene.yaml").write_text(SCENE % ("true" if report else "false"))
    done = palpate(*RUN, cwd=folder)
    if done.returncode != 0:
        raise SystemExit(f"the run without a fault: {done.stderr}")
    (folder / "out").rename(folder / "whole")


def start(folder, resume):
    shutil.rmtree(folder / "out", ignore_errors=True)
    if resume:
        shutil.copytree(folder / "whole", folder / "out")


def run(folder, resume, what, number, on=False):
    """The run whose call of that number fails, and all later ones if `on`. Number 0: none does."""
    told = folder / "told"
    told.unlink(missing_ok=True)
    surroundings = {"LD_PRELOAD": str(SHIM), "FAIL_WHAT": what, "FAIL_AT": str(number),
                    "FAIL_TELL": str(told)}
    if on:
        surroundings["FAIL_ON"] = "1"
    done = palpate(*RUN, *["--resume"] * resume, cwd=folder, env=surroundings, timeout=300)
    count, call = told.read_text().split() if told.exists() else ("0", "none")
    return done, int(count), call


def count_calls(folder, resume, what):
    start(folder, resume)
    return run(folder, resume, what, 0)[1]


def check(checks, folder, resume, what, number, on=False):
    """No signal, one line, and what was there is still there. Returns the exit status."""
    start(folder, resume)
    done, _, call = run(folder, resume, what, number, on)
    name = f"{what} {number}{' and on' * on} ({call}){', resumed' * resume}:"
    lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    if not checks.true(done.returncode in (0, 1, 2), name, "status", done.returncode, lines):
        return done.returncode
    checks.equal(len(lines), int(done.returncode != 0), name, "lines", lines)
    checks.true(re.search(r"[\x00-\x08\x0b-\x1f]", done.stderr) is None, name, repr(done.stderr))
    out, whole = folder / "out", folder / "whole"
    if done.returncode == 0:
        checks.equal(fingerprint(out), fingerprint(whole), name, "the result")
        return 0
    checks.true(not resume or (out / "checkpoint.h5").exists(), name, "the checkpoint is gone")
    if (out / "checkpoint.h5").exists():
        again = palpate(*RUN, "--resume", cwd=folder)
        if checks.equal(again.returncode, 0, name, "resumed afterwards", again.stderr):
            checks.equal(fingerprint(out), fingerprint(whole), name, "resumed afterwards")
    return done.returncode
