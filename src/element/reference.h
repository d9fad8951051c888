// The plain twin of the kernels: one element after the other, in the caller's order.
#ifndef PAL_ELEMENT_REFERENCE_H
#define PAL_ELEMENT_REFERENCE_H

#include "element/elements.h"

// Internal forces without relaxation, and their energy (may be NULL). False without
// memory.
bool pal_elements_force_ref(const PalElementsDef *def, const PalVec3 *displacement, PalVec3 *force,
                            double *energy);

#endif
