// Boxes with axes of their own.
#ifndef PAL_GEOMETRY_OBB_H
#define PAL_GEOMETRY_OBB_H

#include "geometry/hierarchy.h"

// Frame and box of a leaf, and of a volume around its children.
void pal_obb_fit_leaf(PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t place);
void pal_obb_fit_inner(PalHierarchy *hierarchy, int32_t volume);

// The box alone: the frame stays.
void pal_obb_enclose_children(PalHierarchy *hierarchy, int32_t volume);

// Whether two boxes with frames have a point in common: separating axes, conservative.
bool pal_obbs_overlap(const PalBox *a, const PalMat3 *frame_a, const PalBox *b,
                      const PalMat3 *frame_b);

#endif
