// Smoothing nodal pressures of linear tetrahedra, so that they neither lock nor oscillate.
//
// Pressures p_a = U'(J_a) and volume ratios J_a of nodes satisfy, with volumes v_a around them,
//   V_a J_a + sum_b S_ab p_b = v_a,   S = sum_e s V_e (I - 1/4),   s = 3 / (20 shear):
// what a pressure deviates from the mean of an element gives way to volume. Where the material
// relaxes, these are the pressures before.
// docs/theory/elements.md, 9
#ifndef PAL_ELEMENT_SMOOTH_H
#define PAL_ELEMENT_SMOOTH_H

#include "element/data.h"

#define PAL_SMOOTH_HISTORY 3  // numbers per node: J at the last three evaluations, less 1

// s of a material.
double pal_smoothing_of(const PalMaterialDef *material);

// Chunks of nodes to be solved for have v_a / V_a in scratch->ratios; it leaves J_a there, and p_a,
// relaxed as the step relaxes it, in scratch->pressures. Starts from the history `before` and
// leaves the new one in `after`; either may be NULL. The numbers of Prony terms come first.
void pal_smooth_pressures(const PalElements *elements, PalElementScratch *scratch,
                          const double *before, double *after);

#endif
