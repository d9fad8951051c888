// Equations whose matrix is known by its products, with the help of an inverse of a matrix near it.
#ifndef PAL_MATH_GMRES_H
#define PAL_MATH_GMRES_H

#include <palpate/base.h>

#define PAL_GMRES_MOST 12  // products at most

typedef struct PalGmres {
    int32_t size;
    double *memory;  // basis, and what the inverse makes of it
} PalGmres;

// y = A x, and x = inverse of M times x.
typedef struct PalGmresPair {
    void *context;
    void (*multiply)(void *context, const double *x, double *y);
    PalStatus (*divide)(void *context, double *x, PalError *error);
} PalGmresPair;

PalStatus pal_gmres_create(int32_t size, PalGmres *gmres, PalError *error);
void pal_gmres_clear(PalGmres *gmres);

// x holds the right side and receives the solution. `left`: the part of the right side that is left
// after at most `most` products; they end once it is below `exact`.
PalStatus pal_gmres_solve(const PalGmres *gmres, const PalGmresPair *pair, double exact,
                          int32_t most, double *x, double *left, PalError *error);

#endif
