#include "solver/rigids.h"

#include "solver/method.h"

// As every method in time moves nodes: method.h, gain.
static PalRigidStep step_of(const PalState *state, const PalSolver *solver, const PalTouch *touch)
{
    return (PalRigidStep){
        .end_time = touch->end_time,
        .last = state->step,
        .next = touch->step,
        .keep = 1 - solver->def.damping * touch->gain,
        .gain = touch->gain,
    };
}

PalStatus pal_solver_begin_rigids(const PalModel *model, PalState *state, const PalSolver *solver,
                                  const PalTouch *touch, PalError *error)
{
    PalRigidStep step = step_of(state, solver, touch);
    return pal_rigids_begin_step(model, state, &step, error);
}

void pal_solver_end_rigids(const PalModel *model, PalState *state, const PalSolver *solver,
                           const PalTouch *touch)
{
    PalRigidStep step = step_of(state, solver, touch);
    PalRigidWork work = pal_rigids_end_step(model, state, &step);
    state->external_work += work.external;
    state->damping_work += work.damping;
    state->contact_work += work.contact;
}

PalRigidMotion pal_solver_rigid_motion(const PalModel *model, const PalState *state,
                                       const PalSolver *solver, int32_t rigid_index,
                                       bool with_contact)
{
    PalTouch touch = {
        .step = solver->next_step,
        .gain = solver->method->gain(state, solver),
    };
    PalRigidStep step = step_of(state, solver, &touch);
    return pal_rigid_motion(&model->rigids[rigid_index], &state->rigids[rigid_index], &step,
                            with_contact);
}
