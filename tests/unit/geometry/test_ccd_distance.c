// Separations above 0, against distances in long double at chosen times; and numbers of any size.
#include "check.h"
#include "random_points.h"

#include <float.h>
#include <palpate/geometry.h>

typedef long double Long;

typedef struct Query {
    PalVec3 start[4], end[4];
    bool edges;
} Query;

typedef struct Long3 {
    Long x, y, z;
} Long3;

static Long3 minus(Long3 a, Long3 b)
{
    return (Long3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static Long3 plus(Long3 a, Long s, Long3 b)
{
    return (Long3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static Long dot(Long3 a, Long3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static Long3 cross(Long3 a, Long3 b)
{
    return (Long3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static Long length(Long3 a)
{
    return sqrtl(dot(a, a));
}

static Long from_edge(Long3 p, Long3 a, Long3 b)
{
    Long3 edge = minus(b, a), gap = minus(p, a);
    Long t = dot(edge, edge) > 0 ? dot(edge, gap) / dot(edge, edge) : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return length(plus(gap, -t, edge));
}

// Where a line through p along n meets the inside of a face, or where two lines do between ends.
static Long from_inside(const Long3 *p, bool edges)
{
    Long3 a = edges ? minus(p[1], p[0]) : minus(p[2], p[1]);
    Long3 b = edges ? minus(p[3], p[2]) : minus(p[3], p[1]);
    Long3 r = edges ? minus(p[2], p[0]) : minus(p[0], p[1]), n = cross(a, b);
    Long square = dot(n, n);
    if (!(square > 0))
        return INFINITY;
    Long s = dot(cross(r, b), n) / square, t = dot(edges ? cross(r, a) : cross(a, r), n) / square;
    bool inside = s > 0 && t > 0 && (edges ? s < 1 && t < 1 : s + t < 1);
    return inside ? length(edges ? plus(plus(r, -s, a), t, b) : plus(plus(r, -s, a), -t, b))
                  : INFINITY;
}

// Of a pair of points, one on each feature: never less than the distance, but for 1e-18.
static Long distance_at(const Query *query, Long time)
{
    Long3 p[4];
    for (int k = 0; k < 4; ++k) {
        const PalVec3 *a = &query->start[k], *b = &query->end[k];
        p[k] = (Long3){(1 - time) * a->x + time * b->x, (1 - time) * a->y + time * b->y,
                       (1 - time) * a->z + time * b->z};
    }
    Long distance = from_inside(p, query->edges);
    for (int k = 0; k < 3 && !query->edges; ++k)
        distance = fminl(distance, from_edge(p[0], p[1 + k], p[1 + (k + 1) % 3]));
    for (int k = 0; k < 2 && query->edges; ++k) {
        distance = fminl(distance, from_edge(p[k], p[2], p[3]));
        distance = fminl(distance, from_edge(p[2 + k], p[0], p[1]));
    }
    return distance;
}

static bool ask(const Query *query, double separation, double *time)
{
    *time = -1;
    return query->edges ? pal_ccd_edge_edge(query->start, query->end, separation, time)
                        : pal_ccd_vertex_face(query->start, query->end, separation, time);
}

static void make_query(int trial, Query *query, uint64_t *seed)
{
    double speed = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 0.2 : 0.02;
    PalVec3 mean = random_point(seed);
    for (int k = 0; k < 4; ++k) {
        query->start[k] = random_point(seed);
        query->end[k] = pal_vec3_add_scaled(query->start[k], speed, random_point(seed));
        if (k < (query->edges ? 2 : 1))
            query->end[k] = pal_vec3_add(query->end[k], mean);
    }
    int kind = trial % 7;
    if (kind == 1)  // parallel edges, or a sliver
        for (int k = 0; k < 2; ++k) {
            PalVec3 *p = k == 0 ? query->start : query->end;
            p[3] = query->edges ? pal_vec3_add(p[2], pal_vec3_sub(p[1], p[0]))
                                : pal_vec3_add_scaled(p[2], 1e-7, p[3]);
        }
    if (kind == 2) {  // an edge of no length
        query->start[3] = query->start[2];
        query->end[3] = query->end[2];
    }
}

typedef struct Closest {
    Long time, distance;
} Closest;

// The closest approach, by sampling and narrowing around the best sample.
static Closest closest_approach(const Query *query)
{
    enum { SAMPLES = 64, STEPS = 60 };
    Closest best = {0, INFINITY};
    for (int k = 0; k <= SAMPLES; ++k) {
        Long time = (Long)k / SAMPLES, distance = distance_at(query, time);
        if (distance < best.distance)
            best = (Closest){time, distance};
    }
    Long reach = (Long)1 / SAMPLES;
    for (int k = 0; k < STEPS; ++k, reach *= 0.6L)
        for (int side = -1; side <= 1; side += 2) {
            Long time = fminl(fmaxl(best.time + (Long)side * reach, 0), 1);
            Long distance = distance_at(query, time);
            if (distance < best.distance)
                best = (Closest){time, distance};
        }
    return best;
}

// Asked at just more than the closest approach, contact must be found, and not after it; asked at
// just less, it should not be.
static void grazing_is_told_apart(void **state)
{
    (void)state;
    enum { TRIALS = 60000, MARGINS = 4 };
    static const double margins[MARGINS] = {1e-3, 1e-6, 1e-9, 1e-11};
    uint64_t seed = 7;
    int alarms[MARGINS] = {0}, asked = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        Query query = {.edges = trial % 2 == 1};
        make_query(trial / 2, &query, &seed);
        Closest closest = closest_approach(&query);
        if (closest.distance < 1e-3L)
            continue;
        ++asked;
        for (int m = 0; m < MARGINS; ++m) {
            double time, least = (double)closest.distance;
            if (!ask(&query, least + margins[m], &time) || time > (double)closest.time)
                fail_msg("trial %d: missed by %g", trial, margins[m]);
            alarms[m] += ask(&query, least - margins[m], &time);
        }
        double time;
        assert_true(ask(&query, nextafter((double)closest.distance, INFINITY), &time));
    }
    for (int m = 0; m < MARGINS; ++m)
        print_message("separation less by %g: %d of %d still seen in contact\n", margins[m],
                      alarms[m], asked);
    // Sampling overlooks a nearer approach now and then, or the margin is within the contact zone.
    assert_true(asked > TRIALS / 2 && alarms[2] < asked / 1000);
}

// The first time at which samples see contact, every gap between samples being too short for the
// speed to hide one; -1 for none, -2 for undecided.
static Long first_contact(const Query *query, Long separation, Long speed)
{
    Long time = 0;
    for (int k = 0; k < 1 << 20; ++k) {
        Long distance = distance_at(query, time);
        if (distance <= separation)
            return time;
        if (time >= 1)
            return -1;
        Long step = (distance - separation) / speed;
        if (step < 1e-9L)
            return -2;
        time = fminl(time + step, 1);
    }
    return -2;
}

static Long top_speed(const Query *query)
{
    Long fastest[2] = {0, 0};
    for (int k = 0; k < 4; ++k) {
        Long *of = &fastest[k >= (query->edges ? 2 : 1)];
        *of = fmaxl(*of, (Long)pal_vec3_distance(query->start[k], query->end[k]));
    }
    return (fastest[0] + fastest[1]) * 1.000001L + 1e-9L;
}

// Times by steps of distance over speed, which stop just short of contact.
static void times_are_lower_bounds(void **state)
{
    (void)state;
    enum { TRIALS = 20000 };
    uint64_t seed = 8;
    int contacts = 0, late = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        Query query = {.edges = trial % 2 == 1};
        make_query(trial / 2, &query, &seed);
        double separation = trial % 4 < 2 ? 0.01 : 0.2 * random_unit(&seed), time;
        Long speed = top_speed(&query), first = first_contact(&query, separation + 1e-7L, speed);
        bool found = ask(&query, separation, &time);
        if (first == -1)
            assert_false(found);
        if (!found)
            continue;
        ++contacts;
        assert_true(time >= 0 && time <= 1);
        // Up to the time found there is no contact, just after it there is one.
        for (int k = 0; k <= 50 && time > 0; ++k)
            assert_true(distance_at(&query, time * (k * 0.02L)) >= separation);
        late += distance_at(&query, fmin(time + 1e-6, 1)) > separation + 1e-12L;
    }
    print_message("%d contacts of %d; %d not within 1e-6 after the time found\n", contacts, TRIALS,
                  late);
    assert_true(contacts > TRIALS / 20 && late < contacts / 100);
}

static PalVec3 turned(PalVec3 p, int axis)
{
    return axis == 0 ? p : axis == 1 ? pal_vec3(p.y, p.z, p.x) : pal_vec3(p.z, p.x, p.y);
}

// A whole vector on the side of n or across it.
static PalVec3 random_beyond(PalVec3 n, uint64_t *seed)
{
    PalVec3 e = random_grid_point(40, seed);
    return pal_vec3_dot(e, n) < 0 ? pal_vec3_scale(-1, e) : e;
}

// Corners pass each other at a whole distance, half-way, everything else being farther: contact at
// exactly that separation and at no smaller one.
static void touching_at_exactly_the_separation(void **state)
{
    (void)state;
    static const int triples[4][3] = {{3, 4, 5}, {5, 12, 13}, {8, 15, 17}, {20, 21, 29}};
    uint64_t seed = 11;
    for (int trial = 0; trial < 40000; ++trial) {
        const int *triple = triples[trial % 4];
        int axis = trial % 3, factor = random_integer(1, 99999, &seed);
        PalVec3 n = pal_vec3(triple[0], triple[1], 0);
        PalVec3 move = pal_vec3(-triple[1], triple[0], 0), shift = random_grid_point(999, &seed);
        move = pal_vec3_scale(random_integer(-3, 3, &seed), move);
        move.z = random_integer(-9, 9, &seed);
        Query query = {.edges = trial % 2 == 1};
        int own = query.edges ? 2 : 1;
        for (int k = 0; k < 4; ++k) {
            PalVec3 p = k < own ? pal_vec3(0, 0, 0) : n;
            if (k != 0 && k != own)
                p = pal_vec3_add_scaled(p, k < own ? -1 : 1, random_beyond(n, &seed));
            p = pal_vec3_add(p, shift);
            PalVec3 start = pal_vec3_add_scaled(p, k < own ? -1 : 0, move);
            PalVec3 end = pal_vec3_add_scaled(p, k < own ? 1 : 0, move);
            query.start[k] = pal_vec3_scale(factor, turned(start, axis));
            query.end[k] = pal_vec3_scale(factor, turned(end, axis));
        }
        double time, separation = (double)factor * triple[2];
        assert_true(ask(&query, separation, &time) && time <= 0.5);
        assert_false(ask(&query, separation * (1 - 1e-9), &time));
    }
}

static double any_number(uint64_t *seed)
{
    switch (random_integer(0, 5, seed)) {
    case 0:
        return 0;
    case 1:
        return ldexp(random_signed(seed), random_integer(-1080, 1024, seed));
    case 2:
        return random_signed(seed) < 0 ? -DBL_MAX : DBL_MAX;
    case 3:
        return random_signed(seed) * 1e-310;
    default:
        return random_signed(seed);
    }
}

// Answers come, and what certainly touches is found, whatever the size of the numbers.
static void numbers_of_any_size(void **state)
{
    (void)state;
    uint64_t seed = 9;
    int found = 0, trials = 60000;
    for (int trial = 0; trial < trials; ++trial) {
        Query query = {.edges = trial % 2 == 1};
        for (int k = 0; k < 8; ++k) {
            PalVec3 *p = k < 4 ? &query.start[k] : &query.end[k - 4];
            double x = any_number(&seed), y = any_number(&seed);
            *p = pal_vec3(x, y, any_number(&seed));
        }
        double time, separation = fabs(any_number(&seed));
        if (ask(&query, separation, &time)) {
            assert_true(time >= 0 && time <= 1);
            ++found;
        }
        query.end[2 + trial % 2] = query.end[0];
        assert_true(ask(&query, separation, &time) && time >= 0 && time <= 1);
        query.start[2 + trial % 2] = query.start[0];
        assert_true(ask(&query, 0, &time) && time == 0);
    }
    assert_true(found > 0 && found < trials);
}

// A power of two changes not a bit of the time.
static void scaling_changes_nothing(void **state)
{
    (void)state;
    uint64_t seed = 10;
    for (int trial = 0; trial < 20000; ++trial) {
        Query query = {.edges = trial % 2 == 1}, scaled;
        make_query(trial / 2, &query, &seed);
        scaled = query;
        int exponent = random_integer(-900, 900, &seed);
        for (int k = 0; k < 4; ++k) {
            scaled.start[k] = pal_vec3_scale(ldexp(1, exponent), query.start[k]);
            scaled.end[k] = pal_vec3_scale(ldexp(1, exponent), query.end[k]);
        }
        double time, again;
        bool found = ask(&query, 0.05, &time);
        assert_int_equal(ask(&scaled, ldexp(0.05, exponent), &again), found);
        assert_true(time == again);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(grazing_is_told_apart),
    cmocka_unit_test(times_are_lower_bounds),
    cmocka_unit_test(touching_at_exactly_the_separation),
    cmocka_unit_test(numbers_of_any_size),
    cmocka_unit_test(scaling_changes_nothing),
};
CHECK_GROUP(tests, NULL, NULL)
