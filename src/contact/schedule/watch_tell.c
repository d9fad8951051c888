// What is foreseen of pairs that are not far any more: the successive earliest times of a queue
// that goes down their trees. Nothing but words comes of it: contact looks by distances.
#include "base/memory.h"
#include "contact/schedule/watch.h"
#include "geometry/sphere_meeting.h"
#include "math/range.h"
#include "math/spin.h"

#define AHEAD_TURNING 8  // times what is certain: as far ahead is foreseen where something turns

// How fast an object turns, as its vertices move in the step: the spin that fits them best.
static PalVec3 spin_of(const PalOutlook *watch, int32_t object)
{
    const PalContactSurface *surface = watch->surface;
    int32_t first = surface->object_first_vertex[object];
    int32_t end = surface->object_first_vertex[object + 1];
    PalVec3 centre = {0, 0, 0}, shift = {0, 0, 0};
    for (int32_t v = first; v < end; ++v) {
        centre = pal_vec3_add_scaled(centre, 1.0 / (end - first), surface->start[v]);
        shift = pal_vec3_add_scaled(shift, 1.0 / (end - first),
                                    pal_vec3_sub(surface->end[v], surface->start[v]));
    }
    PalSpinFit fit = {0};
    for (int32_t v = first; v < end; ++v)
        pal_spin_fit_add(&fit, pal_vec3_sub(surface->start[v], centre),
                         pal_vec3_sub(pal_vec3_sub(surface->end[v], surface->start[v]), shift));
    return pal_vec3_scale(1 / watch->motion->step, pal_spin_fit_solve(&fit));
}

// Of the step, by the tree of the object. Less than rounding is no turning.
static PalFlyer flyer_of(PalOutlook *watch, int32_t object)
{
    const PalWatched *watched = &watch->objects[object];
    pal_watched_fit_tree(watch, object);
    PalFlyer flyer = {.tree = watched->tree, .triangles = watched->triangles};
    flyer.triangles.end = watch->surface->end;
    if (watched->known)
        flyer.acceleration = watched->flight.acceleration;
    PalVec3 spin = spin_of(watch, object);
    double square = pal_vec3_dot(spin, spin), step = watch->motion->step;
    if (square * step * step > 1e-18)
        flyer.turning = square * watched->tree->spheres[pal_sphere_tree_root(watched->tree)].radius;
    return flyer;
}

// Pairs that are far come later than this, and what may touch itself.
static double least_of_others(const PalOutlook *watch)
{
    double least = pal_watch_self_next(watch);
    for (int32_t i = 0; i < watch->queue_count; ++i)
        least = fmin(least, watch->pairs[watch->queue[i]].due);
    return least;
}

// No later than until when distances let them sleep, and some times that.
static double certain(const PalOutlook *watch)
{
    double least = INFINITY;
    for (int32_t i = 0; i < watch->active_count; ++i) {
        const PalWatchedPair *pair = &watch->pairs[watch->active[i]];
        double time = pair->sleep == PAL_PAIR_NEAR ? pair->due : watch->end;
        least = fmin(least, pal_max(time, watch->end) - watch->start);
    }
    return watch->start + AHEAD_TURNING * least;
}

static PalStatus descend(PalOutlook *watch, PalFlyer *flyers, PalFlyerPair *pairs, PalError *error)
{
    bool turning = false;
    for (int32_t i = 0; i < watch->active_count; ++i) {
        const PalWatchedPair *pair = &watch->pairs[watch->active[i]];
        const int32_t objects[2] = {pair->a, pair->b};
        for (int k = 0; k < 2; ++k) {
            PalFlyer *flyer = &flyers[objects[k]];
            if (flyer->tree != NULL)
                continue;
            *flyer = flyer_of(watch, objects[k]);
            turning |= flyer->turning > 0;
            PAL_TRY(pal_flyer_create(flyer, watch->motion->step, error));
        }
        pairs[i] =
            (PalFlyerPair){&flyers[pair->a], &flyers[pair->b], pal_watch_balls_meet(watch, pair)};
    }
    PalMeeting *meeting = &watch->telling->meeting;
    double horizon = watch->start + PAL_HORIZON * watch->motion->step;
    meeting->start = watch->start;
    meeting->step = watch->motion->step;
    meeting->end = fmin(least_of_others(watch), turning ? certain(watch) : horizon);
    return pal_meeting_find(meeting, pairs, watch->active_count, error);
}

// Pairs that sleep by distance are told with the time that was found.
static void keep_times(PalOutlook *watch)
{
    const PalMeeting *meeting = &watch->telling->meeting;
    for (int32_t i = 0; i < watch->active_count; ++i) {
        PalWatchedPair *pair = &watch->pairs[watch->active[i]];
        if (pair->sleep != PAL_PAIR_NEAR || !(meeting->time > pair->due))
            continue;
        pair->due = meeting->time;
        pair->flies = true;
    }
    for (int32_t i = 0; i < meeting->times.count; ++i)
        meeting->times.items[i] += watch->ahead;
}

void pal_watch_tell(PalOutlook *watch)
{
    PalMeeting *meeting = &watch->telling->meeting;
    size_t objects = (size_t)watch->object_count, pairs = (size_t)watch->active_count;
    PalFlyer *flyers = pal_alloc(objects, sizeof *flyers);
    PalFlyerPair *flights = pal_alloc(pairs, sizeof *flights);
    PalError error = {0};
    bool good =
        flyers != NULL && flights != NULL && descend(watch, flyers, flights, &error) == PAL_OK;
    if (good)
        keep_times(watch);
    else
        meeting->times.count = 0;  // without memory there is less to tell
    for (size_t o = 0; flyers != NULL && o < objects; ++o)
        pal_flyer_clear(&flyers[o]);
    pal_free(flyers);
    pal_free(flights);
}
