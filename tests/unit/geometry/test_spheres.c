// Spheres around points, trees of them, and the tighter volumes of their leaves.
#include "check.h"
#include "geometry/sphere_distance.h"
#include "geometry/tight.h"
#include "random_points.h"
#include "surfaces.h"
#include <palpate/geometry.h>

static bool holds(const PalSphere *sphere, const PalVec3 *points, int count)
{
    for (int n = 0; n < count; ++n)
        if (!(pal_vec3_distance(points[n], sphere->centre) <= (1 + 1e-14) * sphere->radius))
            return false;
    return true;
}

static void spheres_hold_their_points(void **state)
{
    (void)state;
    uint64_t seed = 2;
    double ritter_sum = 0, extremal_sum = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        PalVec3 points[40];
        int count = 1 + trial % 40;
        for (int n = 0; n < count; ++n)
            points[n] = trial % 3 == 0 ? random_grid_point(2, &seed) : random_point(&seed);
        PalSphere ritter = pal_sphere_ritter(points, count);
        PalSphere extremal = pal_sphere_extremal(points, count);
        assert_true(holds(&ritter, points, count) && holds(&extremal, points, count));
        ritter_sum += ritter.radius;
        extremal_sum += extremal.radius;
        if (count <= 4) {
            PalSphere few = pal_sphere_of_few(points, count);
            assert_true(holds(&few, points, count));
            assert_true(few.radius <= (1 + 1e-9) * extremal.radius);
        }
    }
    assert_true(extremal_sum < 0.99 * ritter_sum);  // tighter, as published
    assert_true(pal_sphere_ritter(NULL, 0).radius < 0 && pal_sphere_extremal(NULL, 0).radius < 0);
    PalVec3 bad[2] = {{0, 0, 0}, {NAN, 0, 0}};
    assert_true(pal_sphere_extremal(bad, 2).radius == INFINITY);
}

// The corners of a regular tetrahedron, a square and a right angle lie on known spheres.
static void smallest_spheres(void **state)
{
    (void)state;
    const PalVec3 tetrahedron[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    check_near(pal_sphere_of_few(tetrahedron, 4).radius, sqrt(3), 1e-12);
    check_near(pal_sphere_extremal(tetrahedron, 4).radius, sqrt(3), 1e-12);
    const PalVec3 right[3] = {{0, 0, 0}, {3, 0, 0}, {0, 4, 0}};
    check_near(pal_sphere_of_few(right, 3).radius, 2.5, 1e-12);
    const PalVec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
    check_near(pal_sphere_of_few(line, 3).radius, sqrt(3), 1e-12);
}

static PalSphereTree *tree_of(const Surface *surface)
{
    PalSphereTree *tree;
    PalError error = {0};
    check_ok(pal_sphere_tree_create(&surface->triangles, &tree, &error), &error);
    return tree;
}

// Always the two whose common sphere is smallest: compared with looking at every pair.
static void pairs_are_the_best(void **state)
{
    (void)state;
    uint64_t seed = 9;
    Surface sheet = surface_sheet(6, 7, false);
    surface_shake(&sheet, 0.3, &seed);
    for (int32_t n = 0; n < sheet.triangles.vertex_count; ++n)
        sheet.start[n] = sheet.end[n];
    PalSphereTree *tree = tree_of(&sheet);
    PalError error = {0};
    check_ok(pal_sphere_tree_validate(tree, &sheet.triangles, &error), &error);
    assert_int_equal(tree->volume_count, 2 * tree->facet_count - 1);
    bool paired[512] = {false};
    for (int32_t v = tree->facet_count; v < tree->volume_count; ++v) {
        double least = INFINITY;
        for (int32_t a = 0; a < v; ++a)
            for (int32_t b = 0; b < a && !paired[a]; ++b)
                if (!paired[b])
                    least =
                        fmin(least, pal_sphere_around(&tree->spheres[a], &tree->spheres[b]).radius);
        check_near(tree->spheres[v].radius, least, 1e-12);
        for (int k = 0; k < 2; ++k) {
            int32_t child = pal_sphere_tree_children(tree, v)[k];
            assert_false(paired[child]);
            paired[child] = true;
        }
    }
    pal_sphere_tree_destroy(tree);
    surface_free(&sheet);
}

static void trees_of_any_surface(void **state)
{
    (void)state;
    PalError error = {0};
    Surface ball = surface_sphere(20, 30);
    PalSphereTree *tree = tree_of(&ball);
    PalTreeDepths depths;
    check_ok(pal_sphere_tree_depths(tree, &depths, &error), &error);
    assert_true(depths.least >= 5 && depths.most <= 30 && depths.mean > depths.least);
    for (int32_t n = 0; n < ball.triangles.vertex_count; ++n)
        ball.end[n] = pal_vec3_add(ball.start[n], pal_vec3(0.5, 0, 0));
    pal_sphere_tree_refit(tree, &ball.triangles, 0.1);
    check_ok(pal_sphere_tree_validate(tree, &ball.triangles, &error), &error);
    for (int32_t n = 0; n < ball.triangles.vertex_count; ++n)  // all in one place
        ball.start[n] = ball.end[n] = pal_vec3(1, 2, 3);
    pal_sphere_tree_destroy(tree);
    tree = tree_of(&ball);
    check_near(tree->spheres[pal_sphere_tree_root(tree)].radius, 0, 1e-14);
    ball.start[3].x = ball.end[3].x = NAN;
    pal_sphere_tree_destroy(tree);
    tree = tree_of(&ball);
    assert_true(tree->spheres[pal_sphere_tree_root(tree)].radius == INFINITY);
    pal_sphere_tree_destroy(tree);
    ball.triangles.facet_count = 0;
    tree = tree_of(&ball);
    assert_int_equal(tree->volume_count, 0);
    pal_sphere_tree_destroy(tree);
    surface_free(&ball);
}

static void distance_of_surfaces(void **state)
{
    (void)state;
    uint64_t seed = 5;
    PalSphereSearch search = {0};
    for (int trial = 0; trial < 30; ++trial) {
        Surface a = surface_sphere(7, 8), b = surface_sheet(5, 5, false);
        surface_shake(&a, 0.05, &seed);
        surface_shake(&b, 0.3, &seed);
        PalVec3 shift = pal_vec3_scale(2, random_point(&seed));
        shift.z += trial % 2 == 0 ? 3 : 6;
        for (int32_t n = 0; n < b.triangles.vertex_count; ++n)
            b.start[n] = b.end[n] = pal_vec3_add(b.end[n], shift);
        PalSphereTree *first = tree_of(&a), *second = tree_of(&b);
        double least = INFINITY;
        for (int32_t f = 0; f < a.triangles.facet_count; ++f)
            for (int32_t g = 0; g < b.triangles.facet_count; ++g) {
                PalVec3 p[3], q[3], places[2];
                bool edges;
                for (int k = 0; k < 3; ++k) {
                    p[k] = a.triangles.end[a.triangles.facets[f][k]];
                    q[k] = b.triangles.end[b.triangles.facets[g][k]];
                }
                least = fmin(least, pal_triangle_distance(p, q, places, &edges));
            }
        double found = pal_sphere_distance(&search, first, &a.triangles, second, &b.triangles, 0);
        check_near(found, least, 1e-14);
        check_near(pal_vec3_distance(search.places[0], search.places[1]), least, 1e-12);
        double any = pal_sphere_distance(&search, first, &a.triangles, second, &b.triangles, 1e9);
        assert_true(any >= least && any <= 1e9);
        pal_sphere_tree_destroy(first);
        pal_sphere_tree_destroy(second);
        surface_free(&a);
        surface_free(&b);
    }
    pal_sphere_search_clear(&search);
}

// Triangles that touch are never told apart; those that are told apart are farther than both
// margins.
static void tight_volumes_miss_nothing(void **state)
{
    (void)state;
    static const PalLeafKind kinds[] = {PAL_LEAF_AABB, PAL_LEAF_OBB, PAL_LEAF_DOP14, PAL_LEAF_DOP18,
                                        PAL_LEAF_DOP26};
    uint64_t seed = 3;
    int told[5] = {0}, apart = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        PalVec3 a[3], b[3], places[2];
        bool edges;
        for (int k = 0; k < 3; ++k) {
            a[k] = trial % 4 == 0 ? random_grid_point(1, &seed) : random_point(&seed);
            b[k] = trial % 4 == 0 ? random_grid_point(1, &seed) : random_point(&seed);
            b[k].x += trial % 3 == 0 ? 1 : 0;
        }
        double margin = 0.1 * random_unit(&seed);
        bool together = pal_triangles_intersect(a, b);
        double distance = together ? 0 : pal_triangle_distance(a, b, places, &edges);
        apart += distance > 2 * margin;
        for (int k = 0; k < 5; ++k) {
            bool says = pal_tight_apart(kinds[k], a, b, 3, margin);
            told[k] += says;
            // a body diagonal is longer than its slab is wide, so that margins add up to more
            if (says && distance <= 2 * margin)
                fail_msg("kind %d, trial %d: apart, but %.17g is within %.17g", k, trial, distance,
                         2 * margin);
        }
    }
    for (int k = 0; k < 5; ++k)
        assert_true(told[k] > apart / 3);
    assert_true(told[2] > told[0] && told[4] >= told[2] && told[4] >= told[3]);  // tighter
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(spheres_hold_their_points), cmocka_unit_test(smallest_spheres),
    cmocka_unit_test(pairs_are_the_best),        cmocka_unit_test(trees_of_any_surface),
    cmocka_unit_test(distance_of_surfaces),      cmocka_unit_test(tight_volumes_miss_nothing),
};

CHECK_GROUP(tests, NULL, NULL)
