// Same bits for 1, 2, 3 and 8 threads, and for a run restored halfway; no allocation in a step.
#include "base/memory.h"
#include "simulate.h"

static Simulation busy_block(PalMethod method, PalElementKind element, bool relaxes)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1.5), 9, 9, 12);
    simulate_neo_hookean(&s, 3000, 0.4, 10);
    if (relaxes) {
        s.material.isochoric_count = 1;
        s.material.isochoric[0] = (PalPronyTerm){0.4, 0.01};
        s.material.volumetric_count = 1;
        s.material.volumetric[0] = (PalPronyTerm){0.2, 0.02};
    }
    s.body.element = element;
    s.sim.solver.method = method;
    s.sim.solver.time = 1;
    s.sim.solver.damping = 0.5;
    s.sim.align = 0.01;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0.2, 0, -0.2);
    simulate_on_side(&s, PAL_CONDITION_PRESSURE, 0, true)->pressure = 100;
    simulate_everywhere(&s, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, -1, 0);
    return s;
}

// The thread sanitizer is slow, and sees a race in the first step that has one.
#ifdef __SANITIZE_THREAD__
enum { STEPS = 12, WARM_STEPS = 12 };
#else
enum { STEPS = 60, WARM_STEPS = 300 };
#endif

static void steps(Simulation *s, int count)
{
    PalError error = {0};
    for (int i = 0; i < count; ++i)
        check_ok(pal_sim_step(s->run, &error), &error);
}

static uint64_t hash_after(PalMethod method, PalElementKind element, bool relaxes, int32_t threads)
{
    Simulation s = busy_block(method, element, relaxes);
    s.sim.solver.thread_count = threads;
    simulate_start(&s);
    steps(&s, STEPS);
    uint64_t hash = pal_sim_hash(s.run);
    simulate_end(&s);
    return hash;
}

// Runs half the steps, carries every array over to a new simulation, and runs the rest there.
static uint64_t hash_restored(PalMethod method, PalElementKind element, bool relaxes)
{
    Simulation first = busy_block(method, element, relaxes);
    Simulation second = busy_block(method, element, relaxes);
    simulate_start(&first);
    simulate_start(&second);
    steps(&first, STEPS / 2);
    PalNamedArray from[PAL_SIM_ARRAY_MAX], to[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(first.run, from);
    assert_int_equal(pal_sim_arrays(second.run, to), count);
    for (int32_t i = 0; i < count; ++i) {
        assert_string_equal(from[i].name, to[i].name);
        assert_int_equal(from[i].count, to[i].count);
        memcpy(to[i].data, from[i].data, (size_t)from[i].count * sizeof(double));
    }
    PalError restoring = {0};
    check_ok(pal_sim_restored(second.run, &restoring), &restoring);
    steps(&second, STEPS - STEPS / 2);
    uint64_t hash = pal_sim_hash(second.run);
    simulate_end(&first);
    simulate_end(&second);
    return hash;
}

static void every_combination(void (*check)(PalMethod, PalElementKind, bool))
{
    for (int method = PAL_METHOD_EXPLICIT; method <= PAL_METHOD_RELAXATION; ++method)
        for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element)
            for (int relaxes = 0; relaxes < 2; ++relaxes)
                check((PalMethod)method, (PalElementKind)element, relaxes);
}

static void check_threads(PalMethod method, PalElementKind element, bool relaxes)
{
    uint64_t one = hash_after(method, element, relaxes, 1);
    const int32_t threads[] = {2, 3, 8};
    for (int i = 0; i < 3; ++i)
        assert_true(hash_after(method, element, relaxes, threads[i]) == one);
    assert_true(hash_restored(method, element, relaxes) == one);
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    every_combination(check_threads);
}

// So many nodes that threads share loops over them, and over those that are held.
static Simulation large_block(int32_t threads)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 19, 19, 11);
    simulate_neo_hookean(&s, 3000, 0.4, 10);
    s.sim.solver.time = 1;
    s.sim.solver.damping = 0.5;
    s.sim.solver.thread_count = threads;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0.2, 0, -0.2);
    simulate_everywhere(&s, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, -1, 0);
    simulate_start(&s);
    return s;
}

static void same_bits_where_nodes_are_shared(void **state)
{
    (void)state;
    Simulation one = large_block(1);
    const PalState *alone = pal_sim_state(one.run);
    size_t nodes = (size_t)pal_sim_model(one.run)->node_count, held = 0;
    for (size_t n = 0; n < nodes; ++n)
        held += pal_sim_model(one.run)->held[n] != 0;
    assert_true(nodes > 4096 && held > 768);
    steps(&one, 12);
    for (int32_t threads = 2; threads <= 3; ++threads) {
        Simulation other = large_block(threads);
        steps(&other, 12);
        const PalState *together = pal_sim_state(other.run);
        assert_true(pal_sim_hash(other.run) == pal_sim_hash(one.run));
        assert_memory_equal(together->reaction, alone->reaction, nodes * sizeof *alone->reaction);
        simulate_end(&other);
    }
    simulate_end(&one);
}

static void check_allocations(PalMethod method, PalElementKind element, bool relaxes)
{
    Simulation s = busy_block(method, element, relaxes);
    s.sim.solver.thread_count = 2;
    simulate_start(&s);
    steps(&s, 2);
    int64_t before = pal_alloc_count();
    steps(&s, WARM_STEPS);
    assert_int_equal(pal_alloc_count(), before);
    simulate_end(&s);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    every_combination(check_allocations);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_bits_for_any_number_of_threads),
    cmocka_unit_test(same_bits_where_nodes_are_shared),
    cmocka_unit_test(a_warm_step_allocates_nothing),
};
CHECK_GROUP(tests, NULL, NULL)
