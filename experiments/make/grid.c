#include "grid.h"

#include <math.h>
#include <stdlib.h>

// The cut of a hexahedron with corners as in VTK: the large tetrahedron in the middle, then one at
// each of the other corners. For a cell whose corner 0 has colour 0, and for one where it has not.
static const int cut[2][5][4] = {
    {{0, 2, 7, 5}, {0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 7, 5, 6}},
    {{1, 3, 4, 6}, {0, 1, 3, 4}, {1, 2, 3, 6}, {1, 6, 4, 5}, {3, 4, 6, 7}},
};

typedef struct Build {
    const PalGrid *grid;
    int32_t *numbers;  // of the lattice's nodes, PAL_NONE where no cell is
    int32_t node_count, cell_count;
    PalVec3 *nodes;
    int32_t *cells;
} Build;

static int32_t lattice_index(const PalGrid *grid, const int32_t node[3])
{
    const int32_t *n = grid->cells;
    int32_t i = grid->ring && node[0] == n[0] ? 0 : node[0];
    return i + (n[0] + 1) * (node[1] + (n[1] + 1) * node[2]);
}

static void corner(const int32_t cell[3], int a, int32_t node[3])
{
    node[0] = cell[0] + (a % 4 == 1 || a % 4 == 2);
    node[1] = cell[1] + (a % 4 >= 2);
    node[2] = cell[2] + (a >= 4);
}

static void add_cell(Build *build, const int32_t cell[3])
{
    int32_t numbers[8];
    for (int a = 0; a < 8; ++a) {
        int32_t node[3];
        corner(cell, a, node);
        if (build->grid->ring && node[0] == build->grid->cells[0])
            node[0] = 0;
        int32_t *number = &build->numbers[lattice_index(build->grid, node)];
        if (*number == PAL_NONE) {
            *number = build->node_count++;
            build->nodes[*number] = build->grid->place(build->grid->context, node);
        }
        numbers[a] = *number;
    }
    int colour = (cell[0] + cell[1] + cell[2]) & 1;
    for (int t = 0; t < 5; ++t)
        for (int a = 0; a < 4; ++a)
            build->cells[4 * (5 * build->cell_count + t) + a] = numbers[cut[colour][t][a]];
    build->cell_count++;
}

static void add_cells(Build *build)
{
    const PalGrid *grid = build->grid;
    int32_t cell[3];
    for (cell[2] = 0; cell[2] < grid->cells[2]; ++cell[2])
        for (cell[1] = 0; cell[1] < grid->cells[1]; ++cell[1])
            for (cell[0] = 0; cell[0] < grid->cells[0]; ++cell[0])
                if (grid->holds == NULL || grid->holds(grid->context, cell))
                    add_cell(build, cell);
}

PalStatus pal_grid_mesh(const PalGrid *grid, PalMesh **mesh, PalError *error)
{
    size_t cell_max = 1, node_max = 1;
    for (int i = 0; i < 3; ++i) {
        cell_max *= (size_t)grid->cells[i];
        node_max *= (size_t)grid->cells[i] + 1;
    }
    Build build = {.grid = grid,
                   .numbers = malloc(node_max * sizeof(int32_t)),
                   .nodes = malloc(node_max * sizeof(PalVec3)),
                   .cells = malloc(20 * cell_max * sizeof(int32_t))};
    PalStatus status = PAL_NO_MEMORY;
    if (build.numbers == NULL || build.nodes == NULL || build.cells == NULL) {
        pal_error_set(error, PAL_NO_MEMORY, "no memory for a mesh of %zu cells", 5 * cell_max);
    } else {
        for (size_t i = 0; i < node_max; ++i)
            build.numbers[i] = PAL_NONE;
        add_cells(&build);
        PalMeshDef def = {PAL_CELL_TETRAHEDRON, build.node_count, build.nodes, 5 * build.cell_count,
                          build.cells};
        int32_t turned;  // where `place` is a reflection
        status = pal_mesh_create(&def, mesh, error);
        if (status == PAL_OK)
            status = pal_mesh_orient(*mesh, &turned, error);
    }
    free(build.numbers);
    free(build.nodes);
    free(build.cells);
    return status;
}

PalStatus pal_grid_skin(const PalMesh *solid, PalMesh **skin, PalError *error)
{
    PalSurface *surface = NULL;
    PAL_TRY(pal_mesh_boundary(solid, &surface, error));
    PalMeshDef def = {PAL_CELL_TRIANGLE, solid->node_count, solid->nodes, surface->facet_count,
                      surface->facets};
    int32_t removed;
    PalStatus status = pal_mesh_create(&def, skin, error);
    if (status == PAL_OK)
        status = pal_mesh_drop_unused_nodes(*skin, &removed, error);
    pal_surface_destroy(surface);
    return status;
}

PalVec3 pal_grid_round(PalVec3 u)
{
    double quarter = acos(-1) / 4;
    PalVec3 d = {tan(quarter * u.x), tan(quarter * u.y), tan(quarter * u.z)};
    double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return (PalVec3){d.x / length, d.y / length, d.z / length};
}
