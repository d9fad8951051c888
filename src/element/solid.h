// What solids with one deformation gradient per element share: energy, stress, stiffness.
#ifndef PAL_ELEMENT_SOLID_H
#define PAL_ELEMENT_SOLID_H

#include "element/layouts.h"

// Equal shares: factor density V / corner_count.
void pal_solid_mass(const PalPart *part, const PalSolid *solid, const PalLanes *factor,
                    PalLanes shares[PAL_CORNER_MAX]);
// Strain energy of each element; what relaxation will leave of it.
void pal_solid_energy(const PalBatch *batch, const PalSolid *solid, const PalDeformed *now,
                      PalLanes *energy);
// All fields.
void pal_solid_fields(const PalBatch *batch, const PalSolid *solid, const PalDeformed *now,
                      PalBatchFields *fields);
// Adds those of one point of an element, which has this part of its volume. Energies are added up.
void pal_solid_add_fields(const PalBatchFields *point, PalLanes part, PalBatchFields *fields);
// Eigenvalues of S, see stiffness_body.h, for R with R R^T = sum_a grad N_a x grad N_a.
void pal_solid_bound(const PalBatch *batch, const PalSolid *solid, const PalLanesMat3 *F,
                     const PalLanesMat3 *R, PalLanes *bound);

// Bound of the eigenvalues of the second derivative of the distortion.
void pal_solid_distortion_bound(const PalPart *part, const PalLanesMat3 *F, PalLanes *bound);

// Second derivative of the distortion, relaxed as the step relaxes it; `history` may be NULL.
void pal_solid_distortion_tangent(const PalPart *part, const PalProny *prony, const double *history,
                                  const PalLanesMat3 *F, PalLanes A[9][9]);

// Adds the first two derivatives of what guards elements with rings against collapse.
void pal_solid_guard(const PalPart *part, const PalLanesMat3 *F, PalLanes *first, PalLanes *second);

// d2U/dJ2 at a ratio of volumes.
PalLanes pal_solid_curvature(const PalMaterialDef *material, PalLanes J);

// K += V B^T A B of each element, rows of n numbers; and where pressures are averaged, the rows and
// columns of these.   docs/theory/implicit.md, 2
void pal_solid_tangent(const PalBatch *batch, const PalSolid *solid, const PalDeformed *now,
                       int32_t n, PalLanes *K);

// The matrix of one lane.
static inline PalMat3 pal_solid_lane(const PalLanesMat3 *matrix, int32_t lane)
{
    PalMat3 one;
    for (int k = 0; k < 9; ++k)
        one.m[k / 3][k % 3] = matrix->m[k / 3][k % 3][lane];
    return one;
}

#endif
