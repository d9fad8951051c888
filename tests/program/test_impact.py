# palpate impact from outside: words, JSON, --all, --stop, and what it refuses.
import json
import os
import subprocess

palpate, root = os.environ["PALPATE"], os.environ["PAL_ROOT"]
scene = root + "/scenes/impact-spheres.yaml"


def run(*words):
    return subprocess.run([palpate, *words], capture_output=True, text=True)


def tell(*words):
    done = run("impact", "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


published = ["--set", "solver.step=0.05", "--set", "solver.time=15.1"]
for body in "01":  # soft enough for such steps
    published += ["--set", "bodies.%s.material.young=2" % body, "--set", "bodies.%s.material.density=2" % body]
balls = tell(scene, *published)
assert abs(balls["time"] - 14.98) < 1e-9, balls
assert balls["objects"] == ["left", "right"] and balls["kind"] == "node-facet"
assert balls["steps"] == 300 and balls["wakes"] <= 8
told = balls["predictions"]
assert len(told) >= 3 and 14.9 < told[0] and told == sorted(set(told)) and told[-1] <= balls["time"], told
assert balls["time"] - told[-1] < 1e-9, told
assert abs(balls["place"][0] - 750) < 1e-6 and abs(balls["normal"][0] + 1) < 1e-9
assert abs(balls["relative_velocity"][0] - 100) < 1e-6

cycle = tell(root + "/scenes/motorcycle.yaml", "--set", "solver.step=0.05")
assert abs(cycle["time"] - 3) < 1e-9 and cycle["wakes"] <= 6 and cycle["steps"] == 60, cycle
told = cycle["predictions"]  # published: 2.8, 2.88, 2.9, 2.95, 3
assert len(told) >= 5 and 2.8 < told[0] < 2.9 and told == sorted(set(told)) and told[-1] <= cycle["time"], told

never = tell(scene, "--set", "solver.time=10", "--all")
assert never["time"] is None and never["objects"] is None and never["all"] == [] and never["wakes"] == 0, never

words = run("impact", scene)
assert "left and right meet at time 14.98\n" in words.stdout, words.stdout
assert "slept in" in words.stdout

# the last step is shortened to end at the impact; what is resumed there goes on to the end
def summary(name):
    with open(name + "/summary.json") as file:
        return json.load(file)


def stop_and_go_on(name, path, time, *more):
    stopped = run("impact", "--stop", "-o", name, path, *more)
    assert stopped.returncode == 0, stopped.stderr
    there = summary(name)
    assert abs(there["time"] - time) < 1e-9, (name, there["time"], time)
    assert there["intersections"] == 0
    assert there["status"] == "ok" and there["reason"].startswith("stopped at time"), there["reason"]
    with open(name + "/history.csv") as file:  # a row of that moment
        assert abs(float(file.readlines()[-1].split(",")[0]) - time) < 1e-9
    done = run("run", path, "-o", name, "--resume", *more)
    assert done.returncode == 0 and summary(name)["status"] == "ok", (name, done.stderr)
    assert summary(name)["intersections"] == 0 and summary(name)["reason"] == ""
    return there, summary(name)


stop_and_go_on("parts", scene, 14.98)
done = run("run", scene, "-o", "whole")
assert done.returncode == 0, done.stderr
histories = [open(name + "/history.csv").read() for name in ("whole", "parts")]
before = [[line for line in history.split("\n")[1:] if line and float(line.split(",")[0]) < 14.98] for history in histories]
assert before[0] == before[1] and len(before[0]) > 1

block = ("  - {name: block, shape: {box: [1, 1, 1], cells: [2, 2, 2]}, "
         "material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 10}}\n")
movers = {  # each moves one length at speed 1
    "soft": "bodies:\n" + block + "  - {name: box, shape: {box: [1, 1, 1], cells: [2, 2, 2]}, place: {translate: [0.1, 0.2, 2]}, "
            "velocity: [0, 0, -1], material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 10}}\n",
    "free": "bodies:\n" + block + "rigid:\n  - {name: box, shape: {box: [1, 1, 1]}, place: {translate: [0.1, 0.2, 2]}, "
            "velocity: [0, 0, -1], density: 10}\n",
    "tool": "bodies:\n" + block + "rigid:\n  - {name: box, shape: {box: [1, 1, 1]}, place: {translate: [0.1, 0.2, 2]}, "
            "motion: {translate: [0, 0, -1.1], ramp: linear, until: 1.1}}\n"
            "conditions:\n  - {body: block, where: {plane: z-min}, fix: xyz}\n",
}
for name, text in movers.items():
    with open(name + ".yaml", "w") as file:
        file.write(text + "contact:\n  - {between: all}\nsolver: {time: 1.1, step: 0.003}\noutput: {every: 0.11}\n")
    there, end = stop_and_go_on("stop-" + name, name + ".yaml", 1)
    assert there["steps"] == 334 and end["time"] == 1.1 and end["steps"] == 368, (there["steps"], end["steps"])  # one more than 367

# the same history whether contact sleeps or not
done = run("run", scene, "-o", "awake", "--set", "contact.1.schedule=every-step")
assert done.returncode == 0, done.stderr
assert open("awake/history.csv").read() == histories[0]

with open("apart.yaml", "w") as file:
    file.write("bodies:\n"
               "  - {name: a, shape: {box: [1, 1, 1], cells: [1, 1, 1]}, material: {law: neo-hookean, young: 1, poisson: 0.3, density: 1}}\n"
               "  - {name: b, shape: {box: [1, 1, 1], cells: [1, 1, 1]}, place: {translate: [0.5, 0, 0]}, material: {law: neo-hookean, young: 1, poisson: 0.3, density: 1}}\n"
               "solver: {method: explicit, time: 1}\n")
for arguments, said in (
        (["apart.yaml"], "nothing can touch"),
        (["apart.yaml", "--set", "contact=[{between: all}]"], '"a" and "b" overlap at the start'),
        (["apart.yaml", "--set", "contact=[{between: all}]", "--set", "bodies.1.place={translate: [3, 0, 0]}",
          "--set", "solver.method=relaxation"], "impacts are looked for with explicit and newmark"),
        (["apart.yaml", "--set", "bodies.0.velocity=[.nan, 0, 0]"], "velocity"),
        (["apart.yaml", "--set", "conditions=[{gravity: [0, 0, -.inf]}]"], "gravity"),
        (["apart.yaml", "--set", "contact=[{leaf: obb}]"], "leaf obb belongs to hierarchy: sphere"),
        (["apart.yaml", "-o", "x"], "--output has no effect without --stop"),
        (["missing.yaml"], "missing.yaml")):
    done = run("impact", *arguments)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, (arguments, done.stderr)
    assert done.stdout == ""
