#include "reduced/dense.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, int32_t count)
{
    double sums[4] = {0};
    int32_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (int i = 0; i < 4; ++i)
            sums[i] += a[k + i] * b[k + i];
    for (; k < count; ++k)
        sums[0] += a[k] * b[k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

bool pal_dense_factor(double *a, int32_t size, int32_t stride)
{
    for (int32_t i = 0; i < size; ++i) {
        double *row = a + i * (int64_t)stride;
        for (int32_t j = 0; j < i; ++j) {
            const double *other = a + j * (int64_t)stride;
            row[j] = (row[j] - dot(row, other, j)) / other[j];
        }
        double rest = row[i] - dot(row, row, i);
        if (!(rest > 1e-14 * fabs(row[i])))
            return false;
        row[i] = sqrt(rest);
    }
    return true;
}

void pal_dense_solve(const double *a, int32_t size, int32_t stride, double *x)
{
    for (int32_t i = 0; i < size; ++i) {
        const double *row = a + i * (int64_t)stride;
        x[i] = (x[i] - dot(row, x, i)) / row[i];
    }
    for (int32_t i = size - 1; i >= 0; --i) {
        const double *row = a + i * (int64_t)stride;
        x[i] /= row[i];
        for (int32_t j = 0; j < i; ++j)
            x[j] -= row[j] * x[i];
    }
}

// ---- eigenvectors: Householder's tridiagonal form, then implicit QL -----------------------

// Rows of `a` become the transformation; d and e the diagonal and what is beside it.
static void tridiagonal(double *a, int32_t n, double *d, double *e)
{
#define A(i, j) a[(i) * (int64_t)n + (j)]
    for (int32_t i = n - 1; i > 0; --i) {
        double h = 0, scale = 0;
        for (int32_t k = 0; k < i; ++k)
            scale += fabs(A(i, k));
        if (i == 1 || scale == 0) {
            e[i] = A(i, i - 1);
            d[i] = 0;
            continue;
        }
        for (int32_t k = 0; k < i; ++k) {
            A(i, k) /= scale;
            h += A(i, k) * A(i, k);
        }
        double f = A(i, i - 1), g = f >= 0 ? -sqrt(h) : sqrt(h);
        e[i] = scale * g;
        h -= f * g;
        A(i, i - 1) = f - g;
        f = 0;
        for (int32_t j = 0; j < i; ++j) {
            A(j, i) = A(i, j) / h;
            g = 0;
            for (int32_t k = 0; k <= j; ++k)
                g += A(j, k) * A(i, k);
            for (int32_t k = j + 1; k < i; ++k)
                g += A(k, j) * A(i, k);
            e[j] = g / h;
            f += e[j] * A(i, j);
        }
        double hh = f / (h + h);
        for (int32_t j = 0; j < i; ++j) {
            f = A(i, j);
            e[j] = g = e[j] - hh * f;
            for (int32_t k = 0; k <= j; ++k)
                A(j, k) -= f * e[k] + g * A(i, k);
        }
        d[i] = h;
    }
    d[0] = e[0] = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (d[i] != 0)
            for (int32_t j = 0; j < i; ++j) {
                double g = 0;
                for (int32_t k = 0; k < i; ++k)
                    g += A(i, k) * A(k, j);
                for (int32_t k = 0; k < i; ++k)
                    A(k, j) -= g * A(k, i);
            }
        d[i] = A(i, i);
        A(i, i) = 1;
        for (int32_t j = 0; j < i; ++j)
            A(j, i) = A(i, j) = 0;
    }
#undef A
}

// Rotates rows l and l + 1 of the transposed vectors.
static void rotate(double *rows, int32_t n, int32_t l, double s, double c)
{
    double *a = rows + l * (int64_t)n, *b = a + n;
    for (int32_t k = 0; k < n; ++k) {
        double f = b[k];
        b[k] = s * a[k] + c * f;
        a[k] = c * a[k] - s * f;
    }
}

// One chase of QL with the shift for eigenvalue l, whose block ends at m.
static void chase(double *d, double *e, double *rows, int32_t n, int32_t l, int32_t m)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(g, 1);
    g = d[m] - d[l] + e[l] / (g + (g >= 0 ? fabs(r) : -fabs(r)));
    double s = 1, c = 1, p = 0;
    for (int32_t i = m - 1; i >= l; --i) {
        double f = s * e[i], b = c * e[i];
        r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate(rows, n, i, s, c);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

static void diagonalise(double *d, double *e, double *rows, int32_t n)
{
    for (int32_t i = 1; i < n; ++i)
        e[i - 1] = e[i];
    e[n - 1] = 0;
    for (int32_t l = 0; l < n; ++l)
        for (int tries = 0; tries < 60; ++tries) {
            int32_t m = l;
            for (; m < n - 1; ++m) {
                double size = fabs(d[m]) + fabs(d[m + 1]);
                if (fabs(e[m]) <= 1e-16 * size)
                    break;
            }
            if (m == l)
                break;
            chase(d, e, rows, n, l, m);
        }
}

void pal_dense_eigen(double *a, int32_t size, double *values, double *vectors, double *scratch)
{
    double *d = scratch, *e = scratch + size;
    tridiagonal(a, size, d, e);
    for (int32_t i = 0; i < size; ++i)
        for (int32_t j = 0; j < size; ++j)
            vectors[j * (int64_t)size + i] = a[i * (int64_t)size + j];
    diagonalise(d, e, vectors, size);
    // descending, by selection; the rows go along, through `a`
    memcpy(a, vectors, (size_t)size * (size_t)size * sizeof *a);
    for (int32_t k = 0; k < size; ++k) {
        int32_t best = 0;
        for (int32_t i = 1; i < size; ++i)
            if (d[i] > d[best])
                best = i;
        values[k] = d[best];
        memcpy(vectors + k * (int64_t)size, a + best * (int64_t)size,
               (size_t)size * sizeof *vectors);
        d[best] = -INFINITY;
    }
}
