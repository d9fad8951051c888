#include "contact/start/apart.h"

#include "base/memory.h"
#include "contact/surface/sweep.h"
#include "geometry/closest.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define REACH    0.75        // of the longest mean edge: deeper is too deep anyway
#define FIFTH    0.2         // of a free rigid body's radius: its edges may be as long as itself
#define TOUCHING 0.1         // of the separation: nearer than this, the gap has no direction
#define NEARLY   (1 - 1e-9)  // of the separation: what is so far apart is not told from it
#define PREFER   0.2         // of the separation: facets that face a vertex seem so much nearer

PalVec3 pal_apart_facet_normal(const PalApart *apart, int32_t facet)
{
    const PalVec3 *x = apart->surface->start;
    const int32_t *v = apart->surface->facets[facet];
    return pal_vec3_normalise(
        pal_vec3_cross(pal_vec3_sub(x[v[1]], x[v[0]]), pal_vec3_sub(x[v[2]], x[v[0]])));
}

// ---- creating ---------------------------------------------------------------------------

// The radius of a free rigid body; infinite for others.
static double radius_of(const PalApart *apart, int32_t object)
{
    const PalContactSurface *surface = apart->surface;
    return surface->object_free[object] != PAL_NONE
               ? apart->model->rigids[surface->objects[object].index].radius
               : INFINITY;
}

static void measure_edges(PalApart *apart)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        const PalLists *edges = &surface->vertex_edges;
        int32_t count = edges->start[v + 1] - edges->start[v];
        for (int32_t i = edges->start[v]; i < edges->start[v + 1]; ++i) {
            const int32_t *ends = surface->edges[edges->items[i]];
            apart->edge[v] +=
                pal_vec3_distance(surface->start[ends[0]], surface->start[ends[1]]) / count;
        }
        apart->edge[v] = fmin(apart->edge[v], FIFTH * radius_of(apart, surface->vertex_object[v]));
    }
    double longest = 0;
    for (int32_t object = 0; object < surface->object_count; ++object) {
        if (object >= surface->body_count && surface->object_free[object] == PAL_NONE)
            continue;
        int32_t first = surface->object_first_vertex[object];
        int32_t end = surface->object_first_vertex[object + 1];
        double sum = 0;
        for (int32_t v = first; v < end; ++v)
            sum += apart->edge[v];
        longest = fmax(longest, sum / (end - first));
    }
    apart->reach = REACH * longest + apart->separation;
}

static void find_closed(PalApart *apart)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t object = 0; object < surface->object_count; ++object)
        apart->closed[object] = true;
    for (int32_t e = 0; e < surface->edge_count; ++e)
        if (surface->edge_facets[e][1] == PAL_NONE && surface->edges[e][0] != surface->edges[e][1])
            apart->closed[surface->vertex_object[surface->edges[e][0]]] = false;
}

static PalStatus fill(const PalContactDef *def, PalApart *apart, PalError *error)
{
    PAL_TRY(pal_contact_surface_create(apart->model, &apart->surface, error));
    PAL_TRY(pal_contact_frictions(def, apart->model, &apart->friction, error));
    size_t vertices = (size_t)apart->surface->vertex_count;
    size_t objects = (size_t)apart->surface->object_count;
    apart->edge = pal_alloc(vertices, sizeof *apart->edge);
    apart->normal = pal_alloc(vertices, sizeof *apart->normal);
    apart->inside = pal_alloc(vertices, sizeof *apart->inside);
    apart->facet = pal_alloc(vertices, sizeof *apart->facet);
    apart->score = pal_alloc(vertices, sizeof *apart->score);
    apart->box = pal_alloc(objects, sizeof *apart->box);
    apart->closed = pal_alloc(objects, sizeof *apart->closed);
    apart->holder = pal_alloc(objects, sizeof *apart->holder);
    apart->shift = pal_alloc(objects, sizeof *apart->shift);
    if (apart->edge == NULL || apart->normal == NULL || apart->inside == NULL ||
        apart->facet == NULL || apart->score == NULL || apart->box == NULL ||
        apart->closed == NULL || apart->holder == NULL || apart->shift == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to look for overlaps");
    PAL_TRY(
        pal_contact_separation(def, apart->surface, apart->friction, &apart->separation, error));
    measure_edges(apart);
    find_closed(apart);
    return PAL_OK;
}

PalStatus pal_apart_create(const PalContactDef *def, const PalModel *model, PalApart **result,
                           PalError *error)
{
    *result = NULL;
    PalApart *apart = pal_alloc(1, sizeof *apart);
    if (apart == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to look for overlaps");
    apart->model = model;
    PalStatus status = fill(def, apart, error);
    if (status == PAL_OK)
        *result = apart;
    else
        pal_apart_destroy(apart);
    return status;
}

void pal_apart_destroy(PalApart *apart)
{
    if (apart == NULL)
        return;
    pal_contact_surface_destroy(apart->surface);
    pal_free(apart->friction);
    pal_free(apart->edge);
    pal_free(apart->normal);
    pal_free(apart->inside);
    pal_free(apart->facet);
    pal_free(apart->score);
    pal_free(apart->box);
    pal_free(apart->closed);
    pal_free(apart->holder);
    pal_free(apart->shift);
    pal_array_clear(&apart->pairs);
    pal_free(apart);
}

// Anew from where it was given, so that all vertices have moved alike.
void pal_apart_shift(PalApart *apart, int32_t object, PalVec3 by)
{
    PalContactSurface *surface = apart->surface;
    PalVec3 shift = apart->shift[object] = pal_vec3_add(apart->shift[object], by);
    for (int32_t v = surface->object_first_vertex[object];
         v < surface->object_first_vertex[object + 1]; ++v)
        surface->start[v] = pal_vec3_add(surface->end[v], shift);
}

// ---- looking ----------------------------------------------------------------------------

static double corner_angle(PalVec3 at, PalVec3 left, PalVec3 right)
{
    PalVec3 a = pal_vec3_sub(left, at), b = pal_vec3_sub(right, at);
    return atan2(pal_vec3_length(pal_vec3_cross(a, b)), pal_vec3_dot(a, b));
}

// Weighted by the facets' angles, so that the sign does not depend on how the surface is cut up.
static void find_normals(PalApart *apart)
{
    const PalContactSurface *surface = apart->surface;
    const PalVec3 *x = surface->start;
    memset(apart->normal, 0, (size_t)surface->vertex_count * sizeof *apart->normal);
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        PalVec3 normal = pal_apart_facet_normal(apart, f);
        const int32_t *v = surface->facets[f];
        for (int k = 0; k < 3; ++k) {
            double angle = corner_angle(x[v[k]], x[v[(k + 1) % 3]], x[v[(k + 2) % 3]]);
            apart->normal[v[k]] = pal_vec3_add_scaled(apart->normal[v[k]], angle, normal);
        }
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        apart->normal[v] = pal_vec3_normalise(apart->normal[v]);
}

static void find_boxes(PalApart *apart)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t object = 0; object < surface->object_count; ++object) {
        PalBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        int32_t end = surface->object_first_vertex[object + 1];
        for (int32_t v = surface->object_first_vertex[object]; v < end; ++v) {
            PalVec3 p = surface->start[v];
            box.lower =
                (PalVec3){fmin(box.lower.x, p.x), fmin(box.lower.y, p.y), fmin(box.lower.z, p.z)};
            box.upper =
                (PalVec3){fmax(box.upper.x, p.x), fmax(box.upper.y, p.y), fmax(box.upper.z, p.z)};
        }
        apart->box[object] = box;
    }
}

static void add_pair(void *context, int32_t a, int32_t b)
{
    PalApart *apart = context;
    PalFacetPair pair = {a, b};
    if (!pal_facets_adjacent(apart->surface, a, b) && !pal_array_push(&apart->pairs, pair))
        apart->no_memory = true;
}

static double distance_to(const PalApart *apart, int32_t vertex, int32_t facet, double weights[3])
{
    const PalVec3 *x = apart->surface->start;
    const int32_t *v = apart->surface->facets[facet];
    PalFeature feature;
    return pal_closest_on_triangle(x[vertex], (PalVec3[3]){x[v[0]], x[v[1]], x[v[2]]}, weights,
                                   &feature);
}

double pal_apart_distance(const PalApart *apart, int32_t vertex, int32_t facet)
{
    double weights[3];
    return distance_to(apart, vertex, facet, weights);
}

// Is this facet a better one to move the vertex away from?
static void consider(PalApart *apart, int32_t vertex, int32_t facet)
{
    const PalContactSurface *surface = apart->surface;
    double weights[3], distance = distance_to(apart, vertex, facet, weights);
    int32_t other = surface->facet_object[facet];
    bool inside = apart->inside[vertex] != PAL_NONE;
    if (inside ? apart->inside[vertex] != other || distance > apart->reach
               : distance >= NEARLY * apart->separation)
        return;
    double facing = pal_vec3_dot(pal_apart_facet_normal(apart, facet), apart->normal[vertex]);
    // what does not face the vertex is no way out, and on its own object a part of the same side
    if (facing >= 0 && (inside || surface->vertex_object[vertex] == other))
        return;
    double score = distance + PREFER * apart->separation * (1 + facing);
    if (apart->facet[vertex] == PAL_NONE || score < apart->score[vertex]) {
        apart->facet[vertex] = facet;
        apart->score[vertex] = score;
    }
}

static void find_facets(PalApart *apart)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        apart->facet[v] = PAL_NONE;
    for (int32_t p = 0; p < apart->pairs.count; ++p) {
        const int32_t facets[2] = {apart->pairs.items[p].a, apart->pairs.items[p].b};
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < 3; ++k) {
                int32_t v = surface->facets[facets[side]][k];
                if (surface->vertex_owner[v] == facets[side])
                    consider(apart, v, facets[1 - side]);
            }
    }
}

PalStatus pal_apart_look(PalApart *apart, PalError *error)
{
    find_normals(apart);
    find_boxes(apart);
    PAL_TRY(pal_apart_find_inside(apart, error));
    PalSweepDef def = {apart->surface, apart->surface->start, apart->friction, apart->reach};
    apart->pairs.count = 0;
    PAL_TRY(pal_sweep(&def, add_pair, apart, error));
    if (apart->no_memory)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to look for overlaps");
    find_facets(apart);
    return PAL_OK;
}

PalGap pal_apart_vertex(const PalApart *apart, int32_t vertex)
{
    int32_t facet = apart->facet[vertex];
    const int32_t *v = apart->surface->facets[facet];
    double weights[3], distance = distance_to(apart, vertex, facet, weights);
    PalGap gap = {.kind = PAL_CONTACT_NODE_FACET,
                  .count = 4,
                  .vertices = {vertex, v[0], v[1], v[2]},
                  .weights = {1, -weights[0], -weights[1], -weights[2]},
                  .distance = distance};
    PalVec3 normal = pal_apart_facet_normal(apart, facet);
    gap.apart = pal_gap_difference(&gap, apart->surface->start);
    bool inside = apart->inside[vertex] != PAL_NONE;
    if (!inside && distance > TOUCHING * apart->separation) {
        gap.normal = pal_vec3_scale(1 / distance, gap.apart);
        gap.along = distance;
        return gap;
    }
    bool faces = pal_vec3_dot(normal, apart->normal[vertex]) < 0;
    gap.normal = faces ? normal : pal_vec3_scale(-1, apart->normal[vertex]);
    gap.along = pal_vec3_dot(gap.apart, gap.normal);
    return gap;
}

// Outward at an edge: the sum of the facets' normals.
static PalVec3 edge_normal(const PalApart *apart, int32_t edge)
{
    const int32_t *facets = apart->surface->edge_facets[edge];
    PalVec3 normal = pal_apart_facet_normal(apart, facets[0]);
    if (facets[1] != PAL_NONE)
        normal = pal_vec3_add(normal, pal_apart_facet_normal(apart, facets[1]));
    return pal_vec3_normalise(normal);
}

bool pal_apart_edges(const PalApart *apart, PalFacetPair pair, int k, PalGap *gap)
{
    const PalContactSurface *surface = apart->surface;
    int32_t a = surface->facet_edges[pair.a][k / 3], b = surface->facet_edges[pair.b][k % 3];
    if (surface->edge_owner[a] != pair.a || surface->edge_owner[b] != pair.b)
        return false;
    const int32_t *i = surface->edges[a], *j = surface->edges[b];
    *gap =
        (PalGap){.kind = PAL_CONTACT_EDGE_EDGE, .count = 4, .vertices = {i[0], i[1], j[0], j[1]}};
    const PalVec3 p = surface->start[i[0]], q = surface->start[i[1]];
    const PalVec3 r = surface->start[j[0]], s = surface->start[j[1]];
    double along[2];
    bool interior[2];
    gap->distance = pal_closest_on_edges(p, q, r, s, along, interior);
    if (!interior[0] || !interior[1] || gap->distance > apart->reach)
        return false;
    PalVec3 first = pal_vec3_sub(q, p), second = pal_vec3_sub(s, r);
    PalVec3 normal = pal_vec3_cross(first, second);
    if (pal_vec3_length(normal) < 1e-3 * pal_vec3_length(first) * pal_vec3_length(second))
        return false;
    PalVec3 outward = pal_vec3_sub(edge_normal(apart, b), edge_normal(apart, a));
    normal = pal_vec3_normalise(normal);
    gap->normal = pal_vec3_dot(normal, outward) >= 0 ? normal : pal_vec3_scale(-1, normal);
    gap->weights[0] = 1 - along[0];
    gap->weights[1] = along[0];
    gap->weights[2] = along[1] - 1;
    gap->weights[3] = -along[1];
    gap->apart = pal_gap_difference(gap, surface->start);
    gap->along = pal_vec3_dot(gap->apart, gap->normal);
    return true;
}
