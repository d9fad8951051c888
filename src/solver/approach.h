// Correction after correction where there is contact: what is held and what is rigid goes as far in
// each as nothing is in the way.
#ifndef PAL_SOLVER_APPROACH_H
#define PAL_SOLVER_APPROACH_H

#include "solver/seek.h"

// As pal_newton_solve. A failure that a shorter step may mend is in the outcome.
PalStatus pal_newton_approach(PalSeek *seek, PalError *error);

#endif
