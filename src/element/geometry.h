// Reference geometry of one element: volume, mean gradients of the shape functions.
#ifndef PAL_ELEMENT_GEOMETRY_H
#define PAL_ELEMENT_GEOMETRY_H

#include <palpate/math.h>

#include <stdint.h>

// The four hourglass patterns of a hexahedron, at its corners.
extern const double pal_hourglass[4][8];

// Signed volume, and the gradients of the four shape functions.
double pal_t4_geometry(const PalVec3 corners[4], PalVec3 gradients[4]);

// Corners of a hexahedron with the three next to them.
extern const int pal_h8_tetrahedra[8][4];

// Signed volume, and the means over the element of the gradients of the eight shape functions.
double pal_h8_geometry(const PalVec3 corners[8], PalVec3 gradients[8]);

// Hexahedra, at Gauss point q, which is next to corner q: slopes of the shape functions by natural
// coordinates, dX/d(these) in columns; and the signed volume of the point and gradients.
void pal_h8_slopes(int32_t q, double slopes[8][3]);
void pal_h8_map(const PalVec3 corners[8], int32_t q, PalMat3 *map);
double pal_h8_point(const PalVec3 corners[8], int32_t q, PalVec3 gradients[8]);

// Quadratic tetrahedra, at point q: dX/d(parts of corners 1, 2, 3) in columns; and the signed
// volume of the point, gradients of the ten shape functions, and parts of the four corners.
void pal_t10_map(const PalVec3 corners[10], int32_t q, PalMat3 *map);
double pal_t10_point(const PalVec3 corners[10], int32_t q, PalVec3 gradients[10],
                     double weights[4]);

#endif
