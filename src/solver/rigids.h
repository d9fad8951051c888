// Rigid instruments and bodies in a step of any method.
#ifndef PAL_SOLVER_RIGIDS_H
#define PAL_SOLVER_RIGIDS_H

#include "model/rigid_state.h"
#include "solver/solver.h"

// Before contact: kicks free bodies, and finds where everything rigid is at the end of the step.
PalStatus pal_solver_begin_rigids(const PalModel *model, PalState *state, const PalSolver *solver,
                                  const PalTouch *touch, PalError *error);
// After contact: moves them there, and counts the works.
void pal_solver_end_rigids(const PalModel *model, PalState *state, const PalSolver *solver,
                           const PalTouch *touch);

// How a free body moves at the state's time. Contact in the step to come is taken to be what it was
// in the last one, or none.
PalRigidMotion pal_solver_rigid_motion(const PalModel *model, const PalState *state,
                                       const PalSolver *solver, int32_t rigid_index,
                                       bool with_contact);

#endif
