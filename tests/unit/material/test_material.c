#include "check.h"
#include <palpate/material.h>

static void laws_are_found_by_name(void **state)
{
    (void)state;
    assert_true(pal_law_count() >= 9);
    for (int32_t l = 0; l < pal_law_count(); ++l) {
        const PalMaterialLaw *law = pal_law_at(l);
        assert_ptr_equal(pal_law_find(pal_law_name(law)), law);
        assert_true(strlen(pal_law_summary(law)) > 0);
        assert_in_range(pal_law_parameter_count(law), 1, PAL_LAW_PARAMETER_MAX);
        for (int32_t k = 0; k < pal_law_parameter_count(law); ++k) {
            const PalLawParameter *parameter = pal_law_parameter(law, k);
            assert_true(strlen(parameter->meaning) > 0);
            assert_int_equal(pal_law_parameter_index(law, parameter->name), k);
        }
        assert_int_equal(pal_law_parameter_index(law, "colour"), PAL_NONE);
        assert_null(pal_law_parameter(law, pal_law_parameter_count(law)));
        assert_null(pal_law_parameter(law, -1));
    }
    assert_null(pal_law_find("steel"));
    assert_null(pal_law_find(NULL));
    assert_null(pal_law_at(-1));
    assert_null(pal_law_at(pal_law_count()));
    assert_true(pal_law_splits(pal_law_find("neo-hookean")));
    assert_false(pal_law_splits(pal_law_find("st-venant-kirchhoff")));
}

// Refused, with `word` in the one line of explanation.
static void check_refused(const PalMaterialDef *def, const char *word)
{
    PalError error = {0};
    assert_int_equal(pal_material_validate(def, &error), PAL_BAD_INPUT);
    if (strstr(error.text, word) == NULL || strchr(error.text, '\n') != NULL)
        fail_msg("\"%s\" does not speak of %s on one line", error.text, word);
}

static PalMaterialDef with(const char *law, const double *parameters, size_t count)
{
    PalMaterialDef def = {.law = pal_law_find(law), .density = 1};
    memcpy(def.parameters, parameters, count * sizeof *parameters);
    return def;
}

static void the_default_is_valid(void **state)
{
    (void)state;
    PalMaterialDef def = pal_material_def_default();
    PalError error = {0};
    double shear, bulk;
    check_ok(pal_material_validate(&def, &error), &error);
    pal_material_moduli(&def, &shear, &bulk);
    assert_true(shear == 1 && bulk == 10 && def.density == 1);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    PalMaterialDef def = pal_material_def_default();
    def.law = NULL;
    check_refused(&def, "law");
    static const double bad[] = {0, -1, NAN, INFINITY};
    for (int k = 0; k < 4; ++k) {
        def = pal_material_def_default();
        def.parameters[0] = bad[k];
        check_refused(&def, "shear");
        def = pal_material_def_default();
        def.parameters[1] = bad[k];
        check_refused(&def, "bulk");
        def = pal_material_def_default();
        def.density = bad[k];
        check_refused(&def, "density");
    }
}

static void bad_relations_are_refused(void **state)
{
    (void)state;
    PalMaterialDef def = with("mooney-rivlin", (const double[]){0.3, -0.4, 10}, 3);
    check_refused(&def, "c10 + c01");
    def = with("polynomial", (const double[]){0.3, -0.3, 0, 0, 0, 10}, 6);
    check_refused(&def, "c10 + c01");
    def = with("arruda-boyce", (const double[]){1, 0.5, 10}, 3);
    check_refused(&def, "limit-stretch");
    def = with("ogden", (const double[]){10, 1, 0, 0, 2, 0, 2}, 7);
    check_refused(&def, "alpha-1");
    def = with("ogden", (const double[]){10, 1, 2, -2, 2, 0, 2}, 7);
    check_refused(&def, "shear moduli");
    def = with("veronda-westmann", (const double[]){10, 0.1, 0.1}, 3);
    check_refused(&def, "bulk");
    def = with("transversely-isotropic", (const double[]){1, 10, 1, 0, 0, 0}, 6);
    check_refused(&def, "direction");
    def = with("fibre-reinforced", (const double[]){1, 10, 1, 1, 1, 0, 0, 0, 0, 0}, 10);
    check_refused(&def, "direction-2");
}

static void bad_relaxation_is_refused(void **state)
{
    (void)state;
    PalMaterialDef def = pal_material_def_default();
    def.isochoric_count = PAL_PRONY_MAX + 1;
    check_refused(&def, "isochoric");
    def.isochoric_count = -1;
    check_refused(&def, "isochoric");
    def.isochoric_count = 1;
    static const PalPronyTerm bad[] = {{0, 1}, {1, 1}, {NAN, 1}, {0.5, 0}, {0.5, NAN}, {-0.1, 1}};
    for (int k = 0; k < 6; ++k) {
        def.isochoric[0] = bad[k];
        check_refused(&def, "isochoric");
    }
    def.isochoric_count = 0;
    def.volumetric_count = 2;
    def.volumetric[0] = def.volumetric[1] = (PalPronyTerm){0.5, 1};
    check_refused(&def, "volumetric");
    def.law = pal_law_find("st-venant-kirchhoff");
    def.volumetric[1].weight = 0.1;
    check_refused(&def, "volumetric");
}

static void moduli_come_from_young(void **state)
{
    (void)state;
    double shear, bulk;
    PalError error = {0};
    check_ok(pal_moduli_from_young(9, 0.25, &shear, &bulk, &error), &error);
    check_near(shear, 3.6, 1e-15);
    check_near(bulk, 6, 1e-15);
    static const double bad[][2] = {{0, 0.3}, {-1, 0.3}, {NAN, 0.3}, {1, 0.5}, {1, -1}, {1, NAN}};
    for (int k = 0; k < 6; ++k)
        assert_int_equal(pal_moduli_from_young(bad[k][0], bad[k][1], &shear, &bulk, NULL),
                         PAL_BAD_INPUT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(laws_are_found_by_name),    cmocka_unit_test(the_default_is_valid),
    cmocka_unit_test(bad_numbers_are_refused),   cmocka_unit_test(bad_relations_are_refused),
    cmocka_unit_test(bad_relaxation_is_refused), cmocka_unit_test(moduli_come_from_young),
};
CHECK_GROUP(tests, NULL, NULL)
