"""The same bits for any number of threads, for each element and method."""
from program import BAR, Checks, fingerprint, fresh, palpate

VARIANTS = {
    "t4": [],
    "t4-anp": ["--set", "bodies.0.element=t4-anp"],
    "h8": ["--set", "bodies.0.element=h8"],
    "newmark": ["--set", "solver.method=newmark"],
    "relaxation": ["--set", "solver.method=relaxation"],
    "implicit": ["--set", "solver.method=implicit"],
    "implicit-static": ["--set", "solver.method=implicit-static"],
}


def main():
    checks = Checks()
    work = fresh("work")
    scene = work / "bar.yaml"
    scene.write_text(BAR)
    for name, changes in VARIANTS.items():
        results = {}
        for threads in (1, 2, 3, 8):
            folder = work / f"{name}-{threads}"
            done = palpate("run", scene, "-o", folder, "-q", "--threads", threads,
                           "--set", "solver.time=0.2", *changes)
            if checks.equal(done.returncode, 0, name, threads, "threads", done.stderr):
                checks.equal(done.stdout + done.stderr, "", name, "--quiet prints")
                results[threads] = fingerprint(folder)
        for threads, result in results.items():
            checks.equal(result, results[1], name, "with", threads, "threads the result")
    checks.finish()


main()
