"""A vademecum from the command line: built, told about, probed, compared with runs, damaged."""
import json
import math
import os
import pathlib
import re
import signal

from program import PALPATE, Checks, fresh, palpate, start, summary

SCENE = """
name: cushion
bodies:
  - name: cushion
    shape: {box: [8, 6, 3], cells: [6, 5, 2]}
    material: {law: neo-hookean, young: 0.5, poisson: 0.4, density: 1.0e-5}
conditions:
  - {body: cushion, where: {plane: z-min}, fix: xyz}
  - {body: cushion, force: [0, 0, -0.8], patch: {at: [1.3333333333333333, 0.6, 1.5], radius: 2}}
solver: {method: implicit-static}
probes:
  - {name: pressed, body: cushion, where: {point: [1.3333333333333333, 0.6, 1.5]}}
vademecum: {body: cushion, where: {plane: z-max}, patch: 2, largest: 1, modes: 120, held-out: 8}
"""
AT = "1.3333333333333333,0.6,1.5"
ROUNDED = re.compile(r"e-(1[2-9]|[2-9]\d)")  # what is printed of a zero that is not clean


def distance(a, b):
    return math.dist(a, b)


def main():
    checks = Checks()
    folder = fresh("vademecum")
    (folder / "scene.yaml").write_text(SCENE)
    made = palpate("vademecum", "build", "scene.yaml", "-o", "out/cushion.h5", "--json", cwd=folder)
    checks.equal((made.returncode, made.stderr), (0, ""), "build")
    told = json.loads(made.stdout)
    checks.equal(told, json.loads(palpate("vademecum", "info", "out/cushion.h5", "--json",
                                          cwd=folder).stdout), "info tells what build told")
    checks.equal((told["body"], told["method"], told["sites"], told["held_out"]),
                 ("cushion", "auto", 42, 8), "info")
    checks.true(not (folder / "out/cushion.h5.part").exists(), "nothing partial is left")
    page = (folder / "out/report.html").read_text()
    checks.true(page.count("<img") == 6 and "load point" in page, "report with modes")

    # The same load, run: within what is stated, and a twentieth of a percent for a run's own steps.
    run = palpate("run", "scene.yaml", "--quiet", cwd=folder)
    checks.equal(run.returncode, 0, "run", run.stderr)
    truth = summary(folder / "runs/scene")["probes"]["pressed"]
    probe = json.loads(palpate("vademecum", "probe", "out/cushion.h5", "--at", AT, "--force",
                               "0,0,-0.8", "--json", cwd=folder).stdout)
    gap = distance(probe["displacement"], truth) / math.hypot(*truth)
    checks.true(gap < told["errors"]["load_point"]["worst"] + 5e-4, "probe against run:", gap)
    checks.true(truth[2] < -0.1 and probe["converged"] and not probe["outside"], "probe", probe)
    checks.equal(probe["nearest"]["at"][2], 1.5, "nearest stored load")

    # Loads were along the normal: what pulls, or goes along the surface, is told. Zeros are clean.
    checks.equal((probe["degrees_off"], probe["distance"]), (0, 0), "along the normal")
    for at, force, degrees in ((AT, "0.8,0,0", 90), (AT, "0,0,0.8", 180), (AT, "0.4,0,-0.4", 45),
                               (AT, "0.2,0,-0.8", 14.0362435), ("0.1,0.2,1.5", "0,0,-0.8", 0)):
        words = ("vademecum", "probe", "out/cushion.h5", "--at", at, "--force", force)
        told = json.loads(palpate(*words, "--json", cwd=folder).stdout)
        checks.true(abs(told["degrees_off"] - degrees) < 1e-6, force, told)
        plain = palpate(*words, cwd=folder).stdout
        checks.equal(f"the force is {degrees:.0f} degrees off the directions" in plain, degrees > 30, plain)
        numbers = plain.replace(",", " ").split()
        rounded = [word for word in numbers if ROUNDED.search(word)]
        checks.true("-0" not in numbers and not rounded, "zeros", plain)

    # A path that touches nothing says so, and where things are; as printed, what points are left inside by.
    (folder / "past.csv").write_text("0,0,19,1,0,0,0\n1,0,19,1,0,0,0\n")
    (folder / "press.csv").write_text("".join(f"0.3,0.2,{3.5 - 0.05 * i}\n" for i in range(11)))
    bench = ("vademecum", "bench", "out/cushion.h5", "--path")
    plain = palpate(*bench, "past.csv", cwd=folder).stdout
    checks.true("the tool touches nothing in any step" in plain
                and "body           from -4, -3, -1.5 to 4, 3, 1.5" in plain, "past", plain)
    past = json.loads(palpate(*bench, "past.csv", "--json", cwd=folder).stdout)
    checks.equal((past["touching_steps"], past["deepest"]), (0, 0), "past")
    # Before the end of the path that is not known. Signals are caught before poses are read.
    os.mkfifo(folder / "poses.pipe")
    running = start(*bench, "poses.pipe", cwd=folder)
    with open(folder / "poses.pipe", "w") as pipe:
        running.send_signal(signal.SIGINT)
        pipe.write("0,0,19\n" * 300)
    plain, errors = running.communicate()
    checks.equal((running.returncode, errors), (130, ""), "interrupted")
    checks.true("128 steps" in plain and "touches nothing" not in plain, "interrupted", plain)
    plain = palpate(*bench, "press.csv", cwd=folder).stdout
    checks.true("touches nothing" not in plain and "in 10 of the steps" in plain
                and "penalty" not in plain and "directions" not in plain, "press", plain)
    ours = json.loads(palpate(*bench, "press.csv", "--json", cwd=folder).stdout)
    printed = json.loads(palpate(*bench, "press.csv", "--json", "-M", "printed", cwd=folder).stdout)
    plain = palpate(*bench, "press.csv", "-M", "printed", cwd=folder).stdout
    checks.equal((ours["touching_steps"], ours["unlearnt_directions"]["max"], "penalty" in ours),
                 (10, 0, False), "press")
    checks.true(printed["force"]["max"] < 0.5 * ours["force"]["max"] and printed["penalty"] > 0
                and 0.3 < printed["deepest"] < 0.5, "as printed", printed["deepest"])
    checks.true(f"points stay inside by up to {printed['deepest']:.4g}: the force is that of this penalty"
                in plain, "as printed", plain)

    # Loads of one direction, and a tool that presses along it, and then from the side.
    single = palpate("vademecum", "build", "scene.yaml", "-o", "single/cushion.h5", "-q", "--set",
                     "vademecum.directions=[0, 0, -1]", "--set", "vademecum.modes=20", cwd=folder)
    checks.equal(single.returncode, 0, "build with one direction", single.stderr)
    (folder / "side.csv").write_text("".join(f"0,0.2,{3.6 - 0.05 * i}\n" for i in range(5)) + "0,0.2,3.7\n6.2,0.2,3.7\n"
                                     + "".join(f"{6.2 - 0.05 * i},0.2,0.4\n" for i in range(11)))
    aside = ("vademecum", "bench", "single/cushion.h5", "--path", "side.csv")
    parts = json.loads(palpate(*aside, "--json", cwd=folder).stdout)["unlearnt_directions"]
    plain = palpate(*aside, cwd=folder).stdout
    checks.true(0.4 < parts["mean"] < 0.9 < parts["max"] <= 1, "side", parts)
    checks.true(f"in the mean of steps with contact {100 * parts['mean']:.3g} % of the contact forces, and in one "
                f"step up to {100 * parts['max']:.3g} %, are more than 30 degrees off" in plain, "side", plain)

    # The compact form answers alike; products are far off but there.
    web = palpate("vademecum", "build", "scene.yaml", "-o", "web/cushion.bin", "--web", "-q",
                  cwd=folder)
    checks.equal((web.returncode, web.stdout), (0, ""), "build --web", web.stderr)
    again = json.loads(palpate("vademecum", "probe", "web/cushion.bin", "--at", AT, "--force",
                               "0,0,-0.8", "--json", cwd=folder).stdout)
    checks.true(distance(again["displacement"], probe["displacement"]) < 1e-7, "compact form")
    pgd = palpate("vademecum", "build", "scene.yaml", "-o", "pgd.h5", "--json", "--set",
                  "vademecum.method=pgd", "--set", "vademecum.modes=20", cwd=folder)
    checks.equal(json.loads(pgd.stdout)["method"], "pgd", "as printed", pgd.stderr)
    told = palpate("vademecum", "info", "web/cushion.bin", cwd=folder).stdout
    checks.true("errors at loads held out" in told, "info of the compact form", told)

    # Where a load is lost in rounding, no equilibrium is told, and no number that is none.
    lost = ["--set", "vademecum.method=pgd", "--set", "vademecum.modes=3", "--set",
            "vademecum.largest=1e-13"]
    for style in ("-q", "--json"):
        said = palpate("vademecum", "build", "scene.yaml", "-o", "lost/lost.h5", style, *lost, cwd=folder)
        checks.equal(said.returncode, 0, "lost", said.stderr)
        checks.true("no equilibrium was found" in said.stderr and "nan" not in said.stderr, "lost", said.stderr)
    told = json.loads(said.stdout)
    checks.equal((told["solutions"], told["held_out"], told["tolerance_held"]), (0, 0, False), "lost")
    told = palpate("vademecum", "info", "lost/lost.h5", cwd=folder).stdout
    page = (folder / "lost/report.html").read_text()
    checks.true("made           from 0 equilibria" in told and "nan" not in told, "lost", told)
    checks.true("No equilibrium was found" in page and "nan %" not in page, "report without errors")

    # A place away from the body acts on nothing; a report that is there already stays.
    far = palpate("vademecum", "probe", "out/cushion.h5", "--at", "0,0,40", "--force", "0,0,-0.8",
                  cwd=folder)
    checks.true(far.returncode == 2 and "38.5 away from the surface" in far.stderr, "far", far.stderr)
    near = palpate("vademecum", "probe", "out/cushion.h5", "--at", "0,0,1.75", "--force", "0,0,-0.8",
                   "--json", cwd=folder)
    checks.true(abs(json.loads(near.stdout)["distance"] - 0.25) < 1e-9, "near", near.stdout)
    quick = ["--set", "vademecum.modes=8", "--set", "vademecum.held-out=2"]
    for name in ("second", "second", "cushion"):
        page = (folder / "out/report.html").read_text()
        more = palpate("vademecum", "build", "scene.yaml", "-o", f"out/{name}.h5", *quick, cwd=folder)
        checks.equal((more.returncode, more.stderr), (0, ""), name)
        beside = "out/report.html" if name == "cushion" else "out/second-report.html"
        checks.true(f"and {beside}" in more.stdout, "where the report is", more.stdout)
        checks.equal((folder / "out/report.html").read_text() == page, name != "cushion", name)

    # Damage is told in one line.
    whole = (folder / "out/cushion.h5").read_bytes()
    for name, data in (("cut", whole[:len(whole) // 2]), ("empty", b""),
                       ("changed", whole[:9000] + b"?" + whole[9001:])):
        (folder / f"{name}.h5").write_bytes(data)
        said = palpate("vademecum", "info", f"{name}.h5", cwd=folder)
        checks.true(said.returncode == 2 and said.stderr.startswith(f"{name}.h5: ")
                    and said.stderr.count("\n") == 1, name, said.stderr)

    # What cannot be is refused where it stands.
    for change, words in (("vademecum.body=none", "none"), ("vademecum.patch=-1", "patch"),
                          ("vademecum.directions=up", "directions"),
                          ("bodies.0.element=t4-anp", "t4"),
                          ("conditions.1.patch.at=[9, 9, 9]", "patch has no node")):
        said = palpate("vademecum", "build", "scene.yaml", "-o", "x.h5", "--set", change, cwd=folder)
        checks.true(said.returncode == 2 and words in said.stderr
                    and said.stderr.count("\n") == 1, change, said.stderr)

    # Loads on nodes that are fixed move nothing: where they are said to act, and the build, say so.
    held = SCENE.replace("where: {plane: z-max}", "where: {plane: z-min}")
    (folder / "held.yaml").write_text(held)
    lines = held.splitlines()
    line = next(i for i, text in enumerate(lines) if text.startswith("vademecum"))
    words = "conditions fix all 42 nodes of the surface of body \"cushion\" where the vademecum has loads, " \
        "expected some that can move\n"
    for verb in (("vademecum", "build", "held.yaml", "-o", "x.h5"), ("check", "held.yaml")):
        said = palpate(*verb, cwd=folder)
        checks.equal((said.returncode, said.stderr),
                     (2, f"held.yaml:{line + 1}:{lines[line].index('{plane') + 1}: {words}"), verb)
    for change in ("conditions.0.where=all", "conditions.0.where={plane: z-max}"):
        said = palpate("vademecum", "build", "scene.yaml", "-o", "x.h5", "--set", change, cwd=folder)
        checks.true(said.returncode == 2 and said.stderr.endswith(words), change, said.stderr)
    inside = palpate("vademecum", "build", "scene.yaml", "-o", "x.h5", "--set",
                     "vademecum.where={point: [0, 0, 0]}", cwd=folder)
    checks.true(inside.returncode == 2 and "selects no node of the surface" in inside.stderr
                and inside.stderr.count("\n") == 1, "inside", inside.stderr)

    # Nothing is written over what is read.
    before = (folder / "scene.yaml").read_bytes(), (folder / "out/cushion.h5").read_bytes()
    (folder / "poses.csv").write_text("0,0,0,9,1,0,0,0\n1,0,0,9,1,0,0,0\n")
    for words in (("build", "scene.yaml", "-o", "./scene.yaml"),
                  ("bench", "out/cushion.h5", "--path", "poses.csv", "-o", "out/cushion.h5"),
                  ("bench", "out/cushion.h5", "--path", "poses.csv", "-o", "poses.csv")):
        said = palpate("vademecum", *words, cwd=folder)
        checks.true(said.returncode == 2 and "would be written over" in said.stderr
                    and said.stderr.count("\n") == 1, words, said.stderr)
    # A page that somebody else made stays; our own is made anew.
    serve = ("vademecum", "serve", "out/cushion.h5", "--web", "-q", "-o", "site")
    if (pathlib.Path(PALPATE).parent.parent / "share/palpate/touch/index.html").exists():
        checks.equal([palpate(*serve, cwd=folder).returncode for _ in range(2)], [0, 0], "serve twice")
        (folder / "site/index.html").write_text("<!doctype html><title>mine</title>")
        said = palpate(*serve, cwd=folder)
        checks.true(said.returncode == 2 and "that palpate did not make" in said.stderr
                    and said.stderr.count("\n") == 1, "another page", said.stderr)
        checks.true("mine" in (folder / "site/index.html").read_text(), "another page stays")
    os.mkfifo(folder / "pipe.h5")
    said = palpate("vademecum", "build", "scene.yaml", "-o", "pipe.h5", cwd=folder)
    checks.equal((said.returncode, said.stderr, said.stdout),
                 (2, "pipe.h5: not a regular file, expected a file name\n", ""), "pipe")
    checks.true((folder / "pipe.h5").is_fifo(), "what is no file is not replaced by one")
    for words in (("build", "scene.yaml", "-o", "."), ("bench", "out/cushion.h5", "--path", "poses.csv", "-o", "out"),
                  ("bench", "out/cushion.h5", "--path", "out")):
        said = palpate("vademecum", *words, cwd=folder)
        checks.true(said.returncode == 2 and "is a directory" in said.stderr.lower()
                    and said.stderr.count("\n") == 1, words, said.stderr)
    after = (folder / "scene.yaml").read_bytes(), (folder / "out/cushion.h5").read_bytes()
    checks.true(before == after, "what is read stays as it was")
    checks.finish()


main()
