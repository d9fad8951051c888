"""NiftySim models, end to end: run, check, convert; what is wrong with one is told in a line."""
import re

from bad_models import LOST, MESH, MODEL, REFUSED, WARNED
from program import ROOT, Checks, fresh, palpate, summary

MODELS = ROOT / "scenes/niftysim"


def changed(name, old, new):
    assert MODEL.count(old) == 1, f"{name}: {old!r} stands {MODEL.count(old)} times in the model"
    return MODEL.replace(old, new).encode("utf-8", "surrogateescape")


def refuse(checks, name, content, pattern):
    folder = fresh("case")
    (folder / "model.xml").write_bytes(content)
    for words in (["run", "model.xml", "-o", "out"], ["check", "model.xml"],
                  ["convert", "model.xml", "scene.yaml"]):
        done = palpate(*words, cwd=folder)
        label = f"{name}, {words[0]}:"
        checks.equal(done.returncode, 2, label, repr(done.stderr), "exit status")
        lines = done.stderr.splitlines()
        if not checks.equal(len(lines), 1, label, "lines in", repr(done.stderr)):
            continue
        place = pattern if pattern.startswith("^") else r"model\.xml" * pattern.startswith(":") + pattern
        checks.true(re.search(place, lines[0]), label, "does not match", repr(place), "in", lines[0])
        checks.true(re.search(r"[\x00-\x1f]", lines[0]) is None, label, "prints", repr(lines[0]))
        checks.equal(sorted(path.name for path in folder.iterdir()), ["model.xml"], label, "left files")


def warn(checks, name, content, pattern):
    folder = fresh("case")
    (folder / "model.xml").write_bytes(content)
    words = ["convert", "model.xml", "scene.yaml"]
    done = palpate(*words, cwd=folder)
    checks.equal(done.returncode, 0, name, repr(done.stderr), "exit status")
    checks.true(re.search("^warning: model.xml" + pattern, done.stderr, re.M), name, "does not match",
                repr(pattern), "in", repr(done.stderr))
    told = "\n".join((folder / "scene.yaml").read_text().splitlines())
    checks.true(re.search("^# model.xml" + pattern, told, re.M), name, "is not in the scene")
    done = palpate("check", "model.xml", cwd=folder)
    checks.equal(done.returncode, 0, name, repr(done.stderr), "exit status of check")
    plain = re.sub(r"\s+", " ", done.stdout)
    checks.true(re.search("warning: model.xml" + pattern, plain), name, "is not in", repr(plain))
    for path in folder.glob("scene*"):
        path.unlink()
    for strict in (words, ["check", "model.xml"], ["run", "model.xml", "-o", "out"]):
        done = palpate(*strict, "--strict", cwd=folder)
        checks.equal(done.returncode, 2, name, strict, repr(done.stderr), "exit status when strict")
    checks.equal(sorted(path.name for path in folder.iterdir()), ["model.xml"], name, "left files")


def lost(checks, name, old, new, pattern):
    """What decides the answer is refused, or left out on request."""
    folder = fresh("lost")
    (folder / "model.xml").write_text(MODEL.replace(old, new, 1))
    done = palpate("convert", "model.xml", "scene.yaml", cwd=folder)
    checks.equal(done.returncode, 2, name, repr(done.stderr), "exit status")
    checks.true(re.match("model.xml" + pattern + ".*; --lenient runs without it$", done.stderr.strip()),
                name, repr(done.stderr))
    done = palpate("convert", "model.xml", "scene.yaml", "--lenient", cwd=folder)
    checks.equal(done.returncode, 0, name, repr(done.stderr), "exit status when lenient")
    checks.true(re.search("^warning: model.xml" + pattern, done.stderr, re.M), name, repr(done.stderr))


def good(checks):
    """A model runs, and its conversion to the same bits; --set and --resume work on it too."""
    folder = fresh("good")
    (folder / "model.xml").write_text(MODEL)
    for words in (["run", "model.xml", "--strict"], ["check", "model.xml", "--strict"],
                  ["convert", "model.xml", "made/scene.yaml", "--strict"],
                  ["run", "made/scene.yaml", "-o", "runs/scene"],
                  ["run", "model.xml", "--resume"],
                  ["run", "model.xml", "-o", "runs/set", "--set", "solver.damping=5"]):
        done = palpate(*words, cwd=folder)
        checks.equal(done.returncode, 0, words, repr(done.stderr))
    runs = {name: summary(folder / "runs" / name) for name in ("model", "scene", "set")}
    checks.equal(runs["model"]["steps"], 51, "steps")
    checks.equal(runs["model"]["state_hash"], runs["scene"]["state_hash"], "bits of the scene")
    checks.true(runs["model"]["state_hash"] != runs["set"]["state_hash"], "--set changes nothing")
    checks.equal(sorted(path.name for path in (folder / "made").iterdir()),
                 ["scene-model.inp", "scene.yaml"], "files made")


def usage(checks):
    folder = fresh("usage")
    (folder / "model.xml").write_text(MODEL)
    (folder / "bar.yaml").write_text("name: bar\n")
    for words, pattern in (
            (["convert", "model.xml", "scene.msh"], r"^scene\.msh: .*expected one that ends in \.yaml"),
            (["convert", "model.xml", "scene.yaml", "--ascii"], r"--ascii is for meshes"),
            (["convert", "none.xml", "scene.yaml"], r"^none\.xml: cannot open the model"),
            (["convert", "model.xml", "bar.yaml/scene.yaml"], r"bar\.yaml"),
            (["model.xml"], r"did you mean 'palpate run model\.xml'")):
        done = palpate(*words, cwd=folder)
        checks.equal(done.returncode, 2, words, repr(done.stderr), "exit status")
        checks.true(re.search(pattern, done.stderr), words, "does not match", pattern, "in", done.stderr)


def shipped(checks):
    """The mesh of a model is found from the working directory and from beside the model."""
    folder = fresh("shipped")
    (folder / "there").mkdir()
    for name in ("block.xml", "block.msh"):
        (folder / "there" / name).write_bytes((MODELS / name).read_bytes())
    for where, path in ((folder, "there/block.xml"), (folder / "there", "block.xml")):
        done = palpate("check", path, cwd=where)
        checks.equal(done.returncode, 0, where, repr(done.stderr))


BOX = """# vtk DataFile Version 3.0
box
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0 1 0 0 0 1 0 0 0 1
CELLS 1 5
4 0 1 2 3
CELL_TYPES 1
10
"""
SHEET = """# vtk DataFile Version 3.0
sheet
ASCII
DATASET POLYDATA
POINTS 3 double
0 0 0 1 0 0 0 1 0
POLYGONS 1 4
3 0 1 2
"""


def files(checks):
    """A solid and a surface from VTK files: turned about a point, scaled, then moved."""
    folder = fresh("files")
    (folder / "box.vtk").write_text(BOX)
    (folder / "sheet.vtk").write_text(SHEET)
    turn = ("<Rotation>1 0 0 0 0 90</Rotation><ScaleFactor>2</ScaleFactor>"
            "<Translation>0 0 {}</Translation>")
    model = MODEL.replace(MESH, f'<VTKMesh Type="T4">box.vtk{turn.format(0)}</VTKMesh>')
    model = model.replace("<Nodes>4</Nodes>", "<Nodes>3</Nodes>")
    model = model.replace("<Output", '<ContactSurface><VTKSurface Type="T3">sheet.vtk'
                          f"{turn.format(9)}</VTKSurface></ContactSurface><Output")
    (folder / "model.xml").write_text(model)
    done = palpate("convert", "model.xml", "scene.yaml", "--strict", cwd=folder)
    checks.equal(done.returncode, 0, "files", repr(done.stderr))
    # (x, y) about (1, 0) by a quarter turn is (1 - y, x - 1)
    for name, height, count in (("scene-model.inp", 0, 4), ("scene-surface-1.inp", 9, 3)):
        rows = (folder / name).read_text().split("*NODE\n")[1].split("*")[0].splitlines()
        points = [[float(word) for word in row.split(",")[1:]] for row in rows]
        expected = [[2, -2, height], [2, 0, height], [0, -2, height], [2, -2, 2 + height]][:count]
        near = all(abs(a - b) < 1e-15 for p, q in zip(points, expected) for a, b in zip(p, q))
        checks.true(len(points) == count and near, name, "holds", points)


SKIN = """<Model>
<Nodes DOF="3" NumNodes="17">
0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1
-0.5 -0.5 1.3  0.5 -0.5 1.3  1.5 -0.5 1.3  -0.5 0.5 1.3  0.5 0.5 1.3  1.5 0.5 1.3  -0.5 1.5 1.3  0.5 1.5 1.3
1.5 1.5 1.3
</Nodes>
<Elements Type="T4" NumEls="5">0 1 3 4  1 2 3 6  1 5 4 6  3 4 6 7  1 3 4 6</Elements>
<ElementSet Size="all"><Material Type="NH"><ElasticParams NumParams="2">300 1500</ElasticParams>
<Density>10</Density></Material></ElementSet>
<ShellElements Type="T3">8 9 12  8 12 11  9 10 13  9 13 12  11 12 15  11 14 15  12 13 16  12 16 15</ShellElements>
<ShellElementSet Size="8">0<Material Type="LinearShell">1000 0.3 1000 0.3
<Density>10</Density><Thickness>0.1</Thickness></Material></ShellElementSet>
<Constraint Type="Fix" NumNodes="4" DOF="all"><Nodes>0 1 2 3</Nodes></Constraint>
<Constraint Type="Gravity" LoadShape="STEP" NumNodes="9"><Nodes>8</Nodes>
<AccelerationMagnitude>9.8</AccelerationMagnitude><AccelerationDirection>0 0 -1</AccelerationDirection></Constraint>
<SystemParams><TimeStep>0.002</TimeStep><TotalTime>0.6</TotalTime><DampingCoeff>2</DampingCoeff>
<DoDeformableCollision>1</DoDeformableCollision></SystemParams>
<Output Freq="100"><Variable>U</Variable></Output>
</Model>
"""


def skins(checks):
    """Membranes with nodes of their own: one falls on a block, one falls alone."""
    folder = fresh("skins")
    for name, model in (("block", SKIN), ("alone", re.sub(
            r"<ElementSet.*?</ElementSet>|<Constraint Type=.Fix.*?</Constraint>", "",
            SKIN.replace("0 1 3 4  1 2 3 6  1 5 4 6  3 4 6 7  1 3 4 6", "")
            .replace('NumEls="5"', 'NumEls="0"'), flags=re.S))):
        (folder / f"{name}.xml").write_text(model)
        done = palpate("run", f"{name}.xml", "-o", name, cwd=folder)
        if not checks.equal(done.returncode, 0, name, repr(done.stderr)):
            continue
        told = summary(folder / name)
        fallen = 1.3 - told["bodies"]["shell-1"]["centroid"][2]
        checks.equal(told["intersections"], 0, name, "crossings")
        checks.equal(told["bodies"]["shell-1"]["element"], "ebst", name)
        checks.equal(sorted(told["bodies"]), ["model", "shell-1"] if name == "block" else ["shell-1"])
        # damped, it would fall by 1.25 in this time
        low, high = (0.2, 0.7) if name == "block" else (1.2, 1.3)
        checks.true(low < fallen < high, name, "has fallen by", fallen)
        done = palpate("convert", f"{name}.xml", f"{name}.yaml", cwd=folder)
        checks.equal(done.returncode, 0, name, repr(done.stderr))
        palpate("run", f"{name}.yaml", "-o", f"{name}-again", cwd=folder)
        checks.equal(*[(folder / run / "history.csv").read_text() for run in (name, f"{name}-again")])
    refuse(checks, "a membrane on nodes of both kinds", SKIN.replace("8 9 12  8", "8 9 4  8").encode(),
           r":11: node 8 of this membrane is in no solid element")
    again = SKIN.replace('"8">0<', '"4">0<')
    part = re.search("<ShellElementSet.*?</ShellElementSet>", again, re.S).group(0)
    refuse(checks, "two membranes with common nodes",
           again.replace(part, part + part.replace('"4">0<', '"4">4<')).encode(),
           r":13?\d*: node \d+ of this membrane is of another set as well")


PLATE = "<ContactPlate><a>-1 -1 1.05</a><b>-1 2 1.05</b><c>2 -1 1.05</c><Disp>0 0 -0.25</Disp></ContactPlate>"
CYLINDER = ("<ContactCylinder><Origin>0.5 -1 1.6</Origin><Axis>0 1 0</Axis><Radius>0.5</Radius>"
            "<Length>3</Length><OrigDisp>0 0 -0.3</OrigDisp></ContactCylinder>")
PROBE = ("<ContactUSProbe><Origin>0.5 0.5 3</Origin><Axis>0 0 -1</Axis><Radius>0.4</Radius>"
         "<Length>1.5</Length><OrigDisp>0 0 -0.3</OrigDisp></ContactUSProbe>")


def instruments(checks):
    """Each comes down on a block of height 1 until it is at 0.8, where the top of the block is then."""
    folder = fresh("instruments")
    block = re.sub("<ShellElements.*?</ShellElements>|<ShellElementSet.*?</ShellElementSet>"
                   "|<Constraint Type=.Gravity.*?</Constraint>|-0.5 -0.5.*1.5 1.5 1.3"
                   "|<DoDeformableCollision>.*?</DoDeformableCollision>", "", SKIN, flags=re.S)
    block = block.replace('"17"', '"8"').replace("<TotalTime>0.6", "<TotalTime>2")
    for name, tag in (("plate", PLATE), ("cylinder", CYLINDER), ("probe", PROBE)):
        (folder / f"{name}.xml").write_text(block.replace("<Output", tag + "<Output"))
        done = palpate("run", f"{name}.xml", "-o", name, cwd=folder)
        if not checks.equal(done.returncode, 0, name, repr(done.stderr)):
            continue
        told = summary(folder / name)
        height = told["bodies"]["model"]["centroid"][2]
        checks.equal(told["intersections"], 0, name, "crossings")
        # the probe meets the diagonal of the top only
        low, high = (0.4, 0.42) if name == "probe" else (0.3998, 0.4)
        checks.true(low < height < high, name, "leaves the middle at", height)


def main():
    checks = Checks()
    skins(checks)
    instruments(checks)
    for name, old, new, pattern in REFUSED:
        refuse(checks, name, changed(name, old, new), pattern)
    for name, old, new, pattern in LOST:
        lost(checks, name, old, new, pattern)
    for name, old, new, pattern in WARNED:
        warn(checks, name, changed(name, old, new), pattern)
    good(checks)
    usage(checks)
    shipped(checks)
    files(checks)
    print(len(REFUSED), "models refused,", len(LOST), "that lose something,", len(WARNED), "warned of")
    checks.finish()


main()
