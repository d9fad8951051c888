// Signs of determinants of points, exact whatever the rounding.
#ifndef PAL_GEOMETRY_ORIENT_H
#define PAL_GEOMETRY_ORIENT_H

#include <palpate/math.h>

// The sign of (a - d) . ((b - d) x (c - d)): on which side of the plane through a, b, c lies d; 0
// on it. Exact while coordinates, where they differ, differ by 1e-70 to 1e100.
int pal_orient3d(PalVec3 a, PalVec3 b, PalVec3 c, PalVec3 d);

// The sign of (a - c) x (b - c) of the projections along an axis (0, 1 or 2).
int pal_orient2d(PalVec3 a, PalVec3 b, PalVec3 c, int axis);

#endif
