// Which triangles lie behind each side of a triangle.
#ifndef PAL_MESH_ACROSS_H
#define PAL_MESH_ACROSS_H

#include <palpate/mesh.h>

// Per triangle and side, the one opposite to corner i: the node of the next triangle that this one
// does not have; PAL_NONE where the surface ends. Refuses edges of three triangles or more, and
// neighbours that face opposite ways.
PalStatus pal_mesh_across(const PalMesh *mesh, int32_t (*across)[3], PalError *error);

#endif
