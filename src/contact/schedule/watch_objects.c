// Where each object is going.
#include "base/memory.h"
#include "contact/schedule/watch.h"
#include "math/range.h"
#include "model/conditions.h"
#include "model/rigid_state.h"

#define OUTWARD   (1 + 1e-9)  // rounding
#define ROOM_USED 0.5         // of what is spare: an object found farther out gets a new flight

// ---- life -------------------------------------------------------------------------------

static void use_vertices(PalWatch *watch, int32_t object)
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

PalStatus pal_watched_create(PalWatch *watch, const PalModel *model, int32_t object,
                             PalError *error)
{
    const PalContactSurface *surface = watch->surface;
    PalWatched *watched = &watch->objects[object];
    bool soft = surface->objects[object].source->soft;
    use_vertices(watch, object);
    watched->rigid = soft ? PAL_NONE : surface->objects[object].index;
    watched->renewed_at = watched->fitted_at = PAL_NONE;
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
}

// ---- a step -----------------------------------------------------------------------------

// The surface has to know of the step before a vertex is asked for.
static void tell_surface(PalWatch *watch)
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

static double soft_travel(const PalWatch *watch, const PalWatched *watched)
{
    const PalSurfaceMotion *motion = watch->motion;
    double speed = motion->speeds == NULL ? INFINITY : 0;
    for (int32_t c = watched->chunks[0]; c < watched->chunks[1] && motion->speeds != NULL; ++c)
        speed = pal_max(speed, motion->speeds[c]);
    return OUTWARD * speed * motion->step;
}

// A rigid object keeps its shape: its ball is where its centre is. Between start and end its centre
// goes straight, and that of its flight is off that way by |a| h^2 / 8 at most.
static bool rigid_stays(const PalWatch *watch, const PalWatched *watched, const PalPose *next)
{
    const PalFlight *flight = &watched->flight;
    double h = watch->end - watch->start;
    double off =
        pal_vec3_distance(rigid_centre(watched, next), pal_flight_centre(flight, watch->end));
    return off + h * h / 8 * pal_vec3_length(flight->acceleration) <= watched->spare;
}

// Contact has made it go so much farther in the last step.
static void add(PalWatched *watched, double more)
{
    watched->odometer += more;
    watched->path += more;
}

bool pal_watched_pass(PalWatch *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    if (watched->rigid != PAL_NONE) {
        const PalRigidState *rigid = &watch->motion->rigids[watched->rigid];
        if (watched->known)  // contact may have moved it elsewhere
            add(watched, difference(watched, &rigid->pose, &watched->expected));
        watched->expected = rigid->next;
        watched->travel = OUTWARD * pal_rigid_moved(rigid, watch->surface->arms[watched->rigid]);
        watched->odometer += watched->travel;
        return watched->known && rigid_stays(watch, watched, &rigid->next);
    }
    add(watched, OUTWARD * watched->pushed);
    watched->pushed = 0;
    watched->travel = soft_travel(watch, watched);
    watched->odometer += watched->travel;
    watched->path += watched->travel;
    double way = pal_flight_way(&watched->flight, watched->seen, watch->end);
    return watched->known && watched->out + watched->path + OUTWARD * way <= watched->spare;
}

// ---- looking ----------------------------------------------------------------------------

// Its vertices at the start of the step. How many.
static int32_t gather(PalWatch *watch, int32_t object)
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

bool pal_watched_is_there(PalWatch *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    if (!watched->known || watched->rigid != PAL_NONE)
        return false;
    PalVec3 centre = pal_flight_centre(&watched->flight, watch->start);
    double radius = pal_flight_radius(&watched->flight, watch->start), most = 0;
    int32_t count = gather(watch, object);
    for (int32_t n = 0; n < count; ++n) {
        PalVec3 arm = pal_vec3_sub(watch->points[n], centre);
        double square = pal_vec3_dot(arm, arm);
        most = square > most || isnan(square) ? square : most;
    }
    watched->out = fmax(OUTWARD * sqrt(most) - radius, 0);
    watched->path = watched->travel;
    watched->seen = watch->start;
    double way = pal_flight_way(&watched->flight, watched->seen, watch->end);
    return watched->out + watched->path + OUTWARD * way <= ROOM_USED * watched->spare;
}

// Mean velocity of its vertices in the step, and how fast the one that flees fastest from the
// centre does so.
static PalVec3 soft_velocity(const PalWatch *watch, int32_t object, PalVec3 centre, double radius,
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
static void use_velocity(const PalWatch *watch, PalWatched *watched, PalVec3 velocity)
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

void pal_watched_renew(PalWatch *watch, int32_t object)
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
        PalSphere ball = pal_sphere_extremal(watch->points, gather(watch, object));
        flight->centre = ball.centre;
        flight->radius = ball.radius;
        use_velocity(watch, watched,
                     soft_velocity(watch, object, ball.centre, ball.radius, &flight->growth));
    }
    watched->out = 0;
    watched->path = watched->travel;
    watched->known = isfinite(flight->radius) && pal_vec3_is_finite(flight->centre) &&
                     pal_vec3_is_finite(flight->velocity) &&
                     pal_vec3_is_finite(flight->acceleration);
    ++watch->renewals;
}

void pal_watched_fit_tree(PalWatch *watch, int32_t object)
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
