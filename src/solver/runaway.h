// Bodies that nothing holds, on the way to an equilibrium they cannot have.
#ifndef PAL_SOLVER_RUNAWAY_H
#define PAL_SOLVER_RUNAWAY_H

#include "solver/solver.h"

// Refuses to go on with a body that has moved farther than anything holds it.
PalStatus pal_check_runaway(const PalModel *model, const PalState *state, const PalSolver *solver,
                            PalError *error);

#endif
