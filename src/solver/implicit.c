#include "solver/implicit.h"

#include "base/memory.h"
#include "model/conditions.h"
#include "solver/correct.h"
#include "solver/meet.h"

#include <math.h>

#define EFFORT 3  // corrections with contact are as easy as one without

PalImplicit *pal_implicit_of(const PalSolver *solver)
{
    return solver->own;
}

PalStatus pal_implicit_create(const PalModel *model, PalSolver *solver, PalNewtonNeeds needs,
                              PalError *error)
{
    PalImplicit *own = pal_alloc(1, sizeof *own);
    if (own == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    solver->own = own;
    return pal_newton_create(model, solver, needs, &own->newton, error);
}

void pal_implicit_destroy(void *own)
{
    PalImplicit *implicit = own;
    pal_newton_clear(&implicit->newton);
    void *const all[] = {implicit->base,  implicit->way,  implicit->rate, implicit->loads,
                         implicit->later, implicit->unit, implicit->held};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        pal_free(all[k]);
    pal_free(implicit);
}

void pal_implicit_take_back(const PalModel *model, PalState *state, PalSolver *solver)
{
    PalImplicit *own = pal_implicit_of(solver);
    pal_newton_bring_back(model, state, &own->newton);
    own->newton.load = own->newton.old_load;
    if (own->newton.touches)
        pal_meet_give_up(model, state, solver);
}

// Searches without contact count from 1.
static void keep_trace(PalImplicit *own, const PalNewtonOutcome *outcome)
{
    int32_t first = own->newton.touches ? 0 : 1;
    int32_t last = outcome->iterations < PAL_NEWTON_MOST ? outcome->iterations : PAL_NEWTON_MOST;
    own->trace_count = last >= first ? last + 1 - first : 0;
    for (int32_t i = 0; i < own->trace_count; ++i)
        own->trace[i] = outcome->trace[first + i];
}

PalStatus pal_implicit_try(const PalModel *model, PalState *state, PalSolver *solver,
                           PalNewtonProblem problem, PalNewtonOutcome *outcome, PalError *error)
{
    PalImplicit *own = pal_implicit_of(solver);
    problem.start = own->newton.old_load;
    own->newton.load = problem.end;
    pal_conditions_targets(model->conditions, state->conditions, problem.end, solver->targets);
    PalStatus status =
        pal_newton_solve(model, state, solver, &own->newton, &problem, outcome, error);
    own->counts.iterations += outcome->iterations;
    keep_trace(own, outcome);
    outcome->effort = own->newton.touches ? outcome->iterations / EFFORT : outcome->iterations;
    if (status != PAL_OK || outcome->end != PAL_NEWTON_CONVERGED)
        pal_implicit_take_back(model, state, solver);
    else if (own->newton.touches)
        pal_meet_part(model, state, &problem);
    own->numbers.imbalance = outcome->imbalance;
    return status;
}

bool pal_implicit_halve(PalSolver *solver, double tried, double least)
{
    PalImplicit *own = pal_implicit_of(solver);
    own->numbers.length = tried / 2;
    solver->meter->counters.retries = ++own->counts.cuts;
    return own->numbers.length >= least;
}

void pal_implicit_count_unstable(PalSolver *solver, const PalNewtonOutcome *outcome)
{
    PalImplicit *own = pal_implicit_of(solver);
    own->counts.unstable += outcome->negative_count > 0;
    solver->meter->counters.unstable = own->counts.unstable;
}

PalStatus pal_implicit_end_step(const PalModel *model, PalState *state, PalSolver *solver,
                                double end, double gain, PalError *error)
{
    PalTouch touch = {.start_time = state->time, .end_time = end, .step = gain, .gain = gain};
    if (pal_implicit_of(solver)->newton.touches)
        PAL_TRY(pal_meet_end(model, state, solver, &touch, error));
    else
        PAL_TRY(pal_solver_touch(model, state, solver, &touch, error));
    state->step = end - state->time;
    state->time = end;
    ++state->step_count;
    return PAL_OK;
}

double pal_implicit_residual(const PalSolver *solver)
{
    return pal_implicit_of(solver)->numbers.imbalance;
}

const double *pal_implicit_trace(const PalSolver *solver, int32_t *count)
{
    const PalImplicit *own = pal_implicit_of(solver);
    *count = own->trace_count;
    return own->trace;
}

double pal_implicit_load_time(const PalSolver *solver)
{
    return pal_implicit_of(solver)->newton.load;
}

size_t pal_implicit_bytes(const PalModel *model, const PalSolver *solver)
{
    return pal_newton_bytes(model, &pal_implicit_of(solver)->newton);
}

int32_t pal_implicit_arrays(const PalModel *model, PalSolver *solver,
                            PalNamedArray list[PAL_METHOD_ARRAY_MAX])
{
    PalImplicit *own = pal_implicit_of(solver);
    int32_t count = 0;
    list[count++] = (PalNamedArray){.name = "implicit_numbers",
                                    .data = &own->numbers,
                                    .count = sizeof own->numbers / sizeof(double)};
    list[count++] = (PalNamedArray){.name = "implicit_load", .data = &own->newton.load, .count = 1};
    list[count++] = (PalNamedArray){.name = "implicit_counts",
                                    .data = &own->counts,
                                    .count = sizeof own->counts / sizeof(int64_t),
                                    .kind = PAL_ARRAY_INT64};
    if (own->way != NULL)
        list[count++] = (PalNamedArray){
            .name = "implicit_way", .data = own->way, .count = 3 * (int64_t)model->node_count};
    return count;
}

PalStatus pal_implicit_restored(const PalModel *model, PalState *state, PalSolver *solver,
                                PalError *error)
{
    (void)state;
    const PalImplicit *own = pal_implicit_of(solver);
    bool good = own->numbers.length > 0 && isfinite(own->numbers.length) &&
                isfinite(own->newton.load) && own->numbers.radius >= 0 &&
                isfinite(own->numbers.radius) && own->counts.cuts >= 0 &&
                own->counts.cuts <= PAL_STEP_COUNT_MAX;
    for (int64_t i = 0; good && own->way != NULL && i < 3 * (int64_t)model->node_count; ++i)
        good = isfinite((&own->way[0].x)[i]);
    if (!good)
        return pal_error_set(error, PAL_BAD_INPUT, "the steps in the checkpoint are not valid");
    solver->meter->counters.retries = own->counts.cuts;
    solver->meter->counters.unstable = own->counts.unstable;
    return PAL_OK;
}
