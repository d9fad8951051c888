// The triangle of a closed surface that is nearest to a point, and on which side the point is.
#ifndef PAL_GEOMETRY_NEAREST_H
#define PAL_GEOMETRY_NEAREST_H

#include "geometry/closest.h"
#include <palpate/base.h>

typedef struct PalNearestNode {
    PalBounds box;
    int32_t first, count;  // of a leaf: its place in `items`
    int32_t right;         // of others: the second child; the first is the next node. 0: a leaf
} PalNearestNode;

// Borrows the surface: its arrays have to stay.
typedef struct PalNearest {
    const PalVec3 *vertices;
    const int32_t (*facets)[3];  // counter-clockwise seen from outside
    int32_t vertex_count, facet_count, node_count;
    PalNearestNode *nodes;
    int32_t *items;              // facets
    PalVec3 *vertex_normals;     // of each vertex: normals of its facets, weighted by angles
    PalVec3 (*edge_normals)[3];  // of each facet's edges: sums of the two facets' normals
} PalNearest;

typedef struct PalNearestPoint {
    int32_t facet;
    double weights[3];  // of its corners in the closest point
    double distance;    // negative inside
    PalFeature feature;
} PalNearestPoint;

// At least one facet. PAL_BAD_INPUT where an edge has not exactly two facets of one orientation.
PalStatus pal_nearest_init(PalNearest *nearest, PalError *error);
void pal_nearest_clear(PalNearest *nearest);

// Signed by the angle-weighted normal of the closest feature, which is exact for a closed surface
// (Baerentzen and Aanaes 2005). `hint`: a facet to look at first, or PAL_NONE.
PalNearestPoint pal_nearest_find(const PalNearest *nearest, PalVec3 point, int32_t hint);

#endif
