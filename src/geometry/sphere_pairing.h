// Building a tree of spheres: which two go together.
#ifndef PAL_GEOMETRY_SPHERE_PAIRING_H
#define PAL_GEOMETRY_SPHERE_PAIRING_H

#include "geometry/sphere.h"

#define PAL_SPHERE_FACETS_MAX (1 << 27)

// spheres: 2 count - 1, of which the first `count` are given. Fills in the others, and the children
// of each. False: no memory.
bool pal_sphere_pairing(PalSphere *spheres, int32_t count, int32_t (*children)[2]);

#endif
