#include "check.h"
#include "math/lanes_eigen.h"
#include "math/mat3.h"
#include "random_material.h"

// Distance in units in the last place of the expected number.
static double units(double found, long double expected)
{
    double rounded = fabs((double)expected);
    return (double)fabsl(found - expected) / (nextafter(rounded, INFINITY) - rounded);
}

enum { INVERSE_CBRT, EXP, EXPM1, LOG, FUNCTIONS };

static PalLanes apply(int function, PalLanes x)
{
    return function == INVERSE_CBRT ? pal_lanes_inverse_cbrt(x)
           : function == EXP        ? pal_lanes_exp(x)
           : function == EXPM1      ? pal_lanes_expm1(x)
                                    : pal_lanes_log(x);
}

static long double exact(int function, double x)
{
    return function == INVERSE_CBRT ? 1 / cbrtl(x)
           : function == EXP        ? expl(x)
           : function == EXPM1      ? expm1l(x)
                                    : logl(x);
}

static void functions_are_accurate(void **state)
{
    (void)state;
    static const char *const names[] = {"x^(-1/3)", "exp", "expm1", "log"};
    for (int function = 0; function < FUNCTIONS; ++function) {
        bool exponential = function == EXP || function == EXPM1;
        uint64_t seed = 21;
        double worst = 0;
        for (int trial = 0; trial < 100000; ++trial) {
            double x = 1 + random_between(-1e-4, 1e-4, &seed);
            if (trial % 3 == 1)
                x = exponential ? random_between(-700, 700, &seed) : random_between(0.3, 3, &seed);
            if (trial % 3 == 2)
                x = exponential ? random_between(-0.4, 0.4, &seed)
                                : exp(random_between(-700, 700, &seed));
            PalLanes found = apply(function, (PalLanes){1, x, 1, 1});
            worst = fmax(worst, units(found[1], exact(function, x)));
        }
        print_message("%-8s within %.2f units in the last place\n", names[function], worst);
        check_near(worst, 0, 2.5);
    }
}

static void special_numbers(void **state)
{
    (void)state;
    PalLanes x = {1, 0, -1, NAN};
    PalLanes root = pal_lanes_inverse_cbrt(x), power = pal_lanes_exp(x), log = pal_lanes_log(x);
    assert_true(root[0] == 1);
    assert_true(power[1] == 1 && isnan(power[3]));
    assert_true(log[0] == 0 && isnan(log[1]) && isnan(log[2]) && isnan(log[3]));
    PalLanes far = pal_lanes_exp((PalLanes){1e9, -1e9, INFINITY, -INFINITY});
    assert_true(isinf(far[0]) && far[1] == 0 && isinf(far[2]) && far[3] == 0);
    PalLanes less = pal_lanes_expm1((PalLanes){0, 1e-20, -1e9, 1e9});
    assert_true(less[0] == 0 && less[1] == 1e-20 && less[2] == -1 && isinf(less[3]));
}

static void cofactor_and_determinant(void **state)
{
    (void)state;
    uint64_t seed = 22;
    for (int trial = 0; trial < 100; ++trial) {
        PalMat3 a = random_gradient(0.5, &seed), plain = pal_mat3_cofactor(&a);
        PalLanesMat3 batch = broadcast(&a), cofactor;
        pal_lanes_cofactor(&batch, &cofactor);
        for (int k = 0; k < 9; ++k)
            check_near(cofactor.m[k / 3][k % 3][3], plain.m[k / 3][k % 3], 1e-15);
        check_near(pal_lanes_determinant(&batch, &cofactor)[2], pal_mat3_determinant(&a), 1e-15);
        check_near(pal_lanes_inner(&batch, &batch)[1], pal_mat3_inner(&a, &a), 1e-14);
    }
}

// V diag V^T gives the matrix back and V is orthogonal, for clustered eigenvalues too.
static void eigenvectors_rebuild_the_matrix(void **state)
{
    (void)state;
    uint64_t seed = 23;
    double worst = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        PalMat3 F = random_gradient(trial % 5 == 0 ? 0.5 : pow(10, -3 * (trial % 5)), &seed);
        PalMat3 transpose = pal_mat3_transpose(&F), C = pal_mat3_multiply(&transpose, &F);
        PalLanesMat3 batch = broadcast(&C), V;
        PalLanes values[3];
        pal_lanes_eigen_symmetric(&batch, values, &V);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double rebuilt = 0, product = 0;
                for (int k = 0; k < 3; ++k) {
                    rebuilt += V.m[i][k][1] * values[k][1] * V.m[j][k][1];
                    product += V.m[i][k][1] * V.m[j][k][1];
                }
                worst = fmax(worst, fabs(rebuilt - C.m[i][j]));
                worst = fmax(worst, fabs(product - (i == j ? 1 : 0)));
            }
    }
    print_message("eigenvectors rebuild to %.1e\n", worst);
    check_near(worst, 0, 1e-14);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(functions_are_accurate),
    cmocka_unit_test(special_numbers),
    cmocka_unit_test(cofactor_and_determinant),
    cmocka_unit_test(eigenvectors_rebuild_the_matrix),
};
CHECK_GROUP(tests, NULL, NULL)
