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
    PalLanes dual[3][3];  // dual[i] . edge[j] = (i == j)
    int32_t uneven;       // how many are no parallelepipeds; x of the others is 0
    uint16_t corner[8][PAL_LANES];
} PalH8Batch;

// PAL_LANES hexahedra with eight points.
typedef struct PalH8FullBatch {
    PalLanes inverse[8][3][3];  // [point]: d(natural coordinate)/dX
    PalLanes V[8];              // volume of each point
    PalLanes R[6];              // for bounds of the step: lower triangle, 00 10 11 20 21 22
    PalLanes spread;            // and how much the points make of it
    uint16_t corner[8][PAL_LANES];
} PalH8FullBatch;

// PAL_LANES quadratic tetrahedra with four points. Where edges are straight, `inverse` is the same
// at all points.
typedef struct PalT10Batch {
    PalLanes inverse[4][3][3];  // [point]: d(part of corner 1 + row)/dX
    PalLanes V[4];              // volume of each point
    PalLanes R[6];              // for bounds of the step: lower triangle, 00 10 11 20 21 22
    PalLanes spread;            // and how much the points make of it
    uint16_t corner[10][PAL_LANES];
} PalT10Batch;

// Rings of elements in batches of PAL_LANES: see PalElements.
typedef struct PalRingRows {
    const int32_t *start, *own;
    const int32_t (*node)[PAL_LANES];
    const PalLanes (*gradient)[3];
} PalRingRows;

// A chunk of rings at work; batches are counted from its first one.
typedef struct PalRingWork {
    const PalPart *part;
    const PalProny *prony;
    int32_t batch_count;
    const int32_t *start;               // first member of each batch
    const uint16_t (*base)[PAL_LANES];  // of each batch: four times the own nodes among the chunk's
    const uint16_t (*corner)[PAL_LANES];  // of each member, likewise
    const PalLanes (*gradient)[3];        // of each member
    const PalLanes *volume;               // of each batch
    const PalLanes *displacement;
    PalLanes *force;       // added to
    const double *before;  // history; NULL: none
    double *after;
} PalRingWork;

typedef void (*PalRingKernel)(const PalRingWork *work);

// The state of the control that bends as beams do, and what follows from it.
typedef struct PalH8Bend {
    PalLanes energy;
    PalLanes strain[4][3];  // of each pattern, along each edge
    PalLanes dual[3][3];    // a pattern's strain along edge i is dual[i] . its amount
    PalLanes force[4][3];   // - dE/d(amount) of each pattern
} PalH8Bend;

// PAL_LANES triangles, each with the three around it: docs/theory/membranes.md. Side i is opposite
// to corner i, from corner i + 1 to i + 2.
typedef struct PalShellBatch {
    PalLanes c[3][2][2];    // [side][edge, across][axis]: phi_axis = c p + c q at the side
    PalLanes phi[3][2][3];  // [side][axis]: the same at rest
    PalLanes g[3][2];       // gradients of the area coordinates
    PalLanes edge[2][3];    // from corner 0 to 1 and 2
    PalLanes normal[3];
    PalLanes h[3][3];       // second derivatives at rest: 11 22 12
    PalLanes A, V;          // area, volume
    PalLanes bend;          // A D, with the stiffness D against bending
    PalLanes mirror[3][3];  // [side]: 0 where there is none
    PalLanes mirrored;      // not 0: a lane has a mirror
    PalLanes is_wide;       // not 0: a lane has weights
    PalLanes wide[3][11];   // added to second derivatives: 11 22 12, of nodes 1 to 11 less node 0
    uint16_t corner[12][PAL_LANES];
} PalShellBatch;

// How it is deformed.
typedef struct PalShellNow {
    PalLanes phi[3][2][3];   // [side][axis]
    PalLanes e[3];           // C - I, mean over the sides: 11 22 12
    PalLanes S[3];           // second Piola-Kirchhoff stress
    PalLanes stretch;        // of the thickness
    PalLanes edge[2][3];     // from corner 0 to 1 and 2
    PalLanes normal[3], n2;  // unit normal; square of twice the area
    PalLanes h[3][3];        // second derivatives
    PalLanes bend[3];        // change of curvature
    PalLanes moment[3];      // times the area
} PalShellNow;

// A batch of solids at a point with a deformation gradient each, wherever its row keeps it.
typedef struct PalSolid {
    int32_t corner_count;
    int32_t pressure_count;               // corners with a pressure, the first ones; 0: none
    const double *weights;                // how much of each of these pressures it has
    const uint16_t (*corner)[PAL_LANES];  // four times the index among the block's nodes
    const PalLanes (*g)[3];               // gradients of the corners from the second on
    PalLanes V;
    const PalLanes *ratio;     // of volume, that the law's volumetric part has here; NULL: det F
    const PalLanes *pressure;  // at that ratio, relaxed
} PalSolid;

// How it is deformed.
typedef struct PalDeformed {
    PalLanesMat3 F;
    PalLanes J;  // det F
} PalDeformed;

#endif
