// Every law: fast kernels against plain twins, stress against energy, tangent against stress.
#include "check.h"
#include "material/law.h"
#include "random_material.h"

static double worst_of(const PalMat3 *a, const PalMat3 *b)
{
    double difference = 0, size = 0;
    for (int k = 0; k < 9; ++k) {
        difference = fmax(difference, fabs(a->m[k / 3][k % 3] - b->m[k / 3][k % 3]));
        size = fmax(size, fabs(b->m[k / 3][k % 3]));
    }
    return difference / fmax(size, 1e-300);
}

static PalMat3 lane_of(const PalLanesMat3 *batch, int lane)
{
    PalMat3 a;
    for (int k = 0; k < 9; ++k)
        a.m[k / 3][k % 3] = batch->m[k / 3][k % 3][lane];
    return a;
}

static void kernels_agree_with_their_twins(void **state)
{
    (void)state;
    for (int32_t l = 0; l < pal_laws_count; ++l) {
        const PalMaterialLaw *law = pal_laws[l];
        uint64_t seed = 1;
        double worst = 0;
        for (int trial = 0; trial < 500; ++trial) {
            PalMaterialDef def = random_material(law, &seed);
            PalLanesMat3 F, P;
            PalLanes J;
            PalMat3 points[PAL_LANES];
            for (int lane = 0; lane < PAL_LANES; ++lane) {
                points[lane] = random_gradient(0.4, &seed);
                for (int k = 0; k < 9; ++k)
                    F.m[k / 3][k % 3][lane] = points[lane].m[k / 3][k % 3];
            }
            law->total(def.parameters, &F, &P, &J);
            for (int lane = 0; lane < PAL_LANES; ++lane) {
                PalMat3 fast = lane_of(&P, lane), plain;
                law->total_ref(def.parameters, &points[lane], &plain);
                worst = fmax(worst, worst_of(&fast, &plain));
                check_near(J[lane], pal_mat3_determinant(&points[lane]), 1e-14);
            }
        }
        print_message("%-24s kernel and twin differ by %.1e\n", law->name, worst);
        check_near(worst, 0, 1e-13);
    }
}

static void total_is_distortion_and_pressure(void **state)
{
    (void)state;
    for (int32_t l = 0; l < pal_laws_count; ++l) {
        const PalMaterialLaw *law = pal_laws[l];
        uint64_t seed = 2;
        for (int trial = 0; trial < 100; ++trial) {
            PalMaterialDef def = random_material(law, &seed);
            PalMat3 point = random_gradient(0.4, &seed), cof = pal_mat3_cofactor(&point);
            PalLanesMat3 F = broadcast(&point), P, D;
            PalLanes J, pressure = {0};
            law->total(def.parameters, &F, &P, &J);
            law->stress(def.parameters, &F, &D);
            if (law->volumetric != NULL)
                law->volumetric(def.parameters, &J, NULL, &pressure);
            PalMat3 total = lane_of(&P, 0), sum = lane_of(&D, 0);
            for (int k = 0; k < 9; ++k)
                sum.m[k / 3][k % 3] += pressure[0] * cof.m[k / 3][k % 3];
            check_near(worst_of(&sum, &total), 0, 1e-13);
        }
    }
}

static void rest_is_free_of_stress(void **state)
{
    (void)state;
    PalMat3 identity = pal_mat3_identity();
    for (int32_t l = 0; l < pal_laws_count; ++l) {
        uint64_t seed = 3;
        for (int trial = 0; trial < 50; ++trial) {
            PalMaterialDef def = random_material(pal_laws[l], &seed);
            double W, shear, bulk;
            PalMat3 P;
            pal_material_evaluate(&def, &identity, &W, &P, NULL);
            pal_material_moduli(&def, &shear, &bulk);
            bool exact = pal_laws[l] == &pal_law_neo_hookean;
            for (int k = 0; k < 9; ++k)
                check_near(P.m[k / 3][k % 3], 0, exact ? 0 : 1e-15 * (shear + bulk));
            check_near(W, 0, exact ? 0 : 1e-15 * (shear + bulk));
        }
    }
}

// The other lanes of a batch do not notice an inverted one.
static void an_inverted_lane_stays_alone(void **state)
{
    (void)state;
    for (int32_t l = 0; l < pal_laws_count; ++l) {
        const PalMaterialLaw *law = pal_laws[l];
        uint64_t seed = 4;
        PalMaterialDef def = random_material(law, &seed);
        PalMat3 point = random_gradient(0.3, &seed);
        PalLanesMat3 F = broadcast(&point), P, expected;
        PalLanes J, D;
        law->total(def.parameters, &F, &expected, &J);
        for (int bad = 0; bad < 3; ++bad) {
            for (int j = 0; j < 3; ++j)
                F.m[1][j][2] = (bad - 1) * point.m[1][j];
            law->total(def.parameters, &F, &P, &J);
            law->energy(def.parameters, &F, &D);
            assert_int_equal(J[2] > 0, bad == 2);
            for (int lane = 0; lane < PAL_LANES; ++lane)
                for (int k = 0; (lane != 2 || bad == 2) && k < 9; ++k)
                    assert_true(P.m[k / 3][k % 3][lane] == expected.m[k / 3][k % 3][lane]);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernels_agree_with_their_twins),
    cmocka_unit_test(total_is_distortion_and_pressure),
    cmocka_unit_test(rest_is_free_of_stress),
    cmocka_unit_test(an_inverted_lane_stays_alone),
};
CHECK_GROUP(tests, NULL, NULL)
