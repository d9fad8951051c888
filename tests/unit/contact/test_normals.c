#include "johnsen_fixture.h"

static void plain_normals_point_outward(void **state)
{
    (void)state;
    Fixture f;
    fixture_roof(&f, 0.5);
    PalNormals normals;
    PalError error = {0};
    check_ok(pal_normals_init(&normals, PAL_NORMAL_MEAN, &f.surface, &error), &error);
    PalVec3 expected = pal_vec3_normalise(pal_vec3(0.5, 0, 1));
    check_near(pal_vec3_distance(pal_normals_frame(&normals, 0)->normal, expected), 0, 1e-15);
    expected.x = -expected.x;
    check_near(pal_vec3_distance(pal_normals_frame(&normals, 1)->normal, expected), 0, 1e-15);
    // The ridge looks up; a vertex of one facet looks as that does.
    check_near(pal_vec3_distance(pal_normals_vertex(&normals, 0), pal_vec3(0, 0, 1)), 0, 1e-15);
    check_near(pal_vec3_distance(pal_normals_vertex(&normals, 3), expected), 0, 1e-15);
    pal_normals_clear(&normals);
    fixture_end(&f);
}

// Ridge vertices sum angle times area times unit normal; both facets are alike here.
static void angle_normals_are_weighted_and_not_normalised(void **state)
{
    (void)state;
    Fixture f;
    fixture_roof(&f, 0.5);
    f.end[2] = pal_vec3(3, 0, -1);  // the same slope, three times the width
    PalNormals normals;
    PalError error = {0};
    check_ok(pal_normals_init(&normals, PAL_NORMAL_ANGLE, &f.surface, &error), &error);
    double wide = atan2(sqrt(9 + 2.25), 1), narrow = atan2(sqrt(1.25), 1);
    double wide_area = 2 * sqrt(9 + 2.25), narrow_area = 2 * sqrt(1.25);
    PalVec3 right = pal_vec3_normalise(pal_vec3(0.5, 0, 1));
    PalVec3 left = pal_vec3_normalise(pal_vec3(-0.5, 0, 1));
    PalVec3 expected = pal_vec3_add(pal_vec3_scale(wide * wide_area, right),
                                    pal_vec3_scale(narrow * narrow_area, left));
    check_near(pal_vec3_distance(pal_normals_vertex(&normals, 0), expected), 0, 1e-13);
    pal_normals_clear(&normals);
    fixture_end(&f);
}

static void normals_are_recomputed_only_after_a_move(void **state)
{
    (void)state;
    Fixture f;
    fixture_roof(&f, 0.5);
    PalNormals normals;
    PalError error = {0};
    check_ok(pal_normals_init(&normals, PAL_NORMAL_MEAN, &f.surface, &error), &error);
    PalVec3 before = pal_normals_vertex(&normals, 3);
    f.end[3] = pal_vec3(-1, 0, 0.5);
    PalVec3 kept = pal_normals_vertex(&normals, 3);
    check_near(pal_vec3_distance(kept, before), 0, 0);
    pal_normals_forget(&normals);
    PalVec3 renewed = pal_normals_vertex(&normals, 3);
    check_near(pal_vec3_distance(renewed, pal_vec3(0, 0, 1)), 0, 1e-15);
    pal_normals_clear(&normals);
    fixture_end(&f);
}

static void a_facet_without_area_has_no_normal(void **state)
{
    (void)state;
    Fixture f;
    fixture_roof(&f, 0.5);
    f.end[2] = f.end[1];
    PalNormals normals;
    PalError error = {0};
    check_ok(pal_normals_init(&normals, PAL_NORMAL_MEAN, &f.surface, &error), &error);
    check_near(pal_vec3_length(pal_normals_frame(&normals, 0)->normal), 0, 0);
    PalVec3 of_other = pal_normals_frame(&normals, 1)->normal;
    check_near(pal_vec3_distance(pal_normals_vertex(&normals, 0), of_other), 0, 1e-15);
    pal_normals_clear(&normals);
    fixture_end(&f);
}

// ---- projections ------------------------------------------------------------------------

static void on_a_flat_roof_the_projection_is_plain(void **state)
{
    (void)state;
    Fixture f;
    fixture_roof(&f, 0);
    PalNormals normals;
    PalError error = {0};
    check_ok(pal_normals_init(&normals, PAL_NORMAL_MEAN, &f.surface, &error), &error);
    PalProjection over;
    assert_true(pal_narrow_project(&normals, 0, pal_vec3(0.25, 0.25, -0.1), INFINITY, &over));
    check_near(over.gap, -0.1, 1e-15);
    check_near(over.weights[0], 0.25, 1e-14);  // at (0, -1)
    check_near(over.weights[1], 0.25, 1e-14);  // at (1, 0)
    check_near(over.weights[2], 0.5, 1e-14);   // at (0, 1)
    assert_false(pal_narrow_project(&normals, 0, pal_vec3(0.25, 0.25, -0.1), 0.1, &over));
    assert_false(pal_narrow_project(&normals, 1, pal_vec3(0.25, 0.25, -0.1), INFINITY, &over));
    pal_normals_clear(&normals);
    fixture_end(&f);
}

// The difference from foot to point lies along the blended normal, as equation 7 means it.
static void the_foot_lies_along_the_continuous_normal(void **state)
{
    (void)state;
    Fixture f;
    fixture_roof(&f, 0.5);
    PalNormals normals;
    PalError error = {0};
    check_ok(pal_normals_init(&normals, PAL_NORMAL_MEAN, &f.surface, &error), &error);
    PalVec3 point = pal_vec3(0.3, 0.2, 0.45);
    PalProjection over;
    assert_true(pal_narrow_project(&normals, 0, point, INFINITY, &over));
    PalVec3 foot = {0, 0, 0};
    for (int a = 0; a < 3; ++a)
        foot = pal_vec3_add_scaled(foot, over.weights[a], f.end[f.facets[0][a]]);
    PalVec3 arm = pal_vec3_sub(point, foot);
    check_near(pal_vec3_distance(arm, pal_vec3_scale(over.gap, over.normal)), 0, 1e-12);
    PalVec3 blend = pal_normals_blend(&normals, f.facets[0], over.weights, 3);
    check_near(pal_vec3_distance(blend, over.normal), 0, 1e-15);
    pal_normals_clear(&normals);
    fixture_end(&f);
}

// Sliding over the ridge, normal and gap do not jump; the plain normal turns by 53 degrees.
static void normals_are_continuous_over_an_edge(void **state)
{
    (void)state;
    for (int kind = PAL_NORMAL_MEAN; kind <= PAL_NORMAL_ANGLE; ++kind) {
        Fixture f;
        fixture_roof(&f, 0.5);
        f.end[2] = pal_vec3(2, 0, -0.5);
        PalNormals normals;
        PalError error = {0};
        check_ok(pal_normals_init(&normals, (PalNormalKind)kind, &f.surface, &error), &error);
        PalVec3 old_normal = {0, 0, 0};
        double old_gap = 0, step = 1e-3;
        int both = 0;
        for (int i = -200; i <= 200; ++i) {
            PalVec3 point = pal_vec3(i * step, 0.1, 0.52);
            PalProjection over[2];
            bool hit[2];
            for (int facet = 0; facet < 2; ++facet)
                hit[facet] = pal_narrow_project(&normals, facet, point, INFINITY, &over[facet]);
            assert_true(hit[0] || hit[1]);  // no hole above the ridge
            const PalProjection *best = hit[0] ? &over[0] : &over[1];
            if (hit[0] && hit[1]) {
                check_near(over[0].gap, over[1].gap, 1e-5);
                ++both;
            }
            if (i > -200) {
                assert_true(pal_vec3_distance(best->normal, old_normal) < 3 * step);
                assert_true(fabs(best->gap - old_gap) < step);
            }
            old_normal = best->normal;
            old_gap = best->gap;
        }
        assert_true(both <= 1);
        pal_normals_clear(&normals);
        fixture_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(plain_normals_point_outward),
    cmocka_unit_test(angle_normals_are_weighted_and_not_normalised),
    cmocka_unit_test(normals_are_recomputed_only_after_a_move),
    cmocka_unit_test(a_facet_without_area_has_no_normal),
    cmocka_unit_test(on_a_flat_roof_the_projection_is_plain),
    cmocka_unit_test(the_foot_lies_along_the_continuous_normal),
    cmocka_unit_test(normals_are_continuous_over_an_edge),
};
CHECK_GROUP(tests, NULL, NULL)
