// Motions of an instrument that come on top of each other.
#include "check.h"
#include "model/motion.h"
#include "random_material.h"

static const double quarter = 1.57079632679489661923;

static PalVec3 random_vector(uint64_t *seed)
{
    double x = random_between(-1, 1, seed), y = random_between(-1, 1, seed);
    return pal_vec3(x, y, random_between(-1, 1, seed));
}

static void check_at(PalVec3 found, double x, double y, double z)
{
    check_near(pal_vec3_distance(found, pal_vec3(x, y, z)), 0, 1e-14);
}

// Press, then drag, then withdraw.
static void translations_add_up(void **state)
{
    (void)state;
    PalMotionDef motions[] = {
        {.translation = {0, 0, -3}, .ramp = {.kind = PAL_RAMP_LINEAR, .until = 1}},
        {.translation = {4, 0, 0}, .ramp = {.kind = PAL_RAMP_SMOOTH, .from = 1, .until = 2}},
        {.translation = {0, 0, 5}, .ramp = {.kind = PAL_RAMP_LINEAR, .from = 2, .until = 4}},
    };
    PalRigid rigid = {.motion_count = 3, .motions = motions};
    PalVec3 x = {1, 1, 1};
    check_at(pal_rigid_position(&rigid, 0, x), 1, 1, 1);
    check_at(pal_rigid_position(&rigid, 0.5, x), 1, 1, -0.5);
    check_at(pal_rigid_position(&rigid, 1.5, x), 3, 1, -2);
    check_at(pal_rigid_position(&rigid, 3, x), 5, 1, 0.5);
    check_at(pal_rigid_position(&rigid, 9, x), 5, 1, 3);
}

// A quarter turn about z and one about x: the other order ends elsewhere.
static void the_order_counts(void **state)
{
    (void)state;
    PalMotionDef motions[] = {{.axis = {0, 0, 1}, .radians = quarter},
                              {.axis = {1, 0, 0}, .radians = quarter}};
    PalMotionDef reversed[] = {motions[1], motions[0]};
    PalRigid rigid = {.motion_count = 2, .motions = motions};
    check_at(pal_rigid_position(&rigid, 0, pal_vec3(1, 0, 0)), 0, 0, 1);
    rigid.motions = reversed;
    check_at(pal_rigid_position(&rigid, 0, pal_vec3(1, 0, 0)), 0, 1, 0);
}

// Moved first, it turns about the point of its own that was at the centre at the start.
static void centres_are_taken_along(void **state)
{
    (void)state;
    PalMotionDef motions[] = {
        {.translation = {10, 0, 0}},
        {.axis = {0, 0, 1}, .radians = quarter, .centre = {1, 0, 0}},
        {.axis = {0, 0, 1}, .radians = quarter, .centre = {3, 0, 0}},
    };
    PalRigid rigid = {.motion_count = 2, .motions = motions};
    check_at(pal_rigid_position(&rigid, 0, pal_vec3(1, 0, 0)), 11, 0, 0);
    check_at(pal_rigid_position(&rigid, 0, pal_vec3(3, 0, 0)), 11, 2, 0);
    rigid.motion_count = 3;
    check_at(pal_rigid_position(&rigid, 0, pal_vec3(3, 0, 0)), 11, 2, 0);
    check_at(pal_rigid_position(&rigid, 0, pal_vec3(1, 0, 0)), 13, 2, 0);
    // one motion by the plain formula
    PalVec3 x = {0.3, -0.2, 0.7}, along = pal_motion_apply(&motions[0], 0, motions[1].centre);
    PalMotionDef moved = motions[1];
    moved.centre = along;
    rigid.motion_count = 2;
    PalVec3 there = pal_motion_apply(&moved, 0, pal_motion_apply(&motions[0], 0, x));
    check_at(pal_rigid_position(&rigid, 0, x), there.x, there.y, there.z);
}

static void random_motions(PalMotionDef *motions, int32_t count, uint64_t *seed)
{
    for (int32_t i = 0; i < count; ++i)
        motions[i] = (PalMotionDef){
            .translation = random_vector(seed),
            .axis = random_vector(seed),
            .radians = i % 3 == 1 ? 0 : random_between(-6, 6, seed),
            .centre = pal_vec3_scale(3, random_vector(seed)),
            .ramp = {.kind = PAL_RAMP_SMOOTH,
                     .from = random_between(0, 0.4, seed),
                     .until = random_between(0.5, 1, seed)},
        };
}

static void velocities_are_rates(void **state)
{
    (void)state;
    uint64_t seed = 3;
    PalMotionDef motions[5];
    PalRigid rigid = {.motions = motions};
    double h = 1e-6;
    for (int32_t i = 0; i < 400; ++i) {
        random_motions(motions, 5, &seed);
        rigid.motion_count = 1 + i % 5;
        double time = random_between(0, 1, &seed);
        PalVec3 x = random_vector(&seed);
        PalVec3 before = pal_rigid_position(&rigid, time - h, x);
        PalVec3 after = pal_rigid_position(&rigid, time + h, x);
        PalVec3 rate = pal_vec3_scale(0.5 / h, pal_vec3_sub(after, before));
        PalPose pose = pal_rigid_pose(&rigid, time);
        PalTwist twist = pal_rigid_twist(&rigid, time);
        PalVec3 arm = pal_vec3_sub(pal_pose_apply(&pose, x), pose.centre);
        PalVec3 found = pal_vec3_add(twist.velocity, pal_vec3_cross(twist.spin, arm));
        check_near(pal_vec3_distance(found, rate), 0, 1e-6 * (1 + pal_vec3_length(rate)));
    }
}

static void strides_bound_all_points(void **state)
{
    (void)state;
    uint64_t seed = 4;
    PalMotionDef motions[5];
    PalRigid rigid = {.motions = motions};
    double closest = 0;
    for (int32_t i = 0; i < 4000; ++i) {
        random_motions(motions, 5, &seed);
        rigid.motion_count = 1 + i % 5;
        double time = random_between(0, 1, &seed), step = i % 2 == 0 ? 1e-3 : 0.3;
        PalVec3 x = pal_vec3_scale(2, random_vector(&seed)), pivot = pal_rigid_pivot(&rigid);
        double moved = pal_vec3_distance(pal_rigid_position(&rigid, time, x),
                                         pal_rigid_position(&rigid, time + step, x));
        double bound = pal_rigid_stride(&rigid, time, time + step, pal_vec3_distance(x, pivot));
        assert_true(moved <= bound * (1 + 1e-9) + 1e-14);
        if (rigid.motion_count > 2 && bound > 0)
            closest = fmax(closest, moved / bound);
    }
    assert_true(closest > 0.8);  // no idle bound
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(translations_add_up),      cmocka_unit_test(the_order_counts),
    cmocka_unit_test(centres_are_taken_along),  cmocka_unit_test(velocities_are_rates),
    cmocka_unit_test(strides_bound_all_points),
};
CHECK_GROUP(tests, NULL, NULL)
