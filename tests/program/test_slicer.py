"""Every command of docs/from-slicer.md, with its scene, in an empty folder."""
import os
import re
import shutil
import subprocess

from program import PALPATE, ROOT, Checks, fresh, summary

BLOCK = re.compile(r"^```(sh|yaml)\n(.*?)^```$", re.M | re.S)


def main():
    checks = Checks()
    folder = fresh("slicer")
    tools = fresh("slicer-path")
    (tools / "palpate").symlink_to(PALPATE)
    (folder / "scenes").symlink_to(ROOT / "scenes")
    env = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
    commands = 0
    for language, content in BLOCK.findall((ROOT / "docs/from-slicer.md").read_text()):
        if language == "yaml":
            (folder / "blob.yaml").write_text(content)
            continue
        for command in content.splitlines():
            done = subprocess.run(["bash", "-euc", command], cwd=folder, env=env,
                                  capture_output=True, text=True)
            checks.equal(done.returncode, 0, command, done.stderr)
            checks.equal(done.stderr, "", command)
            commands += 1
    checks.equal(commands, 3, "commands")
    told = summary(folder / "runs/blob")
    checks.equal(told["status"], "ok")
    # it sags by millimetres, downwards
    front = told["probes"]["front"]
    checks.true(-0.01 < front[1] < -0.001, "the front moved by", front)
    checks.finish()


if shutil.which("gmsh"):
    main()
