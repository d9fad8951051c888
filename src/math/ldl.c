// A = L D L^T, row by row (Davis 2005): row k of L solves a triangular system whose pattern the
// elimination tree tells. No pivoting: it exists in any order for matrices of stiffness and
// pressure, [K G; G^T -M] with K and M positive definite (Vanderbei 1995), and nearly always where
// K is not. The plain solver of libpalpate; memory for factors is taken once.
#include "math/linear.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define TINY       1e-14  // of what a pivot was before elimination: nothing is left of it
#define LOOK_EVERY 64     // rows between two looks at the watch

typedef struct Ldl {
    int32_t size;
    int32_t *order, *place;  // row that goes k-th; when a row goes
    int64_t *upper_start;    // the matrix in that order, upper triangle by columns: entries ...
    int32_t *upper_row;      // ... their rows ...
    int64_t *upper_from;     // ... and where their values are in the matrix given
    int32_t *parent;         // the elimination tree
    int64_t *start;          // of the columns of L
    int32_t *row;
    double *value, *diagonal, *work;
    int32_t *count, *pattern, *mark;  // scratch of a row
} Ldl;

static void destroy(void *own)
{
    Ldl *f = own;
    if (f == NULL)
        return;
    void *const all[] = {f->order,  f->place, f->upper_start, f->upper_row, f->upper_from,
                         f->parent, f->start, f->row,         f->value,     f->diagonal,
                         f->work,   f->count, f->pattern,     f->mark};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        pal_free(all[k]);
    pal_free(f);
}

// Entry i, j of the matrix stands in column max, row min of the places.
static void turn_matrix(const PalSymmetric *pattern, Ldl *f)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < f->size; ++i)
            for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; ++k) {
                int32_t a = f->place[i], b = f->place[pattern->column[k]];
                int32_t column = a > b ? a : b, row = a > b ? b : a;
                if (pass == 0) {
                    ++f->upper_start[column + 1];
                } else {
                    f->upper_row[f->upper_start[column]] = row;
                    f->upper_from[f->upper_start[column]++] = k;
                }
            }
        for (int32_t i = 0; pass == 0 && i < f->size; ++i)
            f->upper_start[i + 1] += f->upper_start[i];
    }
    for (int32_t i = f->size; i > 0; --i)
        f->upper_start[i] = f->upper_start[i - 1];
    f->upper_start[0] = 0;
}

// The elimination tree, and how long each column of L is.
static void find_tree(Ldl *f)
{
    for (int32_t k = 0; k < f->size; ++k) {
        f->parent[k] = PAL_NONE;
        f->mark[k] = k;
        f->count[k] = 0;
        for (int64_t p = f->upper_start[k]; p < f->upper_start[k + 1]; ++p)
            for (int32_t i = f->upper_row[p]; f->mark[i] != k; i = f->parent[i]) {
                if (f->parent[i] == PAL_NONE)
                    f->parent[i] = k;
                ++f->count[i];
                f->mark[i] = k;
            }
    }
    f->start[0] = 0;
    for (int32_t k = 0; k < f->size; ++k)
        f->start[k + 1] = f->start[k] + f->count[k];
}

static bool allocate(const PalSymmetric *pattern, Ldl *f)
{
    size_t size = (size_t)pattern->size, entries = (size_t)pattern->start[pattern->size];
    f->size = pattern->size;
    f->order = pal_alloc(size, sizeof *f->order);
    f->place = pal_alloc(size, sizeof *f->place);
    f->upper_start = pal_alloc(size + 1, sizeof *f->upper_start);
    f->upper_row = pal_alloc(entries, sizeof *f->upper_row);
    f->upper_from = pal_alloc(entries, sizeof *f->upper_from);
    f->parent = pal_alloc(size, sizeof *f->parent);
    f->start = pal_alloc(size + 1, sizeof *f->start);
    f->diagonal = pal_alloc(size, sizeof *f->diagonal);
    f->work = pal_alloc(size, sizeof *f->work);
    f->count = pal_alloc(size, sizeof *f->count);
    f->pattern = pal_alloc(size, sizeof *f->pattern);
    f->mark = pal_alloc(size, sizeof *f->mark);
    return f->order != NULL && f->place != NULL && f->upper_start != NULL && f->upper_row != NULL &&
           f->upper_from != NULL && f->parent != NULL && f->start != NULL && f->diagonal != NULL &&
           f->work != NULL && f->count != NULL && f->pattern != NULL && f->mark != NULL;
}

static PalStatus create(const PalSymmetric *pattern, void **own, size_t *bytes, PalError *error)
{
    Ldl *f = pal_alloc(1, sizeof *f);
    *own = f;
    if (f == NULL || !allocate(pattern, f))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %d equations", pattern->size);
    PAL_TRY(pal_dissect(pattern, f->order, error));
    for (int32_t k = 0; k < f->size; ++k)
        f->place[f->order[k]] = k;
    turn_matrix(pattern, f);
    find_tree(f);
    size_t factors = (size_t)f->start[f->size];
    *bytes = factors * (sizeof *f->row + sizeof *f->value) +
             (size_t)pattern->start[f->size] * (sizeof *f->upper_row + sizeof *f->upper_from) +
             (size_t)f->size * 64;
    return PAL_OK;
}

// Rows of L that row k meets, in the order of elimination, at the end of `pattern`.
static int32_t find_pattern(Ldl *f, const double *value, int32_t k)
{
    int32_t top = f->size;
    f->mark[k] = k;
    for (int64_t p = f->upper_start[k]; p < f->upper_start[k + 1]; ++p) {
        int32_t length = 0;
        f->work[f->upper_row[p]] += value[f->upper_from[p]];
        for (int32_t i = f->upper_row[p]; f->mark[i] != k; i = f->parent[i]) {
            f->pattern[length++] = i;
            f->mark[i] = k;
        }
        while (length > 0)
            f->pattern[--top] = f->pattern[--length];
    }
    return top;
}

// Returns what is left of the pivot.
static double eliminate_row(Ldl *f, int32_t k, int32_t top)
{
    double pivot = f->work[k];
    f->work[k] = 0;
    for (; top < f->size; ++top) {
        int32_t i = f->pattern[top];
        double y = f->work[i], l = y / f->diagonal[i];
        int64_t begin = f->start[i], end = begin + f->count[i];
        f->work[i] = 0;
        for (int64_t p = begin; p < end; ++p)
            f->work[f->row[p]] -= f->value[p] * y;
        pivot -= l * y;
        f->row[end] = k;
        f->value[end] = l;
        ++f->count[i];
    }
    return pivot;
}

static PalStatus factor(void *own, const PalSymmetric *matrix, const PalWatch *watch,
                        PalFactorFacts *facts, PalError *error)
{
    Ldl *f = own;
    size_t factors = (size_t)f->start[f->size];
    *facts = (PalFactorFacts){0, PAL_NONE};
    if (f->value == NULL) {
        f->row = pal_alloc(factors, sizeof *f->row);
        f->value = pal_alloc(factors, sizeof *f->value);
        if (f->row == NULL || f->value == NULL)
            return pal_error_set(error, PAL_NO_MEMORY,
                                 "no memory for the factors of %d equations, which take %.3g GB: "
                                 "use linear: iterative, or a coarser mesh",
                                 f->size, 12e-9 * (double)factors);
    }
    memset(f->work, 0, (size_t)f->size * sizeof *f->work);
    memset(f->count, 0, (size_t)f->size * sizeof *f->count);
    for (int32_t k = 0; k < f->size; ++k)
        f->mark[k] = PAL_NONE;
    for (int32_t k = 0; k < f->size; ++k) {
        if (k % LOOK_EVERY == 0 && !pal_watch_goes_on(watch))
            return pal_error_set(error, PAL_INTERRUPTED, "interrupted");
        int32_t top = find_pattern(f, matrix->value, k);
        double before = f->work[k], pivot = eliminate_row(f, k, top);
        if (!(fabs(pivot) > TINY * fabs(before))) {
            facts->null_row = f->order[k];
            return PAL_OK;
        }
        f->diagonal[k] = pivot;
        facts->negative_count += pivot < 0;
    }
    return PAL_OK;
}

static PalStatus solve(void *own, const PalSymmetric *matrix, double *x, const PalWatch *watch,
                       PalError *error)
{
    (void)matrix, (void)watch, (void)error;
    Ldl *f = own;
    double *y = f->work;
    for (int32_t k = 0; k < f->size; ++k)
        y[k] = x[f->order[k]];
    for (int32_t k = 0; k < f->size; ++k)
        for (int64_t p = f->start[k]; p < f->start[k + 1]; ++p)
            y[f->row[p]] -= f->value[p] * y[k];
    for (int32_t k = f->size - 1; k >= 0; --k) {
        double sum = y[k] / f->diagonal[k];
        for (int64_t p = f->start[k]; p < f->start[k + 1]; ++p)
            sum -= f->value[p] * y[f->row[p]];
        y[k] = sum;
    }
    for (int32_t k = 0; k < f->size; ++k)
        x[f->order[k]] = y[k];
    return PAL_OK;
}

const PalLinearSolver pal_linear_ldl = {
    .choice = {"ldl", "Factors by the library itself."},
    .create = create,
    .factor = factor,
    .solve = solve,
    .destroy = destroy,
};
