// What the writers of all formats share: the mesh taken apart into what files hold.
#ifndef PAL_MESH_WRITERS_WRITE_H
#define PAL_MESH_WRITERS_WRITE_H

#include <palpate/mesh_io.h>

#include "base/array.h"
#include "mesh/readers/names.h"
#include "mesh/writers/sink.h"

typedef PAL_ARRAY(int32_t) PalIndices;

// A group as a file holds it.
typedef struct PalWriteGroup {
    const char *name;  // as the format allows it
    PalIndices nodes;  // those that no cell or facet of the group has
    PalIndices cells;
    PalIndices facets;  // indices into the facets of the whole mesh
} PalWriteGroup;

typedef struct PalWrite {
    const PalMesh *mesh;
    const char *path;
    const PalMeshWriteOptions *options;
    PalError *error;
    PalSink sink;
    int32_t group_count;
    PalWriteGroup *groups;
    int32_t facet_count;
    int32_t (*facets)[4];  // different facets of all groups; the fourth may be PAL_NONE
    PalNames names;        // those given to groups
} PalWrite;

// What a group's name may not hold: each such character becomes '_', with a warning. Names that
// become equal are numbered. `any_case`: A and a are the same.
PalStatus pal_write_name_groups(PalWrite *write, const char *forbidden, bool any_case);

// Tells what is not in the file, or fails with it when strict.
PalStatus pal_write_loss(PalWrite *write, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Tells what was done, strict or not.
void pal_write_note(const PalWrite *write, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
PalStatus pal_write_no_memory(const PalWrite *write);

// The names of the groups that `lost` marks, for a message: "a, b and 3 more".
typedef struct PalNameList {
    char text[256];
} PalNameList;
PalNameList pal_write_list_groups(const PalWrite *write, const bool *lost);

// Of all groups with nodes that no cell or facet has: a loss in formats without sets of nodes.
PalStatus pal_write_lose_nodes(PalWrite *write, const char *format_name);
PalStatus pal_write_lose_groups(PalWrite *write, const char *format_name);

// Items that are in the same groups share a signature; 0 is in none. The groups of signature s are
// group[s], group[parent[s]], ... up to signature 0.
typedef struct PalSignatures {
    int32_t count;
    int32_t *of_item;
    PalIndices parent, group;
} PalSignatures;

typedef enum PalWrittenPart { PAL_PART_NODES, PAL_PART_CELLS, PAL_PART_FACETS } PalWrittenPart;

const PalIndices *pal_write_part(const PalWriteGroup *group, PalWrittenPart part);
int32_t pal_write_part_count(const PalWrite *write, PalWrittenPart part);
PalStatus pal_signatures_make(const PalWrite *write, PalWrittenPart part,
                              PalSignatures *signatures);
void pal_signatures_clear(PalSignatures *signatures);

// The boundary of a solid as a mesh of triangles, groups carried over as far as they touch it.
PalStatus pal_write_boundary(const PalMesh *mesh, PalMesh **boundary, PalError *error);

// ---- one per format: the sink is open -------------------------------------------------------

PalStatus pal_write_msh2(PalWrite *write);
PalStatus pal_write_msh4(PalWrite *write);
PalStatus pal_write_vtk_legacy(PalWrite *write);
PalStatus pal_write_vtu(PalWrite *write);
PalStatus pal_write_inp(PalWrite *write);
PalStatus pal_write_stl(PalWrite *write);
PalStatus pal_write_obj(PalWrite *write);
PalStatus pal_write_ply(PalWrite *write);

#endif
