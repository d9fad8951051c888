// Invariants of a deformation gradient with their first two derivatives, one point at a time.
// Plain twins of stresses and all tangents are put together from these: for W(I, ...),
// dW/dF = sum W_a grad I_a, d2W/dF2 = sum W_ab grad I_a x grad I_b + sum W_a hess I_a.
// docs/theory/materials.md, 1
#ifndef PAL_MATERIAL_INVARIANT_H
#define PAL_MATERIAL_INVARIANT_H

#include <palpate/math.h>

typedef struct PalInvariant {
    double value;
    PalMat3 gradient;      // d/dF
    double hessian[9][9];  // rows and columns 3 i + j
} PalInvariant;

void pal_invariant_volume(const PalMat3 *F, PalInvariant *J);                    // det F
void pal_invariant_first(const PalMat3 *F, PalInvariant *I1);                    // tr C
void pal_invariant_second(const PalMat3 *F, PalInvariant *I2);                   // tr cof C
void pal_invariant_fibre(const PalMat3 *F, const PalVec3 *a, PalInvariant *I4);  // a . C a

// Those of J^(-1/3) F, given J.
void pal_invariant_isochoric_first(const PalMat3 *F, const PalInvariant *J, PalInvariant *Ib1);
void pal_invariant_isochoric_second(const PalMat3 *F, const PalInvariant *J, PalInvariant *Ib2);
void pal_invariant_isochoric_fibre(const PalMat3 *F, const PalVec3 *a, const PalInvariant *J,
                                   PalInvariant *Ib4);

// P += factor grad I
void pal_invariant_add_stress(const PalInvariant *I, double factor, PalMat3 *P);

// A += first hess I + second (grad I x grad I)
void pal_invariant_add_tangent(const PalInvariant *I, double first, double second, double A[9][9]);

// A += factor (grad I x grad K + grad K x grad I)
void pal_invariant_add_mixed(const PalInvariant *I, const PalInvariant *K, double factor,
                             double A[9][9]);

#endif
