// The distance of a surface from itself, against every vertex and facet, and every two edges, that
// have no vertex in common.
#include "check.h"
#include "geometry/closest.h"
#include "geometry/sphere_distance.h"
#include "surfaces.h"

static bool has(const int32_t facet[3], int32_t v)
{
    return facet[0] == v || facet[1] == v || facet[2] == v;
}

static double by_all(const PalTriangles *t)
{
    double least = INFINITY, weights[3];
    PalFeature feature;
    bool interior[2];
    for (int32_t f = 0; f < t->facet_count; ++f)
        for (int32_t g = 0; g < t->facet_count; ++g) {
            const int32_t *p = t->facets[f], *q = t->facets[g];
            PalVec3 a[3], b[3];
            for (int k = 0; k < 3; ++k) {
                a[k] = t->end[p[k]];
                b[k] = t->end[q[k]];
            }
            for (int k = 0; k < 3; ++k) {
                if (!has(q, p[k]))
                    least = fmin(least, pal_closest_on_triangle(a[k], b, weights, &feature));
                for (int j = 0; j < 3; ++j) {
                    int m = (k + 1) % 3, n = (j + 1) % 3;
                    if (p[k] != q[j] && p[k] != q[n] && p[m] != q[j] && p[m] != q[n])
                        least = fmin(
                            least, pal_closest_on_edges(a[k], a[m], b[j], b[n], weights, interior));
                }
            }
        }
    return least;
}

// A sheet, folded more and more until it is near itself.
static void agrees_with_all_pairs(void **state)
{
    (void)state;
    uint64_t seed = 5;
    double nearest = INFINITY;
    for (int k = 0; k < 12; ++k) {
        Surface surface = surface_sheet(8, 8, false);
        PalTriangles *t = &surface.triangles;
        PalVec3 *x = surface.end;
        for (int32_t n = 0; n < t->vertex_count; ++n) {
            double arm = fmax(x[n].x - 4, 0);
            x[n].x -= arm * (1 - cos(0.28 * k));
            x[n].z = arm * sin(0.28 * k);
            x[n] = pal_vec3_add_scaled(x[n], 0.02, random_vector(&seed));
        }
        t->start = t->end = x;
        PalSphereTree *tree = NULL;
        PalError error = {0};
        check_ok(pal_sphere_tree_create(t, &tree, &error), &error);
        PalSphereSearch search = {0};
        double all = by_all(t), found = pal_sphere_self_distance(&search, tree, t, -1);
        assert_true(fabs(found - all) <= 1e-12 * (1 + all));
        // told that less would do, it may stop there, but not above
        double some = pal_sphere_self_distance(&search, tree, t, 2 * all);
        assert_true(some >= all * (1 - 1e-12) && some <= 2 * all);
        nearest = fmin(nearest, all);
        pal_sphere_search_clear(&search);
        pal_sphere_tree_destroy(tree);
        surface_free(&surface);
    }
    assert_true(nearest < 0.2);
}

// Volumes for everybody are those that searches use: never apart where points are together.
static void enclosures_tell_what_they_hold(void **state)
{
    (void)state;
    uint64_t seed = 9;
    int apart[PAL_LEAF_DOP26 + 1] = {0};
    for (int i = 0; i < 400; ++i) {
        PalVec3 points[2][5];
        for (int k = 0; k < 10; ++k)
            points[k / 5][k % 5] = random_vector(&seed);
        bool same = i % 4 == 0;
        double away = same ? 0 : 0.01 * i;
        for (int k = 0; k < 5; ++k)
            points[1][k].x += away;
        if (same)
            points[1][2] = points[0][3];
        for (PalLeafKind kind = PAL_LEAF_SPHERE; kind <= PAL_LEAF_DOP26; ++kind) {
            PalEnclosure a, b;
            assert_true(pal_enclosure_fit(kind, points[0], 5, &a));
            assert_true(pal_enclosure_fit(kind, points[1], 5, &b));
            bool told = pal_enclosures_apart(&a, &b);
            assert_false(told && same);
            assert_int_equal(told, pal_enclosures_apart(&b, &a));
            apart[kind] += told;
            assert_false(told && away == 0);
        }
    }
    for (PalLeafKind kind = PAL_LEAF_SPHERE; kind <= PAL_LEAF_DOP26; ++kind)
        assert_true(apart[kind] > 50);
    assert_true(apart[PAL_LEAF_DOP26] >= apart[PAL_LEAF_DOP14]);
    assert_true(apart[PAL_LEAF_DOP14] >= apart[PAL_LEAF_AABB]);
    PalEnclosure none;
    assert_false(pal_enclosure_fit((PalLeafKind)77, &(PalVec3){0, 0, 0}, 1, &none));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(agrees_with_all_pairs),
    cmocka_unit_test(enclosures_tell_what_they_hold),
};

CHECK_GROUP(tests, NULL, NULL)
