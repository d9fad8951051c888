// Where each object is going.
#include "base/memory.h"
#include "contact/schedule/watch.h"
#include "math/range.h"
#include "model/conditions.h"
#include "model/rigid_state.h"

#define OUTWARD    (1 + 1e-9)  // rounding
#define ROOM_USED  0.5         // of what is spare: an object found farther out gets a new flight
#define AHEAD      16          // steps: objects due so soon are looked at with those due now
#define FIRST      8           // steps until what is awake is measured again
#define LAST       512
#define PART       0.02  // of looking: what measuring may cost beside it
#define ROOM_LEAST 0.05  // of what is spare: with less left, an object is looked at

// ---- life -------------------------------------------------------------------------------

static void use_vertices(PalOutlook *watch, int32_t object)
{
    const PalContactSurface *surface = watch->surface;
    PalWatched *watched = &watch->objects[object];
    int32_t first = surface->object_first_facet[object];
    watched->triangles = (PalTriangles){
        .vertex_count = surface->vertex_count,
        .facet_count = surface->object_first_facet[object + 1] - first,
        .facets = (const int32_t(*)[3])surface->facets + first,
        .facet_object = surface->facet_object + first,
        .start = surface->start,
        .end = surface->start,
    };
}

PalStatus pal_watched_create(PalOutlook *watch, const PalModel *model, int32_t object,
                             PalError *error)
{
    const PalContactSurface *surface = watch->surface;
    PalWatched *watched = &watch->objects[object];
    bool soft = surface->objects[object].source->soft;
    use_vertices(watch, object);
    watched->rigid = soft ? PAL_NONE : surface->objects[object].index;
    watched->renewed_at = watched->fitted_at = watched->followed_at = PAL_NONE;
    if (soft) {
        int32_t least = model->node_count, most = -1;
        for (int32_t v = surface->object_first_vertex[object];
             v < surface->object_first_vertex[object + 1]; ++v)
            for (int32_t i = surface->hold_start[v]; i < surface->hold_start[v + 1]; ++i) {
                int32_t node = surface->carrier_node[surface->holds[i].carrier];
                least = node < least ? node : least;
                most = node > most ? node : most;
            }
        watched->chunks[0] = least / PAL_NODE_CHUNK;
        watched->chunks[1] = most < 0 ? watched->chunks[0] : most / PAL_NODE_CHUNK + 1;
    } else {
        const PalMesh *mesh = model->rigids[watched->rigid].mesh;
        watched->rest = pal_sphere_extremal(mesh->nodes, mesh->node_count);
    }
    return pal_sphere_tree_create(&watched->triangles, &watched->tree, error);
}

void pal_watched_clear(PalWatched *watched)
{
    pal_sphere_tree_destroy(watched->tree);
    pal_free(watched->self.shape);
}

// ---- a step -----------------------------------------------------------------------------

// The surface has to know of the step before a vertex is asked for.
static void tell_surface(PalOutlook *watch)
{
    if (!watch->moved)
        pal_contact_surface_move(watch->surface, watch->motion);
    watch->moved = true;
}

static PalVec3 rigid_centre(const PalWatched *watched, const PalPose *pose)
{
    return pal_pose_apply(pose, watched->rest.centre);
}

// No point of the object's ball is farther from where it would be by the other pose.
static double difference(const PalWatched *watched, const PalPose *a, const PalPose *b)
{
    double square = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double turn = a->rotation.m[i][j] - b->rotation.m[i][j];
            square += turn * turn;
        }
    return pal_vec3_distance(rigid_centre(watched, a), rigid_centre(watched, b)) +
           sqrt(square) * watched->rest.radius;
}

static double soft_travel(const PalOutlook *watch, const PalWatched *watched)
{
    const PalSurfaceMotion *motion = watch->motion;
    double speed = motion->speeds == NULL ? INFINITY : 0;
    for (int32_t c = watched->chunks[0]; c < watched->chunks[1] && motion->speeds != NULL; ++c)
        speed = pal_max(speed, motion->speeds[c]);
    return OUTWARD * speed * motion->step;
}

// A rigid object keeps its shape: its ball is where its centre is. Between start and end its centre
// goes straight, and that of its flight is off that way by |a| h^2 / 8 at most.
static bool rigid_stays(const PalOutlook *watch, const PalWatched *watched, const PalPose *now,
                        const PalPose *next)
{
    const PalFlight *flight = &watched->flight;
    double h = watch->end - watch->start;
    double off =
        pal_vec3_distance(rigid_centre(watched, next), pal_flight_centre(flight, watch->end));
    double before =
        pal_vec3_distance(rigid_centre(watched, now), pal_flight_centre(flight, watch->start));
    return pal_max(before, off) + h * h / 8 * pal_vec3_length(flight->acceleration) <=
           watched->spare;
}

// Contact has made it go so much farther in the last step.
static void add(PalWatched *watched, double more)
{
    watched->odometer += more;
    watched->path += more;
}

static void go(const PalOutlook *watch, PalWatched *watched)
{
    watched->followed_at = watch->step_count;
    if (watched->rigid != PAL_NONE) {
        const PalRigidState *rigid = &watch->motion->rigids[watched->rigid];
        watched->expected = rigid->next;
        watched->is_expected = true;
        watched->travel = OUTWARD * pal_rigid_moved(rigid, watch->surface->arms[watched->rigid]);
    } else {
        watched->travel = soft_travel(watch, watched);
    }
    watched->odometer += watched->travel;
}

// Adds what it goes in this step. False: it may leave its flight.
static bool pass(PalOutlook *watch, PalWatched *watched)
{
    if (watched->rigid != PAL_NONE) {
        const PalRigidState *rigid = &watch->motion->rigids[watched->rigid];
        if (watched->is_expected)  // contact may have moved it elsewhere
            add(watched, difference(watched, &rigid->pose, &watched->expected));
        watched->is_expected = false;
        if (watched->active_pairs > 0)
            go(watch, watched);
        return watched->known && rigid_stays(watch, watched, &rigid->pose, &rigid->next);
    }
    add(watched, OUTWARD * watched->pushed);
    watched->pushed = 0;
    go(watch, watched);
    watched->path += watched->travel;
    double way = pal_flight_way(&watched->flight, watched->seen, watch->end);
    return watched->known && watched->out + watched->path + OUTWARD * way <= watched->spare;
}

void pal_watched_follow(PalOutlook *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    if (watched->followed_at == watch->step_count)
        return;
    go(watch, watched);
    if (watched->tracked)
        return;
    watched->tracked = true;
    watched->path = watch->farthest - watched->base;
    watch->tracked[watch->tracked_count++] = object;
}

// Others are known to go no farther than any.
static void untrack(PalOutlook *watch, int32_t place, double farthest)
{
    int32_t object = watch->tracked[place];
    PalWatched *watched = &watch->objects[object];
    watched->tracked = false;
    watched->base = farthest - watched->path;
    watched->farthest_due = watched->time_due = -INFINITY;
    watch->farthest_due = watch->time_due = -INFINITY;
    watch->tracked[place] = watch->tracked[--watch->tracked_count];
}

// Is it inside its flight for certain? If so, until when, if it goes on as it does.
static bool surely_flies(const PalOutlook *watch, PalWatched *watched, double pace)
{
    const PalFlight *flight = &watched->flight;
    double way = OUTWARD * pal_flight_way(flight, watched->seen, watch->end);
    double room = watched->spare - watched->out - (watch->farthest - watched->base) - way;
    watched->farthest_due = watched->time_due = INFINITY;
    if (!watched->known || !(room > ROOM_LEAST * watched->spare))
        return false;
    if (room == INFINITY)
        return true;
    double h = watch->end - watch->start, bend = pal_vec3_length(flight->acceleration);
    double speed = pal_flight_way(flight, watched->seen, watch->end) / (watch->end - watched->seen);
    double share = speed > 0 ? speed * h / (speed * h + pace) : 0;
    double ahead = (way + share * room) / OUTWARD;
    double first = pal_vec3_length(
        pal_vec3_add_scaled(flight->velocity, watched->seen - flight->time, flight->acceleration));
    if (share > 0)
        watched->time_due = watched->seen + (1 - 1e-9) * 2 * ahead /
                                                (first + sqrt(first * first + 2 * bend * ahead));
    watched->farthest_due = watch->farthest + (1 - share) * room;
    return true;
}

// The largest way of a soft vertex in this step.
static double pace_of(const PalOutlook *watch)
{
    const double *speeds = watch->motion->speeds;
    if (speeds == NULL)
        return INFINITY;
    double most[4] = {0, 0, 0, 0};
    for (int32_t c = 0; c < watch->chunk_count; ++c)
        most[c & 3] = most[c & 3] >= speeds[c] ? most[c & 3] : speeds[c];
    double pace = pal_max(pal_max(most[0], most[1]), pal_max(most[2], most[3]));
    return OUTWARD * watch->motion->step * pace;
}

double pal_watch_pace(const PalOutlook *watch)
{
    double pace = watch->chunk_count > 0 ? pace_of(watch) : 0;
    for (int32_t o = 0; o < watch->object_count; ++o) {
        int32_t rigid = watch->objects[o].rigid;
        if (rigid == PAL_NONE)
            continue;
        double way = pal_rigid_moved(&watch->motion->rigids[rigid], watch->surface->arms[rigid]);
        pace = OUTWARD * way <= pace ? pace : OUTWARD * way;  // NaN counts
    }
    return pace;
}

void pal_watch_pass(PalOutlook *watch)
{
    double pace = watch->chunk_count > 0 ? pace_of(watch) : 0, before = watch->farthest;
    for (int32_t i = watch->tracked_count - 1; i >= 0; --i) {
        PalWatched *watched = &watch->objects[watch->tracked[i]];
        if (watched->active_pairs == 0 && watched->rigid == PAL_NONE && !watched->self.touches)
            untrack(watch, i, before);
    }
    watch->farthest += pace;
    for (int32_t i = 0; i < watch->tracked_count; ++i) {
        PalWatched *watched = &watch->objects[watch->tracked[i]];
        watched->left = !pass(watch, watched) || watched->again;
        watch->any_left |= watched->left;
    }
    if (watch->farthest < watch->farthest_due && watch->end < watch->time_due)
        return;
    watch->farthest_due = watch->time_due = INFINITY;
    double soon = watch->farthest + AHEAD * pace;
    double later = watch->end + AHEAD * (watch->end - watch->start);
    for (int32_t o = 0; o < watch->object_count; ++o) {
        PalWatched *watched = &watch->objects[o];
        if (watched->tracked || watched->alone)
            continue;
        if (!(soon < watched->farthest_due && later < watched->time_due)) {
            watched->left = !surely_flies(watch, watched, pace) || watched->again;
            watch->any_left |= watched->left;
        }
        watch->farthest_due = pal_min(watch->farthest_due, watched->farthest_due);
        watch->time_due = pal_min(watch->time_due, watched->time_due);
    }
}

// ---- looking ----------------------------------------------------------------------------

int32_t pal_watched_gather(PalOutlook *watch, int32_t object)
{
    PalContactSurface *surface = watch->surface;
    int32_t first = surface->object_first_vertex[object], count = 0;
    tell_surface(watch);
    for (int32_t v = first; v < surface->object_first_vertex[object + 1]; ++v) {
        pal_contact_surface_need(surface, v);
        watch->points[count++] = pal_contact_surface_start(surface, v);
    }
    return count;
}

// It is where it is looked at, at the start of this step. How far it may go in it.
static double start_path(PalOutlook *watch, PalWatched *watched)
{
    if (watched->rigid == PAL_NONE && watched->followed_at != watch->step_count)
        watched->travel = soft_travel(watch, watched);
    double travel = watched->path = watched->travel;
    watched->base = watch->farthest - travel;
    watched->farthest_due = watched->time_due = -INFINITY;  // to be found
    watch->farthest_due = watch->time_due = -INFINITY;
    return travel;
}

bool pal_watched_is_there(PalOutlook *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    if (!watched->known || watched->rigid != PAL_NONE)
        return false;
    PalVec3 centre = pal_flight_centre(&watched->flight, watch->start);
    double radius = pal_flight_radius(&watched->flight, watch->start), most = 0;
    int32_t count = pal_watched_gather(watch, object);
    for (int32_t n = 0; n < count; ++n) {
        PalVec3 arm = pal_vec3_sub(watch->points[n], centre);
        double square = pal_vec3_dot(arm, arm);
        most = square > most || isnan(square) ? square : most;
    }
    watched->out = fmax(OUTWARD * sqrt(most) - radius, 0);
    watched->seen = watch->start;
    double path = start_path(watch, watched);
    double way = pal_flight_way(&watched->flight, watched->seen, watch->end);
    return watched->out + path + OUTWARD * way <= ROOM_USED * watched->spare;
}

// Mean velocity of its vertices in the step, and how fast the one that flees fastest from the
// centre does so.
static PalVec3 soft_velocity(const PalOutlook *watch, int32_t object, PalVec3 centre, double radius,
                             double *growth)
{
    const PalContactSurface *surface = watch->surface;
    int32_t first = surface->object_first_vertex[object];
    int32_t end = surface->object_first_vertex[object + 1];
    double rate = 1 / watch->motion->step, most = 0;
    PalVec3 sum = {0, 0, 0};
    for (int32_t v = first; v < end; ++v)
        sum = pal_vec3_add(sum, pal_vec3_sub(surface->end[v], surface->start[v]));
    PalVec3 velocity = pal_vec3_scale(rate / (end - first), sum);
    for (int32_t v = first; v < end && radius > 0; ++v) {
        PalVec3 moves = pal_vec3_scale(rate, pal_vec3_sub(surface->end[v], surface->start[v]));
        PalVec3 arm = pal_vec3_sub(surface->start[v], centre);
        most = fmax(most, pal_vec3_dot(arm, pal_vec3_sub(moves, velocity)) / radius);
    }
    *growth = most;
    return velocity;
}

// The velocity is that of the middle of the step; what it was in an earlier one tells how it
// changes.
static void use_velocity(const PalOutlook *watch, PalWatched *watched, PalVec3 velocity)
{
    double h = watch->motion->step, time = watch->start + h / 2;
    PalFlight *flight = &watched->flight;
    flight->acceleration = pal_vec3(0, 0, 0);
    double passed = time - watched->velocity_time;
    if (watched->measured && passed > 0)
        flight->acceleration =
            pal_vec3_scale(1 / passed, pal_vec3_sub(velocity, watched->velocity));
    flight->velocity = pal_vec3_add_scaled(velocity, -h / 2, flight->acceleration);
    if (!watched->measured || passed > 0) {
        watched->velocity = velocity;
        watched->velocity_time = time;
    }
    watched->measured = true;
}

void pal_watched_renew(PalOutlook *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    PalFlight *flight = &watched->flight;
    if (watched->renewed_at == watch->step_count)
        return;
    watched->renewed_at = watch->step_count;
    flight->time = watched->seen = watch->start;
    if (watched->rigid != PAL_NONE) {
        const PalRigidState *rigid = &watch->motion->rigids[watched->rigid];
        PalVec3 now = rigid_centre(watched, &rigid->pose);
        PalVec3 next = rigid_centre(watched, &rigid->next);
        flight->centre = now;
        flight->radius = watched->rest.radius;
        flight->growth = 0;
        use_velocity(watch, watched,
                     pal_vec3_scale(1 / watch->motion->step, pal_vec3_sub(next, now)));
    } else {
        PalSphere ball = pal_sphere_extremal(watch->points, pal_watched_gather(watch, object));
        flight->centre = ball.centre;
        flight->radius = ball.radius;
        use_velocity(watch, watched,
                     soft_velocity(watch, object, ball.centre, ball.radius, &flight->growth));
    }
    watched->out = 0;
    start_path(watch, watched);
    watched->known = isfinite(flight->radius) && pal_vec3_is_finite(flight->centre) &&
                     pal_vec3_is_finite(flight->velocity) &&
                     pal_vec3_is_finite(flight->acceleration);
    ++watch->renewals;
}

void pal_watched_place(PalOutlook *watch, int32_t object, int32_t facet)
{
    const int32_t *corners = watch->objects[object].triangles.facets[facet];
    tell_surface(watch);
    for (int k = 0; k < 3; ++k)
        pal_contact_surface_need(watch->surface, corners[k]);
}

double pal_watch_cost(const PalOutlook *watch, double size)
{
    const PalSphereSearch *search = &watch->search;
    double tests = PAL_FACETS_COST * (double)search->facet_tests + (double)search->tests;
    return tests / size + PAL_FIT_COST;
}

int64_t pal_watch_interval(int64_t interval, double cost)
{
    double least = fmin(cost, PAL_SLEEP_MOST) / PART;
    int64_t next = interval == 0 ? FIRST : interval < LAST ? 2 * interval : interval;
    return (double)next > least ? next : (int64_t)least;
}

void pal_watched_fit_tree(PalOutlook *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    if (watched->fitted_at == watch->step_count)
        return;
    watched->fitted_at = watch->step_count;
    tell_surface(watch);
    PalContactSurface *surface = watch->surface;
    for (int32_t v = surface->object_first_vertex[object];
         v < surface->object_first_vertex[object + 1]; ++v)
        pal_contact_surface_need(surface, v);
    pal_sphere_tree_refit(watched->tree, &watched->triangles, 0);
}
