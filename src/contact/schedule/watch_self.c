// When an object may touch itself. Two of its parts that have no vertex in common come nearer to
// each other only as far as its shape leaves one in which they were measured, but for how it is
// turned and where it is.   docs/theory/levels.md, 3
#include "contact/schedule/watch.h"
#include "geometry/procrustes.h"
#include "math/range.h"

static void wake(PalOutlook *watch, PalWatched *watched, double cost)
{
    PalSelfWatch *self = &watched->self;
    self->interval = pal_watch_interval(self->awake ? self->interval : 0, cost);
    self->review = watch->step_count + self->interval;
    watch->self_awake_count += !self->awake;
    self->awake = true;
}

// Asleep while no vertex goes farther than this.
static void let_sleep(PalOutlook *watch, PalWatched *watched, double room)
{
    PalSelfWatch *self = &watched->self;
    watch->self_awake_count -= self->awake;
    self->awake = false;
    self->path_due = watched->odometer - watched->travel + (1 - 1e-9) * room;
}

// How far a vertex is at most from where a rigid motion takes it in the shape.
static double deformed(const PalOutlook *watch, const PalSelfWatch *self, int32_t count)
{
    PalRigidMove motion = {.from = {0, 0, 0}, .to = {0, 0, 0}};
    PalMat3 products = {{{0}}};
    for (int32_t i = 0; i < count; ++i) {
        motion.from = pal_vec3_add_scaled(motion.from, 1.0 / count, self->shape[i]);
        motion.to = pal_vec3_add_scaled(motion.to, 1.0 / count, watch->points[i]);
    }
    for (int32_t i = 0; i < count; ++i)
        pal_procrustes_add(&products, pal_vec3_sub(watch->points[i], motion.to),
                           pal_vec3_sub(self->shape[i], motion.from));
    motion.rotation = pal_procrustes_rotation(&products);
    double most = 0;
    for (int32_t i = 0; i < count; ++i) {
        double off = pal_vec3_distance(watch->points[i], pal_rigid_apply(&motion, self->shape[i]));
        most = off <= most ? most : off;  // NaN counts
    }
    return most;
}

// What was nearest when it was last measured is still not far enough apart.
static bool still_near(PalOutlook *watch, int32_t object, double enough)
{
    const PalWatched *watched = &watch->objects[object];
    const int32_t *facets = watched->self.facets;
    if (facets[0] == PAL_NONE)
        return false;
    for (int k = 0; k < 2; ++k)
        pal_watched_place(watch, object, facets[k]);
    return pal_hinged_distance(&watched->triangles, facets[0], facets[1], INFINITY) <= enough;
}

// Measures its parts again, as it is now.
static void measure(PalOutlook *watch, int32_t object, int32_t count)
{
    PalWatched *watched = &watch->objects[object];
    PalSelfWatch *self = &watched->self;
    double enough = watch->reach + 2 * self->worth * watched->travel;
    self->known = false;
    ++watch->measures;
    if (!isfinite(enough) || still_near(watch, object, enough)) {
        wake(watch, watched, 0);
        return;
    }
    pal_watched_fit_tree(watch, object);
    self->apart =
        pal_sphere_self_distance(&watch->search, watched->tree, &watched->triangles, enough);
    self->facets[0] = watch->search.facets[0];
    self->facets[1] = watch->search.facets[1];
    double cost = pal_watch_cost(watch, watched->tree->facet_count);
    if (!(self->apart > enough)) {
        wake(watch, watched, cost);
        return;
    }
    self->known = true;
    self->worth = fmin(cost, PAL_SLEEP_MOST);
    for (int32_t i = 0; i < count; ++i)
        self->shape[i] = watch->points[i];
    let_sleep(watch, watched, (self->apart - watch->reach) / 2);
}

static void look(PalOutlook *watch, int32_t object)
{
    PalWatched *watched = &watch->objects[object];
    PalSelfWatch *self = &watched->self;
    if (watched->awake_pairs > 0) {  // it takes part in the step anyhow
        wake(watch, watched, 0);
        return;
    }
    int32_t count = pal_watched_gather(watch, object);
    if (self->known) {
        double room = (self->apart - watch->reach) / 2 - deformed(watch, self, count);
        if (room > watched->travel) {
            let_sleep(watch, watched, room);
            return;
        }
    }
    measure(watch, object, count);
}

void pal_watch_selves(PalOutlook *watch)
{
    for (int32_t i = 0; i < watch->self_count; ++i) {
        int32_t object = watch->selves[i];
        const PalWatched *watched = &watch->objects[object];
        bool due = watched->self.awake ? watch->step_count >= watched->self.review
                                       : !(watched->odometer < watched->self.path_due);
        if (due)
            look(watch, object);
    }
}

double pal_watch_self_next(const PalOutlook *watch)
{
    double least = watch->self_awake_count > 0 ? watch->end : INFINITY;
    for (int32_t i = 0; i < watch->self_count; ++i) {
        const PalWatched *watched = &watch->objects[watch->selves[i]];
        double left = watched->self.path_due - watched->odometer;
        least = fmin(least, watch->end + (watch->end - watch->start) * left / watched->travel);
    }
    return least;
}

void pal_watch_selves_forget(PalOutlook *watch)
{
    for (int32_t i = 0; i < watch->self_count; ++i) {
        PalSelfWatch *self = &watch->objects[watch->selves[i]].self;
        self->known = false;
        self->review = 0;
        self->path_due = -INFINITY;
    }
}
