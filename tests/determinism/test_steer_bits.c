// A steered simulation has the same bits for any number of threads, and when it is resumed in the
// middle of a move: everything a program has changed is in the checkpoint and in the hash.
#include "base/memory.h"
#include "touch.h"
#include <palpate/steer.h>

#define PERIOD  0.013
#define PERIODS 24

enum { BLOCK, PLATE };
enum { FIX, PULL, LOAD };

static Touch start(PalMethod method, int32_t threads)
{
    Touch t = touch_nothing(INFINITY);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){4, 4, 4},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.5)),
                   100, 0.3, 1);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.4, 0, 0), (int32_t[]){6, 0, 0},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0.42)));
    touch_side(&t, BLOCK, PAL_CONDITION_FIX, 2, false);
    touch_side(&t, BLOCK, PAL_CONDITION_DISPLACE, 0, false);
    touch_side(&t, BLOCK, PAL_CONDITION_PRESSURE, 0, true);
    touch_pair(&t, BLOCK, PLATE, 0.2);
    t.sim.solver.method = method;
    t.sim.solver.thread_count = threads;
    t.sim.solver.damping = 3;
    touch_start(&t);
    return t;
}

// Half of the periods: what is told in one is still under way in the next.
static void tell(PalSim *sim, int p)
{
    PalError error = {0};
    double until = (p + 2) * PERIOD, s = sin(0.4 * p);
    PalPose pose = {
        pal_rotation_about(pal_vec3(0, 1, 0), 0.3 * s), {0, 0, 0.4}, {0.1 * s, 0, 0.3 + 0.05 * s}};
    if (p % 2 != 0)
        return;
    check_ok(pal_sim_move_rigid(sim, 0, &pose, until, &error), &error);
    check_ok(pal_sim_set_displacement(sim, PULL, pal_vec3(0.02 * s, 0, 0), until, &error), &error);
    check_ok(pal_sim_set_pressure(sim, LOAD, 3 * s, until, &error), &error);
    if (p == 10)
        check_ok(pal_sim_set_friction(sim, BLOCK, PLATE, 0.7, &error), &error);
}

static void follow(Touch *t, int first, int last)
{
    for (int p = first; p < last; ++p) {
        tell(t->run, p);
        touch_advance(t, (p + 1) * PERIOD);
    }
}

static void copy_state(PalSim *from_run, PalSim *to_run)
{
    PalNamedArray from[PAL_SIM_ARRAY_MAX], to[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(from_run, from);
    assert_int_equal(pal_sim_arrays(to_run, to), count);
    for (int32_t i = 0; i < count; ++i) {
        if (from[i].count != to[i].count)
            to[i].data = to[i].resize(to[i].owner, from[i].count);
        memcpy(to[i].data, from[i].data, (size_t)from[i].count * sizeof(double));
    }
    PalError error = {0};
    check_ok(pal_sim_restored(to_run, &error), &error);
}

static uint64_t hash_alone(PalMethod method, int32_t threads)
{
    Touch t = start(method, threads);
    follow(&t, 0, PERIODS);
    assert_true(pal_sim_contact_report(t.run).most_contacts > 0);
    uint64_t hash = pal_sim_hash(t.run);
    touch_end(&t);
    return hash;
}

static uint64_t hash_resumed(PalMethod method, int at)
{
    Touch first = start(method, 1), second = start(method, 1);
    follow(&first, 0, at);
    copy_state(first.run, second.run);
    assert_true(pal_sim_hash(first.run) == pal_sim_hash(second.run));
    follow(&second, at, PERIODS);
    uint64_t hash = pal_sim_hash(second.run);
    touch_end(&first);
    touch_end(&second);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        uint64_t one = hash_alone((PalMethod)method, 1);
        assert_true(hash_alone((PalMethod)method, 3) == one);
        assert_true(hash_resumed((PalMethod)method, 7) == one);
        assert_true(hash_resumed((PalMethod)method, 15) == one);
    }
}

static void steering_allocates_nothing(void **state)
{
    (void)state;
    Touch t = start(PAL_METHOD_EXPLICIT, 1);
    follow(&t, 0, 12);
    int64_t before = pal_alloc_count();
    for (int p = 12; p < PERIODS; ++p)
        tell(t.run, p);
    assert_int_equal(pal_alloc_count(), before);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_bits),
    cmocka_unit_test(steering_allocates_nothing),
};
CHECK_GROUP(tests, NULL, NULL)
