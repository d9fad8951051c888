// The hexahedron with mean gradients, one F, and a stiffness against the hourglass patterns that F
// does not see.   docs/theory/elements.md, 5
#include "element/geometry.h"
#include "element/kernels.h"
#include "element/solid.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <stddef.h>

static const int tetrahedra[8][4] = {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7},
                                     {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}};

static PalStatus check(const PalElementPartDef *part, PalError *error)
{
    if (part->hourglass >= 0 && isfinite(part->hourglass))
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "hourglass stiffness is %g, but must be at least 0",
                         part->hourglass);
}

// k = hourglass V E sum |grad N_a|^2 / 8 with Young's modulus E, which stays finite where lambda
// does not: lambda + 2 mu would lock near-incompressible tissue. x_m = sum_a h_ma X_a.
static void fill_hourglass(const PalPart *part, const PalVec3 X[8], const PalVec3 gradients[8],
                           PalH8Batch *batch, int32_t lane)
{
    double shear, bulk, squares = 0;
    pal_material_moduli(&part->material, &shear, &bulk);
    for (int a = 0; a < 8; ++a)
        squares += pal_vec3_dot(gradients[a], gradients[a]);
    double young = 9 * bulk * shear / (3 * bulk + shear);
    batch->k[lane] = part->hourglass * batch->V[lane] * young * squares / 8;
    for (int m = 0; m < 4; ++m)
        for (int j = 0; j < 3; ++j)
            for (int a = 1; a < 8; ++a)
                batch->x[m][j][lane] +=
                    pal_hourglass[m][a] * (pal_vec3_at(X[a], j) - pal_vec3_at(X[0], j));
}

static double fill(const PalPart *part, const PalVec3 *corners, int32_t lane, void *data)
{
    PalH8Batch *batch = data;
    PalVec3 gradients[8];
    double volume = pal_h8_geometry(corners, gradients);
    for (int a = 1; a < 8; ++a)
        for (int j = 0; j < 3; ++j)
            batch->g[a - 1][j][lane] = pal_vec3_at(gradients[a], j);
    batch->V[lane] = volume;
    fill_hourglass(part, corners, gradients, batch, lane);
    return volume;
}

static PalSolid solid_of(const PalH8Batch *batch)
{
    return (PalSolid){8, false, batch->corner, batch->g, batch->V};
}

static void mass(const PalPart *part, const void *batch, const PalLanes *factor,
                 PalLanes shares[PAL_CORNER_MAX])
{
    PalSolid solid = solid_of(batch);
    pal_solid_mass(part, &solid, factor, shares);
}

static PalBlockKernel force(const PalPart *part)
{
    (void)part;
    return pal_kernels()->h8;
}

static void ratio(const PalBatch *batch, PalLanes *J)
{
    PalSolid solid = solid_of(batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    *J = now.J;
}

// Energy of the hourglass patterns, k/2 sum |q_m|^2.
static PalLanes hourglass_energy(const PalBatch *at, const PalLanesMat3 *F)
{
    const PalH8Batch *batch = at->data;
    PalLanes sum = {0};
    for (int32_t l = 0; l < PAL_LANES; ++l)
        for (int m = 0; m < 4; ++m)
            for (int i = 0; i < 3; ++i) {
                double q = 0, base = at->displacement[batch->corner[0][l] / 4][i];
                for (int a = 1; a < 8; ++a)
                    q +=
                        pal_hourglass[m][a] * (at->displacement[batch->corner[a][l] / 4][i] - base);
                for (int j = 0; j < 3; ++j)
                    q -= (F->m[i][j][l] - (i == j)) * batch->x[m][j][l];
                sum[l] += batch->k[l] * q * q / 2;
            }
    return sum;
}

static void energy(const PalBatch *batch, PalLanes *result)
{
    PalSolid solid = solid_of(batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    pal_solid_energy(batch, &solid, &now, result);
    *result += hourglass_energy(batch, &now.F);
}

static void fields(const PalBatch *batch, PalBatchFields *result)
{
    PalSolid solid = solid_of(batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    pal_solid_fields(batch, &solid, &now, result);
    result->energy += hourglass_energy(batch, &now.F);
}

// What the hourglass stiffness makes of the bound of a hexahedron: K = V B^T A B + k g^T g with
// patterns g. Both parts as squares of rectangular matrices give a two by two matrix of norms.
static double with_hourglass(const PalH8Batch *batch, int32_t l, const PalMat3 *R, double bound)
{
    double gamma[4][8] = {{0}}, widest = 0, mixed = 0;
    PalMat3 inverse = pal_mat3_inverse(R);
    for (int m = 0; m < 4; ++m)
        for (int a = 1; a < 8; ++a) {
            gamma[m][a] = pal_hourglass[m][a];
            for (int j = 0; j < 3; ++j)
                gamma[m][a] -= batch->x[m][j][l] * batch->g[a - 1][j][l];
            gamma[m][0] -= gamma[m][a];
        }
    for (int m = 0; m < 4; ++m) {
        double row = 0, product[3] = {0};
        for (int n = 0; n < 4; ++n) {
            double sum = 0;
            for (int a = 0; a < 8; ++a)
                sum += gamma[m][a] * gamma[n][a];
            row += fabs(sum);
        }
        widest = fmax(widest, row);
        for (int a = 1; a < 8; ++a)
            for (int j = 0; j < 3; ++j)
                product[j] += batch->g[a - 1][j][l] * (gamma[m][a] - gamma[m][0]);
        PalVec3 b = pal_vec3(product[0], product[1], product[2]);
        b = pal_mat3_apply(&inverse, b);
        mixed += pal_vec3_dot(b, b);
    }
    double beta = batch->k[l] / batch->V[l] * widest;
    double cross = bound * batch->k[l] / batch->V[l] * mixed;
    return (bound + beta + sqrt((bound - beta) * (bound - beta) + 4 * cross)) / 2;
}

static void bound(const PalBatch *batch, PalLanes *result)
{
    PalSolid solid = solid_of(batch->data);
    PalLanesMat3 F, R;
    pal_kernels()->h8_gradient(batch->data, batch->displacement, &F, &R);
    pal_solid_bound(batch, &solid, &F, &R, result);
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        PalMat3 one = pal_solid_lane(&R, l);
        (*result)[l] = with_hourglass(batch->data, l, &one, (*result)[l]);
    }
}

// What the hourglass patterns add: k sum_m gamma_ma gamma_mb on each axis.
static void add_hourglass(const PalH8Batch *batch, PalLanes *K)
{
    for (int m = 0; m < 4; ++m) {
        PalLanes gamma[8] = {{0}};
        for (int a = 1; a < 8; ++a) {
            for (int j = 0; j < 3; ++j)
                gamma[a] -= batch->x[m][j] * batch->g[a - 1][j];
            gamma[a] += pal_hourglass[m][a];
            gamma[0] -= gamma[a];
        }
        for (int a = 0; a < 8; ++a)
            for (int b = 0; b < 8; ++b)
                for (int i = 0; i < 3; ++i)
                    K[(3 * a + i) * 24 + 3 * b + i] += batch->k * gamma[a] * gamma[b];
    }
}

static void tangent(const PalBatch *batch, PalLanes *K)
{
    PalSolid solid = solid_of(batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    for (int k = 0; k < 24 * 24; ++k)
        K[k] = (PalLanes){0};
    pal_solid_tangent(batch, &solid, &now, 24, K);
    add_hourglass(batch->data, K);
}

const PalElementType pal_element_h8 = {
    .choice = {"h8", "Hexahedron with one integration point and hourglass control."},
    .traits = {.cell = PAL_CELL_HEXAHEDRON, .has_hourglass = true},
    .corner_count = 8,
    .batch_size = sizeof(PalH8Batch),
    .corner_offset = offsetof(PalH8Batch, corner),
    .measure = "volume",
    .tetrahedron_count = 8,
    .tetrahedra = tetrahedra,
    .check = check,
    .geometry = pal_h8_geometry,
    .fill = fill,
    .mass = mass,
    .force = force,
    .ratio = ratio,
    .energy = energy,
    .fields = fields,
    .bound = bound,
    .tangent = tangent,
};
