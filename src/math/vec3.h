// Vectors of three.
#ifndef PAL_MATH_VEC3_H
#define PAL_MATH_VEC3_H

#include <math.h>
#include <palpate/math.h>
#include <stdbool.h>

static inline PalVec3 pal_vec3(double x, double y, double z)
{
    return (PalVec3){x, y, z};
}

static inline PalVec3 pal_vec3_add(PalVec3 a, PalVec3 b)
{
    return (PalVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline PalVec3 pal_vec3_sub(PalVec3 a, PalVec3 b)
{
    return (PalVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline PalVec3 pal_vec3_scale(double s, PalVec3 a)
{
    return (PalVec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline PalVec3 pal_vec3_add_scaled(PalVec3 a, double s, PalVec3 b)
{
    return (PalVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double pal_vec3_dot(PalVec3 a, PalVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline PalVec3 pal_vec3_cross(PalVec3 a, PalVec3 b)
{
    return (PalVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double pal_vec3_length(PalVec3 a)
{
    return sqrt(pal_vec3_dot(a, a));
}

static inline double pal_vec3_distance(PalVec3 a, PalVec3 b)
{
    return pal_vec3_length(pal_vec3_sub(a, b));
}

// The zero vector stays zero.
static inline PalVec3 pal_vec3_normalise(PalVec3 a)
{
    double length = pal_vec3_length(a);
    return length > 0 ? pal_vec3_scale(1 / length, a) : a;
}

// Some unit vector at a right angle to a unit vector.
static inline PalVec3 pal_vec3_any_across(PalVec3 a)
{
    PalVec3 other = fabs(a.x) < 0.6 ? pal_vec3(1, 0, 0) : pal_vec3(0, 1, 0);
    return pal_vec3_normalise(pal_vec3_cross(a, other));
}

static inline bool pal_vec3_is_finite(PalVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// Component 0, 1 or 2.
static inline double pal_vec3_at(PalVec3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

#endif
