// What is attached, in a step.   docs/theory/membranes.md, 7
//
// x = sum w_i x_i + h n, n the unit normal of a facet with corners a, b, c. A motion of the facet
// turns it by dn = - sum over its corners of g_k (n . dx_k), with the gradients g_k of the area
// coordinates in the plane of the facet.
#include "math/vec3.h"
#include "model/ties.h"

#include <math.h>

// Normal of a facet, and gradients of its area coordinates.
typedef struct Facet {
    PalVec3 normal, gradients[3];
} Facet;

static Facet facet_at(const PalVec3 x[3])
{
    Facet facet;
    PalVec3 twice = pal_vec3_cross(pal_vec3_sub(x[1], x[0]), pal_vec3_sub(x[2], x[0]));
    double length = pal_vec3_length(twice);
    facet.normal = pal_vec3_scale(1 / length, twice);
    for (int k = 0; k < 3; ++k) {
        PalVec3 side = pal_vec3_sub(x[(k + 2) % 3], x[(k + 1) % 3]);
        facet.gradients[k] = pal_vec3_scale(1 / length, pal_vec3_cross(facet.normal, side));
    }
    return facet;
}

static Facet facet_now(const PalModel *model, const PalVec3 *displacement, int32_t tie)
{
    PalVec3 x[3];
    for (int k = 0; k < 3; ++k) {
        int32_t n = model->ties->facet[tie][k];
        x[k] = pal_vec3_add(model->nodes[n], displacement[n]);
    }
    return facet_at(x);
}

PalVec3 pal_tie_displacement(const PalModel *model, int32_t tie, PalNodeDisplacement displacement,
                             const void *context)
{
    const PalTies *ties = model->ties;
    PalVec3 sum = {0, 0, 0}, x[3];
    for (int32_t i = ties->start[tie]; i < ties->start[tie + 1]; ++i)
        sum = pal_vec3_add_scaled(sum, ties->weight[i], displacement(context, ties->to[i]));
    if (ties->height[tie] == 0)
        return sum;
    for (int k = 0; k < 3; ++k) {
        int32_t n = ties->facet[tie][k];
        x[k] = pal_vec3_add(model->nodes[n], displacement(context, n));
    }
    PalVec3 turned = pal_vec3_sub(facet_at(x).normal, ties->normal[tie]);
    return pal_vec3_add_scaled(sum, ties->height[tie], turned);
}

static PalVec3 as_is(const void *context, int32_t node)
{
    const PalVec3 *displacement = context;
    return displacement[node];
}

void pal_ties_follow(const PalModel *model, PalVec3 *displacement)
{
    const PalTies *ties = model->ties;
    for (int32_t t = 0; ties != NULL && t < ties->count; ++t)
        displacement[ties->node[t]] = pal_tie_displacement(model, t, as_is, displacement);
}

void pal_ties_follow_rate(const PalModel *model, const PalVec3 *displacement, PalVec3 *rates)
{
    const PalTies *ties = model->ties;
    for (int32_t t = 0; ties != NULL && t < ties->count; ++t) {
        PalVec3 sum = {0, 0, 0};
        for (int32_t i = ties->start[t]; i < ties->start[t + 1]; ++i)
            sum = pal_vec3_add_scaled(sum, ties->weight[i], rates[ties->to[i]]);
        if (ties->height[t] != 0) {
            Facet facet = facet_now(model, displacement, t);
            for (int k = 0; k < 3; ++k) {
                double along = pal_vec3_dot(facet.normal, rates[ties->facet[t][k]]);
                sum = pal_vec3_add_scaled(sum, -ties->height[t] * along, facet.gradients[k]);
            }
        }
        rates[ties->node[t]] = sum;
    }
}

typedef struct Ahead {
    const PalVec3 *displacement, *velocity;
    double step;
} Ahead;

static PalVec3 ahead(const void *context, int32_t node)
{
    const Ahead *at = context;
    return pal_vec3_add_scaled(at->displacement[node], at->step, at->velocity[node]);
}

void pal_ties_lead(const PalModel *model, const PalVec3 *displacement, double step,
                   PalVec3 *velocity)
{
    const PalTies *ties = model->ties;
    Ahead at = {displacement, velocity, step};
    for (int32_t t = 0; ties != NULL && t < ties->count; ++t) {
        int32_t node = ties->node[t];
        PalVec3 way = pal_vec3_sub(pal_tie_displacement(model, t, ahead, &at), displacement[node]);
        velocity[node] = pal_vec3_scale(1 / step, way);
    }
}

void pal_ties_give_forces(const PalModel *model, const PalVec3 *displacement, PalVec3 *forces)
{
    const PalTies *ties = model->ties;
    for (int32_t t = 0; ties != NULL && t < ties->count; ++t) {
        PalVec3 force = forces[ties->node[t]];
        for (int32_t i = ties->start[t]; i < ties->start[t + 1]; ++i)
            forces[ties->to[i]] = pal_vec3_add_scaled(forces[ties->to[i]], ties->weight[i], force);
        forces[ties->node[t]] = pal_vec3(0, 0, 0);
        if (ties->height[t] == 0)
            continue;
        Facet facet = facet_now(model, displacement, t);
        for (int k = 0; k < 3; ++k) {
            PalVec3 *to = &forces[ties->facet[t][k]];
            double turns = -ties->height[t] * pal_vec3_dot(facet.gradients[k], force);
            *to = pal_vec3_add_scaled(*to, turns, facet.normal);
        }
    }
}

// (sum w u)^2 <= (sum |w|) sum |w| u^2, with what turns the normal beside the weights.
void pal_ties_give_stiffness(const PalModel *model, const PalVec3 *displacement, double *sums)
{
    const PalTies *ties = model->ties;
    for (int32_t t = 0; ties != NULL && t < ties->count; ++t) {
        double all = 0, turns[3] = {0}, sum = sums[ties->node[t]];
        for (int32_t i = ties->start[t]; i < ties->start[t + 1]; ++i)
            all += fabs(ties->weight[i]);
        if (ties->height[t] != 0) {
            Facet facet = facet_now(model, displacement, t);
            for (int k = 0; k < 3; ++k) {
                turns[k] = fabs(ties->height[t]) * pal_vec3_length(facet.gradients[k]);
                all += turns[k];
            }
        }
        for (int32_t i = ties->start[t]; i < ties->start[t + 1]; ++i)
            sums[ties->to[i]] += all * fabs(ties->weight[i]) * sum;
        for (int k = 0; k < 3; ++k)
            sums[ties->facet[t][k]] += all * turns[k] * sum;
        sums[ties->node[t]] = 0;
    }
}
