// Reference geometry of one element: volume, mean gradients of the shape functions.
#ifndef PAL_ELEMENT_GEOMETRY_H
#define PAL_ELEMENT_GEOMETRY_H

#include <palpate/math.h>

// The four hourglass patterns of a hexahedron, at its corners.
extern const double pal_hourglass[4][8];

// Signed volume, and the gradients of the four shape functions.
double pal_t4_geometry(const PalVec3 corners[4], PalVec3 gradients[4]);

// Signed volume, and the means over the element of the gradients of the eight shape functions.
double pal_h8_geometry(const PalVec3 corners[8], PalVec3 gradients[8]);

#endif
