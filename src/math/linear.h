// The solvers of symmetric equations that libpalpate brings.
#ifndef PAL_MATH_LINEAR_H
#define PAL_MATH_LINEAR_H

#include <palpate/linear.h>

extern const PalLinearSolver pal_linear_ldl;     // factors
extern const PalLinearSolver pal_linear_minres;  // none

// An order of elimination that keeps factors small, where places are known: order[k] is the row
// that goes k-th.
PalStatus pal_dissect(const PalSymmetric *pattern, int32_t *order, PalError *error);

// y = A x, from the lower triangle.
void pal_symmetric_multiply(const PalSymmetric *matrix, const double *x, double *y);

static inline bool pal_watch_goes_on(const PalWatch *watch)
{
    return watch == NULL || watch->goes_on == NULL || watch->goes_on(watch->context);
}

#endif
