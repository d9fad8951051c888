// Components of vectors by their numbers, 0 to 2. A vector is no array: compilers may take it for
// granted that a pointer to x stays there.
#ifndef PAL_MATH_COMPONENTS_H
#define PAL_MATH_COMPONENTS_H

#include "math/vec3.h"

static inline void pal_vec3_put(PalVec3 *a, int i, double value)
{
    double *place = i == 0 ? &a->x : i == 1 ? &a->y : &a->z;
    *place = value;
}

// 0 in the components whose bits are set, as in those that are held.
static inline PalVec3 pal_vec3_without(PalVec3 a, unsigned bits)
{
    return (PalVec3){bits & 1 ? 0 : a.x, bits & 2 ? 0 : a.y, bits & 4 ? 0 : a.z};
}

#endif
