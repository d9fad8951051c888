// Whatever the coordinates are, trees are whole, boxes miss nothing, and detection says yes.
#include "geometry/traverse.h"
#include "trees.h"

#include <float.h>
#include <palpate/geometry.h>

static const PalHierarchyKind kinds[] = {PAL_HIERARCHY_AABB2, PAL_HIERARCHY_AABB4,
                                         PAL_HIERARCHY_OBB2};

// Beyond a float, beyond its square, infinite, and no numbers.
static const double extremes[] = {1e39,     -1e39, 3e38,   1e25,    1e200,    -1e308,
                                  INFINITY, NAN,   1e-320, FLT_MAX, -INFINITY};
enum { EXTREME_COUNT = sizeof extremes / sizeof *extremes };

static double extreme(uint64_t *state)
{
    double number = random_number(state);
    return extremes[(int)((number + 1) / 2 * EXTREME_COUNT)];
}

static void spoil(Surface *surface, double share, uint64_t *state)
{
    for (int32_t n = 0; n < surface->triangles.vertex_count; ++n)
        for (int k = 0; k < 3; ++k) {
            if (random_number(state) < 2 * share - 1)
                (&surface->start[n].x)[k] = extreme(state);
            if (random_number(state) < 2 * share - 1)
                (&surface->end[n].x)[k] = extreme(state);
        }
}

static void check_whole(const PalHierarchy *tree)
{
    int32_t *seen = pal_alloc((size_t)tree->facet_count, sizeof *seen);
    for (int32_t i = 0; i < tree->facet_count; ++i)
        ++seen[tree->order[i]];
    for (int32_t f = 0; f < tree->facet_count; ++f)
        assert_int_equal(seen[f], 1);
    for (int32_t v = 0; v < tree->volume_count; ++v) {
        const PalVolume *volume = &tree->volumes[v];
        int32_t facets = volume->child_count == 0;
        for (int32_t k = 0; k < volume->child_count; ++k)
            facets += tree->volumes[volume->first_child + k].facet_count;
        assert_int_equal(facets, volume->facet_count);
    }
    pal_free(seen);
}

// Along one axis; where the facet has no place, only an endless box holds it.
static bool holds(const PalBox *box, const Surface *surface, int32_t vertex, int axis)
{
    double low = (double)box->lower[axis], high = (double)box->upper[axis];
    double from = pal_vec3_at(surface->start[vertex], axis);
    double to = pal_vec3_at(surface->end[vertex], axis);
    if (!isfinite(from) || !isfinite(to))
        return low < -FLT_MAX && high > FLT_MAX;
    return low <= fmin(from, to) && fmax(from, to) <= high;
}

static void check_boxes(const PalHierarchy *tree, const Surface *surface)
{
    for (int32_t v = 0; v < tree->volume_count; ++v) {
        const PalVolume *volume = &tree->volumes[v];
        for (int32_t i = 3 * volume->first_facet;
             i < 3 * (volume->first_facet + volume->facet_count); ++i)
            for (int axis = 0; axis < 3; ++axis)
                assert_true(holds(&tree->boxes[v], surface,
                                  surface->facets[tree->order[i / 3]][i % 3], axis));
    }
}

static void trees_of_anything_are_whole(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int round = 0; round < 120; ++round) {
        Surface one = surface_sphere(4 + round % 5, 6),
                other = surface_sheet(3, 1 + round % 4, false);
        Surface both = surface_join(&one, &other, pal_vec3(0, 0, 1));
        spoil(&both, round % 3 == 0 ? 0.03 : round % 3 == 1 ? 0.3 : 1, &random);
        PalHierarchyKind kind = kinds[round / 3 % 3];
        PalHierarchy *tree =
            hierarchy_of(&both, kind, round % 2 ? PAL_CONE_PROVOT : PAL_CONE_NARROWEST, 0.01);
        check_whole(tree);
        if (kind != PAL_HIERARCHY_OBB2)
            check_boxes(tree, &both);
        PalTraversal search = {.self_test = PAL_SELF_TEST_CONE};
        assert_true(pal_traverse_self(&search, tree));
        pal_traversal_clear(&search);
        pal_hierarchy_destroy(tree);
        surface_free(&one);
        surface_free(&other);
        surface_free(&both);
    }
}

// One vertex is nowhere: all facets around it are listed with all others.
static void what_is_nowhere_is_found_everywhere(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        Surface sheet = surface_sheet(4, 4, false);
        sheet.end[0] = pal_vec3(NAN, INFINITY, -INFINITY);
        PalHierarchy *tree = hierarchy_of(&sheet, kinds[k], PAL_CONE_NARROWEST, 0);
        PalTraversal search = {.self_test = PAL_SELF_TEST_EXHAUSTIVE};
        assert_true(pal_traverse_self(&search, tree));
        int32_t found = 0;
        for (int32_t p = 0; p < search.pair_count; ++p)
            found += search.pairs[p].a == 0 || search.pairs[p].b == 0;
        assert_int_equal(found, sheet.triangles.facet_count - 1);
        pal_traversal_clear(&search);
        pal_hierarchy_destroy(tree);
        surface_free(&sheet);
    }
}

static void detection_says_yes_where_a_number_is_missing(void **state)
{
    (void)state;
    uint64_t random = 5;
    const double missing[] = {NAN, INFINITY, -INFINITY};
    for (int round = 0; round < 4000; ++round) {
        PalVec3 points[2][4];
        for (int i = 0; i < 8; ++i) {
            points[i / 4][i % 4] = random_vector(&random);
            points[i / 4][i % 4].z += i % 4 == 0 ? 10 : 0;  // far apart
        }
        int spoiled = 1 + round % 24;
        for (int i = 0; i < spoiled; ++i) {
            int which = (int)((random_number(&random) + 1) * 12);
            (&points[which / 12][which / 3 % 4].x)[which % 3] = missing[(round + i) % 3];
        }
        double time = -1;
        assert_true(pal_ccd_vertex_face(points[0], points[1], 0.01, &time));
        assert_true(time == 0);
        time = -1;
        assert_true(pal_ccd_edge_edge(points[0], points[1], 0.01, &time));
        assert_true(time == 0);
    }
}

static void detection_says_yes_where_the_separation_is_missing(void **state)
{
    (void)state;
    const PalVec3 start[4] = {{0, 0, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double time = -1;
    assert_true(pal_ccd_vertex_face(start, start, NAN, &time));
    assert_true(time == 0);
    assert_true(pal_ccd_edge_edge(start, start, INFINITY, &time));
    assert_true(time == 0);
}

static void triangles_of_anything_are_answered(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int round = 0; round < 3000; ++round) {
        PalVec3 a[3], b[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = pal_vec3(extreme(&random), extreme(&random), random_number(&random));
            b[k] = pal_vec3(extreme(&random), random_number(&random), extreme(&random));
        }
        bool ordinary = true;
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i)
                ordinary = ordinary && fabs(pal_vec3_at(a[k], i)) <= 1e100 &&
                           fabs(pal_vec3_at(b[k], i)) <= 1e100;
        bool meet = pal_triangles_intersect(a, b);
        assert_true(meet || ordinary);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(trees_of_anything_are_whole),
    cmocka_unit_test(what_is_nowhere_is_found_everywhere),
    cmocka_unit_test(detection_says_yes_where_a_number_is_missing),
    cmocka_unit_test(detection_says_yes_where_the_separation_is_missing),
    cmocka_unit_test(triangles_of_anything_are_answered),
};

CHECK_GROUP(tests, NULL, NULL)
