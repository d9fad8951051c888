"""The papers' experiments, shortened: all of them run, results are kept, and what is missing is done again."""
import json
import re
import signal
import time

from program import Checks, fresh, palpate, start


def rows_of(folder):
    return json.loads((folder / "reproduce/results.json").read_text())["rows"]


def main():
    checks = Checks()
    folder = fresh("reproduce")

    listed = palpate("reproduce", "--list").stdout
    names = re.findall(r"^([a-z0-9-]+) ", listed, re.M)
    checks.true({"zipper", "cradle", "prostate", "normals"} <= set(names), "--list tells", names)

    first = palpate("reproduce", "--quick", "--threads", "2", cwd=folder)
    checks.equal((first.returncode, first.stderr), (0, ""), "reproduce --quick")
    rows = rows_of(folder)
    checks.equal({row["experiment"] for row in rows}, set(names), "experiments with rows")
    for row in rows:
        what = (row["experiment"], row["line"], row["quantity"])
        checks.true(row["reason"] != "", "no reason for", what)
        checks.equal(row["verdict"], "not compared", "verdict of a shortened run", what)
        if row["quantity"] == "crossing triangles" and "as printed" not in row["line"]:
            checks.equal(row["ours"], 0, "crossings", what)
        if row["quantity"] == "last ball's speed":
            checks.true(0.09 < row["ours"] < 0.11, "the balls have not met", what, row["ours"])
        if row["quantity"] in ("surface facets", "tetrahedra") and row["published"] is not None:
            checks.true(abs(row["ours"] / row["published"] - 1) <= 0.1, "size of", what, row["ours"])

    page = (folder / "reproduce/report.html").read_text()
    for name in names:
        checks.true(f'<h2 id="{name}">' in page, "the page has no", name)
    checks.true("<svg" in page and "data:image/png;base64," in page, "the page has no figures")

    # What is shown at the end is what was measured: its run directory has that one frame.
    for name in names:
        for run in (folder / "reproduce/runs").glob(f"quick-{name}-*"):
            if run.is_dir() and not run.name.endswith("-start") and name != "wedge-chatter":
                checks.equal(len(list(run.glob("frames/*.vtu"))), 1, "frames of", run.name)

    # A second call reads what is kept, and runs what is missing or is not as it was written.
    results = sorted((folder / "reproduce/results").glob("*.txt"))
    written = {path: path.stat().st_mtime_ns for path in results}
    lost, spoilt = results[0], results[1]
    lost.unlink()
    spoilt.write_text(spoilt.read_text().replace("steps 1\n", "steps two\n", 1))
    again = palpate("reproduce", "--quick", "--json", cwd=folder)
    checks.equal(again.returncode, 0, "a second call", again.stderr)
    told = json.loads(again.stdout)["rows"]
    timed = re.compile(r", u?s$|^ns$|ms per step|times as fast|over the rest")
    steady = lambda rows: [(r["experiment"], r["line"], r["quantity"], r["ours"]) for r in rows
                           if not timed.search(r["quantity"])]
    checks.equal(steady(told), steady(rows), "rows of a second call")
    for path in results:
        anew = path.stat().st_mtime_ns != written[path]
        checks.equal(anew, path in (lost, spoilt), "written anew:", path.name)

    # What is not quick is another result, and one experiment can be run by itself.
    one = palpate("reproduce", "normals", "-o", "one", cwd=folder)
    checks.equal(one.returncode, 0, "reproduce normals", one.stderr)
    kept = json.loads((folder / "one/results.json").read_text())
    checks.equal((kept["quick"], {row["experiment"] for row in kept["rows"]}), (False, {"normals"}),
                 "results of one experiment")
    nearer = [row for row in kept["rows"] if row["goal"] is not None]
    checks.true(len(nearer) == 6 and all(row["met"] for row in nearer),
                "continuous normals are not nearer to the fine mesh's", kept["rows"])

    # Stopped in the middle, it keeps what is done and says so. The folders are its first deed.
    running = start("reproduce", "billiard", "-o", "stopped", cwd=folder)
    while running.poll() is None and not (folder / "stopped/runs").exists():
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate()
    checks.equal(running.returncode, 130, "interrupted", said)
    checks.true("what is done is kept" in said and said.count("\n") == 1, "interrupted", said)
    checks.true((folder / "stopped/report.html").exists(), "no page after an interruption")

    for words, said in ((["craddle"], "did you mean 'cradle'?"), (["cradle", "zipper"], "")):
        wrong = palpate("reproduce", *words, cwd=folder)
        checks.equal(wrong.returncode, 2, "reproduce", words)
        checks.true(said in wrong.stderr and wrong.stderr.count("\n") == 1, words, wrong.stderr)
    (folder / "file").write_text("")
    wrong = palpate("reproduce", "normals", "-o", "file", cwd=folder)
    checks.true(wrong.returncode in (1, 2) and "file" in wrong.stderr, "-o file", wrong.stderr)
    checks.finish()


main()
