// Answers of a vademecum, for those who make one.
#ifndef PAL_REDUCED_EVALUATE_H
#define PAL_REDUCED_EVALUATE_H

#include "reduced/vademecum.h"

// Coefficients in balance with a load, from `start` or, NULL, the linear answer. They are the
// work's and stay until it is used again. *found false: there is no balance, and they are anything.
const double *pal_vademecum_balance(const PalVademecum *book, PalVademecumWork *work,
                                    const PalVademecumLoad *load, const double *start, bool *found);

#endif
