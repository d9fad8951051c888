// When each pair of objects may come near each other.
#include "contact/schedule/watch.h"

#define FAR_STEPS  8     // pairs whose balls are nearer than so many steps' travel are measured
#define PARTED     4     // balls this many times farther apart than FAR_STEPS part for good
#define SPARE      0.25  // of the gap to the nearest ball: what an object may stray
#define LEAST_PART 1e-6  // of its radius: what a rigid object may stray at least
#define MORE       4     // times as much, when it does
#define FASTER     1.5   // times as fast as it was: it does not fly any more as foreseen
#define TIGHTENED  8     // times that a flight is made to spare less, until there is a new one
#define MANY       16    // objects with new flights

static double travels(const PalOutlook *watch, const PalWatchedPair *pair)
{
    return watch->objects[pair->a].travel + watch->objects[pair->b].travel;
}

// ---- from one state to another ----------------------------------------------------------

static void count(PalOutlook *watch, const PalWatchedPair *pair, int32_t change)
{
    watch->objects[pair->a].active_pairs += change;
    watch->objects[pair->b].active_pairs += change;
    if (pair->sleep != PAL_PAIR_AWAKE)
        return;
    watch->awake_count += change;
    watch->objects[pair->a].awake_pairs += change;
    watch->objects[pair->b].awake_pairs += change;
}

// It is to be measured in this step, or not.
static void ask_for(PalOutlook *watch, PalWatchedPair *pair, int32_t change)
{
    pair->asks = change > 0;
    watch->asking_count += change;
    watch->objects[pair->a].asking_pairs += change;
    watch->objects[pair->b].asking_pairs += change;
}

static void leave(PalOutlook *watch, int32_t p)
{
    PalWatchedPair *pair = &watch->pairs[p];
    if (pair->sleep == PAL_PAIR_FAR) {
        pal_watch_dequeue(watch, p);
        return;
    }
    if (pair->asks)
        ask_for(watch, pair, -1);
    count(watch, pair, -1);
    int32_t last = watch->active[--watch->active_count];
    watch->active[pair->place] = last;
    watch->pairs[last].place = pair->place;
}

static void become(PalOutlook *watch, int32_t p, PalPairSleep sleep)
{
    PalWatchedPair *pair = &watch->pairs[p];
    if (pair->sleep == sleep) {
        if (sleep == PAL_PAIR_FAR && !watch->loose)
            pal_watch_requeue(watch, p);
        return;
    }
    leave(watch, p);
    pair->sleep = sleep;
    if (sleep == PAL_PAIR_FAR) {
        pal_watch_enqueue(watch, p);
        return;
    }
    count(watch, pair, 1);
    pal_watched_follow(watch, pair->a);
    pal_watched_follow(watch, pair->b);
    pair->place = watch->active_count;
    watch->active[watch->active_count++] = p;
}

// The next time a pair that is awake is measured; to measure it has cost so much.
static void put_off(const PalOutlook *watch, PalWatchedPair *pair, double cost)
{
    pair->interval = pal_watch_interval(pair->interval, cost);
    pair->review = watch->step_count + pair->interval;
}

static void wake(PalOutlook *watch, int32_t p)
{
    PalWatchedPair *pair = &watch->pairs[p];
    if (pair->sleep != PAL_PAIR_AWAKE)
        pair->interval = 0;
    put_off(watch, pair, 0);
    become(watch, p, PAL_PAIR_AWAKE);
}

// ---- far --------------------------------------------------------------------------------

static double gap_now(const PalOutlook *watch, const PalWatchedPair *pair)
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

static bool is_far(const PalOutlook *watch, const PalWatchedPair *pair, double gap, double times)
{
    const PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    return a->known && b->known && gap > times * (room_for(a) + room_for(b));
}

// The root, by flights as they are, with so much to spare.
static double meeting_time(const PalOutlook *watch, const PalWatchedPair *pair, double spare)
{
    double horizon = watch->start + PAL_HORIZON * (watch->end - watch->start);
    return fmin(pal_flights_meet(&watch->objects[pair->a].flight, &watch->objects[pair->b].flight,
                                 watch->reach + spare, watch->start, horizon),
                horizon);
}

double pal_watch_balls_meet(const PalOutlook *watch, const PalWatchedPair *pair)
{
    const PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    double horizon = watch->start + PAL_HORIZON * (watch->end - watch->start);
    if (a->renewed_at != watch->step_count || b->renewed_at != watch->step_count || !a->known ||
        !b->known)
        return watch->start;
    return pal_flights_meet(&a->flight, &b->flight, 0, watch->start, horizon);
}

// A bound first; the root when that is due.
static void foresee(PalOutlook *watch, int32_t p, bool exact)
{
    PalWatchedPair *pair = &watch->pairs[p];
    const PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    double horizon = watch->start + PAL_HORIZON * (watch->end - watch->start);
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

static void keep_nearest(const PalOutlook *watch, PalWatchedPair *pair)
{
    pair->facets[0] = watch->search.facets[0];
    pair->facets[1] = watch->search.facets[1];
}

// What was nearest when they were last measured is still not far enough apart.
static bool still_near(PalOutlook *watch, const PalWatchedPair *pair, double enough)
{
    if (pair->facets[0] == PAL_NONE)
        return false;
    pal_watched_place(watch, pair->a, pair->facets[0]);
    pal_watched_place(watch, pair->b, pair->facets[1]);
    return pal_facet_distance(&watch->objects[pair->a].triangles, pair->facets[0],
                              &watch->objects[pair->b].triangles, pair->facets[1],
                              INFINITY) <= enough;
}

// One of the two does not take part in steps but for this pair: to let it sleep is worth something.
static bool is_worth_it(const PalOutlook *watch, const PalWatchedPair *pair)
{
    const PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    return a->awake_pairs == a->asking_pairs || b->awake_pairs == b->asking_pairs;
}

// The pair is awake at least until it is measured at the end of the schedule's work in this step,
// if that is worth it then.
static void consider(PalOutlook *watch, int32_t p)
{
    PalWatchedPair *pair = &watch->pairs[p];
    const PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    if (pair->asks)
        return;
    pal_watched_follow(watch, pair->a);
    pal_watched_follow(watch, pair->b);
    if (watch->telling != NULL && pair->sleep != PAL_PAIR_AWAKE)
        watch->telling->opened = true;
    double enough = watch->reach + pair->worth * travels(watch, pair);
    bool near = !isfinite(enough) || still_near(watch, pair, enough);
    if (!near && pair->facets[0] == PAL_NONE) {
        pal_watched_fit_tree(watch, pair->a);
        pal_watched_fit_tree(watch, pair->b);
        near =
            pal_sphere_near(&watch->search, a->tree, &a->triangles, b->tree, &b->triangles, enough);
        keep_nearest(watch, pair);
    }
    if (near) {
        wake(watch, p);
        return;
    }
    if (pair->sleep != PAL_PAIR_AWAKE)
        pair->interval = 0;
    become(watch, p, PAL_PAIR_AWAKE);
    ask_for(watch, pair, 1);
}

// How far the surfaces are apart decides whether the pair may sleep until both have gone as far.
static void measure(PalOutlook *watch, int32_t p)
{
    PalWatchedPair *pair = &watch->pairs[p];
    const PalWatched *a = &watch->objects[pair->a], *b = &watch->objects[pair->b];
    double travel = travels(watch, pair), enough = watch->reach + pair->worth * travel;
    ++watch->measures;
    pal_watched_fit_tree(watch, pair->a);
    pal_watched_fit_tree(watch, pair->b);
    double distance =
        pal_sphere_distance(&watch->search, a->tree, &a->triangles, b->tree, &b->triangles, enough);
    keep_nearest(watch, pair);
    double cost = pal_watch_cost(watch, a->tree->facet_count + b->tree->facet_count);
    if (!(distance > enough)) {
        put_off(watch, pair, cost);
        return;
    }
    pair->worth = fmin(cost, PAL_SLEEP_MOST);
    pair->pace = travel;
    pair->due = watch->start +
                (watch->end - watch->start) * fmin((distance - watch->reach) / travel, PAL_HORIZON);
    pair->flies = a->renewed_at == watch->step_count && b->renewed_at == watch->step_count;
    if (pair->flies)
        pair->due = fmax(pair->due, meeting_time(watch, pair, 0));
    pair->path_due = a->odometer + b->odometer - travel + (1 - 1e-9) * (distance - watch->reach);
    become(watch, p, PAL_PAIR_NEAR);
}

// ---- objects ----------------------------------------------------------------------------

// What a new flight may be off: a part of the gap to the nearest ball that is far.
static void choose_spare(PalOutlook *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    double least = INFINITY;
    for (int32_t i = watch->object_start[object]; i < watch->object_start[object + 1]; ++i) {
        const PalWatchedPair *pair = &watch->pairs[watch->object_pairs[i]];
        double gap = gap_now(watch, pair);
        if (gap < least && is_far(watch, pair, gap, 1))
            least = gap;
    }
    watched->spare = SPARE * least;
    watched->tightened = 0;
    if (watched->rigid == PAL_NONE || watched->awake_pairs > 0)
        return;  // what is pushed does not fly as foreseen
    double h = watch->end - watch->start;
    double base = LEAST_PART * watched->flight.radius +
                  h * h / 4 * pal_vec3_length(watched->flight.acceleration);
    watched->spare = fmin(watched->spare, fmax(base, watched->wish));
}

// The new flight of an object decides when its pairs are due. Pairs with others that have one as
// well are settled once.
static void settle(PalOutlook *watch, int32_t object)
{
    for (int32_t i = watch->object_start[object]; i < watch->object_start[object + 1]; ++i) {
        int32_t p = watch->object_pairs[i];
        PalWatchedPair *pair = &watch->pairs[p];
        if (!watch->objects[pair->a].known || !watch->objects[pair->b].known ||
            pair->settled_at == watch->step_count)
            continue;  // it is due, and will be awake
        double gap = gap_now(watch, pair);
        pair->settled_at = watch->step_count;
        if (is_far(watch, pair, gap, pair->sleep == PAL_PAIR_FAR ? 1 : PARTED))
            foresee(watch, p, false);
        else if (pair->sleep == PAL_PAIR_FAR)
            consider(watch, p);
    }
}

static void renew_both(PalOutlook *watch, const PalWatchedPair *pair)
{
    const int32_t objects[2] = {pair->a, pair->b};
    bool old[2];
    for (int k = 0; k < 2; ++k) {
        old[k] = watch->objects[objects[k]].renewed_at != watch->step_count;
        pal_watched_renew(watch, objects[k]);
    }
    for (int k = 0; k < 2; ++k)
        if (old[k])
            choose_spare(watch, objects[k]);
    for (int k = 0; k < 2; ++k)
        if (old[k])
            settle(watch, objects[k]);
}

void pal_watch_strays(PalOutlook *watch)
{
    int32_t left_count = 0;
    for (int32_t o = 0; o < watch->object_count; ++o) {
        PalWatched *watched = &watch->objects[o];
        watched->left =
            watched->left && !watched->alone && (watched->again || !pal_watched_is_there(watch, o));
        if (!watched->left)
            continue;
        if (watched->known && !watched->again)
            watched->wish = MORE * fmax(watched->wish, watched->spare);
        watched->again = !watched->measured;
        pal_watched_renew(watch, o);
        ++left_count;
    }
    for (int32_t o = 0; o < watch->object_count; ++o)
        if (watch->objects[o].left)
            choose_spare(watch, o);
    watch->loose = left_count > MANY;  // they are put in order once
    for (int32_t o = 0; o < watch->object_count; ++o) {
        if (watch->objects[o].left)
            settle(watch, o);
        watch->objects[o].left = false;
    }
    if (watch->loose)
        pal_watch_sort_queue(watch);
    watch->loose = false;
}

// ---- a step -----------------------------------------------------------------------------

// Looks whether both are well inside their flights, so that these can spare less. Times of other
// pairs, which were found with more to spare, hold.
static bool tighten(PalOutlook *watch, PalWatchedPair *pair)
{
    const int32_t objects[2] = {pair->a, pair->b};
    double gap = gap_now(watch, pair);
    if (pair->tightened_at == watch->step_count || !is_far(watch, pair, gap, 1))
        return false;
    pair->tightened_at = watch->step_count;
    for (int k = 0; k < 2; ++k) {
        PalWatched *watched = &watch->objects[objects[k]];
        double spare = watched->spare;
        if (watched->rigid != PAL_NONE || !(SPARE * gap < spare))
            continue;
        watched->spare = SPARE * gap;
        if (++watched->tightened < TIGHTENED && pal_watched_is_there(watch, objects[k]))
            continue;
        watched->spare = spare;
        return false;
    }
    return true;
}

// A pair that is far has become due: flights with less to spare, or new ones, may tell of a later
// time. Otherwise it is near now.
static void look_closer(PalOutlook *watch, int32_t p)
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
        consider(watch, p);
        return;
    }
    if (tighten(watch, pair)) {
        foresee(watch, p, true);
        return;
    }
    a->wish /= MORE;
    b->wish /= MORE;
    renew_both(watch, pair);
}

// Near or awake: measured when it is time.
static void review(PalOutlook *watch, int32_t p)
{
    const PalWatchedPair *pair = &watch->pairs[p];
    bool due = pair->sleep == PAL_PAIR_AWAKE
                   ? watch->step_count >= pair->review
                   : !(watch->objects[pair->a].odometer + watch->objects[pair->b].odometer <
                       pair->path_due);
    if (due)
        consider(watch, p);
}

// One that has parted is far again, with new flights.
static void part(PalOutlook *watch, const PalWatchedPair *pair)
{
    const PalSphereTree *a = watch->objects[pair->a].tree, *b = watch->objects[pair->b].tree;
    const PalSphere *first = &a->spheres[pal_sphere_tree_root(a)];
    const PalSphere *second = &b->spheres[pal_sphere_tree_root(b)];
    double gap = pal_vec3_distance(first->centre, second->centre) - first->radius - second->radius;
    if (gap > watch->reach + PARTED * FAR_STEPS * travels(watch, pair))
        renew_both(watch, pair);
}

// Measures those that ask for it. What takes part in the step anyhow needs no measuring.
static void answer(PalOutlook *watch)
{
    for (int32_t i = watch->active_count - 1; i >= 0 && watch->asking_count > 0; --i) {
        if (i >= watch->active_count)
            continue;
        int32_t p = watch->active[i];
        PalWatchedPair *pair = &watch->pairs[p];
        if (!pair->asks)
            continue;
        bool worth = is_worth_it(watch, pair);
        ask_for(watch, pair, -1);
        if (!worth) {
            put_off(watch, pair, 0);
            continue;
        }
        measure(watch, p);
        if (pair->sleep == PAL_PAIR_NEAR)
            part(watch, pair);
    }
}

bool pal_watch_pairs(PalOutlook *watch)
{
    for (int32_t i = watch->active_count - 1; i >= 0; --i)
        if (i < watch->active_count)
            review(watch, watch->active[i]);
    do {
        while (watch->queue_count > 0 && !(watch->pairs[watch->queue[0]].due > watch->end))
            look_closer(watch, watch->queue[0]);
        answer(watch);
    } while (watch->asking_count > 0 ||
             (watch->queue_count > 0 && !(watch->pairs[watch->queue[0]].due > watch->end)));
    return watch->awake_count > 0;
}

// When a pair that is near was found to be due, unless it has become faster.
static double near_time(const PalOutlook *watch, const PalWatchedPair *pair)
{
    double travel = travels(watch, pair);
    if (travel <= (pair->flies ? FASTER : 1) * pair->pace)
        return pair->due;
    double left =
        pair->path_due - watch->objects[pair->a].odometer - watch->objects[pair->b].odometer;
    return fmin(pair->due, watch->end + (watch->end - watch->start) * left / travel);
}

double pal_watch_next(const PalOutlook *watch)
{
    double least = INFINITY;
    if (watch->awake_count > 0)
        return watch->end;
    least = pal_watch_self_next(watch);
    for (int32_t i = 0; i < watch->queue_count; ++i) {
        const PalWatchedPair *pair = &watch->pairs[watch->queue[i]];
        if (pair->due < least)
            least = fmin(least, meeting_time(watch, pair, 0));
    }
    for (int32_t i = 0; i < watch->active_count; ++i)
        least = fmin(least, near_time(watch, &watch->pairs[watch->active[i]]));
    return least;
}

// ---- where contact lets things end ------------------------------------------------------

// How far a vertex of an object that is awake ends outside of its flight, and how far it goes.
static void ask(PalOutlook *watch, int32_t vertex)
{
    const PalContactSurface *surface = watch->surface;
    int32_t object = surface->vertex_object[vertex];
    PalWatched *watched = &watch->objects[object];
    if (surface->awake.asleep[object])
        return;
    if (watched->asked != watch->questions) {
        watched->asked = watch->questions;
        watched->strayed = watched->gone = 0;
        watch->asked[watch->asked_count++] = object;
    }
    PalVec3 end = pal_contact_surface_end(surface, vertex);
    double out = pal_vec3_distance(end, pal_flight_centre(&watched->flight, watch->end)) -
                 pal_flight_radius(&watched->flight, watch->end);
    double gone = pal_vec3_distance(end, pal_contact_surface_start(surface, vertex));
    watched->strayed = out <= watched->strayed ? watched->strayed : out;  // NaN counts
    watched->gone = gone <= watched->gone ? watched->gone : gone;
}

// How much farther contact reaches because of how far it lets the object go.
static double more_reach(const PalOutlook *watch, const PalWatched *watched)
{
    return watch->reach_per_travel > 0 && !(watched->gone <= watch->allowance)
               ? watch->reach_per_travel * (watched->gone - watch->allowance)
               : 0;
}

// Everything that is far from it, if it ends outside of its flight. A vertex that was inside and
// ends so far out goes straight, its flight on a parabola: it is never farther out than at the end,
// by more than half of |a| h^2.
static bool stays_far(PalOutlook *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    double h = watch->end - watch->start;
    double out = watched->strayed + h * h / 2 * pal_vec3_length(watched->flight.acceleration);
    double more = more_reach(watch, watched);
    if (out <= watched->spare && more == 0)
        return true;
    out = (out <= watched->spare ? watched->spare : out) + more;
    bool good = true;
    for (int32_t i = watch->object_start[object]; i < watch->object_start[object + 1]; ++i) {
        int32_t p = watch->object_pairs[i];
        const PalWatchedPair *pair = &watch->pairs[p];
        int32_t other = pair->a == object ? pair->b : pair->a;
        const PalWatched *b = &watch->objects[other];
        if (pair->sleep != PAL_PAIR_FAR || !watch->surface->awake.asleep[other])
            continue;
        double met = pal_flights_meet_earliest(
            &watched->flight, &b->flight, watch->reach + out + b->spare, watch->start, INFINITY);
        if (met > watch->end)
            continue;
        wake(watch, p);
        pal_contact_surface_wake(watch->surface, other);
        good = false;
    }
    return good;
}

// Those that are near sleep by how far both have gone.
static bool stays_near(PalOutlook *watch, int32_t p)
{
    const PalWatchedPair *pair = &watch->pairs[p];
    const bool *asleep = watch->surface->awake.asleep;
    if (pair->sleep != PAL_PAIR_NEAR || asleep[pair->a] == asleep[pair->b])
        return true;
    int32_t object = asleep[pair->a] ? pair->b : pair->a;
    const PalWatched *watched = &watch->objects[object];
    double more = more_reach(watch, watched);
    if (watched->asked != watch->questions || (watched->gone <= watched->travel && more == 0))
        return true;
    double paths = watch->objects[pair->a].odometer + watch->objects[pair->b].odometer;
    double farther = watched->gone <= watched->travel ? 0 : watched->gone - watched->travel;
    if (paths + farther + more < pair->path_due)
        return true;
    wake(watch, p);
    pal_contact_surface_wake(watch->surface, asleep[pair->a] ? pair->a : pair->b);
    return false;
}

bool pal_watch_holds(PalOutlook *watch, const int32_t *vertices, int32_t count)
{
    const PalContactSurface *surface = watch->surface;
    const PalAwake *awake = &surface->awake;
    if (awake->count == watch->object_count)
        return true;
    ++watch->questions;
    watch->asked_count = 0;
    for (int32_t i = 0; i < count && vertices != NULL; ++i)
        ask(watch, vertices[i]);
    for (int32_t i = 0; i < awake->count && vertices == NULL; ++i)
        for (int32_t v = surface->object_first_vertex[awake->objects[i]];
             v < surface->object_first_vertex[awake->objects[i] + 1]; ++v)
            ask(watch, v);
    bool good = true;
    for (int32_t i = 0; i < watch->asked_count; ++i)
        good = stays_far(watch, watch->asked[i]) && good;
    for (int32_t i = watch->active_count - 1; i >= 0; --i)
        good = stays_near(watch, watch->active[i]) && good;
    return good;
}
