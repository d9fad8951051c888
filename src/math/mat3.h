// Matrices of three by three.
#ifndef PAL_MATH_MAT3_H
#define PAL_MATH_MAT3_H

#include "math/vec3.h"

static inline PalMat3 pal_mat3_identity(void)
{
    return (PalMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

// Whether a a^T is the identity within the tolerance, and a no mirror.
bool pal_mat3_is_rotation(const PalMat3 *a, double tolerance);

static inline PalVec3 pal_mat3_apply(const PalMat3 *a, PalVec3 v)
{
    return (PalVec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                     a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                     a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

static inline PalMat3 pal_mat3_multiply(const PalMat3 *a, const PalMat3 *b)
{
    PalMat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

static inline PalMat3 pal_mat3_transpose(const PalMat3 *a)
{
    PalMat3 t;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            t.m[i][j] = a->m[j][i];
    return t;
}

// The cofactor matrix: det(a) a^-T.
static inline PalMat3 pal_mat3_cofactor(const PalMat3 *a)
{
    PalMat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c.m[i][j] = a->m[i1][j1] * a->m[i2][j2] - a->m[i1][j2] * a->m[i2][j1];
        }
    return c;
}

static inline double pal_mat3_determinant(const PalMat3 *a)
{
    PalMat3 c = pal_mat3_cofactor(a);
    return a->m[0][0] * c.m[0][0] + a->m[0][1] * c.m[0][1] + a->m[0][2] * c.m[0][2];
}

// Undefined for a singular matrix.
static inline PalMat3 pal_mat3_inverse(const PalMat3 *a)
{
    PalMat3 c = pal_mat3_cofactor(a);
    double determinant = a->m[0][0] * c.m[0][0] + a->m[0][1] * c.m[0][1] + a->m[0][2] * c.m[0][2];
    PalMat3 inverse;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            inverse.m[i][j] = c.m[j][i] / determinant;
    return inverse;
}

// Sum over i, j of a_ij b_ij.
static inline double pal_mat3_inner(const PalMat3 *a, const PalMat3 *b)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            sum += a->m[i][j] * b->m[i][j];
    return sum;
}

// Eigenvalues, ascending, and unit eigenvectors (columns) of a symmetric matrix.
// vectors may be NULL.
void pal_mat3_eigen_symmetric(const PalMat3 *matrix, double values[3], PalMat3 *vectors);

#endif
