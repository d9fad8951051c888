// Which sides may come near each other on the way of a correction, how far they are from each other
// in a shape, and how much of the way is free.
#include "base/parallel.h"
#include "contact/response/barrier/barrier.h"

#include <palpate/geometry.h>

#include <math.h>

#define CHUNK 128  // items of one task
#define KEEP  0.1  // of its distance, or of the range, that every item keeps in one correction

PalStatus pal_barrier_look(PalContact *contact, PalError *error)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    PAL_TRY(pal_barrier_list(contact, error));
    int32_t count = barrier->items.count;
    barrier->pushes.count = barrier->parts.count = 0;
    if (!pal_array_reserve(&barrier->pushes, count) || !pal_array_reserve(&barrier->parts, count))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    barrier->pushes.count = barrier->parts.count = count;
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
    pal_barrier_count(barrier);
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
    if (barrier->items.items[index].kind > PAL_NEAR_EDGES)
        return 1;  // facets tell
    double time = 1, least = KEEP * fmin(near->distance, barrier->range);
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
