// W = C10 (Ib1 - 3) + C01 (Ib2 - 3) + K/4 (J^2 - 1 - 2 ln J) and further
// volumetric terms   docs/theory/materials.md, 4.3
#include "material/invariant.h"
#include "material/kinematics.h"
#include "material/law.h"
#include "material/volumetric.h"

enum { C10, C01, BULK, BULK_LOG, BULK_QUADRATIC, COUNT };

static const PalLawParameter parameters[COUNT] = {
    [C10] = {.name = "c10",
             .meaning = "factor of the first invariant, pressure",
             .lowest = -INFINITY},
    [C01] = {.name = "c01",
             .meaning = "factor of the second invariant, pressure",
             .lowest = -INFINITY},
    [BULK] = {.name = "bulk",
              .meaning = "bulk modulus of the term K/4 (J^2 - 1 - 2 ln J), pressure"},
    [BULK_LOG] = {.name = "bulk-log",
                  .meaning = "bulk modulus of the term K/2 (ln J)^2, pressure",
                  .optional = true},
    [BULK_QUADRATIC] = {.name = "bulk-quadratic",
                        .meaning = "bulk modulus of the term K/2 (J - 1)^2, pressure",
                        .optional = true},
};

static PalStatus check(const double *p, PalError *error)
{
    PAL_TRY(pal_law_check_bulk(p[BULK], p + BULK_LOG, error));
    return pal_law_check_half_shear(p[C10] + p[C01], error);
}

static void moduli(const double *p, double *shear, double *bulk)
{
    *shear = 2 * (p[C10] + p[C01]);
    *bulk = p[BULK] + p[BULK_LOG] + p[BULK_QUADRATIC];
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalLanes r2 = k.r * k.r;
    *D = p[C10] * (r2 * k.I1 - 3.0) + p[C01] * (r2 * r2 * pal_second_invariant(&k) - 3.0);
}

PAL_LANES_INLINE PalStressFactors factors_of(const double *p, const PalKinematics *k, PalLanes I2)
{
    return pal_isochoric_factors(k, I2, pal_lanes_all(p[C10]), pal_lanes_all(p[C01]));
}

PAL_CLONES static void stress(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalStressFactors s = factors_of(p, &k, pal_second_invariant(&k));
    pal_stress_of_three(F, &k, &s, P);
}

PAL_CLONES static void total(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalStressFactors s = factors_of(p, &k, pal_second_invariant(&k));
    s.b += pal_barrier_pressure(p[BULK], k.J);
    pal_stress_of_three(F, &k, &s, P);
    if (pal_has_more_volume(p + BULK_LOG))
        pal_stress_add_pressure(&k, pal_more_pressure(p + BULK_LOG, k.J), P);
    *J = k.J;
}

PAL_CLONES static void factors(const double *p, const PalLawInvariants *of, PalStressFactors *s)
{
    PalKinematics k = pal_kinematics_of(of);
    *s = factors_of(p, &k, of->I2);
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
    PalInvariant J, Ib1, Ib2;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    pal_invariant_isochoric_second(F, &J, &Ib2);
    *P = (PalMat3){0};
    pal_invariant_add_stress(&Ib1, p[C10], P);
    pal_invariant_add_stress(&Ib2, p[C01], P);
    pal_invariant_add_stress(&J, pal_three_terms_point(p[BULK], p + BULK_LOG, J.value).first, P);
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    PalInvariant J, Ib1, Ib2;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    pal_invariant_isochoric_second(F, &J, &Ib2);
    PalVolumetricPoint U = pal_three_terms_point(p[BULK], p + BULK_LOG, J.value);
    pal_invariant_add_tangent(&Ib1, p[C10], 0, A);
    pal_invariant_add_tangent(&Ib2, p[C01], 0, A);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
}

const PalMaterialLaw pal_law_mooney_rivlin = {
    .name = "mooney-rivlin",
    .summary = "isotropic, with both invariants; resists collapse to no volume",
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
