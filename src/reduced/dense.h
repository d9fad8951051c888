// Small dense symmetric systems.
#ifndef PAL_REDUCED_DENSE_H
#define PAL_REDUCED_DENSE_H

#include <stdbool.h>
#include <stdint.h>

// a = L L' in its lower triangle, `stride` numbers a row. False: not positive.
bool pal_dense_factor(double *a, int32_t size, int32_t stride);
// x: the right side, and then the solution.
void pal_dense_solve(const double *a, int32_t size, int32_t stride, double *x);

// Eigenvalues, descending, and eigenvectors of a symmetric matrix (all of it given, size x size; it
// is overwritten): row k of `vectors` is the k-th. `scratch` has room for 2 size numbers.
void pal_dense_eigen(double *a, int32_t size, double *values, double *vectors, double *scratch);

#endif
