// Averaged nodal pressure.
#ifndef PAL_ELEMENT_PRESSURES_H
#define PAL_ELEMENT_PRESSURES_H

#include "element/data.h"

// Volume ratio and pressure of every node that has one, in the shape given. The pressure is relaxed
// with the history `before`, unless NULL, which advances into `after`, unless NULL.
void pal_pressures_update(const PalElements *elements, PalElementScratch *scratch,
                          const PalVec3 *displacement, const double *before, double *after);

#endif
