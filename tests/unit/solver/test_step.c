// The automatic step: how long it is, where it lands, when it changes; and what mass scaling does.
#include "simulate.h"

static Simulation pressed(double down)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    simulate_neo_hookean(&s, 1000, 0.3, 1);
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0, 0, -down);
    s.sim.solver.time = 1;
    return s;
}

static void automatic_steps_land_on_output_times(void **state)
{
    (void)state;
    const double intervals[] = {0.1, 0.037, 0.3, 1, 5};
    for (int i = 0; i < 5; ++i) {
        Simulation s = pressed(0.1);
        s.sim.align = intervals[i];
        simulate_start(&s);
        for (int k = 1; k * intervals[i] < 1; ++k) {
            simulate_to(&s, k * intervals[i]);
            check_near(pal_sim_state(s.run)->time, k * intervals[i], 1e-15);
        }
        simulate_all(&s);
        check_near(pal_sim_state(s.run)->time, 1, 0);
        simulate_end(&s);
    }
}

static void the_step_is_the_safe_fraction_of_the_bound(void **state)
{
    (void)state;
    Simulation s = pressed(0.1);
    simulate_start(&s);
    int32_t body, cell;
    double bound = pal_sim_stable_step(s.run, &body, &cell), step = pal_sim_next_step(s.run);
    assert_int_equal(body, 0);
    assert_true(cell >= 0 && cell < s.mesh->cell_count);
    assert_true(step <= 0.9 * bound * (1 + 1e-12));
    assert_true(step >= 0.9 * bound * (1 - 0.9 * bound));  // rounded to a whole number of steps
    simulate_end(&s);
}

// Flattened cells allow only shorter steps: the step follows, and the run stays stable.
static void the_step_follows_the_deformation(void **state)
{
    (void)state;
    Simulation s = pressed(0.6);
    s.sim.solver.damping = 5;
    s.sim.align = 0.05;
    simulate_start(&s);
    double first = pal_sim_next_step(s.run);
    simulate_all(&s);
    double last = pal_sim_state(s.run)->step;
    PalEnergy energy = pal_sim_energy(s.run);
    assert_true(last < 0.9 * first);
    assert_true(pal_sim_counters(s.run)->step_changes > 0);
    assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
    simulate_end(&s);
}

static void a_given_step_is_kept(void **state)
{
    (void)state;
    Simulation s = pressed(0.1);
    s.sim.solver.step = 1e-3;
    simulate_start(&s);
    simulate_all(&s);
    assert_int_equal(pal_sim_state(s.run)->step_count, 1000);
    check_near(pal_sim_state(s.run)->time, 1, 1e-15);
    assert_true(pal_sim_state(s.run)->step == 1e-3);
    simulate_end(&s);
}

// Whole steps that do not add up to the end: the last one is shorter.
static void a_given_step_does_not_pass_the_end(void **state)
{
    (void)state;
    const double times[] = {1, 0.75, 0.3 * (1 + 1e-9), 0.3 * (1 - 1e-9)};
    const int counts[] = {334, 250, 100, 100};
    for (int i = 0; i < 4; ++i) {
        Simulation s = pressed(0.1);
        s.sim.solver.step = 3e-3;
        s.sim.solver.time = times[i];
        simulate_start(&s);
        simulate_all(&s);
        assert_int_equal(pal_sim_state(s.run)->step_count, counts[i]);
        check_near(pal_sim_state(s.run)->time, times[i], 0);
        PalEnergy energy = pal_sim_energy(s.run);
        assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
        simulate_end(&s);
    }
}

// Central differences blow up beyond the true critical step and not below it: the bound must
// lie under it, and not far under it.
static void the_bound_is_safe_and_close(void **state)
{
    (void)state;
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element) {
        const double factors[] = {0.999, 2};
        for (int i = 0; i < 2; ++i) {
            Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
            simulate_neo_hookean(&s, 1000, 0.3, 1);
            s.body.element = (PalElementKind)element;
            PalConditionDef *kick = simulate_on_side(&s, PAL_CONDITION_FORCE, 2, true);
            kick->value = pal_vec3(0, 0, 1e-3);
            kick->ramp.kind = PAL_RAMP_STEP;
            simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
            simulate_start(&s);
            int32_t body, cell;
            double bound = pal_sim_stable_step(s.run, &body, &cell);
            pal_sim_destroy(s.run);
            s.sim.solver.step = factors[i] * bound;
            s.sim.solver.time = 3000 * s.sim.solver.step;
            simulate_start(&s);
            PalError error = {0};
            PalStatus status = pal_sim_advance(s.run, s.sim.solver.time, &error);
            assert_int_equal(status, i == 0 ? PAL_OK : PAL_SIM_FAILED);
            if (i == 1)
                assert_non_null(strstr(error.text, "exceeds the stable bound"));
            simulate_end(&s);
        }
    }
}

static void mass_scaling_lengthens_the_step(void **state)
{
    (void)state;
    Simulation s = pressed(0.1);
    simulate_start(&s);
    double plain = pal_sim_next_step(s.run), mass = pal_sim_model(s.run)->total_mass;
    assert_true(pal_sim_model(s.run)->added_mass == 0);
    pal_sim_destroy(s.run);
    s.sim.solver.mass_scaling_step = 2 * plain;
    simulate_start(&s);
    const PalModel *model = pal_sim_model(s.run);
    assert_true(pal_sim_next_step(s.run) > 1.9 * plain);
    check_near(model->total_mass - model->added_mass, mass, 1e-12);
    assert_true(model->added_mass > 2 * mass && model->added_mass < 4 * mass);
    simulate_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automatic_steps_land_on_output_times),
        cmocka_unit_test(the_step_is_the_safe_fraction_of_the_bound),
        cmocka_unit_test(the_step_follows_the_deformation),
        cmocka_unit_test(a_given_step_is_kept),
        cmocka_unit_test(a_given_step_does_not_pass_the_end),
        cmocka_unit_test(the_bound_is_safe_and_close),
        cmocka_unit_test(mass_scaling_lengthens_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
