// Cones in batches.
#ifndef PAL_GEOMETRY_CONE_LANES_H
#define PAL_GEOMETRY_CONE_LANES_H

#include "geometry/hierarchy.h"

// Cones of the normals of `count` facets, at leaves[0], leaves[1], ...
void pal_cones_of_facets(const PalVec3 *x, const int32_t (*corners)[3], const int32_t *leaves,
                         int32_t count, PalCone *cones);

// Merges, of which each PAL_LANES consecutive ones do not need each other. Within 1e-10 of
// pal_cone_merge, and never too narrow.
void pal_cones_merge(PalConeKind kind, const PalConeMerge *merges, int32_t count, PalCone *cones);

#endif
