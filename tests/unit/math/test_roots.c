// The first root ahead: never missed, never late.
#include "check.h"
#include "math/roots.h"

#include <stdint.h>

static double random_between(double low, double high, uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

// s (t - r1) (t - r2) ... : coefficients and the largest of their sums.
static void from_roots(const double *roots, int degree, double scale, double *c)
{
    c[0] = scale;
    for (int k = 0; k < degree; ++k) {
        c[k + 1] = c[k];
        for (int i = k; i > 0; --i)
            c[i] = c[i - 1] - roots[k] * c[i];
        c[0] *= -roots[k];
    }
}

static void polynomials_with_known_roots(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 100000; ++trial) {
        int degree = 1 + trial % 4;
        double roots[4], c[5], first = INFINITY;
        for (int k = 0; k < degree; ++k)
            roots[k] = random_between(-10, 10, &seed);
        if (trial % 5 == 0 && degree > 1)
            roots[1] = roots[0];  // touched only
        if (trial % 7 == 0 && degree > 2)
            roots[2] = roots[0];
        from_roots(roots, degree, 1, c);
        if (c[0] < 0)
            for (int k = 0; k <= degree; ++k)
                c[k] = -c[k];
        for (int k = 0; k < degree; ++k)
            if (roots[k] > 0 && roots[k] < first)
                first = roots[k];
        double found = pal_first_root(c, degree, 20);
        if (first == INFINITY) {
            assert_true(found == INFINITY || c[0] < 1e-9);
            continue;
        }
        if (!(found <= first))
            fail_msg("trial %d: the root %.17g is missed: %.17g", trial, first, found);
        // roots that nearly coincide are as uncertain as rounding makes them
        double apart = INFINITY;
        for (int k = 0; k < degree; ++k)
            for (int i = 0; i < k; ++i)
                apart = fmin(apart, fabs(roots[k] - roots[i]));
        if (apart > 0.1 && c[0] > 1e-3)
            check_near(found, first, 1e-8);
    }
}

static void what_is_touched_counts(void **state)
{
    (void)state;
    // (t - 3)^2 and the same raised by less than rounding, and by more
    double c[3] = {9, -6, 1};
    check_near(pal_first_root(c, 2, 10), 3, 1e-6);
    c[0] += 1e-15;
    assert_true(pal_first_root(c, 2, 10) <= 3);
    c[0] = 9 + 1e-9;
    assert_true(pal_first_root(c, 2, 10) == INFINITY);
}

static void ends_and_missing_numbers(void **state)
{
    (void)state;
    const double line[2] = {1, -1}, none[5] = {1, 0, 0, 0, 0}, negative[1] = {-1};
    check_near(pal_first_root(line, 1, 5), 1, 1e-13);
    assert_true(pal_first_root(line, 1, 0.5) == INFINITY);
    assert_true(pal_first_root(none, 4, 1e9) == INFINITY);
    assert_true(pal_first_root(negative, 0, 1) == 0);
    const double missing[2] = {1, NAN}, endless[2] = {INFINITY, 1};
    assert_true(pal_first_root(missing, 1, 1) == 0);
    assert_true(pal_first_root(endless, 1, 1) == 0);
    assert_true(pal_first_root(line, 1, NAN) == 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(polynomials_with_known_roots),
    cmocka_unit_test(what_is_touched_counts),
    cmocka_unit_test(ends_and_missing_numbers),
};

CHECK_GROUP(tests, NULL, NULL)
