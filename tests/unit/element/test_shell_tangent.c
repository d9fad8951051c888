// Tangents of thin bodies against differences of their forces, for every law they can have: bumpy
// sheets, stretched and bent, with edges that end, edges that are mirrored, and memory.
#include "sheet.h"
#include "tangents.h"

static void check_sheet(PalElementKind kind, PalMaterialDef *material, bool relaxes, uint64_t *seed)
{
    if (relaxes) {
        material->isochoric_count = 2;
        material->isochoric[0] = (PalPronyTerm){0.3, 0.5};
        material->isochoric[1] = (PalPronyTerm){0.2, 3};
    }
    Sheet sheet = sheet_create(kind, material, (int32_t[2]){3, 2}, 0.2, seed);
    const int32_t count = sheet.body.def.node_count;
    Setting s = {.body = &sheet.body, .step = relaxes ? 0.7 : 0};
    s.elements = body_elements(&sheet.body);
    s.scratch = scratch_for(s.elements, 2);
    size_t numbers = (size_t)pal_elements_history_count(s.elements);
    s.history_bytes = numbers * sizeof(double);
    s.before = pal_alloc(numbers, sizeof(double));
    s.after = pal_alloc(numbers, sizeof(double));
    PalVec3 *d = pal_alloc((size_t)count, sizeof *d), *u = pal_alloc((size_t)count, sizeof *u);
    PalVec3 *force = pal_alloc((size_t)count, sizeof *force);
    for (int32_t n = 0; n < count; ++n) {
        PalVec3 x = sheet.body.def.nodes[n];
        PalVec3 bent = pal_vec3(0.1 * x.x, 0.05 * x.x - 0.05 * x.y, 0.07 * x.x * x.x);
        u[n] = pal_vec3_add(bent, random_vector(0.03, seed));
        d[n] = random_vector(1, seed);
    }
    if (relaxes) {  // a history to remember
        forces(&s, u, force);
        memcpy(s.before, s.after, s.history_bytes);
        for (int32_t n = 0; n < count; ++n)
            u[n] = pal_vec3_scale(1.1, u[n]);
    }
    compare(&s, u, d);
    pal_free(force);
    pal_free(d);
    pal_free(u);
    pal_free(s.before);
    pal_free(s.after);
    pal_element_scratch_destroy(s.scratch);
    pal_elements_destroy(s.elements);
    sheet_destroy(&sheet);
}

static void check_kind(PalElementKind kind)
{
    uint64_t seed = 11;
    PalMaterialDef material;
    for (int32_t index = 0; sheet_material(index, &seed, &material); ++index)
        for (int relaxes = 0; relaxes < 2; ++relaxes)
            check_sheet(kind, &material, relaxes == 1, &seed);
}

static void ebst_is_consistent(void **state)
{
    (void)state;
    check_kind(PAL_ELEMENT_EBST);
}

static void membrane_is_consistent(void **state)
{
    (void)state;
    check_kind(PAL_ELEMENT_MEMBRANE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ebst_is_consistent),
    cmocka_unit_test(membrane_is_consistent),
};
CHECK_GROUP(tests, NULL, NULL)
