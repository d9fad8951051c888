// The spin that comes nearest to how points go, by least squares: with arms r and ways d besides
// the mean one, the sum of |d - w x r|^2 is least where (sum of |r|^2 - r r^T) w = sum of r x d.
#ifndef PAL_MATH_SPIN_H
#define PAL_MATH_SPIN_H

#include "math/mat3.h"
#include "math/vec3.h"

typedef struct PalSpinFit {
    PalMat3 inertia;
    PalVec3 moment;
    double size;  // sum of squares of arms
} PalSpinFit;

static inline void pal_spin_fit_add(PalSpinFit *fit, PalVec3 arm, PalVec3 way)
{
    double square = pal_vec3_dot(arm, arm), r[3] = {arm.x, arm.y, arm.z};
    for (int i = 0; i < 9; ++i)
        fit->inertia.m[i / 3][i % 3] += (i % 4 == 0 ? square : 0) - r[i / 3] * r[i % 3];
    fit->moment = pal_vec3_add(fit->moment, pal_vec3_cross(arm, way));
    fit->size += square;
}

// None where the points lie on a line.
static inline PalVec3 pal_spin_fit_solve(const PalSpinFit *fit)
{
    if (!(pal_mat3_determinant(&fit->inertia) > 1e-6 * fit->size * fit->size * fit->size))
        return pal_vec3(0, 0, 0);
    PalMat3 inverse = pal_mat3_inverse(&fit->inertia);
    return pal_mat3_apply(&inverse, fit->moment);
}

#endif
