// Factors by MUMPS (sequential, symmetric and indefinite), in the order of METIS: Debian's MUMPS
// has none of METIS. Order and scaling do not depend on values seen before, so that the same matrix
// gives the same bits whenever it comes. MUMPS keeps data of its own between calls and is not made
// for threads: one call at a time.
#include <palpate/direct.h>

#include <dmumps_c.h>
#include <metis.h>
#include <pthread.h>
#include <stdlib.h>

#define ICNTL(k) icntl[(k)-1]  // as its manual counts
#define INFOG(k) infog[(k)-1]

enum {
    START = -1,
    END = -2,
    ANALYSE = 1,
    FACTOR = 2,
    SOLVE = 3,
    WORLD = -987654,  // its word for all processes
    MORE_ROOM = 30,   // percent, for pivots that wait
    ROOM_TRIES = 4,   // times that room is doubled
    SINGULAR = -10,
    NO_ROOM = -8,  // of integers, and the next of numbers
    NO_ROOM_NUMBERS = -9,
    NO_MEMORY = -13,
};

typedef struct Mumps {
    DMUMPS_STRUC_C id;
    bool started;
    int32_t size;
    MUMPS_INT *rows, *columns, *order;
} Mumps;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void call(Mumps *mumps, MUMPS_INT job)
{
    mumps->id.job = job;
    pthread_mutex_lock(&one_at_a_time);
    dmumps_c(&mumps->id);
    pthread_mutex_unlock(&one_at_a_time);
}

static void destroy(void *own)
{
    Mumps *mumps = own;
    if (mumps == NULL)
        return;
    if (mumps->started)
        call(mumps, END);
    free(mumps->rows);
    free(mumps->columns);
    free(mumps->order);
    free(mumps);
}

static PalStatus no_memory(const Mumps *mumps, PalError *error)
{
    double needed = 1e-3 * mumps->id.INFOG(17);
    return pal_error_set(error, PAL_NO_MEMORY,
                         "no memory for the factors of %d equations, which take about %.2g GB: use "
                         "linear: iterative, or a coarser mesh",
                         mumps->size, needed > 0 ? needed : 0);
}

// Both triangles without the diagonal, as METIS wants a graph.
static bool list_graph(const PalSymmetric *pattern, idx_t *start, idx_t *neighbours)
{
    for (int32_t i = 0; i < pattern->size; ++i)
        for (int64_t k = pattern->start[i]; k + 1 < pattern->start[i + 1]; ++k) {
            ++start[i + 1];
            ++start[pattern->column[k] + 1];
        }
    for (int32_t i = 0; i < pattern->size; ++i)
        start[i + 1] += start[i];
    for (int32_t i = 0; i < pattern->size; ++i)
        for (int64_t k = pattern->start[i]; k + 1 < pattern->start[i + 1]; ++k) {
            neighbours[start[i]++] = pattern->column[k];
            neighbours[start[pattern->column[k]]++] = i;
        }
    for (int32_t i = pattern->size; i > 0; --i)
        start[i] = start[i - 1];
    start[0] = 0;
    return true;
}

static PalStatus find_order(const PalSymmetric *pattern, Mumps *mumps, PalError *error)
{
    size_t size = (size_t)pattern->size;
    size_t entries = 2 * (size_t)(pattern->start[pattern->size] - pattern->size);
    idx_t *start = calloc(size + 1, sizeof *start), *places = calloc(size + 1, sizeof *places);
    idx_t *neighbours = calloc(entries + 1, sizeof *neighbours), *rows = calloc(size, sizeof *rows);
    PalStatus status = PAL_OK;
    idx_t count = pattern->size, options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (start == NULL || places == NULL || neighbours == NULL || rows == NULL ||
        !list_graph(pattern, start, neighbours) ||
        METIS_NodeND(&count, start, neighbours, NULL, options, rows, places) != METIS_OK)
        status = no_memory(mumps, error);
    for (size_t i = 0; status == PAL_OK && i < size; ++i)
        mumps->order[i] = places[i] + 1;
    free(start);
    free(places);
    free(neighbours);
    free(rows);
    return status;
}

static void set_controls(DMUMPS_STRUC_C *id)
{
    for (int k = 1; k <= 4; ++k)
        id->ICNTL(k) = k < 4 ? -1 : 0;  // says nothing
    id->ICNTL(6) = 0;                   // no permutation by values
    id->ICNTL(7) = 1;                   // the order given
    id->ICNTL(8) = 7;                   // scaling by rows and columns, at each factorisation
    id->ICNTL(12) = 1;                  // no order that looks at values
    id->ICNTL(14) = MORE_ROOM;
    id->ICNTL(24) = 1;  // finds rows that others make up
}

static PalStatus analyse(const PalSymmetric *pattern, Mumps *mumps, PalError *error)
{
    DMUMPS_STRUC_C *id = &mumps->id;
    id->sym = 2;
    id->par = 1;
    id->comm_fortran = WORLD;
    call(mumps, START);
    if (id->INFOG(1) < 0)
        return no_memory(mumps, error);
    mumps->started = true;
    set_controls(id);
    id->n = pattern->size;
    id->nnz = pattern->start[pattern->size];
    id->irn = mumps->rows;
    id->jcn = mumps->columns;
    id->perm_in = mumps->order;
    call(mumps, ANALYSE);
    return id->INFOG(1) < 0 ? no_memory(mumps, error) : PAL_OK;
}

static PalStatus create(const PalSymmetric *pattern, void **own, size_t *bytes, PalError *error)
{
    size_t size = (size_t)pattern->size, entries = (size_t)pattern->start[pattern->size];
    Mumps *mumps = calloc(1, sizeof *mumps);
    *own = mumps;
    if (mumps != NULL) {
        mumps->size = pattern->size;
        mumps->rows = malloc((entries + 1) * sizeof *mumps->rows);
        mumps->columns = malloc((entries + 1) * sizeof *mumps->columns);
        mumps->order = malloc((size + 1) * sizeof *mumps->order);
    }
    if (mumps == NULL || mumps->rows == NULL || mumps->columns == NULL || mumps->order == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %d equations", pattern->size);
    for (int32_t i = 0; i < pattern->size; ++i)
        for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; ++k) {
            mumps->rows[k] = i + 1;
            mumps->columns[k] = pattern->column[k] + 1;
        }
    PAL_TRY(find_order(pattern, mumps, error));
    PAL_TRY(analyse(pattern, mumps, error));
    *bytes = (size_t)mumps->id.INFOG(17) * 1000000 + entries * 2 * sizeof *mumps->rows;
    return PAL_OK;
}

static PalStatus factor(void *own, const PalSymmetric *matrix, const PalWatch *watch,
                        PalFactorFacts *facts, PalError *error)
{
    Mumps *mumps = own;
    DMUMPS_STRUC_C *id = &mumps->id;
    *facts = (PalFactorFacts){0, PAL_NONE};
    if (watch != NULL && watch->goes_on != NULL && !watch->goes_on(watch->context))
        return pal_error_set(error, PAL_INTERRUPTED, "interrupted");
    id->a = (double *)matrix->value;  // it only reads them
    id->ICNTL(14) = MORE_ROOM;
    for (int tries = 0; tries < ROOM_TRIES; ++tries) {
        call(mumps, FACTOR);
        if (id->INFOG(1) != NO_ROOM && id->INFOG(1) != NO_ROOM_NUMBERS)
            break;
        id->ICNTL(14) *= 2;
    }
    if (id->INFOG(1) == SINGULAR) {
        facts->null_row = 0;
        return PAL_OK;
    }
    if (id->INFOG(1) == NO_MEMORY || id->INFOG(1) == NO_ROOM || id->INFOG(1) == NO_ROOM_NUMBERS)
        return no_memory(mumps, error);
    if (id->INFOG(1) < 0)
        return pal_error_set(error, PAL_SIM_FAILED, "MUMPS cannot factor the matrix: error %d, %d",
                             (int)id->INFOG(1), (int)id->INFOG(2));
    facts->negative_count = id->INFOG(12);
    if (id->INFOG(28) > 0)
        facts->null_row = id->pivnul_list[0] - 1;
    return PAL_OK;
}

static PalStatus solve(void *own, const PalSymmetric *matrix, double *x, const PalWatch *watch,
                       PalError *error)
{
    (void)matrix, (void)watch;
    Mumps *mumps = own;
    mumps->id.rhs = x;
    mumps->id.nrhs = 1;
    mumps->id.lrhs = mumps->size;
    call(mumps, SOLVE);
    return mumps->id.INFOG(1) < 0 ? no_memory(mumps, error) : PAL_OK;
}

static const PalLinearSolver row = {
    .choice = {"mumps", "Factors by MUMPS, in the order of METIS."},
    .create = create,
    .factor = factor,
    .solve = solve,
    .destroy = destroy,
};

const PalLinearSolver *pal_direct_solver(void)
{
    return &row;
}
