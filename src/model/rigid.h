// Rigid instruments and bodies of a model: their motions, and the masses of those that are free.
#ifndef PAL_MODEL_RIGID_H
#define PAL_MODEL_RIGID_H

#include <palpate/model.h>

// Everything but name and mesh. Refuses definitions that make no sense.
PalStatus pal_rigid_init(const PalRigidDef *def, double end_time, PalRigid *rigid, PalError *error);
// Frees everything, name and mesh too.
void pal_rigid_clear(PalRigid *rigid);

#endif
