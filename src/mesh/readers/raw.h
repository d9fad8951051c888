// What a reader finds in a file, before it becomes a mesh: nodes, cells of all kinds and who
// belongs to which group.
#ifndef PAL_MESH_READERS_RAW_H
#define PAL_MESH_READERS_RAW_H

#include <palpate/mesh_io.h>

#include "mesh/readers/names.h"

typedef enum PalRawKind {
    PAL_RAW_POINT,
    PAL_RAW_LINE,
    PAL_RAW_TRIANGLE,
    PAL_RAW_QUAD,
    PAL_RAW_TETRAHEDRON,
    PAL_RAW_HEXAHEDRON,
    PAL_RAW_QUADRATIC_TETRAHEDRON,  // nodes in VTK's order
    PAL_RAW_KIND_COUNT,
    PAL_RAW_OTHER = PAL_RAW_KIND_COUNT,  // counted, not kept
} PalRawKind;

typedef PAL_ARRAY(int32_t) PalInts;
typedef PAL_ARRAY(int64_t) PalLongs;

// A cell or a node belongs to a group.
typedef struct PalMember {
    int32_t group, item;
} PalMember;
typedef PAL_ARRAY(PalMember) PalMembers;

// A facet that is in a group without being a cell of the file.
typedef struct PalRawFacet {
    int32_t corners[4];  // the fourth is PAL_NONE in a triangle
} PalRawFacet;

// The first cell of a dimension that no mesh of ours can hold.
typedef struct PalUnfit {
    PalCursor cursor;
    const char *where;
    char name[64];  // "20-node hexahedron"
    bool high_order;
} PalUnfit;

typedef struct PalRawMesh {
    PAL_ARRAY(PalVec3) nodes;
    PalInts corners[PAL_RAW_KIND_COUNT];
    PalMembers members[PAL_RAW_KIND_COUNT];
    PalMembers node_members;
    PAL_ARRAY(PalRawFacet) facets;
    PalMembers facet_members;
    PalNames groups;
    PalUnfit unfit[4];  // by dimension
    PalNames skipped;   // what the file holds besides, for those who want to know
    // For a model that is more than its mesh, set before reading. Sets of nodes, sets of elements
    // and surfaces of one name are groups of their own: "NAME", "NAME elements", "NAME surface".
    bool sets_apart;
    struct PalIdMap *node_ids;     // receives the numbers of the nodes, to be cleared; may be NULL
    struct PalIdMap *element_ids;  // the same of the elements
    PalInts *element_cells;        // and the cell of each, PAL_NONE where it is no solid
} PalRawMesh;

int32_t pal_raw_corner_count(PalRawKind kind);
PalCellKind pal_raw_solid(PalRawKind kind);  // of a solid
int32_t pal_raw_cell_count(const PalRawMesh *raw, PalRawKind kind);
void pal_raw_clear(PalRawMesh *raw);

// Refuses coordinates that are not finite. `where` is the node's place in the file.
PalStatus pal_raw_add_node(PalRawMesh *raw, const PalCursor *cursor, const char *where,
                           PalVec3 position);

// The corners are indices of nodes already there; the caller has checked them.
PalStatus pal_raw_add_cell(PalRawMesh *raw, const PalCursor *cursor, PalRawKind kind,
                           const int32_t *corners);

// Cuts a polygon into triangles around its first corner.
PalStatus pal_raw_add_polygon(PalRawMesh *raw, const PalCursor *cursor, const int32_t *corners,
                              int32_t count);

// Divides a triangle with a node on each edge (01 12 20) into four, and a line into two.
PalStatus pal_raw_add_divided(PalRawMesh *raw, const PalCursor *cursor, PalRawKind kind,
                              const int32_t *nodes);
#define PAL_RAW_PIECES(kind) ((kind) == PAL_RAW_TRIANGLE ? 4 : 2)

// Remembers the first cell of a dimension that cannot be used, for the message if it matters.
void pal_raw_note_unfit(PalRawMesh *raw, const PalCursor *cursor, const char *where,
                        int32_t dimension, bool high_order, const char *name);

// Notes that something of the file is not read: "the array" and its name.
void pal_raw_skip(PalRawMesh *raw, const char *what, PalToken name);

// The group of this name, new or not.
PalStatus pal_raw_group(PalRawMesh *raw, const PalCursor *cursor, PalToken name, int32_t *group);
PalStatus pal_raw_join(PalMembers *members, const PalCursor *cursor, int32_t group, int32_t item);

// Makes a mesh of what is wanted, or says what the file holds instead.
PalStatus pal_raw_finish(const PalRawMesh *raw, const PalCursor *cursor, PalMeshWant want,
                         PalMesh **mesh);

// ---- one per format -----------------------------------------------------------------------

PalStatus pal_read_msh(PalCursor *cursor, PalRawMesh *raw);
PalStatus pal_read_vtk_legacy(PalCursor *cursor, PalRawMesh *raw);
PalStatus pal_read_vtu(PalCursor *cursor, PalRawMesh *raw);
PalStatus pal_read_inp(PalCursor *cursor, PalRawMesh *raw);
PalStatus pal_read_stl(PalCursor *cursor, PalRawMesh *raw);
PalStatus pal_read_obj(PalCursor *cursor, PalRawMesh *raw);
PalStatus pal_read_ply(PalCursor *cursor, PalRawMesh *raw);

bool pal_stl_is_binary(const PalCursor *cursor);

#endif
