// The hexahedron's layout.
#ifndef PAL_ELEMENT_H8_H
#define PAL_ELEMENT_H8_H

#include "element/type.h"

// PAL_LANES hexahedra. g: mean gradients of corners 1 to 7. k, x: hourglass stiffness, and what
// makes the hourglass patterns blind to linear fields.
typedef struct PalH8Batch {
    PalLanes g[7][3];
    PalLanes V;
    PalLanes k;
    PalLanes x[4][3];
    uint16_t corner[8][PAL_LANES];
} PalH8Batch;

#endif
