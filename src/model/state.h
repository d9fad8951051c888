// Creating, starting and destroying a state.
#ifndef PAL_MODEL_STATE_H
#define PAL_MODEL_STATE_H

#include <palpate/model.h>

// At rest in the reference shape but for the bodies' own velocities.
PalStatus pal_state_create(const PalModel *model, PalState **state, PalError *error);
void pal_state_destroy(PalState *state);

#endif
