// Distortion felt by rings of elements around edges, so that linear tetrahedra bend.
//
// With the mean F_r of the deformation gradients of the elements of a part that share edge r,
// weighted by volume, the distortion of the part costs
//   sum_r V_r D(F_r),   V_r = sum_{e at r} V_e / 6,
// and an element has a sixth of the stresses P(F_r) of its six edges.   docs/theory/elements.md, 9
#ifndef PAL_ELEMENT_RINGS_H
#define PAL_ELEMENT_RINGS_H

#include "element/data.h"
#include "element/layouts.h"

int32_t pal_ring_batch_count(const PalPart *part);

// Forces of all rings, relaxed by the history, which goes on, chunk by chunk in memory of their
// own; and adding them to those of nodes.
void pal_rings_push(const PalElements *elements, PalElementScratch *scratch,
                    const PalVec3 *displacement, double *history);
void pal_rings_add_forces(const PalElements *elements, PalElementScratch *scratch, PalVec3 *force);

// For output and steps, into scratch->rings: stresses, relaxed by a history that may be NULL and
// stands; energies; bounds of the second derivatives.
void pal_rings_stresses(const PalElements *elements, PalElementScratch *scratch,
                        const PalVec3 *displacement, const double *history);
void pal_rings_energies(const PalElements *elements, PalElementScratch *scratch,
                        const PalVec3 *displacement);
void pal_rings_bounds(const PalElements *elements, PalElementScratch *scratch,
                      const PalVec3 *displacement);

// The history of the batch that begins with a ring; NULL: it has none.
const double *pal_ring_history(const PalPart *part, int32_t ring, const double *history);

PalRingRows pal_ring_rows(const PalElements *elements);

#endif
