// When surfaces in flight meet, by a queue that goes down their trees: compared with looking at
// every vertex, facet and edge.
#include "check.h"
#include "geometry/sphere_meeting.h"
#include "random_points.h"
#include "surfaces.h"
#include <palpate/geometry.h>

enum { LONG = 40 };  // steps that are looked ahead

static const double step = 0.1, begin = 3;

static PalVec3 ahead(const Surface *surface, int32_t v)
{
    PalVec3 way = pal_vec3_sub(surface->end[v], surface->start[v]);
    return pal_vec3_add_scaled(surface->start[v], LONG, way);
}

static void take(const Surface *surface, const int32_t *vertices, int count, PalVec3 *start,
                 PalVec3 *end)
{
    for (int k = 0; k < count; ++k) {
        start[k] = surface->start[vertices[k]];
        end[k] = ahead(surface, vertices[k]);
    }
}

static void try_vertices(const Surface *one, const Surface *other, double *least)
{
    for (int32_t v = 0; v < one->triangles.vertex_count; ++v)
        for (int32_t f = 0; f < other->triangles.facet_count; ++f) {
            PalVec3 start[4], end[4];
            double time = 0;
            take(one, &v, 1, start, end);
            take(other, other->facets[f], 3, start + 1, end + 1);
            if (pal_ccd_vertex_face(start, end, 0, &time))
                *least = fmin(*least, time);
        }
}

// The first time by every vertex, facet and edge, all of which go straight.
static double by_force(const Surface *a, const Surface *b)
{
    double least = INFINITY;
    try_vertices(a, b, &least);
    try_vertices(b, a, &least);
    for (int32_t f = 0; f < 3 * a->triangles.facet_count; ++f)
        for (int32_t g = 0; g < 3 * b->triangles.facet_count; ++g) {
            PalVec3 start[4], end[4];
            double time = 0;
            const int32_t *p = a->facets[f / 3], *q = b->facets[g / 3];
            const int32_t first[2] = {p[f % 3], p[(f + 1) % 3]};
            const int32_t second[2] = {q[g % 3], q[(g + 1) % 3]};
            take(a, first, 2, start, end);
            take(b, second, 2, start + 2, end + 2);
            if (pal_ccd_edge_edge(start, end, 0, &time))
                least = fmin(least, time);
        }
    return begin + LONG * step * least;
}

static PalFlyer flyer_of(const Surface *surface)
{
    PalFlyer flyer = {.triangles = surface->triangles};
    PalTriangles still = surface->triangles;
    PalSphereTree *tree;
    PalError error = {0};
    still.end = still.start;
    check_ok(pal_sphere_tree_create(&still, &tree, &error), &error);
    flyer.tree = tree;
    check_ok(pal_flyer_create(&flyer, step, &error), &error);
    return flyer;
}

static void free_flyer(PalFlyer *flyer)
{
    pal_sphere_tree_destroy((PalSphereTree *)flyer->tree);
    pal_flyer_clear(flyer);
}

// Predictions ascend, and none is later than what is found in the end.
static void check_times(const PalMeeting *meeting)
{
    for (int32_t i = 0; i < meeting->times.count; ++i) {
        assert_true(meeting->times.items[i] <= meeting->time);
        assert_true(i == 0 || meeting->times.items[i] > meeting->times.items[i - 1]);
    }
}

static void move(Surface *surface, PalVec3 from, PalVec3 velocity, double shape, uint64_t *seed)
{
    for (int32_t v = 0; v < surface->triangles.vertex_count; ++v) {
        surface->start[v] = pal_vec3_add(surface->start[v], from);
        PalVec3 own = pal_vec3_add_scaled(velocity, shape, random_point(seed));
        surface->end[v] = pal_vec3_add_scaled(surface->start[v], step, own);
    }
}

// Balls that fly past each other or meet, and change their shapes on the way.
static void as_by_force(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int met = 0, passed = 0;
    PalMeeting meeting = {.start = begin, .step = step, .end = begin + LONG * step};
    for (int trial = 0; trial < 60; ++trial) {
        Surface a = surface_sphere(4, 5), b = surface_sphere(3, 6);
        double shape = trial % 3 == 0 ? 0 : 0.2;
        PalVec3 apart = pal_vec3_scale(4, pal_vec3_normalise(random_point(&seed)));
        PalVec3 side = pal_vec3_scale(2, random_point(&seed));
        move(&a, pal_vec3(1e-3 * trial, 0, 0), pal_vec3(0, 0, 0), shape, &seed);
        move(&b, apart, pal_vec3_sub(side, apart), shape, &seed);
        if (trial % 4 == 1) {  // one vertex is faster than all others
            int32_t v = trial % a.triangles.vertex_count;
            a.end[v] = pal_vec3_add_scaled(a.end[v], 2 * step, apart);
        }
        PalFlyer flyers[2] = {flyer_of(&a), flyer_of(&b)};
        PalFlyerPair pair = {&flyers[0], &flyers[1], begin};
        PalError error = {0};
        check_ok(pal_meeting_find(&meeting, &pair, 1, &error), &error);
        check_times(&meeting);
        double truth = fmin(by_force(&a, &b), meeting.end);
        if (!(fabs(meeting.time - truth) <= 1e-8))
            fail_msg("trial %d: %.12g, by force %.12g", trial, meeting.time, truth);
        met += truth < meeting.end;
        passed += truth == meeting.end;
        assert_true(truth == meeting.end || meeting.times.count > 2);
        free_flyer(&flyers[0]);
        free_flyer(&flyers[1]);
        surface_free(&a);
        surface_free(&b);
    }
    assert_true(met > 15 && passed > 8);
    pal_meeting_clear(&meeting);
}

// Two points of the line of centres, 6 apart, that meet by acceleration: 6 = v t + g t^2 / 2. The
// velocity of the step is that of its middle.
static void accelerating(void **state)
{
    (void)state;
    uint64_t seed = 1;
    Surface a = surface_sphere(4, 6), b = surface_sphere(4, 6);
    double velocity = 1, growth = 0.8;
    move(&a, pal_vec3(0, 0, 0), pal_vec3(0, 0, 0), 0, &seed);
    move(&b, pal_vec3(0, 0, 8), pal_vec3(0, 0, -velocity - growth * step / 2), 0, &seed);
    PalFlyer flyers[2] = {flyer_of(&a), flyer_of(&b)};
    flyers[1].acceleration = pal_vec3(0, 0, -growth);
    PalFlyerPair pair = {&flyers[0], &flyers[1], begin};
    PalMeeting meeting = {.start = begin, .step = step, .end = 100};
    PalError error = {0};
    double truth = begin + (sqrt(velocity * velocity + 2 * growth * 6) - velocity) / growth;
    check_ok(pal_meeting_find(&meeting, &pair, 1, &error), &error);
    check_times(&meeting);
    check_near(meeting.time, truth, 1e-9);
    assert_true(meeting.time <= truth + 1e-12);
    // what is known already is not told again
    pair.not_before = truth - 0.01;
    check_ok(pal_meeting_find(&meeting, &pair, 1, &error), &error);
    assert_true(meeting.times.items[0] >= truth - 0.01);
    check_near(meeting.time, truth, 1e-9);
    // what turns may come earlier by t^2 / 2 times as much
    flyers[1].turning = 0.1;
    pair.not_before = begin;
    check_ok(pal_meeting_find(&meeting, &pair, 1, &error), &error);
    double earlier =
        begin + (sqrt(velocity * velocity + 2 * (growth + 0.1) * 6) - velocity) / (growth + 0.1);
    check_near(meeting.time, earlier, 1e-9);
    // and of several pairs, the first
    PalFlyerPair both[2] = {{&flyers[0], &flyers[1], 50}, pair};
    check_ok(pal_meeting_find(&meeting, both, 2, &error), &error);
    check_near(meeting.time, earlier, 1e-9);
    pal_meeting_clear(&meeting);
    for (int k = 0; k < 2; ++k)
        free_flyer(&flyers[k]);
    surface_free(&a);
    surface_free(&b);
}

// Of two triangles that stand still, one corner shoots out to a third: whichever of the two it is.
static void one_corner_is_fast(void **state)
{
    (void)state;
    const PalVec3 shape[3] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    PalMeeting meeting = {.start = begin, .step = step, .end = begin + LONG * step};
    for (int fast = 0; fast < 6; ++fast) {
        Surface a = surface_allocate(6, 2), b = surface_allocate(3, 1);
        for (int k = 0; k < 9; ++k) {
            Surface *surface = k < 6 ? &a : &b;
            int32_t v = k % 6;
            PalVec3 at = pal_vec3_scale(k < 6 ? 1 : 4, shape[k % 3]);
            at = pal_vec3_add(at, k < 6 ? pal_vec3(0, 2 * (k / 3), 0) : pal_vec3(10, -0.1, -0.1));
            surface->start[v] = surface->end[v] = at;
            surface->facets[v / 3][v % 3] = v;
        }
        a.end[fast].x += 5 * step;
        PalFlyer flyers[2] = {flyer_of(&a), flyer_of(&b)};
        PalFlyerPair pair = {&flyers[0], &flyers[1], begin};
        PalError error = {0};
        check_ok(pal_meeting_find(&meeting, &pair, 1, &error), &error);
        check_near(meeting.time, begin + 2, 1e-9);
        free_flyer(&flyers[0]);
        free_flyer(&flyers[1]);
        surface_free(&a);
        surface_free(&b);
    }
    pal_meeting_clear(&meeting);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(one_corner_is_fast),
                                          cmocka_unit_test(as_by_force),
                                          cmocka_unit_test(accelerating)};

CHECK_GROUP(tests, NULL, NULL)
