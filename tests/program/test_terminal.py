"""The line of progress: on a terminal only, never wider than it, no colour unless wanted."""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios

from program import BAR, PALPATE, Checks, fresh

COLOR = re.compile(r"\x1b\[\d*m")
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def on_terminal(words, cwd, columns, env, until=None):
    """Runs the program with both outputs on a terminal of its own; returns what it wrote.
    Once it has written what `until` looks for, it is interrupted."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    surroundings = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8", **env}
    process = subprocess.Popen([PALPATE, *words], cwd=cwd, stdin=slave, stdout=slave, stderr=slave,
                               env=surroundings)
    os.close(slave)
    written = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        written += piece
        if until is not None and until(written.decode(errors="ignore")):
            process.send_signal(signal.SIGINT)
            until = None
    os.close(master)
    return process.wait(), written.decode()


def drawn_lines(text):
    """Each drawing of the line of progress, as one sees it."""
    return [ESCAPE.sub("", line) for line in re.findall(r"\r\x1b\[K([^\r\n]*)(?=\r\x1b)", text)]


def main():
    checks = Checks()
    work = fresh("work")
    (work / "bar.yaml").write_text(BAR)
    words = ["run", "bar.yaml", "--threads", "1", "--set", "output.report=false"]
    long = words + ["--set", "solver.time=10000", "--set", "output.every=10000"]
    has_bar = lambda text: any(re.search("[━─#]|--", line) for line in drawn_lines(text))
    for columns in (200, 80, 40, 20, 5):
        status, text = on_terminal(long, work, columns, {}, has_bar)
        checks.equal(status, 130, columns, "columns: exit status", text)
        lines = drawn_lines(text)
        checks.true(has_bar(text), columns, "columns: no bar in", repr(text))
        for line in lines:
            checks.true(len(line) <= max(columns - 3, 0), columns, "columns:", repr(line))
        if columns >= 40:
            checks.true(any(re.search(r"\d+%  .* left", line) for line in lines), columns,
                        "columns: no percent or time left in", lines)
        checks.true(COLOR.search(text), columns, "columns: no colour")

    status, text = on_terminal(long, work, 80, {"NO_COLOR": "1"}, has_bar)
    checks.true(drawn_lines(text) and not COLOR.search(text), "NO_COLOR:", repr(text[:300]))
    status, text = on_terminal(long, work, 80, {"LANG": "C"}, has_bar)
    checks.true(text.isascii() and "----" in text, "LANG=C:", repr(text[:300]))
    for name, extra, env in (("TERM=dumb", [], {"TERM": "dumb"}), ("no TERM", [], {"TERM": ""}),
                             ("--quiet", ["--quiet"], {})):
        status, text = on_terminal(words + extra, work, 80, env)
        checks.equal(status, 0, name, "exit status")
        checks.true("\x1b" not in text, name, "writes", repr(text[:300]))
    checks.equal(text, "", "--quiet writes")

    done = subprocess.run([PALPATE, *words], cwd=work, capture_output=True, text=True)
    checks.equal(done.stderr, "", "standard error without a terminal")
    checks.true("\x1b" not in done.stdout, "standard output without a terminal", repr(done.stdout))

    # Warnings come before the run, one line each, and stand in the log.
    stiff = words + ["--set", "bodies.0.material.poisson=0.499", "--set", "solver.time=0.01",
                     "--set", "output.every=0.01", "--set", "conditions.1.until=0.01"]
    done = subprocess.run([PALPATE, *stiff], cwd=work, capture_output=True, text=True)
    checks.equal(done.returncode, 0, "a run with a warning", done.stderr)
    checks.true(re.fullmatch(r"warning: [^\n]*element t4 locks[^\n]*\n", done.stderr),
                "a run that locks says", repr(done.stderr))
    log = (work / "runs/bar/log.txt").read_text()
    checks.equal(log.count(done.stderr.strip()), 1, "warnings in the log", log)
    done = subprocess.run([PALPATE, *stiff, "--quiet"], cwd=work, capture_output=True, text=True)
    checks.equal(done.stdout + done.stderr, "", "--quiet with a warning")
    checks.true("element t4 locks" in (work / "runs/bar/log.txt").read_text(),
                "--quiet: no warning in the log")

    done = subprocess.run([PALPATE, *words, "--set", "solver.method=relaxation"], cwd=work,
                          capture_output=True, text=True)
    checks.equal(done.returncode, 0, "relaxation", done.stderr)
    told = re.search(r"residual +about (\S+) of deformations and forces", done.stdout)
    checks.true(told and 0 < float(told[1]) <= 1e-5, "relaxation: residual in", done.stdout)
    checks.true("to pseudo-time" in done.stdout and "drift" not in done.stdout,
                "relaxation prints", done.stdout)

    done = subprocess.run([PALPATE, *words, "-o", "slashed//"], cwd=work, capture_output=True,
                          text=True)
    checks.true("slashed/summary.json" in done.stdout and "//" not in done.stdout,
                "-o DIR// prints", done.stdout)

    # Letters with accents take one column, whatever their bytes.
    (work / "accents.yaml").write_text(BAR.replace("name: tip", "name: flèche à l'été"))
    done = subprocess.run([PALPATE, "run", "accents.yaml", *words[2:], "-o", "accents"], cwd=work,
                          capture_output=True, text=True)
    columns = {line.rindex(value) for line in done.stdout.splitlines()
               for value in ("displacement ", "accents/history.csv") if value in line}
    checks.equal(len(columns), 1, "columns of", done.stdout)

    # Names of parameters in one column, their meanings in another.
    laws = subprocess.run([PALPATE, "laws"], capture_output=True, text=True).stdout
    columns = {len(found[0]) for found in re.finditer(r"^    [a-z]\S*\s+", laws, re.MULTILINE)}
    checks.equal(len(columns), 1, "columns of", laws)
    checks.true(re.search(r"direction +\[x, y, z\]", laws) and "direction-x" not in laws,
                "vectors in", laws)
    for name, young in (("neo-hookean", True), ("mooney-rivlin", False)):
        law = subprocess.run([PALPATE, "laws", name], capture_output=True, text=True).stdout
        checks.equal("young and poisson" in law, young, name, "young and poisson in", law)
        checks.true("density" in law and "relaxation" in law, name, "density in", law)
    checks.finish()


main()
