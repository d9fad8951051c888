// The control of hourglass patterns that bends as beams do, as text of the kernels.
// docs/theory/elements.md, 5
//
// x = sum over patterns of their amounts: the three edges c_i of the cell as it is now, and four
// hourglass patterns with amounts q_m, which are zero for every linear field. With the dual vectors
// of the edges, d_i . c_j = (i == j), the numbers e_im = d_i . q_m are strains: that along edge i
// which pattern m makes where its other factor is one.

enum { PATTERNS = 7 };  // three edges, then four hourglass patterns

// Sums over the corners with the signs of each pattern; corner 0 does not move.
INLINE void sum_patterns(const PalLanes u[7][4], PalLanes sums[PATTERNS][3])
{
    for (int i = 0; i < 3; ++i) {
        PalLanes s1 = u[1][i] + u[2][i], d1 = u[1][i] - u[2][i], s2 = u[4][i] + u[3][i];
        PalLanes d2 = u[4][i] - u[3][i], s3 = u[5][i] + u[6][i], d3 = u[5][i] - u[6][i];
        PalLanes s0 = u[0][i];
        PalLanes low = s1 - s0, high = s3 - s2, low_sum = d1 + s0, high_sum = d3 + d2;
        PalLanes low_change = d1 - s0, high_change = d3 - d2;
        sums[0][i] = high_sum + low_sum;
        sums[1][i] = high + low;
        sums[2][i] = (s3 + s2) - (s1 + s0);
        sums[3][i] = high - low;
        sums[4][i] = high_sum - low_sum;
        sums[5][i] = high_change + low_change;
        sums[6][i] = high_change - low_change;
    }
}

// The other way: what each pattern gives to corners 1 to 7, along one axis.
INLINE void share_patterns(PalLanes sums[PATTERNS][3], int i, PalLanes corner[7])
{
    PalLanes x = sums[0][i], y = sums[1][i], z = sums[2][i], yz = sums[3][i], zx = sums[4][i];
    PalLanes xy = sums[5][i], xyz = sums[6][i];
    PalLanes y_low = y - yz, y_high = y + yz, x_low = x - zx, x_high = x + zx;
    PalLanes xy_low = xy - xyz, xy_high = xy + xyz;
    PalLanes a = -z - y_low, b = y_low - z, c = z - y_high, d = z + y_high;
    PalLanes e = x_low - xy_low, f = x_low + xy_low, g = x_high - xy_high, h = x_high + xy_high;
    corner[0] = a + e;
    corner[1] = b + f;
    corner[2] = b - f;
    corner[3] = c - g;
    corner[4] = c + g;
    corner[5] = d + h;
    corner[6] = d - h;
}

INLINE void cross(const PalLanes a[3], const PalLanes b[3], PalLanes c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

INLINE PalLanes dot(const PalLanes a[3], const PalLanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

INLINE void dual_edges(const PalH8Batch *batch, PalLanes sums[PATTERNS][3], PalLanes d[3][3])
{
    PalLanes c[3][3];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            c[j][i] = batch->edge[j][i] + sums[j][i];
    cross(c[1], c[2], d[0]);
    cross(c[2], c[0], d[1]);
    cross(c[0], c[1], d[2]);
    PalLanes volume = dot(c[0], d[0]);
    // lanes without an element have no volume
    PalLanes inverse =
        1.0 / pal_lanes_select((PalLanesInt)(volume == 0.0), pal_lanes_all(1.0), volume);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            d[j][i] *= inverse;
}

// Minus the stresses of all strains, per volume. Pairs that bend share their zero plane; what
// twists are the shears of the three planes of edges.
INLINE void control_stresses(const PalHourglassModuli *k, const PalLanes r[3],
                             const PalLanes e[4][3], PalLanes s[4][3])
{
    const PalLanes inverse[3] = {r[1] * r[2], r[2] * r[0], r[0] * r[1]};
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;  // both vary along the third edge: patterns j and i
        s[j][i] = -k->bend * (e[j][i] + k->poisson * e[i][j]);
        s[i][j] = -k->bend * (e[i][j] + k->poisson * e[j][i]);
    }
    PalLanes w[3];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        w[i] = -k->shear * (r[i] * e[i][i] + inverse[i] * e[j][j]);
    }
    for (int i = 0; i < 3; ++i) {
        int h = (i + 2) % 3;
        s[i][i] = r[i] * w[i] + inverse[h] * w[h];
        s[3][i] = -k->last * e[3][i];
    }
}

// From sums of displacements to forces of the patterns, in their place.
INLINE void control_patterns(const PalHourglassModuli *k, const PalH8Batch *batch, bool even,
                             PalLanes sums[PATTERNS][3], PalH8Bend *bend)
{
    PalLanes(*d)[3] = bend->dual, s[4][3];
    dual_edges(batch, sums, d);
    for (int m = 0; m < 4; ++m) {
        PalLanes q[3];
        for (int i = 0; i < 3; ++i)
            q[i] =
                even ? sums[3 + m][i]
                     : sums[3 + m][i] - (sums[0][i] * batch->x[m][0] + sums[1][i] * batch->x[m][1] +
                                         sums[2][i] * batch->x[m][2]);
        for (int j = 0; j < 3; ++j)
            bend->strain[m][j] = dot(d[j], q);
    }
    control_stresses(k, batch->ratio, (const PalLanes(*)[3])bend->strain, s);
    for (int m = 0; m < 4; ++m)
        for (int i = 0; i < 3; ++i) {
            PalLanes f = batch->V * (s[m][0] * d[0][i] + s[m][1] * d[1][i] + s[m][2] * d[2][i]);
            bend->force[m][i] = sums[3 + m][i] = f;
        }
    bend->energy = (PalLanes){0};
    for (int m = 0; m < 4; ++m)
        bend->energy -= 0.5 * batch->V * dot(s[m], bend->strain[m]);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            PalLanes sum = {0};
            for (int m = 0; m < 4; ++m)
                sum -= (even ? bend->strain[m][j] : bend->strain[m][j] + batch->x[m][j]) *
                       bend->force[m][i];
            sums[j][i] = sum;
        }
}

// In a parallelepiped gradients are those of its edges, which are patterns, too.
INLINE void even_gradient(const PalH8Batch *batch, PalLanes sums[PATTERNS][3], PalLanesMat3 *H)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            H->m[i][j] = sums[0][i] * batch->dual[0][j] + sums[1][i] * batch->dual[1][j] +
                         sums[2][i] * batch->dual[2][j];
}

INLINE void even_stress(const PalH8Batch *batch, const PalLanesMat3 *P, PalLanes sums[PATTERNS][3])
{
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            sums[k][i] += P->m[i][0] * batch->dual[k][0] + P->m[i][1] * batch->dual[k][1] +
                          P->m[i][2] * batch->dual[k][2];
}

INLINE void add_bend_forces(PalLanes *force, const PalH8Batch *batch, const PalLanesMat3 *P,
                            bool even, PalLanes sums[PATTERNS][3])
{
    PalLanes shares[3][7], total[PAL_LANES] = {0};
    if (even)
        even_stress(batch, P, sums);
    for (int i = 0; i < 3; ++i)
        share_patterns(sums, i, shares[i]);
    for (int a = 1; a < 8; ++a) {
        PalLanes f[3], row[PAL_LANES];
        for (int i = 0; i < 3; ++i)
            f[i] = even ? shares[i][a - 1]
                        : shares[i][a - 1] +
                              (P->m[i][0] * batch->g[a - 1][0] + P->m[i][1] * batch->g[a - 1][1] +
                               P->m[i][2] * batch->g[a - 1][2]);
        add_force(force, batch->corner[a], f, row);
        for (int l = 0; l < PAL_LANES; ++l)
            total[l] += row[l];
    }
    for (int l = 0; l < PAL_LANES; ++l)
        *force_at(force, batch->corner[0][l]) -= total[l];
}

// P of the neo-Hookean law, as in the kernels of tetrahedra.
INLINE PalLanesInt neo_hookean_stress(const double *parameters, const PalLanesMat3 *F,
                                      PalLanesMat3 *P)
{
    PalLanesMat3 C;
    pal_lanes_cofactor(F, &C);
    PalLanes J = pal_lanes_determinant(F, &C), r = pal_lanes_inverse_cbrt(J), r2 = r * r;
    PalLanes a = parameters[0] * r2;
    PalLanes p = pal_quadratic_pressure(parameters[1], J);
    pal_add_collapse(parameters[1], J, &p);
    PalLanes c = p - a * (pal_lanes_inner(F, F) * (1.0 / 3.0) * (r2 * r));
    for (int k = 0; k < 9; ++k)
        P->m[k / 3][k % 3] = a * F->m[k / 3][k % 3] + c * C.m[k / 3][k % 3];
    return ~(PalLanesInt)(J > 0.0);
}

// Lanes that are bad.
INLINE PalLanesInt bend_batch(const PalBlockWork *work, int32_t b, bool neo_hookean, bool even)
{
    const PalH8Batch *batch = &((const PalH8Batch *)work->batches)[b];
    PalLanes edges[7][4], sums[PATTERNS][3];
    PalLanesMat3 F, P;
    PalH8Bend bend;
    PalLanesInt bad;
    load_edges(work->displacement, batch->corner, 8, edges);
    sum_patterns((const PalLanes(*)[4])edges, sums);
    if (even)
        even_gradient(batch, sums, &F);
    else
        displacement_gradient((const PalLanes(*)[4])edges, batch->g, 7, &F);
    add_identity(&F);
    if (neo_hookean)
        bad = neo_hookean_stress(work->part->material.parameters, &F, &P);
    else
        bad = general_stress(work, history_of(work, b), &F, NULL, &P);
    for (int k = 0; k < 9; ++k)
        P.m[k / 3][k % 3] *= -batch->V;
    control_patterns(&work->part->bending, batch, even, sums, &bend);
    add_bend_forces(work->force, batch, &P, even, sums);
    return bad;
}

INLINE bool bend_block(const PalBlockWork *work, bool neo_hookean)
{
    const PalH8Batch *batches = work->batches;
    PalLanesInt bad = {0};
    for (int32_t b = 0; b < work->batch_count; ++b)
        bad |= batches[b].uneven == 0 ? bend_batch(work, b, neo_hookean, true)
                                      : bend_batch(work, b, neo_hookean, false);
    return none_set(bad);
}

static bool h8_bend(const PalBlockWork *work)
{
    return pal_kernels_are_neo_hookean(work->part) ? bend_block(work, true)
                                                   : bend_block(work, false);
}

static void h8_control(const PalPart *part, const PalH8Batch *batch, const PalLanes *displacement,
                       PalH8Bend *bend)
{
    PalLanes edges[7][4], sums[PATTERNS][3];
    load_edges(displacement, batch->corner, 8, edges);
    sum_patterns((const PalLanes(*)[4])edges, sums);
    control_patterns(&part->bending, batch, false, sums, bend);
}
