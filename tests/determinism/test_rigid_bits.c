// Free rigid bodies beside a soft one: same bits for any number of threads and for a run restored
// halfway; no allocation in a step.
#include "base/memory.h"
#include "rigids.h"
#include "simulate.h"

enum { STEPS = 60 };

typedef struct Mixed {
    Simulation soft;
    Rigids rigids;
} Mixed;

static void mixed_start(Mixed *m, PalMethod method, int32_t threads)
{
    m->soft = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    simulate_neo_hookean(&m->soft, 3000, 0.4, 10);
    simulate_on_side(&m->soft, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *gravity = simulate_everywhere(&m->soft, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -10);
    gravity->body_index = PAL_NONE;
    rigids_init(&m->rigids);
    PalRigidDef *spun = rigids_add_box(&m->rigids, "spun", pal_vec3(1, 2, 3), pal_vec3(5, 0, 0));
    spun->spin = pal_vec3(3, 20, 1);
    spun->force = pal_vec3(0, 1, 0);
    PalRigidDef *pulled =
        rigids_add_box(&m->rigids, "pulled", pal_vec3(1, 1, 2), pal_vec3(9, 0, 0));
    pulled->spring = (PalSpringDef){500, 10, 300, 5};
    pulled->motion.translation = pal_vec3(0, 1, 0);
    pulled->motion.axis = pal_vec3(1, 0, 1);
    pulled->motion.radians = 1;
    PalRigidDef *told = rigids_add_box(&m->rigids, "told", pal_vec3(1, 1, 1), pal_vec3(20, 0, 0));
    told->density = 0;
    m->soft.sim.model.rigid_count = 3;
    m->soft.sim.model.rigids = m->rigids.rigids;
    m->soft.sim.solver.method = method;
    m->soft.sim.solver.thread_count = threads;
    m->soft.sim.solver.damping = 0.5;
    m->soft.sim.align = 0.01;
    simulate_start(&m->soft);
}

static void mixed_end(Mixed *m)
{
    simulate_end(&m->soft);
    rigids_end(&m->rigids);
}

static void steps(Mixed *m, int count)
{
    PalError error = {0};
    for (int i = 0; i < count; ++i) {
        double t = pal_sim_state(m->soft.run)->time;
        PalPose pose = {pal_rotation_about(pal_vec3(0, 0, 1), t), {0, 0, 0}, {t * t, 0, 0}};
        PalTwist twist = {{2 * t, 0, 0}, {0, 0, 1}};
        check_ok(pal_sim_set_rigid_pose(m->soft.run, 2, &pose, &twist, &error), &error);
        check_ok(pal_sim_step(m->soft.run, &error), &error);
    }
}

static uint64_t hash_after(PalMethod method, int32_t threads)
{
    Mixed m;
    mixed_start(&m, method, threads);
    steps(&m, STEPS);
    uint64_t hash = pal_sim_hash(m.soft.run);
    mixed_end(&m);
    return hash;
}

static uint64_t hash_restored(PalMethod method)
{
    Mixed first, second;
    mixed_start(&first, method, 1);
    mixed_start(&second, method, 1);
    steps(&first, STEPS / 2);
    PalNamedArray from[PAL_SIM_ARRAY_MAX], to[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(first.soft.run, from);
    assert_int_equal(pal_sim_arrays(second.soft.run, to), count);
    for (int32_t i = 0; i < count; ++i) {
        assert_int_equal(from[i].count, to[i].count);
        memcpy(to[i].data, from[i].data, (size_t)from[i].count * sizeof(double));
    }
    PalError error = {0};
    check_ok(pal_sim_restored(second.soft.run, &error), &error);
    assert_true(pal_sim_hash(first.soft.run) == pal_sim_hash(second.soft.run));
    steps(&second, STEPS - STEPS / 2);
    uint64_t hash = pal_sim_hash(second.soft.run);
    mixed_end(&first);
    mixed_end(&second);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        uint64_t one = hash_after((PalMethod)method, 1);
        assert_true(hash_after((PalMethod)method, 1) == one);
        assert_true(hash_after((PalMethod)method, 3) == one);
        assert_true(hash_restored((PalMethod)method) == one);
    }
}

// Each number that decides how a body goes on is in the hash.
static void every_bit_counts(void **state)
{
    (void)state;
    Mixed m;
    mixed_start(&m, PAL_METHOD_EXPLICIT, 1);
    steps(&m, 3);
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(m.soft.run, arrays), found = PAL_NONE;
    for (int32_t i = 0; i < count; ++i)
        if (strcmp(arrays[i].name, "rigids") == 0)
            found = i;
    assert_true(found != PAL_NONE);
    double *numbers = arrays[found].data;
    uint64_t before = pal_sim_hash(m.soft.run);
    for (int64_t i = 0; i < arrays[found].count; ++i) {
        double kept = numbers[i];
        numbers[i] = kept + 1;
        assert_true(pal_sim_hash(m.soft.run) != before);
        numbers[i] = kept;
    }
    mixed_end(&m);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    Mixed m;
    mixed_start(&m, PAL_METHOD_EXPLICIT, 2);
    steps(&m, 2);
    int64_t before = pal_alloc_count();
    steps(&m, STEPS);
    assert_int_equal(pal_alloc_count(), before);
    mixed_end(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_bits),
    cmocka_unit_test(every_bit_counts),
    cmocka_unit_test(a_step_allocates_nothing),
};
CHECK_GROUP(tests, NULL, NULL)
