#include "contact/start/apart.h"

#include "base/memory.h"
#include "contact/surface/sweep.h"
#include "geometry/closest.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define REACH    0.75        // of the longer mean edge of two objects: deeper is too deep anyway
#define FIFTH    0.2         // of a free rigid body's radius: its edges may be as long as itself
#define TOUCHING 0.1         // of the separation: nearer than this, the gap has no direction
#define NEARLY   (1 - 1e-9)  // of the separation: what is so far apart is not told from it
#define SIDEWAYS 0.2         // cosine: what faces a vertex less than that is no way out of the deep
#define SLIGHT   1e-3        // of the automatic separation, for a response that keeps none
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
    apart->least_reach = INFINITY;
    for (int32_t object = 0; object < surface->object_count; ++object) {
        if (object >= surface->body_count && surface->object_free[object] == PAL_NONE)
            continue;
        int32_t first = surface->object_first_vertex[object];
        int32_t end = surface->object_first_vertex[object + 1];
        double sum = 0;
        for (int32_t v = first; v < end; ++v)
            sum += apart->edge[v];
        apart->reach[object] = REACH * sum / (end - first);
        apart->least_reach = fmin(apart->least_reach, apart->reach[object]);
    }
    if (!isfinite(apart->least_reach))
        apart->least_reach = 0;
}

// How far apart facets of two objects are looked at.
static double reach_between(const PalApart *apart, int32_t object, int32_t other)
{
    return fmax(apart->reach[object], apart->reach[other]) + apart->separation;
}

// Of a ball the radius is three times its volume over its surface.
static void measure_radii(PalApart *apart)
{
    const PalContactSurface *surface = apart->surface;
    const PalVec3 *x = surface->start;
    for (int32_t object = 0; object < surface->object_count; ++object) {
        double volume = 0, area = 0;
        PalVec3 origin = x[surface->object_first_vertex[object]];
        for (int32_t f = surface->object_first_facet[object];
             f < surface->object_first_facet[object + 1]; ++f) {
            const int32_t *v = surface->facets[f];
            PalVec3 a = pal_vec3_sub(x[v[0]], origin), b = pal_vec3_sub(x[v[1]], origin);
            PalVec3 c = pal_vec3_sub(x[v[2]], origin);
            volume += pal_vec3_dot(a, pal_vec3_cross(b, c)) / 6;
            area += pal_vec3_length(pal_vec3_cross(pal_vec3_sub(b, a), pal_vec3_sub(c, a))) / 2;
        }
        apart->radius[object] = area > 0 ? 3 * fabs(volume) / area : 0;
    }
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
    PAL_TRY(pal_pairs_create(def, apart->model, &apart->objects, error));
    size_t vertices = (size_t)apart->surface->vertex_count;
    size_t objects = (size_t)apart->surface->object_count;
    apart->edge = pal_alloc(vertices, sizeof *apart->edge);
    apart->radius = pal_alloc(objects, sizeof *apart->radius);
    apart->reach = pal_alloc(objects, sizeof *apart->reach);
    apart->reaches = pal_alloc((size_t)apart->surface->facet_count, sizeof *apart->reaches);
    apart->normal = pal_alloc(vertices, sizeof *apart->normal);
    apart->inside = pal_alloc(vertices, sizeof *apart->inside);
    apart->facet = pal_alloc(vertices, sizeof *apart->facet);
    apart->score = pal_alloc(vertices, sizeof *apart->score);
    apart->nearest = pal_alloc(vertices, sizeof *apart->nearest);
    apart->box = pal_alloc(objects, sizeof *apart->box);
    apart->closed = pal_alloc(objects, sizeof *apart->closed);
    apart->holder = pal_alloc(objects, sizeof *apart->holder);
    apart->shift = pal_alloc(objects, sizeof *apart->shift);
    if (apart->radius == NULL || apart->reach == NULL || apart->reaches == NULL ||
        apart->edge == NULL || apart->normal == NULL || apart->inside == NULL ||
        apart->facet == NULL || apart->score == NULL || apart->nearest == NULL ||
        apart->box == NULL || apart->closed == NULL || apart->holder == NULL ||
        apart->shift == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to look for overlaps");
    PAL_TRY(pal_contact_separation(def, apart->surface, apart->objects, &apart->separation, error));
    if (!(def->separation > 0) && !pal_response_prevents_crossing(def->response))
        apart->separation *= SLIGHT;  // it keeps none
    measure_edges(apart);
    measure_radii(apart);
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
    pal_pairs_destroy(apart->objects);
    pal_free(apart->edge);
    pal_free(apart->radius);
    pal_free(apart->reach);
    pal_free(apart->reaches);
    pal_free(apart->base);
    pal_free(apart->smooth);
    pal_free(apart->normal);
    pal_free(apart->inside);
    pal_free(apart->facet);
    pal_free(apart->score);
    pal_free(apart->nearest);
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

// ---- how deep ---------------------------------------------------------------------------

static bool is_free(const PalApart *apart, int32_t object)
{
    return apart->surface->object_free[object] != PAL_NONE;
}

// Whose edge tells how deep a vertex may be: what is soft rather than what is rigid, and never an
// instrument, which stays.
static bool counts_itself(const PalApart *apart, int32_t vertex)
{
    int32_t object = apart->surface->vertex_object[vertex], other = apart->inside[vertex];
    return vertex < apart->surface->soft_vertex_count ||
           (is_free(apart, object) && other >= apart->surface->body_count);
}

// The mean edge around a vertex, or around the facet it is near.
static double edge_that_counts(const PalApart *apart, int32_t vertex, int32_t *object)
{
    const PalContactSurface *surface = apart->surface;
    *object = surface->vertex_object[vertex];
    if (counts_itself(apart, vertex))
        return apart->edge[vertex];
    *object = apart->inside[vertex];
    int32_t first = surface->object_first_vertex[*object], near = apart->facet[vertex];
    if (near == PAL_NONE) {  // nowhere near the surface
        int32_t end = surface->object_first_vertex[*object + 1];
        double sum = 0;
        for (int32_t v = first; v < end; ++v)
            sum += apart->edge[v];
        return sum / (end - first);
    }
    const int32_t *corners = surface->facets[near];
    return (apart->edge[corners[0]] + apart->edge[corners[1]] + apart->edge[corners[2]]) / 3;
}

double pal_apart_limit(const PalApart *apart, int32_t vertex, int32_t *object, bool *by_size)
{
    double limit = PAL_APART_DEEPEST * edge_that_counts(apart, vertex, object);
    bool soft = *object < apart->surface->body_count;
    double size = PAL_APART_SHALLOW * apart->radius[*object];
    *by_size = apart->wide && soft && size > limit;
    return *by_size ? size : limit;
}

// How far from a vertex inside another object to look for a way out.
static double reach_of(const PalApart *apart, int32_t vertex)
{
    int32_t own = apart->surface->vertex_object[vertex], other = apart->inside[vertex];
    double reach = reach_between(apart, own, other);
    if (!apart->wide)
        return reach;
    double size = fmax(own < apart->surface->body_count ? apart->radius[own] : 0,
                       other < apart->surface->body_count ? apart->radius[other] : 0);
    return fmax(fmax(reach, REACH * apart->edge[vertex] + apart->separation),
                REACH * 2 * PAL_APART_SHALLOW * size + apart->separation);
}

// Two facets together look at least as far as their objects must: beside the least of all reaches,
// each by how much farther its own one goes. Those with vertices inside look as far as these must.
static void set_reaches(PalApart *apart)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        double farthest = 0;
        for (int k = 0; k < 3 && apart->wide; ++k)
            if (apart->inside[surface->facets[f][k]] != PAL_NONE)
                farthest = fmax(farthest, reach_of(apart, surface->facets[f][k]));
        double more = apart->reach[surface->facet_object[f]] - apart->least_reach;
        apart->reaches[f] = fmax(0, more) + farthest;
    }
}

// ---- looking for facets -------------------------------------------------------------------

// Is this facet a better one to move the vertex away from?
static void consider(PalApart *apart, int32_t vertex, int32_t facet)
{
    const PalContactSurface *surface = apart->surface;
    double weights[3], distance = distance_to(apart, vertex, facet, weights);
    int32_t other = surface->facet_object[facet];
    bool inside = apart->inside[vertex] != PAL_NONE;
    if (inside ? apart->inside[vertex] != other || distance > reach_of(apart, vertex)
               : distance >= NEARLY * apart->separation)
        return;
    apart->nearest[vertex] = fmin(apart->nearest[vertex], distance);
    double facing = pal_vec3_dot(pal_apart_facet_normal(apart, facet), apart->normal[vertex]);
    // what does not face the vertex is no way out, and on its own object a part of the same side
    if (facing >= (apart->wide && inside ? -SIDEWAYS : 0) &&
        (inside || surface->vertex_object[vertex] == other))
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
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        apart->facet[v] = PAL_NONE;
        apart->nearest[v] = INFINITY;
    }
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

// A vertex without a way out of its own follows others of the same surface that have one. Those
// that are connected to none are beyond reach. A score that is not a number: not known yet.
static void find_followers(PalApart *apart)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        if (apart->facet[v] == PAL_NONE)
            apart->score[v] = isfinite(apart->nearest[v]) ? NAN : INFINITY;
    for (bool found = true; found;) {
        found = false;
        for (int32_t e = 0; e < surface->edge_count; ++e) {
            int32_t a = surface->edges[e][0], b = surface->edges[e][1];
            if (apart->inside[a] == PAL_NONE || apart->inside[a] != apart->inside[b] ||
                !(isfinite(apart->score[a]) ? isnan(apart->score[b])
                                            : isnan(apart->score[a]) && isfinite(apart->score[b])))
                continue;
            apart->score[isnan(apart->score[a]) ? a : b] = 0;
            found = true;
        }
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        if (isnan(apart->score[v]))
            apart->nearest[v] = INFINITY;
}

PalStatus pal_apart_look(PalApart *apart, PalError *error)
{
    find_normals(apart);
    find_boxes(apart);
    PAL_TRY(pal_apart_find_inside(apart, error));
    PalSweepDef def = {.surface = apart->surface,
                       .positions = apart->surface->start,
                       .pairs = apart->objects,
                       .reach = apart->least_reach + apart->separation,
                       .reaches = apart->reaches};
    set_reaches(apart);
    apart->pairs.count = 0;
    PAL_TRY(pal_sweep(&def, add_pair, apart, error));
    if (apart->no_memory)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to look for overlaps");
    find_facets(apart);
    if (apart->wide)
        find_followers(apart);
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
    double reach =
        reach_between(apart, surface->facet_object[pair.a], surface->facet_object[pair.b]);
    if (!interior[0] || !interior[1] || gap->distance > reach)
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
