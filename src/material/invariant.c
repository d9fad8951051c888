#include "material/invariant.h"

#include "math/mat3.h"

#include <string.h>

static double at(const PalMat3 *a, int k)
{
    return a->m[k / 3][k % 3];
}

void pal_invariant_volume(const PalMat3 *F, PalInvariant *J)
{
    J->gradient = pal_mat3_cofactor(F);
    J->value = pal_mat3_determinant(F);
    memset(J->hessian, 0, sizeof J->hessian);
    // d cof F_ij / d F_kl is plus or minus the entry of F in the row and column left over.
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            J->hessian[3 * i + j][3 * i1 + j1] = F->m[i2][j2];
            J->hessian[3 * i + j][3 * i2 + j2] = F->m[i1][j1];
            J->hessian[3 * i + j][3 * i1 + j2] = -F->m[i2][j1];
            J->hessian[3 * i + j][3 * i2 + j1] = -F->m[i1][j2];
        }
}

void pal_invariant_first(const PalMat3 *F, PalInvariant *I1)
{
    I1->value = pal_mat3_inner(F, F);
    memset(I1->hessian, 0, sizeof I1->hessian);
    for (int k = 0; k < 9; ++k) {
        I1->gradient.m[k / 3][k % 3] = 2 * at(F, k);
        I1->hessian[k][k] = 2;
    }
}

// I2 = (I1^2 - C : C) / 2, so grad I2 = 2 (I1 F - F C).
void pal_invariant_second(const PalMat3 *F, PalInvariant *I2)
{
    PalMat3 transpose = pal_mat3_transpose(F);
    PalMat3 C = pal_mat3_multiply(&transpose, F);
    PalMat3 B = pal_mat3_multiply(F, &transpose);
    PalMat3 FC = pal_mat3_multiply(F, &C);
    double I1 = pal_mat3_inner(F, F);
    I2->value = (I1 * I1 - pal_mat3_inner(&C, &C)) / 2;
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        I2->gradient.m[i][j] = 2 * (I1 * F->m[i][j] - FC.m[i][j]);
        for (int l = 0; l < 9; ++l) {
            int p = l / 3, q = l % 3;
            double d = 2 * F->m[i][j] * F->m[p][q] - F->m[i][q] * F->m[p][j];
            if (k == l)
                d += I1;
            if (i == p)
                d -= C.m[q][j];
            if (j == q)
                d -= B.m[i][p];
            I2->hessian[k][l] = 2 * d;
        }
    }
}

void pal_invariant_fibre(const PalMat3 *F, const PalVec3 *a, PalInvariant *I4)
{
    PalVec3 stretched = pal_mat3_apply(F, *a);
    I4->value = pal_vec3_dot(stretched, stretched);
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        I4->gradient.m[i][j] = 2 * pal_vec3_at(stretched, i) * pal_vec3_at(*a, j);
        for (int l = 0; l < 9; ++l)
            I4->hessian[k][l] = i == l / 3 ? 2 * pal_vec3_at(*a, j) * pal_vec3_at(*a, l % 3) : 0;
    }
}

// J^power I
static void scale(const PalInvariant *I, const PalInvariant *J, double power, PalInvariant *scaled)
{
    double s = pow(J->value, power), first = power * s / J->value;
    double second = (power - 1) * first / J->value;
    scaled->value = s * I->value;
    for (int k = 0; k < 9; ++k) {
        scaled->gradient.m[k / 3][k % 3] =
            s * at(&I->gradient, k) + first * I->value * at(&J->gradient, k);
        for (int l = 0; l < 9; ++l) {
            double mixed = at(&I->gradient, k) * at(&J->gradient, l) +
                           at(&J->gradient, k) * at(&I->gradient, l);
            double square = at(&J->gradient, k) * at(&J->gradient, l);
            scaled->hessian[k][l] = s * I->hessian[k][l] +
                                    first * (mixed + I->value * J->hessian[k][l]) +
                                    second * I->value * square;
        }
    }
}

void pal_invariant_isochoric_first(const PalMat3 *F, const PalInvariant *J, PalInvariant *Ib1)
{
    PalInvariant I1;
    pal_invariant_first(F, &I1);
    scale(&I1, J, -2.0 / 3, Ib1);
}

void pal_invariant_isochoric_second(const PalMat3 *F, const PalInvariant *J, PalInvariant *Ib2)
{
    PalInvariant I2;
    pal_invariant_second(F, &I2);
    scale(&I2, J, -4.0 / 3, Ib2);
}

void pal_invariant_isochoric_fibre(const PalMat3 *F, const PalVec3 *a, const PalInvariant *J,
                                   PalInvariant *Ib4)
{
    PalInvariant I4;
    pal_invariant_fibre(F, a, &I4);
    scale(&I4, J, -2.0 / 3, Ib4);
}

void pal_invariant_add_stress(const PalInvariant *I, double factor, PalMat3 *P)
{
    for (int k = 0; k < 9; ++k)
        P->m[k / 3][k % 3] += factor * at(&I->gradient, k);
}

void pal_invariant_add_tangent(const PalInvariant *I, double first, double second, double A[9][9])
{
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l < 9; ++l)
            A[k][l] +=
                first * I->hessian[k][l] + second * (at(&I->gradient, k) * at(&I->gradient, l));
}

void pal_invariant_add_mixed(const PalInvariant *I, const PalInvariant *K, double factor,
                             double A[9][9])
{
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l < 9; ++l)
            A[k][l] += factor * (at(&I->gradient, k) * at(&K->gradient, l) +
                                 at(&K->gradient, k) * at(&I->gradient, l));
}
