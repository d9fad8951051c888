// Linear equations with a symmetric matrix, and who solves them. libpalpate brings a plain solver
// of its own; a faster one is a library beside it (palpate/direct.h), or a program's own.
#ifndef PALPATE_LINEAR_H
#define PALPATE_LINEAR_H

#include <palpate/base.h>
#include <palpate/math.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

// The lower triangle of a symmetric matrix, row by row.
typedef struct PalSymmetric {
    int32_t size;
    const int64_t *start;   // of each row, and the end of the last
    const int32_t *column;  // ascending in a row; the diagonal is the last of each
    const double *value;    // NULL: only the pattern counts
    const PalVec3 *places;  // where the unknown of each row is in space, a hint; NULL: not known
} PalSymmetric;

// What a factorisation tells of a matrix.
typedef struct PalFactorFacts {
    int32_t negative_count;  // eigenvalues below 0; PAL_NONE: not known
    int32_t null_row;  // a row that others make up: the matrix is singular; PAL_NONE: it is not
} PalFactorFacts;

// Asked in long work whether to go on. `goes_on` NULL: always.
typedef struct PalWatch {
    bool (*goes_on)(void *context);
    void *context;
} PalWatch;

typedef enum PalLinearKind {
    PAL_LINEAR_DIRECT,     // factors: exact, and memory that grows faster than the mesh
    PAL_LINEAR_ITERATIVE,  // no factors: little memory, and time that depends on the matrix
} PalLinearKind;

const PalChoice *pal_linear_choice(int32_t index);  // NULL after the last one
const char *pal_linear_name(PalLinearKind kind);
bool pal_linear_find(const char *name, PalLinearKind *kind);

// A way to solve. The same matrix gives the same bits whatever was solved before with the same
// pattern. PAL_INTERRUPTED where the watch said so.
typedef struct PalLinearSolver {
    PalChoice choice;
    // Looks at the pattern once; tells how much memory it expects to need. The pattern stays where
    // it is until `destroy`.
    PalStatus (*create)(const PalSymmetric *pattern, void **own, size_t *bytes, PalError *error);
    // Takes the values in.
    PalStatus (*factor)(void *own, const PalSymmetric *matrix, const PalWatch *watch,
                        PalFactorFacts *facts, PalError *error);
    // x holds the right side and receives the solution.
    PalStatus (*solve)(void *own, const PalSymmetric *matrix, double *x, const PalWatch *watch,
                       PalError *error);
    void (*destroy)(void *own);
    // The same for `count` right sides, one behind the other. NULL: `solve` is called for each.
    PalStatus (*solve_many)(void *own, const PalSymmetric *matrix, double *x, int32_t count,
                            PalError *error);
} PalLinearSolver;

// Which one PAL_LINEAR_DIRECT stands for in simulations made from now on. NULL: the one that
// libpalpate brings. Call it before any simulation is made.
void pal_linear_use(const PalLinearSolver *solver);
const PalLinearSolver *pal_linear_solver(PalLinearKind kind);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
