// Numerical trouble, told with its place and advice.
#ifndef PAL_SOLVER_TROUBLE_H
#define PAL_SOLVER_TROUBLE_H

#include "solver/solver.h"

// Names the element that turned inside out.
PalStatus pal_solver_report_inverted(const PalModel *model, const PalState *state,
                                     const PalSolver *solver, int32_t element, PalError *error);
// The body whose cells dictate the stable step.
int32_t pal_solver_bound_body(const PalModel *model, const PalSolver *solver);
// The stable step has fallen to almost nothing.
PalStatus pal_solver_report_crushed(const PalModel *model, const PalState *state,
                                    const PalSolver *solver, PalError *error);

#endif
