// Symmetric equations: each solver against a solution that is known, and what they tell of a
// matrix.
#include "check.h"
#include "math/linear.h"

#include "base/memory.h"

#ifdef PAL_HAS_DIRECT
#include <palpate/direct.h>

#include <signal.h>
#include <time.h>
#endif

// A lattice of side^3 points with three unknowns each and, if asked for, a pressure each: the
// unknowns of neighbours are coupled.
typedef struct Lattice {
    PalSymmetric matrix;
    int64_t *start;
    int32_t *column;
    double *value;
    PalVec3 *places;
    int32_t pressure_count;
} Lattice;

static double noise(int64_t seed)
{
    uint64_t x = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return (double)(x >> 11) * 0x1p-53 - 0.5;
}

static bool are_neighbours(int side, int a, int b)
{
    int dx = a % side - b % side, dy = a / side % side - b / side % side;
    int dz = a / side / side - b / side / side;
    return abs(dx) <= 1 && abs(dy) <= 1 && abs(dz) <= 1;
}

static Lattice make(int side, bool pressures, double shift)
{
    int32_t points = side * side * side, size = points * (pressures ? 4 : 3), entries = 0;
    Lattice l = {.pressure_count = pressures ? points : 0};
    l.start = pal_alloc((size_t)size + 1, sizeof *l.start);
    l.column = pal_alloc((size_t)size * 120, sizeof *l.column);
    l.value = pal_alloc((size_t)size * 120, sizeof *l.value);
    l.places = pal_alloc((size_t)size, sizeof *l.places);
    for (int32_t i = 0; i < size; ++i) {
        bool pressure = i >= 3 * points;
        int32_t at = pressure ? i - 3 * points : i / 3;
        l.places[i] = (PalVec3){at % side, at / side % side, at / side / side};
        for (int32_t j = 0; j < i; ++j) {
            bool other = j >= 3 * points;
            int32_t to = other ? j - 3 * points : j / 3;
            if ((pressure && other) || !are_neighbours(side, at, to))
                continue;
            l.column[entries] = j;
            l.value[entries++] = noise((int64_t)i * size + j) - (at == to ? 0 : pressure ? 0 : 0.4);
        }
        l.column[entries] = i;
        l.value[entries++] = pressure ? -0.5 : 30 + noise(i) - shift;
        l.start[i + 1] = entries;
    }
    l.matrix = (PalSymmetric){size, l.start, l.column, l.value, l.places};
    return l;
}

static void clear(Lattice *l)
{
    pal_free(l->start);
    pal_free(l->column);
    pal_free(l->value);
    pal_free(l->places);
}

static void solve(const PalLinearSolver *solver, const Lattice *l, double tolerance,
                  PalFactorFacts *facts)
{
    size_t size = (size_t)l->matrix.size, bytes = 0;
    double *x = pal_alloc(size, sizeof *x), *b = pal_alloc(size, sizeof *b), most = 0;
    PalError error = {0};
    void *own = NULL;
    for (size_t i = 0; i < size; ++i)
        x[i] = 1 + noise(-(int64_t)i);
    pal_symmetric_multiply(&l->matrix, x, b);
    check_ok(solver->create(&l->matrix, &own, &bytes, &error), &error);
    assert_true(bytes > size);
    for (int again = 0; again < 2; ++again) {  // the second time with the same analysis
        double *y = pal_copy(b, size, sizeof *y);
        check_ok(solver->factor(own, &l->matrix, NULL, facts, &error), &error);
        assert_int_equal(facts->null_row, PAL_NONE);
        check_ok(solver->solve(own, &l->matrix, y, NULL, &error), &error);
        pal_symmetric_multiply(&l->matrix, y, x);
        for (size_t i = 0; i < size; ++i)
            most = fmax(most, fabs(x[i] - b[i]));
        pal_free(y);
    }
    check_near(most, 0, tolerance);
    solver->destroy(own);
    pal_free(x);
    pal_free(b);
}

static void check_solver(const PalLinearSolver *solver, double tolerance, bool counts)
{
    Lattice definite = make(7, false, 0), mixed = make(6, true, 0), shifted = make(6, false, 32);
    PalFactorFacts facts;
    solve(solver, &definite, tolerance, &facts);
    if (counts)
        assert_int_equal(facts.negative_count, 0);
    solve(solver, &mixed, tolerance, &facts);
    if (counts)
        assert_int_equal(facts.negative_count, mixed.pressure_count);
    solve(solver, &shifted, tolerance, &facts);
    if (counts)
        assert_true(facts.negative_count > 0);
    clear(&definite);
    clear(&mixed);
    clear(&shifted);
}

static void ldl_solves(void **state)
{
    (void)state;
    check_solver(&pal_linear_ldl, 1e-9, true);
}

static void minres_solves(void **state)
{
    (void)state;
    check_solver(&pal_linear_minres, 1e-4, false);
}

static void find_null(const PalLinearSolver *solver)
{
    Lattice l = make(4, false, 0);
    int32_t row = 17;  // couples with nothing
    for (int32_t i = 0; i < l.matrix.size; ++i)
        for (int64_t k = l.start[i]; k < l.start[i + 1]; ++k)
            if (i == row || l.column[k] == row)
                l.value[k] = 0;
    PalError error = {0};
    PalFactorFacts facts;
    void *own = NULL;
    size_t bytes;
    check_ok(solver->create(&l.matrix, &own, &bytes, &error), &error);
    check_ok(solver->factor(own, &l.matrix, NULL, &facts, &error), &error);
    assert_int_equal(facts.null_row, row);
    solver->destroy(own);
    clear(&l);
}

static void null_rows_are_named(void **state)
{
    (void)state;
    find_null(&pal_linear_ldl);
    find_null(&pal_linear_minres);
}

static bool stop(void *context)
{
    return --*(int *)context > 0;
}

static void the_watch_is_obeyed(void **state)
{
    (void)state;
    Lattice l = make(6, false, 0);
    PalError error = {0};
    PalFactorFacts facts;
    void *own = NULL;
    size_t bytes;
    int looks = 3;
    PalWatch watch = {stop, &looks};
    check_ok(pal_linear_ldl.create(&l.matrix, &own, &bytes, &error), &error);
    assert_int_equal(pal_linear_ldl.factor(own, &l.matrix, &watch, &facts, &error),
                     PAL_INTERRUPTED);
    assert_int_equal(looks, 0);
    pal_linear_ldl.destroy(own);
    clear(&l);
}

// Every row goes once, and factors get much smaller than in the order given.
static void dissection_keeps_factors_small(void **state)
{
    (void)state;
    Lattice l = make(14, false, 0);
    PalError error = {0};
    int32_t size = l.matrix.size, *order = pal_alloc((size_t)size, sizeof *order);
    bool *seen = pal_alloc((size_t)size, sizeof *seen);
    check_ok(pal_dissect(&l.matrix, order, &error), &error);
    for (int32_t k = 0; k < size; ++k) {
        assert_in_range(order[k], 0, size - 1);
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
    }
    void *own = NULL;
    size_t bytes;
    check_ok(pal_linear_ldl.create(&l.matrix, &own, &bytes, &error), &error);
    double band = 3.0 * (14 * 14 + 14 + 1) * size * 12;  // of the lattice's own order
    assert_true((double)bytes < 0.6 * band);
    pal_linear_ldl.destroy(own);
    pal_free(order);
    pal_free(seen);
    clear(&l);
}

#ifdef PAL_HAS_DIRECT
static void mumps_solves(void **state)
{
    (void)state;
    check_solver(pal_direct_solver(), 1e-9, true);
    find_null(pal_direct_solver());
}

// Told to stop inside a long factorisation, it does, and what was made of the solver still serves;
// it may also be destroyed while that goes on.
static void mumps_is_left_alone(void **state)
{
    (void)state;
    const PalLinearSolver *solver = pal_direct_solver();
    Lattice l = make(15, false, 0);
    size_t size = (size_t)l.matrix.size, bytes;
    double *x = pal_alloc(size, sizeof *x), *b = pal_alloc(size, sizeof *b), most = 0;
    PalError error = {0};
    PalFactorFacts facts;
    void *own = NULL, *other = NULL;
    int looks = 2;
    PalWatch watch = {stop, &looks};
    for (size_t i = 0; i < size; ++i)
        x[i] = b[i] = noise((int64_t)i);
    check_ok(solver->create(&l.matrix, &own, &bytes, &error), &error);
    assert_int_equal(solver->factor(own, &l.matrix, &watch, &facts, &error), PAL_INTERRUPTED);
    assert_int_equal(looks, 0);  // once before, and once inside
    looks = 1 << 20;
    check_ok(solver->factor(own, &l.matrix, &watch, &facts, &error), &error);
    check_ok(solver->solve(own, &l.matrix, x, NULL, &error), &error);
    double *y = pal_alloc(size, sizeof *y);
    pal_symmetric_multiply(&l.matrix, x, y);
    for (size_t i = 0; i < size; ++i)
        most = fmax(most, fabs(y[i] - b[i]));
    check_near(most, 0, 1e-9);
    check_ok(solver->create(&l.matrix, &other, &bytes, &error), &error);
    looks = 2;
    assert_int_equal(solver->factor(other, &l.matrix, &watch, &facts, &error), PAL_INTERRUPTED);
    solver->destroy(other);
    solver->destroy(own);  // waits for the one before
    pal_free(x);
    pal_free(y);
    pal_free(b);
    clear(&l);
}

static volatile sig_atomic_t asked;

static void ask(int signal)
{
    (void)signal;
    ++asked;
}

// METIS catches signals while it orders: what asks the program to end is no failure of its own.
static void an_order_is_found_among_signals(void **state)
{
    (void)state;
    const PalLinearSolver *solver = pal_direct_solver();
    Lattice l = make(10, false, 0);
    const struct timespec soon = {.tv_nsec = 200000};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
    struct sigaction action = {.sa_handler = ask, .sa_flags = SA_RESTART}, before;
    timer_t timer;
    sigaction(SIGTERM, &action, &before);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    timer_settime(timer, 0, &(struct itimerspec){soon, soon}, NULL);
    for (int i = 0; i < 20; ++i) {
        PalError error = {0};
        void *own = NULL;
        size_t bytes;
        check_ok(solver->create(&l.matrix, &own, &bytes, &error), &error);
        solver->destroy(own);
    }
    timer_delete(timer);
    sigaction(SIGTERM, &before, NULL);
    assert_true(asked > 0);
    clear(&l);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ldl_solves),
    cmocka_unit_test(minres_solves),
    cmocka_unit_test(null_rows_are_named),
    cmocka_unit_test(the_watch_is_obeyed),
    cmocka_unit_test(dissection_keeps_factors_small),
#ifdef PAL_HAS_DIRECT
    cmocka_unit_test(an_order_is_found_among_signals),
    cmocka_unit_test(mumps_solves),
    cmocka_unit_test(mumps_is_left_alone),
#endif
};

CHECK_GROUP(tests, NULL, NULL)
