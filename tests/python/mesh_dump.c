// mesh_dump FILE solid|surface: prints what the reader finds, for test_mesh_readers.py.
#include <palpate/mesh_io.h>

#include <stdio.h>
#include <string.h>

static void print_list(const char *name, const int32_t *values, int32_t count)
{
    printf("%s", name);
    for (int32_t i = 0; i < count; ++i)
        printf(" %d", values[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    PalMesh *mesh;
    PalError error = {0};
    PalMeshWant want = strcmp(argv[2], "solid") == 0 ? PAL_WANT_SOLID : PAL_WANT_SURFACE;
    if (pal_mesh_read(argv[1], want, &mesh, &error) != PAL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int32_t width = pal_cell_node_count(mesh->cell_kind);
    printf("kind %s\n", pal_cell_name(mesh->cell_kind));
    for (int32_t n = 0; n < mesh->node_count; ++n)
        printf("node %a %a %a\n", mesh->nodes[n].x, mesh->nodes[n].y, mesh->nodes[n].z);
    for (int32_t e = 0; e < mesh->cell_count; ++e)
        print_list("cell", mesh->cells + (size_t)width * (size_t)e, width);
    for (int32_t g = 0; g < mesh->group_count; ++g) {
        const PalGroup *group = &mesh->groups[g];
        printf("group %s\n", group->name);
        print_list("nodes", group->nodes, group->node_count);
        print_list("cells", group->cells, group->cell_count);
        for (int32_t f = 0; f < group->face_count; ++f)
            print_list("face", group->faces[f], group->faces[f][3] == PAL_NONE ? 3 : 4);
    }
    pal_mesh_destroy(mesh);
    return 0;
}
