// What all fuzz targets of the mesh readers share: any bytes give a sound mesh or one clear line.
#ifndef PAL_TESTS_FUZZ_MESH_H
#define PAL_TESTS_FUZZ_MESH_H

#include <palpate/mesh_io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

static inline void check_group(const PalMesh *mesh, const PalGroup *group)
{
    demand(group->name != NULL && group->name[0] != '\0', "a group has a name");
    for (int32_t i = 0; i < group->node_count; ++i)
        demand(group->nodes[i] >= 0 && group->nodes[i] < mesh->node_count, "a node of a group");
    for (int32_t i = 0; i < group->cell_count; ++i)
        demand(group->cells[i] >= 0 && group->cells[i] < mesh->cell_count, "a cell of a group");
}

static inline void check_mesh(const PalMesh *mesh)
{
    demand(mesh->cell_count > 0, "a mesh has cells");
    int32_t width = pal_cell_node_count(mesh->cell_kind);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        demand(isfinite(mesh->nodes[n].x + 0 * mesh->nodes[n].y + 0 * mesh->nodes[n].z),
               "nodes are finite");
    for (int64_t i = 0; i < (int64_t)width * mesh->cell_count; ++i)
        demand(mesh->cells[i] >= 0 && mesh->cells[i] < mesh->node_count, "corners are nodes");
    for (int32_t g = 0; g < mesh->group_count; ++g)
        check_group(mesh, &mesh->groups[g]);
}

static inline int fuzz_mesh(const uint8_t *data, size_t size, const char *path)
{
    for (int want = PAL_WANT_SOLID; want <= PAL_WANT_SURFACE; ++want) {
        PalMesh *mesh = NULL;
        PalError error = {0};
        PalStatus status = pal_mesh_read_memory(data, size, path, (PalMeshWant)want, &mesh, &error);
        if (status == PAL_OK) {
            check_mesh(mesh);
            pal_mesh_destroy(mesh);
            continue;
        }
        demand(status == PAL_BAD_INPUT && error.status == status, "bad bytes are bad input");
        demand(strncmp(error.text, path, strlen(path)) == 0, "a message begins with the path");
        demand(strchr(error.text, '\n') == NULL, "a message is one line");
    }
    return 0;
}

#endif
