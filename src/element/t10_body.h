// Kernels of the quadratic tetrahedron, as text: included with kernels_body.h.
//
// With parts r_k of the corners, N_k = r_k (2 r_k - 1) at corner k and N_kl = 4 r_k r_l on the edge
// kl. At point q r_q is NEAR and the other parts are FAR, so that
//   du/dr_k = base_k + 4 (NEAR - FAR) u_kq,   base_k = (4 FAR - 1) u_k + 4 FAR sum_l u_kl,
// with u_kq the node on the edge from k to q, or u_k if k = q.   docs/theory/elements.md, 8

#define T10_FAR  0.13819660112501051518
#define T10_MORE (4.0 * 0.44721359549995793928)  // 4 (NEAR - FAR)

// The node on the edge between two corners, or the corner itself.
static const int t10_between[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};

// Of a nodal quantity, given as its differences to corner 0.
INLINE void t10_bases(const PalLanes edges[9][4], PalLanes base[4][3])
{
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i) {
            PalLanes sum = {0};
            for (int l = 0; l < 4; ++l)
                if (l != k)
                    sum += edges[t10_between[k][l] - 1][i];
            base[k][i] = 4.0 * T10_FAR * sum;
            if (k > 0)
                base[k][i] += (4.0 * T10_FAR - 1.0) * edges[k - 1][i];
        }
}

// d/dr_k - d/dr_0 at point q, column k - 1.
INLINE void t10_slopes(const PalLanes edges[9][4], const PalLanes base[4][3], int q,
                       PalLanesMat3 *slope)
{
    for (int i = 0; i < 3; ++i) {
        PalLanes first = base[0][i];
        if (q > 0)
            first += T10_MORE * edges[t10_between[0][q] - 1][i];
        for (int k = 1; k < 4; ++k) {
            int node = t10_between[k][q];
            slope->m[i][k - 1] = base[k][i] + T10_MORE * edges[node - 1][i] - first;
        }
    }
}

// F = I + slope inverse
INLINE void t10_gradient(const PalLanesMat3 *slope, const PalLanes inverse[3][3], PalLanesMat3 *F)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            F->m[i][j] = slope->m[i][0] * inverse[0][j] + slope->m[i][1] * inverse[1][j] +
                         slope->m[i][2] * inverse[2][j] + (i == j ? 1.0 : 0.0);
}

// P holds - V P; pulls[k] = d/dr_k of the work, for k > 0.
INLINE void t10_pull(const PalLanesMat3 *P, const PalLanes inverse[3][3], PalLanes pulls[4][3])
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 1; k < 4; ++k)
            pulls[k][i] = P->m[i][0] * inverse[k - 1][0] + P->m[i][1] * inverse[k - 1][1] +
                          P->m[i][2] * inverse[k - 1][2];
        pulls[0][i] = -(pulls[1][i] + pulls[2][i] + pulls[3][i]);
    }
}

// Shares pulls of all points out to the nodes; corner 0 receives minus the sum of the others.
INLINE void t10_add_forces(PalLanes *force, const PalT10Batch *batch, const PalLanes pulls[4][4][3])
{
    PalLanes sum[4][3], total[PAL_LANES] = {0};
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i)
            sum[k][i] = (pulls[0][k][i] + pulls[1][k][i]) + (pulls[2][k][i] + pulls[3][k][i]);
    for (int k = 0; k < 4; ++k)
        for (int l = k; l < 4; ++l) {
            PalLanes f[3], row[PAL_LANES];
            if (l == 0)
                continue;
            for (int i = 0; i < 3; ++i)
                f[i] = k == l ? (4.0 * T10_FAR - 1.0) * sum[k][i] + T10_MORE * pulls[k][k][i]
                              : 4.0 * T10_FAR * (sum[k][i] + sum[l][i]) +
                                    T10_MORE * (pulls[l][k][i] + pulls[k][l][i]);
            add_force(force, batch->corner[t10_between[k][l]], f, row);
            for (int lane = 0; lane < PAL_LANES; ++lane)
                total[lane] += row[lane];
        }
    for (int lane = 0; lane < PAL_LANES; ++lane)
        *force_at(force, batch->corner[0][lane]) -= total[lane];
}

// Pressures at the points from those at the corners: FAR of all, and more of the nearest one.
INLINE void t10_pressures(const PalLanes *nodes, const PalT10Batch *batch,
                          const PalLanes edges[9][4], PalLanes p[4])
{
    PalLanes first, sum;
    for (int l = 0; l < PAL_LANES; ++l)
        first[l] = (*node_at(nodes, batch->corner[0][l]))[3];
    sum = T10_FAR * (edges[0][3] + edges[1][3] + edges[2][3]) + first;
    for (int q = 0; q < 4; ++q)
        p[q] = q == 0 ? sum : sum + 0.25 * T10_MORE * edges[q - 1][3];
}

INLINE void t10_load(const PalBlockWork *work, const PalT10Batch *batch, PalLanes edges[9][4],
                     PalLanes base[4][3])
{
    load_edges(work->displacement, batch->corner, 10, edges);
    t10_bases((const PalLanes(*)[4])edges, base);
}

// One point: - V P of the neo-Hookean law with the pressure p, or its own where that is NULL.
INLINE PalLanesInt t10_neo_hookean_stress(const double *parameters, PalLanes V, const PalLanes *p,
                                          PalLanesMat3 *F)
{
    const double G = parameters[0], K = parameters[1];
    PalLanesMat3 C;
    pal_lanes_cofactor(F, &C);
    PalLanes J = pal_lanes_determinant(F, &C), I1 = pal_lanes_inner(F, F);
    PalLanes r = pal_lanes_inverse_cbrt(J), a = -G * V * (r * r);
    PalLanes pressure = p != NULL ? *p : pal_quadratic_pressure(K, J);
    if (p == NULL)
        pal_add_collapse(K, J, &pressure);
    PalLanes c = -V * pressure - a * (I1 * (1.0 / 3.0) / J);
    for (int k = 0; k < 9; ++k)
        F->m[k / 3][k % 3] = a * F->m[k / 3][k % 3] + c * C.m[k / 3][k % 3];
    return ~(PalLanesInt)(J > 0.0);
}

INLINE bool t10_any_neo_hookean(const PalBlockWork *work, bool averaged)
{
    const double *parameters = work->part->material.parameters;
    const PalT10Batch *batches = work->batches;
    PalLanesInt bad = {0};
    for (int32_t b = 0; b < work->batch_count; ++b) {
        const PalT10Batch *batch = &batches[b];
        PalLanes edges[9][4], base[4][3], p[4], pulls[4][4][3];
        t10_load(work, batch, edges, base);
        t10_pressures(work->displacement, batch, (const PalLanes(*)[4])edges, p);
        for (int q = 0; q < 4; ++q) {
            PalLanesMat3 slope, F;
            t10_slopes((const PalLanes(*)[4])edges, (const PalLanes(*)[3])base, q, &slope);
            t10_gradient(&slope, batch->inverse[q], &F);
            bad |= t10_neo_hookean_stress(parameters, batch->V[q], averaged ? &p[q] : NULL, &F);
            t10_pull(&F, batch->inverse[q], pulls[q]);
        }
        t10_add_forces(work->force, batch, (const PalLanes(*)[4][3])pulls);
    }
    return none_set(bad);
}

static bool t10_neo_hookean(const PalBlockWork *work)
{
    return work->part->pressure_corners > 0 ? t10_any_neo_hookean(work, true)
                                            : t10_any_neo_hookean(work, false);
}

static bool t10_general(const PalBlockWork *work)
{
    const PalT10Batch *batches = work->batches;
    const bool averaged = work->part->pressure_corners > 0;
    PalLanesInt bad = {0};
    for (int32_t b = 0; b < work->batch_count; ++b) {
        const PalT10Batch *batch = &batches[b];
        double *history = history_of(work, b);
        PalLanes edges[9][4], base[4][3], p[4], pulls[4][4][3];
        t10_load(work, batch, edges, base);
        t10_pressures(work->displacement, batch, (const PalLanes(*)[4])edges, p);
        for (int q = 0; q < 4; ++q) {
            PalLanesMat3 slope, F, P;
            double *own = history != NULL ? history + q * (work->part->history_batch / 4) : NULL;
            t10_slopes((const PalLanes(*)[4])edges, (const PalLanes(*)[3])base, q, &slope);
            t10_gradient(&slope, batch->inverse[q], &F);
            bad |= general_stress(work, own, &F, averaged ? &p[q] : NULL, &P);
            for (int k = 0; k < 9; ++k)
                P.m[k / 3][k % 3] *= -batch->V[q];
            t10_pull(&P, batch->inverse[q], pulls[q]);
        }
        t10_add_forces(work->force, batch, (const PalLanes(*)[4][3])pulls);
    }
    return none_set(bad);
}

// Current volume around each corner: 24 times the integral of r_k.
static bool t10_volume(const PalBlockWork *work)
{
    const PalT10Batch *batches = work->batches;
    for (int32_t b = 0; b < work->batch_count; ++b) {
        const PalT10Batch *batch = &batches[b];
        PalLanes edges[9][4], base[4][3], v[4], sum = {0};
        load_edges(work->position, batch->corner, 10, edges);
        t10_bases((const PalLanes(*)[4])edges, base);
        for (int q = 0; q < 4; ++q) {
            PalLanesMat3 x;
            t10_slopes((const PalLanes(*)[4])edges, (const PalLanes(*)[3])base, q, &x);
            v[q] = x.m[0][0] * (x.m[1][1] * x.m[2][2] - x.m[1][2] * x.m[2][1]) +
                   x.m[0][1] * (x.m[1][2] * x.m[2][0] - x.m[1][0] * x.m[2][2]) +
                   x.m[0][2] * (x.m[1][0] * x.m[2][1] - x.m[1][1] * x.m[2][0]);
            sum += v[q];
        }
        for (int q = 0; q < 4; ++q) {
            PalLanes share = T10_FAR * sum + 0.25 * T10_MORE * v[q];
            for (int l = 0; l < PAL_LANES; ++l)
                work->volume[batch->corner[q][l]] += share[l];
        }
    }
    return true;
}

static void t10_gradients(const PalT10Batch *batch, int q, PalLanes g[9][3])
{
    for (int j = 0; j < 3; ++j) {
        PalLanes part[4] = {{0}};  // grad r_k
        for (int k = 1; k < 4; ++k) {
            part[k] = batch->inverse[q][k - 1][j];
            part[0] -= part[k];
        }
        for (int k = 0; k < 4; ++k)
            for (int l = k; l < 4; ++l) {
                double rk = T10_FAR + (k == q ? 0.25 * T10_MORE : 0.0);
                double rl = T10_FAR + (l == q ? 0.25 * T10_MORE : 0.0);
                if (l > 0)
                    g[t10_between[k][l] - 1][j] =
                        k == l ? (4.0 * rk - 1.0) * part[k] : 4.0 * (rl * part[k] + rk * part[l]);
            }
    }
}
