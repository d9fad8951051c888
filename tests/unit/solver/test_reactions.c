// What holds nodes, where the step changes and where motion is damped.
#include "simulate.h"

static const double FAR = 2, END = 1, STEP = 0.3;

static double height(double time)
{
    PalRamp ramp = {.kind = PAL_RAMP_SMOOTH, .until = END};
    return FAR * pal_ramp_value(&ramp, time);
}

// A block that is carried upwards as a whole: nothing but its inertia and its drag is to be
// overcome.
static void inertia_and_drag_are_those_of_the_motion(void **state)
{
    (void)state;
    for (int method = PAL_METHOD_EXPLICIT; method <= PAL_METHOD_NEWMARK; ++method)
        for (int damped = 0; damped < 2; ++damped) {
            Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
            simulate_neo_hookean(&s, 0.1, 0.3, 5);
            PalConditionDef *carry = simulate_everywhere(&s, PAL_CONDITION_DISPLACE);
            carry->value = pal_vec3(0, 0, FAR);
            carry->ramp.kind = PAL_RAMP_SMOOTH;
            double damping = s.sim.solver.damping = damped ? 0.5 : 0;
            s.sim.solver.method = (PalMethod)method;
            s.sim.solver.step = STEP;
            s.sim.solver.time = END;
            simulate_start(&s);
            simulate_to(&s, 3 * STEP);
            const PalState *now = pal_sim_state(s.run);
            double next = pal_sim_next_step(s.run);
            check_near(next, END - 3 * STEP, 1e-12);  // shorter than the one before
            double before = (height(now->time) - height(now->time - STEP)) / STEP;
            double after = (height(now->time + next) - height(now->time)) / next;
            double held = 0, change = (after - before) / ((STEP + next) / 2);
            for (int32_t n = 0; n < pal_sim_model(s.run)->node_count; ++n)
                held += now->reaction[n].z;
            assert_true(fabs(change) > 1);
            check_near(held, 5 * (change + damping * (before + after) / 2), 1e-9);
            simulate_end(&s);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(inertia_and_drag_are_those_of_the_motion),
};
CHECK_GROUP(tests, NULL, NULL)
