// Kernels of thin bodies, as text: included once per instruction set with PAL_SHELL_KERNELS the
// name of the table.   docs/theory/membranes.md
//
// A side's derivatives phi come from displacements, so that a body at rest has no strain at all.
#include "element/gather_body.h"
#include "element/patch.h"
#include "element/plane_stress_body.h"
#include "element/shell.h"
#include "element/shell_vectors.h"

// p and q of each side, of the displacements.
INLINE void load_sides(const PalLanes *u, const PalShellBatch *batch, PalLanes edges[11][4],
                       PalLanes p[3][3], PalLanes q[3][3])
{
    if (batch->is_wide[0] != 0)
        load_edges(u, batch->corner, 12, edges);
    else
        load_edges(u, batch->corner, 6, edges);
    for (int i = 0; i < 3; ++i) {
        p[0][i] = edges[1][i] - edges[0][i];
        p[1][i] = -edges[1][i];
        p[2][i] = edges[0][i];
        q[0][i] = edges[2][i];
        q[1][i] = edges[3][i] - edges[0][i];
        q[2][i] = edges[4][i] - edges[1][i];
    }
    for (int s = 0; s < 3 && batch->mirrored[0] != 0; ++s)
        pal_shell_reflect(batch->mirror[s], q[s]);
}

// Mean over the sides of C - I = Phi_a . w_b + w_a . Phi_b + w_a . w_b with w of the displacements;
// phi = Phi + w.
INLINE void stretch_of(const PalShellBatch *batch, const PalLanes p[3][3], const PalLanes q[3][3],
                       PalLanes w[3][2][3], PalShellNow *now)
{
    PalLanes e[3] = {{0}};
    for (int s = 0; s < 3; ++s) {
        for (int a = 0; a < 2; ++a)
            for (int i = 0; i < 3; ++i) {
                w[s][a][i] = batch->c[s][0][a] * p[s][i] + batch->c[s][1][a] * q[s][i];
                now->phi[s][a][i] = batch->phi[s][a][i] + w[s][a][i];
            }
        e[0] += pal_shell_dot(batch->phi[s][0], w[s][0]) + pal_shell_dot(now->phi[s][0], w[s][0]);
        e[1] += pal_shell_dot(batch->phi[s][1], w[s][1]) + pal_shell_dot(now->phi[s][1], w[s][1]);
        e[2] += pal_shell_dot(batch->phi[s][0], w[s][1]) + pal_shell_dot(w[s][0], now->phi[s][1]);
    }
    for (int k = 0; k < 3; ++k)
        now->e[k] = (1.0 / 3.0) * e[k];
}

// h_ab = - sum over sides of g_a x_b + g_b x_a
INLINE void second_derivatives(const PalShellBatch *batch, const PalLanes x[3][2][3],
                               PalLanes h[3][3])
{
    for (int i = 0; i < 3; ++i) {
        PalLanes sum[3] = {{0}};
        for (int s = 0; s < 3; ++s) {
            sum[0] -= batch->g[s][0] * x[s][0][i];
            sum[1] -= batch->g[s][1] * x[s][1][i];
            sum[2] -= batch->g[s][0] * x[s][1][i] + batch->g[s][1] * x[s][0][i];
        }
        h[0][i] = 2.0 * sum[0];
        h[1][i] = 2.0 * sum[1];
        h[2][i] = sum[2];
    }
}

// Unit normal, and how far it is from that at rest; both edges from corner 0.
INLINE void turn_normal(const PalShellBatch *batch, const PalLanes edges[11][4], PalShellNow *now,
                        PalLanes turn[3])
{
    PalLanes first[3], second[3], both[3], moved[3];
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 3; ++i)
            now->edge[k][i] = batch->edge[k][i] + edges[k][i];
    pal_shell_cross(edges[0], batch->edge[1], first);
    pal_shell_cross(batch->edge[0], edges[1], second);
    pal_shell_cross(edges[0], edges[1], both);
    PalLanes twice = 2.0 * batch->A;
    for (int i = 0; i < 3; ++i) {
        moved[i] = first[i] + second[i] + both[i];
        now->normal[i] = twice * batch->normal[i] + moved[i];
    }
    now->n2 = pal_shell_dot(now->normal, now->normal);
    PalLanes length = pal_lanes_sqrt(now->n2);
    length = pal_lanes_select((PalLanesInt)(length > 0.0), length, pal_lanes_all(1.0));
    PalLanes more =
        (2.0 * twice * pal_shell_dot(batch->normal, moved) + pal_shell_dot(moved, moved)) /
        (length + twice);
    PalLanes inverse = 1.0 / length;
    for (int i = 0; i < 3; ++i) {
        turn[i] = inverse * (moved[i] - more * batch->normal[i]);
        now->normal[i] *= inverse;
    }
}

// What makes second derivatives of quadratics exact where neighbours are no parallelograms.
INLINE void widen(const PalShellBatch *batch, const PalLanes edges[11][4], PalLanes h[3][3])
{
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 11; ++a)
            for (int i = 0; i < 3; ++i)
                h[k][i] += batch->wide[k][a] * edges[a][i];
}

// Change of curvature: t . h - T . H = (t - T) . H + t . (h - H).
INLINE void bend_of(const PalShellBatch *batch, const PalLanes edges[11][4],
                    const PalLanes w[3][2][3], double poisson, PalShellNow *now)
{
    PalLanes turn[3], more[3][3];
    turn_normal(batch, edges, now, turn);
    second_derivatives(batch, w, more);
    if (batch->is_wide[0] != 0)
        widen(batch, edges, more);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i)
            now->h[k][i] = batch->h[k][i] + more[k][i];
        now->bend[k] = pal_shell_dot(turn, batch->h[k]) + pal_shell_dot(now->normal, more[k]);
    }
    now->moment[0] = batch->bend * (now->bend[0] + poisson * now->bend[1]);
    now->moment[1] = batch->bend * (now->bend[1] + poisson * now->bend[0]);
    now->moment[2] = batch->bend * ((1.0 - poisson) * now->bend[2]);
}

// Adds the parts of the sides' derivatives to those of p, q and of both edges: what moments do when
// they turn the normal goes through the edges.
INLINE void moment_pull(const PalShellBatch *batch, const PalShellNow *now, PalLanes T[3][2][3],
                        PalLanes pull[2][3])
{
    const PalLanes *m = now->moment;
    for (int s = 0; s < 3; ++s) {
        PalLanes along[2] = {-2.0 * (m[0] * batch->g[s][0] + m[2] * batch->g[s][1]),
                             -2.0 * (m[2] * batch->g[s][0] + m[1] * batch->g[s][1])};
        for (int a = 0; a < 2; ++a)
            for (int i = 0; i < 3; ++i)
                T[s][a][i] += along[a] * now->normal[i];
    }
    PalLanes sum[3], first[3], second[3];
    for (int i = 0; i < 3; ++i)
        sum[i] = m[0] * now->h[0][i] + m[1] * now->h[1][i] + 2.0 * m[2] * now->h[2][i];
    // dual edges: (b2 x n) / |n| and (n x b1) / |n|
    pal_shell_cross(now->edge[1], now->normal, first);
    pal_shell_cross(now->normal, now->edge[0], second);
    PalLanes length = pal_lanes_sqrt(now->n2);
    length = pal_lanes_select((PalLanesInt)(length > 0.0), length, pal_lanes_all(1.0));
    PalLanes f = -pal_shell_dot(sum, first) / length, s = -pal_shell_dot(sum, second) / length;
    for (int i = 0; i < 3; ++i) {
        pull[0][i] = f * now->normal[i];
        pull[1][i] = s * now->normal[i];
    }
}

// Forces of six corners from derivatives of the energy after p, q and the edges.
INLINE void add_shell_forces(PalLanes *force, const PalShellBatch *batch, const PalLanes P[3][3],
                             const PalLanes Q[3][3], const PalLanes pull[2][3])
{
    PalLanes rows[5][PAL_LANES], f[3];
    for (int i = 0; i < 3; ++i)
        f[i] = P[0][i] + Q[1][i] - P[2][i] - pull[0][i];
    add_force(force, batch->corner[1], f, rows[0]);
    for (int i = 0; i < 3; ++i)
        f[i] = P[1][i] + Q[2][i] - P[0][i] - pull[1][i];
    add_force(force, batch->corner[2], f, rows[1]);
    for (int s = 0; s < 3; ++s) {
        for (int i = 0; i < 3; ++i)
            f[i] = -Q[s][i];
        add_force(force, batch->corner[3 + s], f, rows[2 + s]);
    }
    for (int l = 0; l < PAL_LANES; ++l)
        *force_at(force, batch->corner[0][l]) -=
            ((rows[0][l] + rows[1][l]) + (rows[2][l] + rows[3][l])) + rows[4][l];
}

// Forces of what `widen` adds: all along the normal.
INLINE void add_wide_forces(PalLanes *force, const PalShellBatch *batch, const PalShellNow *now)
{
    const PalLanes *m = now->moment;
    PalLanes sum = {0}, f[3], row[PAL_LANES];
    for (int a = 0; a < 11; ++a) {
        PalLanes along =
            m[0] * batch->wide[0][a] + m[1] * batch->wide[1][a] + 2.0 * m[2] * batch->wide[2][a];
        sum += along;
        for (int i = 0; i < 3; ++i)
            f[i] = -along * now->normal[i];
        add_force(force, batch->corner[a + 1], f, row);
    }
    for (int i = 0; i < 3; ++i)
        f[i] = sum * now->normal[i];
    add_force(force, batch->corner[0], f, row);
}

INLINE void push_sides(PalLanes *force, const PalShellBatch *batch, const PalShellNow *now,
                       bool bends)
{
    PalLanes T[3][2][3], P[3][3], Q[3][3], pull[2][3] = {{{0}}}, S[3];
    for (int k = 0; k < 3; ++k)
        S[k] = (1.0 / 3.0) * batch->V * now->S[k];
    for (int s = 0; s < 3; ++s)
        for (int i = 0; i < 3; ++i) {
            T[s][0][i] = S[0] * now->phi[s][0][i] + S[2] * now->phi[s][1][i];
            T[s][1][i] = S[2] * now->phi[s][0][i] + S[1] * now->phi[s][1][i];
        }
    if (bends)
        moment_pull(batch, now, T, pull);
    for (int s = 0; s < 3; ++s) {
        for (int i = 0; i < 3; ++i) {
            P[s][i] = batch->c[s][0][0] * T[s][0][i] + batch->c[s][0][1] * T[s][1][i];
            Q[s][i] = batch->c[s][1][0] * T[s][0][i] + batch->c[s][1][1] * T[s][1][i];
        }
        if (batch->mirrored[0] != 0)
            pal_shell_reflect(batch->mirror[s], Q[s]);
    }
    add_shell_forces(force, batch, (const PalLanes(*)[3])P, (const PalLanes(*)[3])Q,
                     (const PalLanes(*)[3])pull);
    if (bends && batch->is_wide[0] != 0)
        add_wide_forces(force, batch, now);
}

// Moments relax as distortion does: three numbers for each term, then the last ones.
INLINE void relax_moment(const PalProny *prony, const double *before, double *after,
                         PalLanes moment[3])
{
    const int32_t count = prony->isochoric_count;
    bool stands = after == NULL || !prony->moves;
    for (int c = 0; c < 3; ++c) {
        PalLanes whole = moment[c], last, D;
        __builtin_memcpy(&last, before + (3 * count + c) * PAL_LANES, sizeof last);
        for (int32_t k = 0; k < count; ++k) {
            const PalPronyFactors *term = &prony->isochoric[k];
            int32_t at = (3 * k + c) * PAL_LANES;
            __builtin_memcpy(&D, before + at, sizeof D);
            if (!stands) {
                D = term->decay * D + term->now * whole + term->before * last;
                __builtin_memcpy(after + at, &D, sizeof D);
            }
            moment[c] -= D;
        }
        if (!stands)
            __builtin_memcpy(after + (3 * count + c) * PAL_LANES, &whole, sizeof whole);
    }
}

// Where the history of moments begins.
INLINE int32_t moment_history(const PalMaterialDef *material)
{
    return PAL_LANES * (material->incompressible ? pal_prony_isochoric_history_count(material)
                                                 : pal_prony_history_count(material));
}

// Strains and bending of a batch.
INLINE void find_shape(const PalShellWork *at, const PalShellBatch *batch, bool bends,
                       PalShellNow *now)
{
    PalLanes edges[11][4], p[3][3], q[3][3], w[3][2][3];
    load_sides(at->displacement, batch, edges, p, q);
    stretch_of(batch, (const PalLanes(*)[3])p, (const PalLanes(*)[3])q, w, now);
    if (bends)
        bend_of(batch, (const PalLanes(*)[4])edges, (const PalLanes(*)[2][3])w, at->poisson, now);
}

INLINE PalLanesInt is_bad(const PalShellNow *now)
{
    return ~(PalLanesInt)(plane_determinant(now->e) > 0.0) | ~(PalLanesInt)(now->stretch > 0.0);
}

// Any law, with relaxation.
INLINE void find_stress(const PalShellWork *at, bool bends, PalShellNow *now)
{
    const PalPart *part = at->part;
    PlaneStress stress = {.prony = at->prony, .before = at->before, .after = at->after};
    plane_at_rest(part, &stress);
    any_stress(&stress, now->e, now->S, &now->stretch);
    if (!bends || at->before == NULL || part->material.isochoric_count == 0)
        return;
    int32_t first = moment_history(&part->material);
    relax_moment(at->prony, at->before + first, at->after != NULL ? at->after + first : NULL,
                 now->moment);
}

INLINE bool general_shell(const PalBlockWork *work, bool bends)
{
    const PalShellBatch *batches = work->batches;
    const int32_t history_batch = work->part->history_batch;
    PalShellWork at = {
        .part = work->part, .prony = work->prony, .displacement = work->displacement};
    pal_patch_bending(&work->part->material, work->part->thickness, &at.poisson);
    PalLanesInt bad = {0};
    for (int32_t b = 0; b < work->batch_count; ++b) {
        PalShellNow now;
        if (history_batch > 0)
            at.before = at.after = work->history + (int64_t)b * history_batch;
        find_shape(&at, &batches[b], bends, &now);
        find_stress(&at, bends, &now);
        bad |= is_bad(&now);
        push_sides(work->force, &batches[b], &now, bends);
    }
    return none_set(bad);
}

typedef enum Way { NEO_HOOKEAN, INVARIANTS, PRINCIPAL } Way;

// In three short loops over a few batches: the stress is one long chain of dependent operations.
// Laws of invariants or principal stretches that nothing relaxes; of them the neo-Hookean one has
// a way of its own.
INLINE bool quick_shell(const PalBlockWork *work, bool bends, Way way)
{
    PalShellWork at = {.part = work->part, .displacement = work->displacement};
    pal_patch_bending(&work->part->material, work->part->thickness, &at.poisson);
    PalLanesInt bad = {0};
    PalShellNow now[SHELL_GROUP];
    PlaneStress stress = {0};
    plane_at_rest(work->part, &stress);
    for (int32_t begin = 0; begin < work->batch_count; begin += SHELL_GROUP) {
        const PalShellBatch *batches = (const PalShellBatch *)work->batches + begin;
        int32_t rest = work->batch_count - begin, count = rest < SHELL_GROUP ? rest : SHELL_GROUP;
        for (int32_t b = 0; b < count; ++b)
            find_shape(&at, &batches[b], bends, &now[b]);
        if (way == INVARIANTS)
            invariant_stresses(&stress, count, now);
        for (int32_t b = 0; b < count; ++b) {
            if (way == NEO_HOOKEAN)
                neo_hookean_stress(work->part, now[b].e, now[b].S, &now[b].stretch);
            if (way == PRINCIPAL)
                principal_stress(&stress, now[b].e, now[b].S, &now[b].stretch);
            bad |= is_bad(&now[b]);  // of the stretch it is the square, which will do
        }
        for (int32_t b = 0; b < count; ++b)
            push_sides(work->force, &batches[b], &now[b], bends);
    }
    return none_set(bad);
}

static bool ebst_neo_hookean(const PalBlockWork *work)
{
    return quick_shell(work, true, NEO_HOOKEAN);
}

static bool ebst_invariant(const PalBlockWork *work)
{
    return quick_shell(work, true, INVARIANTS);
}

static bool membrane_invariant(const PalBlockWork *work)
{
    return quick_shell(work, false, INVARIANTS);
}

static bool ebst_principal(const PalBlockWork *work)
{
    return quick_shell(work, true, PRINCIPAL);
}

static bool membrane_principal(const PalBlockWork *work)
{
    return quick_shell(work, false, PRINCIPAL);
}

static bool ebst_general(const PalBlockWork *work)
{
    return general_shell(work, true);
}

static bool membrane_neo_hookean(const PalBlockWork *work)
{
    return quick_shell(work, false, NEO_HOOKEAN);
}

static bool membrane_general(const PalBlockWork *work)
{
    return general_shell(work, false);
}

// Stress and square of the thickness stretch where nothing relaxes and invariants tell it.
INLINE void quick_stress(const PalPart *part, PalShellNow *now)
{
    PlaneStress stress = {0};
    plane_at_rest(part, &stress);
    if (part->material.law == &pal_law_neo_hookean)
        neo_hookean_stress(part, now->e, now->S, &now->stretch);
    else if (part->material.law->plane != NULL)
        principal_stress(&stress, now->e, now->S, &now->stretch);
    else
        invariant_stresses(&stress, 1, now);
}

// For output and bounds. The normal is wanted of membranes, too.
static void shell_now(const PalShellWork *work, const PalShellBatch *batch, PalShellNow *now)
{
    find_shape(work, batch, true, now);
    if (pal_shell_is_quick(work->part)) {
        quick_stress(work->part, now);
        now->stretch = pal_lanes_sqrt(now->stretch);
    } else {
        find_stress(work, true, now);
    }
    if (!work->part->type->traits.bends)
        for (int k = 0; k < 3; ++k)
            now->bend[k] = now->moment[k] = pal_lanes_all(0.0);
}

// dS/de, by differences; the columns stand for e_11, e_22, e_12.
static void shell_tangent(const PalPart *part, const PalShellNow *now, PalLanes D[3][3])
{
    const double h = 0x1p-24;
    PlaneStress stress = {0};
    bool quick = pal_shell_is_quick(part);
    plane_at_rest(part, &stress);
    for (int l = 0; l < 3; ++l) {
        PalShellNow moved = {.e = {now->e[0], now->e[1], now->e[2]}};
        moved.e[l] += h;
        if (quick)
            quick_stress(part, &moved);
        else
            any_stress(&stress, moved.e, moved.S, &moved.stretch);
        for (int k = 0; k < 3; ++k)
            D[k][l] = (moved.S[k] - now->S[k]) * (1 / h);
    }
}

// The same by differences to both sides, with the history that the step would leave.
static void shell_slopes(const PalShellWork *work, const PalShellNow *now, PalLanes D[3][3])
{
    const double h = 0x1p-18;
    double after[PAL_SHELL_HISTORY_MAX];
    PlaneStress stress = {
        .prony = work->prony, .before = work->before, .after = work->after != NULL ? after : NULL};
    bool simple =
        pal_shell_is_quick(work->part) && work->part->material.law == &pal_law_neo_hookean;
    plane_at_rest(work->part, &stress);
    for (int l = 0; l < 3; ++l) {
        PalLanes S[2][3], stretch;
        for (int side = 0; side < 2; ++side) {
            PalLanes moved[3] = {now->e[0], now->e[1], now->e[2]};
            moved[l] += side == 0 ? -h : h;
            if (simple)
                neo_hookean_stress(work->part, moved, S[side], &stretch);
            else
                any_stress(&stress, moved, S[side], &stretch);
        }
        for (int k = 0; k < 3; ++k)
            D[k][l] = (S[1][k] - S[0][k]) * (0.5 / h);
    }
}

const PalShellKernels PAL_SHELL_KERNELS = {
    .ebst_neo_hookean = ebst_neo_hookean,
    .ebst_invariant = ebst_invariant,
    .ebst_principal = ebst_principal,
    .ebst_general = ebst_general,
    .membrane_neo_hookean = membrane_neo_hookean,
    .membrane_invariant = membrane_invariant,
    .membrane_principal = membrane_principal,
    .membrane_general = membrane_general,
    .now = shell_now,
    .tangent = shell_tangent,
    .slopes = shell_slopes,
};
