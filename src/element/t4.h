// What t4 and t4-anp share: whether pressures are averaged is read from the row's traits.
#ifndef PAL_ELEMENT_T4_H
#define PAL_ELEMENT_T4_H

#include "element/solid.h"

extern const int pal_t4_tetrahedra[1][4];

double pal_t4_fill(const PalPart *part, const PalVec3 *corners, int32_t lane, void *batch);
void pal_t4_mass(const PalPart *part, const void *batch, const PalLanes *factor,
                 PalLanes shares[PAL_CORNER_MAX]);
void pal_t4_ratio(const PalBatch *batch, PalLanes *J);
void pal_t4_energy(const PalBatch *batch, PalLanes *energy);
void pal_t4_fields(const PalBatch *batch, PalBatchFields *fields);
void pal_t4_bound(const PalBatch *batch, PalLanes *bound);
void pal_t4_tangent(const PalBatch *batch, PalLanes *K);

#endif
