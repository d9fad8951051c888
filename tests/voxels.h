// Bodies cut out of a lattice of cubes, each cube in six tetrahedra, for tests.
#ifndef PAL_TESTS_VOXELS_H
#define PAL_TESTS_VOXELS_H

#include "check.h"
#include <palpate/mesh.h>
#include <stdlib.h>

typedef bool (*VoxelKeep)(int32_t i, int32_t j, int32_t k);

// Cubes (i, j, k) with 0 <= i < nx and so on that are kept; its lowest corner is the origin.
static inline PalMesh *voxels_mesh(int32_t nx, int32_t ny, int32_t nz, double size, VoxelKeep keep)
{
    // the paths from one corner of a cube to the opposite one, an axis at a time
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    int32_t node_count = (nx + 1) * (ny + 1) * (nz + 1), cell_count = 0, removed;
    PalVec3 *nodes = calloc((size_t)node_count, sizeof *nodes);
    int32_t *cells = calloc((size_t)nx * (size_t)ny * (size_t)nz * 24, sizeof *cells);
    assert_non_null(nodes);
    assert_non_null(cells);
    int32_t stride[3] = {1, nx + 1, (nx + 1) * (ny + 1)};
    for (int32_t n = 0; n < node_count; ++n) {
        nodes[n].x = size * (n % (nx + 1));
        nodes[n].y = size * (n / stride[1] % (ny + 1));
        nodes[n].z = size * (n / stride[2]);
    }
    for (int32_t c = 0; c < nx * ny * nz; ++c) {
        int32_t i = c % nx, j = c / nx % ny, k = c / (nx * ny);
        if (!keep(i, j, k))
            continue;
        for (int p = 0; p < 6; ++p) {
            int32_t *cell = cells + 4 * cell_count++;
            cell[0] = i * stride[0] + j * stride[1] + k * stride[2];
            for (int a = 0; a < 3; ++a)
                cell[a + 1] = cell[a] + stride[paths[p][a]];
            if (p >= 3) {  // odd permutations turn it inside out
                int32_t swap = cell[2];
                cell[2] = cell[3];
                cell[3] = swap;
            }
        }
    }
    PalError error = {0};
    PalMeshDef def = {PAL_CELL_TETRAHEDRON, node_count, nodes, cell_count, cells};
    PalMesh *mesh;
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    check_ok(pal_mesh_drop_unused_nodes(mesh, &removed, &error), &error);
    free(nodes);
    free(cells);
    return mesh;
}

#endif
