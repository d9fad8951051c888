// Laws with the quadratic volumetric energy have a barrier below PAL_COLLAPSE, and nothing above.
#include "check.h"
#include "material/law.h"
#include "material/volumetric.h"

static const PalMaterialLaw *const laws[] = {&pal_law_neo_hookean, &pal_law_polynomial,
                                             &pal_law_transversely_isotropic};

static double of_law(const PalMaterialLaw *law, double J, bool energy)
{
    double p[PAL_LAW_PARAMETER_MAX] = {0};
    p[pal_law_parameter_index(law, "bulk")] = 1;
    PalLanes ratio = pal_lanes_all(J), U, dU;
    law->volumetric(p, &ratio, &U, &dU);
    return energy ? U[0] : dU[0];
}

static void pressures_are_slopes_of_energies(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
        for (double J = 0.01; J < 0.6; J += 0.0137) {
            double h = 1e-5 * J;
            double slope = (of_law(laws[i], J + h, true) - of_law(laws[i], J - h, true)) / (2 * h);
            check_near(of_law(laws[i], J, false), slope, 1e-6 * (1 + fabs(slope)));
            PalVolumetricPoint point = pal_quadratic_point(1, J);
            check_near(point.first, slope, 1e-6 * (1 + fabs(slope)));
            double change =
                (of_law(laws[i], J + h, false) - of_law(laws[i], J - h, false)) / (2 * h);
            check_near(point.second, change, 1e-4 * (1 + fabs(change)));
            PalLanes more = pal_collapse_stiffness(1, pal_lanes_all(J));
            check_near(1 + more[0], point.second, 1e-12 * point.second);
        }
}

static void nothing_changes_above(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
        for (double J = PAL_COLLAPSE; J < 2; J += 0.1)
            assert_true(of_law(laws[i], J, false) == J - 1);
}

static void no_pressure_takes_all_volume(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        assert_true(of_law(laws[i], 0.01, false) < -5);
        assert_true(of_law(laws[i], 1e-6, false) < -1e4);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pressures_are_slopes_of_energies),
    cmocka_unit_test(nothing_changes_above),
    cmocka_unit_test(no_pressure_takes_all_volume),
};
CHECK_GROUP(tests, NULL, NULL)
