// Ways downhill by products with a symmetric matrix that may fall in some directions.
#include "check.h"
#include "math/cg.h"

#include <math.h>

enum { SIZE = 40 };

// The matrix is turned by a reflection; its eigenvalues are those of M times `factor`.
typedef struct Matrix {
    double factor[SIZE];
    int products;
} Matrix;

static double near_entry(int i)
{
    return 1 + 3.0 * i;
}

static void reflect(double *x)
{
    double along = 0, square = 0;
    for (int i = 0; i < SIZE; ++i) {
        along += (1 + i % 3) * x[i];
        square += (1 + i % 3) * (1 + i % 3);
    }
    for (int i = 0; i < SIZE; ++i)
        x[i] -= 2 * along / square * (1 + i % 3);
}

// A = M^1/2 Q factor Q M^1/2
static void multiply(void *context, const double *x, double *y)
{
    Matrix *matrix = context;
    ++matrix->products;
    for (int i = 0; i < SIZE; ++i)
        y[i] = sqrt(near_entry(i)) * x[i];
    reflect(y);
    for (int i = 0; i < SIZE; ++i)
        y[i] *= matrix->factor[i];
    reflect(y);
    for (int i = 0; i < SIZE; ++i)
        y[i] *= sqrt(near_entry(i));
}

static PalStatus by_near(void *context, double *x, PalError *error)
{
    (void)context, (void)error;
    for (int i = 0; i < SIZE; ++i)
        x[i] /= near_entry(i);
    return PAL_OK;
}

static PalStatus fails(void *context, double *x, PalError *error)
{
    (void)context, (void)x;
    return pal_error_set(error, PAL_INTERRUPTED, "interrupted");
}

// x A x / 2 - b x
static double value(Matrix *matrix, const double *x, const double *b)
{
    double y[SIZE], sum = 0;
    multiply(matrix, x, y);
    for (int i = 0; i < SIZE; ++i)
        sum += x[i] * y[i] / 2 - x[i] * b[i];
    return sum;
}

static void set_right(double *x, double *b)
{
    for (int i = 0; i < SIZE; ++i)
        x[i] = b[i] = cos(i);
}

// With k different factors, k products are enough.
static void finds_the_minimum(void **state)
{
    (void)state;
    Matrix matrix = {.products = 0};
    PalCg cg = {0};
    PalError error = {0};
    PalCgFacts facts;
    PalCgWish wish = {1e-10, INFINITY};
    PalGmresPair pair = {&matrix, multiply, by_near};
    double x[SIZE], b[SIZE], y[SIZE], off = 0, norm = 0;
    for (int i = 0; i < SIZE; ++i)
        matrix.factor[i] = i == 3 ? 0.01 : i == 7 ? 0.1 : 1;
    check_ok(pal_cg_create(SIZE, &cg, &error), &error);
    set_right(x, b);
    check_ok(pal_cg_descend(&cg, &pair, &wish, x, &facts, &error), &error);
    assert_in_range(facts.products, 3, 4);
    assert_int_equal(facts.products, matrix.products);
    assert_false(facts.falls);
    multiply(&matrix, x, y);
    for (int i = 0; i < SIZE; ++i) {
        off += (y[i] - b[i]) * (y[i] - b[i]);
        norm += b[i] * b[i];
    }
    assert_true(sqrt(off / norm) < 1e-9 && facts.left < 1e-10);
    wish.exact = 0.9;
    set_right(x, b);
    check_ok(pal_cg_descend(&cg, &pair, &wish, x, &facts, &error), &error);
    assert_int_equal(facts.products, 1);  // no more than are needed
    memset(x, 0, sizeof x);
    check_ok(pal_cg_descend(&cg, &pair, &wish, x, &facts, &error), &error);
    assert_true(facts.left == 0 && facts.products == 0 && x[0] == 0);
    pair.divide = fails;
    set_right(x, b);
    assert_int_equal(pal_cg_descend(&cg, &pair, &wish, x, &facts, &error), PAL_INTERRUPTED);
    pal_cg_clear(&cg);
}

static void goes_down_where_there_is_none(void **state)
{
    (void)state;
    Matrix matrix = {.products = 0};
    PalCg cg = {0};
    PalError error = {0};
    PalCgFacts facts;
    PalCgWish wish = {1e-10, INFINITY};
    PalGmresPair pair = {&matrix, multiply, by_near};
    double x[SIZE], b[SIZE], best[SIZE];
    check_ok(pal_cg_create(SIZE, &cg, &error), &error);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < SIZE; ++i)
            matrix.factor[i] = i == 3 ? -0.5 : sign < 0 ? -1 : 1;
        set_right(x, b);
        check_ok(pal_cg_descend(&cg, &pair, &wish, x, &facts, &error), &error);
        assert_true(facts.falls);
        assert_in_range(facts.products, 1, 3);
        double work = 0;
        for (int i = 0; i < SIZE; ++i)
            work += x[i] * b[i];
        assert_true(work > 0);  // a beginning of the way goes down
        // and all of it goes lower than M alone would, or as low at the first look
        memcpy(best, b, sizeof b);
        check_ok(by_near(NULL, best, &error), &error);
        double lowest = value(&matrix, best, b);
        assert_true(value(&matrix, x, b) < lowest + (sign < 0 ? 1e-12 * fabs(lowest) : 0));
    }
    pal_cg_clear(&cg);
}

static void is_no_longer_than_wanted(void **state)
{
    (void)state;
    Matrix matrix = {.products = 0};
    PalCg cg = {0};
    PalError error = {0};
    PalCgFacts facts;
    PalCgWish wish = {1e-10, 1.5};
    PalGmresPair pair = {&matrix, multiply, by_near};
    double x[SIZE], b[SIZE], far = 0;
    for (int i = 0; i < SIZE; ++i)
        matrix.factor[i] = i == 3 ? 0.002 : 1;
    check_ok(pal_cg_create(SIZE, &cg, &error), &error);
    set_right(x, b);
    check_ok(pal_cg_descend(&cg, &pair, &wish, x, &facts, &error), &error);
    for (int i = 0; i < SIZE; ++i)
        far = fmax(far, fabs(x[i]));
    check_near(far, wish.longest, 1e-12);
    assert_true(value(&matrix, x, b) < 0);
    pal_cg_clear(&cg);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_the_minimum),
    cmocka_unit_test(goes_down_where_there_is_none),
    cmocka_unit_test(is_no_longer_than_wanted),
};

CHECK_GROUP(tests, NULL, NULL)
