// The first time at which a polynomial is no longer positive.
#ifndef PAL_MATH_ROOTS_H
#define PAL_MATH_ROOTS_H

#define PAL_ROOTS_DEGREE_MAX 4

// p(t) = c[0] + c[1] t + ... + c[degree] t^degree, degree <= PAL_ROOTS_DEGREE_MAX. The answer is at
// most the first t in [0, end] with p(t) <= 0, and beyond it by no more than rounding explains;
// INFINITY where there is none. Roots that are only touched count, whatever the rounding. 0 where
// a number is missing.   docs/theory/levels.md, 2
double pal_first_root(const double *coefficients, int degree, double end);

#endif
