// Kernels of rings around edges, as text: included once per instruction set.
//
// F = I + sum_a (u_a - u_own) x g_a, and node a receives - V P g_a; the ring's own node receives
// minus the sum.   docs/theory/elements.md, 9
#ifndef PAL_ELEMENT_RINGS_BODY_H
#define PAL_ELEMENT_RINGS_BODY_H

#include "element/gather_body.h"
#include "element/kernels.h"
#include "math/lanes_math.h"

enum { AHEAD = 40 };  // members to fetch before they are needed

// Members of a batch of rings, one of each lane at a time.
INLINE void ring_strain(const PalRingWork *work, int32_t b, PalLanesMat3 *F)
{
    PalLanes base[PAL_LANES];
    PalLanesMat3 H = {0};
    for (int l = 0; l < PAL_LANES; ++l)
        base[l] = *node_at(work->displacement, work->base[b][l]);
    for (int32_t m = work->start[b]; m < work->start[b + 1]; ++m) {
        const PalLanes *g = work->gradient[m];
        PalLanes row[PAL_LANES], u[4];
        __builtin_prefetch(work->gradient[m + AHEAD]);
        __builtin_prefetch((const char *)work->gradient[m + AHEAD] + 64);
        for (int l = 0; l < PAL_LANES; ++l)
            row[l] = *node_at(work->displacement, work->corner[m][l]) - base[l];
        to_lanes(row, u);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                H.m[i][j] += u[i] * g[j];
    }
    for (int i = 0; i < 3; ++i)
        H.m[i][i] += 1.0;
    *F = H;
}

// P has the factor - V already.
INLINE void add_ring_forces(const PalRingWork *work, int32_t b, const PalLanesMat3 *P)
{
    PalLanes sum[PAL_LANES] = {{0}};
    for (int32_t m = work->start[b]; m < work->start[b + 1]; ++m) {
        const PalLanes *g = work->gradient[m];
        PalLanes f[3], row[PAL_LANES];
        for (int i = 0; i < 3; ++i)
            f[i] = P->m[i][0] * g[0] + P->m[i][1] * g[1] + P->m[i][2] * g[2];
        add_force(work->force, work->corner[m], f, row);
        for (int l = 0; l < PAL_LANES; ++l)
            sum[l] += row[l];
    }
    for (int l = 0; l < PAL_LANES; ++l)
        *force_at(work->force, work->base[b][l]) -= sum[l];
}

// In three short loops over a few batches, as elements are.
enum { RING_GROUP = 8 };

typedef struct RingStrain {
    PalLanesMat3 F;
    PalLanes J, I1, a, c;  // P = a F + c cof F, times - V
} RingStrain;

INLINE void ring_invariants(RingStrain *s)
{
    const PalLanesMat3 *F = &s->F;
    PalLanes row[3];
    s->J = F->m[0][0] * (F->m[1][1] * F->m[2][2] - F->m[1][2] * F->m[2][1]) +
           F->m[0][1] * (F->m[1][2] * F->m[2][0] - F->m[1][0] * F->m[2][2]) +
           F->m[0][2] * (F->m[1][0] * F->m[2][1] - F->m[1][1] * F->m[2][0]);
    for (int i = 0; i < 3; ++i)
        row[i] = F->m[i][0] * F->m[i][0] + F->m[i][1] * F->m[i][1] + F->m[i][2] * F->m[i][2];
    s->I1 = row[0] + row[1] + row[2];
}

static void rings_neo_hookean(const PalRingWork *work)
{
    const double G = work->part->material.parameters[0];
    RingStrain strains[RING_GROUP];
    for (int32_t begin = 0; begin < work->batch_count; begin += RING_GROUP) {
        int32_t rest = work->batch_count - begin, count = rest < RING_GROUP ? rest : RING_GROUP;
        for (int32_t b = 0; b < count; ++b) {
            ring_strain(work, begin + b, &strains[b].F);
            ring_invariants(&strains[b]);
        }
        for (int32_t b = 0; b < count; ++b) {
            RingStrain *s = &strains[b];
            PalLanes r = pal_lanes_inverse_cbrt(s->J);
            s->a = -G * work->volume[begin + b] * (r * r);
            s->c = -s->a * (s->I1 * (1.0 / 3.0) / s->J);
        }
        for (int32_t b = 0; b < count; ++b) {
            const RingStrain *s = &strains[b];
            PalLanesMat3 C, P;
            pal_lanes_cofactor(&s->F, &C);
            for (int k = 0; k < 9; ++k)
                P.m[k / 3][k % 3] = s->a * s->F.m[k / 3][k % 3] + s->c * C.m[k / 3][k % 3];
            add_ring_forces(work, begin + b, &P);
        }
    }
}

// Any law, relaxed where the material does.
static void rings_general(const PalRingWork *work)
{
    const PalPart *part = work->part;
    for (int32_t b = 0; b < work->batch_count; ++b) {
        PalLanesMat3 F, P;
        ring_strain(work, b, &F);
        part->material.law->stress(part->material.parameters, &F, &P);
        if (work->before != NULL) {
            int64_t at = (int64_t)b * part->ring_history;
            pal_prony_relax(work->prony, &F, NULL, work->before + at,
                            work->after != NULL ? work->after + at : NULL, &P);
        }
        for (int k = 0; k < 9; ++k)
            P.m[k / 3][k % 3] *= -work->volume[b];
        add_ring_forces(work, b, &P);
    }
}

// F of one batch from displacements of the model's nodes.
static void ring_gradients(const PalRingRows *rows, const PalVec3 *displacement, int32_t batch,
                           PalLanesMat3 *F)
{
    PalLanesMat3 H = {0};
    for (int32_t m = rows->start[batch]; m < rows->start[batch + 1]; ++m) {
        PalLanes u[3] = {{0}};
        for (int l = 0; l < PAL_LANES; ++l) {
            if (rows->node[m][l] == PAL_NONE)
                continue;
            PalVec3 at = displacement[rows->node[m][l]];
            PalVec3 base = displacement[rows->own[batch * PAL_LANES + l]];
            u[0][l] = at.x - base.x;
            u[1][l] = at.y - base.y;
            u[2][l] = at.z - base.z;
        }
        for (int k = 0; k < 9; ++k)
            H.m[k / 3][k % 3] += u[k / 3] * rows->gradient[m][k % 3];
    }
    for (int i = 0; i < 3; ++i)
        H.m[i][i] += 1.0;
    *F = H;
}

#endif
