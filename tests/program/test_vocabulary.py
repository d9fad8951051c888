"""The schema and the reference are those of the program, and say what the program accepts."""
import json
import re

import jsonschema
import yaml

from program import BAR, ROOT, Checks, fresh, palpate

# name, what to change in the bar of program.py: form that the schema must see too.
WRONG = [
    ("an unknown key", "fix: xyz", "fix: xyz, colour: red"),
    ("an unknown part", "name: bar\n", "name: bar\ntissues: []\n"),
    ("text for a number", "density: 1000", "density: heavy"),
    ("a number out of range", "density: 1000", "density: 0"),
    ("a fraction above 1", "step: auto", "step: auto, safety: 1.5"),
    ("a tolerance of 1", "step: auto", "step: auto, tolerance: 1"),
    ("a key that is missing", ", density: 1000", ""),
    ("an unknown word", "method: explicit", "method: magic"),
    ("a word for a number", "step: auto", "step: soon"),
    ("half a thread", "step: auto", "step: auto, threads: 0.5"),
    ("a flag that is none", "every: 0.05", "every: 0.05, report: maybe"),
    ("a list too short", "force: [0, 0, -0.001]", "force: [0, -0.001]"),
    ("null where a number must be", "force: [0, 0, -0.001]", "force: [0, 0, null]"),
    ("too many cells", "cells: [8, 2, 2]", "cells: [8, 2, 2, 2]"),
    ("half a cell", "cells: [8, 2, 2]", "cells: [8, 2, 2.5]"),
    ("both of two that exclude each other", "cells: [8, 2, 2]", "cells: [8, 2, 2], size: 0.01"),
    ("two shapes", "cells: [8, 2, 2]", "cells: [8, 2, 2], sphere: 1"),
    ("no shape", "box: [0.04, 0.01, 0.01], ", ""),
    ("no form at all", "    shape: {box: [0.04, 0.01, 0.01], cells: [8, 2, 2]}\n", ""),
    ("two conditions in one", "fix: xyz", "fix: xyz, pressure: 1"),
    ("letters that are no axes", "fix: xyz", "fix: xw"),
    ("a ramp of one point", "ramp: smooth, until: 0.5", "ramp: [[0, 1]]"),
    ("a field twice", "fields: [displacement,", "fields: [displacement, displacement,"),
    ("an unknown field", "fields: [displacement,", "fields: [colour,"),
    ("a name too long", "name: tip", "name: " + "t" * 101),
    ("an empty name", "name: tip", 'name: ""'),
    ("a box of three corners", "{plane: x-min}", "{box: [[0, 0, 0], [1, 1, 1], [2, 2, 2]]}"),
    ("two selections in one", "{plane: x-min}", "{all-of: [{surface: true, plane: x-min}]}"),
    ("a side that is none", "{plane: x-min}", "{plane: w-min}"),
    ("nine terms", "density: 1000", "density: 1000, relaxation: {isochoric: ["
     + ", ".join(["{weight: 0.1, time: 1}"] * 9) + "]}"),
]

# The same, and right.
RIGHT = [
    ("as it is", "", ""),
    ("one number for all cells", "cells: [8, 2, 2]", "cells: 2"),
    ("null in displace", "force: [0, 0, -0.001]", "displace: [0, null, 0]"),
    ("a ramp of points", "ramp: smooth, until: 0.5", "ramp: [[0, 0], [1, 1]]"),
    ("two corners", "{plane: x-min}", "{box: [[-1, -1, -1], [0, 1, 1]]}"),
    ("all nodes", "where: {plane: x-max}, record", "where: all, record"),
    ("selections of selections", "{plane: x-min}",
     "{all-of: [{surface: true}, {not: {facing: {direction: [1, 0, 0], within: 91}}}]}"),
    ("a switch of older YAML", "name: bar\nbodies", "name: off\nbodies"),
    ("itself", "solver:", "contact: [{self: all, active: true}, {schedule: every-step}]\nsolver:"),
    ("eight terms", "density: 1000", "density: 1000, relaxation: {isochoric: ["
     + ", ".join(["{weight: 0.1, time: 1}"] * 8) + "]}"),
]


class Loader(yaml.SafeLoader):
    """YAML 1.2: `on` is text and 1e-5 is a number."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in (
        ("bool", r"^(?:true|false)$", "tf"), ("null", r"^(?:null|~|)$", ["n", "~", ""]),
        ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
        ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789")):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))
Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


def check_resolved(checks, validator, folder, name):
    """The scene of a run, defaults filled in, as PyYAML reads it, which knows YAML 1.1 only."""
    done = palpate("run", "scene.yaml", "-o", "run", "--set", "solver.time=0.1",
                   "--set", "output.every=0.1", "--set", "output.report=false", cwd=folder)
    if not checks.equal(done.returncode, 0, name, "runs", done.stderr):
        return
    text = (folder / "run" / "scene.yaml").read_text()
    found = [error.message for error in validator.iter_errors(yaml.safe_load(text))]
    checks.equal(found, [], name, "as resolved")


def main():
    checks = Checks()
    for option, file in (("--schema", "scene.schema.json"), ("--reference", "scene-reference.md")):
        written = palpate("help", option)
        checks.equal(written.returncode, 0, "help", option)
        checks.true(written.stdout == (ROOT / "docs" / file).read_text(),
                    f"docs/{file} differs from what 'palpate help {option}' writes: run 'make docs'")
    schema = json.loads(palpate("help", "--schema").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    def mistakes(text):
        return [error.message for error in validator.iter_errors(yaml.load(text, Loader))]

    scenes = sorted((ROOT / "scenes").glob("*.yaml"))
    checks.true(len(scenes) > 20, "scenes that ship:", len(scenes))
    for scene in scenes:
        checks.equal(mistakes(scene.read_text()), [], scene.name)

    folder = fresh("scenes")
    for name, old, new in RIGHT + WRONG:
        text = BAR.replace(old, new, 1)
        wrong = (name, old, new) in WRONG
        checks.true(not wrong or text != BAR, name, "changes nothing")
        (folder / "scene.yaml").write_text(text)
        done = palpate("check", "scene.yaml", cwd=folder)
        checks.equal(done.returncode, 2 if wrong else 0, name, "by the program", done.stderr)
        checks.equal(bool(mistakes(text)), wrong, name, "by the schema")
        if not wrong:
            check_resolved(checks, validator, folder, name)
    checks.finish()


main()
