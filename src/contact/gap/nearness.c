// With z = sum w_k x_k, w affine in the parameters b of the closest points, and t_i = dz/db_i,
//   s(x) = min_b |z|^2,  z . t_i = 0
//   s_xx / 2 = w w' I - c_i G^-1_ij c_j',  c_i = w t_i + w_i z,  G_ij = t_i . t_j
//   d = sqrt s,  d_x = w n,  d_xx = (s_xx / 2 - d_x d_x') / d
// All of it lies in the space of w x (n, e1, e2) and (parts of w_i across w) x n, at most five.
#include "contact/gap/nearness.h"

#include <math.h>
#include <string.h>

#define PARALLEL 1e-12  // square of a sine: closest points of such edges slide in one way only
enum { MOST = 5, SWEEPS = 12 };

static void slide(PalNearness *near, int from, int to)
{
    double *weights = near->slides[near->free_count++];
    memset(weights, 0, 4 * sizeof *weights);
    weights[from] = 1;
    weights[to] = -1;
}

static void find_on_facet(const PalVec3 x[4], PalNearness *near)
{
    double weights[3];
    PalFeature feature;
    near->distance = pal_closest_on_triangle(x[0], x + 1, weights, &feature);
    near->weights[0] = 1;
    near->feature = feature;
    for (int k = 0; k < 3; ++k)
        near->weights[1 + k] = -weights[k];
    if (feature == PAL_FEATURE_FACE) {
        slide(near, 1, 2);
        slide(near, 1, 3);
    } else if (feature >= PAL_FEATURE_EDGE_0) {
        int k = (int)feature - PAL_FEATURE_EDGE_0;
        slide(near, 1 + k, 1 + (k + 1) % 3);
    }
}

static void find_on_edges(const PalVec3 x[4], PalNearness *near)
{
    double at[2];
    bool interior[2];
    near->distance = pal_closest_on_edges(x[0], x[1], x[2], x[3], at, interior);
    near->weights[0] = 1 - at[0];
    near->weights[1] = at[0];
    near->weights[2] = at[1] - 1;
    near->weights[3] = -at[1];
    PalVec3 a = pal_vec3_sub(x[1], x[0]), b = pal_vec3_sub(x[3], x[2]);
    PalVec3 across = pal_vec3_cross(a, b);
    bool parallel =
        pal_vec3_dot(across, across) <= PARALLEL * pal_vec3_dot(a, a) * pal_vec3_dot(b, b);
    if (interior[0])
        slide(near, 1, 0);
    if (interior[1] && !(interior[0] && parallel))
        slide(near, 2, 3);
}

// Points 1 and 2 are the ends.
static void find_on_edge(const PalVec3 x[4], PalNearness *near)
{
    PalVec3 edge = pal_vec3_sub(x[2], x[1]);
    double along = pal_vec3_dot(pal_vec3_sub(x[0], x[1]), edge), whole = pal_vec3_dot(edge, edge);
    double at = along > 0 ? along < whole ? along / whole : 1 : 0;
    near->weights[0] = 1;
    near->weights[1] = at - 1;
    near->weights[2] = -at;
    near->weights[3] = 0;
    near->feature =
        at > 0 ? at < 1 ? PAL_FEATURE_EDGE_0 : PAL_FEATURE_VERTEX_1 : PAL_FEATURE_VERTEX_0;
    if (near->feature == PAL_FEATURE_EDGE_0)
        slide(near, 1, 2);
}

static void find_at_vertex(PalNearness *near)
{
    const double weights[4] = {1, -1, 0, 0};
    memcpy(near->weights, weights, sizeof weights);
    near->feature = PAL_FEATURE_VERTEX_0;
}

static PalVec3 sum_of(const double weights[4], const PalVec3 x[4])
{
    PalVec3 sum = {0, 0, 0};
    for (int k = 1; k < 4; ++k)
        sum = pal_vec3_add_scaled(sum, weights[k], pal_vec3_sub(x[k], x[0]));
    return sum;
}

bool pal_nearness_find(PalNearKind kind, const PalVec3 x[4], PalNearness *near)
{
    near->free_count = 0;
    near->feature = PAL_FEATURE_FACE;
    if (kind == PAL_NEAR_VERTEX_FACET)
        find_on_facet(x, near);
    else if (kind == PAL_NEAR_EDGES)
        find_on_edges(x, near);
    else if (kind == PAL_NEAR_VERTEX_EDGE)
        find_on_edge(x, near);
    else
        find_at_vertex(near);
    PalVec3 way = sum_of(near->weights, x);
    double length = pal_vec3_length(way);
    if (!(length > 0) || !isfinite(length))
        return false;
    near->distance = length;
    near->normal = pal_vec3_scale(1 / length, way);
    for (int i = 0; i < near->free_count; ++i)
        near->directions[i] = sum_of(near->slides[i], x);
    return true;
}

// ---- second derivatives -----------------------------------------------------------------

void pal_make_positive(int32_t size, double *matrix)
{
    double V[PAL_NEAR_SIZE * PAL_NEAR_SIZE], A[PAL_NEAR_SIZE * PAL_NEAR_SIZE], norm = 0;
    const int32_t n = size;
    for (int32_t k = 0; k < n * n; ++k) {
        A[k] = matrix[k];
        V[k] = k / n == k % n;
        norm += A[k] * A[k];
    }
    double small = 1e-30 * norm;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double off = 0;
        for (int32_t p = 0; p < n; ++p)
            for (int32_t q = p + 1; q < n; ++q) {
                double apq = A[p * n + q];
                off += apq * apq;
                if (!(apq * apq > small / (n * n)))
                    continue;
                double theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
                double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
                double c = 1 / hypot(t, 1), s = t * c;
                for (int32_t k = 0; k < n; ++k) {
                    double kp = A[k * n + p], kq = A[k * n + q];
                    A[k * n + p] = c * kp - s * kq;
                    A[k * n + q] = s * kp + c * kq;
                }
                for (int32_t k = 0; k < n; ++k) {
                    double pk = A[p * n + k], qk = A[q * n + k];
                    A[p * n + k] = c * pk - s * qk;
                    A[q * n + k] = s * pk + c * qk;
                    double vp = V[k * n + p], vq = V[k * n + q];
                    V[k * n + p] = c * vp - s * vq;
                    V[k * n + q] = s * vp + c * vq;
                }
            }
        if (!(off > small))
            break;
    }
    for (int32_t e = 0; e < n; ++e) {
        double value = A[e * n + e];
        for (int32_t k = 0; value < 0 && k < n * n; ++k)
            matrix[k] -= value * V[k / n * n + e] * V[k % n * n + e];
    }
}

// The space in which the second derivative lives: vectors are a product of weights and a direction.
typedef struct Space {
    int32_t size;
    double weights[MOST][4];
    PalVec3 directions[MOST];
    double length;  // of the weights w
} Space;

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// Any two unit vectors across the normal and each other.
static void across(PalVec3 n, PalVec3 *first, PalVec3 *second)
{
    PalVec3 axis = fabs(n.x) < 0.6 ? pal_vec3(1, 0, 0) : pal_vec3(0, 1, 0);
    *first = pal_vec3_normalise(pal_vec3_cross(n, axis));
    *second = pal_vec3_cross(n, *first);
}

static void span(const PalNearness *near, Space *space)
{
    space->length = sqrt(dot4(near->weights, near->weights));
    space->size = 3;
    space->directions[0] = near->normal;
    across(near->normal, &space->directions[1], &space->directions[2]);
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 4; ++k)
            space->weights[j][k] = near->weights[k] / space->length;
    for (int i = 0; i < near->free_count; ++i) {
        double rest[4];
        memcpy(rest, near->slides[i], sizeof rest);
        for (int pass = 0; pass < 2; ++pass)
            for (int j = 0; j < space->size; j += j == 0 ? 3 : 1) {
                double along = dot4(rest, space->weights[j]);
                for (int k = 0; k < 4; ++k)
                    rest[k] -= along * space->weights[j][k];
            }
        double length = sqrt(dot4(rest, rest));
        if (length < 1e-9)
            continue;
        for (int k = 0; k < 4; ++k)
            space->weights[space->size][k] = rest[k] / length;
        space->directions[space->size++] = near->normal;
    }
}

// The vector c_i in that space.
static void express(const PalNearness *near, const Space *space, int i, double c[MOST])
{
    for (int j = 0; j < space->size; ++j) {
        double along = dot4(near->slides[i], space->weights[j]) * near->distance;
        c[j] = j == 1 || j == 2 ? 0 : along;
        if (j < 3)
            c[j] += space->length * pal_vec3_dot(near->directions[i], space->directions[j]);
    }
}

// S -= factor c_i G^-1_ij c_j'
static void subtract_slides(const PalNearness *near, const Space *space, double factor,
                            double S[MOST * MOST])
{
    double c[2][MOST] = {{0}}, G[2][2] = {{1, 0}, {0, 1}}, inverse[2][2];
    const int32_t count = near->free_count, n = space->size;
    for (int i = 0; i < count; ++i) {
        express(near, space, i, c[i]);
        for (int j = 0; j < count; ++j)
            G[i][j] = pal_vec3_dot(near->directions[i], near->directions[j]);
    }
    double det = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    if (!(det > 0))
        return;
    inverse[0][0] = G[1][1] / det;
    inverse[1][1] = G[0][0] / det;
    inverse[0][1] = inverse[1][0] = -G[0][1] / det;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
            for (int32_t k = 0; k < n * n; ++k)
                S[k] -= factor * c[i][k / n] * inverse[i][j] * c[j][k % n];
}

void pal_nearness_curve(const PalNearness *near, const PalNearCurve *curve,
                        double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE])
{
    Space space;
    double S[MOST * MOST] = {0}, U[MOST][PAL_NEAR_SIZE], T[MOST][PAL_NEAR_SIZE];
    span(near, &space);
    const int32_t n = space.size;
    double w2 = space.length * space.length, push = curve->push / near->distance;
    S[0] = curve->slope * w2;
    S[n + 1] = S[2 * n + 2] = push * w2;
    subtract_slides(near, &space, push, S);
    if (curve->positive)
        pal_make_positive(n, S);
    for (int32_t j = 0; j < n; ++j)
        for (int k = 0; k < PAL_NEAR_SIZE; ++k)
            U[j][k] = space.weights[j][k / 3] * pal_vec3_at(space.directions[j], k % 3);
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < PAL_NEAR_SIZE; ++k) {
            T[i][k] = 0;
            for (int32_t j = 0; j < n; ++j)
                T[i][k] += S[i * n + j] * U[j][k];
        }
    for (int a = 0; a < PAL_NEAR_SIZE; ++a)
        for (int b = 0; b < PAL_NEAR_SIZE; ++b) {
            double sum = 0;
            for (int32_t i = 0; i < n; ++i)
                sum += U[i][a] * T[i][b];
            matrix[a * PAL_NEAR_SIZE + b] = sum;
        }
}
