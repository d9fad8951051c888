// Bodies that can move without any force.
#ifndef PAL_SOLVER_UNHELD_H
#define PAL_SOLVER_UNHELD_H

#include <palpate/model.h>

// PAL_BAD_INPUT names the first body, or separate part of one, that conditions leave a rigid
// motion, tells which, and what to do about it.
PalStatus pal_check_held(const PalModel *model, PalError *error);

#endif
