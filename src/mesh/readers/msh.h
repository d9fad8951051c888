// What the two versions of Gmsh's MSH format share.
#ifndef PAL_MESH_READERS_MSH_H
#define PAL_MESH_READERS_MSH_H

#include "mesh/readers/id_map.h"

// A row of Gmsh's table of element types.
typedef struct PalMshType {
    PalRawKind kind;  // PAL_RAW_OTHER: not used by us
    int32_t dimension;
    int32_t node_count;   // 0: the file says how many
    int32_t piece_count;  // cells of `kind` that one becomes
    bool high_order;
} PalMshType;

// False: Gmsh has no such type.
bool pal_msh_type(int64_t number, PalMshType *type);

// Something about the geometry (dimension, tag): its name, or that it is in a physical group.
typedef struct PalMshTag {
    int64_t dimension, tag;
    int32_t group;
} PalMshTag;
typedef PAL_ARRAY(PalMshTag) PalMshTags;

void pal_msh_tags_sort(PalMshTags *tags);
// The first with this dimension and tag, or tags->count; more may follow it.
int32_t pal_msh_tags_find(const PalMshTags *tags, int64_t dimension, int64_t tag);

typedef struct PalMsh {
    PalCursor *cursor;
    PalRawMesh *raw;
    bool binary;
    bool long_sizes;  // size_t has 8 bytes
    bool has_nodes;
    PalIdMap nodes;
    PalMshTags names;     // physical groups with names
    PalMshTags entities;  // version 4: memberships of geometric entities
} PalMsh;

// An element here is of a type that we do not use. Nothing, if Gmsh has no such type either.
void pal_msh_note_unfit(const PalMsh *msh, const char *where, int64_t number);

// The group of a physical tag: by its name, or physical-<tag>.
PalStatus pal_msh_group(PalMsh *msh, int64_t dimension, int64_t tag, int32_t *group);

// Adds a cell with these node numbers unless it repeats the one before: version 2 writes an
// element once for each of its groups. `*cell` is its index among its kind, or that of its first
// piece.
PalStatus pal_msh_add_cell(PalMsh *msh, const PalMshType *type, const int64_t *ids,
                           const char *where, int32_t *cell);

// Numbers of nodes in one element that is kept, at most.
#define PAL_MSH_NODE_MAX 10

// The sections of either version; the cursor is behind the section's first line.
PalStatus pal_msh2_nodes(PalMsh *msh);
PalStatus pal_msh2_elements(PalMsh *msh);
PalStatus pal_msh4_entities(PalMsh *msh, bool partitioned);
PalStatus pal_msh4_nodes(PalMsh *msh);
PalStatus pal_msh4_elements(PalMsh *msh);

#endif
