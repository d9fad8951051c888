// MINRES (Paige and Saunders 1975) for symmetric matrices, definite or not. Rows and columns are
// scaled by the diagonal; a row with a diagonal below 0, which is one of a pressure, also by what
// eliminating the others would leave there.
#include "math/linear.h"

#include "base/memory.h"
#include "math/vectors.h"

#include <math.h>
#include <string.h>

#define EXACT      1e-9  // residual that is left, of the right side
#define ROUNDS     40    // at most, times the square root of the number of equations, and LEAST
#define LEAST      1000
#define LOOK_EVERY 16  // rounds between two looks at the watch

typedef struct Minres {
    int32_t size;
    double *scale, *memory;
} Minres;

static void destroy(void *own)
{
    Minres *m = own;
    if (m == NULL)
        return;
    pal_free(m->scale);
    pal_free(m->memory);
    pal_free(m);
}

static PalStatus create(const PalSymmetric *pattern, void **own, size_t *bytes, PalError *error)
{
    size_t size = (size_t)pattern->size;
    Minres *m = pal_alloc(1, sizeof *m);
    *own = m;
    if (m != NULL) {
        m->size = pattern->size;
        m->scale = pal_alloc(size, sizeof *m->scale);
        m->memory = pal_alloc(8 * size, sizeof *m->memory);
    }
    if (m == NULL || m->scale == NULL || m->memory == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %d equations", pattern->size);
    *bytes = 9 * size * sizeof(double);
    return PAL_OK;
}

static PalStatus factor(void *own, const PalSymmetric *matrix, const PalWatch *watch,
                        PalFactorFacts *facts, PalError *error)
{
    (void)watch, (void)error;
    Minres *m = own;
    *facts = (PalFactorFacts){PAL_NONE, PAL_NONE};
    for (int32_t i = 0; i < m->size; ++i)
        m->scale[i] = fabs(matrix->value[matrix->start[i + 1] - 1]);
    for (int32_t i = 0; i < m->size; ++i) {
        int64_t diagonal = matrix->start[i + 1] - 1;
        if (!(matrix->value[diagonal] < 0))
            continue;
        double sum = m->scale[i];
        for (int64_t k = matrix->start[i]; k < diagonal; ++k) {
            double with = matrix->value[matrix->start[matrix->column[k] + 1] - 1];
            sum += with > 0 ? matrix->value[k] * matrix->value[k] / with : 0;
        }
        m->scale[i] = sum;
    }
    for (int32_t i = 0; i < m->size; ++i) {
        if (!(m->scale[i] > 0)) {
            facts->null_row = i;
            return PAL_OK;
        }
        m->scale[i] = 1 / sqrt(m->scale[i]);
    }
    return PAL_OK;
}

// Vectors of the recurrence, each of three in turn the newest.
typedef struct Vectors {
    double *v, *v_old, *w, *w_old, *w_older, *product, *scaled, *x;
} Vectors;

// product = S A S v
static void multiply(const Minres *m, const PalSymmetric *matrix, Vectors *t)
{
    for (int32_t i = 0; i < m->size; ++i)
        t->scaled[i] = m->scale[i] * t->v[i];
    pal_symmetric_multiply(matrix, t->scaled, t->product);
    for (int32_t i = 0; i < m->size; ++i)
        t->product[i] *= m->scale[i];
}

typedef struct Rotations {
    double c, s, c_old, s_old, beta, eta;
} Rotations;

// One step of Lanczos and of the rotations that keep the triangle; returns the next beta.
static double advance(const Minres *m, Vectors *t, Rotations *r)
{
    double alpha = pal_vectors_dot(m->size, t->v, t->product);
    for (int32_t i = 0; i < m->size; ++i)
        t->product[i] -= alpha * t->v[i] + r->beta * t->v_old[i];
    double beta = sqrt(pal_vectors_dot(m->size, t->product, t->product));
    double delta = r->c * alpha - r->c_old * r->s * r->beta, rho = hypot(delta, beta);
    double above = r->s * alpha + r->c_old * r->c * r->beta, top = r->s_old * r->beta;
    for (int32_t i = 0; i < m->size; ++i)
        t->w_older[i] = (t->v[i] - top * t->w_old[i] - above * t->w[i]) / rho;
    double *newest = t->w_older;  // it replaces the one that is no longer needed
    t->w_older = t->w_old;
    t->w_old = t->w;
    t->w = newest;
    r->c_old = r->c;
    r->s_old = r->s;
    r->c = delta / rho;
    r->s = beta / rho;
    for (int32_t i = 0; i < m->size; ++i)
        t->x[i] += r->c * r->eta * t->w[i];
    r->eta *= -r->s;
    for (int32_t i = 0; i < m->size; ++i) {
        t->v_old[i] = t->v[i];
        t->v[i] = beta > 0 ? t->product[i] / beta : 0;
    }
    r->beta = beta;
    return beta;
}

static PalStatus solve(void *own, const PalSymmetric *matrix, double *x, const PalWatch *watch,
                       PalError *error)
{
    Minres *m = own;
    double *at = m->memory;
    size_t size = (size_t)m->size;
    memset(at, 0, 8 * size * sizeof *at);
    Vectors t = {at,
                 at + size,
                 at + 2 * size,
                 at + 3 * size,
                 at + 4 * size,
                 at + 5 * size,
                 at + 6 * size,
                 at + 7 * size};
    for (int32_t i = 0; i < m->size; ++i)
        t.v[i] = m->scale[i] * x[i];
    double norm = sqrt(pal_vectors_dot(m->size, t.v, t.v));
    Rotations r = {.c = 1, .c_old = 1, .eta = norm};
    int64_t most = LEAST + (int64_t)(ROUNDS * sqrt((double)m->size)), round = 0;
    for (int32_t i = 0; norm > 0 && i < m->size; ++i)
        t.v[i] /= norm;
    for (; fabs(r.eta) > EXACT * norm && round < most; ++round) {
        if (round % LOOK_EVERY == 0 && !pal_watch_goes_on(watch))
            return pal_error_set(error, PAL_INTERRUPTED, "interrupted");
        multiply(m, matrix, &t);
        if (advance(m, &t, &r) == 0)
            break;
    }
    for (int32_t i = 0; i < m->size; ++i)
        x[i] = m->scale[i] * t.x[i];
    if (!(fabs(r.eta) <= sqrt(EXACT) * norm))
        return pal_error_set(error, PAL_SIM_FAILED,
                             "the linear equations are not solved after %lld rounds: %.2g of the "
                             "right side is left; use linear: direct",
                             (long long)round, fabs(r.eta) / norm);
    return PAL_OK;
}

const PalLinearSolver pal_linear_minres = {
    .choice = {"minres", "Conjugate directions without factors."},
    .create = create,
    .factor = factor,
    .solve = solve,
    .destroy = destroy,
};
