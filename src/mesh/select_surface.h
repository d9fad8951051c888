// Selections by the surface of a mesh. Private to the mesh layer.
#ifndef PAL_MESH_SELECT_SURFACE_H
#define PAL_MESH_SELECT_SURFACE_H

#include <palpate/mesh.h>

// Sets marks[n] to 1 for each node of the surface.
PalStatus pal_select_surface(const PalMesh *mesh, uint8_t *marks, PalError *error);

// The same for corners of facets that face a direction; and for the facets of a surface.
PalStatus pal_select_facing(const PalMesh *mesh, const PalWhere *where, uint8_t *marks,
                            PalError *error);
void pal_select_facing_facets(const PalMesh *mesh, const PalSurface *surface, const PalWhere *where,
                              uint8_t *marks);

// The same for nodes near triangles.
PalStatus pal_select_near(const PalMesh *mesh, const PalWhere *where, uint8_t *marks,
                          PalError *error);

#endif
