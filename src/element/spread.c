#include "element/spread.h"

#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { SIZE = 3 * PAL_SPREAD_POINTS };

typedef struct Gamma {
    int size;
    double m[SIZE][SIZE];
} Gamma;

static double volume_of(const PalSpread *spread)
{
    double V = 0;
    for (int q = 0; q < spread->point_count; ++q)
        V += spread->V[q];
    return V;
}

// The lower triangle of Cholesky of the mean of sum_a grad N_a x grad N_a / m_a over the points.
static PalMat3 find_metric(const PalSpread *spread)
{
    double G[3][3] = {{0}}, V = volume_of(spread);
    for (int q = 0; q < spread->point_count; ++q)
        for (int a = 0; a < spread->node_count; ++a)
            for (int k = 0; k < 9; ++k)
                G[k / 3][k % 3] += spread->V[q] / V / spread->mass[a] *
                                   pal_vec3_at(spread->gradients[q][a], k / 3) *
                                   pal_vec3_at(spread->gradients[q][a], k % 3);
    PalMat3 L = {0};
    L.m[0][0] = sqrt(G[0][0]);
    L.m[1][0] = G[1][0] / L.m[0][0];
    L.m[2][0] = G[2][0] / L.m[0][0];
    L.m[1][1] = sqrt(G[1][1] - L.m[1][0] * L.m[1][0]);
    L.m[2][1] = (G[2][1] - L.m[2][0] * L.m[1][0]) / L.m[1][1];
    L.m[2][2] = sqrt(G[2][2] - L.m[2][0] * L.m[2][0] - L.m[2][1] * L.m[2][1]);
    return L;
}

static void fill_gamma(const PalSpread *spread, const PalMat3 *L, Gamma *gamma)
{
    double V = volume_of(spread);
    PalMat3 inverse = pal_mat3_inverse(L);
    *gamma = (Gamma){.size = 3 * spread->point_count};
    for (int a = 0; a < spread->node_count; ++a) {
        double all[SIZE];
        for (int q = 0; q < spread->point_count; ++q) {
            PalVec3 g = pal_mat3_apply(&inverse, spread->gradients[q][a]);
            for (int i = 0; i < 3; ++i)
                all[3 * q + i] = sqrt(spread->V[q] / V / spread->mass[a]) * pal_vec3_at(g, i);
        }
        for (int r = 0; r < gamma->size; ++r)
            for (int c = 0; c < gamma->size; ++c)
                gamma->m[r][c] += all[r] * all[c];
    }
}

static double trace_of(const Gamma *gamma)
{
    double trace = 0;
    for (int r = 0; r < gamma->size; ++r)
        trace += gamma->m[r][r];
    return trace;
}

// The sixteenth root of the trace of its sixteenth power: 5 % too much where three eigenvalues are
// alike.
static double largest_of(Gamma *gamma)
{
    double root = 1, power = 1;
    for (int turn = 0; turn < 4; ++turn) {
        double square[SIZE][SIZE] = {{0}}, trace = trace_of(gamma);
        for (int r = 0; r < gamma->size; ++r)
            for (int c = 0; c < gamma->size; ++c)
                for (int k = 0; k < gamma->size; ++k)
                    square[r][c] += gamma->m[r][k] * gamma->m[k][c] / (trace * trace);
        memcpy(gamma->m, square, sizeof square);
        root *= pow(trace, power);
        power /= 2;
    }
    return root * pow(trace_of(gamma), power);
}

double pal_spread(const PalSpread *spread, double L[6])
{
    static const int rows[6] = {0, 1, 1, 2, 2, 2}, columns[6] = {0, 0, 1, 0, 1, 2};
    PalMat3 metric = find_metric(spread);
    Gamma gamma;
    fill_gamma(spread, &metric, &gamma);
    for (int k = 0; k < 6; ++k)
        L[k] = metric.m[rows[k]][columns[k]];
    return largest_of(&gamma);
}
