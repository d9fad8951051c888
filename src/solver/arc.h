// Implicit statics along the path of equilibria, where loads may fall.   docs/theory/implicit.md, 8
#ifndef PAL_SOLVER_ARC_H
#define PAL_SOLVER_ARC_H

#include "solver/solver.h"

PalStatus pal_arc_create(const PalModel *model, PalSolver *solver, PalError *error);

// From the state kept to the next equilibrium, with newton->load where its loads are taken; that
// changes by no more than `longest`.
PalStatus pal_arc_step(const PalModel *model, PalState *state, PalSolver *solver, double longest,
                       PalError *error);

#endif
