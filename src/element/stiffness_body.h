// Largest stiffness of a deformed batch, as text: included with kernels_body.h.
//
// With G = sum_a grad N_a x grad N_a = R R^T, an element's largest eigenvalue of M^-1 K is that of
// S = (I x R)^T A (I x R), nine by nine, times corners / density. From m = tr S^2 / 9 and
// v = tr S^4 / 9 - m^2 follows lambda_max^2 <= m + sqrt(8 v): at most sqrt 2 too large whatever
// the spectrum, exact when one eigenvalue dominates.   docs/theory/elements.md, 6

// A little more than the rounding of the sums, so that a bound stays one.
#define ROUNDING_MARGIN (1 + 1e-6)

// Lower triangle R with R R^T = G.
INLINE void factor_metric(const PalLanesMat3 *G, PalLanesMat3 *R)
{
    PalLanes zero = {0};
    R->m[0][0] = pal_lanes_sqrt(G->m[0][0]);
    R->m[1][0] = G->m[1][0] / R->m[0][0];
    R->m[2][0] = G->m[2][0] / R->m[0][0];
    R->m[1][1] = pal_lanes_sqrt(G->m[1][1] - R->m[1][0] * R->m[1][0]);
    R->m[2][1] = (G->m[2][1] - R->m[2][0] * R->m[1][0]) / R->m[1][1];
    R->m[2][2] = pal_lanes_sqrt(G->m[2][2] - R->m[2][0] * R->m[2][0] - R->m[2][1] * R->m[2][1]);
    R->m[0][1] = R->m[0][2] = R->m[1][2] = zero;
}

// F R, R being a lower triangle.
INLINE void times_triangle(const PalLanesMat3 *F, const PalLanesMat3 *R, PalLanesMat3 *FR)
{
    for (int i = 0; i < 3; ++i) {
        FR->m[i][0] = F->m[i][0] * R->m[0][0] + F->m[i][1] * R->m[1][0] + F->m[i][2] * R->m[2][0];
        FR->m[i][1] = F->m[i][1] * R->m[1][1] + F->m[i][2] * R->m[2][1];
        FR->m[i][2] = F->m[i][2] * R->m[2][2];
    }
}

// Bound of the eigenvalues of S, of which the lower triangle is given.
INLINE PalLanes bound_of(PalLanes S[9][9])
{
    PalLanes second = {0}, fourth = {0};
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l < k; ++l)
            S[l][k] = S[k][l];
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l <= k; ++l) {
            PalLanes sum = S[k][0] * S[l][0];
            for (int n = 1; n < 9; ++n)
                sum += S[k][n] * S[l][n];
            if (k == l)
                second += sum;
            fourth += (k == l ? 1.0 : 2.0) * sum * sum;
        }
    PalLanes mean = second * (1.0 / 9.0), variance = fourth * (1.0 / 9.0) - mean * mean;
    variance = pal_lanes_select((PalLanesInt)(variance > 0.0), variance, pal_lanes_all(0.0));
    return ROUNDING_MARGIN * pal_lanes_sqrt(mean + pal_lanes_sqrt(8.0 * variance));
}

// Any law: A = d2W/dF2 is given.
static void stiffness(const PalLanes A[9][9], const PalLanesMat3 *G, PalLanes *bound)
{
    PalLanesMat3 R, block, right;
    PalLanes S[9][9];
    factor_metric(G, &R);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k) {
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l)
                    block.m[j][l] = A[3 * i + j][3 * k + l];
            times_triangle(&block, &R, &right);
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l) {
                    PalLanes sum = {0};
                    for (int n = j; n < 3; ++n)
                        sum += R.m[n][j] * right.m[n][l];
                    S[3 * i + j][3 * k + l] = sum;
                }
        }
    *bound = bound_of(S);
}

// What A of the neo-Hookean law consists of, in the metric: with C = cof F,
// A = a I + b dC/dF - 2a/(3J) (F x C + C x F) + c C x C, c = K + 5 a I1 / (9 J^2).
typedef struct NeoHookeanStiffness {
    PalLanes J, a, b;
    PalLanesMat3 RR;       // R^T R
    PalLanesMat3 C;        // cof F R
    PalLanesMat3 W;        // c/2 cof F R - 2a/(3J) F R
    PalLanesMat3 crossed;  // F cof R
} NeoHookeanStiffness;

INLINE void describe_neo_hookean(const double *parameters, const PalLanesMat3 *F,
                                 const PalLanes *pressure, const PalLanesMat3 *G,
                                 NeoHookeanStiffness *s)
{
    const double shear = parameters[0], bulk = parameters[1];
    PalLanesMat3 R, cofactor, FR, cof_R;
    factor_metric(G, &R);
    pal_lanes_cofactor(F, &cofactor);
    PalLanes J = pal_lanes_determinant(F, &cofactor), I1 = pal_lanes_inner(F, F);
    PalLanes r = pal_lanes_inverse_cbrt(J), inverse = 1.0 / J;
    s->J = J;
    PalLanes p = pressure != NULL ? *pressure : bulk * (J - 1.0);
    s->a = shear * r * r;
    s->b = p - s->a * I1 * inverse * (1.0 / 3.0);
    PalLanes c = bulk + (5.0 / 9.0) * s->a * I1 * inverse * inverse;
    PalLanes d = (2.0 / 3.0) * s->a * inverse;
    times_triangle(&cofactor, &R, &s->C);
    times_triangle(F, &R, &FR);
    pal_lanes_cofactor(&R, &cof_R);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            s->W.m[i][j] = 0.5 * c * s->C.m[i][j] - d * FR.m[i][j];
            // The cofactors of a lower triangle are an upper one.
            PalLanes sum = F->m[i][0] * cof_R.m[0][j], product = R.m[2][i] * R.m[2][j];
            for (int k = 1; k <= j; ++k)
                sum += F->m[i][k] * cof_R.m[k][j];
            for (int k = (i > j ? i : j); k < 2; ++k)
                product += R.m[k][i] * R.m[k][j];
            s->crossed.m[i][j] = sum;
            s->RR.m[i][j] = product;
        }
}

static void neo_hookean_stiffness(const double *parameters, const PalLanesMat3 *F,
                                  const PalLanes *pressure, const PalLanesMat3 *G, PalLanes *bound)
{
    NeoHookeanStiffness s;
    PalLanes S[9][9];
    describe_neo_hookean(parameters, F, pressure, G, &s);
    for (int k = 0; k < 9; ++k)
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
    *bound = pal_lanes_select((PalLanesInt)(s.J > 0.0), bound_of(S), pal_lanes_all((double)NAN));
}
