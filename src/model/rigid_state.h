// Rigid instruments and bodies in a step: those whose motion is prescribed go where they are told,
// free ones are kicked by forces and drift on.   docs/theory/rigid.md
#ifndef PAL_MODEL_RIGID_STATE_H
#define PAL_MODEL_RIGID_STATE_H

#include <palpate/model.h>

// A step of a method: v+ = keep v- + gain f / m, with v- in the middle of the step before.
typedef struct PalRigidStep {
    double end_time;
    double last, next;  // lengths of the step before and of this one
    double keep, gain;
} PalRigidStep;

typedef struct PalRigidWork {
    double external, damping, contact;
} PalRigidWork;

static inline bool pal_spring_pulls(const PalSpringDef *spring)
{
    return spring->stiffness > 0 || spring->damping > 0 || spring->turning_stiffness > 0 ||
           spring->turning_damping > 0;
}

// At the start of the simulation.
void pal_rigids_start(const PalModel *model, PalState *state);
// Forces on the free bodies of the state as it is: loads at `time`, and springs.
void pal_rigids_load(const PalModel *model, PalState *state, double time);

// Velocities of the step and where everything is at its end, without contact. PAL_SIM_FAILED: a
// body turns too fast.
PalStatus pal_rigids_begin_step(const PalModel *model, PalState *state, const PalRigidStep *step,
                                PalError *error);
// What is at the end becomes what is; returns the work done on free bodies in the step.
PalRigidWork pal_rigids_end_step(const PalModel *model, PalState *state, const PalRigidStep *step);

// ---- for contact, within a step ---------------------------------------------------------

// An impulse p at a point x is the impulse p and the turn impulse (x - pose.centre) x p. It changes
// the velocity of the centre by inverse_mass p and the angular velocity at the start of the step by
// inverse_inertia times the other.
void pal_rigid_add_impulse(const PalRigid *rigid, PalRigidState *state, PalVec3 impulse,
                           PalVec3 turn_impulse);
// Where a free body is at the end of the step, as its velocities are now. False: it turns too fast.
bool pal_rigid_drift(const PalRigid *rigid, PalRigidState *state, double step);
// It does not turn in this step after all; its momentum stays.
void pal_rigid_stay_turned(PalRigidState *state);
// No point within `arm` of the pose's centre is farther from where it was at the start.
double pal_rigid_moved(const PalRigidState *state, double arm);

// ---- between steps ----------------------------------------------------------------------

// How a free body moves at the state's time, between the middles of the last and the next step.
typedef struct PalRigidMotion {
    PalTwist twist;        // of the centre of mass
    PalVec3 momentum;      // angular, about it
    double kinetic;        // energy
    PalRigidWork pending;  // work of the second half of the last step
} PalRigidMotion;

// `step` is the one to come. Contact is taken to act in it as in the last one, or not at all.
PalRigidMotion pal_rigid_motion(const PalRigid *rigid, const PalRigidState *state,
                                const PalRigidStep *step, bool with_contact);

// A bound on how far points within `arm` of the pivot are then from where they are now: of a free
// body as it moves now.
double pal_rigid_travel(const PalModel *model, const PalState *state, int32_t rigid_index,
                        double time, double arm);

// The step at which a spring turns unstable; infinite where there are none.
double pal_rigids_stable_step(const PalModel *model);
// The longest step that suits the free bodies as they move now; infinite where there are none. It
// changes seldom: by factors of two, but where a spring dictates it.
double pal_rigids_longest_step(const PalModel *model, const PalState *state);

#endif
