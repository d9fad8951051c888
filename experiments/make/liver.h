// A shape like a liver: a large right lobe, a thin left one, a notch between them.
#ifndef PAL_EXPERIMENTS_LIVER_H
#define PAL_EXPERIMENTS_LIVER_H

#include <palpate/mesh.h>

// Where a point of the ball of radius 1 lies in the liver, in centimetres: 20 wide.
PalVec3 pal_liver_place(PalVec3 u);

// Its surface, so many cells across; its solid.
PalStatus pal_liver_mesh(PalCellKind kind, int32_t cells, PalMesh **mesh, PalError *error);

#endif
