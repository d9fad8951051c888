// Where a program leads a rigid body, from a pose that is turned already.
#include "check.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/led.h"

static PalRigidState led(void)
{
    return (PalRigidState){
        .steered = 1,
        .left = {pal_rotation_about(pal_vec3(1, 0, 0), 1), {0, 0, 0}, {1, 2, 3}},
        .wanted = {pal_rotation_about(pal_vec3(0, 1, 0.5), -0.8), {0, 0, 0}, {2, 0, 4}},
        .left_time = 1,
        .wanted_time = 3,
    };
}

static void check_rotations(const PalMat3 *a, const PalMat3 *b, double tolerance)
{
    for (int i = 0; i < 9; ++i)
        check_near(a->m[i / 3][i % 3], b->m[i / 3][i % 3], tolerance);
}

static void it_leaves_and_arrives_without_a_jump(void **state)
{
    (void)state;
    PalRigidState s = led();
    PalPose first = pal_rigid_led_pose(&s, 1), last = pal_rigid_led_pose(&s, 3 - 1e-12);
    check_rotations(&first.rotation, &s.left.rotation, 1e-12);
    check_rotations(&last.rotation, &s.wanted.rotation, 1e-11);
    check_near(pal_vec3_distance(first.centre, s.left.centre), 0, 1e-12);
    check_near(pal_vec3_distance(last.centre, s.wanted.centre), 0, 1e-11);
}

// The twist told is that of the poses, all the way.
static void it_moves_as_it_says(void **state)
{
    (void)state;
    PalRigidState s = led();
    PalTwist twist = pal_rigid_led_twist(&s);
    for (int i = 0; i < 10; ++i) {
        double time = 1.05 + 0.19 * i, step = 1e-3;
        PalPose now = pal_rigid_led_pose(&s, time), later = pal_rigid_led_pose(&s, time + step);
        PalMat3 turn = pal_rotation_about(twist.spin, step * pal_vec3_length(twist.spin));
        PalMat3 turned = pal_mat3_multiply(&turn, &now.rotation);
        check_rotations(&later.rotation, &turned, 1e-12);
        PalVec3 moved = pal_vec3_add_scaled(now.centre, step, twist.velocity);
        check_near(pal_vec3_distance(later.centre, moved), 0, 1e-12);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_leaves_and_arrives_without_a_jump),
    cmocka_unit_test(it_moves_as_it_says),
};
CHECK_GROUP(tests, NULL, NULL)
