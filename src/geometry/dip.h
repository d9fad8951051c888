// A triangle that dips into a cell with a depth: a tetrahedron, or a part of one, in which depth is
// linear. The pressure on the part of the triangle inside is s d, with d the depth and s a
// stiffness that is linear on the triangle; it acts along the gradient of the depth. All integrals
// are exact, and so are their derivatives.   docs/theory/material-depth.md
#ifndef PAL_GEOMETRY_DIP_H
#define PAL_GEOMETRY_DIP_H

#include "math/vec3.h"
#include <palpate/base.h>

#define PAL_DIP_ROUNDING 1e-9  // of a cell: a point so near to its side may be on it

enum { PAL_DIP_CLIPS = 5, PAL_DIP_CORNERS = 3 + PAL_DIP_CLIPS, PAL_DIP_NODES = 7 };

// A cell is what is inside a tetrahedron's corners where every clip, by weights of the four
// corners, is not negative. A whole tetrahedron has the weights themselves as clips.
typedef struct PalDipCell {
    PalVec3 corners[4];
    double depth[4];  // d = sum of depth times weight
    int clip_count;   // 0: the whole tetrahedron
    const double (*clips)[4];
} PalDipCell;

typedef struct PalDipTriangle {
    PalVec3 corners[3];
    double area;          // as the pressure counts it: at rest
    double stiffness[3];  // s at the corners
} PalDipTriangle;

// Corner of the polygon in which both meet, and the edge from there to the next one.
typedef struct PalDipCorner {
    double weights[3];  // of the triangle's corners
    int clip;           // on which clip that edge lies; PAL_NONE: on an edge of the triangle
} PalDipCorner;

typedef struct PalDip {
    double place[3][4];    // weights of the cell's corners where the triangle's corners are
    double depth[3];       // of the triangle's corners, as the cell would have it
    PalVec3 gradients[4];  // of the weights of the cell's corners
    PalVec3 normal;        // gradient of the depth
    int corner_count;
    PalDipCorner corners[PAL_DIP_CORNERS];
    double load[3];   // integral of s d, as the triangle's corners share it
    double area[3];   // of 1
    double share[3];  // of d
    double deepest;   // largest d
    double margin;    // of a point: its least weight in the cell, below 0 by rounding at most
} PalDip;

// Forces on the corners of the triangle and then those of the cell. They add up to nothing, and so
// do their moments.
typedef struct PalDipForces {
    PalVec3 of[PAL_DIP_NODES];
} PalDipForces;

// Minus the derivative of the forces: block i, j tells how the force on corner i changes with the
// position of corner j.
typedef struct PalDipTangent {
    PalMat3 of[PAL_DIP_NODES][PAL_DIP_NODES];
} PalDipTangent;

// Gradient of the depth; zero in a cell without volume.
PalVec3 pal_dip_slope(const PalDipCell *cell);

// False: they do not meet, or the cell has no volume.
bool pal_dip_find(const PalDipTriangle *triangle, const PalDipCell *cell, PalDip *dip);

// The same for a point alone, the triangle's first corner, which stands for its area. On a side
// that cells share it is in all of them: which one counts is up to the caller, by `margin`.
bool pal_dip_find_point(const PalDipTriangle *triangle, const PalDipCell *cell, PalDip *dip);

void pal_dip_forces(const PalDip *dip, PalDipForces *forces);

void pal_dip_tangent(const PalDipTriangle *triangle, const PalDipCell *cell, const PalDip *dip,
                     PalDipTangent *tangent);
// Only what comes from points that get deeper: symmetric, and no eigenvalue is negative.
void pal_dip_stable_tangent(const PalDipTriangle *triangle, const PalDip *dip,
                            PalDipTangent *tangent);

// Points of the polygon at which sums over `weight` integrate what is of the fourth degree.
typedef struct PalDipPoint {
    double weights[3];  // of the triangle's corners
    double weight;      // of the area at rest
} PalDipPoint;

enum { PAL_DIP_POINTS = 6 * (PAL_DIP_CORNERS - 2) };

int pal_dip_points(const PalDipTriangle *triangle, const PalDip *dip,
                   PalDipPoint points[PAL_DIP_POINTS]);

#endif
