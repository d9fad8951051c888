// Implicit methods give the same bits for any number of threads, and when they are restored
// halfway.
#include "simulate.h"

#ifdef PAL_HAS_DIRECT
#include <palpate/direct.h>
#endif

typedef struct Case {
    PalMethod method;
    PalScheme scheme;
    PalPath path;
    PalElementKind element;
    int32_t finer;  // times as many cells
} Case;

static Simulation block(Case c)
{
    int32_t finer = c.finer > 0 ? c.finer : 1;
    Simulation s = simulate_box(pal_vec3(1, 1, 1.5), 4 * finer, 4 * finer, 6 * finer);
    simulate_neo_hookean(&s, 3000, 0.4, 10);
    s.material.isochoric_count = 1;
    s.material.isochoric[0] = (PalPronyTerm){0.4, 0.01};
    s.body.element = c.element;
    s.sim.solver.method = c.method;
    s.sim.solver.scheme = c.scheme;
    s.sim.solver.path = c.path;
    s.sim.solver.step = 0.2;
    s.sim.solver.damping = 0.5;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0.2, 0, -0.3);
    simulate_on_side(&s, PAL_CONDITION_PRESSURE, 0, true)->pressure = 100;
    for (int i = 1; c.path == PAL_PATH_ARC_LENGTH && i < s.sim.model.condition_count; ++i)
        s.conditions[i].ramp = (PalRamp){.kind = PAL_RAMP_LINEAR};
    return s;
}

static void steps(Simulation *s, int count)
{
    PalError error = {0};
    for (int i = 0; i < count && !pal_sim_finished(s->run); ++i)
        check_ok(pal_sim_step(s->run, &error), &error);
}

static uint64_t hash_after(Case c, int32_t threads)
{
    Simulation s = block(c);
    s.sim.solver.thread_count = threads;
    simulate_start(&s);
    steps(&s, 2);
    uint64_t hash = pal_sim_hash(s.run);
    simulate_end(&s);
    return hash;
}

static uint64_t hash_restored(Case c)
{
    Simulation first = block(c), second = block(c);
    PalError error = {0};
    simulate_start(&first);
    simulate_start(&second);
    steps(&first, 1);
    PalNamedArray from[PAL_SIM_ARRAY_MAX], to[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(first.run, from);
    assert_int_equal(pal_sim_arrays(second.run, to), count);
    for (int32_t i = 0; i < count; ++i)
        memcpy(to[i].data, from[i].data, (size_t)from[i].count * sizeof(double));
    check_ok(pal_sim_restored(second.run, &error), &error);
    steps(&second, 1);
    uint64_t hash = pal_sim_hash(second.run);
    simulate_end(&first);
    simulate_end(&second);
    return hash;
}

static void check_case(Case c)
{
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element) {
        c.element = (PalElementKind)element;
        uint64_t one = hash_after(c, 1);
        assert_true(hash_after(c, 3) == one);
        assert_true(hash_restored(c) == one);
    }
}

static void statics(void **state)
{
    (void)state;
    check_case((Case){.method = PAL_METHOD_IMPLICIT_STATIC});
}

static void along_an_arc(void **state)
{
    (void)state;
    check_case((Case){.method = PAL_METHOD_IMPLICIT_STATIC, .path = PAL_PATH_ARC_LENGTH});
}

static void motion(void **state)
{
    (void)state;
    check_case((Case){.method = PAL_METHOD_IMPLICIT, .scheme = PAL_SCHEME_HHT});
    check_case((Case){.method = PAL_METHOD_IMPLICIT, .scheme = PAL_SCHEME_NEWMARK});
}

#ifdef PAL_HAS_DIRECT
// Enough unknowns for factors to be reused within a step, but not from step to step.
static void motion_with_old_factors(void **state)
{
    (void)state;
    Case c = {.method = PAL_METHOD_IMPLICIT, .scheme = PAL_SCHEME_HHT, .finer = 3};
    c.element = PAL_ELEMENT_T4;
    pal_linear_use(pal_direct_solver());
    uint64_t one = hash_after(c, 1);
    assert_true(hash_after(c, 2) == one);
    assert_true(hash_restored(c) == one);
    pal_linear_use(NULL);
}

static void statics_by_mumps(void **state)
{
    (void)state;
    pal_linear_use(pal_direct_solver());
    check_case((Case){.method = PAL_METHOD_IMPLICIT_STATIC});
    pal_linear_use(NULL);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(statics),          cmocka_unit_test(along_an_arc),
    cmocka_unit_test(motion),
#ifdef PAL_HAS_DIRECT
    cmocka_unit_test(statics_by_mumps), cmocka_unit_test(motion_with_old_factors),
#endif
};

CHECK_GROUP(tests, NULL, NULL)
