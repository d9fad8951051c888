"""Files that are not what they seem: pipes, links, bombs, and files of gigabytes that hold nothing.
Each is refused with one line, quickly and with little memory."""
import base64
import os
import re
import resource
import struct
import zlib

from program import BAR, Checks, fingerprint, fresh, palpate

RUN = ["run", "scene.yaml", "-o", "out", "--quiet", "--set", "solver.time=0.1"]
BODY = """\
bodies:
  - name: body
    mesh: %s
    material: {law: neo-hookean, young: 3000, poisson: 0.45, density: 1000}
solver: {method: explicit, time: 1}
"""
TOOL = BAR.replace("conditions:", "rigid:\n  - {name: tool, surface: tool.stl}\nconditions:")
MEMORY = 1 << 30


def little(*words, cwd, memory=MEMORY):
    """With a gigabyte of address space, and half a minute at most."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return palpate(*words, cwd=cwd, preexec_fn=limit, timeout=60)


def one_line(checks, name, done, pattern, statuses=(2,)):
    checks.true(done.returncode in statuses, name, "status", done.returncode, done.stderr)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    if checks.equal(len(lines), 1, name, "lines", lines):
        checks.true(re.search(pattern, lines[0]), name, repr(pattern), "is not in", lines[0])


def pipes(checks):
    """Nobody is at the other end: to open one is to wait for ever."""
    for name, scene, pipe in (("a mesh", BODY % "pipe.msh", "pipe.msh"),
                              ("a surface", TOOL, "tool.stl")):
        folder = fresh("case")
        (folder / "scene.yaml").write_text(scene)
        os.mkfifo(folder / pipe)
        for verb in (RUN, ["check", "scene.yaml"]):
            one_line(checks, f"a pipe as {name}", little(*verb, cwd=folder), r"not a regular file")
    for name in ("checkpoint.h5", "log.txt", "history.csv"):
        folder = fresh("case")
        (folder / "scene.yaml").write_text(BAR)
        checks.equal(palpate(*RUN, cwd=folder).returncode, 0, "a good run")
        (folder / "out" / name).unlink()
        os.mkfifo(folder / "out" / name)
        one_line(checks, f"a pipe as {name}", little(*RUN, "--resume", cwd=folder),
                 rf"out/{name}: .*(pipe or a device|cannot be resumed)")
    folder = fresh("case")
    (folder / "scene.yaml").write_text(BODY % "/dev/zero")
    one_line(checks, "a device as a mesh", little(*RUN, cwd=folder), r"not a regular file")


def links(checks):
    """Names in a run directory that lead elsewhere: what is there stays as it is."""
    for name in ("log.txt", "checkpoint.h5", "history.csv", "frames", "run.pvd", "scene.yaml.part",
                 "checkpoint.h5.part", "summary.json"):
        for resume in (False, True):
            folder = fresh("case")
            (folder / "scene.yaml").write_text(BAR)
            checks.equal(palpate(*RUN, cwd=folder).returncode, 0, "a good run")
            frames = folder / "out/frames"
            elsewhere = folder / "elsewhere"
            elsewhere.mkdir()
            link = folder / "out" / name
            if name == "frames":
                frames.rename(elsewhere / "kept")
                target = elsewhere / "kept"
            else:
                target = elsewhere / "treasure"
                target.write_text("mine")
                link.unlink(missing_ok=True)
            link.symlink_to(target)
            before = {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()}
            done = palpate(*RUN, *["--resume"] * resume, cwd=folder)
            label = f"{name} as a link{', resumed' * resume}"
            after = {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()}
            checks.true(after == before, label, "changed", sorted(map(str, after)))
            if done.returncode != 0:
                one_line(checks, label, done, rf"out/{name}.*(symbolic link|cannot be resumed)")
            else:
                checks.true(name not in ("log.txt", "frames"), label, "was followed")
    # the run directory itself may be one
    folder = fresh("case")
    (folder / "scene.yaml").write_text(BAR)
    (folder / "real").mkdir()
    (folder / "out").symlink_to("real")
    checks.equal(palpate(*RUN, cwd=folder).returncode, 0, "a run directory that is a link")
    checks.true((folder / "real/summary.json").exists(), "a run directory that is a link is empty")


def packed(size, block=1 << 22):
    """Zeros as VTK stores them: a header, and blocks compressed by zlib."""
    count, last = divmod(size, block)
    whole = zlib.compress(bytes(block), 9)
    rest = zlib.compress(bytes(last), 9) if last else b""
    sizes = [len(whole)] * count + [len(rest)] * bool(last)
    header = struct.pack(f"<{3 + len(sizes)}Q", len(sizes), block, last, *sizes)
    return base64.b64encode(header).decode() + base64.b64encode(whole * count + rest).decode()


def bomb(points, cells, told_points=None):
    array = '<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="binary">%s</DataArray>'
    return f"""<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64"
 compressor="vtkZLibDataCompressor"><UnstructuredGrid>
<Piece NumberOfPoints="{told_points or points}" NumberOfCells="{cells}"><Points>
{array % ("Float64", "Points", 3, packed(24 * points))}</Points><Cells>
{array % ("Int64", "connectivity", 1, packed(32 * cells))}
{array % ("Int64", "offsets", 1, packed(8 * cells))}
{array % ("UInt8", "types", 1, packed(cells))}</Cells></Piece></UnstructuredGrid></VTKFile>
"""


def bombs(checks):
    folder = fresh("case")
    (folder / "scene.yaml").write_text(BODY % "bomb.vtu")
    for name, text, pattern in (
            ("points that the file tells of", bomb(60_000_000, 4), r"more than 50 times the size"),
            ("points that it does not", bomb(60_000_000, 4, 4), r"expected at most 96 by the counts"),
            ("cells", bomb(4, 40_000_000), r"more than 50 times the size")):
        (folder / "bomb.vtu").write_text(text)
        one_line(checks, f"a bomb of {name}", little(*RUN, cwd=folder), r"bomb\.vtu.*" + pattern)


def gigabytes(checks):
    """Three gigabytes that take no room on the disk."""
    for name in ("big.vtu", "big.msh", "big.stl", "big.obj", "big.inp"):
        folder = fresh("case")
        (folder / "scene.yaml").write_text(BODY % name)
        for size, pattern in ((3 << 30, r"more than 2 GiB"), (3 << 29, r"begins with zero bytes")):
            with open(folder / name, "wb") as file:
                file.truncate(size)
            one_line(checks, f"{name} of {size} bytes", little(*RUN, cwd=folder), pattern)
    folder = fresh("case")
    for name in ("scene.yaml", "model.feb", "model.xml"):
        with open(folder / name, "wb") as file:
            file.truncate(3 << 30)
        one_line(checks, f"a huge {name}", little("run", name, "-o", "out", cwd=folder), r"too large")
        with open(folder / name, "wb") as file:
            file.truncate(60 << 20)
        one_line(checks, f"an empty {name}", little("run", name, "-o", "out", cwd=folder), r"0x00")
    folder = fresh("case")
    (folder / "scene.yaml").write_text(BAR)
    checks.equal(palpate(*RUN, cwd=folder).returncode, 0, "a good run")
    expected = fingerprint(folder / "out")
    for name in ("log.txt", "run.pvd", "history.csv"):
        with open(folder / "out" / name, "r+b") as file:
            file.truncate(3 << 30)
    done = little(*RUN, "--resume", cwd=folder)
    checks.equal(done.returncode, 0, "a long log, collection and history", done.stderr)
    checks.equal(fingerprint(folder / "out"), expected, "with a long log, collection and history")
    with open(folder / "out/checkpoint.h5", "r+b") as file:
        file.truncate(3 << 30)
    one_line(checks, "a long checkpoint", little(*RUN, "--resume", cwd=folder), r"checkpoint.*damaged")


def too_little_memory(checks):
    """Whatever the limit, the answer is a result or one line."""
    folder = fresh("case")
    (folder / "scene.yaml").write_text(BAR)
    done = 0
    for megabytes in (12, 16, 24, 32, 48, 64, 128, 512):
        ended = little(*RUN, cwd=folder, memory=megabytes << 20)
        name = f"with {megabytes} MB"
        # the dynamic loader says so itself, and ends with 127, where not even libraries fit
        if ended.returncode not in (0, 127):
            one_line(checks, name, ended, r"memory", (1, 2))
        done += ended.returncode == 0
    checks.true(done > 0, "no limit was enough")


def main():
    checks = Checks()
    pipes(checks)
    links(checks)
    bombs(checks)
    gigabytes(checks)
    too_little_memory(checks)
    checks.finish()


main()
