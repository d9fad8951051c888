// W = G/2 (Ib1 - 3) + sum k1/(2 k2) (e^(k2 (Ib4 - 1)^2) - 1) where Ib4 > 1
//     + K/4 (J^2 - 1 - 2 ln J)   docs/theory/materials.md, 4.9
#include "material/fibre.h"
#include "material/invariant.h"
#include "material/volumetric.h"

enum { SHEAR, BULK, K1, K2, X1, Y1, Z1, X2, Y2, Z2, COUNT };

static const PalLawParameter parameters[COUNT] = {
    [SHEAR] = {.name = "shear",
               .meaning = "shear modulus of the matrix, pressure",
               .above_lowest = true},
    [BULK] = {.name = "bulk", .meaning = "bulk modulus, pressure", .above_lowest = true},
    [K1] = {.name = "k1",
            .meaning = "stiffness of each fibre family when it begins to be stretched, pressure"},
    [K2] = {.name = "k2",
            .meaning = "steepness of the fibres' exponential, without a unit",
            .above_lowest = true},
    [X1] = {.name = "direction-1-x", .meaning = "of the first family", .lowest = -INFINITY},
    [Y1] = {.name = "direction-1-y", .meaning = "of the first family", .lowest = -INFINITY},
    [Z1] = {.name = "direction-1-z", .meaning = "of the first family", .lowest = -INFINITY},
    [X2] = {.name = "direction-2-x", .meaning = "of the second family", .lowest = -INFINITY},
    [Y2] = {.name = "direction-2-y", .meaning = "of the second family", .lowest = -INFINITY},
    [Z2] = {.name = "direction-2-z", .meaning = "of the second family", .lowest = -INFINITY},
};

static PalStatus check(const double *p, PalError *error)
{
    PAL_TRY(pal_fibre_check("direction-1", p + X1, error));
    return pal_fibre_check("direction-2", p + X2, error);
}

// The stiffest distortion, with both families pulled if one can.
static void moduli(const double *p, double *shear, double *bulk)
{
    double cosine = pal_vec3_dot(pal_fibre_direction(p + X1), pal_fibre_direction(p + X2));
    *shear = p[SHEAR] + 2 * p[K1] * (2.0 / 3 + fabs(cosine * cosine - 1.0 / 3));
    *bulk = p[BULK];
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    *D = 0.5 * p[SHEAR] * (k.r * k.r * k.I1 - 3.0);
    for (int family = 0; family < 2; ++family) {
        PalFibre f;
        pal_fibre(p + X1 + 3 * family, F, &k, &f);
        PalLanes x = f.Ib4 - 1.0;
        PalLanes one = (p[K1] / (2.0 * p[K2])) * pal_lanes_expm1(p[K2] * x * x);
        *D += pal_lanes_select((PalLanesInt)(x > 0.0), one, pal_lanes_all(0.0));
    }
}

// `pressure` is zero for the distortion alone.
PAL_LANES_INLINE void add_up(const double *p, const PalLanesMat3 *F, const PalKinematics *k,
                             PalLanes pressure, PalLanesMat3 *P)
{
    PalStressFactors s = pal_isochoric_factors(k, pal_lanes_all(0.0), pal_lanes_all(0.5 * p[SHEAR]),
                                               pal_lanes_all(0.0));
    pal_stress_of_two(F, k, s.a, s.b + pressure, P);
    for (int family = 0; family < 2; ++family) {
        PalFibre f;
        pal_fibre(p + X1 + 3 * family, F, k, &f);
        PalLanes x = f.Ib4 - 1.0, W4 = p[K1] * x * pal_lanes_exp(p[K2] * x * x);
        W4 = pal_lanes_select((PalLanesInt)(x > 0.0), W4, pal_lanes_all(0.0));
        pal_fibre_add_stress(&f, k, W4, P);
    }
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
    add_up(p, F, &k, pal_barrier_pressure(p[BULK], k.J), P);
    *J = k.J;
}

PAL_CLONES static void volumetric(const double *p, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    pal_barrier_volumetric(p[BULK], J, U, dU);
}

// Of one family, at one point: dW/dIb4 and d2W/dIb4^2.
static void fibre_derivatives(const double *p, double Ib4, double *first, double *second)
{
    double x = Ib4 - 1, growth = exp(p[K2] * x * x);
    *first = x > 0 ? p[K1] * x * growth : 0;
    *second = x > 0 ? p[K1] * (1 + 2 * p[K2] * x * x) * growth : 0;
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PalInvariant J, Ib1, Ib4;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    *P = (PalMat3){0};
    pal_invariant_add_stress(&Ib1, p[SHEAR] / 2, P);
    pal_invariant_add_stress(&J, pal_barrier_point(p[BULK], J.value).first, P);
    for (int family = 0; family < 2; ++family) {
        PalVec3 a = pal_fibre_direction(p + X1 + 3 * family);
        double first, second;
        pal_invariant_isochoric_fibre(F, &a, &J, &Ib4);
        fibre_derivatives(p, Ib4.value, &first, &second);
        pal_invariant_add_stress(&Ib4, first, P);
    }
}

// `taut`: fibres that are slack count as about to pull.
static void add_tangent(const double *p, const PalMat3 *F, bool taut, double A[9][9])
{
    PalInvariant J, Ib1, Ib4;
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    PalVolumetricPoint U = pal_barrier_point(p[BULK], J.value);
    pal_invariant_add_tangent(&Ib1, p[SHEAR] / 2, 0, A);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
    for (int family = 0; family < 2; ++family) {
        PalVec3 a = pal_fibre_direction(p + X1 + 3 * family);
        double first, second;
        pal_invariant_isochoric_fibre(F, &a, &J, &Ib4);
        fibre_derivatives(p, Ib4.value, &first, &second);
        if (taut && second == 0)
            second = p[K1];
        pal_invariant_add_tangent(&Ib4, first, second, A);
    }
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    add_tangent(p, F, false, A);
}

static void stiffest(const double *p, const PalMat3 *F, double A[9][9])
{
    add_tangent(p, F, true, A);
}

const PalMaterialLaw pal_law_fibre_reinforced = {
    .name = "fibre-reinforced",
    .summary = "neo-Hookean with two families of fibres, which resist stretching only and stiffen "
               "exponentially",
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
    .stiffest = stiffest,
};
