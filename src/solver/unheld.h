// Bodies that can move without any force.
#ifndef PAL_SOLVER_UNHELD_H
#define PAL_SOLVER_UNHELD_H

#include <palpate/model.h>

// PAL_BAD_INPUT names the first body, or separate part of one, that conditions leave a rigid
// motion, tells which, and what to do about it. Bodies that `touches` says so of may be held by
// others, and are passed over; NULL: none. `found`: how many of those have a rigid motion.
PalStatus pal_check_held(const PalModel *model, const bool *touches, int32_t *found,
                         PalError *error);

#endif
