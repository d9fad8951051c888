"""What holds nodes that are themselves in contact: the same force and work by every method."""
from program import Checks, fresh, palpate, summary

# All nodes of the ball are led; so what holds it is what the block gives it.
SCENE = """\
name: led
bodies:
  - name: block
    shape: {box: [0.06, 0.06, 0.03], cells: [6, 6, 3]}
    material: {law: neo-hookean, young: 5000, poisson: 0.4, density: 1000}
  - name: ball
    shape: {sphere: 0.015, cells: 6}
    place: {translate: [0.003, 0.002, 0.031]}
    material: {law: neo-hookean, young: 8000, poisson: 0.4, density: 1000}
conditions:
  - {body: block, where: {plane: z-min}, fix: xyz}
  - {body: ball, where: all, displace: [0, 0, -0.006], ramp: smooth}
contact: [{between: all}RESPONSE]
solver: {SOLVER}
probes:
  - {name: push, between: [ball, block]}
  - {name: hold, body: ball, record: force}
  - {name: floor, body: block, where: {plane: z-min}, record: force}
output: {report: false, checkpoint: 0}
"""

# response and solver
RUNS = {
    "barrier": ("", "method: implicit-static, steps: 10"),
    "barrier, fine": ("", "method: implicit-static, steps: 20"),
    "material-depth": (", {response: material-depth}", "method: implicit-static, steps: 10"),
    "implicit": ("", "method: implicit, time: 1, step: 0.1, damping: 20"),
    "relaxation": ("", "method: relaxation"),
    "explicit": ("", "method: explicit, time: 1, damping: 20"),
    "newmark": ("", "method: newmark, time: 1, damping: 20"),
}


# Without friction contact takes nothing, whoever leads: what led the ball is in the block, or was
# damped. Works of load steps are chords, off by the square of the step.
def check_works(checks, name, energy):
    strain, outside = energy["strain"], energy["external_work"]
    contact, lost = energy["contact_work"] / strain, energy["dissipated"] / strain
    print(f"  external {outside / strain:.4f}, contact {contact:.1e}, dissipated {lost:.4f}")
    checks.true(abs(contact) < 0.01, f"{name}: contact's work", energy)
    checks.true(abs(outside / strain - lost - 1) < 0.01, f"{name}: work of what leads", energy)


def main():
    checks = Checks()
    folder = fresh("held")
    drifts = {}
    for name, (response, solver) in RUNS.items():
        scene = SCENE.replace("RESPONSE", response).replace("SOLVER", solver)
        (folder / f"{name}.yaml").write_text(scene)
        done = palpate("run", f"{name}.yaml", "-o", name, "-q", cwd=folder)
        checks.true(done.returncode == 0, name, done.stderr)
        told = summary(folder / name)
        probes, drifts[name] = told["probes"], told["energy"]["worst_drift"]
        check_works(checks, name, told["energy"])
        push, hold, floor = (probes[probe] for probe in ("push", "hold", "floor"))
        off = max(abs(a + b) for a, b in zip(push, hold)) / push[2]
        rest = max(abs(a - b) for a, b in zip(push, floor)) / push[2]
        print(f"{name}: push {push[2]:.4f}, off {off:.1e}, floor off {rest:.1e}")
        damped = "damping" in solver  # what holds the ball holds it against that as well
        checks.true(push[2] > 0.5 and off < (1e-4 if damped else 1e-9), name, (push, hold))
        checks.true(rest < 0.01, f"{name}, floor", (push, floor))
    print("drift", {name: f"{drift:.1e}" for name, drift in drifts.items()})
    coarse, fine = drifts["barrier"], drifts["barrier, fine"]
    checks.true(2.5 * fine < coarse < 0.01, "drift falls with the square of the step", drifts)
    # Elements that smooth pressures do not relax, so that load steps lose nothing in them.
    solver = RUNS["barrier"][1]
    scene = SCENE.replace("RESPONSE", "").replace("SOLVER", solver).replace(
        "{box: [0.06, 0.06, 0.03], cells: [6, 6, 3]}",
        "{box: [0.06, 0.06, 0.03], cells: [6, 6, 3]}\n    element: mixed")
    (folder / "mixed.yaml").write_text(scene)
    done = palpate("run", "mixed.yaml", "-o", "mixed", "-q", cwd=folder)
    checks.true(done.returncode == 0, "mixed", done.stderr)
    energy = summary(folder / "mixed")["energy"]
    checks.equal(energy["dissipated"], 0, "dissipated by mixed elements in statics")
    checks.true(1e-5 < energy["worst_drift"] < 0.01, "drift of mixed elements", energy)
    checks.finish()


main()
