// Unit quaternions: rotations that can be put together step after step without losing their shape.
#ifndef PAL_MATH_QUATERNION_H
#define PAL_MATH_QUATERNION_H

#include "math/mat3.h"

static inline PalQuaternion pal_quaternion_identity(void)
{
    return (PalQuaternion){1, 0, 0, 0};
}

// First b, then a.
static inline PalQuaternion pal_quaternion_multiply(PalQuaternion a, PalQuaternion b)
{
    return (PalQuaternion){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    };
}

// The rotation back.
static inline PalQuaternion pal_quaternion_conjugate(PalQuaternion q)
{
    return (PalQuaternion){q.w, -q.x, -q.y, -q.z};
}

// Of any length but 0.
static inline PalQuaternion pal_quaternion_normalise(PalQuaternion q)
{
    double scale = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (PalQuaternion){scale * q.w, scale * q.x, scale * q.y, scale * q.z};
}

static inline PalVec3 pal_quaternion_axis(PalQuaternion q)
{
    return (PalVec3){q.x, q.y, q.z};
}

// v + 2 w (a x v) + 2 a x (a x v) with a the axis.
static inline PalVec3 pal_quaternion_apply(PalQuaternion q, PalVec3 v)
{
    PalVec3 a = pal_quaternion_axis(q), once = pal_vec3_cross(a, v);
    PalVec3 twice = pal_vec3_cross(a, once);
    return pal_vec3_add_scaled(pal_vec3_add_scaled(v, 2 * q.w, once), 2, twice);
}

PalMat3 pal_quaternion_matrix(PalQuaternion q);
// Of a rotation matrix; w is not negative.
PalQuaternion pal_quaternion_from_matrix(const PalMat3 *rotation);
// Axis times angle, the short way round: at most half a turn.
PalVec3 pal_quaternion_rotation_vector(PalQuaternion q);

#endif
