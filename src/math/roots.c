// Between two neighbouring roots of its derivative a polynomial is monotone, and so has at most one
// root there, which halving cannot miss. The roots of the derivative are found the same way, down
// to a straight line. A value counts as not positive unless it exceeds what rounding may have done
// to it, so that a root is found early rather than missed.
#include "math/roots.h"

#include <math.h>

// Of a sum of five products, each of up to five factors: 16 roundings are more than there are.
static const double rounding = 16 * 2.3e-16;

static double value_of(const double *c, int degree, double t)
{
    double sum = c[degree];
    for (int k = degree - 1; k >= 0; --k)
        sum = sum * t + c[k];
    return sum;
}

// What rounding may have done to value_of at t or before.
static double doubt_of(const double *c, int degree, double t)
{
    double sum = fabs(c[degree]);
    for (int k = degree - 1; k >= 0; --k)
        sum = sum * t + fabs(c[k]);
    return rounding * sum;
}

// The place in [low, high], between which p changes its sign once, by halving; `rises`: p(high) >
// 0.
static double halve(const double *c, int degree, double low, double high, int rises)
{
    for (int k = 0; k < 200; ++k) {
        double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            break;
        if ((value_of(c, degree, middle) > 0) == rises)
            high = middle;
        else
            low = middle;
    }
    return low;
}

// Roots of a polynomial in (0, end), given those of its derivative, both ascending; those without a
// change of sign are left out. How many.
static int between(const double *c, int degree, double end, const double *turns, int turn_count,
                   double *roots)
{
    int count = 0;
    double low = 0, at_low = value_of(c, degree, 0);
    for (int k = 0; k <= turn_count; ++k) {
        double high = k < turn_count ? turns[k] : end, at_high = value_of(c, degree, high);
        if ((at_low > 0) != (at_high > 0))
            roots[count++] = halve(c, degree, low, high, at_high > 0);
        low = high;
        at_low = at_high;
    }
    return count;
}

// Roots of the derivative in (0, end), ascending. How many.
static int turns_of(const double *c, int degree, double end, double *turns)
{
    double next[PAL_ROOTS_DEGREE_MAX];
    int count = 0;
    for (int order = degree - 1; order >= 1; --order) {  // from the straight line up
        double derivative[PAL_ROOTS_DEGREE_MAX + 1];
        for (int k = 0; k <= degree - order; ++k) {
            derivative[k] = c[k + order];
            for (int i = 1; i <= order; ++i)
                derivative[k] *= k + i;
        }
        count = between(derivative, degree - order, end, turns, count, next);
        for (int k = 0; k < count; ++k)
            turns[k] = next[k];
    }
    return count;
}

double pal_first_root(const double *coefficients, int degree, double end)
{
    double turns[PAL_ROOTS_DEGREE_MAX], lifted[PAL_ROOTS_DEGREE_MAX + 1];
    double doubt = doubt_of(coefficients, degree, end);
    if (!isfinite(doubt) || isnan(end))
        return 0;
    for (int k = 0; k <= degree; ++k)
        lifted[k] = coefficients[k];
    if (!(coefficients[0] > doubt_of(coefficients, degree, 0)))
        return 0;
    int turn_count = turns_of(coefficients, degree, end, turns);
    double low = 0;
    for (int k = 0; k <= turn_count; ++k) {
        double high = k < turn_count ? turns[k] : end;
        lifted[0] = coefficients[0] - 2 * doubt_of(coefficients, degree, high);
        if (!(value_of(lifted, degree, low) > 0))
            return low;
        if (!(value_of(lifted, degree, high) > 0))
            return halve(lifted, degree, low, high, 0);
        low = high;
    }
    return INFINITY;
}
