// The closest point on a face by NLopt's SLSQP, as the paper has it (Aragon and Molinari 2014,
// section 3.3): starts at the nearest of the centre and the corners, minimises half the square of
// the distance, with the domain as inequality constraints. The slow twin of pal_closest_on_face.
#ifndef PAL_TESTS_SLSQP_H
#define PAL_TESTS_SLSQP_H

#include "math/vec3.h"
#include <palpate/geometry.h>

#include <nlopt.h>

typedef struct SlsqpFace {
    PalFaceKind kind;
    const PalVec3 *nodes;
    PalVec3 point;
    double scale;  // numbers the method sees are about 1
} SlsqpFace;

static inline void slsqp_shape(PalFaceKind kind, double x, double y, double n[8], double dx[8],
                               double dy[8])
{
    static const double at[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                    {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
    double l[3] = {1 - x - y, x, y}, lx[3] = {-1, 1, 0}, ly[3] = {-1, 0, 1};
    bool quadratic = kind == PAL_FACE_TRI6 || kind == PAL_FACE_QUAD8;
    if (kind == PAL_FACE_TRI3 || kind == PAL_FACE_TRI6) {
        for (int a = 0; a < 3; ++a) {
            int b = (a + 1) % 3;
            n[a] = quadratic ? l[a] * (2 * l[a] - 1) : l[a];
            dx[a] = (quadratic ? 4 * l[a] - 1 : 1) * lx[a];
            dy[a] = (quadratic ? 4 * l[a] - 1 : 1) * ly[a];
            n[3 + a] = 4 * l[a] * l[b];
            dx[3 + a] = 4 * (lx[a] * l[b] + l[a] * lx[b]);
            dy[3 + a] = 4 * (ly[a] * l[b] + l[a] * ly[b]);
        }
        return;
    }
    for (int a = 0; a < 8; ++a) {
        double u = at[a][0], v = at[a][1];
        if (a >= 4) {
            n[a] = u == 0 ? (1 - x * x) * (1 + v * y) / 2 : (1 + u * x) * (1 - y * y) / 2;
            dx[a] = u == 0 ? -x * (1 + v * y) : u * (1 - y * y) / 2;
            dy[a] = u == 0 ? (1 - x * x) * v / 2 : -y * (1 + u * x);
        } else {
            double s = quadratic ? u * x + v * y - 1 : 1, sx = quadratic ? u : 0;
            double sy = quadratic ? v : 0, p = 1 + u * x, q = 1 + v * y;
            n[a] = p * q * s / 4;
            dx[a] = (u * q * s + p * q * sx) / 4;
            dy[a] = (v * p * s + p * q * sy) / 4;
        }
    }
}

static inline double slsqp_value(unsigned count, const double *at, double *gradient, void *context)
{
    (void)count;
    const SlsqpFace *face = context;
    double n[8], dx[8], dy[8];
    PalVec3 r = {0, 0, 0}, rx = r, ry = r;
    slsqp_shape(face->kind, at[0], at[1], n, dx, dy);
    for (int32_t a = 0; a < pal_face_node_count(face->kind); ++a) {
        PalVec3 arm = pal_vec3_scale(1 / face->scale, pal_vec3_sub(face->nodes[a], face->point));
        r = pal_vec3_add_scaled(r, n[a], arm);
        rx = pal_vec3_add_scaled(rx, dx[a], arm);
        ry = pal_vec3_add_scaled(ry, dy[a], arm);
    }
    if (gradient != NULL) {
        gradient[0] = pal_vec3_dot(r, rx);
        gradient[1] = pal_vec3_dot(r, ry);
    }
    return pal_vec3_dot(r, r) / 2;
}

// xi + eta <= 1
static inline double slsqp_slanted_side(unsigned count, const double *at, double *gradient,
                                        void *context)
{
    (void)count, (void)context;
    if (gradient != NULL)
        gradient[0] = gradient[1] = 1;
    return at[0] + at[1] - 1;
}

// The distance it finds from a start, which it moves to the closest point.
static inline double slsqp_from(SlsqpFace *face, double at[2])
{
    bool triangle = face->kind == PAL_FACE_TRI3 || face->kind == PAL_FACE_TRI6;
    double value = slsqp_value(2, at, NULL, face), least = value, start[2] = {at[0], at[1]};
    nlopt_opt solver = nlopt_create(NLOPT_LD_SLSQP, 2);
    nlopt_set_lower_bounds1(solver, triangle ? 0 : -1);
    nlopt_set_upper_bounds1(solver, 1);
    nlopt_set_min_objective(solver, slsqp_value, face);
    if (triangle)
        nlopt_add_inequality_constraint(solver, slsqp_slanted_side, NULL, 1e-15);
    nlopt_set_xtol_rel(solver, 1e-15);
    nlopt_set_ftol_abs(solver, 1e-30);
    nlopt_set_maxeval(solver, 500);
    nlopt_optimize(solver, at, &value);
    nlopt_destroy(solver);
    if (triangle && at[0] + at[1] > 1) {
        double out = (at[0] + at[1] - 1) / 2;
        at[0] -= out;
        at[1] -= out;
    }
    value = slsqp_value(2, at, NULL, face);
    if (!(value <= least)) {
        at[0] = start[0];
        at[1] = start[1];
        value = least;
    }
    return face->scale * sqrt(2 * value);
}

// As published.
static inline double slsqp_closest(SlsqpFace *face, double at[2])
{
    static const double starts[2][5][2] = {{{1 / 3.0, 1 / 3.0}, {0, 0}, {1, 0}, {0, 1}},
                                           {{0, 0}, {-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
    bool triangle = face->kind == PAL_FACE_TRI3 || face->kind == PAL_FACE_TRI6;
    double least = INFINITY;
    for (int k = 0; k < (triangle ? 4 : 5); ++k) {
        const double *start = starts[!triangle][k];
        double value = slsqp_value(2, start, NULL, face);
        if (value < least) {
            least = value;
            at[0] = start[0];
            at[1] = start[1];
        }
    }
    return slsqp_from(face, at);
}

#endif
