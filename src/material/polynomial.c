// W = C10 x + C01 y + C20 x^2 + C11 x y + C02 y^2 + K/2 (J - 1)^2, x = Ib1 - 3, y = Ib2 - 3
// docs/theory/materials.md, 4.4
#include "material/invariant.h"
#include "material/kinematics.h"
#include "material/law.h"
#include "material/volumetric.h"

enum { C10, C01, C20, C11, C02, BULK, COUNT };

static const PalLawParameter parameters[COUNT] = {
    [C10] = {.name = "c10",
             .meaning = "factor of Ib1 - 3 (Ib1: first isochoric invariant), pressure",
             .lowest = -INFINITY},
    [C01] = {.name = "c01",
             .meaning = "factor of Ib2 - 3 (Ib2: second isochoric invariant), pressure",
             .lowest = -INFINITY},
    [C20] = {.name = "c20",
             .meaning = "factor of (Ib1 - 3)^2, pressure",
             .lowest = -INFINITY,
             .optional = true},
    [C11] = {.name = "c11",
             .meaning = "factor of (Ib1 - 3) (Ib2 - 3), pressure",
             .lowest = -INFINITY,
             .optional = true},
    [C02] = {.name = "c02",
             .meaning = "factor of (Ib2 - 3)^2, pressure",
             .lowest = -INFINITY,
             .optional = true},
    [BULK] = {.name = "bulk", .meaning = "bulk modulus, pressure", .above_lowest = true},
};

static PalStatus check(const double *p, PalError *error)
{
    return pal_law_check_half_shear(p[C10] + p[C01], error);
}

static void moduli(const double *p, double *shear, double *bulk)
{
    *shear = 2 * (p[C10] + p[C01]);
    *bulk = p[BULK];
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalLanes r2 = k.r * k.r;
    PalLanes x = r2 * k.I1 - 3.0, y = r2 * r2 * pal_second_invariant(&k) - 3.0;
    *D = x * (p[C10] + p[C20] * x + p[C11] * y) + y * (p[C01] + p[C02] * y);
}

PAL_LANES_INLINE PalStressFactors factors_of(const double *p, const PalKinematics *k, PalLanes I2)
{
    PalLanes r2 = k->r * k->r;
    PalLanes x = r2 * k->I1 - 3.0, y = r2 * r2 * I2 - 3.0;
    PalLanes W1 = p[C10] + 2.0 * p[C20] * x + p[C11] * y;
    PalLanes W2 = p[C01] + p[C11] * x + 2.0 * p[C02] * y;
    return pal_isochoric_factors(k, I2, W1, W2);
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
    s.b += pal_quadratic_pressure(p[BULK], k.J);
    pal_add_collapse(p[BULK], k.J, &s.b);
    pal_stress_of_three(F, &k, &s, P);
    *J = k.J;
}

PAL_CLONES static void factors(const double *p, const PalLawInvariants *of, PalStressFactors *s)
{
    PalKinematics k = pal_kinematics_of(of);
    *s = factors_of(p, &k, of->I2);
    s->b += pal_quadratic_pressure(p[BULK], k.J);
    pal_add_collapse(p[BULK], k.J, &s->b);
}

PAL_CLONES static void volumetric(const double *p, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    pal_quadratic_volumetric(p[BULK], J, U, dU);
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PalInvariant J, Ib1, Ib2;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    pal_invariant_isochoric_second(F, &J, &Ib2);
    double x = Ib1.value - 3, y = Ib2.value - 3;
    *P = (PalMat3){0};
    pal_invariant_add_stress(&Ib1, p[C10] + 2 * p[C20] * x + p[C11] * y, P);
    pal_invariant_add_stress(&Ib2, p[C01] + p[C11] * x + 2 * p[C02] * y, P);
    pal_invariant_add_stress(&J, pal_quadratic_point(p[BULK], J.value).first, P);
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    PalInvariant J, Ib1, Ib2;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    pal_invariant_isochoric_second(F, &J, &Ib2);
    double x = Ib1.value - 3, y = Ib2.value - 3;
    PalVolumetricPoint U = pal_quadratic_point(p[BULK], J.value);
    pal_invariant_add_tangent(&Ib1, p[C10] + 2 * p[C20] * x + p[C11] * y, 2 * p[C20], A);
    pal_invariant_add_tangent(&Ib2, p[C01] + p[C11] * x + 2 * p[C02] * y, 2 * p[C02], A);
    pal_invariant_add_mixed(&Ib1, &Ib2, p[C11], A);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
}

const PalMaterialLaw pal_law_polynomial = {
    .name = "polynomial",
    .summary = "isotropic, a polynomial of second degree in both invariants",
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
