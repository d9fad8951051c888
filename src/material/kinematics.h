// What stresses are made of, for a batch of deformation gradients, and the two shapes an
// isotropic stress takes: a F + b cof F and a F + b cof F + c F C.   docs/theory/materials.md, 1
#ifndef PAL_MATERIAL_KINEMATICS_H
#define PAL_MATERIAL_KINEMATICS_H

#include "math/lanes_math.h"

typedef struct PalKinematics {
    PalLanesMat3 cof;  // J F^-T
    PalLanes J;
    PalLanes r;   // J^(-1/3)
    PalLanes I1;  // F : F
} PalKinematics;

typedef struct PalStressFactors {
    PalLanes a, b, c;  // of F, cof F, F C
} PalStressFactors;

PAL_LANES_INLINE void pal_kinematics(const PalLanesMat3 *F, PalKinematics *k)
{
    pal_lanes_cofactor(F, &k->cof);
    k->J = pal_lanes_determinant(F, &k->cof);
    k->r = pal_lanes_inverse_cbrt(k->J);
    k->I1 = pal_lanes_inner(F, F);
}

// P = a F + b cof F
PAL_LANES_INLINE void pal_stress_of_two(const PalLanesMat3 *F, const PalKinematics *k, PalLanes a,
                                        PalLanes b, PalLanesMat3 *P)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P->m[i][j] = a * F->m[i][j] + b * k->cof.m[i][j];
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
