// Shortest ways found four at a time have the bits of those found one at a time, in every region of
// a facet and of two edges, and beside slivers, parallel edges and what is no number.
#include "../geometry/random_points.h"
#include "check.h"
#include "contact/gap/gap.h"
#include "geometry/closest.h"

#include <string.h>

enum { TRIALS = 50000, POINTS = 4 * PAL_LANES };

static const double thin[3] = {0, 1e-4,
                               1e-3};  // with the last ones, on either side of what is slow

// What four vertices each have, in no order.
typedef struct Cloud {
    PalVec3 points[POINTS];
    int32_t vertices[PAL_LANES][4];
} Cloud;

static void make_cloud(Cloud *cloud, int kind, uint64_t *seed)
{
    const PalVec3 away = kind % 5 == 0 ? pal_vec3(100, -300, 77) : pal_vec3(0, 0, 0);
    for (int i = 0; i < POINTS; ++i) {
        PalVec3 point = kind % 2 == 0 ? random_point(seed) : random_grid_point(2, seed);
        cloud->points[i] = pal_vec3_add(point, away);
        cloud->vertices[i / 4][i % 4] = (int32_t)((i * 7 + kind) % POINTS);
    }
}

// The third corner of a facet, or an edge, is nearly or wholly along another.
static void flatten(Cloud *cloud, int lane, double much, bool facet)
{
    const int32_t *v = cloud->vertices[lane];
    PalVec3 *x = cloud->points, along = pal_vec3_sub(x[v[facet ? 2 : 1]], x[v[facet ? 1 : 0]]);
    PalVec3 from = x[v[facet ? 1 : 2]], off = pal_vec3_sub(x[v[3]], from);
    x[v[3]] = pal_vec3_add_scaled(pal_vec3_add(from, along), much, off);
}

static void check_cloud(PalContactKind kind, const Cloud *cloud)
{
    const int32_t *vertices[PAL_LANES];
    PalVec3 ways[PAL_LANES];
    for (int i = 0; i < PAL_LANES; ++i)
        vertices[i] = cloud->vertices[i];
    pal_shortest_ways(kind, cloud->points, vertices, ways);
    for (int i = 0; i < PAL_LANES; ++i) {
        PalVec3 x[4];
        for (int k = 0; k < 4; ++k)
            x[k] = cloud->points[vertices[i][k]];
        PalVec3 way = pal_shortest_way(kind, x);
        if (pal_vec3_is_finite(way))
            assert_memory_equal(&ways[i], &way, sizeof way);
        else
            assert_false(pal_vec3_is_finite(ways[i]));
    }
}

static void facets_are_as_far_as_one_at_a_time(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int seen[8] = {0};
    for (int trial = 0; trial < TRIALS; ++trial) {
        Cloud cloud;
        make_cloud(&cloud, trial, &seed);
        if (trial % 3 == 0)
            flatten(&cloud, trial / 3 % PAL_LANES, thin[trial / 3 % 3], true);
        if (trial % 97 == 0)
            cloud.points[cloud.vertices[trial % PAL_LANES][0]].y = NAN;
        check_cloud(PAL_CONTACT_NODE_FACET, &cloud);
        const int32_t *v = cloud.vertices[trial % PAL_LANES];
        PalVec3 corners[3] = {cloud.points[v[1]], cloud.points[v[2]], cloud.points[v[3]]};
        double weights[3];
        PalFeature feature = PAL_FEATURE_FACE;
        bool found = pal_closest_weights(cloud.points[v[0]], corners, weights, &feature);
        ++seen[found ? (int)feature : 7];
    }
    for (int k = 0; k < 8; ++k)
        assert_true(seen[k] > 100);
}

static void edges_are_as_far_as_one_at_a_time(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int seen[5] = {0};
    for (int trial = 0; trial < TRIALS; ++trial) {
        Cloud cloud;
        make_cloud(&cloud, trial, &seed);
        if (trial % 3 == 0)
            flatten(&cloud, trial / 3 % PAL_LANES, thin[trial / 3 % 3], false);
        if (trial % 97 == 0)
            cloud.points[cloud.vertices[trial % PAL_LANES][2]].x = NAN;
        check_cloud(PAL_CONTACT_EDGE_EDGE, &cloud);
        const int32_t *v = cloud.vertices[trial % PAL_LANES];
        const PalVec3 *x = cloud.points;
        double weights[2];
        bool interior[2];
        pal_closest_on_edges(x[v[0]], x[v[1]], x[v[2]], x[v[3]], weights, interior);
        PalVec3 a = pal_vec3_sub(x[v[1]], x[v[0]]), b = pal_vec3_sub(x[v[3]], x[v[2]]);
        double sine = pal_vec3_dot(pal_vec3_cross(a, b), pal_vec3_cross(a, b));
        bool slow = !(sine > 1e-7 * pal_vec3_dot(a, a) * pal_vec3_dot(b, b));
        ++seen[slow ? 4 : interior[0] + 2 * interior[1]];
    }
    for (int k = 0; k < 5; ++k)
        assert_true(seen[k] > 100);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(facets_are_as_far_as_one_at_a_time),
    cmocka_unit_test(edges_are_as_far_as_one_at_a_time),
};
CHECK_GROUP(tests, NULL, NULL)
