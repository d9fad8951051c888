// Deformed positions and normals, when they are asked for.
#include "base/memory.h"
#include "reduced/haptic_body.h"
#include "reduced/haptic_lanes.h"

PalStatus pal_haptic_shape_init(PalHapticShape *shape, const PalHapticBody *body, PalError *error)
{
    size_t nodes = (size_t)body->node_count, corners = (size_t)body->corner_count;
    size_t stride = (size_t)body->stride + 8;
    *shape = (PalHapticShape){
        .body = body,
        .now = 1,
        .q = pal_alloc(stride, sizeof(double)),
        .q_short = pal_alloc(stride, sizeof(float)),
        .local = pal_alloc(nodes, sizeof(PalVec3)),
        .position = pal_alloc(nodes, sizeof(PalVec3)),
        .position_time = pal_alloc(nodes, sizeof(uint32_t)),
        .normal = pal_alloc(corners, sizeof(PalVec3)),
        .normal_time = pal_alloc(corners, sizeof(uint32_t)),
    };
    if (shape->q == NULL || shape->q_short == NULL || shape->local == NULL ||
        shape->position == NULL || shape->position_time == NULL || shape->normal == NULL ||
        shape->normal_time == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a deformed surface");
    return PAL_OK;
}

void pal_haptic_shape_clear(PalHapticShape *shape)
{
    pal_free(shape->q);
    pal_free(shape->q_short);
    pal_free(shape->local);
    pal_free(shape->position);
    pal_free(shape->position_time);
    pal_free(shape->normal);
    pal_free(shape->normal_time);
}

void pal_haptic_shape_moved(PalHapticShape *shape)
{
    ++shape->now;
    double sum = 0;
    for (int32_t k = 0; k < shape->body->mode_count; ++k) {
        shape->q_short[k] = (float)shape->q[k];
        sum += shape->q[k] * shape->q[k];
    }
    shape->q_length = sqrt(sum);
}

void pal_haptic_place(PalHapticShape *shape, int32_t node)
{
    const PalHapticBody *body = shape->body;
    PalVec3 at = pal_vec3_add(body->rest[node], shape->local[node]);
    if (body->mode_count > 0) {
        float u[3];
        pal_rows_dot(body->rows + (int64_t)3 * node * body->stride, 3, body->stride, shape->q_short,
                     u);
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
