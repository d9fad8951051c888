// Flexible GMRES without restart (Saad and Schultz 1986, Saad 1993): A Z = V H with Z = M^-1 V. The
// solution is Z y with the y that leaves least of the right side, by Givens' rotations.
#include "math/gmres.h"

#include "base/memory.h"
#include "math/vectors.h"

#include <math.h>
#include <string.h>

enum { MOST = PAL_GMRES_MOST };

PalStatus pal_gmres_create(int32_t size, PalGmres *gmres, PalError *error)
{
    gmres->size = size;
    return pal_vectors_create(size, 2 * MOST + 1, &gmres->memory, error);
}

void pal_gmres_clear(PalGmres *gmres)
{
    pal_free(gmres->memory);
    gmres->memory = NULL;
}

// H as a triangle, the rotations that made it so, and the right side they have turned.
typedef struct Triangle {
    double column[MOST][MOST + 1];
    double c[MOST], s[MOST];
    double right[MOST + 1];
} Triangle;

// Makes `next` orthogonal to the basis, to length 1; column k of H is what it had of each.
static void orthogonalise(int32_t size, const double *basis, int32_t k, double *next,
                          double column[MOST + 1])
{
    for (int32_t j = 0; j <= k; ++j) {
        const double *v = basis + (size_t)j * (size_t)size;
        column[j] = pal_vectors_dot(size, v, next);
        for (int32_t i = 0; i < size; ++i)
            next[i] -= column[j] * v[i];
    }
    double length = column[k + 1] = sqrt(pal_vectors_dot(size, next, next));
    for (int32_t i = 0; length > 0 && i < size; ++i)
        next[i] /= length;
}

static void rotate(Triangle *t, int32_t k)
{
    double *column = t->column[k];
    for (int32_t j = 0; j < k; ++j) {
        double high = column[j], low = column[j + 1];
        column[j] = t->c[j] * high + t->s[j] * low;
        column[j + 1] = t->c[j] * low - t->s[j] * high;
    }
    double length = hypot(column[k], column[k + 1]);
    t->c[k] = length > 0 ? column[k] / length : 1;
    t->s[k] = length > 0 ? column[k + 1] / length : 0;
    column[k] = length;
    t->right[k + 1] = -t->s[k] * t->right[k];
    t->right[k] *= t->c[k];
}

// x = Z y with the triangle y = right.
static void combine(const Triangle *t, int32_t count, int32_t size, const double *helped, double *x)
{
    double y[MOST] = {0};
    for (int32_t k = count - 1; k >= 0; --k) {
        double sum = t->right[k];
        for (int32_t j = k + 1; j < count; ++j)
            sum -= t->column[j][k] * y[j];
        y[k] = t->column[k][k] != 0 ? sum / t->column[k][k] : 0;
    }
    memset(x, 0, (size_t)size * sizeof *x);
    for (int32_t k = 0; k < count; ++k)
        for (int32_t i = 0; i < size; ++i)
            x[i] += y[k] * helped[(size_t)k * (size_t)size + (size_t)i];
}

PalStatus pal_gmres_solve(const PalGmres *gmres, const PalGmresPair *pair, double exact,
                          int32_t most, double *x, double *left, PalError *error)
{
    const int32_t size = gmres->size;
    double *basis = gmres->memory, *helped = basis + (size_t)size * (MOST + 1);
    double norm = sqrt(pal_vectors_dot(size, x, x));
    Triangle t = {.right = {norm}};
    int32_t k = 0;
    *left = 0;
    if (!(norm > 0))
        return PAL_OK;
    for (int32_t i = 0; i < size; ++i)
        basis[i] = x[i] / norm;
    *left = 1;
    for (; k < most && k<MOST && * left> exact; ++k) {
        double *v = basis + (size_t)k * (size_t)size, *z = helped + (size_t)k * (size_t)size;
        memcpy(z, v, (size_t)size * sizeof *z);
        PAL_TRY(pair->divide(pair->context, z, error));
        pair->multiply(pair->context, z, v + size);
        orthogonalise(size, basis, k, v + size, t.column[k]);
        rotate(&t, k);
        *left = fabs(t.right[k + 1]) / norm;
    }
    combine(&t, k, size, helped, x);
    return PAL_OK;
}
