// The linear tetrahedron's layout, and what t4 and t4-anp share.
#ifndef PAL_ELEMENT_T4_H
#define PAL_ELEMENT_T4_H

#include "element/solid.h"

// PAL_LANES tetrahedra. Gradients of the shape functions of corners 1, 2, 3 in the reference
// shape; that of corner 0 is minus their sum. Padding has no volume and no gradients.
typedef struct PalT4Batch {
    PalLanes g[3][3];  // [corner - 1][axis]
    PalLanes V;
    uint16_t corner[4][PAL_LANES];  // four times the index among the block's nodes
} PalT4Batch;

extern const int pal_t4_tetrahedra[1][4];

double pal_t4_fill(const PalPart *part, const PalVec3 *corners, int32_t lane, void *batch);
void pal_t4_mass(const PalPart *part, const void *batch, const PalLanes *factor,
                 PalLanes shares[PAL_CORNER_MAX]);
void pal_t4_ratio(const PalBatch *batch, PalLanes *J);

// The same whether pressures are averaged or not.
void pal_t4_energy(const PalBatch *batch, bool averaged, PalLanes *energy);
void pal_t4_fields(const PalBatch *batch, bool averaged, PalBatchFields *fields);
void pal_t4_bound(const PalBatch *batch, bool averaged, PalLanes *bound);

#endif
