// Lists of what may come near: vertices and facets, and edges; with the vertices and edges, and
// vertices and vertices, by which those that facets share are not counted twice.
#include "contact/response/barrier/barrier.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

#define PARALLEL 1e-3  // square of the sine below which edges count as nearly parallel
#define SOFT     0.04  // see pal_barrier_stiffness

enum { VERTEX_EDGE_PLACE = 15, VERTICES_PLACE = 33 };  // in a pair, behind its features

// ---- items ------------------------------------------------------------------------------

// Is one side always farther from the other than the range, along some axis?
static bool far_apart(const PalContactSurface *surface, const PalBarrierItem *item, double range)
{
    const PalFeatures *features = &item->features;
    int split = item->kind == PAL_NEAR_EDGES ? 2 : 1;
    for (int i = 0; i < 3; ++i) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 4; ++k) {
            double a = pal_vec3_at(surface->start[features->vertices[k]], i);
            double b = pal_vec3_at(surface->end[features->vertices[k]], i);
            low[k >= split] = fmin(low[k >= split], fmin(a, b));
            high[k >= split] = fmax(high[k >= split], fmax(a, b));
        }
        if (low[0] - high[1] > range || low[1] - high[0] > range)
            return true;
    }
    return false;
}

// So that half the range is left where a force moves a node of the softer side by a small part of
// an edge: force(range / 2) = 1.19 k range.
double pal_barrier_stiffness(const PalContact *contact, int32_t a, int32_t b)
{
    const PalTrial *trial = contact->trial;
    const PalBarrier *barrier = pal_barrier_of(contact);
    double softer = fmin(trial->stiffness[a], trial->stiffness[b]);
    return contact->def.stiffness * SOFT * softer * contact->edge / barrier->range;
}

static bool add(PalContact *contact, PalBarrierItem *item)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    if (far_apart(contact->surface, item, barrier->range))
        return true;
    for (int k = 0; k < 6; ++k)
        item->joints[k] = PAL_NONE;
    PalCounters *counters = &contact->trial->meter->counters;
    if (item->kind > PAL_NEAR_EDGES) {
        PalJoint joint = {(int32_t)item->kind, item->features.items[0], item->features.items[1],
                          barrier->items.count};
        if (!pal_array_push(&barrier->joints, joint))
            return false;
    } else {
        *(item->kind == PAL_NEAR_EDGES ? &counters->edge_edge : &counters->node_facet) += 1;
    }
    return pal_array_push(&barrier->items, *item);
}

static bool has_vertex(const PalContactSurface *surface, int32_t facet, int32_t vertex)
{
    for (int k = 0; k < 3; ++k)
        if (pal_contact_surface_same(surface, surface->facets[facet][k], vertex))
            return true;
    return false;
}

// A vertex of the first facet and an edge of the second that facets share.
static bool add_vertex_edge(PalContact *contact, PalBarrierItem *item, int32_t vertex, int32_t edge)
{
    const PalContactSurface *surface = contact->surface;
    const int32_t *facets = surface->edge_facets[edge], *ends = surface->edges[edge];
    if (facets[0] == PAL_NONE || facets[1] == PAL_NONE || has_vertex(surface, facets[0], vertex) ||
        has_vertex(surface, facets[1], vertex))
        return true;
    item->kind = PAL_NEAR_VERTEX_EDGE;
    item->features = (PalFeatures){.kind = PAL_CONTACT_NODE_FACET,
                                   .items = {vertex, edge},
                                   .vertices = {vertex, ends[0], ends[1], ends[1]}};
    return add(contact, item);
}

static bool add_vertices(PalContact *contact, PalBarrierItem *item, int32_t vertex, int32_t other)
{
    const PalContactSurface *surface = contact->surface;
    const PalLists *around = &surface->vertex_facets;
    if (!pal_barrier_of(contact)->inner[other])
        return true;
    for (int32_t i = around->start[other]; i < around->start[other + 1]; ++i)
        if (has_vertex(surface, around->items[i], vertex))
            return true;
    item->kind = PAL_NEAR_VERTICES;
    item->features = (PalFeatures){.kind = PAL_CONTACT_NODE_FACET,
                                   .items = {vertex, other},
                                   .vertices = {vertex, other, other, other}};
    return add(contact, item);
}

// Of the vertices that one facet answers for, and the edges and vertices that the other does.
static bool add_shared(PalContact *contact, PalBarrierItem *item, int32_t from, int32_t to,
                       int side)
{
    const PalContactSurface *surface = contact->surface;
    bool good = true;
    for (int k = 0; k < 9 && good; ++k) {
        int32_t vertex = surface->facets[from][k / 3], edge = surface->facet_edges[to][k % 3];
        int32_t other = surface->facets[to][k % 3];
        const int32_t four[4] = {vertex, other, other, other};
        if (surface->vertex_owner[vertex] != from || pal_contact_surface_follows(surface, four, 1))
            continue;
        item->key.place = VERTEX_EDGE_PLACE + 9 * side + k;
        if (surface->edge_owner[edge] == to)
            good = add_vertex_edge(contact, item, vertex, edge);
        item->key.place = VERTICES_PLACE + 9 * side + k;
        if (good && surface->vertex_owner[other] == to)
            good = add_vertices(contact, item, vertex, other);
    }
    return good;
}

static bool add_pair(PalContact *contact, PalFacetPair pair)
{
    const PalContactSurface *surface = contact->surface;
    const PalBarrier *barrier = pal_barrier_of(contact);
    PalFeatures features[PAL_FEATURES_OF_PAIR];
    int32_t places[PAL_FEATURES_OF_PAIR];
    const int32_t objects[2] = {surface->facet_object[pair.a], surface->facet_object[pair.b]};
    int32_t count = pal_features_of_pair(surface, pair.a, pair.b, features, places);
    double stiffness = pal_barrier_stiffness(contact, objects[0], objects[1]);
    PalBarrierItem item = {.key = {{pair.a, pair.b}, 0},
                           .friction = pal_contact_friction(contact, objects[0], objects[1])};
    bool good = true;
    for (int32_t i = 0; i < count && good; ++i) {
        const int32_t *of = features[i].items;
        item.key.place = places[i];
        item.features = features[i];
        item.stiffness = stiffness;
        item.kind = PAL_NEAR_VERTEX_FACET;
        if (features[i].kind == PAL_CONTACT_EDGE_EDGE) {
            item.kind = PAL_NEAR_EDGES;
            item.parallel = PARALLEL * barrier->edge_length2[of[0]] * barrier->edge_length2[of[1]];
        }
        good = add(contact, &item);
    }
    item.stiffness = stiffness;
    return good && add_shared(contact, &item, pair.a, pair.b, 0) &&
           add_shared(contact, &item, pair.b, pair.a, 1);
}

// ---- joints -----------------------------------------------------------------------------

static int compare_joints(const void *left, const void *right)
{
    const PalJoint *p = left, *q = right;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static int32_t find_joint(const PalBarrier *barrier, PalNearKind kind, int32_t a, int32_t b)
{
    PalJoint wanted = {(int32_t)kind, a, b, 0};
    if (barrier->joints.count == 0)
        return PAL_NONE;
    const PalJoint *found = bsearch(&wanted, barrier->joints.items, (size_t)barrier->joints.count,
                                    sizeof wanted, compare_joints);
    return found != NULL ? found->index : PAL_NONE;
}

static void join(const PalContactSurface *surface, PalBarrier *barrier)
{
    if (barrier->joints.count > 1)
        qsort(barrier->joints.items, (size_t)barrier->joints.count, sizeof(PalJoint),
              compare_joints);
    for (int32_t i = 0; i < barrier->items.count; ++i) {
        PalBarrierItem *item = &barrier->items.items[i];
        int32_t vertex = item->features.items[0], other = item->features.items[1];
        for (int k = 0; k < 3 && item->kind == PAL_NEAR_VERTEX_FACET; ++k) {
            item->joints[k] =
                find_joint(barrier, PAL_NEAR_VERTEX_EDGE, vertex, surface->facet_edges[other][k]);
            item->joints[3 + k] =
                find_joint(barrier, PAL_NEAR_VERTICES, vertex, surface->facets[other][k]);
        }
        for (int k = 0; k < 2 && item->kind == PAL_NEAR_VERTEX_EDGE; ++k)
            item->joints[k] =
                find_joint(barrier, PAL_NEAR_VERTICES, vertex, surface->edges[other][k]);
    }
}

PalStatus pal_barrier_list(PalContact *contact, PalError *error)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    const PalSearch *search = contact->search;
    bool good = true;
    barrier->items.count = barrier->joints.count = 0;
    for (int32_t p = 0; p < search->pair_count && good; ++p)
        good = add_pair(contact, search->pairs[p]);
    if (!good)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    join(contact->surface, barrier);
    return PAL_OK;
}

// ---- counts -----------------------------------------------------------------------------

// A facet whose closest point is on an edge or a corner counts there.
static int32_t joint_of(const PalBarrierItem *item, PalFeature feature)
{
    if (item->kind == PAL_NEAR_VERTEX_FACET && feature != PAL_FEATURE_FACE)
        return feature >= PAL_FEATURE_EDGE_0 ? item->joints[(int)feature - PAL_FEATURE_EDGE_0]
                                             : item->joints[3 + (int)feature];
    if (item->kind == PAL_NEAR_VERTEX_EDGE && feature < PAL_FEATURE_EDGE_0)
        return item->joints[(int)feature];
    return PAL_NONE;
}

static void hand_on(PalBarrier *barrier, PalNearKind kind)
{
    for (int32_t i = 0; i < barrier->items.count; ++i) {
        PalBarrierPush *push = &barrier->pushes.items[i];
        const PalBarrierItem *item = &barrier->items.items[i];
        if (item->kind != kind || !push->acts)
            continue;
        int32_t joint = joint_of(item, push->near.feature);
        if (joint == PAL_NONE || !barrier->pushes.items[joint].acts)
            continue;
        barrier->pushes.items[joint].count += push->count;
        push->count = 0;
    }
}

void pal_barrier_count(PalBarrier *barrier)
{
    for (int32_t i = 0; i < barrier->items.count; ++i)
        barrier->pushes.items[i].count =
            barrier->items.items[i].kind == PAL_NEAR_VERTEX_EDGE ? -1 : 1;
    hand_on(barrier, PAL_NEAR_VERTEX_FACET);
    hand_on(barrier, PAL_NEAR_VERTEX_EDGE);
    for (int32_t i = 0; i < barrier->items.count; ++i) {
        PalBarrierPush *push = &barrier->pushes.items[i];
        push->acts = push->acts && push->count != 0;
        push->energy *= push->count;
        push->force *= push->count;
        push->slope *= push->count;
    }
}
