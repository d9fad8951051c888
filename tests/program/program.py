"""What the tests of the program share: running it, and looking at what it left."""
import csv
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

PALPATE = os.environ["PALPATE"]
ROOT = pathlib.Path(os.environ["PAL_ROOT"])

# A soft bar, held at one end and pulled down at the other: small, quick, never at rest.
BAR = """\
# A soft bar under a load, for tests.
name: bar
bodies:
  - name: bar
    shape: {box: [0.04, 0.01, 0.01], cells: [8, 2, 2]}
    material: {law: neo-hookean, young: 3000, poisson: 0.45, density: 1000}
conditions:
  - {body: bar, where: {plane: x-min}, fix: xyz}
  - {body: bar, where: {plane: x-max}, force: [0, 0, -0.001], ramp: smooth, until: 0.5}
solver: {method: explicit, time: 1, step: auto}
probes:
  - {name: tip, body: bar, where: {plane: x-max}, record: displacement}
output: {every: 0.05, fields: [displacement, velocity, stress]}
"""


def fresh(name):
    """An empty folder of that name in the working directory."""
    folder = pathlib.Path(name).absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def palpate(*words, cwd=None, env=None, **more):
    """Runs the program to its end; returns the completed process."""
    surroundings = dict(os.environ, **(env or {}))
    return subprocess.run([PALPATE, *map(str, words)], cwd=cwd, env=surroundings, text=True,
                          errors="replace", capture_output=True, **more)


def said(done):
    """All that a process printed, without line breaks."""
    return " ".join((done.stdout + done.stderr).split())


def start(*words, cwd=None):
    return subprocess.Popen([PALPATE, *map(str, words)], cwd=cwd, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def summary(folder):
    return json.loads((pathlib.Path(folder) / "summary.json").read_text())


def history(folder):
    with open(pathlib.Path(folder) / "history.csv", newline="") as file:
        return list(csv.DictReader(file))


def frames(folder):
    return sorted((pathlib.Path(folder) / "frames").glob("*.vtu"))


def fingerprint(folder):
    """What two runs with the same bits share, by name."""
    folder = pathlib.Path(folder)
    told = summary(folder)
    digest = lambda path: hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "status": told["status"],
        "state_hash": told["state_hash"],
        "steps": told["steps"],
        "time": told["time"],
        "history.csv": digest(folder / "history.csv"),
        "run.pvd": digest(folder / "run.pvd"),
        "frames": {path.name: digest(path) for path in frames(folder)},
        "contacts": {path.name: digest(path) for path in sorted((folder / "contacts").glob("*.vtp"))},
        "probes": told["probes"],
        "penetration": told["penetration"],
    }


class Checks:
    """Collects failures, so that one run of a table names them all."""

    def __init__(self):
        self.count = 0
        self.failures = []

    def true(self, holds, *words):
        self.count += 1
        if not holds:
            self.failures.append(" ".join(map(str, words)))
        return holds

    def equal(self, actual, expected, *words):
        return self.true(actual == expected, *words, f"is {actual!r}, expected {expected!r}")

    def finish(self):
        for failure in self.failures:
            print("failed:", failure)
        print(f"{self.count - len(self.failures)} of {self.count} checks hold")
        sys.exit(1 if self.failures or self.count == 0 else 0)
