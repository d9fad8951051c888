#include "check.h"
#include "geometry/closest.h"
#include "random_points.h"

enum { TRIALS = 200000 };

// Nothing of the triangle is nearer than the distance, and the point found is as near as that.
// Convexity makes it enough to look at the corners: seen along the direction to the closest
// point, none may lie before it. Slivers and parallel edges choose between equal distances, which
// leaves the closest point uncertain by the root of the rounding.
static void check_supported(PalVec3 gap, double distance, const PalVec3 *corners, int count,
                            PalVec3 p, double tolerance)
{
    check_near(pal_vec3_length(gap), distance, 1e-14);
    for (int k = 0; k < count; ++k) {
        double ahead = pal_vec3_dot(gap, pal_vec3_sub(corners[k], p));
        if (!(ahead >= distance * (distance - tolerance)))
            fail_msg("a corner lies %.3g before the closest point at %.3g",
                     distance - ahead / distance, distance);
    }
}

static void make_triangle(int kind, PalVec3 corners[3], uint64_t *seed)
{
    for (int k = 0; k < 3; ++k)
        corners[k] = kind % 2 == 0 ? random_point(seed) : random_grid_point(2, seed);
    double thin = kind < 4 ? 1e-3 : kind < 6 ? 1e-7 : kind < 8 ? 0 : 1;
    if (thin < 1) {  // a sliver: the third corner is almost between the others
        PalVec3 middle = pal_vec3_scale(0.5, pal_vec3_add(corners[0], corners[1]));
        corners[2] = pal_vec3_add_scaled(middle, thin, corners[2]);
    }
}

static void closest_on_triangle_is_closest(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int seen[7] = {0};
    for (int trial = 0; trial < TRIALS; ++trial) {
        PalVec3 corners[3], p = trial % 3 == 0 ? random_grid_point(2, &seed) : random_point(&seed);
        make_triangle(trial % 12, corners, &seed);
        double weights[3];
        PalFeature feature;
        double distance = pal_closest_on_triangle(p, corners, weights, &feature);
        ++seen[feature];
        check_near(weights[0] + weights[1] + weights[2], 1, 1e-15);
        PalVec3 gap = pal_vec3_scale(-1, p);
        for (int k = 0; k < 3; ++k) {
            assert_true(weights[k] >= 0);
            gap = pal_vec3_add_scaled(gap, weights[k], corners[k]);
            int on = feature == PAL_FEATURE_FACE || (int)feature == k ||
                     feature == (PalFeature)(PAL_FEATURE_EDGE_0 + k) ||
                     feature == (PalFeature)(PAL_FEATURE_EDGE_0 + (k + 2) % 3);
            assert_int_equal(weights[k] > 0, on);
        }
        if (distance > 1e-6)
            check_supported(gap, distance, corners, 3, p, trial % 12 < 8 ? 1e-7 : 1e-9);
    }
    for (int k = 0; k < 7; ++k)
        assert_true(seen[k] > 100);
}

static void closest_on_edges_is_closest(void **state)
{
    (void)state;
    uint64_t seed = 2;
    int seen[4] = {0};
    for (int trial = 0; trial < TRIALS; ++trial) {
        PalVec3 p[4];
        for (int k = 0; k < 4; ++k)
            p[k] = trial % 2 == 0 ? random_point(&seed) : random_grid_point(2, &seed);
        int kind = trial % 10;
        if (kind < 6) {  // nearly parallel, parallel
            double turn = kind < 2 ? 1e-4 : kind < 4 ? 1e-9 : 0;
            PalVec3 a = pal_vec3_sub(p[1], p[0]);
            p[3] = pal_vec3_add_scaled(pal_vec3_add(p[2], a), turn, p[3]);
        } else if (kind == 6) {
            p[1] = p[0];
        }
        double weights[2];
        bool interior[2];
        double distance = pal_closest_on_edges(p[0], p[1], p[2], p[3], weights, interior);
        ++seen[interior[0] + 2 * interior[1]];
        for (int k = 0; k < 2; ++k) {
            assert_true(weights[k] >= 0 && weights[k] <= 1);
            assert_int_equal(interior[k], weights[k] > 0 && weights[k] < 1);
        }
        PalVec3 gap = pal_vec3_sub(p[2], p[0]), corners[4];
        gap = pal_vec3_add_scaled(gap, weights[1], pal_vec3_sub(p[3], p[2]));
        gap = pal_vec3_add_scaled(gap, -weights[0], pal_vec3_sub(p[1], p[0]));
        for (int k = 0; k < 4; ++k)
            corners[k] = pal_vec3_sub(p[2 + k / 2], p[k % 2]);
        if (distance > 1e-6)
            check_supported(gap, distance, corners, 4, pal_vec3(0, 0, 0), kind < 6 ? 1e-7 : 1e-9);
    }
    for (int k = 0; k < 4; ++k)
        assert_true(seen[k] > 100);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(closest_on_triangle_is_closest),
    cmocka_unit_test(closest_on_edges_is_closest),
};
CHECK_GROUP(tests, NULL, NULL)
