// The shortest way between a vertex and a facet, or two edges, and how it changes with their four
// points, twice.   docs/theory/barrier.md, 2
#ifndef PAL_CONTACT_GAP_NEARNESS_H
#define PAL_CONTACT_GAP_NEARNESS_H

#include "contact/gap/gap.h"
#include "geometry/closest.h"

enum { PAL_NEAR_SIZE = 12 };  // components of four points

// With n the unit vector from the second side to the first, and weights w:
//   distance = n . sum w_k x_k, d distance / d x_k = w_k n
typedef struct PalNearness {
    double distance;
    PalVec3 normal;
    double weights[4];
    int32_t free_count;     // ways in which the closest points can slide: 0 to 2
    double slides[2][4];    // change of the weights in each
    PalVec3 directions[2];  // sum of slides times points
    PalFeature feature;     // where on a facet, or which end of an edge, the closest point is
} PalNearness;

// Which two sides. Those of fewer than four points leave the last ones alone.
typedef enum PalNearKind {
    PAL_NEAR_VERTEX_FACET,
    PAL_NEAR_EDGES,
    PAL_NEAR_VERTEX_EDGE,
    PAL_NEAR_VERTICES,
} PalNearKind;

// False: they touch, or a number is none.
bool pal_nearness_find(PalNearKind kind, const PalVec3 points[4], PalNearness *near);

// slope (d distance)^2 + push d2 distance, as a matrix of the points' components, row by row: the
// second derivative of a function of the distance with these derivatives. `positive`: the nearest
// one without negative eigenvalues.
typedef struct PalNearCurve {
    double push, slope;  // first and second derivative
    bool positive;
} PalNearCurve;

void pal_nearness_curve(const PalNearness *near, const PalNearCurve *curve,
                        double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE]);

// A symmetric matrix loses its negative eigenvalues. At most PAL_NEAR_SIZE rows, row by row.
void pal_make_positive(int32_t size, double *matrix);

#endif
