// How the rows that have kernels lay out a batch.
#ifndef PAL_ELEMENT_LAYOUTS_H
#define PAL_ELEMENT_LAYOUTS_H

#include "element/type.h"

// PAL_LANES tetrahedra. Gradients of the shape functions of corners 1, 2, 3 in the reference
// shape; that of corner 0 is minus their sum. Padding has no volume and no gradients.
typedef struct PalT4Batch {
    PalLanes g[3][3];  // [corner - 1][axis]
    PalLanes V;
    uint16_t corner[4][PAL_LANES];  // four times the index among the block's nodes
} PalT4Batch;

// PAL_LANES hexahedra. g: mean gradients of corners 1 to 7. The others are for the hourglass
// patterns: k and x of the plain control, the rest of the one that bends as beams do.
typedef struct PalH8Batch {
    PalLanes g[7][3];
    PalLanes V;
    union {
        PalLanes k;  // stiffness
        PalLanes
            ratio[3];  // lengths of edges: first over second, second over third, third over first
    };
    PalLanes x[4][3];     // what makes the patterns blind to linear fields, by axis or by edge
    PalLanes edge[3][3];  // mean edges, times eight
    uint16_t corner[8][PAL_LANES];
} PalH8Batch;

// The state of the control that bends as beams do, and what follows from it.
typedef struct PalH8Bend {
    PalLanes energy;
    PalLanes strain[4][3];  // of each pattern, along each edge
    PalLanes dual[3][3];    // a pattern's strain along edge i is dual[i] . its amount
    PalLanes force[4][3];   // - dE/d(amount) of each pattern
} PalH8Bend;

// A batch of solids with one deformation gradient each, wherever its row keeps it.
typedef struct PalSolid {
    int32_t corner_count;
    bool averaged;                        // pressures are means of the corners'
    const uint16_t (*corner)[PAL_LANES];  // four times the index among the block's nodes
    const PalLanes (*g)[3];               // mean gradients of the corners from the second on
    PalLanes V;
} PalSolid;

// How it is deformed.
typedef struct PalDeformed {
    PalLanesMat3 F;
    PalLanes J;  // det F
} PalDeformed;

#endif
