// Building elements: masses, refusals, nodes without elements, the order along the curve.
#include "body.h"
#include "element/order.h"

static void mass_is_density_times_volume(void **state)
{
    (void)state;
    const PalElementKind kinds[] = {PAL_ELEMENT_T4, PAL_ELEMENT_H8};
    for (int k = 0; k < 2; ++k) {
        uint64_t seed = 2;
        Body body = body_create(kinds[k], &pal_law_neo_hookean, (int32_t[]){4, 3, 2}, 2, &seed);
        body.materials[0].density = 3;
        body.materials[1].density = 7;
        PalElements *elements = body_elements(&body);
        int32_t count = body.mesh->cell_count, corner_count = k == 0 ? 4 : 8;
        assert_int_equal(pal_elements_count(elements), count);
        double *expected = calloc((size_t)body.mesh->node_count, sizeof *expected);
        double *mass = calloc((size_t)body.mesh->node_count, sizeof *mass);
        double *factors = calloc((size_t)count, sizeof *factors);
        for (int32_t e = 0; e < count; ++e) {
            factors[e] = 1 + e % 5;
            double density = e < body.parts[0].element_count ? 3 : 7;
            for (int32_t a = 0; a < corner_count; ++a)
                expected[body.mesh->cells[e * corner_count + a]] +=
                    factors[e] * density * pal_cell_volume(body.mesh, e) / corner_count;
        }
        pal_elements_add_mass(elements, factors, mass);
        for (int32_t n = 0; n < body.mesh->node_count; ++n)
            check_near(mass[n], expected[n], 1e-13 * expected[n]);
        free(expected);
        free(mass);
        free(factors);
        pal_elements_destroy(elements);
        body_destroy(&body);
    }
}

static void check_refused(const PalElementsDef *def, const char *words)
{
    PalError error = {0};
    PalElements *elements = NULL;
    assert_int_equal(pal_elements_create(def, &elements, &error), PAL_BAD_INPUT);
    assert_null(elements);
    if (strstr(error.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void bad_elements_are_refused(void **state)
{
    (void)state;
    PalVec3 nodes[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
    int32_t cells[8] = {0, 1, 2, 3, 0, 1, 2, 3};
    PalMaterialDef material = pal_material_def_default();
    PalElementPartDef part = {.type = pal_element_type(PAL_ELEMENT_T4),
                              .material = &material,
                              .element_count = 2,
                              .connectivity = cells};
    PalElementsDef def = {.node_count = 5, .nodes = nodes, .part_count = 1, .parts = &part};
    cells[7] = 5;
    check_refused(&def, "element 1 refers to node 5");
    cells[7] = -1;
    check_refused(&def, "element 1 refers to node -1");
    cells[7] = 4;
    check_refused(&def, "element 1 has the volume 0");
    cells[7] = 3;
    cells[4] = 1, cells[5] = 0;
    check_refused(&def, "element 1 has the volume -0.166");
    cells[4] = 0, cells[5] = 1;
    nodes[4].y = NAN;
    check_refused(&def, "node 4 has a position that is not finite");
    nodes[4].y = 1;
    material.density = 0;
    check_refused(&def, "density");
    material.density = 1;
    part.type = pal_element_type(PAL_ELEMENT_T4_ANP);
    material.law = pal_law_find("st-venant-kirchhoff");
    check_refused(&def, "t4-anp averages the pressure, but the law st-venant-kirchhoff has no");
    material.law = &pal_law_neo_hookean;
    part.type = pal_element_type(PAL_ELEMENT_H8);
    part.element_count = 1;
    part.hourglass = -1;
    check_refused(&def, "hourglass stiffness is -1");
}

// A node in no element feels nothing; no elements at all are no trouble.
static void lonely_nodes_feel_nothing(void **state)
{
    (void)state;
    PalVec3 nodes[6] = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {8, 8, 8}};
    int32_t cells[4] = {1, 2, 3, 4};
    PalMaterialDef material = pal_material_def_default();
    PalElementPartDef part = {.type = pal_element_type(PAL_ELEMENT_T4),
                              .material = &material,
                              .element_count = 1,
                              .connectivity = cells};
    PalElementsDef def = {.node_count = 6, .nodes = nodes, .part_count = 1, .parts = &part};
    for (int32_t count = 1; count >= 0; --count) {
        PalError error = {0};
        PalElements *elements = NULL;
        PalVec3 displacement[6] = {{1, 2, 3}, {0.1, 0, 0}}, force[6];
        part.element_count = count;
        check_ok(pal_elements_create(&def, &elements, &error), &error);
        memset(force, 0xff, sizeof force);
        PalElementTrouble trouble = force_of(elements, displacement, 0, NULL, 2, force);
        assert_int_equal(trouble.inverted_count, 0);
        for (int n = 0; n < 6; ++n)
            assert_int_equal(pal_vec3_length(force[n]) > 0, count == 1 && n >= 1 && n <= 4);
        int32_t worst;
        double step = step_of(elements, displacement, NULL, 1, NULL, &worst);
        assert_int_equal(worst, count == 1 ? 0 : PAL_NONE);
        assert_int_equal(isfinite(step), count == 1);
        pal_elements_destroy(elements);
    }
}

// Every index once, and neighbours on the curve through a full grid are neighbours in space.
static void the_curve_visits_neighbours(void **state)
{
    (void)state;
    enum { SIDE = 16, COUNT = SIDE * SIDE * SIDE };
    static PalVec3 points[COUNT];
    static int32_t order[COUNT];
    static bool seen[COUNT];
    for (int32_t n = 0; n < COUNT; ++n)
        points[n] = pal_vec3(n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE);
    assert_true(pal_order_along_curve(points, COUNT, order));
    for (int32_t n = 0; n < COUNT; ++n) {
        assert_in_range(order[n], 0, COUNT - 1);
        assert_false(seen[order[n]]);
        seen[order[n]] = true;
        if (n > 0)
            check_near(pal_vec3_distance(points[order[n]], points[order[n - 1]]), 1, 1e-12);
    }
    for (int32_t n = 0; n < COUNT; ++n)
        points[n] = pal_vec3(1, 2, 3);
    assert_true(pal_order_along_curve(points, COUNT, order));
    for (int32_t n = 0; n < COUNT; ++n)
        assert_int_equal(order[n], n);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mass_is_density_times_volume),
    cmocka_unit_test(bad_elements_are_refused),
    cmocka_unit_test(lonely_nodes_feel_nothing),
    cmocka_unit_test(the_curve_visits_neighbours),
};
CHECK_GROUP(tests, NULL, NULL)
