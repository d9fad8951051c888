"""Some calls for memory and for files fail, spread over a run and over a resumed one.
tools/inject-faults does the same for all of them."""
import faults
from program import Checks, fresh

RUNS = 20


def main():
    checks = Checks()
    folder = fresh("work")
    faults.prepare(folder, report=False)
    for what in ("memory", "files"):
        for resume in (False, True):
            count = faults.count_calls(folder, resume, what)
            checks.true(count > 50, what, "calls:", count)
            failed = 0
            for i in range(RUNS):
                number = 1 + i * (count - 1) // (RUNS - 1)
                failed += faults.check(checks, folder, resume, what, number, on=i % 4 == 3) != 0
            checks.true(failed > RUNS // 3, what, "only", failed, "runs failed")
    # where libfyaml gets no memory at the start of a scene
    for number in range(12, 24):
        faults.check(checks, folder, False, "memory", number)
    checks.finish()


main()
