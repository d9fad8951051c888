// Reading meshes from files. Part of libpalpate-io.
#ifndef PALPATE_MESH_IO_H
#define PALPATE_MESH_IO_H

#include <palpate/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

// What to take from a file that holds several kinds of cells.
typedef enum PalMeshWant {
    PAL_WANT_SOLID,    // tetrahedra or hexahedra; both at once are refused
    PAL_WANT_SURFACE,  // triangles; quadrilaterals are cut in two
} PalMeshWant;

// Reads MSH 2.2/4.1, VTK legacy, VTU, INP, STL, OBJ or PLY, told apart by extension and content.
// Surfaces without shared corners (STL) have equal corners merged. Errors begin with
// path:line: in text formats and path: in binary ones.
PalStatus pal_mesh_read(const char *path, PalMeshWant want, PalMesh **mesh, PalError *error);

// The same from memory; `path` serves the extension and the messages.
PalStatus pal_mesh_read_memory(const void *data, size_t size, const char *path, PalMeshWant want,
                               PalMesh **mesh, PalError *error);

#ifdef __cplusplus
}
#endif

#endif
