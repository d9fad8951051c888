// Tangents of the distortion that nodes feel: each couples all nodes around one, so that rows reach
// to the neighbours of neighbours.   docs/theory/elements.md, 9
#ifndef PAL_ELEMENT_STIFFNESS_NODAL_H
#define PAL_ELEMENT_STIFFNESS_NODAL_H

#include "element/stiffness.h"

// Calls back for each two nodes that a patch has, each once, `other` at most `node`.
typedef void (*PalNodalPair)(void *context, int32_t node, int32_t other);
PalStatus pal_nodal_pairs(const PalElements *elements, PalNodalPair call, void *context);

// Memory for patches, once the pattern is known.
PalStatus pal_stiffness_build_nodal(PalStiffness *stiffness);

// Adds V_a B_a^T A_a B_a of all patches: groups of them in parallel, then each in its order. The
// scratch has been updated in the shape; `history` is that before the step.
void pal_stiffness_add_nodal(PalStiffness *stiffness, PalElementScratch *scratch,
                             const double *history);

#endif
