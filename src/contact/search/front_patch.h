// When a patch of facets cannot touch itself: docs/theory/front.md.
#ifndef PAL_CONTACT_FRONT_PATCH_H
#define PAL_CONTACT_FRONT_PATCH_H

#include "contact/search/method.h"

// How a facet may be oriented while its vertices stay in their places.
typedef struct PalLean {
    PalVec3 normal;  // at the centres of the places; zero where the facet has no direction
    double sine;     // of the largest angle its normal may turn by; 1: any
} PalLean;

PalLean pal_lean_of(const PalPlaces *places, const int32_t facet[3]);

// Facets whose edges, but for the rim, each run once in either direction; the rim is one loop.
typedef struct PalPatch {
    int32_t facet_count;
    const int32_t *facets;  // indices of leans
    const PalLean *leans;
    int32_t rim_count;
    const int32_t *rim;  // vertices, in the order of the surface's orientation
} PalPatch;

// Looks for a direction from which all facets of the patch show their front, whatever their
// vertices do in their places. It starts at *direction, any vector; *witness is a facet that spoke
// against a direction last time, or is one to be tried first.
bool pal_patch_faces(const PalPatch *patch, PalVec3 *direction, int32_t *witness);

// Whether the rim, seen along the unit vector, cannot cross itself. `flat` has room for rim_count.
bool pal_patch_rim_is_simple(const PalPatch *patch, const PalPlaces *places, PalVec3 direction,
                             double (*flat)[3]);

#endif
