// What looks at candidates have in common: the lines of two edges.
#ifndef PAL_CONTACT_LAGRANGE_LOOKS_H
#define PAL_CONTACT_LAGRANGE_LOOKS_H

#include "contact/response/lagrange/lagrange.h"
#include "math/vec3.h"

#include <math.h>

// Are the lines of two edges farther apart than this? Then the edges are.
static inline __attribute__((always_inline)) bool pal_lines_are_apart(const PalVec3 *x,
                                                                      const int32_t v[4],
                                                                      double least, double *room)
{
    PalVec3 a = pal_vec3_sub(x[v[1]], x[v[0]]), b = pal_vec3_sub(x[v[3]], x[v[2]]);
    PalVec3 across = pal_vec3_cross(a, b);
    double along = pal_vec3_dot(across, pal_vec3_sub(x[v[2]], x[v[0]]));
    double square = pal_vec3_dot(across, across);
    if (!(along * along > least * least * square) ||
        !(square > PAL_LAGRANGE_PARALLEL * pal_vec3_dot(a, a) * pal_vec3_dot(b, b)))
        return false;
    *room = (1 - 1e-9) * fabs(along) / sqrt(square) - least;
    return true;
}

// How far the lines of two edges are apart, and in which direction: the edges are as far, at least.
// What is across both of two edges that are parallel is noise: 0.
static inline double pal_lines_apart(const PalVec3 x[4], PalVec3 *direction)
{
    PalVec3 a = pal_vec3_sub(x[1], x[0]), b = pal_vec3_sub(x[3], x[2]);
    PalVec3 across = pal_vec3_cross(a, b);
    double square = pal_vec3_dot(across, across);
    if (!(square > PAL_LAGRANGE_PARALLEL * pal_vec3_dot(a, a) * pal_vec3_dot(b, b)))
        return 0;
    double apart = pal_vec3_dot(across, pal_vec3_sub(x[0], x[2])) / sqrt(square);
    *direction = pal_vec3_scale((apart < 0 ? -1 : 1) / sqrt(square), across);
    return fabs(apart);
}

#endif
