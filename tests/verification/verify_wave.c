// A pulse travels along a slender bar (Poisson's ratio 0) with c = sqrt(E / density).
#include "simulate.h"

enum { STATION_COUNT = 2 };

// The time at which the mean displacement of each station first reaches half the pushed one.
static void arrival_times(Simulation *s, const double stations[STATION_COUNT], double half,
                          double times[STATION_COUNT])
{
    PalError error = {0};
    double before[STATION_COUNT] = {0}, time_before = 0;
    int32_t *nodes[STATION_COUNT], count[STATION_COUNT];
    for (int k = 0; k < STATION_COUNT; ++k) {
        PalWhere where = {.kind = PAL_WHERE_PLANE,
                          .point = {stations[k], 0, 0},
                          .normal = {1, 0, 0},
                          .tolerance = 1e-6};
        check_ok(pal_mesh_select_nodes(s->mesh, &where, &nodes[k], &count[k], &error), &error);
        assert_true(count[k] > 0);
        times[k] = 0;
    }
    while (!pal_sim_finished(s->run)) {
        check_ok(pal_sim_step(s->run, &error), &error);
        const PalState *state = pal_sim_state(s->run);
        for (int k = 0; k < STATION_COUNT; ++k) {
            double mean = 0;
            for (int32_t i = 0; i < count[k]; ++i)
                mean += state->displacement[nodes[k][i]].x / count[k];
            if (times[k] == 0 && mean >= half)
                times[k] = time_before +
                           (state->time - time_before) * (half - before[k]) / (mean - before[k]);
            before[k] = mean;
        }
        time_before = state->time;
    }
    for (int k = 0; k < STATION_COUNT; ++k)
        free(nodes[k]);
}

static void measure(PalElementKind element, PalMethod method)
{
    const double young = 1e4, density = 4, push = 1e-4;
    Simulation s = simulate_box(pal_vec3(10, 0.2, 0.2), 200, 4, 4);
    simulate_neo_hookean(&s, young, 0, density);
    s.body.element = element;
    s.sim.solver.method = method;
    s.sim.solver.time = 0.19;  // c = 50: before the pulse returns from the far end
    PalConditionDef *end = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 0, false);
    end->value = pal_vec3(push, 0, 0);
    end->axes[1] = end->axes[2] = false;
    end->ramp.until = 0.02;
    simulate_start(&s);
    const double stations[STATION_COUNT] = {-3, 2};
    double times[STATION_COUNT];
    arrival_times(&s, stations, push / 2, times);
    double speed = (stations[1] - stations[0]) / (times[1] - times[0]);
    double expected = sqrt(young / density);
    print_message("%s %s: wave speed %.5g, expected %.5g, off by %.3g %%\n",
                  pal_element_name(element), pal_method_name(method), speed, expected,
                  100 * fabs(speed / expected - 1));
    check_near(speed, expected, 0.01 * expected);
    simulate_end(&s);
}

static void waves_travel_at_the_bar_speed(void **state)
{
    (void)state;
    measure(PAL_ELEMENT_T4, PAL_METHOD_EXPLICIT);
    measure(PAL_ELEMENT_T4, PAL_METHOD_NEWMARK);
    measure(PAL_ELEMENT_T4_ANP, PAL_METHOD_EXPLICIT);
    measure(PAL_ELEMENT_H8, PAL_METHOD_EXPLICIT);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(waves_travel_at_the_bar_speed)};
CHECK_GROUP(tests, NULL, NULL)
