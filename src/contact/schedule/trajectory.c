// Sleeps until predicted paths bring objects near each other. Each object has a ball in flight that
// holds it as long as it moves as it did; each pair has a time before which the balls cannot meet,
// in a queue. When the first is due, balls are fitted again, then the surfaces are measured; what
// has to be looked at in the end keeps contact awake until it has parted.   Aragon and Molinari
// (2014), section 3.1; docs/theory/levels.md, 3
#include "base/memory.h"
#include "contact/schedule/watch.h"
#include "model/conditions.h"

#define LESS   0.05  // of what is allowed for: with less motion, less is
#define LITTLE 0.1   // of the reach of what stands still: what motion adds does not matter

enum { PAIRS_MAX = 4000000 };  // more take more memory than sleep is worth

// ---- life -------------------------------------------------------------------------------

static bool can_meet(const PalScheduleSetup *setup, int32_t a, int32_t b)
{
    const PalContactSurface *surface = setup->surface;
    bool prescribed = a >= surface->body_count && b >= surface->body_count &&
                      surface->object_free[a] == PAL_NONE && surface->object_free[b] == PAL_NONE;
    bool empty = surface->object_first_facet[a] == surface->object_first_facet[a + 1] ||
                 surface->object_first_facet[b] == surface->object_first_facet[b + 1];
    return !prescribed && !empty && pal_pairs_friction(setup->pairs, a, b) >= 0;
}

// Counts the pairs, and lists them where there is room.
static int64_t list_pairs(const PalScheduleSetup *setup, PalOutlook *watch, bool fill)
{
    int64_t count = 0;
    for (int32_t a = 0; a < watch->object_count; ++a)
        for (int32_t b = a + 1; b < watch->object_count; ++b) {
            if (!can_meet(setup, a, b))
                continue;
            if (fill)
                watch->pairs[count] =
                    (PalWatchedPair){.a = a, .b = b, .worth = 3, .facets = {PAL_NONE, PAL_NONE}};
            if (++count > PAIRS_MAX)
                return count;
        }
    return count;
}

// Those that may touch themselves, with room for their shapes. False: no memory.
static bool list_selves(const PalScheduleSetup *setup, PalOutlook *watch)
{
    const PalContactSurface *surface = watch->surface;
    for (int32_t o = 0; o < surface->body_count; ++o) {
        PalSelfWatch *self = &watch->objects[o].self;
        int32_t count = surface->object_first_vertex[o + 1] - surface->object_first_vertex[o];
        if (!(pal_pairs_friction(setup->pairs, o, o) >= 0) || count == 0)
            continue;
        *self = (PalSelfWatch){
            .touches = true, .path_due = -INFINITY, .worth = 3, .facets = {PAL_NONE, PAL_NONE}};
        self->shape = pal_alloc((size_t)count, sizeof *self->shape);
        if (self->shape == NULL)
            return false;
        watch->selves[watch->self_count++] = o;
    }
    return true;
}

static void list_by_object(PalOutlook *watch)
{
    for (int32_t p = 0; p < watch->pair_count; ++p) {
        ++watch->object_start[watch->pairs[p].a + 1];
        ++watch->object_start[watch->pairs[p].b + 1];
    }
    for (int32_t o = 0; o < watch->object_count; ++o)
        watch->object_start[o + 1] += watch->object_start[o];
    for (int32_t p = watch->pair_count - 1; p >= 0; --p) {
        watch->object_pairs[--watch->object_start[watch->pairs[p].a + 1]] = p;
        watch->object_pairs[--watch->object_start[watch->pairs[p].b + 1]] = p;
    }
    // what was counted down is the first of the next one: moved by one place
    for (int32_t o = 0; o < watch->object_count; ++o)
        watch->object_start[o] = watch->object_start[o + 1];
    watch->object_start[watch->object_count] = 2 * watch->pair_count;
}

static void list_carriers(PalOutlook *watch)
{
    const PalContactSurface *surface = watch->surface;
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v)
        for (int32_t i = surface->hold_start[v]; i < surface->hold_start[v + 1]; ++i)
            watch->carrier_object[surface->holds[i].carrier] = surface->vertex_object[v];
}

static PalStatus no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory to foresee contact");
}

// Rigid objects tell where they are in each step; those that touch themselves, how far they go.
static void track_first(PalOutlook *watch)
{
    for (int32_t o = 0; o < watch->object_count; ++o) {
        PalWatched *watched = &watch->objects[o];
        watched->alone = watch->object_start[o] == watch->object_start[o + 1];
        watched->farthest_due = watched->time_due = -INFINITY;
        watched->tracked = watched->self.touches || (watched->rigid != PAL_NONE && !watched->alone);
        if (watched->tracked)
            watch->tracked[watch->tracked_count++] = o;
    }
}

static PalStatus fill(const PalScheduleSetup *setup, PalOutlook *watch, PalError *error)
{
    size_t pairs = (size_t)watch->pair_count, objects = (size_t)watch->object_count;
    int32_t most = 0;
    for (int32_t o = 0; o < watch->object_count; ++o) {
        int32_t count =
            watch->surface->object_first_vertex[o + 1] - watch->surface->object_first_vertex[o];
        most = count > most ? count : most;
    }
    watch->objects = pal_alloc(objects, sizeof *watch->objects);
    watch->pairs = pal_alloc(pairs, sizeof *watch->pairs);
    watch->object_start = pal_alloc(objects + 1, sizeof *watch->object_start);
    watch->object_pairs = pal_alloc(2 * pairs, sizeof *watch->object_pairs);
    watch->queue = pal_alloc(pairs, sizeof *watch->queue);
    watch->active = pal_alloc(pairs, sizeof *watch->active);
    watch->points = pal_alloc((size_t)most, sizeof *watch->points);
    watch->selves = pal_alloc(objects, sizeof *watch->selves);
    watch->tracked = pal_alloc(objects, sizeof *watch->tracked);
    watch->asked = pal_alloc(objects, sizeof *watch->asked);
    watch->carrier_object =
        pal_alloc((size_t)watch->surface->node_carrier_count, sizeof *watch->carrier_object);
    if (watch->carrier_object == NULL || watch->objects == NULL || watch->pairs == NULL ||
        watch->object_start == NULL || watch->object_pairs == NULL || watch->queue == NULL ||
        watch->active == NULL || watch->points == NULL || watch->selves == NULL ||
        watch->asked == NULL || watch->tracked == NULL || !list_selves(setup, watch))
        return no_memory(error);
    list_carriers(watch);
    list_pairs(setup, watch, true);
    list_by_object(watch);
    watch->farthest_due = watch->time_due = -INFINITY;
    watch->chunk_count = (setup->model->node_count + PAL_NODE_CHUNK - 1) / PAL_NODE_CHUNK;
    for (int32_t p = 0; p < watch->pair_count; ++p)
        pal_watch_enqueue(watch, p);
    for (int32_t o = 0; o < watch->object_count; ++o)
        PAL_TRY(pal_watched_create(watch, setup->model, o, error));
    track_first(watch);
    return PAL_OK;
}

static void destroy(void *own)
{
    PalOutlook *watch = own;
    for (int32_t o = 0; watch->objects != NULL && o < watch->object_count; ++o)
        pal_watched_clear(&watch->objects[o]);
    pal_sphere_search_clear(&watch->search);
    if (watch->telling != NULL)
        pal_meeting_clear(&watch->telling->meeting);
    pal_free(watch->telling);
    pal_free(watch->objects);
    pal_free(watch->pairs);
    pal_free(watch->object_start);
    pal_free(watch->object_pairs);
    pal_free(watch->queue);
    pal_free(watch->active);
    pal_free(watch->points);
    pal_free(watch->carrier_object);
    pal_free(watch->selves);
    pal_free(watch->asked);
    pal_free(watch->tracked);
    pal_free(watch);
}

static bool holds(void *context, const int32_t *vertices, int32_t count)
{
    return pal_watch_holds(context, vertices, count);
}

static PalStatus create(const PalScheduleSetup *setup, void **own, PalError *error)
{
    PalOutlook *watch = pal_alloc(1, sizeof *watch);
    if (watch == NULL)
        return no_memory(error);
    *own = watch;  // contact destroys it, also when this fails
    watch->surface = setup->surface;
    watch->reach = watch->least_reach = setup->reach;
    watch->reach_per_travel = setup->reach_per_travel;
    watch->object_count = setup->surface->object_count;
    int64_t count = list_pairs(setup, watch, false);
    watch->always = count > PAIRS_MAX;
    watch->pair_count = watch->always ? 0 : (int32_t)count;
    if (watch->always)
        return PAL_OK;
    if (setup->tells) {
        watch->telling = pal_alloc(1, sizeof *watch->telling);
        if (watch->telling == NULL)
            return no_memory(error);
    }
    setup->surface->awake.holds = holds;
    setup->surface->awake.context = watch;
    return fill(setup, watch, error);
}

// ---- a step -----------------------------------------------------------------------------

static void forget(void *own)
{
    PalOutlook *watch = own;
    for (int32_t o = 0; o < watch->object_count && !watch->always; ++o) {
        watch->objects[o].known = watch->objects[o].measured = false;
        watch->objects[o].pushed = 0;
        watch->objects[o].is_expected = false;
        watch->objects[o].farthest_due = watch->objects[o].time_due = -INFINITY;
    }
    watch->farthest_due = watch->time_due = -INFINITY;
    for (int32_t i = 0; i < watch->active_count; ++i) {
        watch->pairs[watch->active[i]].path_due = -INFINITY;
        watch->pairs[watch->active[i]].review = 0;
    }
    pal_watch_selves_forget(watch);
}

// A response that sees farther in steps that move far: how far no vertex goes, for many steps. When
// that changes nothing is known any more.
static void allow(PalOutlook *watch)
{
    double pace = pal_watch_pace(watch);
    double more = watch->reach_per_travel * watch->allowance;
    bool enough = pace <= watch->allowance;
    bool plenty = pace < LESS * watch->allowance && more > LITTLE * watch->least_reach;
    if (enough && !plenty)
        return;
    watch->allowance = 2 * pace;
    watch->reach = watch->least_reach + watch->reach_per_travel * watch->allowance;
    forget(watch);
}

// The objects of pairs that are awake take part in the step, and those that may touch themselves.
static bool gather_awake(const PalOutlook *watch)
{
    for (int32_t i = 0; i < watch->active_count; ++i) {
        const PalWatchedPair *pair = &watch->pairs[watch->active[i]];
        if (pair->sleep != PAL_PAIR_AWAKE)
            continue;
        pal_contact_surface_add_awake(watch->surface, pair->a);
        pal_contact_surface_add_awake(watch->surface, pair->b);
    }
    for (int32_t i = 0; i < watch->self_count; ++i)
        if (watch->objects[watch->selves[i]].self.awake)
            pal_contact_surface_add_awake(watch->surface, watch->selves[i]);
    return watch->surface->awake.count > 0;
}

static void tell(PalOutlook *watch)
{
    watch->telling->meeting.times.count = 0;
    if (watch->telling->opened)
        pal_watch_tell(watch);
    watch->telling->opened = false;
}

static bool wakes(void *own, const PalSurfaceMotion *motion)
{
    PalOutlook *watch = own;
    if (watch->always)
        return true;
    pal_awake_begin(&watch->surface->awake);
    ++watch->step_count;
    watch->motion = motion;
    watch->moved = false;
    watch->start = watch->clock;
    watch->end = watch->clock += motion->step;
    watch->ahead = motion->start_time - watch->start;
    watch->any_left = false;
    if (watch->reach_per_travel > 0)
        allow(watch);
    pal_watch_pass(watch);
    if (watch->any_left)
        pal_watch_strays(watch);
    pal_watch_selves(watch);
    pal_watch_pairs(watch);
    if (watch->telling != NULL)
        tell(watch);
    return gather_awake(watch);
}

static void looked(void *own, const PalPushes *pushes)
{
    PalOutlook *watch = own;
    const PalContactSurface *surface = watch->surface;
    for (int32_t i = 0; i < pushes->count && !watch->always; ++i) {
        int32_t carrier = pushes->carriers[i];
        if (!pal_carrier_is_node(surface, carrier))
            continue;
        const double *inverse = pushes->inverse_mass[carrier];
        PalVec3 p = pushes->impulse[carrier];
        PalVec3 change = {inverse[0] * p.x, inverse[1] * p.y, inverse[2] * p.z};
        double more = pushes->step * pal_vec3_length(change);
        PalWatched *watched = &watch->objects[watch->carrier_object[carrier]];
        watched->pushed = fmax(watched->pushed, more);
    }
}

static double next(const void *own)
{
    const PalOutlook *watch = own;
    return watch->always ? -INFINITY : pal_watch_next(watch) + watch->ahead;
}

static const double *foreseen(const void *own, int32_t *count)
{
    const PalOutlook *watch = own;
    *count = watch->telling != NULL ? watch->telling->meeting.times.count : 0;
    return *count > 0 ? watch->telling->meeting.times.items : NULL;
}

const PalSchedule pal_schedule_trajectory = {
    .choice = {"trajectory", "Sleeps until predicted paths bring objects near each other, and "
                             "again when they have parted."},
    .create = create,
    .destroy = destroy,
    .wakes = wakes,
    .looked = looked,
    .forget = forget,
    .next = next,
    .foreseen = foreseen,
};
