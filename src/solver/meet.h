// Contact in a search for equilibrium: what a response's row for implicit methods is asked for, and
// what becomes of its answers.
#ifndef PAL_SOLVER_MEET_H
#define PAL_SOLVER_MEET_H

#include "solver/newton.h"

// The latest time up to `end` until which no instrument goes farther than it may in one step.
double pal_meet_latest(const PalModel *model, const PalState *state, const PalSolver *solver,
                       double end);
// A try begins. PAL_SIM_FAILED: the step is too long for what is rigid.
PalStatus pal_meet_begin(const PalSeek *seek, PalError *error);
// A correction, newton->motion, is to be taken from the present displacements on. `part` gets how
// much of it nothing is in the way of.
PalStatus pal_meet_aim(const PalSeek *seek, double *part, PalError *error);
// Contacts that it would run into are expected from now on. True: it is to be found again.
bool pal_meet_expect(const PalSeek *seek);
// What friction holds and what slides in it is expected from now on. True: not as it was found
// with.
bool pal_meet_slide(const PalSeek *seek);
// Before a correction: lists what acts; `all`: what does not act is not expected any more.
void pal_meet_prepare(const PalSeek *seek, bool all);
// After it, when so much of it has been taken.
void pal_meet_went(const PalSeek *seek, double part);
// So much of it is taken: the state's displacements follow, too.
void pal_meet_go(const PalSeek *seek, double part);
// Whether what is rigid stays where it is in the corrections to come.
void pal_meet_wait(const PalSeek *seek, bool waits);
// The longest way that anything rigid still has to go.
double pal_meet_farthest(const PalSeek *seek);
// How much of its way in the step what is rigid still has to go, and whether any.
double pal_meet_left(const PalSeek *seek);

// state->contact = forces of the present shape, which are added to state->force. False: there is no
// such shape.
bool pal_meet_forces(const PalSeek *seek);
// Adds the tangent of contact, and finds newton->lead.
PalStatus pal_meet_tangent(PalSeek *seek, PalError *error);
// Whether the consistent tangent of contact is worth a try far from equilibrium.
bool pal_meet_is_tame(const PalSeek *seek);
// Adds newton->lead to the right side.
void pal_meet_lead(const PalSeek *seek);
// Whether it has forces that the symmetric tangent does not tell all of, and their part of it times
// a motion: in `force`, which is 0 before.
bool pal_meet_couples(const PalSeek *seek);
void pal_meet_couple(const PalSeek *seek, const PalVec3 *motion, PalVec3 *force);
// Before a correction: renews what it keeps constant, and forces.
PalStatus pal_meet_refresh(const PalSeek *seek, PalError *error);
PalStatus pal_meet_settle(const PalSeek *seek, bool *again, PalError *error);

// Takes contact out of the forces, among which it is during a search, as it counts there.
void pal_meet_part(const PalModel *model, PalState *state, const PalNewtonProblem *problem);
// A try has failed.
void pal_meet_give_up(const PalModel *model, const PalState *state, PalSolver *solver);
// The step is taken: moves what is rigid, and tells what touches.
PalStatus pal_meet_end(const PalModel *model, PalState *state, PalSolver *solver,
                       const PalTouch *touch, PalError *error);

#endif
