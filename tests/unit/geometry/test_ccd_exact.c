// No contact is missed, by exact decisions on grids; and how often one is seen where none is.
#include "exact_contact.h"
#include "math/mat3.h"
#include "random_points.h"

#include <palpate/geometry.h>

enum { TRIALS = 100000, GRID = 15 };

typedef enum Kind {
    ANY,         // points of a grid
    COPLANAR,    // in one plane all the time
    PARALLEL,    // parallel edges, or a face whose edges are
    DEGENERATE,  // edges of no length, faces of no area
    AT_END,      // touching at the start or at the end
    SLIDING,     // in parallel planes
    RESTING,
    PASSING,  // a corner meets a corner or the middle of an edge half-way
    TURNING,  // two points rest
    INSIDE,   // from inside along the plane
    KINDS
} Kind;

static const char *const names[KINDS] = {"any",     "coplanar", "parallel", "degenerate", "at end",
                                         "sliding", "resting",  "passing",  "turning",    "inside"};

// A point of the second feature: a corner, or the middle of two (of even coordinates).
static PalVec3 place_on(const PalVec3 *p, bool edges, uint64_t *seed)
{
    int first = edges ? 2 : 1, k = random_integer(first, 3, seed),
        l = random_integer(first, 3, seed);
    return pal_vec3_scale(0.5, pal_vec3_add(p[k], p[l]));
}

static void pass_half_way(PalVec3 *start, PalVec3 *end, bool edges, uint64_t *seed)
{
    PalVec3 middle[4];
    for (int k = 0; k < 4; ++k) {
        start[k] = random_grid_point(3, seed);
        middle[k] = pal_vec3_scale(2, random_grid_point(2, seed));
    }
    middle[0] = place_on(middle, edges, seed);
    for (int k = 0; k < 4; ++k)
        end[k] = pal_vec3_sub(pal_vec3_scale(2, middle[k]), start[k]);
}

static void leave_inside(PalVec3 *start, PalVec3 *end, bool edges, uint64_t *seed)
{
    for (int k = 1; k < 4; ++k)
        end[k] = start[k] = pal_vec3_scale(4, random_grid_point(3, seed));
    PalVec3 along = pal_vec3_sub(start[3], start[2]);
    start[0] = edges ? start[1] : pal_vec3_scale(0.5, pal_vec3_add(start[1], start[3]));
    start[0] = pal_vec3_scale(0.5, pal_vec3_add(start[0], start[2]));
    if (edges)  // through the middle of the other one
        start[1] = pal_vec3_sub(pal_vec3_add(start[2], start[3]), start[0]);
    for (int k = 0; k < (edges ? 2 : 1); ++k)
        end[k] = pal_vec3_add_scaled(start[k], random_integer(-1, 1, seed), along);
}

static void make_query(Kind kind, PalVec3 *start, PalVec3 *end, bool edges, uint64_t *seed)
{
    static const int sizes[4] = {1, 2, 5, GRID};
    int size = sizes[random_integer(0, 3, seed)], n = random_integer(-1, 1, seed);
    for (int k = 0; k < 4; ++k) {
        start[k] = random_grid_point(size, seed);
        end[k] = random_grid_point(size, seed);
    }
    if (kind == COPLANAR)
        for (int k = 0; k < 4; ++k) {
            start[k].z = n * start[k].x;
            end[k].z = n * end[k].x;
        }
    if (kind == PARALLEL)
        for (int k = 0; k < 2; ++k) {
            PalVec3 *p = k == 0 ? start : end;
            p[3] = edges ? pal_vec3_add(p[2], pal_vec3_sub(p[1], p[0]))
                         : pal_vec3_add(p[2], pal_vec3_scale(n, pal_vec3_sub(p[2], p[1])));
        }
    if (kind == DEGENERATE) {
        start[3] = start[2];
        end[3] = random_integer(0, 1, seed) == 0 ? end[2] : end[3];
        if (random_integer(0, 1, seed) == 0)
            end[1] = end[2];
    }
    if (kind == AT_END) {
        PalVec3 *p = random_integer(0, 1, seed) == 0 ? start : end;
        for (int k = 1; k < 4; ++k)
            p[k] = pal_vec3_scale(2, random_grid_point(3, seed));
        p[0] = place_on(p, edges, seed);
    }
    for (int k = 0; k < 4 && kind == SLIDING; ++k)
        start[k].z = end[k].z = k < (edges ? 2 : 1) ? n : 0;
    for (int k = 0; k < 4 && kind == RESTING; ++k)
        end[k] = start[k];
    if (kind == PASSING)
        pass_half_way(start, end, edges, seed);
    for (int k = 0; k < 2 && kind == TURNING; ++k)
        end[2 * k] = start[2 * k];
    if (kind == INSIDE)
        leave_inside(start, end, edges, seed);
}

typedef struct Tally {
    int count, contacts, false_alarms, low;
    double worst_slack;
} Tally;

// Regular maps by whole numbers keep contact and its times, exactly, and leave no round numbers to
// calculate with.
static bool ask(const PalVec3 *start, const PalVec3 *end, bool edges, int variant, uint64_t *seed,
                double *time)
{
    static const double scales[4] = {1, 0x1p-40, 0x1p40, 0x1p-1000};
    PalMat3 map = pal_mat3_identity();
    do
        for (int k = 0; k < 9 && variant % 5 > 0; ++k)
            map.m[k / 3][k % 3] = random_integer(-999999, 999999, seed);
    while (pal_mat3_determinant(&map) == 0);
    PalVec3 shift = pal_vec3(variant % 3 == 1 ? 0x1p40 : 0, 0, variant % 3 == 2 ? -123457 : 0);
    PalVec3 p[2][4];
    for (int k = 0; k < 8; ++k) {
        PalVec3 mapped = pal_mat3_apply(&map, k < 4 ? start[k] : end[k - 4]);
        p[k / 4][k % 4] = pal_vec3_scale(scales[variant % 4], pal_vec3_add(mapped, shift));
    }
    return edges ? pal_ccd_edge_edge(p[0], p[1], 0, time)
                 : pal_ccd_vertex_face(p[0], p[1], 0, time);
}

static void check_query(Kind kind, int trial, bool edges, Tally *tally, uint64_t *seed)
{
    PalVec3 start[4], end[4];
    make_query(kind, start, end, edges, seed);
    ExactContact exact = exact_contact(start, end, edges);
    double time = -1;
    bool found = ask(start, end, edges, trial / (2 * KINDS), seed, &time);
    ++tally->count;
    tally->contacts += exact.found;
    if (exact.found && (!found || time > exact.high)) {
        for (int k = 0; k < 4; ++k)
            print_message("(%g %g %g) to (%g %g %g)\n", start[k].x, start[k].y, start[k].z,
                          end[k].x, end[k].y, end[k].z);
        fail_msg("%s, %s, trial %d: first contact at %.17g, found %d at %.17g",
                 edges ? "edges" : "face", names[kind], trial, exact.high, found, time);
    }
    if (!exact.found)
        tally->false_alarms += found;
    else if (exact.low - time > 1e-6)
        ++tally->low;
    if (exact.found && exact.low - time > tally->worst_slack)
        tally->worst_slack = exact.low - time;
}

static void no_contact_is_missed(void **state)
{
    (void)state;
    uint64_t seed = 6;
    static Tally tallies[KINDS][2];
    for (int trial = 0; trial < TRIALS; ++trial) {
        int edges = trial % 2;
        Kind kind = (Kind)(trial / 2 % KINDS);
        check_query(kind, trial, edges, &tallies[kind][edges], &seed);
    }
    for (int kind = 0; kind < KINDS; ++kind)
        for (int edges = 0; edges < 2; ++edges) {
            const Tally *t = &tallies[kind][edges];
            print_message(
                "%-10s %-6s: contact in %5d of %5d, false alarms %d, time low by more than "
                "1e-6 in %d, at most by %.1e\n",
                names[kind], edges ? "edges" : "face", t->contacts, t->count, t->false_alarms,
                t->low, t->worst_slack);
            assert_true(t->contacts > 20);
            assert_true(1000 * t->false_alarms <= t->count && 25 * t->low <= t->contacts);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_contact_is_missed),
};
CHECK_GROUP(tests, NULL, NULL)
