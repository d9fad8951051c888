#include "shell.h"

#include <stdlib.h>

// The corners of a triangle, ascending: neighbours then cut the sides they share alike.
static void sorted_corners(const int32_t *triangle, int32_t corners[3])
{
    for (int a = 0; a < 3; ++a) {
        int b = a;
        for (; b > 0 && corners[b - 1] > triangle[a]; --b)
            corners[b] = corners[b - 1];
        corners[b] = triangle[a];
    }
}

static void cut_prism(const int32_t corners[3], int32_t below, int32_t above, int32_t cells[3][4])
{
    int32_t a = corners[0], b = corners[1], c = corners[2];
    const int32_t cut[3][4] = {{a + below, b + below, c + below, c + above},
                               {a + below, b + below, b + above, c + above},
                               {a + below, a + above, b + above, c + above}};
    for (int t = 0; t < 3; ++t)
        for (int i = 0; i < 4; ++i)
            cells[t][i] = cut[t][i];
}

PalStatus pal_shell_mesh(const PalMesh *skin, int32_t layer_count,
                         PalVec3 (*place)(PalVec3 node, double outward), PalMesh **mesh,
                         PalError *error)
{
    int32_t n = skin->node_count, node_count = n * (layer_count + 1);
    int32_t cell_count = 3 * layer_count * skin->cell_count;
    PalVec3 *nodes = malloc((size_t)node_count * sizeof *nodes);
    int32_t(*cells)[4] = malloc((size_t)cell_count * sizeof *cells);
    PalStatus status = PAL_NO_MEMORY;
    if (nodes == NULL || cells == NULL) {
        pal_error_set(error, PAL_NO_MEMORY, "no memory for a shell");
    } else {
        for (int32_t i = 0; i < node_count; ++i)
            nodes[i] = place(skin->nodes[i % n], (double)(i / n) / layer_count);
        for (int32_t l = 0; l < layer_count; ++l)
            for (int32_t t = 0; t < skin->cell_count; ++t) {
                int32_t corners[3];
                sorted_corners(&skin->cells[3 * t], corners);
                cut_prism(corners, l * n, (l + 1) * n, &cells[3 * (l * skin->cell_count + t)]);
            }
        PalMeshDef def = {PAL_CELL_TETRAHEDRON, node_count, nodes, cell_count, cells[0]};
        int32_t turned;
        status = pal_mesh_create(&def, mesh, error);
        if (status == PAL_OK)
            status = pal_mesh_orient(*mesh, &turned, error);
    }
    free(nodes);
    free(cells);
    return status;
}
