// Equilibrium after equilibrium while loads grow along their ramps: each step is a search by
// Newton's method. A step that finds none is tried again with half the load; steps grow again where
// few corrections are enough.   docs/theory/implicit.md
#include "base/choice.h"
#include "model/conditions.h"
#include "solver/arc.h"
#include "solver/implicit.h"
#include "solver/meet.h"

#include <math.h>
#include <string.h>

static const PalChoice paths[] = {
    [PAL_PATH_LOAD] = {"load", "Loads grow along their ramps, step by step."},
    [PAL_PATH_ARC_LENGTH] = {"arc-length",
                             "Steps are as long as the body moves in them, and loads are found "
                             "with the equilibrium: they fall, and rise again, where it snaps "
                             "through or back."},
};

PAL_CHOICE_ARRAY(path, PalPath, paths)

#define FIRST   (1.0 / 8)  // of the time: the first step, if nobody says how long
#define LONGEST (1.0 / 4)  // and the longest
#define GROWS   1.5        // a step after one that was easy
#define EASY    5          // corrections at most
#define HARD    10         // corrections that make the next step shorter
#define SHRINKS 0.7
#define LEAST   1e-4  // of the longest step: shorter ones lead nowhere
#define SLACK   1e-9  // part of a step within which a time counts as reached

static double longest(const PalSolver *solver)
{
    return solver->def.step > 0 ? solver->def.step : LONGEST * solver->def.time;
}

static PalStatus create(const PalModel *model, PalState *state, PalSolver *solver, PalError *error)
{
    PAL_TRY(pal_implicit_create(model, solver, (PalNewtonNeeds){false, false}, error));
    PalImplicit *own = pal_implicit_of(solver);
    own->numbers.length = solver->def.step > 0 ? solver->def.step : FIRST * solver->def.time;
    solver->next_step = own->numbers.length;
    if (solver->def.path == PAL_PATH_ARC_LENGTH)
        PAL_TRY(pal_arc_create(model, solver, error));
    memset(state->velocity, 0, (size_t)model->node_count * sizeof *state->velocity);
    return PAL_OK;
}

// Where a step from now ends: at the next corner of a ramp or the end, if that is near. `longer`:
// by how much the step may then be longer.
static double end_of_step(const PalModel *model, const PalState *state, const PalSolver *solver,
                          double length, double longer)
{
    double passed = state->time + SLACK * length;
    double stop = fmin(pal_conditions_next_corner(model->conditions, passed), solver->def.time);
    double left = stop - state->time;
    if (left <= length + longer)
        return stop;
    return left < 2 * length ? state->time + left / 2 : state->time + length;
}

static void find_reactions(const PalModel *model, PalState *state)
{
    for (int32_t n = 0; n < model->node_count; ++n)
        for (int i = 0; i < 3; ++i)
            (&state->reaction[n].x)[i] = model->held[n] >> i & 1 ? -(&state->force[n].x)[i] : 0;
}

// The step after this one. Contact takes about as many corrections however short it is: there, only
// a step that finds no equilibrium is cut.
static void choose_length(const PalNewtonOutcome *outcome, bool cut, PalSolver *solver)
{
    double *length = &pal_implicit_of(solver)->numbers.length;
    if (outcome->effort > HARD && !pal_implicit_of(solver)->newton.touches)
        *length *= SHRINKS;
    else if (!cut && outcome->effort <= EASY)
        *length *= GROWS;
    *length = fmin(*length, longest(solver));
    solver->next_step = *length;
}

// The next equilibrium with loads as they are at a later time.
static PalStatus find_equilibrium(const PalModel *model, PalState *state, PalSolver *solver,
                                  double *end, PalError *error)
{
    PalNewtonOutcome outcome = {0};
    bool cut = false;
    double *length = &pal_implicit_of(solver)->numbers.length;
    *length = fmin(*length, longest(solver));  // may be shorter after a resume
    const double first = *length;
    for (;;) {
        *end = end_of_step(model, state, solver, *length, SLACK * *length);
        double latest = pal_meet_latest(model, state, solver, *end);
        if (latest < *end)
            *end = end_of_step(model, state, solver, latest - state->time, 0);
        PalNewtonProblem problem = {.weight = 1,
                                    .step = PAL_IMPLICIT_FOREVER,
                                    .end = *end,
                                    .shift = pal_implicit_of(solver)->newton.shift};
        PAL_TRY(pal_implicit_try(model, state, solver, problem, &outcome, error));
        if (outcome.end == PAL_NEWTON_CONVERGED)
            break;
        cut = true;
        if (!pal_implicit_halve(solver, *end - state->time, LEAST * longest(solver))) {
            *length = first;  // whoever resumes begins as this step did
            return pal_newton_report(model, state, solver, &outcome, error);
        }
    }
    pal_implicit_count_unstable(solver, &outcome);
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
    PalImplicit *own = pal_implicit_of(solver);
    pal_newton_keep(model, state, &own->newton);
    if (solver->def.path == PAL_PATH_ARC_LENGTH) {
        PAL_TRY(pal_arc_step(model, state, solver, longest(solver), error));
        end = state->time + fabs(own->newton.load - own->newton.old_load);
    } else {
        PAL_TRY(find_equilibrium(model, state, solver, &end, error));
    }
    find_reactions(model, state);
    pal_newton_add_work(model, state, &own->newton);
    return pal_implicit_end_step(model, state, solver, end, 1, error);
}

// Along an arc, time goes on where loads go back.
static bool finished(const PalState *state, const PalSolver *solver)
{
    if (solver->def.path == PAL_PATH_LOAD)
        return pal_solver_time_is_over(state, solver);
    return pal_implicit_of(solver)->newton.load >= solver->def.time * (1 - 1e-12);
}

static double progress(const PalState *state, const PalSolver *solver)
{
    if (solver->def.path == PAL_PATH_LOAD)
        return pal_solver_time_passed(state, solver);
    return fmax(0, fmin(pal_implicit_of(solver)->newton.load / solver->def.time, 1));
}

// Its motion has no physical speed.
static void halves(const PalModel *model, const PalState *state, const PalSolver *solver,
                   int32_t first_node, int32_t node_count, PalHalves *halves)
{
    (void)model, (void)state, (void)solver, (void)first_node;
    memset(halves, 0, (size_t)node_count * sizeof *halves);
}

const PalMethodRow pal_method_implicit_static = {
    .choice = {"implicit-static",
               "Equilibrium by Newton's method, step by step while loads grow along their ramps. "
               "Every step is a frame and a row of the history, so that a load curve comes out. "
               "Steps get shorter where no equilibrium is found, and longer again. Time only says "
               "how far along their ramps loads are: with `linear` all steps go equally far, with "
               "`smooth` those in the middle go 1.9 times as far. What is reached in the end "
               "depends on that only where friction or snapping remember the way."},
    .create = create,
    .destroy = pal_implicit_destroy,
    .step = step_once,
    .finished = finished,
    .progress = progress,
    .residual = pal_implicit_residual,
    .trace = pal_implicit_trace,
    .halves = halves,
    .inverse_mass = pal_solver_inverse_mass,
    .load_time = pal_implicit_load_time,
    .arrays = pal_implicit_arrays,
    .restored = pal_implicit_restored,
    .bytes = pal_implicit_bytes,
    .implicit = true,
    .inverted_advice = "the load is too large for this mesh: lower it, or refine",
};
