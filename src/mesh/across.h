// Which triangles lie behind each side of a triangle.
#ifndef PAL_MESH_ACROSS_H
#define PAL_MESH_ACROSS_H

#include <palpate/mesh.h>

// Per triangle and side, the one opposite to corner i: side k of triangle t that it is, too, as
// 3 t + k; PAL_NONE where the surface ends. Refuses edges of three triangles or more, and
// neighbours that face opposite ways.
PalStatus pal_mesh_beside(const PalMesh *mesh, int32_t (*beside)[3], PalError *error);
// The same, telling the node of the next triangle that this one does not have.
PalStatus pal_mesh_across(const PalMesh *mesh, int32_t (*across)[3], PalError *error);

#endif
