// Rows to velocities to ends.
#include "contact/response/lagrange/lagrange.h"
#include "math/vec3.h"

#include <math.h>

// Of the separation: change of a gap that is too small to matter. Free rigid bodies rock on what is
// left over, with nothing in them to damp it, and membranes leave their plane, which hardly holds
// them.
#define TOLERANCE          1e-4
#define RIGID_TOLERANCE    2e-5
#define MEMBRANE_TOLERANCE 2e-6

// Where free bodies are at the end, as the velocities of their carriers are now.
static void move_bodies(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    const PalContactSurface *surface = contact->surface;
    const PalModel *model = surface->motion.model;
    lagrange->too_fast = PAL_NONE;
    for (int32_t f = 0; f < surface->free_count; ++f) {
        PalFreeBody *body = &contact->bodies[f];
        if (!body->touched)
            continue;
        int32_t c = pal_free_carrier(surface, f);
        const double *u = lagrange->rows.velocity[c], *old = lagrange->rows.predicted[c];
        const double *y = lagrange->rows.velocity[c + 1];
        const PalRigidState *state = &step->rigids[body->rigid];
        PalVec3 change = pal_vec3(u[0] - old[0], u[1] - old[1], u[2] - old[2]);
        body->impulse = pal_vec3_scale(1 / state->inverse_mass, change);
        body->turn_impulse =
            body->cut ? pal_vec3(0, 0, 0) : pal_free_turn_impulse(body, pal_vec3(y[0], y[1], y[2]));
        if (!pal_free_end(body, &model->rigids[body->rigid], state, step->step))
            lagrange->too_fast = f;
        if (body->cut || lagrange->too_fast == f)
            body->end.rotation = state->pose.rotation;
    }
}

typedef struct Velocities {
    const PalContactSurface *surface;
    const PalRows *rows;
} Velocities;

// Of a model node: as the rows have it, or as predicted.
static PalVec3 node_velocity(const void *context, int32_t node)
{
    const Velocities *all = context;
    int32_t carrier = all->surface->node_carrier[node];
    if (!pal_rows_is_touched(all->rows, carrier))
        return pal_contact_surface_velocity(all->surface, carrier);
    const double *u = all->rows->velocity[carrier];
    return pal_vec3(u[0], u[1], u[2]);
}

PalVec3 pal_lagrange_carried(const PalContactSurface *surface, const PalRows *rows, int32_t vertex)
{
    PalVec3 velocity = {0, 0, 0};
    for (int32_t k = surface->hold_start[vertex]; k < surface->hold_start[vertex + 1]; ++k) {
        int32_t carrier = surface->holds[k].carrier;
        const double *u = rows->velocity[carrier];
        PalVec3 part = pal_rows_is_touched(rows, carrier)
                           ? pal_vec3(u[0], u[1], u[2])
                           : pal_contact_surface_velocity(surface, carrier);
        velocity = pal_vec3_add_scaled(velocity, surface->holds[k].weight, part);
    }
    return velocity;
}

void pal_lagrange_move(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    PalContactSurface *surface = contact->surface;
    const PalModel *model = surface->motion.model;
    move_bodies(contact, lagrange, step);
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i], object = surface->vertex_object[v];
        int32_t number = surface->object_free[object];
        const PalSurfaceSource *source = surface->objects[object].source;
        if (source->end_of != NULL) {
            surface->end[v] =
                source->end_of(surface, v, node_velocity, &(Velocities){surface, &lagrange->rows});
        } else if (v < surface->soft_vertex_count) {
            PalVec3 velocity = pal_lagrange_carried(surface, &lagrange->rows, v);
            surface->end[v] = pal_vec3_add_scaled(surface->start[v], step->step, velocity);
        } else if (number != PAL_NONE) {
            const PalMesh *mesh = model->rigids[contact->bodies[number].rigid].mesh;
            surface->end[v] =
                pal_pose_apply(&contact->bodies[number].end, mesh->nodes[surface->vertex_node[v]]);
        }
    }
}

// With couples as they are known so far, which are left out again.
static void solve_with_couples(const PalContact *contact, PalLagrange *lagrange, double tolerance)
{
    pal_rows_reset(&lagrange->rows);
    pal_couples_apply(contact, lagrange, 1);
    pal_rows_solve(&lagrange->rows, tolerance);
    pal_couples_apply(contact, lagrange, -1);
}

// Couples follow from the rows, and the rows from them. A relaxation begins with those of the last
// step's impulses: what couples lack at the end of a step would shake shells, which bend easily,
// for ever.
static void solve_coupled(PalContact *contact, PalLagrange *lagrange, double tolerance)
{
    bool rests = isfinite(contact->exactness);
    pal_couples_begin(&lagrange->couples);
    if (rests && pal_couples_find(contact, lagrange))
        solve_with_couples(contact, lagrange, tolerance);
    else
        pal_rows_solve(&lagrange->rows, tolerance);
    if (pal_couples_find(contact, lagrange))
        solve_with_couples(contact, lagrange, tolerance);
    if (pal_couples_find(contact, lagrange))
        pal_couples_apply(contact, lagrange, 1);
}

void pal_lagrange_solve(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step)
{
    const PalContactSurface *surface = contact->surface;
    double share = !surface->plain           ? MEMBRANE_TOLERANCE
                   : surface->free_count > 0 ? RIGID_TOLERANCE
                                             : TOLERANCE;
    double change = pal_min(share * contact->separation, contact->exactness);
    lagrange->rows.patient = !surface->plain;
    lagrange->rows.may_creep = surface->plain && !isfinite(contact->exactness);
    lagrange->rows.thread_count = step->thread_count;
    if (surface->plain)
        pal_rows_solve(&lagrange->rows, change / step->step);
    else
        solve_coupled(contact, lagrange, change / step->step);
    pal_lagrange_move(contact, lagrange, step);
}
