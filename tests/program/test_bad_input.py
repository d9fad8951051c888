"""Bad input, end to end: the exit status, one clear line, and nothing half-written."""
import json
import re
import resource
import subprocess

from bad_scenes import MESHES, SCENES
from program import BAR, PALPATE, Checks, fresh, palpate

GOOD = {"scene.yaml": BAR}
RUN = ["run", "scene.yaml", "-o", "out"]

# name, words, pattern; status 2, in a folder with a good scene.
USAGE = [
    ("no scene", ["run"], r"SCENE is missing"),
    ("no scene to check", ["check"], r"SCENE is missing"),
    ("two scenes", ["run", "scene.yaml", "scene.yaml"], r"unexpected 'scene.yaml'"),
    ("an option nearly right", [*RUN, "--thread", "2"], r"did you mean '--threads'"),
    ("an option nobody knows", [*RUN, "--frobnicate"], r"unknown option '--frobnicate'"),
    ("an option still to come", [*RUN, "--live"], r"'--live' is not part of this version"),
    ("a letter nobody knows", [*RUN, "-Z"], r"unknown option '-Z'"),
    ("an option of another verb", ["check", "scene.yaml", "--resume"], r"check: unknown option"),
    ("a switch with a value", [*RUN, "--quiet=yes"], r"'--quiet' takes no value"),
    ("-o with nothing after it", ["run", "scene.yaml", "-o"], r"'-o' needs a value"),
    ("--set with nothing after it", ["run", "scene.yaml", "--set"], r"'--set' needs a value"),
    ("an empty directory name", ["run", "scene.yaml", "-o", ""], r"--output is empty"),
    *((f"{count or 'no'} threads", [*RUN, "--threads", count], r"--threads is .*from 1 to 1024")
      for count in ("0", "-2", "1025", "99999999999999999999", "2.5", "many", "")),
    ("a change without value", [*RUN, "--set", "solver.time"], r"expected PATH=VALUE"),
    ("a change without path", [*RUN, "--set", "=3"], r"expected PATH=VALUE"),
    ("a change of what is not there", [*RUN, "--set", "solver.tame=3"], r"solver\.tame.*time"),
    ("a change of a body that is not there", [*RUN, "--set", "bodies.7.name=x"], r"bodies\.7"),
    ("a change to a bad value", [*RUN, "--set", "solver.time=soon"], r"time.*soon|soon.*time"),
    ("a change that is no YAML", [*RUN, "--set", "solver.time=[1"], r"solver\.time"),
    ("a verb nearly right", ["rum", "scene.yaml"], r"did you mean 'run'"),
    ("a verb nobody knows", ["frobnicate"], r"unknown verb 'frobnicate'"),
    ("a scene for a verb", ["scene.yaml"], r"did you mean 'palpate run scene\.yaml'"),
    *((f"the verb {verb}", [verb], rf"'{verb}' is not part of this version")
      for verb in ("view",)),
    ("a vademecum of nothing", ["vademecum"], r"is missing"),
    ("a task of vademecums nearly right", ["vademecum", "biuld", "a"], r"did you mean 'build'"),
    ("a task of vademecums nobody knows", ["vademecum", "frobnicate", "a"], r"unknown 'frobnicate'"),
    ("a vademecum without a file", ["vademecum", "info"], r"a file is missing"),
    ("a vademecum that is not there", ["vademecum", "info", "none.h5"], r"^none\.h5: cannot open"),
    ("a vademecum that is a scene", ["vademecum", "info", "scene.yaml"], r"not a vademecum"),
    ("a vademecum that is a folder", ["vademecum", "info", "."], r"not a vademecum"),
    ("a vademecum without end", ["vademecum", "info", "/dev/zero"], r"not a vademecum"),
    ("a vademecum to nowhere", ["vademecum", "build", "scene.yaml"], r"--output is missing"),
    ("a vademecum of a scene without one", ["vademecum", "build", "scene.yaml", "-o", "v.h5"],
     r"has no vademecum"),
    ("a probe at no point", ["vademecum", "probe", "v.h5", "--force", "0,0,1"], r"--at is missing"),
    ("a probe at half a point", ["vademecum", "probe", "v.h5", "--at", "1,2", "--force", "0,0,1"],
     r"--at is '1,2', expected three numbers"),
    ("an option for a verb", ["--quiet"], r"a verb must come before"),
    ("--version nearly right", ["--verison"], r"did you mean '--version'"),
    ("help on a verb nobody knows", ["help", "rum"], r"did you mean 'run'"),
    ("help on a part of a scene nobody knows", ["help", "contakt"], r"did you mean 'contact'"),
    ("a law nobody knows", ["laws", "neo-hokean"], r"did you mean 'neo-hookean'"),
    ("a demo nobody knows", ["demo", "baem"], r"did you mean 'beam'"),
    ("escape codes in a name", ["run", "\033[31mred\nline"], r"^\\x1b\[31mred\\nline: "),
    ("a scene that is not there", ["run", "none.yaml"], r"^none\.yaml: "),
    ("a scene that is a folder", ["run", "."], r"^\.: |: \.: "),
    ("a scene without end", ["run", "/dev/zero"], r"/dev/zero"),
    ("a scene of nothing", ["run", "/dev/null"], r"/dev/null"),
]

# name, words, files, pattern: where to write, and what to resume.
PLACES = [
    ("the directory is a file", RUN, {"out": "mine"}, r"out is not a directory"),
    ("the directory lies below a file", ["run", "scene.yaml", "-o", "mine/out"], {"mine": "x"},
     r"mine"),
    ("the directory is somebody else's", RUN, {"out/thesis.tex": "mine"}, r"not a palpate run"),
    ("nobody can write there", ["run", "scene.yaml", "-o", "/proc/out"], {}, r"/proc/out"),
    ("a name too long", ["run", "scene.yaml", "-o", "x" * 300], {}, r"x{100}\.\.\.x{50}"),
    ("somebody else's scene", RUN, {"out/scene.yaml": "mine"}, r"not a palpate run"),
    ("somebody else's directory to resume", [*RUN, "--resume"], {"out/log.txt": "", "out/mine": ""},
     r"not a palpate run"),
    ("a checkpoint of zeros", [*RUN, "--resume"],
     {"out/checkpoint.h5": b"\0" * 5000, "out/scene.yaml": "", "out/log.txt": ""}, r"checkpoint"),
    ("an empty checkpoint", [*RUN, "--resume"],
     {"out/checkpoint.h5": b"", "out/scene.yaml": "", "out/log.txt": ""}, r"checkpoint"),
]

# name, changes, pattern; status 1: the simulation fails and says where and when.
FAILURES = [
    ("an unstable step", ["--set", "solver.step=0.05"], r"step 0\.05 exceeds the stable bound"),
    ("an inverted element", ["--set", "conditions.1={body: bar, where: {plane: x-max}, "
                             "displace: [-9, 0, 0], ramp: step}"], r'^palpate: cell \d+ of body "bar", at \(.*time'),
    ("no equilibrium", ["--set", "solver.method=relaxation", "--set", "solver.steps-limit=5"],
     r"no equilibrium after 5 steps"),
]


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in sorted(folder.rglob("*"))}


def one_line(checks, name, done, status, pattern):
    checks.equal(done.returncode, status, name, f"({done.stderr.strip()}): exit status")
    lines = [line for line in done.stderr.split("\n") if not line.startswith("warning: ")]
    checks.true(len(lines) == 2 and lines[1] == "", name, "prints", repr(done.stderr))
    checks.true(re.search(pattern, lines[0]), name, "does not match", repr(pattern), "in", lines[0])
    checks.true(re.search(r"[\x00-\x1f]", lines[0]) is None, name, "prints", repr(lines[0]))


def refuse(checks, name, words, files, pattern):
    """Status 2, and the folder as it was."""
    folder = fresh("case")
    write(folder, files)
    before = contents(folder)
    done = palpate(*words, cwd=folder)
    one_line(checks, name, done, 2, pattern)
    checks.equal(done.stdout, "", name, "standard output")
    checks.true(contents(folder) == before, name, "left", sorted(contents(folder)))


def complete(checks, name, out):
    """Only whole files in a run directory."""
    for path in out.rglob("*"):
        checks.true(path.suffix != ".part", name, "left", path.name)
    for path in out.glob("frames/*.vtu"):
        checks.true(path.read_bytes().rstrip().endswith(b"</VTKFile>"), name, path.name, "is cut off")
    history = out / "history.csv"
    if history.exists():
        rows = history.read_text().splitlines()
        checks.equal({row.count(",") for row in rows}, {rows[0].count(",")}, name, "columns")


def fail(checks, name, changes, pattern):
    folder = fresh("case")
    write(folder, GOOD)
    done = palpate(*RUN, *changes, cwd=folder)
    one_line(checks, name, done, 1, pattern)
    checks.true("failed" in done.stdout, name, "prints", repr(done.stdout))
    told = json.loads((folder / "out/summary.json").read_text())
    checks.equal(told["status"], "failed", name, "status")
    checks.true(told["reason"] and told["reason"] in done.stderr, name, "reason", told["reason"])
    complete(checks, name, folder / "out")


def full_disk(checks):
    """No file may grow beyond a few kilobytes: some write fails, wherever it is."""
    for size in (0, 100, 2000, 20000, 60000, 150000):
        name = f"files of at most {size} bytes"
        folder = fresh("case")
        write(folder, GOOD)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        # Only files are limited, not the pipes of the output.
        done = palpate(*RUN, "--set", "solver.time=0.2", cwd=folder, preexec_fn=limit)
        checks.true(done.returncode in (1, 2), name, "ended with", done.returncode)
        one_line(checks, name, done, done.returncode, r"out.*(large|space|written|write|create)")
        complete(checks, name, folder / "out")


def standard_output(checks):
    with open("/dev/full", "w") as full:
        for words in (["laws"], ["help"], ["--version"], ["demo", "--list"]):
            done = subprocess.run([PALPATE, *words], stdout=full, stderr=subprocess.PIPE,
                                  text=True)
            checks.equal(done.returncode, 1, words, "into a full device: exit status")
            checks.true("standard output" in done.stderr, words, "says", done.stderr)


def resume_another(checks):
    """A checkpoint belongs to its scene."""
    name = "a checkpoint of another scene"
    folder = fresh("case")
    write(folder, GOOD)
    palpate(*RUN, "--set", "solver.time=0.1", cwd=folder)
    before = contents(folder)
    done = palpate(*RUN, "--resume", "--set", "bodies.0.shape.cells=[9,2,2]", cwd=folder)
    one_line(checks, name, done, 2, r"checkpoint")
    checks.true(contents(folder) == before, name, "changed the run")

    name = "a checkpoint cut short"
    path = folder / "out/checkpoint.h5"
    path.write_bytes(path.read_bytes()[:3000])
    before = contents(folder)
    done = palpate(*RUN, "--resume", "--set", "solver.time=0.1", cwd=folder)
    one_line(checks, name, done, 2, r"checkpoint")
    checks.true(contents(folder) == before, name, "changed the run")


def main():
    checks = Checks()
    for name, words, pattern in USAGE:
        refuse(checks, name, words, GOOD, pattern)
    for name, words, files, pattern in PLACES:
        refuse(checks, name, words, {**GOOD, **files}, pattern)
    for name, files, pattern in SCENES + MESHES:
        refuse(checks, name, RUN, files, pattern)
        refuse(checks, f"{name}, checked,", ["check", "scene.yaml"], files, pattern)
    for name, changes, pattern in FAILURES:
        fail(checks, name, changes, pattern)
    full_disk(checks)
    standard_output(checks)
    resume_another(checks)
    print(len(USAGE) + len(PLACES) + len(SCENES) + len(MESHES) + len(FAILURES), "cases of bad input")
    checks.finish()


main()
