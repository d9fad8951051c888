// Fitting some of a hierarchy's volumes.
#ifndef PAL_GEOMETRY_REFIT_H
#define PAL_GEOMETRY_REFIT_H

#include "geometry/hierarchy.h"

// Box and cone of a leaf, from its facet.
void pal_refit_leaf(PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t place);

// Box and cone of a volume, from its children's.
void pal_refit_inner(PalHierarchy *hierarchy, int32_t volume);

// Boxes and cones of a volume and all inside it. Returns how many.
int32_t pal_refit_subtree(PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t volume);

// Box and cone of a volume, from all its facets: children need not be right. aabb only.
void pal_refit_direct(PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t volume);

// The same with other numbers for the vertices: `corners` per place in the order.
void pal_refit_direct_at(PalHierarchy *hierarchy, const PalTriangles *triangles,
                         const int32_t (*corners)[3], int32_t volume);

#endif
