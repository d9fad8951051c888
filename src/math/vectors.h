// Long vectors of equations.
#ifndef PAL_MATH_VECTORS_H
#define PAL_MATH_VECTORS_H

#include <palpate/base.h>

double pal_vectors_dot(int32_t size, const double *a, const double *b);

// Room for so many of them, one after the other, all zero; the caller frees it.
PalStatus pal_vectors_create(int32_t size, int32_t count, double **vectors, PalError *error);

#endif
