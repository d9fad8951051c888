// The quadratic tetrahedron: four points with an F each and, where the law has a volumetric part,
// pressures that vary linearly between its corners.   docs/theory/elements.md, 8
#include "element/geometry.h"
#include "element/kernels.h"
#include "element/solid.h"
#include "math/lanes_math.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <stddef.h>
#include <string.h>

// Parts of an element's mass: as its consistent mass matrix has them on the diagonal, which is
// positive for nodes at corners, too.
#define CORNER_MASS (1.0 / 36.0)
#define EDGE_MASS   (4.0 / 27.0)

#define NEAR 0.58541019662496845446
#define FAR  0.13819660112501051518

// Corners with the nodes next to them.
static const int tetrahedra[4][4] = {{0, 4, 6, 7}, {1, 5, 4, 8}, {2, 6, 5, 9}, {3, 7, 9, 8}};

// How much of the pressures at the corners each point has.
static const double weights[4][4] = {
    {NEAR, FAR, FAR, FAR}, {FAR, NEAR, FAR, FAR}, {FAR, FAR, NEAR, FAR}, {FAR, FAR, FAR, NEAR}};

// ---- building ---------------------------------------------------------------------------

// How a point of the element with all numbers of its neighbours makes bounds of the step:
// Gamma_qr = sqrt(V_q V_r) / V sum_a 1/m_a L^-1 grad N_a(q) x grad N_a(r) L^-T, twelve by twelve.
typedef struct Metric {
    double V[4];
    PalVec3 gradients[4][10];
    PalMat3 L;
    double gamma[12][12];
} Metric;

static double mass_part(int a)
{
    return a < 4 ? CORNER_MASS : EDGE_MASS;
}

// The lower triangle of Cholesky of the mean of sum_a grad N_a x grad N_a / m_a over the points.
static void find_metric(Metric *metric)
{
    double G[3][3] = {{0}}, V = metric->V[0] + metric->V[1] + metric->V[2] + metric->V[3];
    for (int q = 0; q < 4; ++q)
        for (int a = 0; a < 10; ++a)
            for (int k = 0; k < 9; ++k)
                G[k / 3][k % 3] += metric->V[q] / V / mass_part(a) *
                                   pal_vec3_at(metric->gradients[q][a], k / 3) *
                                   pal_vec3_at(metric->gradients[q][a], k % 3);
    PalMat3 *L = &metric->L;
    *L = (PalMat3){0};
    L->m[0][0] = sqrt(G[0][0]);
    L->m[1][0] = G[1][0] / L->m[0][0];
    L->m[2][0] = G[2][0] / L->m[0][0];
    L->m[1][1] = sqrt(G[1][1] - L->m[1][0] * L->m[1][0]);
    L->m[2][1] = (G[2][1] - L->m[2][0] * L->m[1][0]) / L->m[1][1];
    L->m[2][2] = sqrt(G[2][2] - L->m[2][0] * L->m[2][0] - L->m[2][1] * L->m[2][1]);
}

static void fill_gamma(Metric *metric)
{
    double V = metric->V[0] + metric->V[1] + metric->V[2] + metric->V[3];
    PalMat3 inverse = pal_mat3_inverse(&metric->L);
    memset(metric->gamma, 0, sizeof metric->gamma);
    for (int a = 0; a < 10; ++a) {
        double all[12];
        for (int q = 0; q < 4; ++q) {
            PalVec3 g = pal_mat3_apply(&inverse, metric->gradients[q][a]);
            for (int i = 0; i < 3; ++i)
                all[3 * q + i] = sqrt(metric->V[q] / V / mass_part(a)) * pal_vec3_at(g, i);
        }
        for (int r = 0; r < 12; ++r)
            for (int c = 0; c < 12; ++c)
                metric->gamma[r][c] += all[r] * all[c];
    }
}

// A bound of the largest eigenvalue of gamma: the sixteenth root of the trace of its sixteenth
// power, 5 % too much where three are alike.
static double find_spread(Metric *metric)
{
    double root = 1, power = 1;
    for (int turn = 0; turn < 4; ++turn) {
        double square[12][12] = {{0}}, trace = 0;
        for (int r = 0; r < 12; ++r)
            trace += metric->gamma[r][r];
        for (int r = 0; r < 12; ++r)
            for (int c = 0; c < 12; ++c)
                for (int k = 0; k < 12; ++k)
                    square[r][c] += metric->gamma[r][k] * metric->gamma[k][c] / (trace * trace);
        memcpy(metric->gamma, square, sizeof square);
        root *= pow(trace, power);
        power /= 2;
    }
    double trace = 0;
    for (int r = 0; r < 12; ++r)
        trace += metric->gamma[r][r];
    return root * pow(trace, power);
}

static double fill(const PalPart *part, const PalVec3 *corners, int32_t lane, void *data)
{
    (void)part;
    PalT10Batch *batch = data;
    Metric metric;
    double volume = 0, least = INFINITY, ignored[4];
    for (int q = 0; q < 4; ++q) {
        PalMat3 inverse;
        metric.V[q] = pal_t10_point(corners, q, metric.gradients[q], ignored);
        pal_t10_map(corners, q, &inverse);
        inverse = pal_mat3_inverse(&inverse);
        batch->V[q][lane] = metric.V[q];
        volume += metric.V[q];
        least = fmin(least, metric.V[q]);
        for (int k = 0; k < 9; ++k)
            batch->inverse[q][k / 3][k % 3][lane] = inverse.m[k / 3][k % 3];
    }
    if (!(least > 0))
        return least;
    find_metric(&metric);
    fill_gamma(&metric);
    batch->spread[lane] = find_spread(&metric);
    static const int rows[6] = {0, 1, 1, 2, 2, 2}, columns[6] = {0, 0, 1, 0, 1, 2};
    for (int k = 0; k < 6; ++k)
        batch->R[k][lane] = metric.L.m[rows[k]][columns[k]];
    return volume;
}

static void mass(const PalPart *part, const void *data, const PalLanes *factor,
                 PalLanes shares[PAL_CORNER_MAX])
{
    const PalT10Batch *batch = data;
    PalLanes V = (batch->V[0] + batch->V[1]) + (batch->V[2] + batch->V[3]);
    for (int a = 0; a < 10; ++a)
        shares[a] = mass_part(a) * part->material.density * *factor * V;
}

// ---- evaluations ------------------------------------------------------------------------

static PalBlockKernel force(const PalPart *part)
{
    const PalKernels *kernels = pal_kernels();
    return pal_kernels_are_neo_hookean(part) ? kernels->t10_neo_hookean : kernels->t10_general;
}

static PalBlockKernel volumes(void)
{
    return pal_kernels()->t10_volume;
}

// Point q of a batch, as a solid of its own.
typedef struct Point {
    PalLanes g[9][3];
    PalSolid solid;
    PalDeformed now;
    PalBatch batch;  // with the history of the point
} Point;

static void look_at(const PalBatch *batch, int q, Point *point)
{
    const PalT10Batch *data = batch->data;
    pal_kernels()->t10_gradients(data, q, point->g);
    point->solid = (PalSolid){10,           batch->part->pressure_corners,  weights[q],
                              data->corner, (const PalLanes(*)[3])point->g, data->V[q]};
    point->batch = *batch;
    if (batch->history != NULL)
        point->batch.history += q * (batch->part->history_batch / 4);
    pal_kernels()->deform(&point->solid, batch->displacement, &point->now);
}

static PalLanes lesser(PalLanes a, PalLanes b)
{
    return pal_lanes_select((PalLanesInt)(a < b), a, b);
}

// The least one of its points; not a number where one is.
static void ratio(const PalBatch *batch, PalLanes *J)
{
    Point point;
    *J = pal_lanes_all(INFINITY);
    for (int q = 0; q < 4; ++q) {
        look_at(batch, q, &point);
        *J = lesser(point.now.J, *J) + 0.0 * point.now.J;
    }
}

static void energy(const PalBatch *batch, PalLanes *result)
{
    Point point;
    *result = pal_lanes_all(0.0);
    for (int q = 0; q < 4; ++q) {
        PalLanes one;
        look_at(batch, q, &point);
        pal_solid_energy(&point.batch, &point.solid, &point.now, &one);
        *result += one;
    }
}

// Means over the points, by their volumes.
static void fields(const PalBatch *batch, PalBatchFields *result)
{
    Point point;
    const PalT10Batch *data = batch->data;
    result->V = (data->V[0] + data->V[1]) + (data->V[2] + data->V[3]);
    for (int q = 0; q < 4; ++q) {
        PalBatchFields one = {0};
        look_at(batch, q, &point);
        pal_solid_fields(&point.batch, &point.solid, &point.now, &one);
        PalLanes part = data->V[q] / result->V;
        result->energy += one.energy;
        result->J += part * one.J;
        for (int c = 0; c < 6; ++c) {
            result->stress[c] += part * one.stress[c];
            result->strain[c] += part * one.strain[c];
        }
    }
}

// The stiffest point, and what they make of it together: docs/theory/elements.md, 8. Counted for a
// density of ten.
static void bound(const PalBatch *batch, PalLanes *result)
{
    const PalT10Batch *data = batch->data;
    PalLanes none = pal_lanes_all(0.0);
    PalLanesMat3 R = {{{data->R[0], none, none},
                       {data->R[1], data->R[2], none},
                       {data->R[3], data->R[4], data->R[5]}}};
    Point point;
    *result = none;
    for (int q = 0; q < 4; ++q) {
        PalLanes one;
        look_at(batch, q, &point);
        pal_solid_bound(&point.batch, &point.solid, &point.now.F, &R, &one);
        *result = pal_lanes_select((PalLanesInt)(one > *result), one, *result) + 0.0 * one;
    }
    *result *= 0.1 * data->spread;
}

static void tangent(const PalBatch *batch, PalLanes *K)
{
    const int32_t n = 30 + batch->part->pressure_corners;
    Point point;
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    for (int q = 0; q < 4; ++q) {
        look_at(batch, q, &point);
        pal_solid_tangent(&point.batch, &point.solid, &point.now, n, K);
    }
}

const PalElementType pal_element_t10 = {
    .choice = {"t10", "Quadratic tetrahedron with linear pressures: bends, and does not lock."},
    .traits = {.cell = PAL_CELL_QUADRATIC_TETRAHEDRON},
    .corner_count = 10,
    .pressure_corners = 4,
    .batch_size = sizeof(PalT10Batch),
    .corner_offset = offsetof(PalT10Batch, corner),
    .measure = "volume",
    .tetrahedron_count = 4,
    .tetrahedra = tetrahedra,
    .point = pal_t10_point,
    .point_count = 4,
    .fill = fill,
    .mass = mass,
    .force = force,
    .volumes = volumes,
    .ratio = ratio,
    .energy = energy,
    .fields = fields,
    .bound = bound,
    .tangent = tangent,
};
