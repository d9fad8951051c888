// Equilibrium after equilibrium while loads grow along their ramps: each step is a search by
// Newton's method. A step that finds none is tried again with half the load; steps grow again where
// few corrections are enough.   docs/theory/implicit.md
#include "base/memory.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "solver/method.h"
#include "solver/newton.h"
#include "solver/rigids.h"
#include "solver/unheld.h"

#include <math.h>
#include <string.h>

#define FIRST   (1.0 / 8)  // of the time: the first step, if nobody says how long
#define LONGEST (1.0 / 4)  // and the longest
#define GROWS   1.5        // a step after one that was easy
#define EASY    5          // corrections at most
#define HARD    10         // corrections that make the next step shorter
#define SHRINKS 0.7
#define LEAST   1e-4   // of the longest step: shorter ones lead nowhere
#define FOREVER 1e300  // time that lets viscoelastic memory relax altogether
#define SLACK   1e-9   // part of a step within which a time counts as reached

typedef struct Statics {
    PalNewton newton;
    struct {
        double length;     // of the step to come, before it is cut at a corner of a ramp
        double load;       // time at which loads are taken
        double imbalance;  // of the last equilibrium
    } numbers;
    struct {
        int64_t iterations, cuts, unstable;
    } counts;
} Statics;

static Statics *of(const PalSolver *solver)
{
    return solver->own;
}

static double longest(const PalSolver *solver)
{
    return solver->def.step > 0 ? solver->def.step : LONGEST * solver->def.time;
}

static PalStatus create(const PalModel *model, PalState *state, PalSolver *solver, PalError *error)
{
    Statics *statics = pal_alloc(1, sizeof *statics);
    if (statics == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    solver->own = statics;
    PAL_TRY(pal_check_held(model, error));
    PAL_TRY(pal_newton_create(model, solver, &statics->newton, error));
    statics->numbers.length = solver->def.step > 0 ? solver->def.step : FIRST * solver->def.time;
    solver->next_step = statics->numbers.length;
    memset(state->velocity, 0, (size_t)model->node_count * sizeof *state->velocity);
    return PAL_OK;
}

static void destroy(void *own)
{
    pal_newton_clear(&((Statics *)own)->newton);
    pal_free(own);
}

// Where a step from now ends: at the next corner of a ramp or the end, if that is near.
static double end_of_step(const PalModel *model, const PalState *state, const PalSolver *solver,
                          double length)
{
    double slack = SLACK * length;
    double stop =
        fmin(pal_conditions_next_corner(model->conditions, state->time + slack), solver->def.time);
    double left = stop - state->time;
    if (left <= length + slack)
        return stop;
    return left < 2 * length ? state->time + left / 2 : state->time + length;
}

static void find_reactions(const PalModel *model, PalState *state)
{
    for (int32_t n = 0; n < model->node_count; ++n)
        for (int i = 0; i < 3; ++i)
            (&state->reaction[n].x)[i] = model->held[n] >> i & 1 ? -(&state->force[n].x)[i] : 0;
}

// One try with the loads of a time.
static PalStatus attempt(const PalModel *model, PalState *state, PalSolver *solver, double time,
                         PalNewtonOutcome *outcome, PalError *error)
{
    Statics *statics = of(solver);
    PalNewtonProblem problem = {.weight = 1, .step = FOREVER};
    statics->numbers.load = time;
    pal_conditions_targets(model->conditions, state->conditions, time, solver->targets);
    PalStatus status =
        pal_newton_solve(model, state, solver, &statics->newton, &problem, outcome, error);
    statics->counts.iterations += outcome->iterations;
    if (status != PAL_OK || outcome->end != PAL_NEWTON_CONVERGED) {
        pal_newton_bring_back(model, state, &statics->newton);
        statics->numbers.load = state->time;
    }
    return status;
}

// The step after this one.
static void choose_length(const PalNewtonOutcome *outcome, bool cut, PalSolver *solver)
{
    Statics *statics = of(solver);
    double *length = &statics->numbers.length;
    if (outcome->iterations > HARD)
        *length *= SHRINKS;
    else if (!cut && outcome->iterations <= EASY)
        *length *= GROWS;
    *length = fmin(*length, longest(solver));
    solver->next_step = *length;
}

static PalStatus find_equilibrium(const PalModel *model, PalState *state, PalSolver *solver,
                                  double *end, PalError *error)
{
    Statics *statics = of(solver);
    PalNewtonOutcome outcome = {0};
    bool cut = false;
    for (;;) {
        *end = end_of_step(model, state, solver, statics->numbers.length);
        PAL_TRY(attempt(model, state, solver, *end, &outcome, error));
        if (outcome.end == PAL_NEWTON_CONVERGED)
            break;
        cut = true;
        statics->numbers.length = (*end - state->time) / 2;
        solver->meter->counters.retries = ++statics->counts.cuts;
        if (!(statics->numbers.length >= LEAST * longest(solver)))
            return pal_newton_report(model, state, solver, &outcome, error);
    }
    statics->numbers.imbalance = outcome.imbalance;
    statics->counts.unstable += outcome.negative_count > 0;
    solver->meter->counters.unstable = statics->counts.unstable;
    choose_length(&outcome, cut, solver);
    return PAL_OK;
}

static PalStatus step_once(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    double end = 0;
    if (state->step_count >= solver->def.step_limit)
        return pal_error_set(error, PAL_SIM_FAILED, "the end is not reached after %lld steps",
                             (long long)state->step_count);
    pal_newton_keep(model, state, &of(solver)->newton);
    PAL_TRY(find_equilibrium(model, state, solver, &end, error));
    find_reactions(model, state);
    pal_newton_add_work(model, state, &of(solver)->newton);
    PalTouch touch = {.start_time = state->time, .end_time = end, .step = 1, .gain = 1};
    PAL_TRY(pal_solver_touch(model, state, solver, &touch, error));
    state->step = end - state->time;
    state->time = end;
    ++state->step_count;
    return PAL_OK;
}

static double residual(const PalSolver *solver)
{
    return of(solver)->numbers.imbalance;
}

// Its motion has no physical speed.
static void halves(const PalModel *model, const PalState *state, const PalSolver *solver,
                   int32_t first_node, int32_t node_count, PalHalves *halves)
{
    (void)model, (void)state, (void)solver, (void)first_node;
    memset(halves, 0, (size_t)node_count * sizeof *halves);
}

static int32_t arrays(const PalModel *model, PalSolver *solver,
                      PalNamedArray list[PAL_METHOD_ARRAY_MAX])
{
    (void)model;
    Statics *own = of(solver);
    list[0] = (PalNamedArray){.name = "implicit_numbers",
                              .data = &own->numbers,
                              .count = sizeof own->numbers / sizeof(double)};
    list[1] = (PalNamedArray){.name = "implicit_counts",
                              .data = &own->counts,
                              .count = sizeof own->counts / sizeof(int64_t),
                              .kind = PAL_ARRAY_INT64};
    return 2;
}

static PalStatus restored(const PalModel *model, PalState *state, PalSolver *solver,
                          PalError *error)
{
    (void)model, (void)state;
    Statics *own = of(solver);
    if (!(own->numbers.length > 0) || !isfinite(own->numbers.length) || own->counts.cuts < 0 ||
        own->counts.cuts > PAL_STEP_COUNT_MAX)
        return pal_error_set(error, PAL_BAD_INPUT, "the steps in the checkpoint are not valid");
    solver->meter->counters.retries = own->counts.cuts;
    solver->meter->counters.unstable = own->counts.unstable;
    return PAL_OK;
}

static double load_time(const PalSolver *solver)
{
    return of(solver)->numbers.load;
}

static size_t bytes(const PalModel *model, const PalSolver *solver)
{
    return pal_newton_bytes(model, &of(solver)->newton);
}

const PalMethodRow pal_method_implicit_static = {
    .choice = {"implicit-static",
               "Equilibrium by Newton's method, step by step while loads grow along their ramps. "
               "Every step is a frame and a row of the history, so that a load curve comes out. "
               "Steps get shorter where no equilibrium is found, and longer again."},
    .create = create,
    .destroy = destroy,
    .step = step_once,
    .finished = pal_solver_time_is_over,
    .progress = pal_solver_time_passed,
    .residual = residual,
    .halves = halves,
    .inverse_mass = pal_solver_inverse_mass,
    .load_time = load_time,
    .arrays = arrays,
    .restored = restored,
    .bytes = bytes,
    .implicit = true,
    .inverted_advice = "the load is too large for this mesh: lower it, or refine",
};
