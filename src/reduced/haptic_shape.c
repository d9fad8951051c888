// Deformed positions and normals, when they are asked for.
#include "base/memory.h"
#include "math/mat3.h"
#include "reduced/haptic_body.h"
#include "reduced/haptic_lanes.h"
#include <math.h>

PalStatus pal_haptic_shape_init(PalHapticShape *shape, const PalHapticBody *body, PalError *error)
{
    size_t nodes = (size_t)body->all_count, corners = (size_t)body->corner_count;
    size_t stride = (size_t)body->stride + 8;
    *shape = (PalHapticShape){
        .body = body,
        .now = 1,
        .q = pal_alloc(stride, sizeof(double)),
        .q_short = pal_alloc(3 * stride, sizeof(float)),
        .local = pal_alloc(nodes, sizeof(PalVec3)),
        .bias = pal_alloc(nodes, sizeof(PalVec3)),
        .turn = pal_alloc(nodes, sizeof(PalMat3)),
        .turn_time = pal_alloc(nodes, sizeof(uint32_t)),
        .position = pal_alloc(nodes, sizeof(PalVec3)),
        .position_time = pal_alloc(nodes, sizeof(uint32_t)),
        .normal = pal_alloc(corners, sizeof(PalVec3)),
        .normal_time = pal_alloc(corners, sizeof(uint32_t)),
    };
    if (shape->q == NULL || shape->q_short == NULL || shape->local == NULL || shape->bias == NULL ||
        shape->position == NULL || shape->position_time == NULL || shape->normal == NULL ||
        shape->normal_time == NULL || shape->turn == NULL || shape->turn_time == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a deformed surface");
    for (int32_t n = 0; n < body->all_count; ++n)
        shape->turn[n] = pal_mat3_identity();
    return PAL_OK;
}

void pal_haptic_shape_clear(PalHapticShape *shape)
{
    pal_free(shape->q);
    pal_free(shape->q_short);
    pal_free(shape->local);
    pal_free(shape->bias);
    pal_free(shape->turn);
    pal_free(shape->turn_time);
    pal_free(shape->position);
    pal_free(shape->position_time);
    pal_free(shape->normal);
    pal_free(shape->normal_time);
}

void pal_haptic_shape_moved(PalHapticShape *shape)
{
    ++shape->now;
    double sum = 0;
    if (shape->body->separate) {  // q_short was set
        for (int32_t k = 0; k < 3 * shape->body->stride; ++k)
            sum += (double)shape->q_short[k] * (double)shape->q_short[k];
        shape->q_length = sqrt(sum);
        return;
    }
    for (int32_t k = 0; k < shape->body->mode_count; ++k) {
        shape->q_short[k] = (float)shape->q[k];
        sum += shape->q[k] * shape->q[k];
    }
    shape->q_length = sqrt(sum);
}

// Where axes are separate, each has its own row of q.
double pal_haptic_shape_reach(const PalHapticShape *shape, const float *q)
{
    const PalHapticBody *body = shape->body;
    int32_t stride = body->stride, rows = body->separate ? 3 : 1;
    double square = 0, most = 0;
    for (int32_t k = 0; k < rows * stride; ++k)
        square += (double)q[k] * (double)q[k];
    double length = sqrt(square);
    if (body->separate || length == 0)
        return body->widest * length;
    for (int32_t p = 0; p < body->patch_count; ++p) {
        const PalHapticCluster *patch = &body->clusters[body->patches[p]];
        float u[3];
        pal_rows_dot(body->rows + (int64_t)3 * patch->point * stride, 3, stride, q, u);
        double way = sqrt((double)(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        most = fmax(most, way + (double)patch->spread * length);
    }
    return 1.0001 * most;
}

void pal_haptic_place(PalHapticShape *shape, int32_t node)
{
    const PalHapticBody *body = shape->body;
    PalVec3 at = body->rest[node], near = pal_haptic_near_part(shape, node);
    if (near.x != 0 || near.y != 0 || near.z != 0)
        at = pal_vec3_add(at, pal_mat3_apply(pal_haptic_patch(shape, node), near));
    if (body->mode_count > 0) {
        float u[3];
        const float *rows = body->rows + (int64_t)3 * node * body->stride;
        if (body->separate)
            for (int i = 0; i < 3; ++i)
                pal_rows_dot(rows + (int64_t)i * body->stride, 1, body->stride,
                             shape->q_short + (int64_t)i * body->stride, &u[i]);
        else
            pal_rows_dot(rows, 3, body->stride, shape->q_short, u);
        at = pal_vec3_add(at, pal_vec3((double)u[0], (double)u[1], (double)u[2]));
    }
    shape->position[node] = at;
    shape->position_time[node] = shape->now;
}

// The mean of the facets' normals, by area.
void pal_haptic_turn(PalHapticShape *shape, int32_t corner)
{
    const PalHapticBody *body = shape->body;
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = body->corner_start[corner]; i < body->corner_start[corner + 1]; ++i) {
        const int32_t *v = body->facets[body->corner_facets[i]];
        PalVec3 a = pal_haptic_position(shape, v[0]);
        sum = pal_vec3_add(sum, pal_vec3_cross(pal_vec3_sub(pal_haptic_position(shape, v[1]), a),
                                               pal_vec3_sub(pal_haptic_position(shape, v[2]), a)));
    }
    shape->normal[corner] = pal_vec3_normalise(sum);
    shape->normal_time[corner] = shape->now;
}
