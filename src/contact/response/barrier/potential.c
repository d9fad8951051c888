#include "contact/response/barrier/barrier.h"

#include <math.h>
#include <string.h>

PalBarrierPotential pal_barrier_potential(double distance, double range)
{
    double y = distance / range, rest = 1 - y, l = log(y);
    return (PalBarrierPotential){
        .energy = -range * range * rest * rest * l,
        .force = range * (rest * rest / y - 2 * rest * l),
        .slope = rest * rest / (y * y) + 4 * rest / y - 2 * l,
    };
}

// Newton's method for 1/y, in which the force is convex and nearly straight.
double pal_barrier_distance(double force, double range)
{
    double y = range / (range + fmax(force, 0));
    for (int turn = 0; turn < 40; ++turn) {
        PalBarrierPotential at = pal_barrier_potential(y * range, range);
        if (!(at.slope > 0) || fabs(at.force - force) <= 1e-10 * force)
            break;
        double inverse = 1 / y + (force - at.force) / (at.slope * range * y * y);
        y = 1 / fmax(inverse, (1 / y + 1) / 2);
    }
    return y * range;
}

// m(c) = (2 - c/p) c/p below p, else 1.
PalBarrierAngle pal_barrier_angle(double c, double parallel)
{
    if (!(c < parallel))
        return (PalBarrierAngle){1, 0, 0};
    double x = c / parallel;
    return (PalBarrierAngle){(2 - x) * x, 2 * (1 - x) / parallel, -2 / (parallel * parallel)};
}

// c = |a|^2 |b|^2 - (a . b)^2 of two edges.
static double cross_square(const PalVec3 x[4])
{
    PalVec3 across = pal_vec3_cross(pal_vec3_sub(x[1], x[0]), pal_vec3_sub(x[3], x[2]));
    return pal_vec3_dot(across, across);
}

// Its derivative: per point.
static void cross_gradient(const PalVec3 x[4], PalVec3 gradient[4])
{
    PalVec3 a = pal_vec3_sub(x[1], x[0]), b = pal_vec3_sub(x[3], x[2]);
    double a2 = pal_vec3_dot(a, a), b2 = pal_vec3_dot(b, b), ab = pal_vec3_dot(a, b);
    gradient[1] = pal_vec3_add_scaled(pal_vec3_scale(2 * b2, a), -2 * ab, b);
    gradient[3] = pal_vec3_add_scaled(pal_vec3_scale(2 * a2, b), -2 * ab, a);
    gradient[0] = pal_vec3_scale(-1, gradient[1]);
    gradient[2] = pal_vec3_scale(-1, gradient[3]);
}

// Adds factor times its second derivative.
static void add_cross_curve(const PalVec3 x[4], double factor, double *matrix)
{
    PalVec3 a = pal_vec3_sub(x[1], x[0]), b = pal_vec3_sub(x[3], x[2]);
    double a2 = pal_vec3_dot(a, a), b2 = pal_vec3_dot(b, b), ab = pal_vec3_dot(a, b);
    for (int k = 0; k < PAL_NEAR_SIZE * PAL_NEAR_SIZE; ++k) {
        int p = k / PAL_NEAR_SIZE, q = k % PAL_NEAR_SIZE, i = p % 3, j = q % 3;
        int side[2] = {p / 6, q / 6};
        double sign = (p / 3 % 2 == q / 3 % 2 ? 1 : -1) * factor, unit = i == j;
        double ai = pal_vec3_at(a, i), aj = pal_vec3_at(a, j);
        double bi = pal_vec3_at(b, i), bj = pal_vec3_at(b, j);
        double value = side[0] == 0 ? 2 * b2 * unit - 2 * bi * bj : 2 * a2 * unit - 2 * ai * aj;
        if (side[0] != side[1])
            value = side[0] == 0 ? 4 * ai * bj - 2 * aj * bi - 2 * ab * unit
                                 : 4 * aj * bi - 2 * ai * bj - 2 * ab * unit;
        matrix[k] += sign * value;
    }
}

PalBarrierPush pal_barrier_push(const PalBarrierItem *item, const PalVec3 points[4], double range,
                                bool *broken)
{
    PalBarrierPush push = {.acts = false, .count = 1, .factor = 1};
    *broken = !pal_nearness_find(item->kind, points, &push.near);
    if (*broken || !(push.near.distance < range))
        return push;
    PalBarrierPotential one = pal_barrier_potential(push.near.distance, range);
    push.acts = true;
    push.energy = item->stiffness * one.energy;
    push.force = item->stiffness * one.force;
    push.slope = item->stiffness * one.slope;
    if (item->kind == PAL_NEAR_EDGES)
        push.factor = pal_barrier_angle(cross_square(points), item->parallel).factor;
    return push;
}

void pal_barrier_forces(const PalBarrierItem *item, const PalBarrierPush *push,
                        const PalVec3 points[4], PalVec3 forces[4])
{
    for (int k = 0; k < 4; ++k)
        forces[k] =
            pal_vec3_scale(push->factor * push->force * push->near.weights[k], push->near.normal);
    if (push->factor == 1)
        return;
    PalVec3 turning[4];
    cross_gradient(points, turning);
    double first = pal_barrier_angle(cross_square(points), item->parallel).first;
    for (int k = 0; k < 4; ++k)
        forces[k] = pal_vec3_add_scaled(forces[k], -first * push->energy, turning[k]);
}

void pal_barrier_curve(const PalBarrierItem *item, const PalBarrierPush *push,
                       const PalVec3 points[4], const PalTangentWish *wish,
                       double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE])
{
    bool turns = push->factor != 1;
    PalNearCurve curve = {-push->factor * push->force, push->factor * push->slope,
                          !wish->exact && !turns};
    pal_nearness_curve(&push->near, &curve, matrix);
    if (!turns)
        return;
    PalBarrierAngle angle = pal_barrier_angle(cross_square(points), item->parallel);
    PalVec3 turning[4], normal = push->near.normal;
    cross_gradient(points, turning);
    for (int k = 0; k < PAL_NEAR_SIZE * PAL_NEAR_SIZE; ++k) {
        int p = k / PAL_NEAR_SIZE, q = k % PAL_NEAR_SIZE;
        double cp = pal_vec3_at(turning[p / 3], p % 3), cq = pal_vec3_at(turning[q / 3], q % 3);
        double bp = -push->force * push->near.weights[p / 3] * pal_vec3_at(normal, p % 3);
        double bq = -push->force * push->near.weights[q / 3] * pal_vec3_at(normal, q % 3);
        matrix[k] += angle.first * (cp * bq + bp * cq) + angle.second * push->energy * cp * cq;
    }
    add_cross_curve(points, angle.first * push->energy, matrix);
    if (!wish->exact)
        pal_make_positive(PAL_NEAR_SIZE, matrix);
}
