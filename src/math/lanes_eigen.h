// Eigenvalues and vectors of symmetric positive matrices, a batch at a time.
#ifndef PAL_MATH_LANES_EIGEN_H
#define PAL_MATH_LANES_EIGEN_H

#include "math/lanes_math.h"

// Lanes whose entry p q still matters; none for NaN.
PAL_LANES_INLINE PalLanesInt pal_lanes_couples(const PalLanesMat3 *a, int p, int q)
{
    return (PalLanesInt)(a->m[p][q] * a->m[p][q] > 1e-34 * (a->m[p][p] * a->m[q][q]));
}

// One Jacobi rotation that removes a[p][q]; lanes where it does not matter are left as they are.
PAL_LANES_INLINE void pal_lanes_rotate(PalLanesMat3 *a, PalLanesMat3 *v, int p, int q)
{
    int r = 3 - p - q;
    PalLanes off = a->m[p][q], gap = a->m[q][q] - a->m[p][p];
    PalLanesInt turns = pal_lanes_couples(a, p, q);
    PalLanesInt negative = (PalLanesInt)(gap < 0.0);
    PalLanes size = pal_lanes_select(negative, -gap, gap);
    PalLanes t = 2.0 * off / (size + pal_lanes_sqrt(gap * gap + 4.0 * off * off));
    t = pal_lanes_select(negative, -t, t);
    t = pal_lanes_select(turns, t, pal_lanes_all(0.0));
    PalLanes c = 1.0 / pal_lanes_sqrt(t * t + 1.0), s = t * c;
    a->m[p][p] -= t * off;
    a->m[q][q] += t * off;
    a->m[p][q] = a->m[q][p] = pal_lanes_select(turns, pal_lanes_all(0.0), off);
    PalLanes rp = a->m[r][p], rq = a->m[r][q];
    a->m[r][p] = a->m[p][r] = c * rp - s * rq;
    a->m[r][q] = a->m[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; ++k) {
        PalLanes vp = v->m[k][p], vq = v->m[k][q];
        v->m[k][p] = c * vp - s * vq;
        v->m[k][q] = s * vp + c * vq;
    }
}

// Cyclic Jacobi: accurate for equal eigenvalues. Values in no order; vectors in columns. What a
// lane gets does not depend on the others.
PAL_LANES_INLINE void pal_lanes_eigen_symmetric(const PalLanesMat3 *matrix, PalLanes values[3],
                                                PalLanesMat3 *vectors)
{
    PalLanesMat3 a = *matrix;
    for (int k = 0; k < 9; ++k)
        vectors->m[k / 3][k % 3] = pal_lanes_all(k % 4 == 0 ? 1.0 : 0.0);
    for (int sweep = 0; sweep < 10; ++sweep) {
        PalLanesInt turns =
            pal_lanes_couples(&a, 0, 1) | pal_lanes_couples(&a, 0, 2) | pal_lanes_couples(&a, 1, 2);
        int64_t any = 0;
        for (int l = 0; l < PAL_LANES; ++l)
            any |= turns[l];
        if (any == 0)
            break;
        pal_lanes_rotate(&a, vectors, 0, 1);
        pal_lanes_rotate(&a, vectors, 0, 2);
        pal_lanes_rotate(&a, vectors, 1, 2);
    }
    for (int k = 0; k < 3; ++k)
        values[k] = a.m[k][k];
}

#endif
