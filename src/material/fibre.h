// One family of fibres in a batch: their stretch, and the stress a function of it makes.
// docs/theory/materials.md, 4.8
#ifndef PAL_MATERIAL_FIBRE_H
#define PAL_MATERIAL_FIBRE_H

#include "material/kinematics.h"
#include "material/law.h"
#include "math/vec3.h"

// Three numbers, x y z, at least some of them not zero.
static inline PalStatus pal_fibre_check(const char *name, const double *direction, PalError *error)
{
    double square =
        direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2];
    if (!(square > 1e-200 && square < 1e200))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "material: %s is [%g, %g, %g], which is not a direction", name,
                             direction[0], direction[1], direction[2]);
    return PAL_OK;
}

static inline PalVec3 pal_fibre_direction(const double *direction)
{
    return pal_vec3_normalise(pal_vec3(direction[0], direction[1], direction[2]));
}

typedef struct PalFibre {
    PalVec3 a;              // unit direction at rest
    PalLanes stretched[3];  // F a
    PalLanes I4, Ib4;       // |F a|^2, and J^(-2/3) of it
} PalFibre;

PAL_LANES_INLINE void pal_fibre(const double *direction, const PalLanesMat3 *F,
                                const PalKinematics *k, PalFibre *f)
{
    f->a = pal_fibre_direction(direction);
    for (int i = 0; i < 3; ++i)
        f->stretched[i] = F->m[i][0] * f->a.x + F->m[i][1] * f->a.y + F->m[i][2] * f->a.z;
    f->I4 = f->stretched[0] * f->stretched[0] + f->stretched[1] * f->stretched[1] +
            f->stretched[2] * f->stretched[2];
    f->Ib4 = k->r * k->r * f->I4;
}

// P += W4 dIb4/dF = 2 W4 r^2 (F a x a - I4 r^3 / 3 cof F)
PAL_LANES_INLINE void pal_fibre_add_stress(const PalFibre *f, const PalKinematics *k, PalLanes W4,
                                           PalLanesMat3 *P)
{
    PalLanes pull = 2.0 * W4 * (k->r * k->r);
    PalLanes b = pull * (f->I4 * (-1.0 / 3.0)) * (k->r * k->r * k->r);
    for (int i = 0; i < 3; ++i) {
        PalLanes t = pull * f->stretched[i];
        P->m[i][0] += t * f->a.x + b * k->cof.m[i][0];
        P->m[i][1] += t * f->a.y + b * k->cof.m[i][1];
        P->m[i][2] += t * f->a.z + b * k->cof.m[i][2];
    }
}

#endif
