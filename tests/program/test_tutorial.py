"""Every command of the tutorial, run in order in an empty folder.

A block ```sh must succeed, ```sh fails must end with status 2, ```sh stops must be stopped by
timeout; ```console is for the reader; each line of a block ```c is in an example. A block of another language is the file its text names."""
import os
import random
import re
import subprocess

from program import PALPATE, ROOT, Checks, fresh, history, summary

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)


def blocks(text):
    """(language, file name or None, content) of each fenced block."""
    end = 0
    for match in BLOCK.finditer(text):
        before = text[end:match.start()]
        named = re.search(r"[Ss]ave this\s+as\s+`([^`]+)`(?:(?!`).)*\Z", before, re.S)
        yield match.group(1), named.group(1) if named else None, match.group(2)
        end = match.end()


def run(checks, command, expected, folder, env):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=env,
                          capture_output=True, text=True)
    checks.true(done.returncode in expected, command.strip(), "ended with", done.returncode,
                done.stderr.strip())
    return done


def main():
    checks = Checks()
    folder = fresh("work")
    tools = fresh("path")
    (tools / "palpate").symlink_to(PALPATE)
    env = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
    # One thread is enough for models of this size, and two wait for each other on a busy machine.
    os.sched_setaffinity(0, {random.choice(sorted(os.sched_getaffinity(0)))})
    programs = "".join(path.read_text() for path in sorted((ROOT / "examples").glob("*.c")))
    commands = 0
    for language, name, content in blocks((ROOT / "docs/tutorial.md").read_text()):
        if language in ("yaml", "geo", "xml"):
            if checks.true(name is not None, "a block of", language, "has no name"):
                (folder / name).write_text(content)
            continue
        expected = {"sh": {0}, "sh fails": {2}, "sh stops": {124, 130, 0}}.get(language)
        if language == "console":
            continue
        if language == "c":
            for line in content.splitlines():
                checks.true(line.strip() in programs, "no example has the line", line)
            continue
        if not checks.true(expected is not None, "a block of", repr(language)):
            continue
        for command in content.splitlines():
            commands += 1
            run(checks, command, expected, folder, env)
    checks.true(commands >= 12, "the tutorial has only", commands, "commands")

    for name in ("palpation", "bar", "stiff", "gel", "rest", "long", "touch", "withdrawn", "fine", "slippery",
                 "kidney", "press", "press-again", "squeeze", "few", "twist"):
        run_folder = folder / "runs" / name
        checks.equal(summary(run_folder)["status"], "ok", name)
        for file in ("report.html", "picture.png", "run.pvd", "history.csv"):
            checks.true((run_folder / file).stat().st_size > 0, name, file)
    bar, stiff = (summary(folder / "runs" / name)["probes"]["tip"][2] for name in ("bar", "stiff"))
    checks.true(bar < stiff < 0, "the stiffer bar sinks less:", bar, stiff)
    many, few = (summary(folder / "runs" / name)["probes"]["plate"][2] for name in ("squeeze", "few"))
    checks.true(abs(few / many - 1) < 1e-6, "the load curve ends at", many, "and", few)
    checks.true(summary(folder / "runs/kidney")["probes"]["push"][2] != 0, "the kidney resists")
    press, again = (summary(folder / "runs" / name)["state_hash"] for name in ("press", "press-again"))
    checks.equal(again, press, "the converted model's bits")
    touch, fine = (folder / "runs" / name for name in ("touch", "fine"))
    checks.equal(summary(fine)["state_hash"], summary(touch)["state_hash"], "with more rows, the bits")
    checks.true(len(history(fine)) > 10 * len(history(touch)), "more rows")
    checks.finish()


main()
