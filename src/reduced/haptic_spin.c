// How patches of a surface turn with the modes: half the curl of each mode, the mean over the cells
// around a node. A function of q alone, so that nothing jumps when a point begins to touch.
#include "base/memory.h"
#include "element/geometry.h"
#include "reduced/haptic_body.h"
#include "reduced/haptic_lanes.h"

#include <math.h>

// into += factor (gradient x mode), for the three rows of a node.
static void add_curl(const float *modes, PalVec3 gradient, int32_t stride, float *into)
{
    const float g[3] = {(float)gradient.x, (float)gradient.y, (float)gradient.z};
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        pal_lanes_add(modes + (int64_t)k * stride, g[j], into + (int64_t)i * stride, stride);
        pal_lanes_add(modes + (int64_t)j * stride, -g[k], into + (int64_t)i * stride, stride);
    }
}

static void add_cell(PalHapticBody *body, int32_t cell, float *curl, double *volumes)
{
    const int32_t *nodes = body->book->cells + 4 * (int64_t)cell;
    int64_t row = 3 * (int64_t)body->stride;
    PalVec3 corners[4], gradients[4];
    for (int a = 0; a < 4; ++a)
        corners[a] = body->rest[nodes[a]];
    double volume = fmax(0, pal_t4_geometry(corners, gradients));
    for (int64_t k = 0; k < row; ++k)
        curl[k] = 0;
    for (int a = 0; a < 4 && volume > 0; ++a)
        add_curl(body->rows + row * nodes[a], pal_vec3_scale(0.5 * volume, gradients[a]),
                 body->stride, curl);
    for (int a = 0; a < 4; ++a) {
        pal_lanes_add(curl, 1, body->spins + row * nodes[a], (int32_t)row);
        volumes[nodes[a]] += volume;
    }
}

bool pal_haptic_spins_init(PalHapticBody *body)
{
    const PalVademecum *book = body->book;
    if (book == NULL || book->size.local_count == 0)
        return true;
    size_t row = 3 * (size_t)body->stride, nodes = (size_t)body->all_count;
    body->spins = pal_alloc(nodes * row, sizeof(float));
    float *curl = pal_alloc(row, sizeof *curl);
    double *volumes = pal_alloc(nodes, sizeof *volumes);
    bool enough = body->spins != NULL && curl != NULL && volumes != NULL;
    for (int32_t c = 0; c < book->size.cell_count && enough; ++c)
        add_cell(body, c, curl, volumes);
    for (size_t n = 0; n < nodes && enough; ++n)
        for (size_t k = 0; k < row && volumes[n] > 0; ++k)
            body->spins[n * row + k] /= (float)volumes[n];
    pal_free(curl);
    pal_free(volumes);
    return enough;
}

// The curl is twice the sine of the angle: R = 1 + W + W W / (1 + cosine), W v = w x v.
static PalMat3 rotation_of(PalVec3 w)
{
    double sine = pal_vec3_length(w);
    if (sine > 1)
        w = pal_vec3_scale(1 / sine, w);
    double cosine = sine < 1 ? sqrt(1 - sine * sine) : 0, f = 1 / (1 + cosine);
    return (PalMat3){{{cosine + f * w.x * w.x, f * w.x * w.y - w.z, f * w.x * w.z + w.y},
                      {f * w.x * w.y + w.z, cosine + f * w.y * w.y, f * w.y * w.z - w.x},
                      {f * w.x * w.z - w.y, f * w.y * w.z + w.x, cosine + f * w.z * w.z}}};
}

void pal_haptic_turn_patch(PalHapticShape *shape, int32_t node)
{
    const PalHapticBody *body = shape->body;
    float w[3];
    shape->turn_time[node] = shape->now;
    if (body->spins == NULL)
        return;
    pal_rows_dot(body->spins + (int64_t)3 * node * body->stride, 3, body->stride, shape->q_short,
                 w);
    PalMat3 turn = rotation_of(pal_vec3((double)w[0], (double)w[1], (double)w[2]));
    PalVec3 near = pal_haptic_near_part(shape, node);
    PalVec3 before = pal_mat3_apply(&shape->turn[node], near);
    shape->turn_change =
        fmax(shape->turn_change, pal_vec3_distance(pal_mat3_apply(&turn, near), before));
    shape->turn[node] = turn;
}
