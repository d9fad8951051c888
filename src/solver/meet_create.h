// Contact of implicit methods: what it needs, and what it refuses.
#ifndef PAL_SOLVER_MEET_CREATE_H
#define PAL_SOLVER_MEET_CREATE_H

#include "solver/solver.h"

// Adds contact to an implicit solver just made, if there is any; refuses what cannot be.
PalStatus pal_meet_create(const PalContactSetup *setup, const PalModel *model,
                          const PalState *state, PalSolver *solver, PalError *error);

#endif
