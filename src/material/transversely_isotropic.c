// W = G/2 (Ib1 - 3) + eta/4 (Ib4 - 1)^2 + K/2 (J - 1)^2   docs/theory/materials.md, 4.8
#include "material/fibre.h"
#include "material/invariant.h"
#include "material/volumetric.h"

enum { SHEAR, BULK, FIBRE, X, Y, Z, COUNT };

static const PalLawParameter parameters[COUNT] = {
    [SHEAR] = {.name = "shear",
               .meaning = "shear modulus of the matrix, pressure",
               .above_lowest = true},
    [BULK] = {.name = "bulk", .meaning = "bulk modulus, pressure", .above_lowest = true},
    [FIBRE] = {.name = "fibre-modulus", .meaning = "stiffness along the fibres, pressure"},
    [X] = {.name = "direction-x", .meaning = "of the fibres, any length", .lowest = -INFINITY},
    [Y] = {.name = "direction-y", .meaning = "of the fibres, any length", .lowest = -INFINITY},
    [Z] = {.name = "direction-z", .meaning = "of the fibres, any length", .lowest = -INFINITY},
};

static PalStatus check(const double *p, PalError *error)
{
    return pal_fibre_check("direction", p + X, error);
}

// Stretching along the fibres is the stiffest distortion.
static void moduli(const double *p, double *shear, double *bulk)
{
    *shear = p[SHEAR] + 2 * p[FIBRE] / 3;
    *bulk = p[BULK];
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalKinematics k;
    PalFibre f;
    pal_kinematics(F, &k);
    pal_fibre(p + X, F, &k, &f);
    PalLanes x = f.Ib4 - 1.0;
    *D = 0.5 * p[SHEAR] * (k.r * k.r * k.I1 - 3.0) + 0.25 * p[FIBRE] * x * x;
}

// `pressure` is zero for the distortion alone.
PAL_LANES_INLINE void add_up(const double *p, const PalLanesMat3 *F, const PalKinematics *k,
                             PalLanes pressure, PalLanesMat3 *P)
{
    PalFibre f;
    PalStressFactors s = pal_isochoric_factors(k, pal_lanes_all(0.0), pal_lanes_all(0.5 * p[SHEAR]),
                                               pal_lanes_all(0.0));
    pal_stress_of_two(F, k, s.a, s.b + pressure, P);
    pal_fibre(p + X, F, k, &f);
    pal_fibre_add_stress(&f, k, 0.5 * p[FIBRE] * (f.Ib4 - 1.0), P);
}

PAL_CLONES static void stress(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    add_up(p, F, &k, pal_lanes_all(0.0), P);
}

PAL_CLONES static void total(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    add_up(p, F, &k, pal_quadratic_pressure(p[BULK], k.J), P);
    if (pal_any_collapses(k.J))
        pal_stress_add_pressure(&k, pal_collapse_pressure(p[BULK], k.J), P);
    *J = k.J;
}

PAL_CLONES static void volumetric(const double *p, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    pal_quadratic_volumetric(p[BULK], J, U, dU);
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PalInvariant J, Ib1, Ib4;
    PalVec3 a = pal_fibre_direction(p + X);
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    pal_invariant_isochoric_fibre(F, &a, &J, &Ib4);
    *P = (PalMat3){0};
    pal_invariant_add_stress(&Ib1, p[SHEAR] / 2, P);
    pal_invariant_add_stress(&Ib4, p[FIBRE] / 2 * (Ib4.value - 1), P);
    pal_invariant_add_stress(&J, pal_quadratic_point(p[BULK], J.value).first, P);
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    PalInvariant J, Ib1, Ib4;
    PalVec3 a = pal_fibre_direction(p + X);
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    pal_invariant_isochoric_fibre(F, &a, &J, &Ib4);
    PalVolumetricPoint U = pal_quadratic_point(p[BULK], J.value);
    pal_invariant_add_tangent(&Ib1, p[SHEAR] / 2, 0, A);
    pal_invariant_add_tangent(&Ib4, p[FIBRE] / 2 * (Ib4.value - 1), p[FIBRE] / 2, A);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
}

const PalMaterialLaw pal_law_transversely_isotropic = {
    .name = "transversely-isotropic",
    .summary = "neo-Hookean with one family of fibres, which resist stretching and shortening",
    .parameter_count = COUNT,
    .parameters = parameters,
    .check = check,
    .moduli = moduli,
    .energy = energy,
    .stress = stress,
    .volumetric = volumetric,
    .total = total,
    .total_ref = total_ref,
    .tangent = tangent,
};
