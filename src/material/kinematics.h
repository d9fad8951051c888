// What stresses are made of, for a batch of deformation gradients, and the two shapes an
// isotropic stress takes: a F + b cof F and a F + b cof F + c F C.   docs/theory/materials.md, 1
#ifndef PAL_MATERIAL_KINEMATICS_H
#define PAL_MATERIAL_KINEMATICS_H

#include "material/law.h"
#include "math/lanes_math.h"

typedef struct PalKinematics {
    PalLanesMat3 cof;  // J F^-T
    PalLanes J;
    PalLanes r;   // J^(-1/3)
    PalLanes I1;  // F : F
} PalKinematics;

PAL_LANES_INLINE void pal_kinematics(const PalLanesMat3 *F, PalKinematics *k)
{
    pal_lanes_cofactor(F, &k->cof);
    k->J = pal_lanes_determinant(F, &k->cof);
    k->r = pal_lanes_inverse_cbrt(k->J);
    k->I1 = pal_lanes_inner(F, F);
}

// The same without cof, from the invariants of C.
PAL_LANES_INLINE PalKinematics pal_kinematics_of(const PalLawInvariants *of)
{
    return (PalKinematics){.J = of->J, .r = pal_lanes_inverse_cbrt(of->J), .I1 = of->I1};
}

// tr cof C
PAL_LANES_INLINE PalLanes pal_second_invariant(const PalKinematics *k)
{
    return pal_lanes_inner(&k->cof, &k->cof);
}

// Of D(Ib1, Ib2) with derivatives W1 and W2, where I2 is not yet isochoric:
// dD/dF = 2 (W1 r^2 + W2 r^4 I1) F - 2/3 r^3 (W1 r^2 I1 + 2 W2 r^4 I2) cof F - 2 W2 r^4 F C
PAL_LANES_INLINE PalStressFactors pal_isochoric_factors(const PalKinematics *k, PalLanes I2,
                                                        PalLanes W1, PalLanes W2)
{
    PalLanes r2 = k->r * k->r, w1 = W1 * r2, w2 = W2 * (r2 * r2);
    return (PalStressFactors){
        .a = 2.0 * (w1 + w2 * k->I1),
        .b = (-2.0 / 3.0) * (r2 * k->r) * (w1 * k->I1 + 2.0 * w2 * I2),
        .c = -2.0 * w2,
    };
}

// P = a F + b cof F
PAL_LANES_INLINE void pal_stress_of_two(const PalLanesMat3 *F, const PalKinematics *k, PalLanes a,
                                        PalLanes b, PalLanesMat3 *P)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P->m[i][j] = a * F->m[i][j] + b * k->cof.m[i][j];
}

// P += pressure cof F
PAL_LANES_INLINE void pal_stress_add_pressure(const PalKinematics *k, PalLanes pressure,
                                              PalLanesMat3 *P)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P->m[i][j] += pressure * k->cof.m[i][j];
}

// P = a F + b cof F + c F C
PAL_LANES_INLINE void pal_stress_of_three(const PalLanesMat3 *F, const PalKinematics *k,
                                          const PalStressFactors *s, PalLanesMat3 *P)
{
    PalLanes M[3][3];  // a I + c C
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            PalLanes C =
                F->m[0][i] * F->m[0][j] + F->m[1][i] * F->m[1][j] + F->m[2][i] * F->m[2][j];
            M[i][j] = M[j][i] = i == j ? s->a + s->c * C : s->c * C;
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P->m[i][j] = F->m[i][0] * M[0][j] + F->m[i][1] * M[1][j] + F->m[i][2] * M[2][j] +
                         s->b * k->cof.m[i][j];
}

#endif
