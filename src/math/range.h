// The smaller and the larger of two numbers, without the care for NaN that fmin and fmax take.
#ifndef PAL_MATH_RANGE_H
#define PAL_MATH_RANGE_H

static inline double pal_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double pal_max(double a, double b)
{
    return a > b ? a : b;
}

#endif
