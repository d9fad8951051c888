// Builds a ball of tetrahedra at several sizes and prints how good its cells are.
#include <palpate/mesh.h>

#include <stdio.h>

int main(void)
{
    PalShapeDef def = pal_shape_def_default();
    def.kind = PAL_SHAPE_SPHERE;
    def.extent.x = 0.5;  // radius

    printf("cells across  nodes  cells  volume    worst  mean   longest edge\n");
    for (int32_t across = 4; across <= 16; across *= 2) {
        def.cells[0] = across;
        PalMesh *mesh = NULL;
        PalError error = {0};
        if (pal_mesh_create_shape(&def, &mesh, &error) != PAL_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        PalMeshQuality quality = pal_mesh_quality(mesh);
        printf("%12d %6d %6d  %.6f  %.3f  %.3f  %.4f\n", (int)across, (int)mesh->node_count,
               (int)mesh->cell_count, quality.volume, quality.worst, quality.mean,
               quality.edge_max);
        pal_mesh_destroy(mesh);
    }
    return 0;
}
