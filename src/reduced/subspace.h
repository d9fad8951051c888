// The equations of a vademecum: forces of the sampled cells, seen by the modes.
//
//   g(q) = sum over sampled cells of  weight Phi_e' f_e(Phi_e q),    K(q) = dg/dq
//
// docs/theory/vademecum.md, 4
#ifndef PAL_REDUCED_SUBSPACE_H
#define PAL_REDUCED_SUBSPACE_H

#include "reduced/vademecum.h"

typedef struct PalSubspace {
    const PalVademecum *book;
    float *rows;     // per sampled cell: 9 rows of strain, dF_ij = rows q; `stride` long
    double *volume;  // per sampled cell: its volume times its weight
    const PalMaterialDef **material;  // per sampled cell
    // ---- scratch of one caller
    double *product;  // 9 x stride
} PalSubspace;

// The book must stay, and be finished. Clear it in any case.
PalStatus pal_subspace_init(const PalVademecum *book, PalSubspace *space, PalError *error);
void pal_subspace_clear(PalSubspace *space);

// Displacement gradients of all sampled cells and reduced forces of them; `force` has `stride`
// numbers. `tangent` (stride x stride, all of it; NULL: not wanted). False: a cell is inside out.
bool pal_subspace_evaluate(PalSubspace *space, const double *q, double *force, double *tangent);

#endif
