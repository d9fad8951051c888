// Where a point lies over a facet along continuous normals.   docs/theory/contact-johnsen.md
#ifndef PAL_CONTACT_GAP_PROJECTED_H
#define PAL_CONTACT_GAP_PROJECTED_H

#include "contact/gap/normals.h"

typedef struct PalProjection {
    double weights[3];  // of the corners, >= 0
    PalVec3 normal;
    double gap;
} PalProjection;

// At the surface's end. False where it lies beside the facet, or |gap| is not below `limit`.
bool pal_project(PalNormals *normals, int32_t facet, PalVec3 point, double limit,
                 PalProjection *projection);

#endif
