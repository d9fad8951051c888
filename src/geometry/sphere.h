// Spheres around points, and around each other.
#ifndef PAL_GEOMETRY_SPHERE_H
#define PAL_GEOMETRY_SPHERE_H

#include "math/vec3.h"
#include <palpate/base.h>

// The radius is < 0 where there is nothing in it, and infinite where a number is missing.
typedef struct PalSphere {
    PalVec3 centre;
    double radius;
} PalSphere;

// By two passes over the points (Ritter 1990).
PalSphere pal_sphere_ritter(const PalVec3 *points, int32_t count);
// The smallest around the points that lie farthest in some directions, grown to hold all (Larsson
// 2008): tighter, for little more.
PalSphere pal_sphere_extremal(const PalVec3 *points, int32_t count);
// The smallest there is, of up to four points.
PalSphere pal_sphere_of_few(const PalVec3 *points, int count);

// The smallest around two.
static inline PalSphere pal_sphere_around(const PalSphere *a, const PalSphere *b)
{
    PalVec3 way = pal_vec3_sub(b->centre, a->centre);
    double distance = pal_vec3_length(way);
    if (distance + b->radius <= a->radius)
        return *a;
    if (distance + a->radius <= b->radius)
        return *b;
    double radius = (distance + a->radius + b->radius) / 2;
    PalVec3 centre =
        pal_vec3_add_scaled(a->centre, distance > 0 ? (radius - a->radius) / distance : 0, way);
    // rounding: the farthest point of each is inside
    double least = fmax(pal_vec3_distance(centre, a->centre) + a->radius,
                        pal_vec3_distance(centre, b->centre) + b->radius);
    return (PalSphere){centre, (1 + 4e-16) * fmax(radius, least)};
}

// No point is in both.
static inline bool pal_spheres_apart(const PalSphere *a, const PalSphere *b)
{
    PalVec3 way = pal_vec3_sub(b->centre, a->centre);
    double reach = a->radius + b->radius;
    return pal_vec3_dot(way, way) > reach * reach;
}

#endif
