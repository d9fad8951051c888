// A body that nothing holds runs away under its loads instead of coming to rest: better said early
// than after a million steps.
#include "solver/runaway.h"

#include "math/vec3.h"
#include "model/conditions.h"

#include <math.h>

#define FAR 10  // sizes of the whole model that a body's middle may move

static void widen(PalVec3 x, PalVec3 *low, PalVec3 *high)
{
    *low = pal_vec3(fmin(low->x, x.x), fmin(low->y, x.y), fmin(low->z, x.z));
    *high = pal_vec3(fmax(high->x, x.x), fmax(high->y, x.y), fmax(high->z, x.z));
}

// How far a turn may take a node at most: across the circle.
static double turned(const PalRigid *rigid, int32_t motion)
{
    double arm = 0;
    for (int32_t n = 0; n < rigid->mesh->node_count; ++n)
        arm = fmax(arm, pal_vec3_distance(rigid->mesh->nodes[n], rigid->motions[motion].centre));
    return rigid->motions[motion].radians != 0 ? 2 * arm : 0;
}

// How far bodies may sensibly move: by the size of all there is, and along with what is prescribed.
static double reach(const PalModel *model, const PalSolver *solver)
{
    PalVec3 low = model->nodes[0], high = low;
    double prescribed = 0;
    for (int32_t n = 0; n < model->node_count; ++n)
        widen(model->nodes[n], &low, &high);
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigid *rigid = &model->rigids[r];
        for (int32_t n = 0; n < rigid->mesh->node_count; ++n)
            widen(rigid->mesh->nodes[n], &low, &high);
        double moved = 0;
        for (int32_t i = 0; i < rigid->motion_count; ++i)
            moved += pal_vec3_length(rigid->motions[i].translation) + turned(rigid, i);
        prescribed = fmax(prescribed, moved);
    }
    for (int32_t h = 0; h < pal_conditions_held_count(model->conditions); ++h)
        prescribed = fmax(prescribed, pal_vec3_length(solver->targets[h]));
    return FAR * (pal_vec3_distance(low, high) + prescribed);
}

PalStatus pal_check_runaway(const PalModel *model, const PalState *state, const PalSolver *solver,
                            PalError *error)
{
    double most = reach(model, solver);
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        PalVec3 sum = {0, 0, 0};
        for (int32_t n = 0; n < body->mesh->node_count; ++n)
            sum = pal_vec3_add(sum, state->displacement[body->first_node + n]);
        PalVec3 mean = pal_vec3_scale(1.0 / body->mesh->node_count, sum);
        if (pal_vec3_length(mean) > most)
            return pal_error_set(error, PAL_SIM_FAILED,
                                 "body \"%s\" runs away: it has moved by (%.3g, %.3g, %.3g) after "
                                 "%lld steps, and nothing stops it; fix some of its nodes, or let "
                                 "it rest on something by contact",
                                 body->name, mean.x, mean.y, mean.z, (long long)state->step_count);
    }
    return PAL_OK;
}
