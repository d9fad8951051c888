// Rigid motions, and the one nearest to a deformation.
#ifndef PAL_GEOMETRY_PROCRUSTES_H
#define PAL_GEOMETRY_PROCRUSTES_H

#include "math/mat3.h"

// x becomes rotation (x - from) + to.
typedef struct PalRigidMove {
    PalMat3 rotation;
    PalVec3 from, to;
} PalRigidMove;

static inline PalVec3 pal_rigid_apply(const PalRigidMove *motion, PalVec3 x)
{
    PalVec3 arm = pal_vec3_sub(x, motion->from);
    return pal_vec3_add(pal_mat3_apply(&motion->rotation, arm), motion->to);
}

// products += to from^T, of positions relative to their centroids.
static inline void pal_procrustes_add(PalMat3 *products, PalVec3 to, PalVec3 from)
{
    for (int i = 0; i < 3; ++i) {
        products->m[i][0] += pal_vec3_at(to, i) * from.x;
        products->m[i][1] += pal_vec3_at(to, i) * from.y;
        products->m[i][2] += pal_vec3_at(to, i) * from.z;
    }
}

// The rotation R that makes the sum of |to - R from|^2 least.
PalMat3 pal_procrustes_rotation(const PalMat3 *products);

#endif
