#include "check.h"
#include "model/motion.h"
#include <palpate/model.h>

static void ramps_start_and_end_where_they_should(void **state)
{
    (void)state;
    PalRamp linear = {.kind = PAL_RAMP_LINEAR, .until = 2};
    PalRamp smooth = {.kind = PAL_RAMP_SMOOTH, .until = 2};
    PalRamp step = {.kind = PAL_RAMP_STEP};
    check_near(pal_ramp_value(&linear, -1), 0, 0);
    check_near(pal_ramp_value(&linear, 0.5), 0.25, 0);
    check_near(pal_ramp_value(&linear, 3), 1, 0);
    check_near(pal_ramp_value(&smooth, 0), 0, 0);
    check_near(pal_ramp_value(&smooth, 1), 0.5, 1e-15);
    check_near(pal_ramp_value(&smooth, 2), 1, 1e-15);
    check_near(pal_ramp_value(&smooth, 5), 1, 1e-15);
    check_near(pal_ramp_value(&step, 0), 1, 0);
}

// No velocity and no acceleration at either end of the smooth ramp.
static void smooth_ramp_is_smooth(void **state)
{
    (void)state;
    PalRamp smooth = {.kind = PAL_RAMP_SMOOTH, .until = 1};
    const double h = 1e-3;
    check_near(pal_ramp_value(&smooth, h), 10 * h * h * h, 2e-11);
    check_near(1 - pal_ramp_value(&smooth, 1 - h), 10 * h * h * h, 2e-11);
}

// A ramp that does not hold follows its formula beyond the end, a hilly one up, back and up again.
static void ramps_go_on_when_told(void **state)
{
    (void)state;
    PalRamp linear = {.kind = PAL_RAMP_LINEAR, .until = 2, .onward = true};
    PalRamp smooth = {.kind = PAL_RAMP_SMOOTH, .until = 2, .onward = true};
    PalRamp hilly = {.kind = PAL_RAMP_HILLY, .until = 2};
    check_near(pal_ramp_value(&linear, -1), 0, 0);
    check_near(pal_ramp_value(&linear, 3), 1.5, 0);
    check_near(pal_ramp_value(&smooth, 4), 10 * 8 - 15 * 16 + 6 * 32, 0);
    check_near(pal_ramp_value(&hilly, 0), 0, 0);
    check_near(pal_ramp_value(&hilly, 0.5), 0.25 * exp(-2), 1e-15);
    check_near(pal_ramp_value(&hilly, 1), 0.5, 1e-15);
    check_near(pal_ramp_value(&hilly, 2), 1, 1e-15);
    check_near(pal_ramp_value(&hilly, 3), 1, 1e-15);
    hilly.onward = true;
    check_near(pal_ramp_value(&hilly, 3), 1.5, 1e-14);
}

static void ramps_wait_until_they_begin(void **state)
{
    (void)state;
    const PalRampKind kinds[] = {PAL_RAMP_LINEAR, PAL_RAMP_SMOOTH, PAL_RAMP_HILLY};
    for (int i = 0; i < 3; ++i) {
        PalRamp at_once = {.kind = kinds[i], .until = 2}, later = at_once;
        later.from = 3;
        later.until = 5;
        check_near(pal_ramp_value(&later, 0), 0, 0);
        check_near(pal_ramp_value(&later, 3), 0, 0);
        for (double t = 0; t <= 3; t += 0.25)
            check_near(pal_ramp_value(&later, 3 + t), pal_ramp_value(&at_once, t), 1e-15);
    }
}

static void tables_are_straight_between_points(void **state)
{
    (void)state;
    const double points[][2] = {{1, 2}, {2, 4}, {5, -2}};
    PalRamp table = {.kind = PAL_RAMP_TABLE, .point_count = 3, .points = points};
    PalError error = {0};
    check_ok(pal_ramp_validate(&table, &error), &error);
    check_near(pal_ramp_value(&table, 0), 2, 0);
    check_near(pal_ramp_value(&table, 1.5), 3, 0);
    check_near(pal_ramp_value(&table, 3), 2, 1e-15);
    check_near(pal_ramp_value(&table, 9), -2, 0);
}

static void bad_ramps_are_refused(void **state)
{
    (void)state;
    const double backward[][2] = {{1, 2}, {1, 4}}, endless[][2] = {{0, NAN}};
    PalRamp ramps[] = {
        {.kind = PAL_RAMP_TABLE, .point_count = 2, .points = backward},
        {.kind = PAL_RAMP_TABLE, .point_count = 1, .points = endless},
        {.kind = PAL_RAMP_TABLE},
        {.kind = PAL_RAMP_LINEAR, .until = -1},
        {.kind = PAL_RAMP_SMOOTH, .until = NAN},
        {.kind = PAL_RAMP_LINEAR, .from = -1, .until = 1},
        {.kind = PAL_RAMP_LINEAR, .from = NAN, .until = 1},
        {.kind = PAL_RAMP_SMOOTH, .from = 1, .until = 1},
    };
    for (int i = 0; i < 8; ++i) {
        PalError error = {0};
        assert_int_equal(pal_ramp_validate(&ramps[i], &error), PAL_BAD_INPUT);
        assert_true(strlen(error.text) > 0);
    }
}

static void motion_turns_then_moves(void **state)
{
    (void)state;
    PalMotionDef motion = {
        .translation = {0, 0, 4},
        .axis = {0, 0, 2},
        .radians = acos(-1),
        .centre = {1, 0, 0},
        .ramp = {.kind = PAL_RAMP_LINEAR, .until = 2},
    };
    PalVec3 half = pal_motion_apply(&motion, 1, (PalVec3){3, 0, 0});
    check_near(half.x, 1, 1e-15);
    check_near(half.y, 2, 1e-15);
    check_near(half.z, 2, 1e-15);
    PalVec3 whole = pal_motion_apply(&motion, 2, (PalVec3){3, 0, 0});
    check_near(whole.x, -1, 1e-15);
    check_near(whole.y, 0, 1e-15);
    check_near(whole.z, 4, 1e-15);
}

// Where the rate jumps: at the start, at the end, at each point of a table.
static void corners_come_one_after_the_other(void **state)
{
    (void)state;
    const double points[][2] = {{1, 0}, {2, 3}};
    PalRamp linear = {.kind = PAL_RAMP_LINEAR, .from = 0.5, .until = 2};
    PalRamp table = {.kind = PAL_RAMP_TABLE, .point_count = 2, .points = points};
    PalRamp step = {.kind = PAL_RAMP_STEP};
    assert_true(pal_ramp_next_corner(&linear, 0) == 0.5);
    assert_true(pal_ramp_next_corner(&linear, 0.5) == 2);
    assert_true(pal_ramp_next_corner(&linear, 2) == INFINITY);
    assert_true(pal_ramp_next_corner(&table, 0) == 1 && pal_ramp_next_corner(&table, 1) == 2);
    assert_true(pal_ramp_next_corner(&table, 2) == INFINITY);
    assert_true(pal_ramp_next_corner(&step, 0) == INFINITY);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(corners_come_one_after_the_other),
    cmocka_unit_test(ramps_start_and_end_where_they_should),
    cmocka_unit_test(smooth_ramp_is_smooth),
    cmocka_unit_test(ramps_go_on_when_told),
    cmocka_unit_test(ramps_wait_until_they_begin),
    cmocka_unit_test(tables_are_straight_between_points),
    cmocka_unit_test(bad_ramps_are_refused),
    cmocka_unit_test(motion_turns_then_moves),
};
CHECK_GROUP(tests, NULL, NULL)
