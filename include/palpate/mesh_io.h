// Reading meshes from files and writing them. Part of libpalpate-io.
#ifndef PALPATE_MESH_IO_H
#define PALPATE_MESH_IO_H

#include <palpate/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

// What to take from a file that holds several kinds of cells.
typedef enum PalMeshWant {
    PAL_WANT_SOLID,    // tetrahedra or hexahedra; both at once are refused
    PAL_WANT_SURFACE,  // triangles; quadrilaterals are cut in two
    PAL_WANT_ANY,      // the solid if there is one, else the surface
} PalMeshWant;

// Reads MSH 2.2/4.1, VTK legacy, VTU, INP, STL, OBJ or PLY, told apart by extension and content.
// Surfaces without shared corners (STL) have equal corners merged. Errors begin with
// path:line: in text formats and path: in binary ones. Pipes, devices and files of more than
// PAL_MESH_BYTES_MAX bytes are refused.
#define PAL_MESH_BYTES_MAX ((int64_t)2 << 30)
PalStatus pal_mesh_read(const char *path, PalMeshWant want, PalMesh **mesh, PalError *error);

// The same from memory; `path` serves the extension and the messages.
PalStatus pal_mesh_read_memory(const void *data, size_t size, const char *path, PalMeshWant want,
                               PalMesh **mesh, PalError *error);

typedef struct PalMeshReadOptions {
    PalMeshWant want;
    // Called with one line for each kind of thing in the file that the mesh does not hold: fields
    // of data, cells in no group, keywords of a model; may be NULL.
    void (*warn)(void *context, const char *text);
    void *context;
} PalMeshReadOptions;

// The same as pal_mesh_read, with warnings about what was not read.
PalStatus pal_mesh_read_with(const char *path, const PalMeshReadOptions *options, PalMesh **mesh,
                             PalError *error);

// ---- writing ----------------------------------------------------------------------------

typedef enum PalMeshFormat {
    PAL_FORMAT_BY_NAME,  // by the extension; .msh is 4.1
    PAL_FORMAT_MSH22,
    PAL_FORMAT_MSH41,
    PAL_FORMAT_VTK,  // legacy
    PAL_FORMAT_VTU,
    PAL_FORMAT_INP,
    PAL_FORMAT_STL,
    PAL_FORMAT_OBJ,
    PAL_FORMAT_PLY,
} PalMeshFormat;

// "msh22", "msh41", "vtk", ...; NULL after the last one.
const char *pal_mesh_format_name(PalMeshFormat format);
bool pal_mesh_format_find(const char *name, PalMeshFormat *format);

typedef struct PalMeshWriteOptions {
    PalMeshFormat format;
    bool text;    // rather than binary, where a format has both
    bool strict;  // refuse what the format cannot hold, rather than warn of it
    // Called with one line for each thing the file does not hold, and to say that the boundary of
    // a solid was written; may be NULL.
    void (*warn)(void *context, const char *text);
    void *context;
} PalMeshWriteOptions;

PalMeshWriteOptions pal_mesh_write_options_default(void);  // by name, binary, not strict

// Writes the mesh and its groups, whole or not at all. Binary files hold coordinates bit for bit,
// text enough digits to read them back the same; binary STL holds float32 by its nature. Of a
// solid, STL, OBJ and PLY hold the boundary. Errors begin with the path. options may be NULL.
PalStatus pal_mesh_write(const char *path, const PalMesh *mesh, const PalMeshWriteOptions *options,
                         PalError *error);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
