#include "math/mat3.h"

#include <stddef.h>

// Jacobi's method: rotate the largest off-diagonal entries away. Accurate for clustered
// eigenvalues, where the closed form is not.
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0)
        return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        double akp = a[k][p], akq = a[k][q];
        a[k][p] = c * akp - s * akq;
        a[k][q] = s * akp + c * akq;
    }
    for (int k = 0; k < 3; ++k) {
        double apk = a[p][k], aqk = a[q][k], vkp = v[k][p], vkq = v[k][q];
        a[p][k] = c * apk - s * aqk;
        a[q][k] = s * apk + c * aqk;
        v[k][p] = c * vkp - s * vkq;
        v[k][q] = s * vkp + c * vkq;
    }
}

void pal_mat3_eigen_symmetric(const PalMat3 *matrix, double values[3], PalMat3 *vectors)
{
    PalMat3 a = *matrix, v = pal_mat3_identity();
    for (int sweep = 0; sweep < 30; ++sweep) {
        double off = fabs(a.m[0][1]) + fabs(a.m[0][2]) + fabs(a.m[1][2]);
        double size = fabs(a.m[0][0]) + fabs(a.m[1][1]) + fabs(a.m[2][2]);
        if (off <= 1e-20 * size)
            break;
        rotate(a.m, v.m, 0, 1);
        rotate(a.m, v.m, 0, 2);
        rotate(a.m, v.m, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2 - i; ++j)
            if (a.m[order[j]][order[j]] > a.m[order[j + 1]][order[j + 1]]) {
                int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
    for (int k = 0; k < 3; ++k) {
        values[k] = a.m[order[k]][order[k]];
        for (int i = 0; vectors != NULL && i < 3; ++i)
            vectors->m[i][k] = v.m[i][order[k]];
    }
}

bool pal_mat3_is_rotation(const PalMat3 *a, double tolerance)
{
    PalMat3 back = pal_mat3_transpose(a), both = pal_mat3_multiply(a, &back);
    PalMat3 one = pal_mat3_identity();
    for (int i = 0; i < 9; ++i)
        if (!(fabs(both.m[i / 3][i % 3] - one.m[i / 3][i % 3]) < tolerance))
            return false;
    return pal_mat3_determinant(a) > 0;
}
