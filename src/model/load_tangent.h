// What loads that follow the surface add to a stiffness.
#ifndef PAL_MODEL_LOAD_TANGENT_H
#define PAL_MODEL_LOAD_TANGENT_H

#include "element/stiffness.h"
#include <palpate/model.h>

// Adds minus the derivative of pressures at a time, the symmetric part of it: where the edge of the
// loaded surface is held, or it has none, that is all of it.   docs/theory/implicit.md, 3
void pal_conditions_add_tangent(const PalModel *model, const PalState *state, double time,
                                PalStiffness *stiffness);

// force += the rest of it times a motion of all nodes: what the rim of loaded surfaces adds.
void pal_conditions_add_rim(const PalModel *model, const PalState *state, double time,
                            const PalVec3 *motion, PalVec3 *force);
#endif
