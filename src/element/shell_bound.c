// A bound of the stiffness of a thin element, lane by lane.   docs/theory/membranes.md, 5
//
// K = V B^T D B + A b^T D_b b + what stress and moments add when they turn. Each part's largest
// eigenvalue is that of a matrix of three by three, or estimated from above; their sum bounds K.
#include "element/patch.h"
#include "element/shell.h"
#include "math/lanes_math.h"
#include "math/mat3.h"

#include <math.h>

#define MARGIN (1 + 1e-4)  // more than differences and rounding take away

// One lane.
typedef struct Lane {
    double V, A, bend, poisson;
    double weights[3][2][6];  // of phi_axis of a side, per node
    double wide[3][PAL_PATCH_NODES];
    PalVec3 phi[3][2], mirrors[3];
    PalVec3 normal, edges[2], h[3];
    double g[3][2], S[3], moment[3], n2;
    double D[3][3];  // of the strains E_11, E_22, 2 E_12
} Lane;

static PalVec3 vector_at(const PalLanes v[3], int32_t l)
{
    return pal_vec3(v[0][l], v[1][l], v[2][l]);
}

static void take_lane(const PalShellBatch *batch, const PalShellNow *now, PalLanes D[3][3],
                      int32_t l, Lane *lane)
{
    PalPatch patch = {0};
    for (int k = 0; k < 12; ++k)
        patch.c[k / 4][k / 2 % 2][k % 2] = batch->c[k / 4][k / 2 % 2][k % 2][l];
    lane->V = batch->V[l];
    lane->A = batch->A[l];
    lane->bend = batch->bend[l];
    lane->normal = vector_at(now->normal, l);
    lane->n2 = now->n2[l];
    for (int s = 0; s < 3; ++s) {
        lane->mirrors[s] = vector_at(batch->mirror[s], l);
        lane->h[s] = vector_at(now->h[s], l);
        lane->S[s] = now->S[s][l];
        lane->moment[s] = now->moment[s][l];
        for (int a = 0; a < 2; ++a) {
            lane->phi[s][a] = vector_at(now->phi[s][a], l);
            lane->g[s][a] = batch->g[s][a][l];
            pal_patch_weights(&patch, s, a, lane->weights[s][a]);
        }
        // E = e / 2 on the diagonal, 2 E_12 = e_12
        for (int k = 0; k < 3; ++k)
            lane->D[k][s] = (s < 2 ? 2 : 1) * D[k][s][l];
    }
    for (int a = 0; a < 2; ++a)
        lane->edges[a] = vector_at(now->edge[a], l);
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < PAL_PATCH_NODES; ++a) {
            double weight = a > 0 ? batch->wide[k][a - 1][l] : 0;
            lane->wide[k][a] += weight;
            lane->wide[k][0] -= weight;
        }
}

// Largest eigenvalue of D G, both symmetric, G = L L^T without negative ones: that of L^T D L.
static double largest_of(double D[3][3], double G[3][3])
{
    double L[3][3] = {{0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = G[i][j];
            for (int k = 0; k < j; ++k)
                sum -= L[i][k] * L[j][k];
            if (i == j)
                L[i][i] = sqrt(fmax(sum, 0));
            else
                L[i][j] = L[j][j] > 1e-12 * sqrt(fabs(G[j][j])) ? sum / L[j][j] : 0;
        }
    PalMat3 product = {0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                for (int m = 0; m < 3; ++m)
                    product.m[i][j] += L[k][i] * (D[k][m] + D[m][k]) / 2 * L[m][j];
    double values[3];
    pal_mat3_eigen_symmetric(&product, values, NULL);
    return fmax(values[2], 0);
}

// Rows of B: E_11, E_22, 2 E_12 by node. A mirror makes them no longer: it is left aside.
static double membrane_part(Lane *lane)
{
    double G[3][3] = {{0}};
    for (int a = 0; a < 6; ++a) {
        PalVec3 rows[3] = {{0}};
        for (int s = 0; s < 3; ++s) {
            double first = lane->weights[s][0][a] / 3, second = lane->weights[s][1][a] / 3;
            rows[0] = pal_vec3_add_scaled(rows[0], first, lane->phi[s][0]);
            rows[1] = pal_vec3_add_scaled(rows[1], second, lane->phi[s][1]);
            rows[2] = pal_vec3_add_scaled(rows[2], first, lane->phi[s][1]);
            rows[2] = pal_vec3_add_scaled(rows[2], second, lane->phi[s][0]);
        }
        for (int k = 0; k < 9; ++k)
            G[k / 3][k % 3] += pal_vec3_dot(rows[k / 3], rows[k % 3]);
    }
    return lane->V * largest_of(lane->D, G);
}

// How the second derivatives change with the nodes: 11, 22, 2 * 12.
static void derivative_weights(const Lane *lane, double weights[3][PAL_PATCH_NODES])
{
    for (int a = 0; a < PAL_PATCH_NODES; ++a)
        for (int k = 0; k < 3; ++k)
            weights[k][a] = (k < 2 ? 1 : 2) * lane->wide[k][a];
    for (int s = 0; s < 3; ++s)
        for (int a = 0; a < 6; ++a) {
            const double *first = lane->weights[s][0], *second = lane->weights[s][1];
            weights[0][a] -= 2 * lane->g[s][0] * first[a];
            weights[1][a] -= 2 * lane->g[s][1] * second[a];
            weights[2][a] -= 2 * (lane->g[s][0] * second[a] + lane->g[s][1] * first[a]);
        }
}

static double bending_part(const Lane *lane, double weights[3][PAL_PATCH_NODES])
{
    PalVec3 n = lane->normal;
    double length = sqrt(lane->n2), G[3][3] = {{0}}, rows[3][PAL_PATCH_NODES];
    PalVec3 duals[2] = {pal_vec3_scale(1 / length, pal_vec3_cross(lane->edges[1], n)),
                        pal_vec3_scale(1 / length, pal_vec3_cross(n, lane->edges[0]))};
    for (int k = 0; k < 3; ++k) {
        double f = (k < 2 ? 1 : 2) * pal_vec3_dot(lane->h[k], duals[0]);
        double g = (k < 2 ? 1 : 2) * pal_vec3_dot(lane->h[k], duals[1]);
        for (int a = 0; a < PAL_PATCH_NODES; ++a)
            rows[k][a] = weights[k][a] + (a == 0 ? f + g : a == 1 ? -f : a == 2 ? -g : 0);
    }
    for (int k = 0; k < 9; ++k)
        for (int a = 0; a < PAL_PATCH_NODES; ++a)
            G[k / 3][k % 3] += rows[k / 3][a] * rows[k % 3][a];
    double D[3][3] = {
        {1, lane->poisson, 0}, {lane->poisson, 1, 0}, {0, 0, (1 - lane->poisson) / 2}};
    return lane->bend * largest_of(D, G);
}

// Tension resists turning; pressure does not.
static double tension_part(const Lane *lane)
{
    double mean = (lane->S[0] + lane->S[1]) / 2, half = (lane->S[0] - lane->S[1]) / 2;
    double most = mean + sqrt(half * half + lane->S[2] * lane->S[2]), sum = 0;
    for (int s = 0; s < 3; ++s) {
        double xx = 0, yy = 0, xy = 0;
        for (int a = 0; a < 6; ++a) {
            double x = lane->weights[s][0][a], y = lane->weights[s][1][a];
            xx += x * x;
            yy += y * y;
            xy += x * y;
        }
        sum += (xx + yy) / 2 + sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
    }
    return lane->V / 3 * fmax(most, 0) * sum;
}

// m : (2 dt . dh + d2t . h), with |dt| <= turn |du|, |dh| <= more |du|.
static double moment_part(const Lane *lane, double weights[3][PAL_PATCH_NODES])
{
    const double *m = lane->moment;
    double size = sqrt(m[0] * m[0] + m[1] * m[1] + 2 * m[2] * m[2]), more = 0, bent = 0;
    double edges =
        pal_vec3_dot(lane->edges[0], lane->edges[0]) + pal_vec3_dot(lane->edges[1], lane->edges[1]);
    double turn2 = 3 * edges / lane->n2;
    for (int k = 0; k < 3; ++k) {
        for (int a = 0; a < PAL_PATCH_NODES; ++a)
            more += (k < 2 ? 1 : 0.5) * weights[k][a] * weights[k][a];
        bent += (k < 2 ? 1 : 2) * pal_vec3_dot(lane->h[k], lane->h[k]);
    }
    return size * (2 * sqrt(more * turn2) + 2 * sqrt(bent) * turn2);
}

void pal_shell_bound(const PalBatch *at, PalLanes *bound)
{
    const PalShellBatch *batch = at->data;
    bool bends = at->part->type->traits.bends;
    PalShellWork work = {.part = at->part, .prony = at->prony, .displacement = at->displacement};
    pal_patch_bending(&at->part->material, at->part->thickness, &work.poisson);
    PalShellNow now;
    PalLanes D[3][3];
    pal_shell_kernels()->now(&work, batch, &now);
    pal_shell_kernels()->tangent(at->part, &now, D);
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        Lane lane = {.poisson = work.poisson};
        double weights[3][PAL_PATCH_NODES], sum;
        if (batch->A[l] == 0) {
            (*bound)[l] = 0;
            continue;
        }
        take_lane(batch, &now, D, l, &lane);
        derivative_weights(&lane, weights);
        sum = membrane_part(&lane) + tension_part(&lane);
        if (bends)
            sum += bending_part(&lane, weights) + moment_part(&lane, weights);
        (*bound)[l] = MARGIN * sum / lane.V;
    }
}
