// The shortest way between two sides of every kind, against what sampling finds, and its
// derivatives, against differences.
#include "check.h"
#include "contact/gap/nearness.h"
#include "math/vec3.h"

enum { ROUNDS = 300, GRID = 24, KINDS = 4 };

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static void draw_points(uint64_t *seed, PalVec3 x[4])
{
    for (int k = 0; k < 4; ++k)
        x[k] = pal_vec3(2 * draw(seed) - 1, 2 * draw(seed) - 1, draw(seed) - 0.5);
}

// The way for two parameters in [0, 1].
static PalVec3 way(int kind, const PalVec3 x[4], double s, double t)
{
    PalVec3 first = x[0], second = x[1];
    if (kind == PAL_NEAR_VERTEX_FACET && s + t > 1)
        s = 1 - s, t = 1 - t;
    if (kind == PAL_NEAR_VERTEX_FACET)
        second = pal_vec3_add_scaled(pal_vec3_add_scaled(x[1], s, pal_vec3_sub(x[2], x[1])), t,
                                     pal_vec3_sub(x[3], x[1]));
    if (kind == PAL_NEAR_VERTEX_EDGE)
        second = pal_vec3_add_scaled(x[1], s, pal_vec3_sub(x[2], x[1]));
    if (kind == PAL_NEAR_EDGES) {
        first = pal_vec3_add_scaled(x[0], s, pal_vec3_sub(x[1], x[0]));
        second = pal_vec3_add_scaled(x[2], t, pal_vec3_sub(x[3], x[2]));
    }
    return pal_vec3_sub(first, second);
}

// Nothing sampled is nearer, and something sampled is about as near.
static void it_is_the_shortest(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < ROUNDS; ++round)
        for (int kind = 0; kind < KINDS; ++kind) {
            PalVec3 x[4], sum = {0, 0, 0};
            PalNearness near;
            draw_points(&seed, x);
            assert_true(pal_nearness_find((PalNearKind)kind, x, &near));
            double sampled = INFINITY, first = 0, total = 0;
            for (int i = 0; i <= GRID; ++i)
                for (int j = 0; j <= GRID; ++j)
                    sampled = fmin(
                        sampled, pal_vec3_length(way(kind, x, (double)i / GRID, (double)j / GRID)));
            assert_true(near.distance <= sampled + 1e-12 && near.distance >= sampled - 0.1);
            for (int k = 0; k < 4; ++k) {
                sum = pal_vec3_add_scaled(sum, near.weights[k], x[k]);
                total += near.weights[k];
                first += fmax(near.weights[k], 0);
            }
            check_near(total, 0, 1e-12);
            check_near(first, 1, 1e-12);
            check_near(pal_vec3_distance(sum, pal_vec3_scale(near.distance, near.normal)), 0,
                       1e-12);
            check_near(pal_vec3_length(near.normal), 1, 1e-12);
            for (int i = 0; i < near.free_count; ++i)
                check_near(pal_vec3_dot(near.directions[i], near.normal), 0, 1e-9);
        }
}

// In a corner, on an edge or inside: as the parameters say.
static void the_feature_is_where_it_is(void **state)
{
    (void)state;
    const PalVec3 x[4] = {{0, 0, 1}, {-1, 0, 0}, {1, 0, 0}, {0, 2, 0}};
    static const struct {
        PalNearKind kind;
        PalVec3 point;
        PalFeature feature;
        int free_count;
    } cases[] = {{PAL_NEAR_VERTEX_FACET, {0, 0.5, 1}, PAL_FEATURE_FACE, 2},
                 {PAL_NEAR_VERTEX_FACET, {0, -1, 1}, PAL_FEATURE_EDGE_0, 1},
                 {PAL_NEAR_VERTEX_FACET, {3, 3, 1}, PAL_FEATURE_EDGE_1, 1},
                 {PAL_NEAR_VERTEX_FACET, {-3, 3, 1}, PAL_FEATURE_EDGE_2, 1},
                 {PAL_NEAR_VERTEX_FACET, {0, 9, 1}, PAL_FEATURE_VERTEX_2, 0},
                 {PAL_NEAR_VERTEX_EDGE, {0.5, 1, 0}, PAL_FEATURE_EDGE_0, 1},
                 {PAL_NEAR_VERTEX_EDGE, {-1.5, 1, 0}, PAL_FEATURE_VERTEX_0, 0},
                 {PAL_NEAR_VERTEX_EDGE, {1.5, 1, 0}, PAL_FEATURE_VERTEX_1, 0},
                 {PAL_NEAR_VERTICES, {1.5, 1, 0}, PAL_FEATURE_VERTEX_0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const PalVec3 points[4] = {cases[i].point, x[1], x[2], x[3]};
        PalNearness near;
        assert_true(pal_nearness_find(cases[i].kind, points, &near));
        assert_int_equal(near.feature, cases[i].feature);
        assert_int_equal(near.free_count, cases[i].free_count);
    }
    const PalVec3 touching[4] = {{0.5, 0, 0}, x[1], x[2], x[3]};
    PalNearness near;
    assert_false(pal_nearness_find(PAL_NEAR_VERTEX_EDGE, touching, &near));
}

static void gradient(int kind, const PalVec3 x[4], double out[PAL_NEAR_SIZE])
{
    PalNearness near;
    assert_true(pal_nearness_find((PalNearKind)kind, x, &near));
    for (int k = 0; k < PAL_NEAR_SIZE; ++k)
        out[k] = near.weights[k / 3] * pal_vec3_at(near.normal, k % 3);
}

static PalVec3 moved(PalVec3 x, int axis, double by)
{
    return pal_vec3_add(x, pal_vec3(axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0));
}

static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    uint64_t seed = 8;
    const double h = 1e-6;
    int looked = 0;
    for (int round = 0; round < ROUNDS / 3; ++round)
        for (int kind = 0; kind < KINDS; ++kind) {
            PalVec3 x[4];
            PalNearness near, low, high;
            double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE], slope[PAL_NEAR_SIZE];
            draw_points(&seed, x);
            pal_nearness_find((PalNearKind)kind, x, &near);
            if (near.distance < 0.2)
                continue;  // where it bends, differences tell little
            const PalNearCurve curve = {.push = 1, .slope = 0};
            pal_nearness_curve(&near, &curve, matrix);
            gradient(kind, x, slope);
            for (int k = 0; k < PAL_NEAR_SIZE; ++k) {
                PalVec3 a[4], b[4];
                double before[PAL_NEAR_SIZE], after[PAL_NEAR_SIZE];
                memcpy(a, x, sizeof a);
                memcpy(b, x, sizeof b);
                a[k / 3] = moved(x[k / 3], k % 3, -h);
                b[k / 3] = moved(x[k / 3], k % 3, h);
                pal_nearness_find((PalNearKind)kind, a, &low);
                pal_nearness_find((PalNearKind)kind, b, &high);
                if (low.feature != near.feature || high.feature != near.feature ||
                    low.free_count != near.free_count || high.free_count != near.free_count)
                    continue;
                check_near((high.distance - low.distance) / (2 * h), slope[k], 1e-7);
                gradient(kind, a, before);
                gradient(kind, b, after);
                for (int j = 0; j < PAL_NEAR_SIZE; ++j)
                    check_near(matrix[PAL_NEAR_SIZE * k + j], (after[j] - before[j]) / (2 * h),
                               1e-4 * (1 + fabs(matrix[PAL_NEAR_SIZE * k + j])));
                ++looked;
            }
        }
    assert_true(looked > ROUNDS);
}

// As a form: never below zero, never below what it was made of, and the same where that is enough.
static void positive_means_positive(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int round = 0; round < ROUNDS; ++round) {
        PalVec3 x[4];
        PalNearness near;
        double any[PAL_NEAR_SIZE * PAL_NEAR_SIZE], made[PAL_NEAR_SIZE * PAL_NEAR_SIZE];
        draw_points(&seed, x);
        pal_nearness_find((PalNearKind)(round % KINDS), x, &near);
        const PalNearCurve curve = {.push = draw(&seed) - 0.7, .slope = 1};
        PalNearCurve positive = curve;
        positive.positive = true;
        pal_nearness_curve(&near, &curve, any);
        pal_nearness_curve(&near, &positive, made);
        for (int probe = 0; probe < 20; ++probe) {
            double v[PAL_NEAR_SIZE], of_any = 0, of_made = 0;
            for (int k = 0; k < PAL_NEAR_SIZE; ++k)
                v[k] = draw(&seed) - 0.5;
            for (int k = 0; k < PAL_NEAR_SIZE * PAL_NEAR_SIZE; ++k) {
                of_any += any[k] * v[k / PAL_NEAR_SIZE] * v[k % PAL_NEAR_SIZE];
                of_made += made[k] * v[k / PAL_NEAR_SIZE] * v[k % PAL_NEAR_SIZE];
            }
            double rounding = 1e-9 / near.distance;
            assert_true(of_made >= -rounding && of_made >= of_any - rounding);
        }
        double push[PAL_NEAR_SIZE] = {0}, along = 0;  // along the normal it stays
        gradient(round % KINDS, x, push);
        for (int k = 0; k < PAL_NEAR_SIZE * PAL_NEAR_SIZE; ++k)
            along += made[k] * push[k / PAL_NEAR_SIZE] * push[k % PAL_NEAR_SIZE];
        assert_true(along > 0);
    }
}

// A matrix of known eigenvalues.
static void negative_eigenvalues_go(void **state)
{
    (void)state;
    const double c = 0.6, s = 0.8;  // turned by an angle
    double matrix[9] = {
        2 * c * c - 3 * s * s, 5 * c * s, 0, 5 * c * s, 2 * s * s - 3 * c * c, 0, 0, 0, 7};
    pal_make_positive(3, matrix);
    const double expected[9] = {2 * c * c, 2 * c * s, 0, 2 * c * s, 2 * s * s, 0, 0, 0, 7};
    for (int k = 0; k < 9; ++k)
        check_near(matrix[k], expected[k], 1e-12);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_is_the_shortest),
    cmocka_unit_test(the_feature_is_where_it_is),
    cmocka_unit_test(derivatives_are_those_of_differences),
    cmocka_unit_test(positive_means_positive),
    cmocka_unit_test(negative_eigenvalues_go),
};
CHECK_GROUP(tests, NULL, NULL)
