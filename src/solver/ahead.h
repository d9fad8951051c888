// Forces begun ahead: contact changes where few nodes go, and helpers can find the forces of all
// others while it is at work.
#ifndef PAL_SOLVER_AHEAD_H
#define PAL_SOLVER_AHEAD_H

#include "solver/solver.h"

// For a solver that has contact. Without effect where it is of no use.
PalStatus pal_solver_allow_ahead(const PalModel *model, PalSolver *solver, PalError *error);
void pal_solver_clear_ahead(PalSolver *solver);

// Velocities are those of the step, without contact. What is begun has to be ended.
void pal_solver_begin_ahead(const PalModel *model, PalState *state, PalSolver *solver, double step);
// Velocities are as contact leaves them, displacements still as they were before the step.
void pal_solver_end_ahead(PalSolver *solver);

// The force at the start of the step on a node that contact may push, by its number among those.
PalVec3 pal_solver_force_before(const PalState *state, const PalSolver *solver, int32_t carrier);

#endif
