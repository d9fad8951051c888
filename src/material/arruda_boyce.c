// W = G sum c_i L^(2 - 2 i) (Ib1^i - 3^i) + K/2 ((J^2 - 1)/2 - ln J) and further volumetric terms,
// i = 1 .. 5 docs/theory/materials.md, 4.5
#include "material/invariant.h"
#include "material/kinematics.h"
#include "material/law.h"
#include "material/volumetric.h"

enum { SHEAR, LIMIT, BULK, BULK_LOG, BULK_QUADRATIC, COUNT };

enum { TERMS = 5 };

static const double series[TERMS] = {1.0 / 2, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};

static const PalLawParameter parameters[COUNT] = {
    [SHEAR] = {.name = "shear",
               .meaning = "chain modulus, pressure; the shear modulus if limit-stretch is large",
               .above_lowest = true},
    [LIMIT] = {.name = "limit-stretch", .meaning = "stretch at which the chains lock", .lowest = 1},
    [BULK] = {.name = "bulk",
              .meaning = "bulk modulus of the term K/4 (J^2 - 1 - 2 ln J), pressure"},
    [BULK_LOG] = {.name = "bulk-log",
                  .meaning = "bulk modulus of the term K/2 (ln J)^2, pressure",
                  .optional = true},
    [BULK_QUADRATIC] = {.name = "bulk-quadratic",
                        .meaning = "bulk modulus of the term K/2 (J - 1)^2, pressure",
                        .optional = true},
};

// Coefficients of Ib1^i, i = 1 .. TERMS.
PAL_LANES_INLINE void coefficients(const double *p, double c[TERMS])
{
    double factor = p[SHEAR], ratio = 1 / (p[LIMIT] * p[LIMIT]);
    for (int i = 0; i < TERMS; ++i) {
        c[i] = factor * series[i];
        factor *= ratio;
    }
}

// dW/dIb1 and d2W/dIb1^2 at one point.
static void derivatives(const double *p, double Ib1, double *first, double *second)
{
    double c[TERMS];
    coefficients(p, c);
    *first = *second = 0;
    for (int i = 1; i <= TERMS; ++i) {
        *first += i * c[i - 1] * pow(Ib1, i - 1);
        if (i > 1)
            *second += i * (i - 1) * c[i - 1] * pow(Ib1, i - 2);
    }
}

static void moduli(const double *p, double *shear, double *bulk)
{
    double second;
    derivatives(p, 3, shear, &second);
    *shear *= 2;
    *bulk = p[BULK] + p[BULK_LOG] + p[BULK_QUADRATIC];
}

static PalStatus check(const double *p, PalError *error)
{
    return pal_law_check_bulk(p[BULK], p + BULK_LOG, error);
}

// Each power less its value at rest has Ib1 - 3 as a factor, which keeps small strains exact.
PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalKinematics k;
    double c[TERMS];
    pal_kinematics(F, &k);
    coefficients(p, c);
    PalLanes Ib1 = k.r * k.r * k.I1, quotient = pal_lanes_all(1.0), sum = pal_lanes_all(c[0]);
    double power = 1;
    for (int i = 1; i < TERMS; ++i) {
        power *= 3.0;
        quotient = Ib1 * quotient + power;
        sum += c[i] * quotient;
    }
    *D = (Ib1 - 3.0) * sum;
}

PAL_LANES_INLINE PalStressFactors factors_of(const double *p, const PalKinematics *k)
{
    double c[TERMS];
    coefficients(p, c);
    PalLanes Ib1 = k->r * k->r * k->I1, W1 = pal_lanes_all(TERMS * c[TERMS - 1]);
    for (int i = TERMS - 1; i >= 1; --i)
        W1 = W1 * Ib1 + i * c[i - 1];
    return pal_isochoric_factors(k, pal_lanes_all(0.0), W1, pal_lanes_all(0.0));
}

PAL_CLONES static void stress(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalStressFactors s = factors_of(p, &k);
    pal_stress_of_two(F, &k, s.a, s.b, P);
}

PAL_CLONES static void total(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalStressFactors s = factors_of(p, &k);
    pal_stress_of_two(F, &k, s.a, s.b + pal_barrier_pressure(p[BULK], k.J), P);
    if (pal_has_more_volume(p + BULK_LOG))
        pal_stress_add_pressure(&k, pal_more_pressure(p + BULK_LOG, k.J), P);
    *J = k.J;
}

PAL_CLONES static void factors(const double *p, const PalLawInvariants *of, PalStressFactors *s)
{
    PalKinematics k = pal_kinematics_of(of);
    *s = factors_of(p, &k);
    s->b += pal_barrier_pressure(p[BULK], k.J);
    if (pal_has_more_volume(p + BULK_LOG))
        s->b += pal_more_pressure(p + BULK_LOG, k.J);
}

PAL_CLONES static void volumetric(const double *p, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    pal_barrier_volumetric(p[BULK], J, U, dU);
    if (pal_has_more_volume(p + BULK_LOG))
        pal_add_more_volume(p + BULK_LOG, J, U, dU);
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PalInvariant J, Ib1;
    double first, second;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    derivatives(p, Ib1.value, &first, &second);
    *P = (PalMat3){0};
    pal_invariant_add_stress(&Ib1, first, P);
    pal_invariant_add_stress(&J, pal_three_terms_point(p[BULK], p + BULK_LOG, J.value).first, P);
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    PalInvariant J, Ib1;
    double first, second;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    derivatives(p, Ib1.value, &first, &second);
    PalVolumetricPoint U = pal_three_terms_point(p[BULK], p + BULK_LOG, J.value);
    pal_invariant_add_tangent(&Ib1, first, second, A);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
}

const PalMaterialLaw pal_law_arruda_boyce = {
    .name = "arruda-boyce",
    .summary = "isotropic; stiffens as its polymer chains approach the limit stretch",
    .parameter_count = COUNT,
    .parameters = parameters,
    .check = check,
    .moduli = moduli,
    .energy = energy,
    .stress = stress,
    .volumetric = volumetric,
    .total = total,
    .factors = factors,
    .total_ref = total_ref,
    .tangent = tangent,
};
