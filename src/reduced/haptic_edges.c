// Edges of a surface, which facets they join, and how far from the other body's surface a node can
// be whose edges touch it.
#include "reduced/haptic_body.h"

#include "base/memory.h"
#include <math.h>

static PalVec3 rest_normal(const PalHapticBody *body, int32_t facet)
{
    const int32_t *v = body->facets[facet];
    PalVec3 a = body->rest[v[0]];
    return pal_vec3_normalise(
        pal_vec3_cross(pal_vec3_sub(body->rest[v[1]], a), pal_vec3_sub(body->rest[v[2]], a)));
}

// The facet on the other side of an edge that goes from `from` to `to`, and which of its edges that
// is. PAL_NONE: it has none.
static int32_t facet_across(const PalHapticBody *body, int32_t from, int32_t to, int *side)
{
    for (int32_t i = body->ring_start[from]; i < body->ring_start[from + 1]; ++i) {
        const int32_t *v = body->facets[body->ring_facets[i]];
        for (int a = 0; a < 3; ++a)
            if (v[a] == to && v[(a + 1) % 3] == from) {
                *side = a;
                return body->ring_facets[i];
            }
    }
    return PAL_NONE;
}

static void number_edges(PalHapticBody *body)
{
    for (int32_t f = 0; f < body->facet_count; ++f)
        for (int a = 0; a < 3; ++a)
            body->facet_edges[f][a] = PAL_NONE;
    for (int32_t f = 0; f < body->facet_count; ++f)
        for (int a = 0; a < 3; ++a) {
            int32_t from = body->facets[f][a], to = body->facets[f][(a + 1) % 3];
            int side = 0;
            int32_t other = facet_across(body, from, to, &side);
            if (body->facet_edges[f][a] != PAL_NONE || other == PAL_NONE)
                continue;
            body->edges[body->edge_count] = (PalHapticEdge){{from, to}, {f, other}};
            body->facet_edges[f][a] = body->facet_edges[other][side] = body->edge_count++;
        }
}

static void note_longest(PalHapticBody *body)
{
    for (int32_t e = 0; e < body->edge_count; ++e) {
        const int32_t *n = body->edges[e].nodes;
        float length = (float)pal_vec3_distance(body->rest[n[0]], body->rest[n[1]]);
        for (int a = 0; a < 2; ++a)
            body->longest[n[a]] = fmaxf(body->longest[n[a]], length);
        body->longest_edge = fmax(body->longest_edge, (double)length);
    }
}

// The sine of the angle by which a surface bulges at the sharpest edge around each facet.
static void note_bulges(PalHapticBody *body)
{
    for (int32_t e = 0; e < body->edge_count; ++e) {
        const PalHapticEdge *edge = &body->edges[e];
        PalVec3 one = rest_normal(body, edge->facets[0]), two = rest_normal(body, edge->facets[1]);
        PalVec3 turn = pal_vec3_cross(one, two);
        PalVec3 along = pal_vec3_sub(body->rest[edge->nodes[1]], body->rest[edge->nodes[0]]);
        bool convex = pal_vec3_dot(turn, along) > 0;
        double sine = pal_vec3_dot(one, two) < 0 ? 1 : pal_vec3_length(turn);
        for (int a = 0; a < 2 && convex; ++a)
            for (int32_t i = body->ring_start[edge->nodes[a]];
                 i < body->ring_start[edge->nodes[a] + 1]; ++i) {
                float *bulge = &body->bulge[body->ring_facets[i]];
                *bulge = fmaxf(*bulge, (float)sine);
            }
        if (convex)
            body->bulge_most = fmax(body->bulge_most, sine);
    }
}

bool pal_haptic_edges_init(PalHapticBody *body)
{
    size_t facets = (size_t)body->facet_count;
    body->edges = pal_alloc(3 * facets, sizeof *body->edges);
    body->facet_edges = pal_alloc(facets, sizeof *body->facet_edges);
    body->bulge = pal_alloc(facets, sizeof *body->bulge);
    body->longest = pal_alloc((size_t)body->node_count, sizeof *body->longest);
    if (body->edges == NULL || body->facet_edges == NULL || body->bulge == NULL ||
        body->longest == NULL)
        return false;
    number_edges(body);
    note_longest(body);
    note_bulges(body);
    return true;
}

void pal_haptic_edges_clear(PalHapticBody *body)
{
    pal_free(body->edges);
    pal_free(body->facet_edges);
    pal_free(body->bulge);
    pal_free(body->longest);
}
