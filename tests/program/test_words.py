"""What the program says to somebody who has made a common mistake, or asks what a word means."""
import re

from program import BAR, Checks, fresh, palpate, said

TOOL = """\
name: tool
bodies:
  - name: organ
    shape: {box: [0.06, 0.04, 0.02], cells: [4, 3, 2]}
    place: {translate: [0, 0, 0.0101]}
    material: {law: neo-hookean, young: 5000, poisson: 0.3, density: 1060}
rigid:
  - {name: table, shape: {box: [0.2, 0.2, 0.01]}, place: {translate: [0, 0, -0.005]}}
  - {name: tool, shape: {cylinder: [0.006, 0.06]}, place: {translate: [0, 0, 0.06]}, mass: 0.03}
conditions:
  - {gravity: [0, 0, -9.81]}
contact:
  - {between: all}
solver: {method: explicit, time: 0.01}
"""


def check_mistakes(checks, work):
    """name, text, a pattern of what `check` says, its status"""
    scene = work / "scene.yaml"
    table = [
        ("a decimal comma in a flow map", BAR.replace("time: 1,", "time: 0,5,"),
         r'scene.yaml:\d+:\d+: "5" after a comma, expected a key; decimals come after a point, as '
         r'in time: 0.5', 2),
        ("a decimal comma in a block", BAR.replace(
            "solver: {method: explicit, time: 1, step: auto}", "solver:\n  method: explicit\n  time: 0,5"),
         r'scene.yaml:\d+:\d+: time is "0,5", expected a number above 0; decimals come after a '
         r'point, not a comma', 2),
        ("the second condition", BAR.replace("{plane: x-max}, force", "{point: [9, 9, 9]}, force"),
         r"conditions\.1 \(force\)", 0),
        ("poisson 0.5", BAR.replace("0.45", "0.5"), r"a large bulk, with element mixed", 2),
        ("one layer of tetrahedra", BAR.replace(
            "box: [0.04, 0.01, 0.01], cells: [8, 2, 2]", "box: [0.06, 0.01, 0.01], cells: [8, 2, 1]"),
         r'"bar" is one layer of t4 thick, which bends too little', 0),
        ("a bulk of 1000 times shear", BAR.replace("young: 3000, poisson: 0.45", "shear: 1, bulk: 1000"),
         r"locks above 0.45: a block held on two sides is about 2200 % too stiff", 0),
        ("a tool", TOOL, r"scene.yaml can run$", 0),
        ("a tool inside", TOOL.replace("0.06]}, mass", "0.04]}, mass"),
         r'scene.yaml:9:5: "organ" and "tool" overlap at the start by', 2),
        ("a free tool in a state of rest", TOOL.replace("explicit", "relaxation"),
         r'scene.yaml:9:5: rigid "tool" is free, and method relaxation cannot move', 2),
        ("a tool in grams", TOOL.replace("mass: 0.03", "mass: 30"),
         r'rigid "tool" weighs too much for body "organ": its weight over its footprint is', 0),
        ("density of water as 1", TOOL.replace("density: 1060", "density: 1.06"),
         r'"organ" has density 1.06 where gravity is 9.81: in metres and seconds', 0),
    ]
    for name, text, pattern, status in table:
        scene.write_text(text)
        done = palpate("check", scene)
        checks.true(re.search(pattern, said(done)), name, said(done))
        checks.equal(done.returncode, status, name, done.stderr)
        checks.equal(len(done.stderr.splitlines()), 1 if status == 2 else 0, name, done.stderr)
        checks.true(status == 0 or re.search(pattern, done.stderr), "an error:", name, done.stderr)
    scene.write_text(TOOL)
    checks.true("without contact" in said(palpate("check", scene)), "the cost with contact")
    mesh = work / "organ.vtu"
    mesh.write_text("<VTKFile/>")
    done = palpate("run", mesh, cwd=work)
    checks.equal(done.returncode, 2, done.stderr)
    checks.true("organ.vtu: this is a mesh, expected a scene that names it" in said(done), said(done))


def check_help(checks):
    for word in ("box", "sphere"):
        done = palpate("help", word)
        checks.equal(done.returncode, 0, word)
        checks.true(f"{word} is also a key of shape: " in done.stdout, "as a shape:", done.stdout)
        checks.true(f"{word}, in a scene" in done.stdout, "as a selection:", done.stdout)
    done = palpate("help", "contact")
    checks.true("also a key" not in done.stdout, "the way to a part is not told", done.stdout)
    listed = palpate("help").stdout.split("Verbs:\n")[1].split("\n\n")[0].splitlines()
    starts = {re.match(r"  \S+ +", line).end() for line in listed if re.match(r"  \S", line)}
    checks.equal(len(starts), 1, "columns of the verbs", listed)
    bench = palpate("help", "bench").stdout
    for option in ("--quick", "--contact", "--output", "--implicit", "--repetitions", "--json"):
        checks.true(option in bench, option, bench)
    for line in palpate("demo", "--list").stdout.splitlines():
        if re.match(r"\S", line):
            checks.true(len(line.split(None, 1)[1]) >= 20, "says little:", line)
    offered = palpate("help", "--complete", "run", "x.yaml", "--set", "bodies.").stdout
    checks.true("bodies.0.\t" in offered, "completion", offered)


def check_options(checks):
    """No letter stands for two options."""
    options = {}
    for verb in ("run", "check", "impact", "demo", "convert", "mesh", "vademecum", "reproduce", "help"):
        for letter, name in re.findall(r"^  -(\w), --(\S+)", palpate("help", verb).stdout, re.M):
            options.setdefault(letter, set()).add(name)
    checks.equal({letter: names for letter, names in options.items() if len(names) > 1}, {},
                 "letters of two options")


def check_bench(checks):
    """What is wrong with the words behind `bench`."""
    many = [f"soup-{i}" for i in range(20)]
    for words, pattern in ((["--contact", *many], "no row has that name; there are ball"),
                           (["soup", "--quick"], "a word without --contact: soup"),
                           (["--contact", "--soup"], "no such option: --soup"),
                           (["--json"], "nothing follows: --json"),
                           (["--repetitions", "many"], "takes a number from 1 to 99: many")):
        done = palpate("bench", *words)
        checks.true(pattern in done.stderr, "bench", words, done.stderr)
        checks.equal(done.returncode, 2, "bench", words)


def main():
    checks = Checks()
    check_mistakes(checks, fresh("words"))
    check_help(checks)
    check_options(checks)
    check_bench(checks)
    checks.finish()


if __name__ == "__main__":
    main()
