// The kernels, as text: included once per instruction set with PAL_KERNELS the name of the table.
//
// H = sum_a (u_a - u_0) x grad N_a, F = I + H, f_a = - V P grad N_a: equal displacements give
// F = I to the last bit, and no force at all.   docs/theory/elements.md, 1-3
#include "element/gather_body.h"
#include "element/geometry.h"
#include "element/kernels.h"
#include "material/volumetric.h"
#include "math/lanes_math.h"

#include <stddef.h>

// H_ij = sum_a edge_ai g_aj
INLINE void displacement_gradient(const PalLanes edges[][4], const PalLanes g[][3], int edge_count,
                                  PalLanesMat3 *H)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            PalLanes sum = edges[0][i] * g[0][j];
            for (int a = 1; a < edge_count; ++a)
                sum += edges[a][i] * g[a][j];
            H->m[i][j] = sum;
        }
}

INLINE void add_identity(PalLanesMat3 *H)
{
    for (int i = 0; i < 3; ++i)
        H->m[i][i] += 1.0;
}

// Corner a receives P g_a, corner 0 minus their sum.
INLINE void add_t4_forces(PalLanes *force, const PalT4Batch *batch, const PalLanesMat3 *P)
{
    PalLanes rows[3][PAL_LANES];
    for (int a = 0; a < 3; ++a) {
        PalLanes f[3];
        for (int i = 0; i < 3; ++i)
            f[i] = P->m[i][0] * batch->g[a][0] + P->m[i][1] * batch->g[a][1] +
                   P->m[i][2] * batch->g[a][2];
        add_force(force, batch->corner[a + 1], f, rows[a]);
    }
    for (int l = 0; l < PAL_LANES; ++l)
        *force_at(force, batch->corner[0][l]) -= rows[0][l] + rows[1][l] + rows[2][l];
}

// Mean over the corners of the fourth number: that of corner 0 plus a quarter of the edges' sum.
INLINE PalLanes mean_pressure(const PalLanes *nodes, const PalT4Batch *batch,
                              const PalLanes edges[3][4])
{
    PalLanes p;
    for (int l = 0; l < PAL_LANES; ++l)
        p[l] = (*node_at(nodes, batch->corner[0][l]))[3];
    return p + 0.25 * (edges[0][3] + edges[1][3] + edges[2][3]);
}

// P = a F + c cof F with a = G J^(-2/3), c = p - a I1 / (3 J); p = K (J - 1), or the average.
// In three short loops over a few batches: one long chain of dependent operations per batch
// would leave the processor waiting.
enum { GROUP = 8 };

typedef struct Strain {
    PalLanesMat3 F;
    PalLanes J, I1, p;
} Strain;

INLINE void find_strain(const PalLanes *u, const PalT4Batch *batch, bool averaged, Strain *s)
{
    PalLanes edges[3][4];
    PalLanesMat3 F;
    load_edges(u, batch->corner, 4, edges);
    displacement_gradient((const PalLanes(*)[4])edges, batch->g, 3, &F);
    add_identity(&F);
    s->F = F;
    s->J = F.m[0][0] * (F.m[1][1] * F.m[2][2] - F.m[1][2] * F.m[2][1]) +
           F.m[0][1] * (F.m[1][2] * F.m[2][0] - F.m[1][0] * F.m[2][2]) +
           F.m[0][2] * (F.m[1][0] * F.m[2][1] - F.m[1][1] * F.m[2][0]);
    PalLanes row[3];  // three short sums rather than a long one
    for (int i = 0; i < 3; ++i)
        row[i] = F.m[i][0] * F.m[i][0] + F.m[i][1] * F.m[i][1] + F.m[i][2] * F.m[i][2];
    s->I1 = row[0] + row[1] + row[2];
    if (averaged)
        s->p = mean_pressure(u, batch, (const PalLanes(*)[4])edges);
}

INLINE void add_neo_hookean(PalLanes *force, const PalT4Batch *batch, const PalLanesMat3 *F,
                            PalLanes a, PalLanes c)
{
    PalLanesMat3 C, P;
    pal_lanes_cofactor(F, &C);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P.m[i][j] = a * F->m[i][j] + c * C.m[i][j];
    add_t4_forces(force, batch, &P);
}

// Two groups ahead: the processor's own prefetching falls behind the kernel.
INLINE void prefetch(const PalT4Batch *batch)
{
    for (size_t line = 0; line < sizeof *batch; line += 64)
        __builtin_prefetch((const char *)batch + line);
}

// W = G/2 (Ib1 - 3) + K/2 (J - 1)^2 and the barrier, with r = J^(-1/3)
INLINE PalLanes neo_hookean_energy(double G, double K, PalLanes r, const Strain *s)
{
    PalLanes change = s->J - 1.0;
    PalLanes W = 0.5 * G * (r * r * s->I1 - 3.0) + 0.5 * K * (change * change);
    return __builtin_expect(pal_any_collapses(s->J), 0) ? W + pal_collapse_energy(K, s->J) : W;
}

INLINE bool neo_hookean(const PalBlockWork *work, bool averaged, bool tells_energy)
{
    const double G = work->part->material.parameters[0], K = work->part->material.parameters[1];
    PalLanesInt bad = {0};
    Strain strains[GROUP];
    PalLanes a[GROUP], c[GROUP], energy = {0};
    for (int32_t begin = 0; begin < work->batch_count; begin += GROUP) {
        const PalT4Batch *batches = (const PalT4Batch *)work->batches + begin;
        int32_t rest = work->batch_count - begin, count = rest < GROUP ? rest : GROUP;
        for (int32_t b = 0; b < count; ++b)
            find_strain(work->displacement, &batches[b], averaged, &strains[b]);
        for (int32_t b = 0; b < count; ++b) {
            PalLanes J = strains[b].J, V = batches[b].V, r = pal_lanes_inverse_cbrt(J);
            PalLanes p = averaged ? strains[b].p : pal_quadratic_pressure(K, J);
            if (!averaged)
                pal_add_collapse(K, J, &p);
            prefetch(&batches[b + 2 * GROUP]);
            bad |= ~(PalLanesInt)(J > 0.0);
            a[b] = -G * V * (r * r);
            c[b] = -V * p - a[b] * (strains[b].I1 * (1.0 / 3.0) / J);
            if (tells_energy)
                energy += V * neo_hookean_energy(G, K, r, &strains[b]);
        }
        for (int32_t b = 0; b < count; ++b)
            add_neo_hookean(work->force, &batches[b], &strains[b].F, a[b], c[b]);
    }
    if (tells_energy)
        *work->energy = (energy[0] + energy[1]) + (energy[2] + energy[3]);
    return none_set(bad);
}

static bool t4_neo_hookean(const PalBlockWork *work)
{
    return work->energy != NULL ? neo_hookean(work, false, true) : neo_hookean(work, false, false);
}

static bool anp_neo_hookean(const PalBlockWork *work)
{
    return neo_hookean(work, true, false);
}

// The sum of W over a block, for output.
static double t4_neo_hookean_energy(const PalBlockWork *work)
{
    const double G = work->part->material.parameters[0], K = work->part->material.parameters[1];
    const PalT4Batch *batches = work->batches;
    PalLanes sum = {0};
    for (int32_t b = 0; b < work->batch_count; ++b) {
        Strain s;
        find_strain(work->displacement, &batches[b], false, &s);
        sum += batches[b].V * neo_hookean_energy(G, K, pal_lanes_inverse_cbrt(s.J), &s);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// P of any law, relaxed where the material does; `p`, if not NULL, replaces the law's own pressure
// and is relaxed already. `history` is that of the point. Returns where det F is not positive.
INLINE PalLanesInt general_stress(const PalBlockWork *work, double *history, const PalLanesMat3 *F,
                                  const PalLanes *p, PalLanesMat3 *P)
{
    const PalPart *part = work->part;
    const PalMaterialLaw *law = part->material.law;
    const double *parameters = part->material.parameters;
    PalLanes J, own;
    if (p == NULL && part->history_batch == 0) {
        law->total(parameters, F, P, &J);
        return ~(PalLanesInt)(J > 0.0);
    }
    PalLanesMat3 C;
    pal_lanes_cofactor(F, &C);
    J = pal_lanes_determinant(F, &C);
    law->stress(parameters, F, P);
    if (part->history_batch > 0) {
        bool split = p == NULL && law->volumetric != NULL;
        if (split)
            law->volumetric(parameters, &J, NULL, &own);
        pal_prony_relax(work->prony, F, split ? &own : NULL, history, history, P);
    }
    for (int k = 0; p != NULL && k < 9; ++k)
        P->m[k / 3][k % 3] += *p * C.m[k / 3][k % 3];
    return ~(PalLanesInt)(J > 0.0);
}

// What a batch remembers; NULL: nothing.
INLINE double *history_of(const PalBlockWork *work, int32_t b)
{
    int32_t count = work->part->history_batch;
    return count > 0 ? work->history + (int64_t)b * count : NULL;
}

INLINE bool general(const PalBlockWork *work, bool averaged)
{
    const PalT4Batch *batches = work->batches;
    PalLanesInt bad = {0};
    for (int32_t b = 0; b < work->batch_count; ++b) {
        const PalT4Batch *batch = &batches[b];
        PalLanes edges[3][4], p;
        PalLanesMat3 F, P;
        load_edges(work->displacement, batch->corner, 4, edges);
        displacement_gradient((const PalLanes(*)[4])edges, batch->g, 3, &F);
        add_identity(&F);
        if (averaged)
            p = mean_pressure(work->displacement, batch, (const PalLanes(*)[4])edges);
        bad |= general_stress(work, history_of(work, b), &F, averaged ? &p : NULL, &P);
        for (int k = 0; k < 9; ++k)
            P.m[k / 3][k % 3] *= -batch->V;
        add_t4_forces(work->force, batch, &P);
    }
    return none_set(bad);
}

static bool t4_general(const PalBlockWork *work)
{
    return general(work, false);
}

static bool anp_general(const PalBlockWork *work)
{
    return general(work, true);
}

// Volumes of elements with rings: f_a = - p dv/dx_a, and p is that of the nodes. Nothing else keeps
// a single element from collapsing.
static bool mixed(const PalBlockWork *work)
{
    const PalT4Batch *batches = work->batches;
    PalLanesInt bad = {0};
    for (int32_t b = 0; b < work->batch_count; ++b) {
        const PalT4Batch *batch = &batches[b];
        PalLanes e[3][4], n[3][3], rows[3][PAL_LANES];
        __builtin_prefetch(&batches[b + 4 * GROUP].V);
        __builtin_prefetch(batches[b + 4 * GROUP].corner);
        load_edges(work->position, batch->corner, 4, e);
        for (int a = 0; a < 3; ++a) {
            const PalLanes *x = e[(a + 1) % 3], *y = e[(a + 2) % 3];
            n[a][0] = x[1] * y[2] - x[2] * y[1];
            n[a][1] = x[2] * y[0] - x[0] * y[2];
            n[a][2] = x[0] * y[1] - x[1] * y[0];
        }
        PalLanes v = e[0][0] * n[0][0] + e[0][1] * n[0][1] + e[0][2] * n[0][2];
        PalLanes p = mean_pressure(work->position, batch, (const PalLanes(*)[4])e);
        PalLanes full = 6.0 * batch->V;
        PalLanesInt low = (PalLanesInt)(v < PAL_COLLAPSE * full);
        bad |= ~(PalLanesInt)(v > 0.0) & (PalLanesInt)(full > 0.0);
        if (__builtin_expect(!none_set(low), 0))
            p += pal_collapse_pressure(work->part->guard, v / full);
        for (int a = 0; a < 3; ++a) {
            for (int i = 0; i < 3; ++i)
                n[a][i] *= p * (-1.0 / 6.0);
            add_force(work->force, batch->corner[a + 1], n[a], rows[a]);
        }
        for (int l = 0; l < PAL_LANES; ++l)
            *force_at(work->force, batch->corner[0][l]) -= rows[0][l] + rows[1][l] + rows[2][l];
    }
    return none_set(bad);
}

// Six times the current volume of each element, at each of its corners.
static bool anp_volume(const PalBlockWork *work)
{
    const PalT4Batch *batches = work->batches;
    for (int32_t b = 0; b < work->batch_count; ++b) {
        const PalT4Batch *batch = &batches[b];
        PalLanes e[3][4];
        __builtin_prefetch(batches[b + 4 * GROUP].corner);
        load_edges(work->position, batch->corner, 4, e);
        PalLanes v = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                     e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                     e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
        for (int a = 0; a < 4; ++a)
            for (int l = 0; l < PAL_LANES; ++l)
                work->volume[batch->corner[a][l]] += v[l];
    }
    return true;
}

// q_m = sum_a h_ma u_a - H x_m: zero for every linear field, finite rotations included.
// Its force is k h_ma q_m on corner a, and k q_m x x_m taken from the stress.
INLINE void hourglass_amounts(const PalH8Batch *batch, const PalLanes edges[7][4],
                              const PalLanesMat3 *H, PalLanes q[4][3])
{
    for (int m = 0; m < 4; ++m)
        for (int i = 0; i < 3; ++i) {
            PalLanes sum = pal_hourglass[m][1] * edges[0][i];
            for (int a = 2; a < 8; ++a)
                sum += pal_hourglass[m][a] * edges[a - 1][i];
            for (int j = 0; j < 3; ++j)
                sum -= H->m[i][j] * batch->x[m][j];
            q[m][i] = -batch->k * sum;
        }
}

INLINE void add_h8_forces(PalLanes *force, const PalH8Batch *batch, const PalLanesMat3 *P,
                          const PalLanes q[4][3])
{
    PalLanes total[PAL_LANES] = {0};
    for (int a = 1; a < 8; ++a) {
        PalLanes f[3], row[PAL_LANES];
        for (int i = 0; i < 3; ++i) {
            f[i] = P->m[i][0] * batch->g[a - 1][0] + P->m[i][1] * batch->g[a - 1][1] +
                   P->m[i][2] * batch->g[a - 1][2];
            for (int m = 0; m < 4; ++m)
                f[i] += pal_hourglass[m][a] * q[m][i];
        }
        add_force(force, batch->corner[a], f, row);
        for (int l = 0; l < PAL_LANES; ++l)
            total[l] += row[l];
    }
    for (int l = 0; l < PAL_LANES; ++l)
        *force_at(force, batch->corner[0][l]) -= total[l];
}

static bool h8_plain(const PalBlockWork *work)
{
    const PalH8Batch *batches = work->batches;
    PalLanesInt bad = {0};
    for (int32_t b = 0; b < work->batch_count; ++b) {
        const PalH8Batch *batch = &batches[b];
        PalLanes edges[7][4], q[4][3];
        PalLanesMat3 F, P;
        load_edges(work->displacement, batch->corner, 8, edges);
        displacement_gradient((const PalLanes(*)[4])edges, batch->g, 7, &F);
        hourglass_amounts(batch, (const PalLanes(*)[4])edges, &F, q);
        add_identity(&F);
        bad |= general_stress(work, history_of(work, b), &F, NULL, &P);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                PalLanes sum = -batch->V * P.m[i][j];
                for (int m = 0; m < 4; ++m)
                    sum -= q[m][i] * batch->x[m][j];
                P.m[i][j] = sum;
            }
        add_h8_forces(work->force, batch, &P, (const PalLanes(*)[3])q);
    }
    return none_set(bad);
}

#include "element/bending_body.h"
#include "element/full_body.h"
#include "element/rings_body.h"
#include "element/t10_body.h"

INLINE void deform_any(const PalSolid *solid, int corner_count, const PalLanes *displacement,
                       PalDeformed *now)
{
    PalLanes edges[PAL_CORNER_MAX - 1][4];
    PalLanesMat3 C;
    load_edges(displacement, solid->corner, corner_count, edges);
    displacement_gradient((const PalLanes(*)[4])edges, solid->g, corner_count - 1, &now->F);
    add_identity(&now->F);
    pal_lanes_cofactor(&now->F, &C);
    now->J = pal_lanes_determinant(&now->F, &C);
}

static void deform(const PalSolid *solid, const PalLanes *displacement, PalDeformed *now)
{
    if (solid->corner_count == 4)  // with loops of known length
        deform_any(solid, 4, displacement, now);
    else
        deform_any(solid, solid->corner_count, displacement, now);
}

// With s = g_1 + g_2 + g_3 = -g_0 the columns g_a + s/3 do: their products add up to
// g_1 x g_1 + g_2 x g_2 + g_3 x g_3 + s x s.
static void t4_gradient(const PalT4Batch *batch, const PalLanes *displacement, PalLanesMat3 *F,
                        PalLanesMat3 *R)
{
    PalLanes edges[3][4];
    load_edges(displacement, batch->corner, 4, edges);
    displacement_gradient((const PalLanes(*)[4])edges, batch->g, 3, F);
    add_identity(F);
    for (int j = 0; j < 3; ++j) {
        PalLanes third = (1.0 / 3.0) * (batch->g[0][j] + batch->g[1][j] + batch->g[2][j]);
        for (int a = 0; a < 3; ++a)
            R->m[j][a] = batch->g[a][j] + third;
    }
}

// The lower triangle R of Cholesky.
INLINE void factor_metric(PalLanes G[3][3], PalLanesMat3 *R)
{
    *R = (PalLanesMat3){0};
    R->m[0][0] = pal_lanes_sqrt(G[0][0]);
    R->m[1][0] = G[1][0] / R->m[0][0];
    R->m[2][0] = G[2][0] / R->m[0][0];
    R->m[1][1] = pal_lanes_sqrt(G[1][1] - R->m[1][0] * R->m[1][0]);
    R->m[2][1] = (G[2][1] - R->m[2][0] * R->m[1][0]) / R->m[1][1];
    R->m[2][2] = pal_lanes_sqrt(G[2][2] - R->m[2][0] * R->m[2][0] - R->m[2][1] * R->m[2][1]);
}

static void h8_gradient(const PalH8Batch *batch, const PalLanes *displacement, PalLanesMat3 *F,
                        PalLanesMat3 *R)
{
    PalLanes edges[7][4], G[3][3], sum[3] = {batch->g[0][0], batch->g[0][1], batch->g[0][2]};
    load_edges(displacement, batch->corner, 8, edges);
    displacement_gradient((const PalLanes(*)[4])edges, batch->g, 7, F);
    add_identity(F);
    for (int a = 1; a < 7; ++a)
        for (int j = 0; j < 3; ++j)
            sum[j] += batch->g[a][j];
    for (int j = 0; j < 3; ++j)
        for (int l = 0; l <= j; ++l) {
            G[j][l] = sum[j] * sum[l];
            for (int a = 0; a < 7; ++a)
                G[j][l] += batch->g[a][j] * batch->g[a][l];
        }
    factor_metric(G, R);
}

#include "element/stiffness_body.h"

const PalKernels PAL_KERNELS = {
    .t4_neo_hookean = t4_neo_hookean,
    .t4_general = t4_general,
    .anp_volume = anp_volume,
    .anp_neo_hookean = anp_neo_hookean,
    .anp_general = anp_general,
    .mixed = mixed,
    .h8_plain = h8_plain,
    .h8_bend = h8_bend,
    .h8_full = h8_full,
    .h8_control = h8_control,
    .t10_neo_hookean = t10_neo_hookean,
    .t10_general = t10_general,
    .t10_volume = t10_volume,
    .t10_gradients = t10_gradients,
    .t4_neo_hookean_energy = t4_neo_hookean_energy,
    .deform = deform,
    .ring_gradients = ring_gradients,
    .rings_neo_hookean = rings_neo_hookean,
    .rings_general = rings_general,
    .t4_gradient = t4_gradient,
    .h8_gradient = h8_gradient,
    .stiffness = stiffness,
    .neo_hookean_stiffness = neo_hookean_stiffness,
};
