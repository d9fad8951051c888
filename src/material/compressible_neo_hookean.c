// W = G/2 (I1 - 3) - G ln J + L/2 (ln J)^2, I1 of C, L = K - 2 G / 3
// docs/theory/materials.md, 4.10
#include "material/invariant.h"
#include "material/kinematics.h"
#include "material/law.h"
#include "material/volumetric.h"

enum { SHEAR, BULK, COUNT };

static const PalLawParameter parameters[COUNT] = {
    [SHEAR] = {.name = "shear", .meaning = "shear modulus, pressure", .above_lowest = true},
    [BULK] = {.name = "bulk", .meaning = "bulk modulus, pressure", .above_lowest = true},
};

// Lame's first constant.
PAL_LANES_INLINE double lame(const double *p)
{
    return p[BULK] - 2.0 / 3.0 * p[SHEAR];
}

static void moduli(const double *p, double *shear, double *bulk)
{
    *shear = p[SHEAR];
    *bulk = p[BULK];
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    *D = 0.5 * p[SHEAR] * (k.I1 - 3.0) - p[SHEAR] * pal_lanes_log(k.J);
}

// dD/dF = G (F - cof F / J)
PAL_CLONES static void stress(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    pal_stress_of_two(F, &k, pal_lanes_all(p[SHEAR]), -p[SHEAR] / k.J, P);
}

PAL_CLONES static void total(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalLanes b = (lame(p) * pal_lanes_log(k.J) - p[SHEAR]) / k.J;
    pal_stress_of_two(F, &k, pal_lanes_all(p[SHEAR]), b, P);
    *J = k.J;
}

PAL_CLONES static void factors(const double *p, const PalLawInvariants *of, PalStressFactors *s)
{
    *s = (PalStressFactors){.a = pal_lanes_all(p[SHEAR]),
                            .b = (lame(p) * pal_lanes_log(of->J) - p[SHEAR]) / of->J};
}

PAL_CLONES static void volumetric(const double *p, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    PalLanes log = pal_lanes_log(*J);
    if (U != NULL)
        *U = 0.5 * lame(p) * log * log;
    if (dU != NULL)
        *dU = lame(p) * log / *J;
}

// d/dJ and d2/dJ2 of -G ln J + L/2 (ln J)^2
static PalVolumetricPoint of_volume(const double *p, double J)
{
    PalVolumetricPoint U = pal_log_point(lame(p), J);
    return (PalVolumetricPoint){U.first - p[SHEAR] / J, U.second + p[SHEAR] / (J * J)};
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PalInvariant J, I1;
    pal_invariant_volume(F, &J);
    pal_invariant_first(F, &I1);
    *P = (PalMat3){0};
    pal_invariant_add_stress(&I1, p[SHEAR] / 2, P);
    pal_invariant_add_stress(&J, of_volume(p, J.value).first, P);
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    PalInvariant J, I1;
    pal_invariant_volume(F, &J);
    pal_invariant_first(F, &I1);
    PalVolumetricPoint U = of_volume(p, J.value);
    pal_invariant_add_tangent(&I1, p[SHEAR] / 2, 0, A);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
}

const PalMaterialLaw pal_law_compressible_neo_hookean = {
    .name = "compressible-neo-hookean",
    .summary = "neo-Hookean in which shape and volume are not separate, as FEBio's; resists "
               "collapse to no volume",
    .parameter_count = COUNT,
    .parameters = parameters,
    .moduli = moduli,
    .energy = energy,
    .stress = stress,
    .volumetric = volumetric,
    .total = total,
    .factors = factors,
    .total_ref = total_ref,
    .tangent = tangent,
};
