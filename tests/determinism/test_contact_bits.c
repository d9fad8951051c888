// Contact gives the same bits for any number of threads, and for a run restored halfway; once warm
// it allocates nothing.
#include "base/memory.h"
#include "touch.h"

#ifdef __SANITIZE_THREAD__
enum { STEPS = 40 };
#else
enum { STEPS = 400, SETTLING = 600, WARM_STEPS = 300 };
#endif

typedef struct Choice {
    PalMethod method;
    PalResponseKind response;
    PalUpdateKind update;
} Choice;

// A ball dropped on a slab beside a moving plate, with friction and self-contact.
static Touch crowd(const Choice *choice, int32_t threads)
{
    Touch t = touch_nothing(1);
    PalMesh *slab = touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 0.5), (int32_t[]){9, 9, 2},
                                PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.25));
    PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5), (int32_t[]){8, 0, 0},
                                PAL_CELL_TETRAHEDRON, pal_vec3(0.04, 0.03, 0.503));
    PalMesh *plate = touch_shape(PAL_SHAPE_BOX, pal_vec3(0.1, 1, 1), (int32_t[]){1, 4, 4},
                                 PAL_CELL_TRIANGLE, pal_vec3(0.6, 0, 0.6));
    touch_add_mesh(&t, slab, 3000, 0.4, 10);
    touch_add_mesh(&t, ball, 1000, 0.4, 10);
    touch_add_rigid(&t, plate);
    t.rigids[0].motion.translation = pal_vec3(-0.3, 0, 0);
    t.bodies[1].velocity = pal_vec3(0.3, 0, -0.5);
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    touch_pair(&t, 0, 1, 0.2);
    touch_pair(&t, 1, 2, 0.1);
    touch_pair(&t, 1, 1, 0);
    t.sim.solver.method = choice->method;
    t.sim.solver.thread_count = threads;
    t.sim.contact.response = choice->response;
    t.sim.contact.update = choice->update;
    return t;
}

static void steps(Touch *t, int count)
{
    PalError error = {0};
    for (int i = 0; i < count; ++i)
        check_ok(pal_sim_step(t->run, &error), &error);
}

static uint64_t hash_after(const Choice *choice, int32_t threads)
{
    Touch t = crowd(choice, threads);
    touch_start(&t);
    steps(&t, STEPS);
    uint64_t hash = pal_sim_hash(t.run);
    touch_end(&t);
    return hash;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    const Choice choices[] = {
        {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT},
        {PAL_METHOD_NEWMARK, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_UPDATE_NODES},
        {PAL_METHOD_RELAXATION, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT},
        {PAL_METHOD_EXPLICIT, PAL_RESPONSE_JOHNSEN2015, PAL_UPDATE_LARSSON},
        {PAL_METHOD_EXPLICIT, PAL_RESPONSE_JOHNSEN2012, PAL_UPDATE_EXHAUSTIVE},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i) {
        uint64_t one = hash_after(&choices[i], 1);
        for (int32_t threads = 2; threads <= 8; threads *= 2)
            assert_true(hash_after(&choices[i], threads) == one);
    }
}

// Runs half the steps, carries every array over to a new simulation, and runs the rest there.
static void same_bits_when_restored(void **state)
{
    (void)state;
    Choice choice = {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT};
    Touch first = crowd(&choice, 1), second = crowd(&choice, 1);
    touch_start(&first);
    touch_start(&second);
    steps(&first, STEPS / 2);
    PalNamedArray from[PAL_SIM_ARRAY_MAX], to[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(first.run, from);
    assert_int_equal(pal_sim_arrays(second.run, to), count);
    for (int32_t i = 0; i < count; ++i) {
        assert_string_equal(from[i].name, to[i].name);
        if (from[i].count != to[i].count) {
            assert_non_null(to[i].resize);
            to[i].data = to[i].resize(to[i].owner, from[i].count);
        }
        memcpy(to[i].data, from[i].data, (size_t)from[i].count * sizeof(double));
    }
    PalError error = {0};
    check_ok(pal_sim_restored(second.run, &error), &error);
    steps(&second, STEPS - STEPS / 2);
    assert_true(pal_sim_hash(second.run) == hash_after(&choice, 1));
    touch_end(&first);
    touch_end(&second);
}

// The list of pairs depends on the past, the motion does not.
static void same_bits_for_any_search(void **state)
{
    (void)state;
    Choice choice = {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT};
    uint64_t front = hash_after(&choice, 1);
    const PalUpdateKind updates[] = {PAL_UPDATE_EXHAUSTIVE, PAL_UPDATE_LARSSON,
                                     PAL_UPDATE_UPDATE_NODES};
    for (int i = 0; i < 3; ++i) {
        choice.update = updates[i];
        assert_true(hash_after(&choice, 1) == front);
    }
}

#ifndef __SANITIZE_THREAD__  // it would take too long there to get warm
static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    Choice choice = {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT};
    Touch t = crowd(&choice, 2);
    touch_start(&t);
    steps(&t, SETTLING);
    int64_t before = pal_alloc_count();
    steps(&t, WARM_STEPS);
    assert_int_equal(pal_alloc_count(), before);
    touch_end(&t);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(same_bits_when_restored),
        cmocka_unit_test(same_bits_for_any_search),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(a_warm_step_allocates_nothing),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
