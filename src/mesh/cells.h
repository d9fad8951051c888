// What the kinds of cells are made of, and sorting by nodes. Private to the mesh layer.
#ifndef PAL_MESH_CELLS_H
#define PAL_MESH_CELLS_H

#include <palpate/mesh.h>

// Corners of facets run around the outward normal.
typedef struct PalCellTopology {
    const char *name;
    int32_t node_count;
    int32_t facet_count;   // 0 for a triangle, which has edges instead
    int32_t corner_count;  // per facet
    int8_t facets[16][4];
    int32_t edge_count;
    int8_t edges[12][2];
} PalCellTopology;

// Ends of the edge that node 4 + k of a quadratic tetrahedron is on.
extern const int8_t pal_quadratic_edges[6][2];

const PalCellTopology *pal_cell_topology(PalCellKind kind);

#define PAL_CELL_NODE_MAX 10

static inline const int32_t *pal_mesh_cell(const PalMesh *mesh, int32_t cell_index)
{
    return mesh->cells + (size_t)cell_index * (size_t)pal_cell_node_count(mesh->cell_kind);
}

// Refuses what pal_mesh_create would: indices out of range, places that are not finite.
PalStatus pal_mesh_def_check(const PalMeshDef *def, PalError *error);
// The same of a mesh that callers may have changed, or made by hand.
PalStatus pal_mesh_check(const PalMesh *mesh, PalError *error);
PalStatus pal_mesh_check_head(const PalMesh *mesh,
                              PalError *error);                      // kind, counts and arrays only
PalStatus pal_mesh_check_all(const PalMesh *mesh, PalError *error);  // its groups too
PalStatus pal_group_check(const PalMesh *mesh, const PalGroup *group, PalError *error);
PalStatus pal_surface_check(const PalMesh *mesh, const PalSurface *surface, PalError *error);
PalStatus pal_mesh_check_triangles(const PalMesh *mesh, PalError *error);

PalStatus pal_mesh_no_memory(PalError *error);

// Ascending, in place; for the few corners of one cell.
void pal_row_sort(int32_t *row, int32_t width);

bool pal_rows_equal(const int32_t *a, const int32_t *b, int32_t width);

// Puts the indices of `count` rows of `width` integers >= PAL_NONE in `order`, so that the rows
// ascend lexicographically; equal rows stay as they were. Linear time. False: no memory.
bool pal_rows_order(const int32_t *rows, int32_t count, int32_t width, int32_t *order);

#endif
