// A body that moves freely keeps its velocity; one that spins keeps its angular momentum.
#include "simulate.h"

static void fly(PalMethod method, PalElementKind element)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    simulate_neo_hookean(&s, 3000, 0.45, 20);
    s.body.element = element;
    s.body.velocity = pal_vec3(0.1, -0.05, 0.02);
    s.sim.solver.method = method;
    s.sim.solver.step = 1e-4;
    simulate_start(&s);
    simulate_to(&s, 1);
    PalVec3 *velocity = calloc((size_t)s.mesh->node_count, sizeof *velocity);
    pal_sim_velocity(s.run, velocity);
    double worst = 0;
    for (int32_t n = 0; n < s.mesh->node_count; ++n)
        worst = fmax(worst, pal_vec3_distance(velocity[n], s.body.velocity));
    double relative = worst / pal_vec3_length(s.body.velocity);
    print_message("%s %s: velocity off by %.3g (relative) after %lld steps\n",
                  pal_method_name(method), pal_element_name(element), relative,
                  (long long)pal_sim_state(s.run)->step_count);
    assert_true(pal_sim_state(s.run)->step_count == 10000);
    assert_true(relative <= 1e-12);
    free(velocity);
    simulate_end(&s);
}

static void free_flight_keeps_velocity(void **state)
{
    (void)state;
    for (int method = PAL_METHOD_EXPLICIT; method <= PAL_METHOD_NEWMARK; ++method)
        for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element)
            fly((PalMethod)method, (PalElementKind)element);
}

// An internal push-pull leaves the total momenta alone: opposite forces on opposite sides.
static void internal_motion_keeps_momentum(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(2, 1, 1), 8, 4, 4);
    simulate_neo_hookean(&s, 100, 0.3, 1);
    s.body.velocity = pal_vec3(0.3, 0, 0);
    s.sim.solver.time = 2;
    PalConditionDef *pull = simulate_on_side(&s, PAL_CONDITION_FORCE, 0, true);
    pull->value = pal_vec3(5, 0, 0);
    pull = simulate_on_side(&s, PAL_CONDITION_FORCE, 0, false);
    pull->value = pal_vec3(-5, 0, 0);
    simulate_start(&s);
    PalVec3 before = pal_sim_momentum(s.run);
    simulate_all(&s);
    PalVec3 after = pal_sim_momentum(s.run);
    double stretch = simulate_side_motion(&s, 0, true).x - simulate_side_motion(&s, 0, false).x;
    double drift = pal_vec3_distance(before, after) / pal_vec3_length(before);
    double turn = pal_vec3_length(pal_sim_angular_momentum(s.run));
    print_message("pulled by %.3g: momentum off by %.3g, angular momentum %.3g\n", stretch, drift,
                  turn);
    assert_true(stretch > 0.05);
    assert_true(drift <= 1e-12);
    assert_true(turn <= 1e-11 * pal_vec3_length(before));
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(free_flight_keeps_velocity),
    cmocka_unit_test(internal_motion_keeps_momentum),
};
CHECK_GROUP(tests, NULL, NULL)
