// How deep the points of an object are inside it: linear in cells, zero on the boundary.
//
// Depths are exact distances to the boundary, at nodes and where a cell would have none: an edge, a
// face or a cell that is inside but has all its corners on the boundary gets a point of its own, in
// its middle, and cells are cut there. So a plate that is one cell thick has a depth, too.
#ifndef PAL_CONTACT_RESPONSE_DEPTH_FIELD_H
#define PAL_CONTACT_RESPONSE_DEPTH_FIELD_H

#include "contact/response/depth/cells.h"
#include "geometry/dip.h"
#include <palpate/model.h>

// Of a body of tetrahedra at rest. PAL_BAD_INPUT: it is made of something else.
PalStatus pal_depth_field_create(const PalModel *model, int32_t body, PalDepthField *field,
                                 PalError *error);
void pal_depth_field_clear(PalDepthField *field);

// Finds all depths anew in another shape, given by positions of the model's nodes.
PalStatus pal_depth_field_renew(const PalModel *model, int32_t body, PalVec3 *positions,
                                PalDepthField *field, PalError *error);

// Depths of points and slopes were put there by a checkpoint.
void pal_depth_field_restored(PalDepthField *field);

// Where a point is.
PalVec3 pal_depth_point_place(const PalDepthPoint *point, const PalVec3 *body_nodes);

// A cell as dips know it, with the body's nodes where they are.
PalDipCell pal_depth_field_cell(const PalDepthField *field, int32_t cell,
                                const PalVec3 *body_nodes);

#endif
