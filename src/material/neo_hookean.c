// W = G/2 (Ib1 - 3) + K/2 (J - 1)^2   docs/theory/materials.md, 4.1
#include "material/invariant.h"
#include "material/kinematics.h"
#include "material/law.h"
#include "material/volumetric.h"

enum { SHEAR, BULK, COUNT };

static const PalLawParameter parameters[COUNT] = {
    [SHEAR] = {.name = "shear", .meaning = "shear modulus, pressure", .above_lowest = true},
    [BULK] = {.name = "bulk", .meaning = "bulk modulus, pressure", .above_lowest = true},
};

static void moduli(const double *p, double *shear, double *bulk)
{
    *shear = p[SHEAR];
    *bulk = p[BULK];
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    *D = 0.5 * p[SHEAR] * (k.r * k.r * k.I1 - 3.0);
}

// dD/dF = a F + b cof F, a = G J^(-2/3), b = -a I1 / (3 J). Exactly zero at F = I.
PAL_LANES_INLINE void factors(const double *p, const PalKinematics *k, PalLanes *a, PalLanes *b)
{
    PalLanes r2 = k->r * k->r;
    *a = p[SHEAR] * r2;
    *b = -*a * ((k->I1 * (1.0 / 3.0)) * (r2 * k->r));
}

PAL_CLONES static void stress(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P)
{
    PalKinematics k;
    PalLanes a, b;
    pal_kinematics(F, &k);
    factors(p, &k, &a, &b);
    pal_stress_of_two(F, &k, a, b, P);
}

PAL_CLONES static void total(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J)
{
    PalKinematics k;
    PalLanes a, b;
    pal_kinematics(F, &k);
    factors(p, &k, &a, &b);
    b += pal_quadratic_pressure(p[BULK], k.J);
    pal_add_collapse(p[BULK], k.J, &b);
    pal_stress_of_two(F, &k, a, b, P);
    *J = k.J;
}

PAL_CLONES static void volumetric(const double *p, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    pal_quadratic_volumetric(p[BULK], J, U, dU);
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PalInvariant J, Ib1;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    *P = (PalMat3){0};
    pal_invariant_add_stress(&Ib1, p[SHEAR] / 2, P);
    pal_invariant_add_stress(&J, pal_quadratic_point(p[BULK], J.value).first, P);
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    PalInvariant J, Ib1;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    PalVolumetricPoint U = pal_quadratic_point(p[BULK], J.value);
    pal_invariant_add_tangent(&Ib1, p[SHEAR] / 2, 0, A);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
}

const PalMaterialLaw pal_law_neo_hookean = {
    .name = "neo-hookean",
    .summary = "rubber-like and isotropic; the usual choice for soft tissue",
    .parameter_count = COUNT,
    .parameters = parameters,
    .moduli = moduli,
    .energy = energy,
    .stress = stress,
    .volumetric = volumetric,
    .total = total,
    .total_ref = total_ref,
    .tangent = tangent,
};
