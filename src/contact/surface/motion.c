// Where the vertices of the surfaces are, and how far they may have gone.
#include "contact/surface/surface.h"
#include "math/range.h"
#include "math/vec3.h"
#include "model/conditions.h"

#include <math.h>
#include <string.h>

// ---- blocks -----------------------------------------------------------------------------

void pal_contact_surface_measure_blocks(const PalModel *model, PalContactSurface *surface)
{
    for (int32_t b = 0; b < surface->block_count; ++b) {
        surface->block_nodes[b][0] = INT32_MAX;
        surface->stride[b] = INFINITY;
    }
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v) {
        int32_t *nodes = surface->block_nodes[v / PAL_VERTEX_BLOCK];
        int32_t chunk = surface->vertex_node[v] / PAL_NODE_CHUNK;
        nodes[0] = chunk < nodes[0] ? chunk : nodes[0];
        nodes[1] = chunk + 1 > nodes[1] ? chunk + 1 : nodes[1];
    }
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalMesh *mesh = model->rigids[r].mesh;
        PalVec3 pivot = pal_rigid_pivot(&model->rigids[r]);
        for (int32_t n = 0; n < mesh->node_count; ++n)
            surface->arms[r] = fmax(surface->arms[r], pal_vec3_distance(mesh->nodes[n], pivot));
    }
}

// The soft vertices of each block, and then the instruments'.
static void bound_strides(PalContactSurface *surface)
{
    const PalSurfaceMotion *motion = &surface->motion;
    surface->farthest = 0;
    for (int32_t b = 0; b < surface->block_count; ++b) {
        double speed = motion->speeds == NULL ? INFINITY : 0;
        for (int32_t c = surface->block_nodes[b][0];
             c < surface->block_nodes[b][1] && motion->speeds != NULL; ++c)
            speed = pal_max(speed, motion->speeds[c]);
        surface->stride[b] = motion->step * speed;
    }
    for (int32_t r = 0; r < surface->object_count - surface->body_count; ++r) {
        double stride = pal_rigid_stride(&motion->model->rigids[r], motion->start_time,
                                         motion->end_time, surface->arms[r]);
        int32_t first = surface->object_first_vertex[surface->body_count + r];
        int32_t end = surface->object_first_vertex[surface->body_count + r + 1];
        for (int32_t b = first / PAL_VERTEX_BLOCK; first < end && b <= (end - 1) / PAL_VERTEX_BLOCK;
             ++b)
            surface->stride[b] = pal_max(surface->stride[b], stride);
    }
    for (int32_t b = 0; b < surface->block_count; ++b) {
        surface->stride[b] *= 1 + 1e-9;  // rounding
        surface->farthest = pal_max(surface->farthest, surface->stride[b]);
    }
}

// ---- placing ----------------------------------------------------------------------------

void pal_contact_surface_place(PalContactSurface *surface, const PalModel *model,
                               const PalVec3 *displacement, double time)
{
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v) {
        int32_t node = surface->vertex_node[v];
        PalVec3 at = model->nodes[node];
        surface->start[v] = displacement == NULL ? at : pal_vec3_add(at, displacement[node]);
    }
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        PalPose pose = pal_rigid_pose(&model->rigids[r], time);
        int32_t object = surface->body_count + r;
        for (int32_t v = surface->object_first_vertex[object];
             v < surface->object_first_vertex[object + 1]; ++v)
            surface->start[v] =
                pal_pose_apply(&pose, model->rigids[r].mesh->nodes[surface->vertex_node[v]]);
    }
    memcpy(surface->end, surface->start, (size_t)surface->vertex_count * sizeof *surface->end);
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        surface->placed[v] = surface->stamp;
}

void pal_contact_surface_move(PalContactSurface *surface, const PalSurfaceMotion *motion)
{
    surface->motion = *motion;
    ++surface->stamp;
    for (int32_t r = 0; r < motion->model->rigid_count; ++r) {
        surface->poses[r][0] = pal_rigid_pose(&motion->model->rigids[r], motion->start_time);
        surface->poses[r][1] = pal_rigid_pose(&motion->model->rigids[r], motion->end_time);
    }
    bound_strides(surface);
    if (motion->speeds == NULL)
        pal_contact_surface_place_all(surface);
}

void pal_contact_surface_place_vertex(PalContactSurface *surface, int32_t vertex)
{
    const PalSurfaceMotion *motion = &surface->motion;
    int32_t node = surface->vertex_node[vertex];
    surface->placed[vertex] = surface->stamp;
    if (vertex >= surface->soft_vertex_count) {
        int32_t rigid = surface->vertex_object[vertex] - surface->body_count;
        PalVec3 at = motion->model->rigids[rigid].mesh->nodes[node];
        surface->start[vertex] = pal_pose_apply(&surface->poses[rigid][0], at);
        surface->end[vertex] = pal_pose_apply(&surface->poses[rigid][1], at);
        return;
    }
    PalVec3 at = motion->model->nodes[node], from = motion->displacement[node];
    PalVec3 to = pal_vec3_add_scaled(from, motion->step, motion->velocity[node]);
    surface->start[vertex] = pal_vec3_add(at, from);
    surface->end[vertex] = pal_vec3_add(at, to);
}

void pal_contact_surface_place_block(PalContactSurface *surface, int32_t block)
{
    int32_t first = block * PAL_VERTEX_BLOCK, last = first + PAL_VERTEX_BLOCK;
    for (int32_t v = first; v < (last < surface->vertex_count ? last : surface->vertex_count); ++v)
        pal_contact_surface_need(surface, v);
}

void pal_contact_surface_place_all(PalContactSurface *surface)
{
    for (int32_t b = 0; b < surface->block_count; ++b)
        pal_contact_surface_place_block(surface, b);
}

PalVec3 pal_contact_surface_velocity(const PalContactSurface *surface, int32_t vertex)
{
    const PalSurfaceMotion *motion = &surface->motion;
    if (vertex < surface->soft_vertex_count)
        return motion->velocity[surface->vertex_node[vertex]];
    return pal_vec3_scale(1 / motion->step,
                          pal_vec3_sub(surface->end[vertex], surface->start[vertex]));
}
