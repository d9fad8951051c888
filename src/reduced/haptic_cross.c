// Where edges cross. From the facet next to a node, each of its edges is followed over the other
// body's surface, from facet to facet, and meets the edges it passes above. Two that cross hold
// each other apart along the direction across both. Where a crossing comes to the end of an edge,
// where edges become parallel or a ridge becomes flat, it fades: nodes take over, and nothing
// jumps. docs/theory/haptics.md, 3
#include "reduced/haptic_find.h"

#include <math.h>

#define FOLLOWED    12   // facets along an edge
#define APPROACHED  16   // times to and fro to where an edge is nearest
#define PLACES      24   // along a long edge
#define LONG        4    // of the other body's mean edges
#define FAR         0.2  // of an edge's length: an end that is farther
#define BESIDE      0.1  // of an edge: how far beside it may be passed
#define END_BAND    0.2  // of an edge, at its ends
#define LEAST_SINE  0.1  // between edges: less, and they do not hold each other
#define FULL_SINE   0.3
#define LEAST_BULGE (-0.15)  // sine between the facets of a ridge: less, and it is a valley
#define FULL_BULGE  (-0.05)
#define LEAST_FACE  0.3  // cosine between the way across both edges and a mean of facets' normals
#define FULL_FACE   0.5
#define WIDEST      0.25  // of an edge: gaps that are looked at, however wide the margin is
#define PROBES      8     // of the table
#define FORGOTTEN   8     // searches

typedef struct Cross {
    PalHapticFinder *finder;
    PalHapticShape *own, *other;
    PalHapticFrame relative;  // from own coordinates to those of the other
    int32_t edge;             // own one
    PalVec3 from, along;      // of it, in the other's coordinates
} Cross;

static double ramp(double value, double none, double full)
{
    double x = fmin(1, fmax(0, (value - none) / (full - none)));
    return x * x * (3 - 2 * x);
}

static double ends(double part)
{
    return ramp(part, 0, END_BAND) * ramp(1 - part, 0, END_BAND);
}

static PalVec3 facet_normal(PalHapticShape *shape, int32_t facet)
{
    const int32_t *v = shape->body->facets[facet];
    PalVec3 a = pal_haptic_position(shape, v[0]);
    return pal_vec3_normalise(pal_vec3_cross(pal_vec3_sub(pal_haptic_position(shape, v[1]), a),
                                             pal_vec3_sub(pal_haptic_position(shape, v[2]), a)));
}

// A mean of the normals of both facets, and the sine of how much the surface bulges there.
static PalVec3 ridge(PalHapticShape *shape, const PalHapticEdge *edge, double *bulge)
{
    PalVec3 one = facet_normal(shape, edge->facets[0]), two = facet_normal(shape, edge->facets[1]);
    PalVec3 along = pal_vec3_normalise(pal_vec3_sub(pal_haptic_position(shape, edge->nodes[1]),
                                                    pal_haptic_position(shape, edge->nodes[0])));
    *bulge = pal_vec3_dot(pal_vec3_cross(one, two), along);
    if (*bulge > 0 && pal_vec3_dot(one, two) < 0)
        *bulge = 1;
    return pal_vec3_normalise(pal_vec3_add(one, two));
}

// A place of the table for two edges; PAL_NONE: there is none.
static int32_t pair_of(PalHapticFinder *finder, int32_t own, int32_t other)
{
    PalHapticCrossings *crossings = &finder->crossings;
    uint32_t hash = (uint32_t)own * 2654435761U ^ (uint32_t)other * 2246822519U;
    uint32_t first = hash ^ (hash >> 15);
    int32_t old = PAL_NONE;
    for (uint32_t i = 0; i < PROBES; ++i) {
        int32_t index = (int32_t)((first + i) & (uint32_t)(crossings->pair_max - 1));
        const PalHapticPair *pair = &crossings->pairs[index];
        bool known = pair->search != 0 && finder->search - pair->search <= FORGOTTEN;
        if (known && pair->edges[0] == own && pair->edges[1] == other)
            return index;
        if (!known && old == PAL_NONE)
            old = index;
    }
    if (old != PAL_NONE)
        crossings->pairs[old] = (PalHapticPair){.edges = {own, other}, .fresh = true};
    return old;
}

// Parts of a facet's corners in a place on one of its edges.
static void weigh_corners(const PalHapticBody *body, const PalHapticEdge *edge, double part,
                          float weights[3])
{
    for (int a = 0; a < 3; ++a) {
        int32_t corner = body->facets[edge->facets[0]][a];
        weights[a] = corner == edge->nodes[0]   ? (float)(1 - part)
                     : corner == edge->nodes[1] ? (float)part
                                                : 0;
    }
}

static void list_crossing(Cross *cross, int32_t edge, PalHapticNear *near)
{
    PalHapticFinder *finder = cross->finder;
    if (finder->near_count >= finder->near_max / 2)  // nodes are worth more
        return;
    near->pair = pair_of(finder, cross->edge, edge);
    if (near->pair == PAL_NONE || finder->crossings.pairs[near->pair].search == finder->search)
        return;
    finder->crossings.pairs[near->pair].search = finder->search;
    const PalHapticEdge *own = &cross->own->body->edges[cross->edge];
    near->side = 1;
    near->node = own->nodes[0];
    near->far_node = own->nodes[1];
    near->normal = pal_mat3_apply(&finder->frames[0]->turn, near->normal);
    finder->near[finder->near_count++] = *near;
}

// Where a crossing comes to the end of one edge, that end is a point above the other, and the
// normal becomes the one that such a point has.
static void bend_normal(const Cross *cross, const PalHapticEdge *met, double here, double there,
                        PalHapticNear *near)
{
    double own_part = ends(here), other_part = ends(there);
    PalVec3 sum = pal_vec3_scale(own_part * other_part, near->normal);
    if (own_part < 1) {
        PalVec3 smooth = pal_haptic_smooth_normal(cross->other, met->facets[0], near->weights);
        sum = pal_vec3_add_scaled(sum, (1 - own_part) * (other_part + 1e-9), smooth);
    }
    if (other_part < 1) {
        const PalHapticEdge *own = &cross->own->body->edges[cross->edge];
        float weights[3];
        weigh_corners(cross->own->body, own, here, weights);
        PalVec3 smooth = pal_haptic_smooth_normal(cross->own, own->facets[0], weights);
        sum = pal_vec3_add_scaled(sum, -(1 - other_part) * (own_part + 1e-9),
                                  pal_mat3_apply(&cross->relative.turn, smooth));
    }
    sum = pal_vec3_normalise(sum);
    near->gap *= pal_vec3_dot(sum, near->normal);
    near->normal = sum;
}

// Two edges that cross at parts `here` of the own one and `there` of the other.
static void meet(Cross *cross, int32_t edge, double here, double there, double sine)
{
    PalHapticShape *other = cross->other;
    const PalHapticEdge *met = &other->body->edges[edge];
    PalVec3 from = pal_haptic_position(other, met->nodes[0]);
    PalVec3 along = pal_vec3_sub(pal_haptic_position(other, met->nodes[1]), from);
    PalVec3 normal = pal_vec3_normalise(pal_vec3_cross(cross->along, along));
    PalVec3 way = pal_vec3_sub(pal_vec3_add_scaled(cross->from, here, cross->along),
                               pal_vec3_add_scaled(from, there, along));
    double gap = pal_vec3_dot(way, normal), widest = WIDEST * other->body->edge;
    if (fabs(gap) > widest)
        return;
    double bulge, own_bulge, facing = pal_vec3_dot(ridge(other, met, &bulge), normal);
    if (facing < 0) {
        normal = pal_vec3_scale(-1, normal);
        gap = -gap;
    }
    if (gap > cross->finder->margin)
        return;
    PalVec3 in = ridge(cross->own, &cross->own->body->edges[cross->edge], &own_bulge);
    double back = -pal_vec3_dot(pal_mat3_apply(&cross->relative.turn, in), normal);
    double weight = cross->finder->crossings.weight * ramp(sine, LEAST_SINE, FULL_SINE) *
                    ramp(bulge, LEAST_BULGE, FULL_BULGE) *
                    ramp(own_bulge, LEAST_BULGE, FULL_BULGE) *
                    ramp(fabs(facing), LEAST_FACE, FULL_FACE) * ramp(back, LEAST_FACE, FULL_FACE);
    if (!(weight > 1e-3))
        return;
    PalHapticNear near = {.part = (float)here,
                          .weight = (float)weight,
                          .facet = met->facets[0],
                          .gap = gap,
                          .normal = normal};
    weigh_corners(other->body, met, there, near.weights);
    bend_normal(cross, met, here, there, &near);
    list_crossing(cross, edge, &near);
}

// Where the lines of two edges are closest to each other. Returns the sine between them.
static double closest(const Cross *cross, int32_t edge, double *here, double *there)
{
    const PalHapticEdge *met = &cross->other->body->edges[edge];
    PalVec3 from = pal_haptic_position(cross->other, met->nodes[0]);
    PalVec3 v = pal_vec3_sub(pal_haptic_position(cross->other, met->nodes[1]), from);
    PalVec3 u = cross->along, w = pal_vec3_sub(cross->from, from);
    double a = pal_vec3_dot(u, u), b = pal_vec3_dot(u, v), c = pal_vec3_dot(v, v);
    double d = pal_vec3_dot(u, w), e = pal_vec3_dot(v, w), under = a * c - b * b;
    if (!(under > 1e-6 * a * c))
        return 0;
    *here = (b * e - c * d) / under;
    *there = (a * e - b * d) / under;
    return sqrt(under / (a * c));
}

// Meets the edges of a facet, but for one. Returns the one through which the own edge leaves it,
// beyond `at` in the direction of `sign`, and sets `at` to where; PAL_NONE: it ends there.
static int32_t pass_facet(Cross *cross, int32_t facet, int32_t entered, double sign, double *at)
{
    const PalHapticBody *other = cross->other->body;
    int32_t leaves = PAL_NONE;
    double nearest = 0.5 + BESIDE, next = *at;
    for (int k = 0; k < 3; ++k) {
        int32_t edge = other->facet_edges[facet][k];
        double here = 0, there = 0;
        double sine = edge != PAL_NONE && edge != entered ? closest(cross, edge, &here, &there) : 0;
        if (!(sine > 0) || !(here > 0 && here < 1))
            continue;
        if (there > 0 && there < 1)
            meet(cross, edge, here, there, sine);
        double off = fabs(there - 0.5);
        if (sign * (here - *at) > 0 && off < nearest) {
            nearest = off;
            leaves = edge;
            next = here;
        }
    }
    *at = next;
    return leaves;
}

static int32_t facet_beyond(const PalHapticBody *body, int32_t edge, int32_t facet)
{
    const int32_t *sides = body->edges[edge].facets;
    return sides[0] == facet ? sides[1] : sides[0];
}

// Follows the own edge over facets, from a part of it on, forward or backward.
static void follow(Cross *cross, int32_t facet, double at, double sign)
{
    int32_t entered = PAL_NONE;
    for (int step = 0; step < FOLLOWED; ++step) {
        entered = pass_facet(cross, facet, entered, sign, &at);
        if (entered == PAL_NONE)
            return;
        facet = facet_beyond(cross->other->body, entered, facet);
    }
}

// Meets all edges around a facet that the own one has not met yet.
static void meet_around(Cross *cross, int32_t facet)
{
    PalHapticCrossings *crossings = &cross->finder->crossings;
    const PalHapticBody *other = cross->other->body;
    for (int a = 0; a < 3; ++a) {
        int32_t node = other->facets[facet][a];
        for (int32_t i = other->ring_start[node]; i < other->ring_start[node + 1]; ++i)
            for (int k = 0; k < 3; ++k) {
                int32_t edge = other->facet_edges[other->ring_facets[i]][k];
                double here = 0, there = 0;
                if (edge == PAL_NONE || crossings->met[edge] == crossings->round)
                    continue;
                crossings->met[edge] = crossings->round;
                double sine = closest(cross, edge, &here, &there);
                if (sine > 0 && here > 0 && here < 1 && there > 0 && there < 1)
                    meet(cross, edge, here, there, sine);
            }
    }
}

// An edge that is long against the other's, or whose end is far away: to and fro between it and the
// surface to where they are nearest, and what is below some places along it.
static void approach(Cross *cross, int32_t facet, double at)
{
    double square = pal_vec3_dot(cross->along, cross->along), last = 0;
    PalVec3 place;
    for (int step = 0; step < APPROACHED; ++step) {
        PalVec3 point = pal_vec3_add_scaled(cross->from, at, cross->along);
        facet = pal_haptic_next_place(cross->other, point, facet, &place);
        if (facet == PAL_NONE)
            return;
        double along = pal_vec3_dot(pal_vec3_sub(place, cross->from), cross->along);
        double next = fmin(1, fmax(0, along / square)), moved = next - at;
        double ratio = last != 0 ? moved / last : 0;
        bool shrinks = ratio > 0 && ratio < 1;  // then all further ways are a geometric series
        at = shrinks ? fmin(1, fmax(0, next + moved * ratio / (1 - ratio))) : next;
        last = shrinks ? 0 : moved;
        if (fabs(moved) < 0.1 * BESIDE)
            break;
    }
    meet_around(cross, facet);
    int32_t places = (int32_t)fmin(ceil(sqrt(square) / cross->other->body->edge), PLACES);
    for (int32_t i = 0; i < places; ++i) {
        PalVec3 point = pal_vec3_add_scaled(cross->from, (i + 0.5) / places, cross->along);
        facet = pal_haptic_next_place(cross->other, point, facet, &place);
        if (facet == PAL_NONE)
            return;
        if (pal_vec3_distance(point, place) < cross->finder->margin + cross->other->body->edge)
            meet_around(cross, facet);
    }
}

static PalVec3 seen_by_other(const Cross *cross, int32_t node)
{
    PalVec3 at = pal_mat3_apply(&cross->relative.turn, pal_haptic_position(cross->own, node));
    return pal_vec3_add(at, cross->relative.at);
}

static void take_edge(Cross *cross, int32_t edge)
{
    const int32_t *n = cross->own->body->edges[edge].nodes;
    cross->edge = edge;
    cross->from = seen_by_other(cross, n[0]);
    cross->along = pal_vec3_sub(seen_by_other(cross, n[1]), cross->from);
}

static bool is_close(const Cross *cross, int32_t node)
{
    return cross->finder->crossings.close_search[node] == cross->finder->search;
}

// Whether an edge may touch, by how far its ends are from the other body: between them the other
// surface can bulge by as much as it does next to an end that is close.
static bool may_touch(const Cross *cross, const PalHapticEdge *edge)
{
    const PalHapticFinder *finder = cross->finder;
    double gaps[2], bulge = 0;
    for (int a = 0; a < 2; ++a) {
        int32_t node = edge->nodes[a];
        double reach = (double)finder->crossings.node_reach[node];
        gaps[a] = finder->node_key[1][node] - finder->way;
        bulge = is_close(cross, node) ? fmax(bulge, 4 * reach) : bulge;
    }
    double rise = gaps[1] - gaps[0];
    double part = bulge > 0 ? fmin(1, fmax(0, 0.5 - 0.5 * rise / bulge)) : rise > 0 ? 0 : 1;
    return gaps[0] + part * rise - part * (1 - part) * bulge <= finder->margin;
}

static void follow_edge(Cross *cross, int32_t edge)
{
    PalHapticFinder *finder = cross->finder;
    PalHapticCrossings *crossings = &finder->crossings;
    const int32_t *n = cross->own->body->edges[edge].nodes;
    if (crossings->edge_done[edge] == finder->search)
        return;
    crossings->edge_done[edge] = finder->search;
    if (!may_touch(cross, &cross->own->body->edges[edge]))
        return;
    ++crossings->round;
    take_edge(cross, edge);
    double length = pal_vec3_length(cross->along), far = FAR * length;
    bool is_long = length > LONG * cross->other->body->edge;
    for (int a = 0; a < 2; ++a) {
        int32_t facet = finder->last_facet[1][n[a]];
        if (!is_close(cross, n[a]))
            continue;
        if (is_long || finder->node_key[1][n[a]] - finder->way > far)
            approach(cross, facet, a);
        else
            follow(cross, facet, a, a == 0 ? 1 : -1);
    }
}

static Cross cross_of(PalHapticFinder *finder)
{
    const PalHapticFrame *own = finder->frames[1], *other = finder->frames[0];
    PalMat3 back = pal_mat3_transpose(&other->turn);
    return (Cross){
        .finder = finder,
        .own = finder->shapes[1],
        .other = finder->shapes[0],
        .relative = {.turn = pal_mat3_multiply(&back, &own->turn),
                     .at = pal_mat3_apply(&back, pal_vec3_sub(own->at, other->at))},
    };
}

bool pal_haptic_find_pair(PalHapticFinder *finder, int32_t pair, double parts[2])
{
    Cross cross = cross_of(finder);
    PalHapticPair *known = &finder->crossings.pairs[pair];
    take_edge(&cross, known->edges[0]);
    parts[0] = parts[1] = 0.5;
    double sine = closest(&cross, known->edges[1], &parts[0], &parts[1]);
    bool crosses = parts[0] > 0 && parts[0] < 1 && parts[1] > 0 && parts[1] < 1;
    if (sine > 0 && crosses)
        meet(&cross, known->edges[1], parts[0], parts[1], sine);
    return known->search == finder->search;
}

void pal_haptic_find_crossings(PalHapticFinder *finder)
{
    PalHapticCrossings *crossings = &finder->crossings;
    Cross cross = cross_of(finder);
    const PalHapticBody *body = cross.own->body;
    for (int32_t c = 0; c < crossings->close_count; ++c) {
        int32_t node = crossings->close[c];
        for (int32_t i = body->ring_start[node]; i < body->ring_start[node + 1]; ++i)
            for (int k = 0; k < 3; ++k) {
                int32_t edge = body->facet_edges[body->ring_facets[i]][k];
                if (edge != PAL_NONE &&
                    (body->edges[edge].nodes[0] == node || body->edges[edge].nodes[1] == node))
                    follow_edge(&cross, edge);
            }
    }
}
