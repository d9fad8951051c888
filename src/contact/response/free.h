// Free rigid bodies in contact: how impulses change their motion in a step.
#ifndef PAL_CONTACT_RESPONSE_FREE_H
#define PAL_CONTACT_RESPONSE_FREE_H

#include "math/mat3.h"
#include <palpate/model.h>

// Angular velocity changes by `root` times three numbers that all weigh 1: root root^T is the
// inverse inertia.
typedef struct PalFreeBody {
    int32_t rigid;  // of the model
    PalMat3 root;
    PalVec3 impulse, turn_impulse;  // of the step, about its centre at the start
    bool touched;
    bool cut;     // it does not turn in this step
    PalPose end;  // at the end of the step, as corrected so far
} PalFreeBody;

// A step begins with the state's inverse inertia.
void pal_free_begin(PalFreeBody *body, const PalRigidState *state);

// The turn impulse that changes the three numbers by so much.
PalVec3 pal_free_turn_impulse(const PalFreeBody *body, PalVec3 change);

// Where the body is at the end of the step with its impulses; false: it turns too fast to be
// followed.
bool pal_free_end(PalFreeBody *body, const PalRigid *rigid, const PalRigidState *state,
                  double step);

// PAL_SIM_FAILED: contact makes a body turn too fast to be followed, which was to move at a speed
// that can be.
PalStatus pal_free_report_turn(const PalRigid *rigid, const PalRigidState *state, double time,
                               PalError *error);

#endif
