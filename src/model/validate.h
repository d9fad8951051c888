// Whether model and state are what everything takes them for. Each says what is broken. Creating a
// model and taking a step assert it; a state that comes from a checkpoint is refused by it.
#ifndef PAL_MODEL_VALIDATE_H
#define PAL_MODEL_VALIDATE_H

#include <palpate/model.h>

PalStatus pal_model_validate(const PalModel *model, PalError *error);
// Between steps.
PalStatus pal_state_validate(const PalModel *model, const PalState *state, PalError *error);

#endif
