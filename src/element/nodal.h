// Distortion felt by nodes, so that linear tetrahedra bend.
//
// With the mean F_a of the deformation gradients of the elements at a node of a part, weighted by
// volume, the distortion of the part costs
//   (1 - n) sum_e V_e D(F_e) + n sum_a V_a D(F_a),   V_a = sum_{e at a} V_e / 4,
// n the row's share. An element then has the stress (1 - n) P(F_e) + n/4 sum_a P(F_a) over its
// corners.   docs/theory/elements.md, 9
#ifndef PAL_ELEMENT_NODAL_H
#define PAL_ELEMENT_NODAL_H

#include "element/data.h"

int32_t pal_nodal_batch_count(const PalPart *part);

// F and the stress of all nodes that feel distortion, relaxed from the history `before`, which goes
// on in `after`; either may be NULL.
void pal_nodal_update(const PalElements *elements, PalElementScratch *scratch,
                      const PalVec3 *displacement, const double *before, double *after);
// After an update: energies, and bounds of the second derivatives.
void pal_nodal_energies(const PalElements *elements, PalElementScratch *scratch);
void pal_nodal_bounds(const PalElements *elements, PalElementScratch *scratch);

// The history of the batch that begins with a node; NULL: it has none.
const double *pal_nodal_history(const PalPart *part, int32_t node, const double *history);

// The batch that a node begins.
static inline int32_t pal_nodal_batch(const PalPart *part, int32_t node)
{
    return part->first_nodal_batch + (node - part->first_pressure) / PAL_LANES;
}

#endif
