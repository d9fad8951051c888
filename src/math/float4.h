// Four floats in one register: what boxes are compared with.
#ifndef PAL_MATH_FLOAT4_H
#define PAL_MATH_FLOAT4_H

#include <math.h>
#include <palpate/math.h>
#include <stdbool.h>
#include <stdint.h>

typedef float PalFloat4 __attribute__((vector_size(16)));
typedef int32_t PalInt4 __attribute__((vector_size(16)));

static inline PalFloat4 pal_float4(PalVec3 a)
{
    return (PalFloat4){(float)a.x, (float)a.y, (float)a.z, 0};
}

// Where a number is missing, b.
static inline PalFloat4 pal_float4_min(PalFloat4 a, PalFloat4 b)
{
#if defined(__SSE__)
    return __builtin_ia32_minps(a, b);
#else
    PalFloat4 least;
    for (int i = 0; i < 4; ++i)
        least[i] = a[i] < b[i] ? a[i] : b[i];
    return least;
#endif
}

static inline PalFloat4 pal_float4_max(PalFloat4 a, PalFloat4 b)
{
#if defined(__SSE__)
    return __builtin_ia32_maxps(a, b);
#else
    PalFloat4 most;
    for (int i = 0; i < 4; ++i)
        most[i] = a[i] > b[i] ? a[i] : b[i];
    return most;
#endif
}

// Whether any comparison came out true.
static inline bool pal_int4_any(PalInt4 mask)
{
    typedef int64_t Halves __attribute__((vector_size(16)));
    Halves halves = (Halves)mask;
    return (halves[0] | halves[1]) != 0;
}

static inline float pal_float4_dot3(PalFloat4 a, PalFloat4 b)
{
    PalFloat4 product = a * b;
    return product[0] + product[1] + product[2];
}

// The same numbers, and minus infinity where one is missing.
static inline PalFloat4 pal_float4_known(PalFloat4 a)
{
    const PalFloat4 endless = {INFINITY, INFINITY, INFINITY, INFINITY};
    return pal_float4_max(a, -endless);
}

// A bound not above (not below) what the given one was before it was rounded to float. Where that
// is no number, or more than a float can hold: infinite.
static inline PalFloat4 pal_float4_lower(PalFloat4 a)
{
    const PalFloat4 ulp = {1.2e-7f, 1.2e-7f, 1.2e-7f, 0}, least = {1e-37f, 1e-37f, 1e-37f, 0};
    return pal_float4_known(a - (pal_float4_max(a, -a) * ulp + least));
}

static inline PalFloat4 pal_float4_upper(PalFloat4 a)
{
    return -pal_float4_lower(-a);
}

#endif
