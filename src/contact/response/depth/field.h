// How deep the points of an object are inside it: linear in cells, zero on the boundary.
//
// Depths are exact distances to the boundary, at nodes and where a cell would have none: an edge, a
// face or a cell that is inside but has all its corners on the boundary gets a point of its own, in
// its middle, and cells are cut there. So a plate that is one cell thick has a depth, too.
#ifndef PAL_CONTACT_RESPONSE_DEPTH_FIELD_H
#define PAL_CONTACT_RESPONSE_DEPTH_FIELD_H

#include "geometry/dip.h"
#include <palpate/model.h>

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
} PalDepthField;

// Of a body of tetrahedra at rest. PAL_BAD_INPUT: it is made of something else.
PalStatus pal_depth_field_create(const PalModel *model, int32_t body, PalDepthField *field,
                                 PalError *error);
void pal_depth_field_clear(PalDepthField *field);

// Finds all depths anew in another shape, given by positions of the model's nodes.
PalStatus pal_depth_field_renew(const PalModel *model, int32_t body, const PalVec3 *positions,
                                PalDepthField *field, PalError *error);

// Where a point is.
PalVec3 pal_depth_point_place(const PalDepthPoint *point, const PalVec3 *body_nodes);

// A cell as dips know it, with the body's nodes where they are.
PalDipCell pal_depth_field_cell(const PalDepthField *field, int32_t cell,
                                const PalVec3 *body_nodes);

#endif
