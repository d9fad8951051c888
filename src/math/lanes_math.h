// Functions of batches. All inline, so that each clone of a caller gets its own.
#ifndef PAL_MATH_LANES_MATH_H
#define PAL_MATH_LANES_MATH_H

#include "math/lanes.h"

#include <math.h>
#include <stdint.h>

#define PAL_LANES_INLINE static inline __attribute__((always_inline))

typedef int64_t PalLanesInt __attribute__((vector_size(PAL_LANES * sizeof(int64_t))));
typedef uint64_t PalLanesBits __attribute__((vector_size(PAL_LANES * sizeof(uint64_t))));

PAL_LANES_INLINE PalLanes pal_lanes_all(double value)
{
    return (PalLanes){value, value, value, value};
}

// Where `mask` is all ones a, where it is zero b: the result of a comparison selects.
PAL_LANES_INLINE PalLanes pal_lanes_select(PalLanesInt mask, PalLanes a, PalLanes b)
{
    return (PalLanes)((mask & (PalLanesInt)a) | (~mask & (PalLanesInt)b));
}

PAL_LANES_INLINE PalLanes pal_lanes_sqrt(PalLanes x)
{
    PalLanes root;
    for (int l = 0; l < PAL_LANES; ++l)
        root[l] = sqrt(x[l]);
    return root;
}

// Numbers with an exponent this large count integers in their low bits, which turns small
// integers into doubles and back by adding and subtracting.
#define PAL_LANES_MAGIC      0x1.8p52
#define PAL_LANES_MAGIC_BITS INT64_C(0x4338000000000000)

// x^(-1/3) to about one unit in the last place, exactly 1 at x = 1. A third of the exponent gives
// a start within 6.2 %; (1 - e)^(-1/3) = 1 + e/3 + 2 e^2/9 + ... with e = 1 - x y^3 brings it to
// 3e-5 and then to round-off. Meaningless unless x is positive and normal.
PAL_LANES_INLINE PalLanes pal_lanes_inverse_cbrt(PalLanes x)
{
    PalLanesInt high = ((PalLanesInt)x >> 32) + PAL_LANES_MAGIC_BITS;
    PalLanes bits = (PalLanes)high - PAL_LANES_MAGIC;
    PalLanes start = (0x3ff00000p0 + 0x3ff00000p0 / 3.0 - bits * (1.0 / 3.0)) + PAL_LANES_MAGIC;
    PalLanes y = (PalLanes)(((PalLanesInt)start - PAL_LANES_MAGIC_BITS) << 32);
    for (int step = 0; step < 2; ++step) {
        PalLanes e = 1.0 - x * (y * y * y);
        y += y * (e * (1.0 / 3.0 + e * (2.0 / 9.0 + e * (14.0 / 81.0 + e * (35.0 / 243.0)))));
    }
    return y;
}

// x = n ln 2 + r with |r| <= ln 2 / 2: e^r - 1 by a Taylor polynomial, and 2^n as two factors
// lest it overflow on the way. NaN stays NaN.
PAL_LANES_INLINE PalLanes pal_lanes_exp_parts(PalLanes x, PalLanes *half, PalLanes *other_half)
{
    static const double inverse_factorial[] = {
        1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
        1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0,
    };
    x = pal_lanes_select((PalLanesInt)(x > 1000.0), pal_lanes_all(1000.0), x);
    x = pal_lanes_select((PalLanesInt)(x < -1000.0), pal_lanes_all(-1000.0), x);
    PalLanes shifted = x * 0x1.71547652b82fep0 + PAL_LANES_MAGIC;
    PalLanes n = shifted - PAL_LANES_MAGIC;
    PalLanes r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    PalLanes sum = pal_lanes_all(inverse_factorial[11]);
    for (int k = 10; k >= 0; --k)
        sum = sum * r + inverse_factorial[k];
    PalLanesInt whole = (PalLanesInt)shifted - PAL_LANES_MAGIC_BITS, first = whole >> 1;
    *half = (PalLanes)((first + 1023) << 52);
    *other_half = (PalLanes)((whole - first + 1023) << 52);
    return r + r * r * sum;
}

// e^x to about one unit in the last place.
PAL_LANES_INLINE PalLanes pal_lanes_exp(PalLanes x)
{
    PalLanes half, other_half, rest = pal_lanes_exp_parts(x, &half, &other_half);
    return (1.0 + rest) * half * other_half;
}

// e^x - 1 to about two units in the last place, near 0 too.
PAL_LANES_INLINE PalLanes pal_lanes_expm1(PalLanes x)
{
    PalLanes half, other_half, rest = pal_lanes_exp_parts(x, &half, &other_half);
    // 2^-n of a power of two is its exponent's mirror image.
    PalLanes inverse = (PalLanes)((INT64_C(2046) << 52) - (PalLanesInt)other_half);
    return (rest * half + (half - inverse)) * other_half;
}

// Natural logarithm to about one unit in the last place, exactly 0 at 1: x = 2^n (1 + f),
// s = f / (2 + f), log(1 + f) = 2 s + 2 s^3/3 + 2 s^5/5 + ... NaN unless x is positive and normal.
PAL_LANES_INLINE PalLanes pal_lanes_log(PalLanes x)
{
    const int64_t root_half = INT64_C(0x3fe6a09e00000000);
    PalLanesInt above = (PalLanesInt)((PalLanesBits)x - (uint64_t)root_half);  // any bits of x
    PalLanes n = (PalLanes)((above >> 52) + PAL_LANES_MAGIC_BITS) - PAL_LANES_MAGIC;
    PalLanes f = (PalLanes)((above & INT64_C(0x000fffffffffffff)) + root_half) - 1.0;
    PalLanes s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
    PalLanes sum = pal_lanes_all(2.0 / 23);
    for (int odd = 21; odd >= 3; odd -= 2)
        sum = sum * z + 2.0 / odd;
    PalLanes tail = s * (half_square + z * sum) + n * 0x1.a39ef35793c76p-33;
    PalLanes value = n * 0x1.62e42fee00000p-1 - ((half_square - tail) - f);
    PalLanesInt good = (PalLanesInt)(x >= 0x1p-1022) & (PalLanesInt)(x < (double)INFINITY);
    return pal_lanes_select(good, value, pal_lanes_all((double)NAN));
}

PAL_LANES_INLINE void pal_lanes_cofactor(const PalLanesMat3 *a, PalLanesMat3 *cofactor)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor->m[i][j] = a->m[i1][j1] * a->m[i2][j2] - a->m[i1][j2] * a->m[i2][j1];
        }
}

// Sum over i, j of a_ij b_ij.
PAL_LANES_INLINE PalLanes pal_lanes_inner(const PalLanesMat3 *a, const PalLanesMat3 *b)
{
    PalLanes sum = a->m[0][0] * b->m[0][0];
    for (int k = 1; k < 9; ++k)
        sum += a->m[k / 3][k % 3] * b->m[k / 3][k % 3];
    return sum;
}

// Determinant, given the cofactors.
PAL_LANES_INLINE PalLanes pal_lanes_determinant(const PalLanesMat3 *a, const PalLanesMat3 *cofactor)
{
    return a->m[0][0] * cofactor->m[0][0] + a->m[0][1] * cofactor->m[0][1] +
           a->m[0][2] * cofactor->m[0][2];
}

#endif
