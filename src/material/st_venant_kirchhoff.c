// W = lambda/2 (tr E)^2 + G E : E, E = (C - I)/2, lambda = K - 2/3 G docs/theory/materials.md, 4.2
#include "material/invariant.h"
#include "material/kinematics.h"
#include "material/law.h"
#include "math/mat3.h"

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

static inline double lambda(const double *p)
{
    return p[BULK] - 2 * p[SHEAR] / 3;
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalLanes trace = {0}, square = {0};
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            PalLanes C =
                F->m[0][i] * F->m[0][j] + F->m[1][i] * F->m[1][j] + F->m[2][i] * F->m[2][j];
            PalLanes E = 0.5 * (i == j ? C - 1.0 : C);
            square += i == j ? E * E : 2.0 * E * E;
            trace += i == j ? E : pal_lanes_all(0.0);
        }
    *D = 0.5 * lambda(p) * trace * trace + p[SHEAR] * square;
}

PAL_LANES_INLINE PalStressFactors factors_of(const double *p, PalLanes I1)
{
    return (PalStressFactors){.a = (0.5 * lambda(p)) * (I1 - 3.0) - p[SHEAR],
                              .b = pal_lanes_all(0.0),
                              .c = pal_lanes_all(p[SHEAR])};
}

PAL_CLONES static void factors(const double *p, const PalLawInvariants *of, PalStressFactors *s)
{
    *s = factors_of(p, of->I1);
}

// P = F (lambda tr E I + 2 G E) = (lambda tr E - G) F + G F C
PAL_LANES_INLINE void whole_stress(const double *p, const PalLanesMat3 *F, PalKinematics *k,
                                   PalLanesMat3 *P)
{
    pal_kinematics(F, k);
    PalStressFactors s = factors_of(p, k->I1);
    pal_stress_of_three(F, k, &s, P);
}

PAL_CLONES static void stress(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P)
{
    PalKinematics k;
    whole_stress(p, F, &k, P);
}

PAL_CLONES static void total(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J)
{
    PalKinematics k;
    whole_stress(p, F, &k, P);
    *J = k.J;
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PalMat3 transpose = pal_mat3_transpose(F), S = pal_mat3_multiply(&transpose, F);
    double trace = (S.m[0][0] + S.m[1][1] + S.m[2][2] - 3) / 2;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double E = (S.m[i][j] - (i == j ? 1 : 0)) / 2;
            S.m[i][j] = 2 * p[SHEAR] * E + (i == j ? lambda(p) * trace : 0);
        }
    *P = pal_mat3_multiply(F, &S);
}

// W = lambda/8 (I1 - 3)^2 + G/4 (I1^2 - 2 I2 - 2 I1 + 3), since C : C = I1^2 - 2 I2.
static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    PalInvariant I1, I2;
    pal_invariant_first(F, &I1);
    pal_invariant_second(F, &I2);
    double first = lambda(p) / 4 * (I1.value - 3) + p[SHEAR] / 2 * (I1.value - 1);
    pal_invariant_add_tangent(&I1, first, lambda(p) / 4 + p[SHEAR] / 2, A);
    pal_invariant_add_tangent(&I2, -p[SHEAR] / 2, 0, A);
}

const PalMaterialLaw pal_law_st_venant_kirchhoff = {
    .name = "st-venant-kirchhoff",
    .summary = "linear in Green's strain; for small strains only, as it softens when compressed",
    .parameter_count = COUNT,
    .parameters = parameters,
    .moduli = moduli,
    .energy = energy,
    .stress = stress,
    .total = total,
    .factors = factors,
    .total_ref = total_ref,
    .tangent = tangent,
};
