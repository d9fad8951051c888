// Largest stiffness of a deformed batch, as text: included with kernels_body.h.
//
// With sum_a grad N_a x grad N_a = R R^T, an element's largest eigenvalue of M^-1 K is that of
// S = (I x R)^T A (I x R), nine by nine, times corners / density. Of any symmetric matrix of nine,
// lambda_max <= m + sqrt(8 v) with mean m and variance v of the eigenvalues, from tr S and tr S^2.
// The same for S^2 is never more than a factor sqrt 2 too large.   docs/theory/elements.md, 6

// Loops over entries only make sense unrolled: their branches depend on the indices alone.
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 9")
#endif

// More than what rounding, and differences instead of derivatives, can take away.
#define MARGIN (1 + 1e-5)

INLINE PalLanes from_moments(PalLanes first, PalLanes second)
{
    PalLanes mean = first * (1.0 / 9.0), variance = second * (1.0 / 9.0) - mean * mean;
    variance = pal_lanes_select((PalLanesInt)(variance > 0.0), variance, pal_lanes_all(0.0));
    return mean + pal_lanes_sqrt(8.0 * variance);
}

// Bound of the eigenvalues of S, of which the lower triangle is given: the smaller one of that
// from the first two moments of S and that from those of S^2.
INLINE PalLanes bound_of(PalLanes S[9][9])
{
    PalLanes first = {0}, row[9];
    UNROLL
    for (int k = 0; k < 9; ++k) {
        first += S[k][k];
        row[k] = S[k][k] * S[k][k];
        UNROLL
        for (int l = 0; l < k; ++l)
            row[k] += 2.0 * S[k][l] * S[k][l];
    }
    PalLanes second =
        ((row[0] + row[1]) + (row[2] + row[3])) + ((row[4] + row[5]) + (row[6] + row[7])) + row[8];
    PalLanes rough = MARGIN * from_moments(first, second);
    UNROLL
    for (int k = 0; k < 9; ++k) {
        row[k] = (PalLanes){0};
        UNROLL
        for (int l = 0; l <= k; ++l) {
            PalLanes sum = S[k][0] * S[l][0];
            UNROLL
            for (int n = 1; n < 9; ++n)
                sum += (n <= k ? S[k][n] : S[n][k]) * (n <= l ? S[l][n] : S[n][l]);
            row[k] += (k == l ? 1.0 : 2.0) * sum * sum;
        }
    }
    PalLanes fourth =
        ((row[0] + row[1]) + (row[2] + row[3])) + ((row[4] + row[5]) + (row[6] + row[7])) + row[8];
    PalLanes fine = MARGIN * pal_lanes_sqrt(from_moments(second, fourth));
    return pal_lanes_select((PalLanesInt)(rough < fine), rough, fine);
}

INLINE void multiply(const PalLanesMat3 *a, const PalLanesMat3 *b, PalLanesMat3 *product)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            product->m[i][j] =
                a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
}

// a^T b
INLINE void multiply_transposed(const PalLanesMat3 *a, const PalLanesMat3 *b, PalLanesMat3 *product)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            product->m[i][j] =
                a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
}

// Any law: A = d2W/dF2 is given.
static void stiffness(const PalLanes A[9][9], const PalLanesMat3 *R, PalLanes *bound)
{
    PalLanesMat3 block, right, whole;
    PalLanes S[9][9];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k) {
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l)
                    block.m[j][l] = A[3 * i + j][3 * k + l];
            multiply(&block, R, &right);
            multiply_transposed(R, &right, &whole);
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l)
                    S[3 * i + j][3 * k + l] = whole.m[j][l];
        }
    *bound = bound_of(S);
}

// What A of the neo-Hookean law consists of, in the metric: with C = cof F,
// A = a I + b dC/dF - 2a/(3J) (F x C + C x F) + c C x C, c = U'' + 5 a I1 / (9 J^2).
typedef struct NeoHookeanStiffness {
    PalLanes J, a, b;
    PalLanesMat3 RR;       // R^T R
    PalLanesMat3 C;        // cof F R
    PalLanesMat3 W;        // c/2 cof F R - 2a/(3J) F R
    PalLanesMat3 crossed;  // F cof R
} NeoHookeanStiffness;

INLINE void describe_neo_hookean(const PalStiffnessWork *work, NeoHookeanStiffness *s)
{
    const double shear = work->parameters[0], bulk = work->parameters[1];
    const PalLanesMat3 *F = work->F, *R = work->R;
    PalLanesMat3 cofactor, FR, cof_R;
    pal_lanes_cofactor(F, &cofactor);
    PalLanes J = pal_lanes_determinant(F, &cofactor), I1 = pal_lanes_inner(F, F);
    PalLanes r = pal_lanes_inverse_cbrt(J), inverse = 1.0 / J;
    PalLanes p = work->pressure != NULL ? *work->pressure : bulk * (J - 1.0);
    s->J = J;
    s->a = shear * r * r;
    s->b = p - s->a * I1 * inverse * (1.0 / 3.0);
    PalLanes c = bulk + (5.0 / 9.0) * s->a * I1 * inverse * inverse;
    if (work->second != NULL) {
        c += *work->second - bulk;
    } else if (work->pressure == NULL && pal_any_collapses(J)) {
        c += pal_collapse_stiffness(bulk, J);
        s->b += pal_collapse_pressure(bulk, J);
    }
    PalLanes d = (2.0 / 3.0) * s->a * inverse;
    multiply(&cofactor, R, &s->C);
    multiply(F, R, &FR);
    pal_lanes_cofactor(R, &cof_R);
    multiply(F, &cof_R, &s->crossed);
    multiply_transposed(R, R, &s->RR);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            s->W.m[i][j] = 0.5 * c * s->C.m[i][j] - d * FR.m[i][j];
}

static void neo_hookean_stiffness(const PalStiffnessWork *work, PalLanes *bound)
{
    NeoHookeanStiffness s;
    PalLanes S[9][9];
    describe_neo_hookean(work, &s);
    UNROLL
    for (int k = 0; k < 9; ++k)
        UNROLL
    for (int l = 0; l <= k; ++l) {
        int i = k / 3, j = k % 3, p = l / 3, q = l % 3;
        S[k][l] = s.C.m[i][j] * s.W.m[p][q] + s.W.m[i][j] * s.C.m[p][q];
        if (i == p)
            S[k][l] += s.a * s.RR.m[j][q];
        // dC_ij/dF_pq is the entry of the row and the column left over, signed.
        if (i != p && j != q) {
            PalLanes rest = s.b * s.crossed.m[3 - i - p][3 - j - q];
            bool even = ((i + 1) % 3 == p) == ((j + 1) % 3 == q);
            S[k][l] += even ? rest : -rest;
        }
    }
    PalLanes all = bound_of(S);
    *bound = pal_lanes_select((PalLanesInt)(s.J > 0.0), all, pal_lanes_all((double)NAN));
}
