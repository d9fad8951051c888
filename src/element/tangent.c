// Tangents of solids with one deformation gradient: K = V B^T A B with A = dP/dF of the law,
// relaxed as the step relaxes it.   docs/theory/implicit.md, 2
#include "element/solid.h"

#include "material/volumetric.h"
#include "math/lanes_math.h"

#include <string.h>

// d2U/dJ2 by differences of fourth order: exact to rounding for the laws there are.
PalLanes pal_solid_curvature(const PalMaterialDef *material, PalLanes J)
{
    PalLanes h = 1e-3 * J, sum = {0};
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double at[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; ++k) {
        PalLanes near = J + at[k] * h, dU;
        material->law->volumetric(material->parameters, &near, NULL, &dU);
        sum += weight[k] * dU;
    }
    return sum / h;
}

void pal_solid_guard(const PalPart *part, const PalLanesMat3 *F, PalLanes *first, PalLanes *second)
{
    PalLanesMat3 C;
    pal_lanes_cofactor(F, &C);
    PalLanes J = pal_lanes_determinant(F, &C);
    if (!pal_any_collapses(J))
        return;
    const double K = part->guard;
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        PalVolumetricPoint point = pal_quadratic_point(K, J[l]);
        (*first)[l] += point.first - K * (J[l] - 1);
        (*second)[l] += point.second - K;
    }
}

// A += second cof F x cof F + first d cof F/dF
static void add_volumetric(const PalLanesMat3 *F, PalLanes first, PalLanes second, PalLanes A[9][9])
{
    PalLanesMat3 C;
    pal_lanes_cofactor(F, &C);
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l < 9; ++l)
            A[k][l] += second * C.m[k / 3][k % 3] * C.m[l / 3][l % 3];
    // d cof_ij / dF_kl = e_ikm e_jln F_mn
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int s = 1; s < 3; ++s)
                for (int t = 1; t < 3; ++t) {
                    int k = (i + s) % 3, l = (j + t) % 3, m = 3 - i - k, n = 3 - j - l;
                    double sign = s == t ? 1 : -1;
                    A[3 * i + j][3 * k + l] += sign * first * F->m[m][n];
                }
}

static void law_tangent(const PalMaterialDef *material, const PalLanesMat3 *F, PalLanes A[9][9])
{
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        PalMat3 one = pal_solid_lane(F, l);
        double point[9][9] = {{0}};
        material->law->tangent(material->parameters, &one, point);
        for (int k = 0; k < 81; ++k)
            A[k / 9][k % 9][l] = point[k / 9][k % 9];
    }
}

// S = (1 - i) S_dist + (1 - v) S_vol - H makes A = (1 - i) A_dist + (1 - v) A_vol - 1 x H. Here all
// of A relaxes by i.
static void relax_tangent(const PalProny *prony, const double *history, bool split,
                          PalLanes A[9][9], PalPronyTangent *relaxed)
{
    static const int packed[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    pal_prony_tangent(prony, split, history, relaxed);
    for (int k = 0; k < 81; ++k)
        A[k / 9][k % 9] *= 1 - relaxed->isochoric;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int l = 0; l < 3; ++l)
                A[3 * i + j][3 * i + l] -= relaxed->H[packed[j][l]];
}

void pal_solid_distortion_tangent(const PalPart *part, const PalProny *prony, const double *history,
                                  const PalLanesMat3 *F, PalLanes A[9][9])
{
    const PalMaterialDef *material = &part->material;
    PalPronyTangent relaxed;
    PalLanesMat3 C;
    PalLanes dU = {0};
    law_tangent(material, F, A);
    if (material->law->volumetric != NULL) {
        pal_lanes_cofactor(F, &C);
        PalLanes J = pal_lanes_determinant(F, &C);
        material->law->volumetric(material->parameters, &J, NULL, &dU);
        add_volumetric(F, -dU, -pal_solid_curvature(material, J), A);
    }
    if (history != NULL)
        relax_tangent(prony, history, false, A, &relaxed);
}

// Means of the pressures at the corners.
static PalLanes mean_pressure(const PalBatch *batch, const PalSolid *solid)
{
    PalLanes sum = {0};
    for (int32_t a = 0; a < solid->pressure_count; ++a)
        for (int32_t l = 0; l < PAL_LANES; ++l)
            sum[l] += solid->weights[a] * batch->displacement[solid->corner[a][l] / 4][3];
    return sum;
}

// Volumes relax by a part of their own.
static void find_whole_tangent(const PalBatch *batch, const PalDeformed *now, PalLanes A[9][9])
{
    const PalMaterialDef *material = &batch->part->material;
    PalPronyTangent relaxed;
    PalLanes dU;
    law_tangent(material, &now->F, A);
    if (batch->part->history_batch == 0)
        return;
    bool split = material->law->volumetric != NULL;
    relax_tangent(batch->prony, batch->history, split, A, &relaxed);
    if (!split)
        return;
    double rest = relaxed.isochoric - relaxed.volumetric;
    material->law->volumetric(material->parameters, &now->J, NULL, &dU);
    add_volumetric(&now->F, rest * dU, rest * pal_solid_curvature(material, now->J), A);
}

static void find_tangent(const PalBatch *batch, const PalSolid *solid, const PalDeformed *now,
                         PalLanes A[9][9])
{
    const PalPart *part = batch->part;
    if (solid->pressure_count == 0 && solid->pressure == NULL) {
        find_whole_tangent(batch, now, A);
        return;
    }
    if (part->rings)
        memset(A, 0, 81 * sizeof A[0][0]);
    else
        pal_solid_distortion_tangent(part, batch->prony,
                                     part->history_batch > 0 ? batch->history : NULL, &now->F, A);
    PalLanes p = solid->pressure != NULL ? *solid->pressure : mean_pressure(batch, solid);
    PalLanes second = {0};
    if (part->rings)
        pal_solid_guard(part, &now->F, &p, &second);
    add_volumetric(&now->F, p, second, A);
}

// All gradients, that of the first corner too.
static void list_gradients(const PalSolid *solid, PalLanes g[PAL_CORNER_MAX][3])
{
    for (int j = 0; j < 3; ++j) {
        g[0][j] = pal_lanes_all(0.0);
        for (int32_t a = 1; a < solid->corner_count; ++a) {
            g[a][j] = solid->g[a - 1][j];
            g[0][j] -= g[a][j];
        }
    }
}

PAL_CLONES static void contract(const PalLanes A[9][9], const PalLanes g[PAL_CORNER_MAX][3],
                                const PalSolid *solid, int32_t n, PalLanes *K)
{
    for (int32_t b = 0; b < solid->corner_count; ++b)
        for (int k = 0; k < 3; ++k) {
            PalLanes T[9];  // V dP/du_bk
            for (int r = 0; r < 9; ++r)
                T[r] = solid->V * (A[r][3 * k] * g[b][0] + A[r][3 * k + 1] * g[b][1] +
                                   A[r][3 * k + 2] * g[b][2]);
            for (int32_t a = 0; a < solid->corner_count; ++a)
                for (int i = 0; i < 3; ++i)
                    K[(3 * a + i) * n + 3 * b + k] +=
                        T[3 * i] * g[a][0] + T[3 * i + 1] * g[a][1] + T[3 * i + 2] * g[a][2];
        }
}

// Corner c has the part w of the volume v here: K_uc = w dv/du, K_cc = - w V / (dp/dJ).
static void add_pressures(const PalBatch *batch, const PalSolid *solid,
                          const PalLanes g[PAL_CORNER_MAX][3], const PalDeformed *now, PalLanes *K)
{
    const int32_t corners = solid->corner_count, count = solid->pressure_count;
    const int32_t n = 3 * corners + count;
    const double left = 1 - pal_prony_pressure_now(batch->prony);
    PalLanesMat3 C;
    pal_lanes_cofactor(&now->F, &C);
    for (int32_t a = 0; a < corners; ++a)
        for (int i = 0; i < 3; ++i) {
            PalLanes dv =
                solid->V * (C.m[i][0] * g[a][0] + C.m[i][1] * g[a][1] + C.m[i][2] * g[a][2]);
            for (int32_t c = 0; c < count; ++c) {
                K[(3 * a + i) * n + 3 * corners + c] += solid->weights[c] * dv;
                K[(3 * corners + c) * n + 3 * a + i] += solid->weights[c] * dv;
            }
        }
    for (int32_t c = 0; c < count; ++c) {
        PalLanes J;
        for (int32_t l = 0; l < PAL_LANES; ++l)
            J[l] = pal_batch_ratio(batch, solid->corner[c][l] / 4);
        K[(3 * corners + c) * n + 3 * corners + c] -=
            solid->weights[c] * solid->V / (left * pal_solid_curvature(&batch->part->material, J));
    }
}

void pal_solid_tangent(const PalBatch *batch, const PalSolid *solid, const PalDeformed *now,
                       int32_t n, PalLanes *K)
{
    PalLanes A[9][9], g[PAL_CORNER_MAX][3];
    find_tangent(batch, solid, now, A);
    list_gradients(solid, g);
    contract((const PalLanes(*)[9])A, (const PalLanes(*)[3])g, solid, n, K);
    if (solid->pressure_count > 0)
        add_pressures(batch, solid, (const PalLanes(*)[3])g, now, K);
}
