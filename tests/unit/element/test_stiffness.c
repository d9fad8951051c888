// The assembled tangent against differences of forces, for every element and law.
#include "tangents.h"

static void check_control(PalElementKind kind, const PalMaterialLaw *law, bool relaxes,
                          PalHourglassControl control)
{
    // no fibre of a t10 is about to turn slack with its seed, where tangents jump
    uint64_t seed = kind == PAL_ELEMENT_T10 ? 19 : 7;
    body_control = control;
    Body body = body_create(kind, law, (int32_t[3]){3, 2, 2}, 2, &seed);
    for (int32_t n = 0; n < body.def.node_count; ++n) {
        PalVec3 x = body.def.nodes[n];
        PalVec3 stretch = pal_vec3(0.2 * x.x + 0.1 * x.y, -0.1 * x.y + 0.05 * x.x, 0.1 * x.z);
        body.displacement[n] = pal_vec3_add(stretch, random_vector(0.05, &seed));
    }
    for (int32_t p = 0; relaxes && p < body.def.part_count; ++p) {
        PalMaterialDef *material = &body.materials[p];
        material->isochoric_count = 2;
        material->isochoric[0] = (PalPronyTerm){0.3, 0.5};
        material->isochoric[1] = (PalPronyTerm){0.2, 3};
        material->volumetric_count = pal_law_splits(law) ? 1 : 0;
        material->volumetric[0] = (PalPronyTerm){0.4, 1};
    }
    Setting s = {.body = &body, .step = relaxes ? 0.7 : 0};
    s.elements = body_elements(&body);
    s.scratch = scratch_for(s.elements, 2);
    size_t numbers = (size_t)pal_elements_history_count(s.elements);
    s.history_bytes = numbers * sizeof(double);
    s.before = pal_alloc(numbers, sizeof(double));
    s.after = pal_alloc(numbers, sizeof(double));
    int32_t count = body.def.node_count;
    PalVec3 *d = pal_alloc((size_t)count, sizeof *d), *u = pal_alloc((size_t)count + 1, sizeof *u);
    for (int32_t n = 0; n < count; ++n) {
        d[n] = random_vector(1, &seed);
        u[n] = pal_vec3_scale(0.5, body.displacement[n]);
    }
    if (relaxes) {  // a history to remember
        PalVec3 *force = pal_alloc((size_t)count, sizeof *force);
        forces(&s, u, force);
        memcpy(s.before, s.after, s.history_bytes);
        pal_free(force);
    }
    compare(&s, body.displacement, d);
    pal_free(d);
    pal_free(u);
    pal_free(s.before);
    pal_free(s.after);
    pal_element_scratch_destroy(s.scratch);
    pal_elements_destroy(s.elements);
    body_destroy(&body);
}

static void check_kind(PalElementKind kind, const PalMaterialLaw *law, bool relaxes)
{
    check_control(kind, law, relaxes, PAL_HOURGLASS_BENDING);
    if (!pal_element_traits(kind)->has_hourglass)
        return;
    check_control(kind, law, relaxes, PAL_HOURGLASS_PLAIN);
    check_control(kind, law, relaxes, PAL_HOURGLASS_NONE);
}

static void check_element(PalElementKind kind, bool relaxes)
{
    for (int32_t l = 0; l < pal_laws_count; ++l)
        if (!pal_element_traits(kind)->averages_pressure || pal_law_splits(pal_laws[l]))
            check_kind(kind, pal_laws[l], relaxes);
}

static void t4_is_consistent(void **state)
{
    (void)state;
    check_element(PAL_ELEMENT_T4, false);
    check_element(PAL_ELEMENT_T4, true);
}

static void t4_anp_is_consistent(void **state)
{
    (void)state;
    check_element(PAL_ELEMENT_T4_ANP, false);
    check_element(PAL_ELEMENT_T4_ANP, true);
}

static void t10_is_consistent(void **state)
{
    (void)state;
    check_element(PAL_ELEMENT_T10, false);
    check_element(PAL_ELEMENT_T10, true);
}

static void mixed_is_consistent(void **state)
{
    (void)state;
    check_element(PAL_ELEMENT_MIXED, false);
    check_element(PAL_ELEMENT_MIXED, true);
}

static void h8_is_consistent(void **state)
{
    (void)state;
    check_element(PAL_ELEMENT_H8, false);
    check_element(PAL_ELEMENT_H8, true);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(t4_is_consistent),  cmocka_unit_test(t4_anp_is_consistent),
    cmocka_unit_test(t10_is_consistent), cmocka_unit_test(mixed_is_consistent),
    cmocka_unit_test(h8_is_consistent),
};

CHECK_GROUP(tests, NULL, NULL)
