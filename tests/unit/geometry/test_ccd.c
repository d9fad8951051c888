#include "check.h"
#include "geometry/closest.h"
#include "random_points.h"

#include <palpate/geometry.h>

typedef struct Query {
    PalVec3 start[4], end[4];
    double separation;
} Query;

static bool ask(const Query *query, bool edges, double *time)
{
    *time = -1;
    return edges ? pal_ccd_edge_edge(query->start, query->end, query->separation, time)
                 : pal_ccd_vertex_face(query->start, query->end, query->separation, time);
}

// A vertex above a resting face, falling by `fall`.
static Query falling(double height, double fall, double separation)
{
    Query query = {.start = {{0.25, 0.25, height}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                   .separation = separation};
    memcpy(query.end, query.start, sizeof query.end);
    query.end[0].z -= fall;
    return query;
}

// Two crossing edges, one falling.
static Query crossing(double height, double fall, double separation)
{
    Query query = {.start = {{-1, 0, height}, {1, 0.5, height}, {0, -1, 0}, {0.25, 1, 0}},
                   .separation = separation};
    memcpy(query.end, query.start, sizeof query.end);
    query.end[0].z -= fall;
    query.end[1].z -= fall;
    return query;
}

static void check_hit(Query query, bool edges, double expected, double tolerance)
{
    double time;
    assert_true(ask(&query, edges, &time));
    assert_true(time <= expected && time >= 0);
    check_near(time, expected, tolerance);
}

static void check_miss(Query query, bool edges)
{
    double time;
    assert_false(ask(&query, edges, &time));
}

static void straight_falls(void **state)
{
    (void)state;
    Query (*const make[2])(double, double, double) = {falling, crossing};
    for (int edges = 0; edges < 2; ++edges) {
        check_hit(make[edges](1, 2, 0), edges, 0.5, 1e-10);
        check_hit(make[edges](1, 2, 0.25), edges, 0.375, 1e-10);
        check_hit(make[edges](1, 100, 0.25), edges, 0.0075, 1e-10);
        check_hit(make[edges](1, 1, 0), edges, 1, 1e-10);
        check_hit(make[edges](1, 0.75, 0.25), edges, 1, 1e-10);
        check_hit(make[edges](0.25, -1, 0.25), edges, 0, 0);
        check_hit(make[edges](0, -1, 0), edges, 0, 0);
        check_hit(make[edges](0, 0, 0), edges, 0, 0);
        check_hit(make[edges](0.25, 0, 1), edges, 0, 0);
        check_hit(make[edges](1, 0, 1e300), edges, 0, 0);
        check_miss(make[edges](1, 0, 0), edges);
        check_miss(make[edges](1, 0.999999, 0), edges);
        check_miss(make[edges](1, 0.7499999, 0.25), edges);
        check_miss(make[edges](0.25 + 1e-9, -1, 0.25), edges);
        check_miss(make[edges](1e-9, -1, 0), edges);
    }
}

static double distance_at(const Query *query, bool edges, double t)
{
    PalVec3 p[4];
    for (int k = 0; k < 4; ++k) {
        p[k] = pal_vec3_scale(1 - t, query->start[k]);
        p[k] = pal_vec3_add_scaled(p[k], t, query->end[k]);
    }
    double weights[3];
    bool interior[2];
    PalFeature feature;
    return edges ? pal_closest_on_edges(p[0], p[1], p[2], p[3], weights, interior)
                 : pal_closest_on_triangle(p[0], p + 1, weights, &feature);
}

// Against distances at many times: contact seen there must be found, and no later than there; and
// where contact is found, the distance at that time is the separation, or budget is a false alarm.
static void random_motions_agree_with_samples(void **state)
{
    (void)state;
    enum { TRIALS = 20000, SAMPLES = 200 };
    uint64_t seed = 3;
    int hits[2] = {0};
    for (int trial = 0; trial < TRIALS; ++trial) {
        bool edges = trial % 2 == 1;
        Query query;
        for (int k = 0; k < 4; ++k) {
            query.start[k] = random_point(&seed);
            query.end[k] = trial % 4 < 2
                               ? random_point(&seed)
                               : pal_vec3_add_scaled(query.start[k], 0.3, random_point(&seed));
        }
        query.separation = trial % 3 == 0 ? 0.2 * random_unit(&seed) : 0.01;
        double time, first = INFINITY;
        bool found = ask(&query, edges, &time);
        for (int k = 0; k <= SAMPLES && first > 1; ++k)
            if (distance_at(&query, edges, (double)k / SAMPLES) <= query.separation)
                first = (double)k / SAMPLES;
        hits[edges] += found;
        if (first <= 1)
            assert_true(found && time <= first);
        if (found && time > 0)
            check_near(distance_at(&query, edges, time), query.separation, 1e-10);
    }
    print_message("contact in %d and %d of %d\n", hits[0], hits[1], TRIALS / 2);
    assert_true(hits[0] > TRIALS / 50 && hits[1] > TRIALS / 50);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(straight_falls),
    cmocka_unit_test(random_motions_agree_with_samples),
};
CHECK_GROUP(tests, NULL, NULL)
