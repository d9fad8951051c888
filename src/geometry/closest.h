// Closest points of resting features. Inline: contact asks thousands of times a step.
#ifndef PAL_GEOMETRY_CLOSEST_H
#define PAL_GEOMETRY_CLOSEST_H

#include "math/vec3.h"

// Where on a triangle a point lies: edge k joins corners k and (k + 1) % 3.
typedef enum PalFeature {
    PAL_FEATURE_VERTEX_0,
    PAL_FEATURE_VERTEX_1,
    PAL_FEATURE_VERTEX_2,
    PAL_FEATURE_EDGE_0,
    PAL_FEATURE_EDGE_1,
    PAL_FEATURE_EDGE_2,
    PAL_FEATURE_FACE,
} PalFeature;

// The slow roads, for slivers and for nearly parallel edges.
double pal_closest_on_sliver(PalVec3 p, const PalVec3 triangle[3], double weights[3],
                             PalFeature *feature);
double pal_closest_on_parallel_edges(PalVec3 a0, PalVec3 a1, PalVec3 b0, PalVec3 b1,
                                     double weights[2], bool interior[2]);

// Below this square of a sine, the fast road would lose too many digits.
static const double pal_closest_least_sine = 1e-6;

// By differences, lest a place far from the origin cost digits.
static inline double pal_closest_finish(PalVec3 p, const PalVec3 triangle[3],
                                        const double weights[3])
{
    PalVec3 gap = pal_vec3_scale(weights[0], pal_vec3_sub(triangle[0], p));
    gap = pal_vec3_add_scaled(gap, weights[1], pal_vec3_sub(triangle[1], p));
    return pal_vec3_length(pal_vec3_add_scaled(gap, weights[2], pal_vec3_sub(triangle[2], p)));
}

// Weights of the corners in the point of the triangle that is closest to p. False: it is a sliver,
// and nothing is found.
static inline bool pal_closest_weights(PalVec3 p, const PalVec3 triangle[3], double weights[3],
                                       PalFeature *feature)
{
    PalVec3 ab = pal_vec3_sub(triangle[1], triangle[0]),
            ac = pal_vec3_sub(triangle[2], triangle[0]);
    PalVec3 ap = pal_vec3_sub(p, triangle[0]);
    double b2 = pal_vec3_dot(ab, ab), c2 = pal_vec3_dot(ac, ac), bc = pal_vec3_dot(ab, ac);
    double area = b2 * c2 - bc * bc;
    if (!(area > pal_closest_least_sine * b2 * c2))
        return false;
    double bp = pal_vec3_dot(ab, ap), cp = pal_vec3_dot(ac, ap);
    double v = c2 * bp - bc * cp, w = b2 * cp - bc * bp, u = area - v - w;
    double bc_p = cp - bp - (bc - b2), bc2 = b2 + c2 - 2 * bc;  // along the edge from b to c
    weights[0] = weights[1] = weights[2] = 0;
    if (u > 0 && v > 0 && w > 0) {
        double scale = 1 / area;
        weights[1] = v * scale;
        weights[2] = w * scale;
        weights[0] = u * scale;
        *feature = PAL_FEATURE_FACE;
    } else if (w <= 0 && bp > 0 && bp < b2) {
        weights[1] = bp / b2;
        weights[0] = 1 - weights[1];
        *feature = PAL_FEATURE_EDGE_0;
    } else if (v <= 0 && cp > 0 && cp < c2) {
        weights[2] = cp / c2;
        weights[0] = 1 - weights[2];
        *feature = PAL_FEATURE_EDGE_2;
    } else if (u <= 0 && bc_p > 0 && bc_p < bc2) {
        weights[2] = bc_p / bc2;
        weights[1] = 1 - weights[2];
        *feature = PAL_FEATURE_EDGE_1;
    } else {
        double to_b = b2 - 2 * bp, to_c = c2 - 2 * cp;  // squares of distances, less that to a
        int k = to_b > 0 && to_c > 0 ? 0 : to_b < to_c ? 1 : 2;
        weights[k] = 1;
        *feature = (PalFeature)k;
    }
    return true;
}

// Distance from p to the triangle; the closest point is the sum of weights times corners, with
// weights >= 0 that add up to 1. Any triangle will do, points and lines included.
static inline double pal_closest_on_triangle(PalVec3 p, const PalVec3 triangle[3],
                                             double weights[3], PalFeature *feature)
{
    return pal_closest_weights(p, triangle, weights, feature)
               ? pal_closest_finish(p, triangle, weights)
               : pal_closest_on_sliver(p, triangle, weights, feature);
}

static inline double pal_closest_clamp(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// Is the closest point of two edges an end of one of them? Edges a and b, r from the start of b to
// that of a. False where they are nearly parallel: it is not found out. The same numbers as below.
static inline bool pal_closest_is_at_end(PalVec3 a, PalVec3 b, PalVec3 r)
{
    double a2 = pal_vec3_dot(a, a), b2 = pal_vec3_dot(b, b), ab = pal_vec3_dot(a, b);
    double sine = a2 * b2 - ab * ab;
    if (!(sine > pal_closest_least_sine * a2 * b2))
        return false;
    double ar = pal_vec3_dot(a, r), br = pal_vec3_dot(b, r), s = (ab * br - ar * b2) / sine;
    double t = (ab * s + br) / b2;
    return s <= 0 || s >= 1 || t <= 0 || t >= 1;
}

// Distance between two edges, closest at a0 + weights[0] (a1 - a0) and b0 + weights[1] (b1 - b0).
// interior: strictly between the ends. Any edges will do: parallel, crossing, of no length.
static inline double pal_closest_on_edges(PalVec3 a0, PalVec3 a1, PalVec3 b0, PalVec3 b1,
                                          double weights[2], bool interior[2])
{
    PalVec3 a = pal_vec3_sub(a1, a0), b = pal_vec3_sub(b1, b0), r = pal_vec3_sub(a0, b0);
    double a2 = pal_vec3_dot(a, a), b2 = pal_vec3_dot(b, b), ab = pal_vec3_dot(a, b);
    double sine = a2 * b2 - ab * ab;
    if (!(sine > pal_closest_least_sine * a2 * b2))
        return pal_closest_on_parallel_edges(a0, a1, b0, b1, weights, interior);
    double ar = pal_vec3_dot(a, r), br = pal_vec3_dot(b, r);
    double s = pal_closest_clamp((ab * br - ar * b2) / sine);
    double t = (ab * s + br) / b2;
    if (t <= 0 || t >= 1) {
        t = t <= 0 ? 0 : 1;
        s = pal_closest_clamp((ab * t - ar) / a2);
    }
    weights[0] = s;
    weights[1] = t;
    interior[0] = s > 0 && s < 1;
    interior[1] = t > 0 && t < 1;
    r = pal_vec3_add_scaled(r, s, a);
    return pal_vec3_length(pal_vec3_add_scaled(r, -t, b));
}

#endif
