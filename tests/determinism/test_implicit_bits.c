// Implicit methods give the same bits for any number of threads, and when they are restored
// halfway.
#include "simulate.h"

#ifdef PAL_HAS_DIRECT
#include <palpate/direct.h>
#endif

static Simulation block(PalMethod method, PalElementKind element)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1.5), 6, 6, 9);
    simulate_neo_hookean(&s, 3000, 0.4, 10);
    s.material.isochoric_count = 1;
    s.material.isochoric[0] = (PalPronyTerm){0.4, 0.01};
    s.body.element = element;
    s.sim.solver.method = method;
    s.sim.solver.step = 0.2;
    s.sim.solver.damping = 0.5;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0.2, 0, -0.3);
    simulate_on_side(&s, PAL_CONDITION_PRESSURE, 0, true)->pressure = 100;
    return s;
}

static void steps(Simulation *s, int count)
{
    PalError error = {0};
    for (int i = 0; i < count && !pal_sim_finished(s->run); ++i)
        check_ok(pal_sim_step(s->run, &error), &error);
}

static uint64_t hash_after(PalMethod method, PalElementKind element, int32_t threads)
{
    Simulation s = block(method, element);
    s.sim.solver.thread_count = threads;
    simulate_start(&s);
    steps(&s, 2);
    uint64_t hash = pal_sim_hash(s.run);
    simulate_end(&s);
    return hash;
}

static uint64_t hash_restored(PalMethod method, PalElementKind element)
{
    Simulation first = block(method, element), second = block(method, element);
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

static void check_method(PalMethod method)
{
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element) {
        uint64_t one = hash_after(method, (PalElementKind)element, 1);
        assert_true(hash_after(method, (PalElementKind)element, 3) == one);
        assert_true(hash_restored(method, (PalElementKind)element) == one);
    }
}

static void statics(void **state)
{
    (void)state;
    check_method(PAL_METHOD_IMPLICIT_STATIC);
}

static void motion(void **state)
{
    (void)state;
    check_method(PAL_METHOD_IMPLICIT);
}

#ifdef PAL_HAS_DIRECT
static void statics_by_mumps(void **state)
{
    (void)state;
    pal_linear_use(pal_direct_solver());
    check_method(PAL_METHOD_IMPLICIT_STATIC);
    pal_linear_use(NULL);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(statics),
    cmocka_unit_test(motion),
#ifdef PAL_HAS_DIRECT
    cmocka_unit_test(statics_by_mumps),
#endif
};

CHECK_GROUP(tests, NULL, NULL)
