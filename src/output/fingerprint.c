#include "output/fingerprint.h"

#include "base/hash.h"

#include <string.h>

static uint64_t add_indices(uint64_t hash, const int32_t *indices, int32_t count)
{
    return pal_hash(hash, indices, (size_t)count * sizeof *indices);
}

static uint64_t add_mesh(uint64_t hash, const PalMesh *mesh)
{
    const int32_t counts[] = {mesh->node_count, mesh->cell_count, mesh->group_count};
    hash = add_indices(hash, counts, 3);
    hash = pal_hash_words(hash, mesh->nodes, (size_t)mesh->node_count * sizeof *mesh->nodes);
    size_t corners = (size_t)mesh->cell_count * (size_t)pal_cell_node_count(mesh->cell_kind);
    hash = pal_hash_words(hash, mesh->cells, corners * sizeof *mesh->cells);
    for (int32_t g = 0; g < mesh->group_count; ++g) {
        const PalGroup *group = &mesh->groups[g];
        hash = pal_hash(hash, group->name, strlen(group->name) + 1);
        hash = add_indices(hash, group->nodes, group->node_count);
        hash = add_indices(hash, group->cells, group->cell_count);
        hash = pal_hash_words(hash, group->faces, (size_t)group->face_count * sizeof *group->faces);
    }
    return hash;
}

uint64_t pal_scene_fingerprint(const char *scene_text, const PalModel *model)
{
    uint64_t hash = pal_hash(PAL_HASH_START, scene_text, strlen(scene_text));
    for (int32_t b = 0; b < model->body_count; ++b)
        hash = add_mesh(hash, model->bodies[b].mesh);
    for (int32_t r = 0; r < model->rigid_count; ++r)
        hash = add_mesh(hash, model->rigids[r].mesh);
    return hash;
}
