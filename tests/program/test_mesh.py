"""palpate mesh: what is filled, what is refused and where, and what is left behind."""
import os
import pathlib
import re
import shutil
import signal
import stat

from program import Checks, fresh, palpate, start

# a cube of 12 triangles, as corners and faces
CORNERS = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
FACES = [(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4),
         (2, 6, 7), (2, 7, 3), (0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5)]


def cube(size=1.0, move=(0, 0, 0), first=1):
    """Vertices and faces of OBJ; the bottom is a group."""
    lines = ["v " + " ".join(repr(size * c + m) for c, m in zip(corner, move))
             for corner in CORNERS]
    for i, face in enumerate(FACES):
        if i in (0, 2):
            lines.append("g bottom" if i == 0 else "g rest")
        lines.append("f " + " ".join(str(n + first) for n in face))
    return "\n".join(lines) + "\n"


def figures(out):
    """Nodes and tetrahedra, worst quality, volume."""
    counts = re.search(r"([\d,]+) nodes, ([\d,]+) tetrahedra(?:, (\d+) group)?", out)
    number = lambda text: int(text.replace(",", ""))
    return (number(counts[1]), number(counts[2]), int(counts[3] or 0),
            float(re.search(r"worst ([\d.]+)", out)[1]),
            float(re.search(r"volume ([\d.e+]+)", out)[1]))


def leftovers(place):
    return list(pathlib.Path(place).iterdir())


def fake_gmsh(folder, script):
    folder.mkdir()
    program = folder / "gmsh"
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def check_refusals(checks, folder, env):
    """Each with status 2, nothing written, and the place named."""
    (folder / "open.obj").write_text("\n".join(cube().splitlines()[:-1]))
    (folder / "cross.obj").write_text(cube() + cube(move=(0.5, 0.25, 0.125), first=9))
    (folder / "fin.obj").write_text(cube() + "v 0.5 0.5 2\nf 5 8 9\n")
    (folder / "flat.obj").write_text(cube() + "v 0 0 5\nv 0 0 6\nv 0 0 7\nf 9 10 11\n")
    (folder / "none.obj").write_text("v 0 0 0\n")
    for name, patterns in (
            ("open.obj", [r"^open.obj: the surface cannot be filled.*: 3 open edges",
                          r"an edge of triangle \d+ is open, near \("]),
            ("cross.obj", [r"pairs of triangles that cross", r"triangles \d+ and \d+ cross, near \("]),
            ("fin.obj", [r"open edges, \d+ pair|more than two", r"near \("]),
            ("flat.obj", [r"1 triangle without area", r"triangle 12 has no area, near \(0, 0, 5\)"]),
            ("none.obj", [r"^none.obj: "]),
            ("absent.stl", [r"^absent.stl: .*No such file"])):
        done = palpate("mesh", name, "out.msh", cwd=folder, env=env)
        checks.equal(done.returncode, 2, name, done.stderr)
        checks.true(len(done.stderr.splitlines()) <= 17, name, "says too much", done.stderr)
        for pattern in patterns:
            checks.true(re.search(pattern, done.stderr, re.M), name, pattern, "in", done.stderr)
        checks.true(not (folder / "out.msh").exists(), name, "left a file")
    for words, pattern in ((["cube.obj", "out.stl"], r"holds no tetrahedra"),
                           (["cube.obj", "out"], r"which format"),
                           (["cube.obj", "out.msh", "--size", "-1"], r"--size is '-1'"),
                           (["cube.obj", "out.msh", "--quality", "1.5"], r"between 0 and 1"),
                           (["cube.obj", "out.msh", "--format", "doc"], r"--format is 'doc'"),
                           (["cube.obj"], r"SURFACE OUT is missing")):
        done = palpate("mesh", *words, cwd=folder, env=env)
        checks.equal(done.returncode, 2, *words)
        checks.true(re.search(pattern, done.stderr), pattern, "in", done.stderr)


def check_gmsh_troubles(checks, folder, env):
    done = palpate("mesh", "cube.obj", "out.msh", cwd=folder, env=dict(env, PATH="/nonexistent"))
    checks.equal(done.returncode, 1, "no gmsh")
    checks.true("gmsh was not found; install it" in done.stderr, done.stderr)
    lines = r"""printf 'Info    : x\nError   : Cannot do it\nError   : Mesh generation error summary\n'
exit 1
"""
    done = palpate("mesh", "cube.obj", "out.msh", cwd=folder,
                   env=dict(env, **fake_gmsh(folder / "bad", lines)))
    checks.equal(done.returncode, 1, "gmsh fails")
    checks.equal(done.stderr, "palpate: gmsh failed: Cannot do it\n")
    done = palpate("mesh", "cube.obj", "out.msh", cwd=folder,
                   env=dict(env, **fake_gmsh(folder / "mute", "exit 3\n")))
    checks.equal(done.returncode, 1, "gmsh is mute")
    checks.true("status 3" in done.stderr, done.stderr)
    checks.equal(leftovers(env["TMPDIR"]), [], "after failures")


def check_interruption(checks, folder, env):
    surroundings = dict(os.environ, **env, **fake_gmsh(folder / "slow", "echo $$ >pid\nexec sleep infinity\n"))
    os.environ.update(surroundings)
    os.mkfifo(folder / "pid")
    process = start("mesh", "cube.obj", "out.msh", cwd=folder)
    child = int((folder / "pid").read_text())  # waits until somebody writes it
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    checks.equal(process.returncode, 130, "interrupted")
    checks.true("nothing was written" in errors, errors)
    checks.equal(leftovers(env["TMPDIR"]), [], "after an interruption")
    try:
        os.kill(child, 0)
        checks.true(False, "gmsh is still there")
    except ProcessLookupError:
        checks.true(True)


def check_meshes(checks, folder, env):
    run = lambda *words: palpate("mesh", *words, cwd=folder, env=env)
    done = run("cube.obj", "cube.msh")
    checks.equal(done.returncode, 0, "cube", done.stderr)
    nodes, cells, groups, worst, volume = figures(done.stdout)
    checks.true(abs(volume - 1) < 1e-9, "volume", volume)
    checks.equal(groups, 2, "groups")
    done = run("cube.obj", "fine.vtu", "--size", "0.25")
    checks.equal(done.returncode, 0, "finer", done.stderr)
    nodes, more, groups, worst, volume = figures(done.stdout)
    checks.true(more > 4 * cells and more > 100, "tetrahedra", cells, more)
    mean = float(re.search(r"edges .*mean ([\d.]+)", done.stdout).group(1))
    checks.true(abs(mean / 0.25 - 1) < 0.05, "edges of the size asked for:", mean)
    checks.true(abs(volume - 1) < 1e-6, "sharp edges stay: volume", volume)
    checks.true(worst > 0.2, "worst", worst)
    checks.equal(groups, 2, "groups")
    # the bottom is where it was
    done = palpate("convert", "fine.vtu", "fine.inp", cwd=folder)
    checks.equal(done.returncode, 0, done.stderr)
    inp = (folder / "fine.inp").read_text()
    checks.true(re.search(r"\*SURFACE, TYPE=ELEMENT, NAME=bottom\n\d+, S\d", inp), "the group bottom")
    # a hole, and a second piece
    (folder / "hole.obj").write_text(cube(3, (-1, -1, -1)) + cube(first=9))
    done = run("hole.obj", "hole.msh")
    checks.equal(done.returncode, 0, "hole", done.stderr)
    checks.true(abs(figures(done.stdout)[4] - 26) < 1e-9, "volume with a hole", done.stdout)
    (folder / "two.obj").write_text(cube() + cube(move=(5, 0, 0), first=9))
    done = run("two.obj", "two.msh")
    checks.equal(done.returncode, 0, "two pieces", done.stderr)
    checks.true(abs(figures(done.stdout)[4] - 2) < 1e-9, "volume of two", done.stdout)
    done = run("cube.obj", "good.msh", "--quality", "0.99", "--size", "0.5")
    checks.equal(done.returncode, 1, "too much quality asked for")
    checks.true(re.search(r"worst quality is 0\.\d+ near \(.*wanted 0.99", done.stderr), done.stderr)
    checks.true(not (folder / "good.msh").exists(), "a file that was not good enough")
    checks.equal(leftovers(env["TMPDIR"]), [], "at the end")


def main():
    checks = Checks()
    folder = fresh("mesh")
    (folder / "cube.obj").write_text(cube())
    place = fresh("mesh-temporary")
    env = {"TMPDIR": str(place)}
    check_refusals(checks, folder, env)
    check_gmsh_troubles(checks, folder, env)
    if shutil.which("gmsh"):
        check_meshes(checks, folder, env)
    check_interruption(checks, folder, env)
    checks.finish()


main()
