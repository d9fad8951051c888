// Correction after correction until forces are in balance.
#ifndef PAL_SOLVER_CORRECT_H
#define PAL_SOLVER_CORRECT_H

#include "solver/newton.h"

// From the state kept to equilibrium, with held components where solver->targets says. The state
// ends with the forces of its shape. PAL_OK with an outcome, or a failure that no other step would
// mend.
PalStatus pal_newton_solve(const PalModel *model, PalState *state, PalSolver *solver,
                           PalNewton *newton, const PalNewtonProblem *problem,
                           PalNewtonOutcome *outcome, PalError *error);

#endif
