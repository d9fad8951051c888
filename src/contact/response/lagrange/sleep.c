// Which candidates may sleep through a step. Those that are farther apart than their vertices can
// go need neither a row nor the guard. Vertices that carry force are predicted to go far, into what
// they lie on, and hardly move in the end: each candidate is judged by its own vertices, as
// predicted for a row and as corrected for the guard.
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/range.h"
#include "math/vec3.h"
#include "model/conditions.h"

#include <math.h>

#define AHEAD 1.5   // weights of a gap may lie a little outside the facet, and normals may lean
#define TURNS 8     // steps between two measurements of the same candidate, at least
#define DOZE  0.25  // share of what is left between two candidates that may be used up unseen

PalStatus pal_motions_create(PalMotions *motions, const PalContactSurface *surface, PalError *error)
{
    size_t vertices = (size_t)surface->vertex_count, chunks = 1;
    for (int32_t b = 0; b < surface->block_count; ++b)
        chunks = chunks > (size_t)surface->block_nodes[b][1] ? chunks
                                                             : (size_t)surface->block_nodes[b][1];
    motions->vertices = pal_alloc(vertices, sizeof *motions->vertices);
    motions->chunk_stamp = pal_alloc(chunks, sizeof *motions->chunk_stamp);
    return motions->vertices != NULL && motions->chunk_stamp != NULL
               ? PAL_OK
               : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

void pal_motions_clear(PalMotions *motions)
{
    pal_free(motions->vertices);
    pal_free(motions->chunk_stamp);
    *motions = (PalMotions){0};
}

// ---- as predicted -----------------------------------------------------------------------

static void predict(PalContactSurface *surface, PalLagrange *lagrange, int32_t vertex)
{
    PalVertexMotion *motion = &lagrange->motions.vertices[vertex];
    motion->stamp = lagrange->rows.stamp;
    bool soft = vertex < surface->soft_vertex_count;
    int32_t block = vertex / PAL_VERTEX_BLOCK;
    motion->own = soft ? sqrt(pal_contact_surface_soft_strides2(surface, block)[vertex])
                       : surface->object_stride[surface->vertex_object[vertex]];
    motion->around = soft ? PAL_NONE : motion->own;
}

static inline double motion_alone(PalContactSurface *surface, PalLagrange *lagrange, int32_t vertex)
{
    if (lagrange->motions.vertices[vertex].stamp != lagrange->rows.stamp)
        predict(surface, lagrange, vertex);
    return lagrange->motions.vertices[vertex].own;
}

static double look_around(PalContactSurface *surface, PalLagrange *lagrange, int32_t vertex)
{
    const PalLists *edges = &surface->vertex_edges;
    double most = motion_alone(surface, lagrange, vertex);
    for (int32_t i = edges->start[vertex]; i < edges->start[vertex + 1]; ++i) {
        const int32_t *ends = surface->edges[edges->items[i]];
        int32_t other = ends[0] == vertex ? ends[1] : ends[0];
        most = pal_max(most, motion_alone(surface, lagrange, other));
    }
    return lagrange->motions.vertices[vertex].around = most;
}

// How far a vertex and its neighbours go: the gap of a vertex and a facet may be measured on any
// facet around.
static inline double motion_around(PalContactSurface *surface, PalLagrange *lagrange,
                                   int32_t vertex)
{
    const PalVertexMotion *motion = &lagrange->motions.vertices[vertex];
    return motion->stamp == lagrange->rows.stamp && motion->around >= 0
               ? motion->around
               : look_around(surface, lagrange, vertex);
}

// As far as its vertices go by themselves.
static bool may_come_near(PalContactSurface *surface, PalLagrange *lagrange, int32_t candidate)
{
    const PalFeatures *features = &lagrange->now.items[candidate].features;
    const int32_t *v = features->vertices;
    double room = lagrange->now.wake[candidate] - lagrange->odometer;
    if (room <= 0)
        return true;
    if (features->kind == PAL_CONTACT_EDGE_EDGE)
        return room <= AHEAD * (pal_max(motion_alone(surface, lagrange, v[0]),
                                        motion_alone(surface, lagrange, v[1])) +
                                pal_max(motion_alone(surface, lagrange, v[2]),
                                        motion_alone(surface, lagrange, v[3])));
    room -= AHEAD * motion_alone(surface, lagrange, v[0]);
    for (int k = 1; k < 4; ++k)
        if (room <= AHEAD * motion_around(surface, lagrange, v[k]))
            return true;
    return false;
}

bool pal_lagrange_may_have_row(PalContact *contact, PalLagrange *lagrange, int32_t candidate)
{
    if (may_come_near(contact->surface, lagrange, candidate))
        return true;
    pal_lagrange_doze(contact, lagrange, candidate);
    return false;
}

// Worth the work where the odometer has taken a good part of the distance. What stays near all the
// time is measured in turns.
void pal_lagrange_doze(PalContact *contact, PalLagrange *lagrange, int32_t candidate)
{
    double seen = lagrange->now.seen[candidate], room = lagrange->now.wake[candidate] - seen;
    if (lagrange->odometer - seen <= DOZE * room || (lagrange->rows.stamp + candidate) % TURNS != 0)
        return;
    const PalFeatures *features = &lagrange->now.items[candidate].features;
    PalVec3 x[4];
    for (int k = 0; k < 4; ++k) {
        pal_contact_surface_need(contact->surface, features->vertices[k]);
        x[k] = pal_contact_surface_start(contact->surface, features->vertices[k]);
    }
    double distance = pal_vec3_length(pal_shortest_way(features->kind, x));
    pal_candidates_sleep(&lagrange->now, candidate, lagrange->odometer,
                         distance - pal_lagrange_margin(contact, features->kind));
}

// ---- as corrected -----------------------------------------------------------------------

bool pal_lagrange_may_collide(const PalContactSurface *surface, const PalFeatures *features,
                              double room)
{
    if (room <= 0)
        return true;
    int split = pal_kind_split(features->kind);
    double farthest[2] = {0, 0};
    for (int k = 0; k < 4; ++k) {
        int32_t v = features->vertices[k];
        double motion = pal_contact_surface_travel(surface, v);
        farthest[k >= split] = pal_max(farthest[k >= split], motion);
    }
    return room <= (1 + 1e-9) * (farthest[0] + farthest[1]);
}

// The farthest any vertex of a block goes: soft ones that have no row as predicted, all others as
// far as their object.
static double block_stride(PalContactSurface *surface, const PalLagrange *lagrange, int32_t block)
{
    int32_t first = block * PAL_VERTEX_BLOCK, last = first + PAL_VERTEX_BLOCK;
    int32_t soft = last < surface->soft_vertex_count ? last : surface->soft_vertex_count;
    const double *strides2 = pal_contact_surface_soft_strides2(surface, block);
    double stride = 0, largest2 = 0;
    for (int32_t v = first; v < soft; ++v)
        if (strides2[v] > largest2 && lagrange->vertex_stamp[v] != lagrange->rows.stamp)
            largest2 = strides2[v];
    for (int32_t v = soft; v < last && v < surface->vertex_count; ++v)
        stride = pal_max(stride, surface->object_stride[surface->vertex_object[v]]);
    return pal_max(stride, sqrt(largest2));
}

// Speeds are known of chunks of nodes, all of which go with the fastest: blocks in a chunk that has
// a row are measured, all others stay as predicted. Where nothing goes far, all do.
double pal_lagrange_fit_strides(PalContactSurface *surface, PalLagrange *lagrange)
{
    PalMotions *motions = &lagrange->motions;
    int64_t stamp = ++motions->stamp;
    double farthest = 0;
    for (int32_t i = 0; i < lagrange->touched_count && motions->far; ++i)
        if (lagrange->touched[i] < surface->soft_vertex_count)
            motions->chunk_stamp[surface->vertex_node[lagrange->touched[i]] / PAL_NODE_CHUNK] =
                stamp;
    for (int32_t b = 0; b < surface->block_count; ++b) {
        bool fits = true;
        for (int32_t c = surface->block_nodes[b][0]; c < surface->block_nodes[b][1] && fits; ++c)
            fits = motions->chunk_stamp[c] != stamp;
        if (!fits)
            surface->stride[b] = block_stride(surface, lagrange, b);
        farthest = pal_max(farthest, surface->stride[b]);
    }
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        double *stride = &surface->stride[v / PAL_VERTEX_BLOCK];
        double motion = (1 + 1e-9) * pal_contact_surface_travel(surface, v);
        *stride = pal_max(*stride, motion);
        farthest = pal_max(farthest, motion);
    }
    return farthest;
}
