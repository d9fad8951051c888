// Products with a matrix that is not symmetric, and the inverse of one near it.
#include "check.h"
#include "math/gmres.h"

#include <math.h>

enum { SIZE = 40 };

static int products;

static double entry(int i, int j)
{
    return i == j ? 3 + 0.1 * i : sin(7 * i + 3 * j) / (1 + abs(i - j));
}

static void multiply(void *context, const double *x, double *y)
{
    (void)context;
    ++products;
    for (int i = 0; i < SIZE; ++i) {
        y[i] = 0;
        for (int j = 0; j < SIZE; ++j)
            y[i] += entry(i, j) * x[j];
    }
}

static PalStatus by_diagonal(void *context, double *x, PalError *error)
{
    (void)context, (void)error;
    for (int i = 0; i < SIZE; ++i)
        x[i] /= entry(i, i);
    return PAL_OK;
}

static PalStatus fails(void *context, double *x, PalError *error)
{
    (void)context, (void)x;
    return pal_error_set(error, PAL_INTERRUPTED, "interrupted");
}

static void solves(void **state)
{
    (void)state;
    PalGmres gmres = {0};
    PalError error = {0};
    PalGmresPair pair = {NULL, multiply, by_diagonal};
    double x[SIZE], b[SIZE], y[SIZE], left[2], norm = 0;
    check_ok(pal_gmres_create(SIZE, &gmres, &error), &error);
    for (int most = 4; most <= PAL_GMRES_MOST; most += PAL_GMRES_MOST - 4) {
        norm = 0;
        for (int i = 0; i < SIZE; ++i) {
            x[i] = b[i] = cos(i);
            norm += b[i] * b[i];
        }
        double *told = &left[most > 4];
        check_ok(pal_gmres_solve(&gmres, &pair, 1e-12, most, x, told, &error), &error);
        multiply(NULL, x, y);
        double off = 0;
        for (int i = 0; i < SIZE; ++i)
            off += (y[i] - b[i]) * (y[i] - b[i]);
        check_near(sqrt(off / norm), *told, 1e-12);  // what it tells is true
    }
    assert_true(left[1] < 0.01 * left[0]);
    assert_true(left[1] < 1e-4);
    products = 0;
    check_ok(pal_gmres_solve(&gmres, &pair, 0.5, PAL_GMRES_MOST, b, left, &error), &error);
    assert_in_range(products, 1, 3);  // no more than are needed
    memset(x, 0, sizeof x);
    check_ok(pal_gmres_solve(&gmres, &pair, 1e-6, PAL_GMRES_MOST, x, left, &error), &error);
    assert_true(left[0] == 0 && x[0] == 0);
    pair.divide = fails;
    assert_int_equal(pal_gmres_solve(&gmres, &pair, 1e-6, 3, y, left, &error), PAL_INTERRUPTED);
    pal_gmres_clear(&gmres);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(solves)};

CHECK_GROUP(tests, NULL, NULL)
