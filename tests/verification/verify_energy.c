// External work = strain + kinetic + dissipated, step after step, and better with shorter steps.
#include "simulate.h"

// A beam held at one end, let go under gravity.
static Simulation beam(PalMethod method, PalElementKind element)
{
    Simulation s = simulate_box(pal_vec3(1, 0.2, 0.2), 10, 2, 2);
    simulate_neo_hookean(&s, 2e4, 0.4, 1000);
    s.body.element = element;
    s.sim.solver.method = method;
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    PalConditionDef *gravity = simulate_everywhere(&s, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -0.4);
    gravity->ramp.kind = PAL_RAMP_STEP;
    return s;
}

// Largest imbalance over the steps, relative to the largest energy or work seen.
static double worst_imbalance(Simulation *s, int64_t step_count)
{
    PalError error = {0};
    double worst = 0, scale = 0, lowest = 0;
    for (int64_t i = 0; i < step_count; ++i) {
        check_ok(pal_sim_step(s->run, &error), &error);
        if (i % 10 != 9)
            continue;
        PalEnergy e = pal_sim_energy(s->run);
        worst =
            fmax(worst, fabs(e.kinetic + e.strain + e.dissipated - e.external_work - e.initial));
        scale = fmax(scale, fmax(e.kinetic + e.strain, fabs(e.external_work)));
        lowest = fmin(lowest, simulate_side_motion(s, 0, true).z);
    }
    print_message("   tip moved %.3g, ", lowest);
    assert_true(lowest < -0.1);
    return worst / scale;
}

static void balance(PalMethod method, PalElementKind element)
{
    const int64_t steps = 10000;
    Simulation s = beam(method, element);
    s.sim.solver.time = 1e6;  // longer than the steps we take
    simulate_start(&s);
    double step = pal_sim_next_step(s.run);
    double whole = worst_imbalance(&s, steps);
    simulate_end(&s);

    s = beam(method, element);
    s.sim.solver.time = 1e6;
    s.sim.solver.safety /= 2;
    simulate_start(&s);
    double half = worst_imbalance(&s, 2 * steps);
    simulate_end(&s);
    print_message("\n%s %s: imbalance %.3g with the automatic step %.3g, %.3g with half of it: "
                  "%.2f times less\n",
                  pal_method_name(method), pal_element_name(element), whole, step, half,
                  whole / half);
    assert_true(whole <= 1e-3);
    check_near(whole / half, 4, 0.5);
}

static void undamped_beam_keeps_its_energy(void **state)
{
    (void)state;
    balance(PAL_METHOD_EXPLICIT, PAL_ELEMENT_T4);
    balance(PAL_METHOD_NEWMARK, PAL_ELEMENT_T4);
    balance(PAL_METHOD_EXPLICIT, PAL_ELEMENT_T4_ANP);
    balance(PAL_METHOD_EXPLICIT, PAL_ELEMENT_H8);
}

// Damping, prescribed motion and follower pressure all enter the balance.
static void every_load_enters_the_balance(void **state)
{
    (void)state;
    for (int method = PAL_METHOD_EXPLICIT; method <= PAL_METHOD_NEWMARK; ++method) {
        Simulation s = beam((PalMethod)method, PAL_ELEMENT_T4);
        s.sim.solver.time = 1;
        s.sim.solver.damping = 3;
        PalConditionDef *load = simulate_on_side(&s, PAL_CONDITION_PRESSURE, 2, true);
        load->pressure = 40;
        load = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 0, false);
        load->value = pal_vec3(0.1, 0.2, 0);
        load = simulate_on_side(&s, PAL_CONDITION_TRACTION, 0, true);
        load->value = pal_vec3(0, 30, 0);
        simulate_start(&s);
        simulate_all(&s);
        PalEnergy e = pal_sim_energy(s.run);
        print_message("%s: kinetic %.4g strain %.4g dissipated %.4g external %.4g, drift %.3g\n",
                      pal_method_name((PalMethod)method), e.kinetic, e.strain, e.dissipated,
                      e.external_work, pal_energy_drift(&e));
        assert_true(e.dissipated > 0.05 * e.external_work);
        assert_true(fabs(pal_energy_drift(&e)) <= 1e-3);
        simulate_end(&s);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(undamped_beam_keeps_its_energy),
    cmocka_unit_test(every_load_enters_the_balance),
};
CHECK_GROUP(tests, NULL, NULL)
