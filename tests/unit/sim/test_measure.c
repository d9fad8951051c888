// Energies and momenta at the start, where the step changes, and where nodes are held.
#include "simulate.h"
#include <palpate/steer.h>

static void with_each_method(void (*check)(PalMethod))
{
    check(PAL_METHOD_EXPLICIT);
    check(PAL_METHOD_NEWMARK);
}

// A thrown box in free fall; its output times need steps of two lengths.
static Simulation falling(PalMethod method)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
    s.body.velocity = pal_vec3(1, 0, 2);
    s.sim.solver.method = method;
    s.sim.solver.time = 0.97;
    s.sim.align = 0.3;
    PalConditionDef *gravity = simulate_everywhere(&s, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -9.81);
    gravity->ramp.kind = PAL_RAMP_STEP;
    return s;
}

static void check_fall(PalMethod method)
{
    Simulation s = falling(method);
    simulate_start(&s);
    PalEnergy energy = pal_sim_energy(s.run);
    check_near(energy.kinetic, energy.initial, 1e-14);
    check_near(pal_energy_drift(&energy), 0, 1e-14);
    simulate_to(&s, 0.9);
    double time = pal_sim_state(s.run)->time, step = pal_sim_state(s.run)->step;
    assert_true(pal_sim_next_step(s.run) < 0.8 * step);
    check_near(pal_sim_momentum(s.run).x, 1, 1e-13);
    check_near(pal_sim_momentum(s.run).z, 2 - 9.81 * time, 1e-13);
    // what is left is of the order of (step acceleration)^2 against velocity^2
    energy = pal_sim_energy(s.run);
    assert_true(fabs(pal_energy_drift(&energy)) <= pow(step / time, 2));
    simulate_end(&s);
}

static void changing_the_step_keeps_the_balance(void **state)
{
    (void)state;
    with_each_method(check_fall);
}

// Worst imbalance of a block that starts against what holds it: thrown while one side is fixed, and
// pulled from the first moment on.
static double jerked_imbalance(PalMethod method, double step, bool relaxes)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 3, 3, 3);
    s.material.isochoric_count = s.material.volumetric_count = relaxes;
    s.material.isochoric[0] = s.material.volumetric[0] = (PalPronyTerm){0.5, 0.1};
    s.body.velocity = pal_vec3(0.1, 0, 0);
    s.sim.solver.method = method;
    s.sim.solver.step = step;
    s.sim.solver.time = 0.5;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *pull = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
    pull->value = pal_vec3(0, 0, 0.05);
    pull->ramp.kind = PAL_RAMP_LINEAR;
    simulate_start(&s);
    PalEnergy energy = pal_sim_energy(s.run);
    PalError error = {0};
    check_near(pal_energy_drift(&energy), 0, 1e-14);
    double worst = 0;
    while (!pal_sim_finished(s.run)) {
        check_ok(pal_sim_step(s.run, &error), &error);
        energy = pal_sim_energy(s.run);
        worst = fmax(worst, fabs(pal_energy_drift(&energy)));
    }
    assert_true(relaxes ? energy.dissipated > 0.01 * energy.external_work : energy.dissipated == 0);
    simulate_end(&s);
    return worst;
}

static void check_jerk(PalMethod method)
{
    double whole = jerked_imbalance(method, 0.02, false);
    double half = jerked_imbalance(method, 0.01, false);
    print_message("%s: imbalance %.3g, with half the step %.3g\n", pal_method_name(method), whole,
                  half);
    check_near(whole / half, 4, 0.5);
    assert_true(half < 1e-4);
    // what relaxes is told by its work: the book closes to the last digits
    assert_true(jerked_imbalance(method, 0.02, true) < 1e-13);
}

static void what_holds_a_node_does_work_from_the_start(void **state)
{
    (void)state;
    with_each_method(check_jerk);
}

// Momenta, by nodes where they are, and the middle of a body, by their masses.
static void check_sums(PalMethod method)
{
    Simulation s = falling(method);
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, true);
    simulate_start(&s);
    simulate_to(&s, 0.3);
    const PalModel *model = pal_sim_model(s.run);
    const PalState *now = pal_sim_state(s.run);
    PalVec3 velocity[64], sums[3] = {{0, 0, 0}}, centre, mean;
    assert_true(model->node_count <= 64);
    pal_sim_velocity(s.run, velocity);
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 x = pal_vec3_add(model->nodes[n], now->displacement[n]);
        sums[0] = pal_vec3_add_scaled(sums[0], model->mass[n], velocity[n]);
        sums[1] = pal_vec3_add_scaled(sums[1], model->mass[n], pal_vec3_cross(x, velocity[n]));
        sums[2] = pal_vec3_add_scaled(sums[2], model->mass[n], x);
    }
    pal_sim_body_motion(s.run, 0, &centre, &mean);
    PalMeasures measures = pal_sim_measure(s.run, NULL);
    assert_true(pal_vec3_length(sums[1]) > 0.05);
    check_near(pal_vec3_distance(pal_sim_momentum(s.run), sums[0]), 0, 1e-13);
    check_near(pal_vec3_distance(pal_sim_angular_momentum(s.run), sums[1]), 0, 1e-13);
    check_near(pal_vec3_distance(measures.momentum, sums[0]), 0, 1e-13);
    check_near(pal_vec3_distance(measures.angular_momentum, sums[1]), 0, 1e-13);
    check_near(pal_vec3_distance(mean, sums[0]), 0, 1e-13);  // its mass is 1
    check_near(pal_vec3_distance(centre, sums[2]), 0, 1e-13);
    simulate_end(&s);
}

static void momenta_are_sums_over_nodes(void **state)
{
    (void)state;
    with_each_method(check_sums);
}

static void the_hash_sees_every_number_of_the_state(void **state)
{
    (void)state;
    Simulation s = falling(PAL_METHOD_NEWMARK);
    s.material.isochoric_count = 1;
    s.material.isochoric[0] = (PalPronyTerm){0.5, 1};
    simulate_start(&s);
    simulate_to(&s, 0.3);
    PalError error = {0};  // conditions count once a program has changed them
    for (int32_t c = 0; c < s.sim.model.condition_count; ++c)
        if (s.conditions[c].kind == PAL_CONDITION_GRAVITY)
            check_ok(pal_sim_set_load(s.run, c, pal_vec3(0, 0, 1), 0.5, &error), &error);
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(s.run, arrays);
    for (int32_t i = 0; i < count; ++i) {
        uint64_t before = pal_sim_hash(s.run);
        if (arrays[i].data == NULL || strcmp(arrays[i].name, "scalars") == 0 ||
            strcmp(arrays[i].name, "integers") == 0)
            continue;  // copies
        double *last = (double *)arrays[i].data + arrays[i].count - 1;
        *last = nextafter(*last, 1e9);
        if (pal_sim_hash(s.run) == before)
            fail_msg("the hash does not see %s", arrays[i].name);
    }
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(changing_the_step_keeps_the_balance),
    cmocka_unit_test(momenta_are_sums_over_nodes),
    cmocka_unit_test(what_holds_a_node_does_work_from_the_start),
    cmocka_unit_test(the_hash_sees_every_number_of_the_state),
};
CHECK_GROUP(tests, NULL, NULL)
