// Free turning: what is kept, the order of the error, steps that are far too long.
#include "check.h"
#include "model/turn.h"

static PalVec3 spin_of(const double moments[3], PalVec3 momentum)
{
    return pal_vec3(momentum.x / moments[0], momentum.y / moments[1], momentum.z / moments[2]);
}

static double energy_of(const double moments[3], PalVec3 momentum)
{
    return pal_vec3_dot(momentum, spin_of(moments, momentum)) / 2;
}

// After `count` steps from the given momentum along the axes of the body.
static PalQuaternion turn_for(const double moments[3], PalVec3 momentum, double time, int32_t count)
{
    PalQuaternion all = pal_quaternion_identity();
    for (int32_t i = 0; i < count; ++i) {
        PalQuaternion turn;
        PalVec3 now = pal_quaternion_apply(pal_quaternion_conjugate(all), momentum);
        assert_true(pal_turn_freely(moments, now, time / count, &turn));
        all = pal_quaternion_normalise(pal_quaternion_multiply(all, turn));
    }
    return all;
}

static double angle_between(PalQuaternion a, PalQuaternion b)
{
    PalQuaternion apart = pal_quaternion_multiply(pal_quaternion_conjugate(a), b);
    return pal_vec3_length(pal_quaternion_rotation_vector(apart));
}

static void energy_is_kept_whatever_the_step(void **state)
{
    (void)state;
    const double moments[3] = {1, 2, 2.9};
    PalVec3 momentum = {0.3, 2, -0.7};
    double energy = energy_of(moments, momentum);
    for (double step = 1e-3; step < 20; step *= 3) {
        PalQuaternion all = pal_quaternion_identity();
        for (int i = 0; i < 1000; ++i) {
            PalQuaternion turn;
            PalVec3 now = pal_quaternion_apply(pal_quaternion_conjugate(all), momentum);
            check_near(energy_of(moments, now), energy, 1e-13 * energy);
            assert_true(pal_turn_freely(moments, now, step, &turn));
            all = pal_quaternion_normalise(pal_quaternion_multiply(all, turn));
        }
    }
}

// About the axis of symmetry the body turns by 2 atan(w dt / 2).
static void a_steady_turn(void **state)
{
    (void)state;
    const double moments[3] = {2, 2, 3};
    PalQuaternion turn;
    assert_true(pal_turn_freely(moments, pal_vec3(0, 0, 6), 0.1, &turn));
    PalVec3 angle = pal_quaternion_rotation_vector(turn);
    check_near(angle.z, 2 * atan(0.1), 1e-15);
    check_near(fabs(angle.x) + fabs(angle.y), 0, 0);
    check_near(pal_turn_angle_bound(moments, pal_vec3(0, 0, 6), 0.1), 0.1 * sqrt(6), 1e-15);
}

// A symmetric top: in space the axis goes round the momentum at |L| / J1, and the body turns in
// its own axes at (J1 - J3) / J1 w3.
static void errors_are_of_second_order(void **state)
{
    (void)state;
    const double moments[3] = {2, 2, 3};
    PalVec3 momentum = {1, 0, 1.5};
    double time = 4, size = pal_vec3_length(momentum), before = 0;
    PalVec3 round = pal_vec3_scale(sin(size / 2 * time / 2) / size, momentum);
    double own = (2.0 - 3.0) / 2 * (1.5 / 3) * time;
    PalQuaternion exact = pal_quaternion_multiply(
        (PalQuaternion){cos(size / 2 * time / 2), round.x, round.y, round.z},
        (PalQuaternion){cos(own / 2), 0, 0, sin(own / 2)});
    for (int32_t count = 20; count <= 320; count *= 2) {
        double error = angle_between(turn_for(moments, momentum, time, count), exact);
        if (before != 0)
            check_near(before / error, 4, 0.1);
        before = error;
    }
    assert_true(before < 1e-4);
}

// Cut in parts, a step of many turns is as good as its parts.
static void long_steps_are_cut(void **state)
{
    (void)state;
    const double moments[3] = {1, 2, 2.5};
    PalVec3 momentum = {0.1, 2, 0.1};
    double bound = pal_turn_angle_bound(moments, momentum, 30);
    int32_t parts = (int32_t)ceil(bound / 0.5);
    PalQuaternion whole;
    assert_true(pal_turn_freely(moments, momentum, 30, &whole));
    check_near(angle_between(whole, turn_for(moments, momentum, 30, parts)), 0, 1e-11);
    assert_false(pal_turn_freely(moments, momentum, 1e6, &whole));
    assert_false(pal_turn_freely(moments, pal_vec3(NAN, 0, 0), 1, &whole));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(energy_is_kept_whatever_the_step),
    cmocka_unit_test(a_steady_turn),
    cmocka_unit_test(errors_are_of_second_order),
    cmocka_unit_test(long_steps_are_cut),
};
CHECK_GROUP(tests, NULL, NULL)
