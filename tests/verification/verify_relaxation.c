// Relaxation ends in the equilibrium that slow, damped explicit loading reaches.
#include "simulate.h"

static Simulation hanging_beam(PalElementKind element)
{
    Simulation s = simulate_box(pal_vec3(1, 0.25, 0.25), 12, 3, 3);
    simulate_neo_hookean(&s, 2e4, 0.4, 1000);
    s.body.element = element;
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    PalConditionDef *gravity = simulate_everywhere(&s, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -2);
    return s;
}

static Simulation pressed_block(PalElementKind element)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 5, 5, 5);
    simulate_neo_hookean(&s, 3000, 0.45, 1000);
    s.body.element = element;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *press = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
    press->value = pal_vec3(0.1, 0, -0.3);
    return s;
}

static void compare(Simulation (*make)(PalElementKind), PalElementKind element, double time,
                    double damping)
{
    Simulation slow = make(element), quick = make(element);
    slow.sim.solver.time = time;
    slow.sim.solver.damping = damping;
    for (int c = 0; c < slow.sim.model.condition_count; ++c)
        slow.conditions[c].ramp.until = time / 4;
    simulate_start(&slow);
    simulate_all(&slow);
    quick.sim.solver.method = PAL_METHOD_RELAXATION;
    simulate_start(&quick);
    simulate_all(&quick);
    const PalState *a = pal_sim_state(slow.run), *b = pal_sim_state(quick.run);
    double worst = 0, largest = 0;
    for (int32_t n = 0; n < slow.mesh->node_count; ++n) {
        worst = fmax(worst, pal_vec3_distance(a->displacement[n], b->displacement[n]));
        largest = fmax(largest, pal_vec3_length(a->displacement[n]));
    }
    PalEnergy rest = pal_sim_energy(slow.run);
    print_message("%s: largest displacement %.5g, differs by %.3g of it; %lld steps against %lld "
                  "(kinetic energy left in the slow one: %.2g of its strain energy)\n",
                  pal_element_name(element), largest, worst / largest, (long long)b->step_count,
                  (long long)a->step_count, rest.kinetic / rest.strain);
    assert_true(worst <= 1e-4 * largest);
    assert_true(b->step_count < a->step_count);
    simulate_end(&slow);
    simulate_end(&quick);
}

static void same_equilibrium_as_slow_loading(void **state)
{
    (void)state;
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element) {
        compare(hanging_beam, (PalElementKind)element, 40, 3);
        compare(pressed_block, (PalElementKind)element, 20, 5);
    }
}

// Asked for its end time it goes on to equilibrium.
static void the_end_is_equilibrium(void **state)
{
    (void)state;
    Simulation s = pressed_block(PAL_ELEMENT_T4);
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    simulate_start(&s);
    simulate_to(&s, s.sim.solver.time / 2);
    assert_false(pal_sim_finished(s.run));
    check_near(pal_sim_state(s.run)->time, s.sim.solver.time / 2, 0.01);
    simulate_to(&s, s.sim.solver.time);
    assert_true(pal_sim_finished(s.run));
    simulate_end(&s);
}

// Nothing to do: finished without a motion.
static void rest_is_equilibrium(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 3, 3, 3);
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_start(&s);
    simulate_all(&s);
    const PalState *rest = pal_sim_state(s.run);
    for (int32_t n = 0; n < s.mesh->node_count; ++n)
        assert_true(pal_vec3_length(rest->displacement[n]) == 0);
    simulate_end(&s);
}

// Pulled and let go again: what is left is measured by what was.
static void way_back_to_nothing_ends(void **state)
{
    (void)state;
    static const double points[3][2] = {{0, 0}, {0.5, 1}, {1, 0}};
    Simulation s = simulate_box(pal_vec3(1, 0.4, 0.4), 5, 2, 2);
    simulate_neo_hookean(&s, 1e4, 0.45, 1000);
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    s.sim.solver.step_limit = 5000;
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    PalConditionDef *gravity = simulate_everywhere(&s, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -2);
    gravity->ramp = (PalRamp){.kind = PAL_RAMP_TABLE, .point_count = 3, .points = points};
    simulate_start(&s);
    double largest = 0, left = 0;
    while (!pal_sim_finished(s.run)) {
        PalError error = {0};
        check_ok(pal_sim_step(s.run, &error), &error);
        left = pal_vec3_length(simulate_side_motion(&s, 0, true));
        largest = fmax(largest, left);
    }
    print_message("back to %.2g of the largest motion, %.3g\n", left / largest, largest);
    assert_true(largest > 0.01);
    assert_true(left <= 1e-5 * largest);
    simulate_end(&s);
}

// A body that nothing holds has no equilibrium under gravity: said in words, not waited for.
static void falling_body_is_refused(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    s.sim.solver.step_limit = 2000;
    simulate_everywhere(&s, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, 0, -1);
    simulate_start(&s);
    PalError error = {0};
    PalStatus status = PAL_OK;
    while (status == PAL_OK && !pal_sim_finished(s.run))
        status = pal_sim_step(s.run, &error);
    assert_int_equal(status, PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "runs away"));
    assert_true(pal_sim_state(s.run)->step_count < 2000);
    simulate_end(&s);
}

static void steps_come_to_an_end(void **state)
{
    (void)state;
    Simulation s = pressed_block(PAL_ELEMENT_T4);
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    s.sim.solver.step_limit = 5;
    simulate_start(&s);
    PalError error = {0};
    assert_int_equal(pal_sim_advance(s.run, s.sim.solver.time, &error), PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "no equilibrium after 5 steps"));
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_equilibrium_as_slow_loading),
    cmocka_unit_test(the_end_is_equilibrium),
    cmocka_unit_test(rest_is_equilibrium),
    cmocka_unit_test(way_back_to_nothing_ends),
    cmocka_unit_test(falling_body_is_refused),
    cmocka_unit_test(steps_come_to_an_end),
};
CHECK_GROUP(tests, NULL, NULL)
