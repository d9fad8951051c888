// The complementarity problem of contact by itself: rows that depend on each other, as those of
// points that lie close together.
#include "check.h"
#include "reduced/haptic_rows.h"

#include <math.h>

enum { MODES = 24, ROWS = 44 };

static float number(uint32_t *seed)  // from -1 to 1
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)((double)(*seed >> 8) / (1 << 23) - 1);
}

// More rows than modes, in pairs that are alike.
static void fill(PalHapticRows *rows, const PalHapticBody *const bodies[2], uint32_t seed)
{
    pal_haptic_rows_reset(rows);
    rows->row_count = ROWS;
    for (int32_t row = 0; row < ROWS; ++row) {
        float *j = rows->modes + (int64_t)row * rows->width;
        for (int32_t k = 0; k < rows->width; ++k)
            j[k] = k >= MODES     ? 0
                   : row % 2 == 1 ? j[k - rows->width] + 0.2F * number(&seed)
                                  : number(&seed);
        rows->gap_made[row] = rows->gap[row] = number(&seed);
        rows->low[row] = rows->force[row] = 0;
        rows->high[row] = row == 7 ? 0 : INFINITY;  // one is held
        for (int k = 0; k < 6; ++k)
            rows->push[row][k] = 0;
    }
    pal_haptic_rows_couple(rows, bodies);
}

static double gap_of(const PalHapticRows *rows, int32_t row)
{
    double gap = (double)rows->gap[row];
    for (int32_t other = 0; other < ROWS; ++other)
        gap += (double)rows->matrix[(int64_t)row * pal_haptic_line(ROWS) + other] *
               (double)rows->force[other];
    return gap;
}

// How wrong the solution is, of the largest gap: forces that pull, overlaps, forces at a distance.
static double wrong(const PalHapticRows *rows)
{
    double worst = 0, scale = 0;
    for (int32_t row = 0; row < ROWS; ++row) {
        double gap = gap_of(rows, row), force = (double)rows->force[row];
        scale = fmax(scale, fabs((double)rows->gap[row]));
        if (rows->high[row] > 0)
            worst = fmax(worst, fmax(-gap, force > 0 ? fabs(gap) : 0));
        assert_true(force >= 0 && force <= (double)rows->high[row]);
    }
    return worst / scale;
}

static void every_row_touches_or_has_no_force(void **state)
{
    (void)state;
    PalError error = {0};
    PalHapticBody first = {.stride = MODES, .mode_count = MODES}, second = {0};
    const PalHapticBody *const bodies[2] = {&first, &second};
    PalHapticRows rows;
    check_ok(pal_haptic_rows_init(&rows, ROWS, bodies, &error), &error);
    for (uint32_t seed = 1; seed <= 50; ++seed) {
        uint32_t shift = seed;
        fill(&rows, bodies, seed);
        pal_haptic_rows_solve(&rows, 40, 1e-5, false);
        assert_true(wrong(&rows) < 1e-5);
        // and with the factor that was made ahead, for gaps that were not expected
        fill(&rows, bodies, seed);
        pal_haptic_rows_expect(&rows, 1e-5);
        for (int32_t row = 0; row < ROWS; ++row)
            rows.gap[row] += 0.02F * number(&shift);
        pal_haptic_rows_solve(&rows, 40, 1e-5, false);
        assert_true(wrong(&rows) < 1e-5);
    }
    pal_haptic_rows_clear(&rows);
}

// As friction bounds them: forces of every third row have two ends.
static void rows_with_two_bounds_are_solved(void **state)
{
    (void)state;
    PalError error = {0};
    PalHapticBody first = {.stride = MODES, .mode_count = MODES}, second = {0};
    const PalHapticBody *const bodies[2] = {&first, &second};
    PalHapticRows rows;
    int at_low = 0, at_high = 0, between = 0;
    check_ok(pal_haptic_rows_init(&rows, ROWS, bodies, &error), &error);
    for (uint32_t seed = 1; seed <= 50; ++seed) {
        fill(&rows, bodies, seed);
        for (int32_t row = 0; row < ROWS; row += 3) {
            rows.high[row] = 0.02F;
            rows.low[row] = -0.02F;
        }
        pal_haptic_rows_solve(&rows, 40, 1e-5, false);
        double worst = 0;
        for (int32_t row = 0; row < ROWS; ++row) {
            double gap = gap_of(&rows, row);
            bool low = !(rows.force[row] > rows.low[row]);
            bool high = !(rows.force[row] < rows.high[row]);
            assert_true(rows.force[row] >= rows.low[row] && rows.force[row] <= rows.high[row]);
            worst = fmax(worst, low && high ? 0 : low ? -gap : high ? gap : fabs(gap));
            at_low += low && row % 3 == 0;
            at_high += high && row % 3 == 0;
            between += !low && !high && row % 3 == 0;
        }
        assert_true(worst < 1e-5);
    }
    assert_true(at_low > 20 && at_high > 20 && between > 20);
    pal_haptic_rows_clear(&rows);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_row_touches_or_has_no_force),
    cmocka_unit_test(rows_with_two_bounds_are_solved),
};

CHECK_GROUP(tests, NULL, NULL)
