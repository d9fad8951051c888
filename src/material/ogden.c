// W = sum 2 G_p / alpha_p^2 (lb1^alpha_p + lb2^alpha_p + lb3^alpha_p - 3) + K/4 (J^2 - 1 - 2 ln J)
// and further volumetric terms, with lb_i = J^(-1/3) l_i   docs/theory/materials.md, 4.6
#include "material/invariant.h"
#include "material/kinematics.h"
#include "material/law.h"
#include "material/volumetric.h"
#include "math/lanes_eigen.h"
#include "math/mat3.h"

#include <string.h>

enum {
    BULK,
    SHEAR_1,
    ALPHA_1,
    SHEAR_2,
    ALPHA_2,
    SHEAR_3,
    ALPHA_3,
    BULK_LOG,
    BULK_QUADRATIC,
    COUNT
};

enum { TERMS = 3 };

static const PalLawParameter parameters[COUNT] = {
    [BULK] = {.name = "bulk",
              .meaning = "bulk modulus of the term K/4 (J^2 - 1 - 2 ln J), pressure"},
    [SHEAR_1] = {.name = "shear-1",
                 .meaning = "shear modulus of the first term, pressure",
                 .lowest = -INFINITY},
    [ALPHA_1] = {.name = "alpha-1",
                 .meaning = "exponent of the first term, not 0",
                 .lowest = -INFINITY},
    [SHEAR_2] = {.name = "shear-2",
                 .meaning = "shear modulus of the second term, pressure",
                 .lowest = -INFINITY,
                 .optional = true},
    [ALPHA_2] = {.name = "alpha-2",
                 .meaning = "exponent of the second term, not 0",
                 .lowest = -INFINITY,
                 .optional = true,
                 .standard = 2},
    [SHEAR_3] = {.name = "shear-3",
                 .meaning = "shear modulus of the third term, pressure",
                 .lowest = -INFINITY,
                 .optional = true},
    [ALPHA_3] = {.name = "alpha-3",
                 .meaning = "exponent of the third term, not 0",
                 .lowest = -INFINITY,
                 .optional = true,
                 .standard = 2},
    [BULK_LOG] = {.name = "bulk-log",
                  .meaning = "bulk modulus of the term K/2 (ln J)^2, pressure",
                  .optional = true},
    [BULK_QUADRATIC] = {.name = "bulk-quadratic",
                        .meaning = "bulk modulus of the term K/2 (J - 1)^2, pressure",
                        .optional = true},
};

static void moduli(const double *p, double *shear, double *bulk)
{
    *shear = p[SHEAR_1] + p[SHEAR_2] + p[SHEAR_3];
    *bulk = p[BULK] + p[BULK_LOG] + p[BULK_QUADRATIC];
}

static PalStatus check(const double *p, PalError *error)
{
    double shear, bulk;
    PAL_TRY(pal_law_check_bulk(p[BULK], p + BULK_LOG, error));
    for (int t = 0; t < TERMS; ++t)
        if (!(fabs(p[ALPHA_1 + 2 * t]) >= 1e-3))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "material: alpha-%d is %g, but must be at least 0.001 or at most "
                                 "-0.001",
                                 t + 1, p[ALPHA_1 + 2 * t]);
    moduli(p, &shear, &bulk);
    if (!(shear > 0))
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "material: the shear moduli of the terms add up to %g, but must add up to more than 0",
            shear);
    return PAL_OK;
}

// C, its eigenvalues and vectors, and ln of the isochoric eigenvalues.
typedef struct Spectrum {
    PalKinematics k;
    PalLanes values[3], logarithms[3];
    PalLanesMat3 vectors;
} Spectrum;

PAL_LANES_INLINE void spectrum(const PalLanesMat3 *F, Spectrum *s)
{
    PalLanesMat3 C;
    pal_kinematics(F, &s->k);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            C.m[i][j] = F->m[0][i] * F->m[0][j] + F->m[1][i] * F->m[1][j] + F->m[2][i] * F->m[2][j];
    pal_lanes_eigen_symmetric(&C, s->values, &s->vectors);
    for (int i = 0; i < 3; ++i)
        s->logarithms[i] = pal_lanes_log(s->k.r * s->k.r * s->values[i]);
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    Spectrum s;
    spectrum(F, &s);
    *D = pal_lanes_all(0.0);
    for (int t = 0; t < TERMS; ++t) {
        double shear = p[SHEAR_1 + 2 * t], alpha = p[ALPHA_1 + 2 * t];
        if (shear == 0)
            continue;
        PalLanes sum = pal_lanes_expm1(0.5 * alpha * s.logarithms[0]) +
                       pal_lanes_expm1(0.5 * alpha * s.logarithms[1]) +
                       pal_lanes_expm1(0.5 * alpha * s.logarithms[2]);
        *D += 2.0 * shear / (alpha * alpha) * sum;
    }
}

// dD/dF = F sum_i t_i / l_i^2 N_i x N_i with t_i = l_i dD/dl_i
//       = sum_p 2 G_p / alpha_p (lb_i^alpha_p - their mean)
PAL_LANES_INLINE void distortion(const double *p, const PalLanesMat3 *F, const Spectrum *s,
                                 PalLanesMat3 *P)
{
    PalLanes tension[3] = {{0}};
    for (int t = 0; t < TERMS; ++t) {
        double shear = p[SHEAR_1 + 2 * t], alpha = p[ALPHA_1 + 2 * t];
        if (shear == 0)
            continue;
        PalLanes power[3];
        for (int i = 0; i < 3; ++i)
            power[i] = pal_lanes_expm1(0.5 * alpha * s->logarithms[i]);
        PalLanes mean = (power[0] + power[1] + power[2]) * (1.0 / 3.0);
        for (int i = 0; i < 3; ++i)
            tension[i] += 2.0 * shear / alpha * (power[i] - mean);
    }
    PalLanesMat3 scaled, S;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            scaled.m[i][k] = s->vectors.m[i][k] * (tension[k] / s->values[k]);
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            S.m[i][j] = S.m[j][i] = scaled.m[i][0] * s->vectors.m[j][0] +
                                    scaled.m[i][1] * s->vectors.m[j][1] +
                                    scaled.m[i][2] * s->vectors.m[j][2];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P->m[i][j] = F->m[i][0] * S.m[0][j] + F->m[i][1] * S.m[1][j] + F->m[i][2] * S.m[2][j];
}

PAL_CLONES static void stress(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P)
{
    Spectrum s;
    spectrum(F, &s);
    distortion(p, F, &s, P);
}

PAL_CLONES static void total(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J)
{
    Spectrum s;
    spectrum(F, &s);
    distortion(p, F, &s, P);
    PalLanes pressure = pal_barrier_pressure(p[BULK], s.k.J);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P->m[i][j] += pressure * s.k.cof.m[i][j];
    if (pal_has_more_volume(p + BULK_LOG))
        pal_stress_add_pressure(&s.k, pal_more_pressure(p + BULK_LOG, s.k.J), P);
    *J = s.k.J;
}

PAL_CLONES static void volumetric(const double *p, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    pal_barrier_volumetric(p[BULK], J, U, dU);
    if (pal_has_more_volume(p + BULK_LOG))
        pal_add_more_volume(p + BULK_LOG, J, U, dU);
}

// ---- plane stress ---------------------------------------------------------------------------

// Powers of isochoric stretches less 1, and what is left across the plane with its derivatives
// after the logarithm of the third stretch.
typedef struct Plane {
    PalLanes logarithms[3];  // of the squares
    PalLanes power[TERMS][3];
    PalLanes f, slope, curve;
} Plane;

// The product of the three is 1.
PAL_LANES_INLINE void plane_powers(const double *p, PalLanes mean, Plane *x)
{
    for (int t = 0; t < TERMS; ++t) {
        double half = 0.5 * p[ALPHA_1 + 2 * t];
        if (p[SHEAR_1 + 2 * t] == 0)
            continue;
        PalLanes a = pal_lanes_expm1(half * (x->logarithms[0] - mean));
        PalLanes b = pal_lanes_expm1(half * (x->logarithms[1] - mean)), both = a + b + a * b;
        x->power[t][0] = a;
        x->power[t][1] = b;
        x->power[t][2] = -both / (1.0 + both);
    }
}

// f = l_3 dW/dl_3; square is that of J.
PAL_LANES_INLINE void plane_across(const double *p, PalLanes square, Plane *x)
{
    const double log_part = p[BULK_LOG], quadratic = p[BULK_QUADRATIC];
    x->f = 0.5 * p[BULK] * (square - 1.0);
    x->slope = p[BULK] * square;
    x->curve = 2.0 * p[BULK] * square;
    for (int t = 0; t < TERMS; ++t) {
        double shear = p[SHEAR_1 + 2 * t], alpha = p[ALPHA_1 + 2 * t];
        if (shear == 0)
            continue;
        PalLanes others = x->power[t][0] + x->power[t][1], own = x->power[t][2];
        x->f += (2.0 / 3.0 * shear / alpha) * (2.0 * own - others);
        x->slope += (2.0 / 9.0 * shear) * (6.0 + 4.0 * own + others);
        x->curve += (2.0 / 27.0 * shear * alpha) * (6.0 + 8.0 * own - others);
    }
    if (log_part == 0 && quadratic == 0)
        return;
    PalLanes J = pal_lanes_sqrt(square);
    x->f += J * pal_more_pressure(p + BULK_LOG, J);
    x->slope += log_part + quadratic * (2.0 * square - J);
    x->curve += quadratic * (4.0 * square - J);
}

// The third stretch grows by the factor e^change: a change this small takes three terms.
PAL_LANES_INLINE void plane_change(const double *p, PalLanes change, Plane *x)
{
    for (int t = 0; t < TERMS; ++t) {
        if (p[SHEAR_1 + 2 * t] == 0)
            continue;
        PalLanes a = change * (p[ALPHA_1 + 2 * t] / 3.0), b = -2.0 * a;
        PalLanes more = a * (-1.0 + a * (0.5 - a * (1.0 / 6.0)));
        PalLanes own = -b * (1.0 + -b * (0.5 - b * (1.0 / 6.0)));
        x->power[t][0] += (1.0 + x->power[t][0]) * more;
        x->power[t][1] += (1.0 + x->power[t][1]) * more;
        x->power[t][2] += (1.0 + x->power[t][2]) * own;
    }
}

// By Chebyshev's iteration, which is cubic, for the logarithm of the third stretch.
PAL_LANES_INLINE void plane_search(const double *p, PalLanes product, PalLanes *third, Plane *x)
{
    const double close = 2e-5, most = 0.3;
    double steepest = fmax(fmax(fabs(p[ALPHA_1]), fabs(p[ALPHA_2])), fabs(p[ALPHA_3]));
    double near = close / fmax(1, steepest);
    for (int round = 0; round < 30; ++round) {
        x->logarithms[2] = pal_lanes_log(*third);
        PalLanes mean = (x->logarithms[0] + x->logarithms[1] + x->logarithms[2]) * (1.0 / 3.0);
        plane_powers(p, mean, x);
        plane_across(p, product * *third, x);
        PalLanes slope =
            pal_lanes_select((PalLanesInt)(x->slope > 0.0), x->slope, pal_lanes_all(p[BULK]));
        PalLanes by_slope = 1.0 / slope, change = -x->f * by_slope;
        change -= 0.5 * change * change * x->curve * by_slope;
        change = pal_lanes_select((PalLanesInt)(change > most), pal_lanes_all(most), change);
        change = pal_lanes_select((PalLanesInt)(change < -most), pal_lanes_all(-most), change);
        PalLanesInt far = (PalLanesInt)(change * change > near * near);
        if ((far[0] | far[1] | far[2] | far[3]) == 0) {
            plane_change(p, change, x);
            PalLanes twice = 2.0 * change;
            *third *= 1.0 + twice * (1.0 + twice * (0.5 + twice * (1.0 / 6.0)));
            return;
        }
        *third *= pal_lanes_exp(2.0 * change);
    }
}

// S_i = (t_i - t_3) / l_i^2: t_3 is 0, or a pressure makes it so.
PAL_CLONES static void plane(const double *p, bool keeps_volume, const PalLanes squares[2],
                             PalLanes *third, PalLanes S[2])
{
    Plane x = {.logarithms = {pal_lanes_log(squares[0]), pal_lanes_log(squares[1])}};
    PalLanes product = squares[0] * squares[1];
    if (keeps_volume) {
        *third = 1.0 / product;
        plane_powers(p, pal_lanes_all(0.0), &x);
    } else {
        plane_search(p, product, third, &x);
    }
    for (int i = 0; i < 2; ++i) {
        PalLanes tension = pal_lanes_all(0.0);
        for (int t = 0; t < TERMS; ++t)
            if (p[SHEAR_1 + 2 * t] != 0)
                tension += (2.0 * p[SHEAR_1 + 2 * t] / p[ALPHA_1 + 2 * t]) *
                           (x.power[t][i] - x.power[t][2]);
        S[i] = tension / squares[i];
    }
}

// One point: stretches l, F = sum l_i n_i x N_i with columns n_i, N_i, and isochoric powers.
typedef struct PrincipalPoint {
    double l[3], power[TERMS][3], mean[TERMS];
    PalMat3 n, N;
} PrincipalPoint;

static void find_principal(const double *p, const PalMat3 *F, PrincipalPoint *x)
{
    PalMat3 transpose = pal_mat3_transpose(F), C = pal_mat3_multiply(&transpose, F);
    double r = 1 / cbrt(pal_mat3_determinant(F)), square[3];
    pal_mat3_eigen_symmetric(&C, square, &x->N);
    x->n = pal_mat3_multiply(F, &x->N);
    for (int a = 0; a < 3; ++a) {
        x->l[a] = sqrt(square[a]);
        for (int i = 0; i < 3; ++i)
            x->n.m[i][a] /= x->l[a];
    }
    for (int t = 0; t < TERMS; ++t) {
        for (int a = 0; a < 3; ++a)
            x->power[t][a] = pow(r * x->l[a], p[ALPHA_1 + 2 * t]);
        x->mean[t] = (x->power[t][0] + x->power[t][1] + x->power[t][2]) / 3;
    }
}

// l_a dD/dl_a
static double tension_of(const double *p, const PrincipalPoint *x, int a)
{
    double tension = 0;
    for (int t = 0; t < TERMS; ++t)
        tension += 2 * p[SHEAR_1 + 2 * t] / p[ALPHA_1 + 2 * t] * (x->power[t][a] - x->mean[t]);
    return tension;
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PrincipalPoint x;
    PalInvariant J;
    find_principal(p, F, &x);
    pal_invariant_volume(F, &J);
    *P = (PalMat3){0};
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 9; ++k)
            P->m[k / 3][k % 3] += tension_of(p, &x, a) / x.l[a] * x.n.m[k / 3][a] * x.N.m[k % 3][a];
    pal_invariant_add_stress(&J, pal_three_terms_point(p[BULK], p + BULK_LOG, J.value).first, P);
}

// d2D / dl_a dl_b
static double principal_stiffness(const double *p, const PrincipalPoint *x, int a, int b)
{
    double sum = 0;
    for (int t = 0; t < TERMS; ++t) {
        double own = a == b ? x->power[t][a] : 0;
        sum += 2 * p[SHEAR_1 + 2 * t] * (own - (x->power[t][a] + x->power[t][b] - x->mean[t]) / 3);
    }
    if (a == b)
        sum -= tension_of(p, x, a);
    return sum / (x->l[a] * x->l[b]);
}

// (dD/dl_a - dD/dl_b) / (l_a - l_b), also where the stretches are close or equal.
static double divided_difference(const double *p, const PrincipalPoint *x, int a, int b)
{
    double gap = x->l[a] - x->l[b], quotient = 0;
    for (int t = 0; t < TERMS; ++t) {
        double alpha = p[ALPHA_1 + 2 * t];
        double slope = gap != 0 ? expm1(alpha * log1p(gap / x->l[b])) / gap : alpha / x->l[b];
        quotient += 2 * p[SHEAR_1 + 2 * t] / alpha * x->power[t][b] * slope;
    }
    return (quotient - tension_of(p, x, b) / x->l[b]) / x->l[a];
}

// Rows and columns 3 a + b: dP against dF along n_a x N_b, the principal frame.
static void principal_tangent(const double *p, const PrincipalPoint *x, double T[9][9])
{
    memset(T, 0, 9 * sizeof T[0]);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            T[4 * a][4 * b] = principal_stiffness(p, x, a, b);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < a; ++b) {
            double even = divided_difference(p, x, a, b);
            double odd = (tension_of(p, x, a) / x->l[a] + tension_of(p, x, b) / x->l[b]) /
                         (x->l[a] + x->l[b]);
            int ab = 3 * a + b, ba = 3 * b + a;
            T[ab][ab] = T[ba][ba] = (even + odd) / 2;
            T[ab][ba] = T[ba][ab] = (even - odd) / 2;
        }
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    PrincipalPoint x;
    PalInvariant J;
    double T[9][9], basis[9][9], half[9][9] = {{0}};
    find_principal(p, F, &x);
    pal_invariant_volume(F, &J);
    PalVolumetricPoint U = pal_three_terms_point(p[BULK], p + BULK_LOG, J.value);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
    principal_tangent(p, &x, T);
    for (int d = 0; d < 9; ++d)
        for (int k = 0; k < 9; ++k)
            basis[d][k] = x.n.m[k / 3][d / 3] * x.N.m[k % 3][d % 3];
    for (int d = 0; d < 9; ++d)
        for (int c = 0; c < 9; ++c)
            for (int k = 0; T[d][c] != 0 && k < 9; ++k)
                half[d][k] += T[d][c] * basis[c][k];
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l < 9; ++l)
            for (int d = 0; d < 9; ++d)
                A[k][l] += basis[d][k] * half[d][l];
}

const PalMaterialLaw pal_law_ogden = {
    .name = "ogden",
    .summary = "isotropic, up to three powers of the stretches; resists collapse to no volume",
    .parameter_count = COUNT,
    .parameters = parameters,
    .check = check,
    .moduli = moduli,
    .energy = energy,
    .stress = stress,
    .volumetric = volumetric,
    .total = total,
    .plane = plane,
    .total_ref = total_ref,
    .tangent = tangent,
};
