// Which sides may come near each other on the way of a correction, how far they are from each other
// in a shape, and how much of the way is free.
#include "base/parallel.h"
#include "contact/response/barrier/barrier.h"

#include <palpate/geometry.h>

#include <math.h>

#define CHUNK    128   // items of one task
#define KEEP     0.1   // of its distance, that every item keeps on the way of one correction
#define PARALLEL 1e-3  // square of the sine below which edges count as nearly parallel
#define SOFT     0.04  // see pal_barrier_stiffness

typedef PAL_ARRAY(PalBarrierItem) Items;

// Is one side always farther from the other than the range, along some axis?
static bool far_apart(const PalContactSurface *surface, const PalFeatures *features, double range)
{
    int split = pal_kind_split(features->kind);
    for (int i = 0; i < 3; ++i) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 4; ++k) {
            double a = (&surface->start[features->vertices[k]].x)[i];
            double b = (&surface->end[features->vertices[k]].x)[i];
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
static double stiffness_of(const PalContact *contact, const int32_t objects[2])
{
    const PalTrial *trial = contact->trial;
    const PalBarrier *barrier = pal_barrier_of(contact);
    double softer = fmin(trial->stiffness[objects[0]], trial->stiffness[objects[1]]);
    return contact->def.stiffness * SOFT * softer * contact->edge / barrier->range;
}

static bool add_pair(PalContact *contact, PalFacetPair pair)
{
    const PalContactSurface *surface = contact->surface;
    PalBarrier *barrier = pal_barrier_of(contact);
    PalFeatures features[PAL_FEATURES_OF_PAIR];
    int32_t places[PAL_FEATURES_OF_PAIR];
    const int32_t objects[2] = {surface->facet_object[pair.a], surface->facet_object[pair.b]};
    int32_t count = pal_features_of_pair(surface, pair.a, pair.b, features, places);
    double friction = pal_contact_friction(contact, objects[0], objects[1]);
    double stiffness = stiffness_of(contact, objects);
    for (int32_t i = 0; i < count; ++i) {
        if (far_apart(surface, &features[i], barrier->range))
            continue;
        PalBarrierItem item = {.key = {{pair.a, pair.b}, places[i]},
                               .features = features[i],
                               .friction = friction,
                               .stiffness = stiffness};
        if (features[i].kind == PAL_CONTACT_EDGE_EDGE)
            item.parallel = PARALLEL * barrier->edge_length2[features[i].items[0]] *
                            barrier->edge_length2[features[i].items[1]];
        if (!pal_array_push(&barrier->items, item))
            return false;
    }
    return true;
}

PalStatus pal_barrier_look(PalContact *contact, PalError *error)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    const PalSearch *search = contact->search;
    bool good = true;
    barrier->items.count = 0;
    for (int32_t p = 0; p < search->pair_count && good; ++p)
        good = add_pair(contact, search->pairs[p]);
    barrier->pushes.count = barrier->parts.count = 0;
    good = good && pal_array_reserve(&barrier->pushes, barrier->items.count) &&
           pal_array_reserve(&barrier->parts, barrier->items.count);
    if (!good)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    barrier->pushes.count = barrier->parts.count = barrier->items.count;
    PalCounters *counters = &contact->trial->meter->counters;
    for (int32_t i = 0; i < barrier->items.count; ++i)
        *(barrier->items.items[i].features.kind == PAL_CONTACT_NODE_FACET ? &counters->node_facet
                                                                          : &counters->edge_edge) +=
            1;
    return pal_barrier_find(contact, error);
}

// ---- distances --------------------------------------------------------------------------

static void find_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const PalContact *contact = context;
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t end = (chunk + 1) * CHUNK;
    for (int32_t i = chunk * CHUNK; i < end && i < barrier->items.count; ++i) {
        PalVec3 points[4];
        bool broken;
        pal_barrier_points(contact, &barrier->items.items[i].features, points);
        barrier->pushes.items[i] =
            pal_barrier_push(&barrier->items.items[i], points, barrier->range, &broken);
        if (broken)
            barrier->pushes.items[i].near.distance = 0;
    }
}

PalStatus pal_barrier_find(PalContact *contact, PalError *error)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t chunks = (barrier->items.count + CHUNK - 1) / CHUNK;
    pal_parallel_for(contact->trial->thread_count, chunks, find_chunk, contact);
    barrier->closest = PAL_NONE;
    double least = INFINITY;
    for (int32_t i = 0; i < barrier->items.count; ++i)
        if (barrier->pushes.items[i].near.distance < least) {
            least = barrier->pushes.items[i].near.distance;
            barrier->closest = i;
        }
    if (least > 0)
        return PAL_OK;
    return pal_error_set(error, PAL_SIM_FAILED, "two surfaces touch");
}

// ---- the free part ----------------------------------------------------------------------

// Along a fixed direction the distance of two sets of points that move straight is concave in time.
static bool stays_apart(const PalFeatures *features, PalVec3 normal, const PalVec3 from[4],
                        const PalVec3 to[4], double least)
{
    int split = pal_kind_split(features->kind);
    const PalVec3 *sets[2] = {from, to};
    for (int when = 0; when < 2; ++when) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 4; ++k) {
            double along = pal_vec3_dot(normal, pal_vec3_sub(sets[when][k], from[0]));
            if (k < split)
                low = fmin(low, along);
            else
                high = fmax(high, along);
        }
        if (!(low - high > least))
            return false;
    }
    return true;
}

static double free_part(PalContact *contact, int32_t index)
{
    const PalBarrier *barrier = pal_barrier_of(contact);
    const PalContactSurface *surface = contact->surface;
    const PalFeatures *features = &barrier->items.items[index].features;
    const PalNearness *near = &barrier->pushes.items[index].near;
    PalVec3 from[4], to[4];
    double time = 1, least = KEEP * near->distance;
    for (int k = 0; k < 4; ++k) {
        from[k] = surface->start[features->vertices[k]];
        to[k] = surface->end[features->vertices[k]];
    }
    if (stays_apart(features, near->normal, from, to, least))
        return 1;
    bool hit = features->kind == PAL_CONTACT_NODE_FACET
                   ? pal_ccd_vertex_face(from, to, least, &time)
                   : pal_ccd_edge_edge(from, to, least, &time);
    return hit ? time : 1;
}

static void free_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    PalContact *contact = context;
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t end = (chunk + 1) * CHUNK;
    for (int32_t i = chunk * CHUNK; i < end && i < barrier->items.count; ++i)
        barrier->parts.items[i] = free_part(contact, i);
}

double pal_barrier_filter(PalContact *contact)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t chunks = (barrier->items.count + CHUNK - 1) / CHUNK;
    pal_parallel_for(contact->trial->thread_count, chunks, free_chunk, contact);
    double part = 1;
    for (int32_t i = 0; i < barrier->items.count; ++i)
        part = fmin(part, barrier->parts.items[i]);
    contact->report.queries += barrier->items.count;
    return part;
}
