// Factors by MUMPS (sequential, symmetric and indefinite), in the order of METIS: Debian's MUMPS
// has none of METIS. Order and scaling do not depend on values seen before, so that the same matrix
// gives the same bits whenever it comes. MUMPS keeps data of its own between calls and is not made
// for threads: one call at a time.
//
// Nothing stops MUMPS in the middle of a factorisation. A long one works in a thread of its own, on
// a copy of the values, while the caller asks the watch; told to stop, the caller goes away, and
// the thread clears up behind itself once it is done.
#include <palpate/direct.h>

#include <dmumps_c.h>
#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ICNTL(k)  icntl[(k)-1]  // as its manual counts
#define INFOG(k)  infog[(k)-1]
#define RINFOG(k) rinfog[(k)-1]

#define LONG    3e8       // operations that are worth a thread: about a tenth of a second
#define LOOK_NS 50000000  // between two looks at the watch

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
    double *values;  // the matrix, for the thread that factors it
    // ---- between the caller and that thread
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool busy;    // the thread is at work
    bool orphan;  // and nobody waits for it any more: it frees all this
} Mumps;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void call(Mumps *mumps, MUMPS_INT job)
{
    mumps->id.job = job;
    pthread_mutex_lock(&one_at_a_time);
    dmumps_c(&mumps->id);
    pthread_mutex_unlock(&one_at_a_time);
}

static void free_all(Mumps *mumps)
{
    if (mumps->started)
        call(mumps, END);
    pthread_mutex_destroy(&mumps->mutex);
    pthread_cond_destroy(&mumps->ended);
    free(mumps->rows);
    free(mumps->columns);
    free(mumps->order);
    free(mumps->values);
    free(mumps);
}

static void destroy(void *own)
{
    Mumps *mumps = own;
    if (mumps == NULL)
        return;
    pthread_mutex_lock(&mumps->mutex);
    bool busy = mumps->orphan = mumps->busy;
    pthread_mutex_unlock(&mumps->mutex);
    if (!busy)
        free_all(mumps);
}

static void *factor_apart(void *own)
{
    Mumps *mumps = own;
    call(mumps, FACTOR);
    pthread_mutex_lock(&mumps->mutex);
    mumps->busy = false;
    bool orphan = mumps->orphan;
    pthread_cond_signal(&mumps->ended);
    pthread_mutex_unlock(&mumps->mutex);
    if (orphan)
        free_all(mumps);
    return NULL;
}

static bool goes_on(const PalWatch *watch)
{
    return watch == NULL || watch->goes_on == NULL || watch->goes_on(watch->context);
}

// Waits until the thread is done; false: the watch has said stop.
static bool wait_for_end(Mumps *mumps, const PalWatch *watch)
{
    bool on = true;
    pthread_mutex_lock(&mumps->mutex);
    while (mumps->busy && on) {
        struct timespec until;
        pthread_mutex_unlock(&mumps->mutex);
        on = goes_on(watch);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&mumps->mutex);
        if (mumps->busy && on)
            pthread_cond_timedwait(&mumps->ended, &mumps->mutex, &until);
    }
    pthread_mutex_unlock(&mumps->mutex);
    return on;
}

// Signals wait until they are let in again.
static sigset_t hold_signals(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    return before;
}

static void let_signals_in(sigset_t before)
{
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool begin_apart(Mumps *mumps)
{
    pthread_t thread;
    sigset_t before = hold_signals();  // they are for the threads of the program
    bool begun = pthread_create(&thread, NULL, factor_apart, mumps) == 0;
    let_signals_in(before);
    if (begun)
        pthread_detach(thread);
    return begun;
}

// One factorisation; false: the watch has said stop, and it may still be going on.
static bool factor_once(Mumps *mumps, const PalWatch *watch)
{
    bool watched = watch != NULL && watch->goes_on != NULL;
    mumps->busy = true;
    if (!watched || mumps->id.RINFOG(1) < LONG || !begin_apart(mumps)) {
        mumps->busy = false;
        call(mumps, FACTOR);
        return true;
    }
    return wait_for_end(mumps, watch);
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

// METIS catches the signals by which it tells itself of errors, SIGTERM among them: one that comes
// in between would look like a failure. Afterwards it leaves handlers that serve only once.
static bool order_graph(idx_t size, idx_t *start, idx_t *neighbours, idx_t *rows, idx_t *places)
{
    idx_t options[METIS_NOPTIONS];
    struct sigaction on_term, on_abort;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    sigset_t before = hold_signals();
    sigaction(SIGTERM, NULL, &on_term);
    sigaction(SIGABRT, NULL, &on_abort);
    int result = METIS_NodeND(&size, start, neighbours, NULL, options, rows, places);
    sigaction(SIGTERM, &on_term, NULL);
    sigaction(SIGABRT, &on_abort, NULL);
    let_signals_in(before);
    return result == METIS_OK;
}

static PalStatus find_order(const PalSymmetric *pattern, Mumps *mumps, PalError *error)
{
    size_t size = (size_t)pattern->size;
    size_t entries = 2 * (size_t)(pattern->start[pattern->size] - pattern->size);
    idx_t *start = calloc(size + 1, sizeof *start), *places = calloc(size + 1, sizeof *places);
    idx_t *neighbours = calloc(entries + 1, sizeof *neighbours), *rows = calloc(size, sizeof *rows);
    PalStatus status = PAL_OK;
    if (start == NULL || places == NULL || neighbours == NULL || rows == NULL ||
        !list_graph(pattern, start, neighbours) ||
        !order_graph(pattern->size, start, neighbours, rows, places))
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
        mumps->values = malloc((entries + 1) * sizeof *mumps->values);
        pthread_mutex_init(&mumps->mutex, NULL);
        pthread_cond_init(&mumps->ended, NULL);
    }
    if (mumps == NULL || mumps->rows == NULL || mumps->columns == NULL || mumps->order == NULL ||
        mumps->values == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %d equations", pattern->size);
    for (int32_t i = 0; i < pattern->size; ++i)
        for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; ++k) {
            mumps->rows[k] = i + 1;
            mumps->columns[k] = pattern->column[k] + 1;
        }
    PAL_TRY(find_order(pattern, mumps, error));
    PAL_TRY(analyse(pattern, mumps, error));
    *bytes = (size_t)mumps->id.INFOG(17) * 1000000 +
             entries * (2 * sizeof *mumps->rows + sizeof *mumps->values);
    return PAL_OK;
}

static PalStatus factor(void *own, const PalSymmetric *matrix, const PalWatch *watch,
                        PalFactorFacts *facts, PalError *error)
{
    Mumps *mumps = own;
    DMUMPS_STRUC_C *id = &mumps->id;
    *facts = (PalFactorFacts){0, PAL_NONE};
    // one that an earlier caller has left may still be at work
    if (!goes_on(watch) || !wait_for_end(mumps, watch))
        return pal_error_set(error, PAL_INTERRUPTED, "interrupted");
    memcpy(mumps->values, matrix->value,
           (size_t)matrix->start[matrix->size] * sizeof *mumps->values);
    id->a = mumps->values;
    id->ICNTL(14) = MORE_ROOM;
    for (int tries = 0; tries < ROOM_TRIES; ++tries) {
        if (!factor_once(mumps, watch))
            return pal_error_set(error, PAL_INTERRUPTED, "interrupted");
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

static PalStatus solve_many(void *own, const PalSymmetric *matrix, double *x, int32_t count,
                            PalError *error)
{
    (void)matrix;
    Mumps *mumps = own;
    mumps->id.rhs = x;
    mumps->id.nrhs = count;
    mumps->id.lrhs = mumps->size;
    mumps->id.ICNTL(27) = count;  // how many it works on at once
    call(mumps, SOLVE);
    return mumps->id.INFOG(1) < 0 ? no_memory(mumps, error) : PAL_OK;
}

static PalStatus solve(void *own, const PalSymmetric *matrix, double *x, const PalWatch *watch,
                       PalError *error)
{
    (void)watch;
    return solve_many(own, matrix, x, 1, error);
}

static const PalLinearSolver row = {
    .choice = {"mumps", "Factors by MUMPS, in the order of METIS."},
    .create = create,
    .factor = factor,
    .solve = solve,
    .destroy = destroy,
    .solve_many = solve_many,
};

const PalLinearSolver *pal_direct_solver(void)
{
    return &row;
}
