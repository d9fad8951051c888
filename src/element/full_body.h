// Kernel of the hexahedron with eight points, as text: included with kernels_body.h.
//
// Jm = sum_q V_q J_q / V, P_q = dD/dF (F_q) + U'(Jm) cof F_q.   docs/theory/elements.md, 5

// F = I + du/dxi dxi/dX
INLINE void full_gradient(const PalLanes edges[7][4], double slopes[8][3],
                          const PalLanes inverse[3][3], PalLanesMat3 *F)
{
    for (int i = 0; i < 3; ++i) {
        PalLanes by[3] = {{0}};
        for (int a = 1; a < 8; ++a)
            for (int j = 0; j < 3; ++j)
                by[j] += slopes[a][j] * edges[a - 1][i];
        for (int j = 0; j < 3; ++j)
            F->m[i][j] = by[0] * inverse[0][j] + by[1] * inverse[1][j] + by[2] * inverse[2][j] +
                         (i == j ? 1.0 : 0.0);
    }
}

// Corner a receives - V P grad N_a.
INLINE void full_pull(const PalLanesMat3 *P, PalLanes V, double slopes[8][3],
                      const PalLanes inverse[3][3], PalLanes f[8][3])
{
    for (int i = 0; i < 3; ++i) {
        PalLanes by[3];
        for (int j = 0; j < 3; ++j)
            by[j] = -V * (P->m[i][0] * inverse[j][0] + P->m[i][1] * inverse[j][1] +
                          P->m[i][2] * inverse[j][2]);
        for (int a = 1; a < 8; ++a)
            f[a][i] += slopes[a][0] * by[0] + slopes[a][1] * by[1] + slopes[a][2] * by[2];
    }
}

// The law's pressure at the mean ratio, relaxed; history after that of the points.
INLINE PalLanes full_pressure(const PalBlockWork *work, const PalH8FullBatch *batch,
                              const PalLanes J[8], double *history)
{
    const PalPart *part = work->part;
    const int32_t count = pal_prony_pressure_history_count(&part->material);
    PalLanes sum = {0}, V = {0}, p;
    for (int q = 0; q < 8; ++q) {
        sum += batch->V[q] * J[q];
        V += batch->V[q];
    }
    PalLanes mean = pal_lanes_select((PalLanesInt)(V > 0.0), sum / V, pal_lanes_all(1.0));
    part->material.law->volumetric(part->material.parameters, &mean, NULL, &p);
    if (count == 0)
        return p;
    double *at = history + 8 * PAL_LANES * pal_prony_isochoric_history_count(&part->material);
    for (int l = 0; l < PAL_LANES; ++l)
        p[l] = pal_prony_relax_pressure(work->prony, p[l], at + l * count, at + l * count);
    return p;
}

INLINE void full_add_forces(PalLanes *force, const PalH8FullBatch *batch, const PalLanes f[8][3])
{
    PalLanes total[PAL_LANES] = {0};
    for (int a = 1; a < 8; ++a) {
        PalLanes row[PAL_LANES];
        add_force(force, batch->corner[a], f[a], row);
        for (int l = 0; l < PAL_LANES; ++l)
            total[l] += row[l];
    }
    for (int l = 0; l < PAL_LANES; ++l)
        *force_at(force, batch->corner[0][l]) -= total[l];
}

INLINE PalLanesInt full_batch(const PalBlockWork *work, const PalH8FullBatch *batch,
                              double *history, double slopes[8][8][3])
{
    const PalMaterialLaw *law = work->part->material.law;
    const bool split = law->volumetric != NULL;
    const PalMaterialDef *material = &work->part->material;
    const int32_t numbers = PAL_LANES * (split ? pal_prony_isochoric_history_count(material)
                                               : pal_prony_history_count(material));
    PalLanes edges[7][4], J[8], f[8][3] = {{{0}}}, p = {0};
    PalLanesMat3 F[8], C[8], P;
    PalLanesInt bad = {0};
    load_edges(work->displacement, batch->corner, 8, edges);
    for (int q = 0; q < 8; ++q) {
        full_gradient((const PalLanes(*)[4])edges, slopes[q], batch->inverse[q], &F[q]);
        pal_lanes_cofactor(&F[q], &C[q]);
        J[q] = pal_lanes_determinant(&F[q], &C[q]);
        bad |= ~(PalLanesInt)(J[q] > 0.0);
    }
    if (split)
        p = full_pressure(work, batch, J, history);
    for (int q = 0; q < 8; ++q) {
        law->stress(material->parameters, &F[q], &P);
        if (numbers > 0)
            pal_prony_relax(work->prony, &F[q], NULL, history + q * numbers, history + q * numbers,
                            &P);
        for (int k = 0; k < 9; ++k)
            P.m[k / 3][k % 3] += p * C[q].m[k / 3][k % 3];
        full_pull(&P, batch->V[q], slopes[q], batch->inverse[q], f);
    }
    full_add_forces(work->force, batch, (const PalLanes(*)[3])f);
    return bad;
}

static bool h8_full(const PalBlockWork *work)
{
    const PalH8FullBatch *batches = work->batches;
    double slopes[8][8][3];
    PalLanesInt bad = {0};
    for (int32_t q = 0; q < 8; ++q)
        pal_h8_slopes(q, slopes[q]);
    for (int32_t b = 0; b < work->batch_count; ++b)
        bad |= full_batch(work, &batches[b], history_of(work, b), slopes);
    return none_set(bad);
}
