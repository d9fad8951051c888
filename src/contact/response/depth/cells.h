// Points where depth is known, and the cells between them.
#ifndef PAL_CONTACT_RESPONSE_DEPTH_CELLS_H
#define PAL_CONTACT_RESPONSE_DEPTH_CELLS_H

#include <palpate/base.h>

// Where depth is known: the weighted mean of some nodes of the body.
typedef struct PalDepthPoint {
    int32_t nodes[4];  // of the body; the first `count` count, with equal weights
    int32_t count;
    bool inside;  // not on the boundary
    double depth;
} PalDepthPoint;

typedef struct PalDepthCell {
    int32_t nodes[4];   // of the body: the tetrahedron it is, or a part of
    int32_t points[4];  // its own corners
    int32_t clips;      // first of four clips among the field's; PAL_NONE: it is all of it
    double depth[4];    // at the nodes, as the part would have it
    double slope;       // of the depth, in the shape in which depths were found
} PalDepthCell;

typedef struct PalDepthField {
    int32_t first_node;  // of the body
    int32_t point_count, cell_count;
    PalDepthPoint *points;  // nodes first
    PalDepthCell *cells;
    double (*clips)[4];
    double deepest;
    bool renewed;  // depths are those of another shape than that at rest
} PalDepthField;

#endif
