// When each pair of objects may come near each other.
#include "contact/schedule/watch.h"

#define FAR_STEPS  8     // pairs whose balls are nearer than so many steps' travel are measured
#define PARTED     4     // balls this many times farther apart than FAR_STEPS part for good
#define SPARE      0.25  // of the gap to the nearest ball: what an object may stray
#define LEAST_PART 1e-6  // of its radius: what a rigid object may stray at least
#define MORE       4     // times as much, when it does
#define FASTER     1.5   // times as fast as it was: it does not fly any more as foreseen
#define HORIZON    1e6   // steps ahead that are foreseen
#define FIRST      8     // steps until a pair that is awake is measured again
#define LAST       512

// What it costs to compare two facets, and to fit a tree to a facet, in comparisons of two spheres,
// which are about what a facet costs that is looked at. A pair sleeps only if that is worth it.
#define FACETS_COST 50
#define FIT_COST    3
#define STEPS_MOST  1000

static double travels(const PalWatch *watch, const PalWatchedPair *pair)
{
    return watch->objects[pair->a].travel + watch->objects[pair->b].travel;
}

// ---- from one state to another ----------------------------------------------------------

static void leave(PalWatch *watch, int32_t p)
{
    PalWatchedPair *pair = &watch->pairs[p];
    if (pair->sleep == PAL_PAIR_FAR) {
        pal_watch_dequeue(watch, p);
        return;
    }
    watch->awake_count -= pair->sleep == PAL_PAIR_AWAKE;
    int32_t last = watch->active[--watch->active_count];
    watch->active[pair->place] = last;
    watch->pairs[last].place = pair->place;
}

static void become(PalWatch *watch, int32_t p, PalPairSleep sleep)
{
    PalWatchedPair *pair = &watch->pairs[p];
    if (pair->sleep == sleep) {
        if (sleep == PAL_PAIR_FAR)
            pal_watch_requeue(watch, p);
        return;
    }
    leave(watch, p);
    pair->sleep = sleep;
    if (sleep == PAL_PAIR_FAR) {
        pal_watch_enqueue(watch, p);
        return;
    }
    watch->awake_count += sleep == PAL_PAIR_AWAKE;
    pair->place = watch->active_count;
    watch->active[watch->active_count++] = p;
}

static void wake(PalWatch *watch, int32_t p)
{
    PalWatchedPair *pair = &watch->pairs[p];
    bool again = pair->sleep == PAL_PAIR_AWAKE;
    pair->interval = !again ? FIRST : pair->interval < LAST ? 2 * pair->interval : LAST;
    pair->review = watch->step_count + pair->interval;
    become(watch, p, PAL_PAIR_AWAKE);
}

// ---- far --------------------------------------------------------------------------------

static double gap_now(const PalWatch *watch, const PalWatchedPair *pair)
{
    return pal_flights_gap(&watch->objects[pair->a].flight, &watch->objects[pair->b].flight,
                           watch->start) -
           watch->reach;
}

// A soft object has to be looked at after some steps; a rigid one tells in each step where it is.
static double room_for(const PalWatched *watched)
{
    return (watched->rigid == PAL_NONE ? FAR_STEPS : 1) * watched->travel;
}

static bool is_far(const PalWatch *watch, const PalWatchedPair *pair, double times)
{
    const PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    return a->known && b->known && gap_now(watch, pair) > times * (room_for(a) + room_for(b));
}

// The root, by flights as they are, with so much to spare.
static double meeting_time(const PalWatch *watch, const PalWatchedPair *pair, double spare)
{
    double horizon = watch->start + HORIZON * (watch->end - watch->start);
    return fmin(pal_flights_meet(&watch->objects[pair->a].flight, &watch->objects[pair->b].flight,
                                 watch->reach + spare, watch->start, horizon),
                horizon);
}

// A bound first; the root when that is due.
static void foresee(PalWatch *watch, int32_t p, bool exact)
{
    PalWatchedPair *pair = &watch->pairs[p];
    const PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    double horizon = watch->start + HORIZON * (watch->end - watch->start);
    double spare = a->spare + b->spare;
    if (exact)
        pair->due = meeting_time(watch, pair, spare);
    else
        pair->due = fmin(pal_flights_meet_earliest(&a->flight, &b->flight, watch->reach + spare,
                                                   watch->start, horizon),
                         horizon);
    pair->exact = exact;
    become(watch, p, PAL_PAIR_FAR);
}

// ---- near -------------------------------------------------------------------------------

// How far the surfaces are apart decides whether the pair may sleep until both have gone as far.
static void measure(PalWatch *watch, int32_t p)
{
    PalWatchedPair *pair = &watch->pairs[p];
    const PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    double travel = travels(watch, pair), enough = watch->reach + pair->worth * travel;
    ++watch->measures;
    if (!isfinite(enough)) {
        wake(watch, p);
        return;
    }
    pal_watched_fit_tree(watch, pair->a);
    pal_watched_fit_tree(watch, pair->b);
    watch->search.tests = watch->search.facet_tests = 0;
    double distance =
        pal_sphere_distance(&watch->search, a->tree, &a->triangles, b->tree, &b->triangles, enough);
    double size = a->tree->facet_count + b->tree->facet_count;
    double cost = FACETS_COST * (double)watch->search.facet_tests + (double)watch->search.tests +
                  FIT_COST * size;
    if (!(distance > enough)) {
        wake(watch, p);
        return;
    }
    pair->worth = fmin(cost / size, STEPS_MOST);
    pair->pace = travel;
    pair->due = watch->start +
                (watch->end - watch->start) * fmin((distance - watch->reach) / travel, HORIZON);
    pair->flies = a->renewed_at == watch->step_count && b->renewed_at == watch->step_count;
    if (pair->flies)
        pair->due = fmax(pair->due, meeting_time(watch, pair, 0));
    pair->path_due = a->odometer + b->odometer - travel + (1 - 1e-9) * (distance - watch->reach);
    become(watch, p, PAL_PAIR_NEAR);
}

// ---- objects ----------------------------------------------------------------------------

// What a new flight may be off: a part of the gap to the nearest ball that is far.
static double choose_spare(PalWatch *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    double least = INFINITY;
    for (int32_t i = watch->object_start[object]; i < watch->object_start[object + 1]; ++i) {
        const PalWatchedPair *pair = &watch->pairs[watch->object_pairs[i]];
        if (is_far(watch, pair, 1))
            least = fmin(least, gap_now(watch, pair));
    }
    if (watched->rigid == PAL_NONE)
        return SPARE * least;
    double h = watch->end - watch->start;
    double base = LEAST_PART * watched->flight.radius +
                  h * h / 4 * pal_vec3_length(watched->flight.acceleration);
    return fmin(SPARE * least, fmax(base, watched->wish));
}

// The new flight of an object decides what it may stray, and when its pairs are due.
static void settle(PalWatch *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    watched->spare = choose_spare(watch, object);
    for (int32_t i = watch->object_start[object]; i < watch->object_start[object + 1]; ++i) {
        int32_t p = watch->object_pairs[i];
        const PalWatchedPair *pair = &watch->pairs[p];
        if (!watch->objects[pair->a].known || !watch->objects[pair->b].known)
            continue;  // it is due, and will be awake
        if (pair->sleep == PAL_PAIR_FAR ? is_far(watch, pair, 1) : is_far(watch, pair, PARTED))
            foresee(watch, p, false);
        else if (pair->sleep == PAL_PAIR_FAR)
            measure(watch, p);
    }
}

static void renew_both(PalWatch *watch, const PalWatchedPair *pair)
{
    const int32_t objects[2] = {pair->a, pair->b};
    bool old[2];
    for (int k = 0; k < 2; ++k) {
        old[k] = watch->objects[objects[k]].renewed_at != watch->step_count;
        pal_watched_renew(watch, objects[k]);
    }
    for (int k = 0; k < 2; ++k)
        if (old[k])
            settle(watch, objects[k]);
}

void pal_watch_strays(PalWatch *watch)
{
    for (int32_t o = 0; o < watch->object_count; ++o) {
        PalWatched *watched = &watch->objects[o];
        if (!watched->left)
            continue;
        if (watched->known && !watched->again)
            watched->wish = MORE * fmax(watched->wish, watched->spare);
        watched->again = !watched->measured;
        pal_watched_renew(watch, o);
    }
    for (int32_t o = 0; o < watch->object_count; ++o)
        if (watch->objects[o].left)
            settle(watch, o);
}

// ---- a step -----------------------------------------------------------------------------

// A pair that is far has become due: both get new flights, which may tell of a later time.
// Otherwise it is near now.
static void look_closer(PalWatch *watch, int32_t p)
{
    PalWatchedPair *pair = &watch->pairs[p];
    PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    if (!a->known || !b->known) {
        wake(watch, p);
        return;
    }
    if (!pair->exact) {
        foresee(watch, p, true);
        return;
    }
    if (a->renewed_at == watch->step_count && b->renewed_at == watch->step_count) {
        measure(watch, p);
        return;
    }
    a->wish /= MORE;
    b->wish /= MORE;
    renew_both(watch, pair);
}

// Near or awake: measured when it is time. One that has parted is far again, with new flights.
static void review(PalWatch *watch, int32_t p)
{
    PalWatchedPair *pair = &watch->pairs[p];
    bool due = pair->sleep == PAL_PAIR_AWAKE
                   ? watch->step_count >= pair->review
                   : !(watch->objects[pair->a].odometer + watch->objects[pair->b].odometer <
                       pair->path_due);
    if (!due)
        return;
    measure(watch, p);
    if (pair->sleep != PAL_PAIR_NEAR)
        return;
    const PalSphereTree *a = watch->objects[pair->a].tree, *b = watch->objects[pair->b].tree;
    const PalSphere *first = &a->spheres[pal_sphere_tree_root(a)];
    const PalSphere *second = &b->spheres[pal_sphere_tree_root(b)];
    double gap = pal_vec3_distance(first->centre, second->centre) - first->radius - second->radius;
    if (gap > watch->reach + PARTED * FAR_STEPS * travels(watch, pair))
        renew_both(watch, pair);
}

bool pal_watch_pairs(PalWatch *watch)
{
    for (int32_t i = watch->active_count - 1; i >= 0; --i)
        if (i < watch->active_count)
            review(watch, watch->active[i]);
    while (watch->queue_count > 0 && !(watch->pairs[watch->queue[0]].due > watch->end))
        look_closer(watch, watch->queue[0]);
    return watch->awake_count > 0;
}

// When a pair that is near was found to be due, unless it has become faster.
static double near_time(const PalWatch *watch, const PalWatchedPair *pair)
{
    double travel = travels(watch, pair);
    if (travel <= (pair->flies ? FASTER : 1) * pair->pace)
        return pair->due;
    double left =
        pair->path_due - watch->objects[pair->a].odometer - watch->objects[pair->b].odometer;
    return fmin(pair->due, watch->end + (watch->end - watch->start) * left / travel);
}

double pal_watch_next(const PalWatch *watch)
{
    double least = INFINITY;
    if (watch->awake_count > 0)
        return watch->end;
    for (int32_t i = 0; i < watch->queue_count; ++i) {
        const PalWatchedPair *pair = &watch->pairs[watch->queue[i]];
        if (pair->due < least)
            least = fmin(least, meeting_time(watch, pair, 0));
    }
    for (int32_t i = 0; i < watch->active_count; ++i)
        least = fmin(least, near_time(watch, &watch->pairs[watch->active[i]]));
    return least;
}
