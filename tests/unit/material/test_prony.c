#include "check.h"
#include "material/prony.h"
#include "random_material.h"

enum { ROOM = 6 * (PAL_PRONY_MAX + 1) * 2 * PAL_LANES };

static PalMaterialDef two_and_two(void)
{
    PalMaterialDef def = pal_material_def_default();
    def.isochoric_count = 2;
    def.isochoric[0] = (PalPronyTerm){0.3, 0.5};
    def.isochoric[1] = (PalPronyTerm){0.2, 4};
    def.volumetric_count = 2;
    def.volumetric[0] = (PalPronyTerm){0.4, 1};
    def.volumetric[1] = (PalPronyTerm){0.1, 0.05};
    return def;
}

static double relaxation(int32_t count, const PalPronyTerm *terms, double time)
{
    double g = 1;
    for (int32_t k = 0; k < count; ++k)
        g -= terms[k].weight * (1 - exp(-time / terms[k].time));
    return g;
}

static void history_has_the_promised_size(void **state)
{
    (void)state;
    PalMaterialDef def = two_and_two();
    assert_int_equal(pal_prony_history_count(&def), 36);
    assert_int_equal(pal_prony_isochoric_history_count(&def), 18);
    assert_int_equal(pal_prony_pressure_history_count(&def), 3);
    def.isochoric_count = 0;
    assert_int_equal(pal_prony_history_count(&def), 18);
    def.volumetric_count = 0;
    assert_int_equal(pal_prony_history_count(&def), 0);
    assert_int_equal(pal_prony_pressure_history_count(&def), 0);
}

// A strain held from time 0 on: each part of the stress follows its own g(t), for any steps.
static void held_strain_relaxes(void **state)
{
    (void)state;
    PalMaterialDef def = two_and_two();
    uint64_t seed = 5;
    PalMat3 point = random_gradient(0.3, &seed), cof = pal_mat3_cofactor(&point);
    PalLanesMat3 F = broadcast(&point), D, P;
    PalLanes J = pal_lanes_all(pal_mat3_determinant(&point)), pressure;
    double history[ROOM + 1] = {0}, nodal[PAL_PRONY_MAX + 1] = {0}, time = 0, worst = 0;
    double *loose = history + 1;
    def.law->stress(def.parameters, &F, &D);
    def.law->volumetric(def.parameters, &J, NULL, &pressure);
    for (int step = 0; step < 200; ++step) {
        double length = step == 0 ? 1e-15 : random_between(1e-4, 0.2, &seed);
        time += length;
        PalProny prony;
        pal_prony_prepare(&def, length, &prony);
        P = D;
        pal_prony_relax(&prony, &F, &pressure, loose, loose, &P);
        double g = relaxation(2, def.isochoric, time), h = relaxation(2, def.volumetric, time);
        for (int k = 0; k < 9; ++k) {
            int i = k / 3, j = k % 3;
            double expected = g * D.m[i][j][0] + h * pressure[0] * cof.m[i][j];
            for (int lane = 0; lane < PAL_LANES; ++lane)
                worst = fmax(worst, fabs(P.m[i][j][lane] - expected));
        }
        double p = pal_prony_relax_pressure(&prony, pressure[0], nodal, nodal);
        worst = fmax(worst, fabs(p - h * pressure[0]));
    }
    print_message("relaxation differs from g(t) by %.1e\n", worst);
    check_near(worst, 0, 1e-13 * fabs(pressure[0]));
    double isochoric, volumetric;
    pal_prony_long_term(&def, &isochoric, &volumetric);
    check_near(isochoric, 0.5, 1e-15);
    check_near(volumetric, 0.5, 1e-15);
}

static void standing_history_is_not_written(void **state)
{
    (void)state;
    PalMaterialDef def = two_and_two();
    uint64_t seed = 6;
    PalMat3 point = random_gradient(0.3, &seed);
    PalLanesMat3 F = broadcast(&point), D, P, again;
    PalLanes J = pal_lanes_all(pal_mat3_determinant(&point)), pressure;
    double history[ROOM] = {0}, kept[ROOM];
    PalProny moving, standing;
    def.law->stress(def.parameters, &F, &D);
    def.law->volumetric(def.parameters, &J, NULL, &pressure);
    pal_prony_prepare(&def, 0.3, &moving);
    pal_prony_prepare(&def, 0, &standing);
    P = D;
    pal_prony_relax(&moving, &F, &pressure, history, history, &P);
    memcpy(kept, history, sizeof kept);
    again = D;
    pal_prony_relax(&standing, &F, &pressure, history, history, &again);
    assert_memory_equal(history, kept, sizeof kept);
    assert_memory_equal(&again, &P, sizeof P);
    again = D;
    pal_prony_relax(&moving, &F, &pressure, history, NULL, &again);
    assert_memory_equal(history, kept, sizeof kept);
    assert_memory_equal(&again, &P, sizeof P);
}

static void distortion_alone_uses_its_part_of_the_history(void **state)
{
    (void)state;
    PalMaterialDef def = two_and_two();
    uint64_t seed = 7;
    PalMat3 point = random_gradient(0.3, &seed);
    PalLanesMat3 F = broadcast(&point), D, both, alone;
    PalLanes none = {0};
    double history[ROOM] = {0}, part[18 * PAL_LANES] = {0};
    PalProny prony;
    pal_prony_prepare(&def, 0.3, &prony);
    def.law->stress(def.parameters, &F, &D);
    both = alone = D;
    pal_prony_relax(&prony, &F, &none, history, history, &both);
    pal_prony_relax(&prony, &F, NULL, part, part, &alone);
    assert_memory_equal(&both, &alone, sizeof both);
    assert_memory_equal(history, part, sizeof part);
}

// The factors of short steps come from series: they meet the closed form where it takes over.
static void short_and_long_steps_agree(void **state)
{
    (void)state;
    PalMaterialDef def = two_and_two();
    PalProny below, above;
    pal_prony_prepare(&def, 0.5e-3 * (1 - 1e-15), &below);
    pal_prony_prepare(&def, 0.5e-3 * (1 + 1e-15), &above);
    check_near(below.isochoric[0].now / above.isochoric[0].now, 1, 1e-12);
    check_near(below.isochoric[0].before / above.isochoric[0].before, 1, 1e-12);
}

static void an_inverted_lane_leaves_no_scar(void **state)
{
    (void)state;
    PalMaterialDef def = two_and_two();
    PalMat3 flat = {{{1, 0, 0}, {0, 1, 0}, {0, 0, -0.1}}};
    PalLanesMat3 F = broadcast(&flat), P;
    PalLanes pressure = pal_lanes_all(-11);
    double history[ROOM] = {0};
    PalProny prony;
    pal_prony_prepare(&def, 0.1, &prony);
    for (int k = 0; k < 9; ++k)
        P.m[k / 3][k % 3] = pal_lanes_all((double)NAN);
    pal_prony_relax(&prony, &F, &pressure, history, history, &P);
    for (int k = 0; k < ROOM; ++k)
        assert_true(isfinite(history[k]));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(history_has_the_promised_size),
    cmocka_unit_test(held_strain_relaxes),
    cmocka_unit_test(standing_history_is_not_written),
    cmocka_unit_test(distortion_alone_uses_its_part_of_the_history),
    cmocka_unit_test(short_and_long_steps_agree),
    cmocka_unit_test(an_inverted_lane_leaves_no_scar),
};
CHECK_GROUP(tests, NULL, NULL)
