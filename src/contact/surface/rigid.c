// The surface of a rigid instrument or body.
#include "contact/surface/surface.h"
#include "model/rigid_state.h"

static bool is_free(const PalModel *model, int32_t index)
{
    return model->rigids[index].free;
}

static void count(const PalModel *model, int32_t index, int32_t *vertices, int32_t *facets)
{
    *vertices = model->rigids[index].mesh->node_count;
    *facets = model->rigids[index].mesh->cell_count;
}

static void fill(const PalModel *model, int32_t index, PalSurfaceFiller *filler)
{
    const PalMesh *mesh = model->rigids[index].mesh;
    int32_t first = 0;
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        int32_t vertex = pal_filler_add_vertex(filler, n);
        first = n == 0 ? vertex : first;
    }
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *cell = mesh->cells + 3 * (int64_t)c;
        pal_filler_add_facet(filler,
                             (int32_t[]){first + cell[0], first + cell[1], first + cell[2]});
    }
}

static void place(const PalContactSurface *surface, int32_t object, int32_t vertex, PalVec3 *start,
                  PalVec3 *end)
{
    int32_t rigid = surface->objects[object].index;
    PalVec3 at = surface->motion.model->rigids[rigid].mesh->nodes[surface->vertex_node[vertex]];
    *start = pal_pose_apply(&surface->poses[rigid][0], at);
    *end = surface->still[rigid] ? *start : pal_pose_apply(&surface->poses[rigid][1], at);
}

static PalVertexOrigin origin(const PalModel *model, int32_t index, int32_t node)
{
    const PalRigid *rigid = &model->rigids[index];
    return (PalVertexOrigin){rigid->name, node, rigid->mesh->nodes[node]};
}

static double stride(const PalContactSurface *surface, int32_t object)
{
    int32_t rigid = surface->objects[object].index;
    return pal_rigid_moved(&surface->motion.rigids[rigid], surface->arms[rigid]);
}

const PalSurfaceSource pal_source_rigid = {
    .name = "rigid",
    .is_free = is_free,
    .count = count,
    .fill = fill,
    .place = place,
    .origin = origin,
    .stride = stride,
};
