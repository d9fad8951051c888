// The current surface of an object, for whoever draws it.
#include "base/memory.h"
#include "math/vec3.h"
#include "sim/sim.h"
#include <palpate/steer.h>

// An object's surface in its own numbering: where vertices are, and which facets they span.
typedef struct Skin {
    const PalModel *model;
    const PalState *state;
    const PalBody *body;  // one of these two
    const PalRigid *rigid;
    const PalPose *pose;    // of the rigid one
    const int32_t *vertex;  // of each node of the body
    int32_t vertex_count, facet_count, corner_count;
    const int32_t *facets;
} Skin;

static PalStatus find_skin(const PalSim *sim, int32_t object, Skin *skin, PalError *error)
{
    const PalModel *model = sim->model;
    int32_t object_count = model->body_count + model->rigid_count;
    if (object < 0 || object >= object_count)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "there is no object %d, expected 0 to %d: bodies, then rigid "
                             "instruments",
                             (int)object, (int)object_count - 1);
    *skin = (Skin){.model = model, .state = sim->state, .corner_count = 3};
    if (object < model->body_count) {
        skin->body = &model->bodies[object];
        skin->vertex_count = skin->body->surface->node_count;
        skin->facet_count = skin->body->surface->facet_count;
        skin->corner_count = skin->body->surface->corner_count;
        skin->facets = skin->body->surface->facets;
    } else {
        skin->rigid = &model->rigids[object - model->body_count];
        skin->pose = &sim->state->rigids[object - model->body_count].pose;
        skin->vertex_count = skin->rigid->mesh->node_count;
        skin->facet_count = skin->rigid->mesh->cell_count;
        skin->facets = skin->rigid->mesh->cells;
    }
    return PAL_OK;
}

static int32_t triangle_count_of(const Skin *skin)
{
    return skin->facet_count * (skin->corner_count - 2);
}

PalStatus pal_sim_surface_size(const PalSim *sim, int32_t object, int32_t *vertex_count,
                               int32_t *triangle_count, PalError *error)
{
    Skin skin = {0};
    PAL_TRY(find_skin(sim, object, &skin, error));
    if (vertex_count != NULL)
        *vertex_count = skin.vertex_count;
    if (triangle_count != NULL)
        *triangle_count = triangle_count_of(&skin);
    return PAL_OK;
}

// Which vertex of its body's surface each node is.
static PalStatus number_vertices(PalSim *sim, PalError *error)
{
    if (sim->vertex_of_node != NULL)
        return PAL_OK;
    sim->vertex_of_node = pal_alloc((size_t)sim->model->node_count, sizeof *sim->vertex_of_node);
    if (sim->vertex_of_node == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a surface");
    for (int32_t b = 0; b < sim->model->body_count; ++b) {
        const PalBody *body = &sim->model->bodies[b];
        for (int32_t v = 0; v < body->surface->node_count; ++v)
            sim->vertex_of_node[body->first_node + body->surface->nodes[v]] = v;
    }
    return PAL_OK;
}

static PalVec3 place_of(const Skin *skin, int32_t vertex)
{
    if (skin->rigid != NULL)
        return pal_pose_apply(skin->pose, skin->rigid->mesh->nodes[vertex]);
    int32_t n = skin->body->first_node + skin->body->surface->nodes[vertex];
    return pal_vec3_add(skin->model->nodes[n], skin->state->displacement[n]);
}

static void triangle_of(const Skin *skin, int32_t triangle, int32_t corners[3])
{
    int32_t per_facet = skin->corner_count - 2, second = triangle % per_facet;
    const int32_t *facet = skin->facets + (int64_t)(triangle / per_facet) * skin->corner_count;
    const int32_t nodes[3] = {facet[0], facet[1 + second], facet[2 + second]};
    for (int a = 0; a < 3; ++a)
        corners[a] = skin->rigid != NULL ? nodes[a] : skin->vertex[nodes[a]];
}

// The cross product of two edges is as long as twice the area: large facets count more.
static void find_normals(const Skin *skin, PalVec3 *normals)
{
    for (int32_t v = 0; v < skin->vertex_count; ++v)
        normals[v] = pal_vec3(0, 0, 0);
    for (int32_t t = 0; t < triangle_count_of(skin); ++t) {
        int32_t corners[3];
        triangle_of(skin, t, corners);
        PalVec3 a = place_of(skin, corners[0]);
        PalVec3 ab = pal_vec3_sub(place_of(skin, corners[1]), a);
        PalVec3 ac = pal_vec3_sub(place_of(skin, corners[2]), a);
        PalVec3 normal = pal_vec3_cross(ab, ac);
        for (int i = 0; i < 3; ++i)
            normals[corners[i]] = pal_vec3_add(normals[corners[i]], normal);
    }
    for (int32_t v = 0; v < skin->vertex_count; ++v) {
        double length = pal_vec3_length(normals[v]);
        if (length > 0)
            normals[v] = pal_vec3_scale(1 / length, normals[v]);
    }
}

PalStatus pal_sim_copy_surface(PalSim *sim, int32_t object, const PalSurfaceCopy *copy,
                               PalError *error)
{
    Skin skin = {0};
    PAL_TRY(find_skin(sim, object, &skin, error));
    bool wants_vertices = copy->positions != NULL || copy->normals != NULL;
    if ((wants_vertices && copy->vertex_capacity < skin.vertex_count) ||
        (copy->triangles != NULL && copy->triangle_capacity < triangle_count_of(&skin)))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the surface of object %d has %d vertices and %d triangles, but there "
                             "is room for %d and %d",
                             (int)object, (int)skin.vertex_count, (int)triangle_count_of(&skin),
                             (int)copy->vertex_capacity, (int)copy->triangle_capacity);
    PAL_TRY(number_vertices(sim, error));
    if (skin.body != NULL)
        skin.vertex = sim->vertex_of_node + skin.body->first_node;
    for (int32_t v = 0; copy->positions != NULL && v < skin.vertex_count; ++v)
        copy->positions[v] = place_of(&skin, v);
    for (int32_t t = 0; copy->triangles != NULL && t < triangle_count_of(&skin); ++t)
        triangle_of(&skin, t, copy->triangles[t]);
    if (copy->normals != NULL)
        find_normals(&skin, copy->normals);
    return PAL_OK;
}
