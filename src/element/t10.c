// The quadratic tetrahedron: four points with an F each and, where the law has a volumetric part,
// pressures that vary linearly between its corners.   docs/theory/elements.md, 8
#include "element/geometry.h"
#include "element/kernels.h"
#include "element/solid.h"
#include "element/spread.h"
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

static double mass_part(int a)
{
    return a < 4 ? CORNER_MASS : EDGE_MASS;
}

static double fill(const PalPart *part, const PalVec3 *corners, int32_t lane, void *data)
{
    (void)part;
    PalT10Batch *batch = data;
    PalSpread spread = {.point_count = 4, .node_count = 10};
    double volume = 0, least = INFINITY, ignored[4], L[6];
    for (int a = 0; a < 10; ++a)
        spread.mass[a] = mass_part(a);
    for (int q = 0; q < 4; ++q) {
        PalMat3 inverse;
        spread.V[q] = pal_t10_point(corners, q, spread.gradients[q], ignored);
        pal_t10_map(corners, q, &inverse);
        inverse = pal_mat3_inverse(&inverse);
        batch->V[q][lane] = spread.V[q];
        volume += spread.V[q];
        least = fmin(least, spread.V[q]);
        for (int k = 0; k < 9; ++k)
            batch->inverse[q][k / 3][k % 3][lane] = inverse.m[k / 3][k % 3];
    }
    if (!(least > 0))
        return least;
    batch->spread[lane] = pal_spread(&spread, L);
    for (int k = 0; k < 6; ++k)
        batch->R[k][lane] = L[k];
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
    point->solid = (PalSolid){.corner_count = 10,
                              .pressure_count = batch->part->pressure_corners,
                              .weights = weights[q],
                              .corner = data->corner,
                              .g = (const PalLanes(*)[3])point->g,
                              .V = data->V[q]};
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
        pal_solid_add_fields(&one, data->V[q] / result->V, result);
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
    .pressures_above = 5,
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
