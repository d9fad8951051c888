// An independent check that nothing has passed through anything: every pair of triangles of the
// model's surfaces, by exact signs where doubles leave doubt (long double, with a margin).
#ifndef PAL_TESTS_CROSSING_H
#define PAL_TESTS_CROSSING_H

#include "check.h"
#include "math/vec3.h"
#include <palpate/sim.h>
#include <stdlib.h>
#include <string.h>

typedef struct CrossingTriangle {
    PalVec3 x[3];
    PalVec3 lower, upper;
    int32_t nodes[3];  // numbers unique in the model; rigid ones negative
    int32_t object;
} CrossingTriangle;

// Six times the signed volume of a, b, c, d.
static inline long double crossing_volume(PalVec3 a, PalVec3 b, PalVec3 c, PalVec3 d)
{
    long double bx = (long double)b.x - a.x, by = (long double)b.y - a.y,
                bz = (long double)b.z - a.z;
    long double cx = (long double)c.x - a.x, cy = (long double)c.y - a.y,
                cz = (long double)c.z - a.z;
    long double dx = (long double)d.x - a.x, dy = (long double)d.y - a.y,
                dz = (long double)d.z - a.z;
    return bx * (cy * dz - cz * dy) - by * (cx * dz - cz * dx) + bz * (cx * dy - cy * dx);
}

// Does the segment p q pass through the inside of the triangle?
static inline bool crossing_segment(PalVec3 p, PalVec3 q, const PalVec3 t[3])
{
    long double above = crossing_volume(t[0], t[1], t[2], p);
    long double below = crossing_volume(t[0], t[1], t[2], q);
    if ((above > 0) == (below > 0))
        return false;
    long double s0 = crossing_volume(p, q, t[0], t[1]), s1 = crossing_volume(p, q, t[1], t[2]),
                s2 = crossing_volume(p, q, t[2], t[0]);
    return (s0 > 0 && s1 > 0 && s2 > 0) || (s0 < 0 && s1 < 0 && s2 < 0);
}

static inline bool crossing_pair(const CrossingTriangle *a, const CrossingTriangle *b)
{
    for (int k = 0; k < 3; ++k)
        if (crossing_segment(a->x[k], a->x[(k + 1) % 3], b->x) ||
            crossing_segment(b->x[k], b->x[(k + 1) % 3], a->x))
            return true;
    return false;
}

static inline void crossing_add(CrossingTriangle *triangle, const PalVec3 x[3])
{
    triangle->lower = triangle->upper = x[0];
    for (int k = 0; k < 3; ++k) {
        triangle->x[k] = x[k];
        for (int i = 0; i < 3; ++i) {
            double *lower = &triangle->lower.x + i, *upper = &triangle->upper.x + i;
            *lower = fmin(*lower, (&x[k].x)[i]);
            *upper = fmax(*upper, (&x[k].x)[i]);
        }
    }
}

static inline int crossing_order(const void *left, const void *right)
{
    const CrossingTriangle *a = left, *b = right;
    return a->lower.x < b->lower.x ? -1 : a->lower.x > b->lower.x;
}

// Nodes that both have; `last_a` and `last_b` are where the last of them stands in each.
static inline int crossing_shared(const CrossingTriangle *a, const CrossingTriangle *b, int *last_a,
                                  int *last_b)
{
    int count = 0;
    for (int k = 0; k < 9; ++k)
        if (a->nodes[k / 3] == b->nodes[k % 3]) {
            *last_a = k / 3;
            *last_b = k % 3;
            count++;
        }
    return count;
}

// Triangles that share a side lie beside each other; those that share a corner cross where the
// side opposite to it passes through the other.
static inline bool crossing_of(const CrossingTriangle *a, const CrossingTriangle *b)
{
    int i = 0, j = 0, shared = crossing_shared(a, b, &i, &j);
    if (shared == 0)
        return crossing_pair(a, b);
    return shared == 1 && (crossing_segment(a->x[(i + 1) % 3], a->x[(i + 2) % 3], b->x) ||
                           crossing_segment(b->x[(j + 1) % 3], b->x[(j + 2) % 3], a->x));
}

static inline int32_t crossing_gather(const PalSim *sim, CrossingTriangle *list)
{
    const PalModel *model = pal_sim_model(sim);
    const PalState *state = pal_sim_state(sim);
    int32_t count = 0;
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        int32_t corners = body->surface->corner_count;
        for (int32_t i = 0; i < body->surface->facet_count * (corners - 2); ++i) {
            const int32_t *facet = body->surface->facets + (int64_t)(i / (corners - 2)) * corners;
            int32_t second = 1 + i % (corners - 2), local[3] = {0, second, second + 1};
            PalVec3 x[3];
            for (int k = 0; k < 3; ++k) {
                int32_t node = body->first_node + facet[local[k]];
                list[count].nodes[k] = node;
                x[k] = pal_vec3_add(model->nodes[node], state->displacement[node]);
            }
            list[count].object = b;
            crossing_add(&list[count++], x);
        }
    }
    int32_t number = -2;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigid *rigid = &model->rigids[r];
        for (int32_t c = 0; c < rigid->mesh->cell_count; ++c) {
            PalVec3 x[3];
            for (int k = 0; k < 3; ++k) {
                int32_t node = rigid->mesh->cells[3 * c + k];
                list[count].nodes[k] = number - node;
                x[k] = pal_pose_apply(&state->rigids[r].pose, rigid->mesh->nodes[node]);
            }
            list[count].object = model->body_count + r;
            crossing_add(&list[count++], x);
        }
        number -= rigid->mesh->node_count;
    }
    return count;
}

// Pairs of triangles that cross, of objects listed as touching.
static inline int32_t crossing_count(const PalSim *sim, const PalContactDef *contact)
{
    const PalModel *model = pal_sim_model(sim);
    int32_t most = 0, objects = model->body_count + model->rigid_count, crossings = 0;
    for (int32_t b = 0; b < model->body_count; ++b)
        most += 2 * model->bodies[b].surface->facet_count;
    for (int32_t r = 0; r < model->rigid_count; ++r)
        most += model->rigids[r].mesh->cell_count;
    CrossingTriangle *list = calloc((size_t)most, sizeof *list);
    bool *allowed = calloc((size_t)(objects * objects), sizeof *allowed);
    assert_non_null(list);
    assert_non_null(allowed);
    for (int32_t p = 0; p < contact->pair_count; ++p) {
        const int32_t *pair = contact->pairs[p].objects;
        allowed[pair[0] * objects + pair[1]] = allowed[pair[1] * objects + pair[0]] = true;
    }
    int32_t count = crossing_gather(sim, list);
    qsort(list, (size_t)count, sizeof *list, crossing_order);
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = i + 1; j < count && list[j].lower.x <= list[i].upper.x; ++j) {
            const CrossingTriangle *a = &list[i], *b = &list[j];
            if (a->lower.y > b->upper.y || b->lower.y > a->upper.y || a->lower.z > b->upper.z ||
                b->lower.z > a->upper.z || !allowed[a->object * objects + b->object])
                continue;
            crossings += crossing_of(a, b);
        }
    free(list);
    free(allowed);
    return crossings;
}

#endif
