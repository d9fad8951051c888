// The hexahedron with eight points, and the mean of their volume ratios for all of them: no
// hourglass patterns, and no locking of volume.   docs/theory/elements.md, 5
#include "element/geometry.h"
#include "element/kernels.h"
#include "element/solid.h"
#include "element/spread.h"
#include "material/law.h"
#include "math/lanes_math.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <stddef.h>
#include <string.h>

static bool splits(const PalMaterialDef *material)
{
    return pal_law_splits(material->law);
}

// Of one point.
static int32_t point_history(const PalMaterialDef *material)
{
    return splits(material) ? pal_prony_isochoric_history_count(material)
                            : pal_prony_history_count(material);
}

static int32_t history(const PalMaterialDef *material)
{
    int32_t pressure = splits(material) ? pal_prony_pressure_history_count(material) : 0;
    return 8 * point_history(material) + pressure;
}

// ---- building ---------------------------------------------------------------------------

static double fill(const PalPart *part, const PalVec3 *corners, int32_t lane, void *data)
{
    (void)part;
    PalH8FullBatch *batch = data;
    PalSpread spread = {.point_count = 8, .node_count = 8};
    double volume = 0, least = INFINITY, L[6];
    for (int q = 0; q < 8; ++q) {
        PalMat3 inverse;
        spread.mass[q] = 0.125;
        spread.V[q] = pal_h8_point(corners, q, spread.gradients[q]);
        pal_h8_map(corners, q, &inverse);
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

static PalLanes volume_of(const PalH8FullBatch *batch)
{
    const PalLanes *V = batch->V;
    return ((V[0] + V[1]) + (V[2] + V[3])) + ((V[4] + V[5]) + (V[6] + V[7]));
}

static void mass(const PalPart *part, const void *data, const PalLanes *factor,
                 PalLanes shares[PAL_CORNER_MAX])
{
    for (int a = 0; a < 8; ++a)
        shares[a] = 0.125 * part->material.density * *factor * volume_of(data);
}

static PalBlockKernel force(const PalPart *part)
{
    (void)part;
    return pal_kernels()->h8_full;
}

// ---- evaluations ------------------------------------------------------------------------

// All points of a batch, and what they have in common.
typedef struct Cell {
    PalLanes g[8][7][3];
    PalSolid solids[8];
    PalDeformed now[8];
    PalLanes ratio, pressure;
} Cell;

static void fill_gradients(const PalH8FullBatch *batch, int q, PalLanes g[7][3])
{
    double slopes[8][3];
    pal_h8_slopes(q, slopes);
    for (int a = 1; a < 8; ++a)
        for (int j = 0; j < 3; ++j)
            g[a - 1][j] = slopes[a][0] * batch->inverse[q][0][j] +
                          slopes[a][1] * batch->inverse[q][1][j] +
                          slopes[a][2] * batch->inverse[q][2][j];
}

// By the history of the batch's pressures, a lane after the other, which is left alone.
static void relax(const PalBatch *batch, PalLanes *pressure)
{
    const PalMaterialDef *material = &batch->part->material;
    const int32_t count = pal_prony_pressure_history_count(material);
    if (batch->history == NULL || count == 0)
        return;
    const double *at = batch->history + 8 * PAL_LANES * point_history(material);
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        double after[PAL_PRONY_MAX + 1];
        (*pressure)[l] =
            pal_prony_relax_pressure(batch->prony, (*pressure)[l], at + l * count, after);
    }
}

static void look_at(const PalBatch *batch, Cell *cell)
{
    const PalH8FullBatch *data = batch->data;
    const PalMaterialDef *material = &batch->part->material;
    PalLanes sum = {0}, V = volume_of(data);
    for (int q = 0; q < 8; ++q) {
        fill_gradients(data, q, cell->g[q]);
        cell->solids[q] = (PalSolid){.corner_count = 8,
                                     .corner = data->corner,
                                     .g = (const PalLanes(*)[3])cell->g[q],
                                     .V = data->V[q]};
        pal_kernels()->deform(&cell->solids[q], batch->displacement, &cell->now[q]);
        sum += data->V[q] * cell->now[q].J;
    }
    if (!splits(material))
        return;
    cell->ratio = pal_lanes_select((PalLanesInt)(V > 0.0), sum / V, pal_lanes_all(1.0));
    material->law->volumetric(material->parameters, &cell->ratio, NULL, &cell->pressure);
    relax(batch, &cell->pressure);
    for (int q = 0; q < 8; ++q) {
        cell->solids[q].ratio = &cell->ratio;
        cell->solids[q].pressure = &cell->pressure;
    }
}

// The same batch with the history of a point.
static PalBatch at_point(const PalBatch *batch, int q)
{
    PalBatch point = *batch;
    if (batch->history != NULL)
        point.history += q * PAL_LANES * point_history(&batch->part->material);
    return point;
}

// The least one of its points; not a number where one is.
static void ratio(const PalBatch *batch, PalLanes *J)
{
    Cell cell;
    look_at(batch, &cell);
    *J = pal_lanes_all(INFINITY);
    for (int q = 0; q < 8; ++q) {
        PalLanes here = cell.now[q].J;
        *J = pal_lanes_select((PalLanesInt)(here < *J), here, *J) + 0.0 * here;
    }
}

static void energy(const PalBatch *batch, PalLanes *result)
{
    Cell cell;
    look_at(batch, &cell);
    *result = pal_lanes_all(0.0);
    for (int q = 0; q < 8; ++q) {
        PalLanes one;
        pal_solid_energy(batch, &cell.solids[q], &cell.now[q], &one);
        *result += one;
    }
}

// Means over the points, by their volumes.
static void fields(const PalBatch *batch, PalBatchFields *result)
{
    Cell cell;
    const PalH8FullBatch *data = batch->data;
    look_at(batch, &cell);
    result->V = volume_of(data);
    for (int q = 0; q < 8; ++q) {
        PalBatchFields one = {0};
        PalBatch point = at_point(batch, q);
        pal_solid_fields(&point, &cell.solids[q], &cell.now[q], &one);
        pal_solid_add_fields(&one, data->V[q] / result->V, result);
    }
}

// As of a quadratic tetrahedron. The square of a mean is at most the mean of squares, so that what
// the ratio of all points costs is bounded point by point. Counted for a density of eight.
static void bound(const PalBatch *batch, PalLanes *result)
{
    const PalH8FullBatch *data = batch->data;
    PalLanes none = pal_lanes_all(0.0);
    PalLanesMat3 R = {{{data->R[0], none, none},
                       {data->R[1], data->R[2], none},
                       {data->R[3], data->R[4], data->R[5]}}};
    Cell cell;
    look_at(batch, &cell);
    *result = none;
    for (int q = 0; q < 8; ++q) {
        PalLanes one;
        pal_solid_bound(batch, &cell.solids[q], &cell.now[q].F, &R, &one);
        *result = pal_lanes_select((PalLanesInt)(one > *result), one, *result) + 0.0 * one;
    }
    *result *= 0.125 * data->spread;
}

// dv/du of all points together.
static void find_volume_slope(const PalH8FullBatch *data, const Cell *cell, PalLanes dv[24])
{
    memset(dv, 0, 24 * sizeof *dv);
    for (int q = 0; q < 8; ++q) {
        PalLanesMat3 C;
        pal_lanes_cofactor(&cell->now[q].F, &C);
        for (int i = 0; i < 3; ++i)
            for (int a = 1; a < 8; ++a) {
                PalLanes one = data->V[q] * (C.m[i][0] * cell->g[q][a - 1][0] +
                                             C.m[i][1] * cell->g[q][a - 1][1] +
                                             C.m[i][2] * cell->g[q][a - 1][2]);
                dv[3 * a + i] += one;
                dv[i] -= one;
            }
    }
}

// K += U''(Jm) / V dv x dv
static void tangent(const PalBatch *batch, PalLanes *K)
{
    const PalMaterialDef *material = &batch->part->material;
    Cell cell;
    PalLanes dv[24];
    look_at(batch, &cell);
    memset(K, 0, 24 * 24 * sizeof *K);
    for (int q = 0; q < 8; ++q) {
        PalBatch point = at_point(batch, q);
        pal_solid_tangent(&point, &cell.solids[q], &cell.now[q], 24, K);
    }
    if (!splits(material))
        return;
    const double left = 1 - pal_prony_pressure_now(batch->prony);
    PalLanes V = volume_of(batch->data);
    PalLanes factor = left * pal_solid_curvature(material, cell.ratio) /
                      pal_lanes_select((PalLanesInt)(V > 0.0), V, pal_lanes_all(1.0));
    find_volume_slope(batch->data, &cell, dv);
    for (int r = 0; r < 24; ++r)
        for (int c = 0; c < 24; ++c)
            K[24 * r + c] += factor * dv[r] * dv[c];
}

// ---- the plain twin ---------------------------------------------------------------------

typedef struct Plain {
    double V[8];
    PalVec3 gradients[8][8];
    PalMat3 F[8];
    double ratio;
} Plain;

static void look_plainly(const PalVec3 *corners, const PalVec3 *displacements, Plain *plain)
{
    double sum = 0, V = 0;
    for (int q = 0; q < 8; ++q) {
        plain->V[q] = pal_h8_point(corners, q, plain->gradients[q]);
        plain->F[q] = pal_mat3_identity();
        for (int a = 0; a < 8; ++a)
            for (int k = 0; k < 9; ++k)
                plain->F[q].m[k / 3][k % 3] += pal_vec3_at(displacements[a], k / 3) *
                                               pal_vec3_at(plain->gradients[q][a], k % 3);
        sum += plain->V[q] * pal_mat3_determinant(&plain->F[q]);
        V += plain->V[q];
    }
    plain->ratio = sum / V;
}

static void volumetric(const PalMaterialDef *material, double ratio, double *U, double *p)
{
    PalLanes J = pal_lanes_all(ratio), energies, pressures;
    material->law->volumetric(material->parameters, &J, &energies, &pressures);
    *U = energies[0];
    *p = pressures[0];
}

static void reference(const PalElementPartDef *part, int32_t e, const PalVec3 *corners,
                      const PalVec3 *displacements, PalVec3 *forces, double *sum)
{
    (void)e;
    Plain plain;
    look_plainly(corners, displacements, &plain);
    for (int q = 0; q < 8; ++q) {
        double W, U = 0, own = 0, mean_U = 0, mean = 0;
        PalMat3 P, C = pal_mat3_cofactor(&plain.F[q]);
        pal_material_evaluate(part->material, &plain.F[q], &W, &P, NULL);
        if (splits(part->material)) {
            volumetric(part->material, pal_mat3_determinant(&plain.F[q]), &U, &own);
            volumetric(part->material, plain.ratio, &mean_U, &mean);
        }
        *sum += plain.V[q] * (W - U + mean_U);
        for (int k = 0; k < 9; ++k)
            P.m[k / 3][k % 3] += (mean - own) * C.m[k / 3][k % 3];
        for (int a = 0; a < 8; ++a)
            forces[a] = pal_vec3_add_scaled(forces[a], -plain.V[q],
                                            pal_mat3_apply(&P, plain.gradients[q][a]));
    }
}

const PalElementType pal_element_h8_full = {
    .choice = {"h8", "Hexahedron."},
    .traits = {.cell = PAL_CELL_HEXAHEDRON, .has_hourglass = true},
    .corner_count = 8,
    .batch_size = sizeof(PalH8FullBatch),
    .corner_offset = offsetof(PalH8FullBatch, corner),
    .measure = "volume",
    .tetrahedron_count = 8,
    .tetrahedra = pal_h8_tetrahedra,
    .fill = fill,
    .history = history,
    .reference = reference,
    .mass = mass,
    .force = force,
    .ratio = ratio,
    .energy = energy,
    .fields = fields,
    .bound = bound,
    .tangent = tangent,
};
