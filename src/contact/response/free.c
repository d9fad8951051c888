#include "contact/response/free.h"

#include "math/vec3.h"
#include "model/rigid_state.h"

#include <math.h>

// Cholesky: the lower triangle.
void pal_free_begin(PalFreeBody *body, const PalRigidState *state)
{
    const PalMat3 *a = &state->inverse_inertia;
    PalMat3 l = {{{0}}};
    l.m[0][0] = sqrt(a->m[0][0]);
    l.m[1][0] = a->m[1][0] / l.m[0][0];
    l.m[2][0] = a->m[2][0] / l.m[0][0];
    l.m[1][1] = sqrt(a->m[1][1] - l.m[1][0] * l.m[1][0]);
    l.m[2][1] = (a->m[2][1] - l.m[2][0] * l.m[1][0]) / l.m[1][1];
    l.m[2][2] = sqrt(a->m[2][2] - l.m[2][0] * l.m[2][0] - l.m[2][1] * l.m[2][1]);
    *body = (PalFreeBody){.rigid = body->rigid, .root = l, .end = state->next};
}

// root^T t = change, from the last one back.
PalVec3 pal_free_turn_impulse(const PalFreeBody *body, PalVec3 change)
{
    const PalMat3 *l = &body->root;
    double z = change.z / l->m[2][2];
    double y = (change.y - l->m[2][1] * z) / l->m[1][1];
    double x = (change.x - l->m[1][0] * y - l->m[2][0] * z) / l->m[0][0];
    return pal_vec3(x, y, z);
}

bool pal_free_end(PalFreeBody *body, const PalRigid *rigid, const PalRigidState *state, double step)
{
    PalRigidState moved = *state;
    pal_rigid_add_impulse(rigid, &moved, body->impulse, body->turn_impulse);
    bool follows = pal_rigid_drift(rigid, &moved, step);
    body->end = moved.next;
    return follows;
}

PalStatus pal_free_report_turn(const PalRigid *rigid, const PalRigidState *state, double time,
                               PalError *error)
{
    PalVec3 place = state->pose.centre;
    return pal_error_set(error, PAL_SIM_FAILED,
                         "contact of \"%s\", centred at (%.4g, %.4g, %.4g), cannot be resolved at "
                         "time %.6g: it would make the body turn too fast to be followed; check "
                         "whether instruments are driven into it, or use a smaller step",
                         rigid->name, place.x, place.y, place.z, time);
}
