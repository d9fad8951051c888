// Where the vertices of the surfaces are, and how far they may have gone.
#include "contact/surface/surface.h"
#include "math/mat3.h"
#include "math/range.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/rigid_state.h"

#include <math.h>
#include <string.h>

// ---- blocks -----------------------------------------------------------------------------

void pal_contact_surface_measure_blocks(const PalModel *model, PalContactSurface *surface)
{
    for (int32_t b = 0; b < surface->block_count; ++b) {
        surface->block_nodes[b][0] = INT32_MAX;
        surface->block_lever[b] = 1;
        surface->stride[b] = INFINITY;
    }
    for (int32_t object = 0; object < surface->body_count; ++object) {
        const PalSurfaceObject *of = &surface->objects[object];
        double lever = of->source->lever != NULL ? of->source->lever(model, of->index) : 1;
        for (int32_t v = surface->object_first_vertex[object];
             v < surface->object_first_vertex[object + 1]; ++v) {
            double *largest = &surface->block_lever[v / PAL_VERTEX_BLOCK];
            *largest = pal_max(*largest, lever);
        }
    }
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v) {
        int32_t *nodes = surface->block_nodes[v / PAL_VERTEX_BLOCK];
        for (int32_t i = surface->hold_start[v]; i < surface->hold_start[v + 1]; ++i) {
            int32_t chunk = surface->carrier_node[surface->holds[i].carrier] / PAL_NODE_CHUNK;
            nodes[0] = chunk < nodes[0] ? chunk : nodes[0];
            nodes[1] = chunk + 1 > nodes[1] ? chunk + 1 : nodes[1];
        }
    }
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalMesh *mesh = model->rigids[r].mesh;
        PalVec3 pivot = pal_rigid_pivot(&model->rigids[r]);
        for (int32_t n = 0; n < mesh->node_count; ++n)
            surface->arms[r] = fmax(surface->arms[r], pal_vec3_distance(mesh->nodes[n], pivot));
    }
}

static inline double square(PalVec3 u)
{
    return u.x * u.x + u.y * u.y + u.z * u.z;
}

// The soft vertices of a block; instruments come later.
static void bound_block(PalContactSurface *surface, int32_t block)
{
    const PalSurfaceMotion *motion = &surface->motion;
    double speed = motion->speeds == NULL ? INFINITY : 0;
    for (int32_t c = surface->block_nodes[block][0];
         c < surface->block_nodes[block][1] && motion->speeds != NULL; ++c)
        speed = pal_max(speed, motion->speeds[c]);
    surface->stride[block] = (1 + 1e-9) * motion->step * speed * surface->block_lever[block];
    surface->farthest = pal_max(surface->farthest, surface->stride[block]);
}

static void bound_object(PalContactSurface *surface, int32_t object)
{
    const PalSurfaceSource *source = surface->objects[object].source;
    int32_t first = surface->object_first_vertex[object];
    int32_t end = surface->object_first_vertex[object + 1];
    surface->object_stride[object] = INFINITY;
    if (first == end)
        return;
    if (source->stride == NULL) {
        double most = 0;
        for (int32_t b = first / PAL_VERTEX_BLOCK; b <= (end - 1) / PAL_VERTEX_BLOCK; ++b)
            most = pal_max(most, surface->stride[b]);
        surface->object_stride[object] = most;
        return;
    }
    double stride = (1 + 1e-9) * source->stride(surface, object);  // rounding
    surface->object_stride[object] = stride;
    for (int32_t b = first / PAL_VERTEX_BLOCK; b <= (end - 1) / PAL_VERTEX_BLOCK; ++b)
        surface->stride[b] = pal_max(surface->stride[b], stride);
    surface->farthest = pal_max(surface->farthest, stride);
}

// Of what is awake.
static void bound_strides(PalContactSurface *surface)
{
    const PalAwake *awake = &surface->awake;
    surface->farthest = 0;
    for (int32_t i = 0; i < awake->block_count; ++i)
        bound_block(surface, awake->blocks[i]);
    for (int32_t i = 0; i < awake->count; ++i)
        bound_object(surface, awake->objects[i]);
}

void pal_contact_surface_add_awake(PalContactSurface *surface, int32_t object)
{
    int32_t first = surface->object_first_vertex[object];
    int32_t end = surface->object_first_vertex[object + 1];
    pal_awake_add(&surface->awake, object, first / PAL_VERTEX_BLOCK,
                  first < end ? (end - 1) / PAL_VERTEX_BLOCK + 1 : 0);
}

void pal_contact_surface_wake(PalContactSurface *surface, int32_t object)
{
    const PalAwake *awake = &surface->awake;
    int32_t known = awake->block_count;
    if (!awake->asleep[object])
        return;
    pal_contact_surface_add_awake(surface, object);
    for (int32_t i = known; i < awake->block_count; ++i) {
        bound_block(surface, awake->blocks[i]);
        if (surface->motion.speeds == NULL)
            pal_contact_surface_place_block(surface, awake->blocks[i]);
    }
    bound_object(surface, object);
}

// Of the fastest node a soft vertex hangs on.
static double largest_speed2(const PalContactSurface *surface, int32_t vertex)
{
    double largest = 0;
    for (int32_t i = surface->hold_start[vertex]; i < surface->hold_start[vertex + 1]; ++i) {
        int32_t node = surface->carrier_node[surface->holds[i].carrier];
        double speed2 = square(surface->motion.velocity[node]);
        largest = speed2 > largest ? speed2 : largest;
    }
    return largest;
}

void pal_contact_surface_bound_soft(PalContactSurface *surface, int32_t block)
{
    const PalSurfaceMotion *motion = &surface->motion;
    const int32_t *nodes = surface->vertex_node;
    int32_t first = block * PAL_VERTEX_BLOCK, last = first + PAL_VERTEX_BLOCK;
    int32_t end = last < surface->soft_vertex_count ? last : surface->soft_vertex_count;
    double *strides2 = surface->soft_stride2, step2 = (1 + 3e-9) * motion->step * motion->step;
    double lever = surface->block_lever[block];
    surface->strides_stamp[block] = surface->stamp;
    for (int32_t v = first; v < end && surface->plain; ++v)
        strides2[v] = step2 * square(motion->velocity[nodes[v]]);
    for (int32_t v = first; v < end && !surface->plain; ++v)
        strides2[v] = step2 * lever * lever * largest_speed2(surface, v);
}

// ---- placing ----------------------------------------------------------------------------

static void find_poses(PalContactSurface *surface)
{
    const PalSurfaceMotion *motion = &surface->motion;
    for (int32_t r = 0; r < motion->model->rigid_count; ++r) {
        const PalRigid *rigid = &motion->model->rigids[r];
        if (motion->rigids != NULL) {
            PalPose *poses = surface->poses[r];
            poses[0] = motion->rigids[r].pose;
            poses[1] = motion->rigids[r].next;
            surface->still[r] = memcmp(&poses[0], &poses[1], sizeof poses[0]) == 0;
            continue;
        }
        surface->still[r] = true;
        PalPose rest = {.rotation = pal_mat3_identity()};
        surface->poses[r][0] = surface->poses[r][1] = rigid->free ? rest : pal_rigid_pose(rigid, 0);
    }
}

void pal_contact_surface_place(PalContactSurface *surface, const PalModel *model,
                               const PalVec3 *displacement, const PalRigidState *rigids)
{
    surface->motion =
        (PalSurfaceMotion){.model = model, .displacement = displacement, .rigids = rigids};
    find_poses(surface);
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        pal_contact_surface_place_vertex(surface, v);
    memcpy(surface->end, surface->start, (size_t)surface->vertex_count * sizeof *surface->end);
}

void pal_contact_surface_move(PalContactSurface *surface, const PalSurfaceMotion *motion)
{
    surface->motion = *motion;
    ++surface->stamp;
    find_poses(surface);
    bound_strides(surface);
    if (motion->speeds == NULL)
        pal_contact_surface_place_awake(surface);
}

void pal_contact_surface_place_vertex(PalContactSurface *surface, int32_t vertex)
{
    int32_t object = surface->vertex_object[vertex];
    const PalSurfaceSource *source = surface->objects[object].source;
    if (source->settle != NULL) {
        PAL_ASSERT(!surface->shared);
        source->settle(surface, object, vertex);
        return;
    }
    if (surface->shared && !pal_claim_to_make(&surface->placed[vertex], surface->stamp))
        return;
    source->place(surface, object, vertex, &surface->start[vertex], &surface->end[vertex]);
    pal_say_made(&surface->placed[vertex], surface->stamp);
}

void pal_contact_surface_place_four(PalContactSurface *surface, const int32_t vertices[4])
{
    for (int k = 0; k < 4; ++k)
        pal_contact_surface_need(surface, vertices[k]);
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

void pal_contact_surface_place_awake(PalContactSurface *surface)
{
    for (int32_t i = 0; i < surface->awake.block_count; ++i)
        pal_contact_surface_place_block(surface, surface->awake.blocks[i]);
}

double pal_contact_surface_farthest(PalContactSurface *surface)
{
    double farthest = 0;
    pal_contact_surface_place_awake(surface);
    for (int32_t i = 0; i < surface->awake.count; ++i) {
        int32_t object = surface->awake.objects[i];
        for (int32_t v = surface->object_first_vertex[object];
             v < surface->object_first_vertex[object + 1]; ++v)
            farthest = pal_max(farthest, pal_contact_surface_travel(surface, v));
    }
    return farthest;
}

// What is prescribed goes from its start to its end. Spins count from what was predicted.
PalVec3 pal_contact_surface_velocity(const PalContactSurface *surface, int32_t carrier)
{
    const PalSurfaceMotion *motion = &surface->motion;
    if (pal_carrier_is_node(surface, carrier) &&
        (surface->is_expected[carrier / 64] >> carrier % 64 & 1))
        return surface->predicted[carrier];
    if (pal_carrier_is_node(surface, carrier))
        return motion->velocity[surface->carrier_node[carrier]];
    if (carrier < surface->first_free_carrier) {
        int32_t v = surface->prescribed_vertex[carrier - surface->node_carrier_count];
        return pal_vec3_scale(1 / motion->step, pal_vec3_sub(surface->end[v], surface->start[v]));
    }
    int32_t number = carrier - surface->first_free_carrier;
    int32_t rigid = surface->objects[surface->free_object[number / 2]].index;
    return number % 2 == 0 ? motion->rigids[rigid].velocity : pal_vec3(0, 0, 0);
}
