// W = c1 (e^(c2 (I1 - 3)) - 1) - c1 c2 / 2 (I2 - 3) + K/4 (J^2 - 1 - 2 ln J), I1 and I2 of C
// docs/theory/materials.md, 4.7
#include "material/invariant.h"
#include "material/kinematics.h"
#include "material/law.h"
#include "material/volumetric.h"

enum { C1, C2, BULK, COUNT };

static const PalLawParameter parameters[COUNT] = {
    [C1] = {.name = "c1", .meaning = "scale of the exponential, pressure", .above_lowest = true},
    [C2] = {.name = "c2",
            .meaning = "steepness of the exponential, without a unit",
            .above_lowest = true},
    [BULK] = {.name = "bulk",
              .meaning = "bulk modulus of the volumetric term, pressure",
              .above_lowest = true},
};

// The invariants are not isochoric, so the exponential part has a bulk modulus too.
static void moduli(const double *p, double *shear, double *bulk)
{
    *shear = p[C1] * p[C2];
    *bulk = p[BULK] + 4 * p[C1] * p[C2] * (p[C2] - 1.0 / 3);
}

static PalStatus check(const double *p, PalError *error)
{
    double shear, bulk;
    moduli(p, &shear, &bulk);
    if (!(bulk > 0))
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "material: bulk is %g, but must be greater than %g for these c1 and c2", p[BULK],
            p[BULK] - bulk);
    return PAL_OK;
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalLanesMat3 cof;
    pal_lanes_cofactor(F, &cof);
    PalLanes I1 = pal_lanes_inner(F, F), I2 = pal_lanes_inner(&cof, &cof);
    *D = p[C1] * pal_lanes_expm1(p[C2] * (I1 - 3.0)) - 0.5 * p[C1] * p[C2] * (I2 - 3.0);
}

// dD/dF = 2 c1 c2 e^(c2 (I1 - 3)) F - c1 c2 (I1 F - F C)
PAL_LANES_INLINE PalStressFactors factors_of(const double *p, PalLanes I1)
{
    double c = p[C1] * p[C2];
    return (PalStressFactors){
        .a = 2.0 * c * pal_lanes_exp(p[C2] * (I1 - 3.0)) - c * I1,
        .b = pal_lanes_all(0.0),
        .c = pal_lanes_all(c),
    };
}

PAL_CLONES static void stress(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalStressFactors s = factors_of(p, k.I1);
    pal_stress_of_three(F, &k, &s, P);
}

PAL_CLONES static void total(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalStressFactors s = factors_of(p, k.I1);
    s.b = pal_barrier_pressure(p[BULK], k.J);
    pal_stress_of_three(F, &k, &s, P);
    *J = k.J;
}

PAL_CLONES static void factors(const double *p, const PalLawInvariants *of, PalStressFactors *s)
{
    *s = factors_of(p, of->I1);
    s->b = pal_barrier_pressure(p[BULK], of->J);
}

PAL_CLONES static void volumetric(const double *p, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    pal_barrier_volumetric(p[BULK], J, U, dU);
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PalInvariant J, I1, I2;
    pal_invariant_volume(F, &J);
    pal_invariant_first(F, &I1);
    pal_invariant_second(F, &I2);
    *P = (PalMat3){0};
    pal_invariant_add_stress(&I1, p[C1] * p[C2] * exp(p[C2] * (I1.value - 3)), P);
    pal_invariant_add_stress(&I2, -p[C1] * p[C2] / 2, P);
    pal_invariant_add_stress(&J, pal_barrier_point(p[BULK], J.value).first, P);
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    PalInvariant J, I1, I2;
    pal_invariant_volume(F, &J);
    pal_invariant_first(F, &I1);
    pal_invariant_second(F, &I2);
    PalVolumetricPoint U = pal_barrier_point(p[BULK], J.value);
    double first = p[C1] * p[C2] * exp(p[C2] * (I1.value - 3));
    pal_invariant_add_tangent(&I1, first, p[C2] * first, A);
    pal_invariant_add_tangent(&I2, -p[C1] * p[C2] / 2, 0, A);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
}

const PalMaterialLaw pal_law_veronda_westmann = {
    .name = "veronda-westmann",
    .summary = "isotropic and exponential, for skin and breast; resists collapse to no volume",
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
