// The length of the next step. A given step is kept, but for a last one that would pass the end.
// An automatic one is the safe fraction of the stable bound, shortened so that a whole number of
// steps ends on the next output time.
#include "base/timer.h"
#include "element/elements.h"
#include "math/vec3.h"
#include "model/led.h"
#include "model/rigid_state.h"
#include "model/ties.h"
#include "solver/method.h"
#include "solver/trouble.h"

#include <math.h>
#include <string.h>

// Steps between two looks at the bound: few while it changes, more while it hardly does.
#define ESTIMATE_LEAST 25
#define ESTIMATE_MOST  200
#define CALM           0.01  // relative change from look to look that counts as hardly
#define CRUSHED        1e-3  // of the bound at the start: cells are crushed and time stands still
#define SHORTEST       0.05  // of the stable bound: slivers that change suddenly get no shorter step
#define HARD           0.5   // likewise: cells are squeezed so hard that their stiffness soars
#define ESTIMATE_HARD  3     // steps between two looks then
#define GROWTH         1.1   // a bound must have grown by this much to lengthen the step
#define SHIFT          0.002  // of the energy: by so much a longer step may shift its balance
#define SLACK          1e-6   // part of a step within which a time counts as reached

// With w_e the highest circular frequency of an element of its own and m_en its share of the mass
// of node n, no motion of the body is faster than w^2 = max over n of sum_e w_e^2 m_en / m_n: a
// mean over the elements of a node instead of the worst element.   docs/theory/time.md, eq. 7
double pal_solver_stable_step(const PalModel *model, const PalVec3 *displacement, PalSolver *solver,
                              int32_t *worst_node)
{
    double *inverse_squares = solver->element_bounds, *sums = solver->node_sums, most = 0;
    pal_elements_stable_step(model->elements, solver->scratch, displacement, model->mass_factors,
                             inverse_squares, NULL);
    for (int32_t e = 0; e < model->cell_count; ++e) {
        double mass_factor = model->mass_factors != NULL ? model->mass_factors[e] : 1;
        inverse_squares[e] = mass_factor / (inverse_squares[e] * inverse_squares[e]);
    }
    memset(sums, 0, (size_t)model->node_count * sizeof *sums);
    pal_elements_add_bound_mass(model->elements, inverse_squares, sums);
    pal_ties_give_stiffness(model, displacement, sums);
    *worst_node = 0;
    for (int32_t n = 0; n < model->node_count; ++n)
        if (!(sums[n] <= most * model->mass[n])) {
            most = sums[n] / model->mass[n];
            *worst_node = n;
        }
    return 1 / sqrt(most);
}

void pal_solver_plan_estimate(const PalModel *model, const PalState *state, PalSolver *solver)
{
    solver->interval = pal_solver_steps_to_strike(model, state, solver, solver->interval);
    if (solver->next_estimate > state->step_count + solver->interval)
        solver->next_estimate = state->step_count + solver->interval;
}

// Forces tell how nodes will move where velocities lag behind them, unless contact pushes by what
// overlaps: such forces come and go.
static bool foretells(const PalSolver *solver)
{
    return solver->method->lags &&
           (solver->contact == NULL || solver->contact->response->prevents_crossing);
}

void pal_solver_estimate_bound(const PalModel *model, const PalState *state, PalSolver *solver)
{
    double start = pal_timer_seconds(), before = solver->bound;
    solver->bound = pal_solver_stable_step(model, state->displacement, solver, &solver->bound_node);
    solver->shape_bound = solver->bound;
    if (before == 0)
        solver->first_bound = solver->bound;
    double sudden = INFINITY;  // until then a cell may have changed by as much as is good in a step
    if (solver->method->in_time) {
        double longest = fmin(solver->def.safety * solver->bound, solver->def.time);
        double ahead = foretells(solver) ? longest : 0;
        sudden = pal_solver_squeeze_step(model, state, solver, ahead) / solver->def.safety;
        solver->bound = fmin(solver->bound, fmax(sudden, SHORTEST * solver->bound));
    }
    bool calm = before > 0 && fabs(solver->bound / before - 1) < CALM;
    solver->interval = calm ? 2 * solver->interval : ESTIMATE_LEAST;
    if (solver->interval > ESTIMATE_MOST)
        solver->interval = ESTIMATE_MOST;
    if (solver->shape_bound < HARD * solver->first_bound && solver->interval > ESTIMATE_HARD)
        solver->interval = ESTIMATE_HARD;
    double steps = sudden / (solver->def.safety * solver->bound);
    if (foretells(solver) && steps < ESTIMATE_LEAST)
        solver->interval = (int64_t)fmax(steps, 1);
    else if (steps < (double)solver->interval)  // no cell is to change by more than that unseen
        solver->interval = (int64_t)fmax(steps, ESTIMATE_LEAST);
    solver->next_estimate = state->step_count + solver->interval;
    pal_solver_plan_estimate(model, state, solver);
    ++solver->meter->counters.step_estimates;
    solver->meter->profile.elements += pal_timer_seconds() - start;
}

// The first output time after now, or the time at which something steered arrives, or the end.
static double next_stop(const PalModel *model, const PalState *state, const PalSolver *solver,
                        double step)
{
    double passed = floor(state->time / solver->align * (1 + 1e-14) + 1e-9);
    double soon = isfinite(step) ? SLACK * step : 0;  // as good as now
    return fmin(fmin((passed + 1) * solver->align, solver->def.time),
                pal_next_arrival(model, state, state->time + soon));
}

// The longest step up to `most` of which a whole number lasts as long as `left`.
static double part_evenly(double left, double most, double slack)
{
    return isfinite(left) ? left / ceil(left / most * (1 - slack)) : most;
}

// Sums over what is free to move: kinetic energy, and how fast the balance of energy shifts with
// the square of the step.
static void sum_shift(const PalModel *model, const PalState *state, double *kinetic, double *rate)
{
    *kinetic = *rate = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 f = state->force[n], push = state->contact[n], v = state->velocity[n];
        double mass = model->mass[n];
        *kinetic += mass / 2 * pal_vec3_dot(v, v);
        for (int i = 0; i < 3; ++i)
            if (!(model->held[n] >> i & 1)) {
                double force = pal_vec3_at(f, i);
                *rate += fabs(force * (force + pal_vec3_at(push, i))) / (8 * mass);
            }
    }
}

// How long a step may become at once: what central differences keep is not the energy but less, by
// dt^2/8 m a^2, and where dt changes this changes, too.   docs/theory/time.md, eq. 8
static double gentle_step(const PalModel *model, const PalState *state, PalSolver *solver)
{
    double kinetic, rate;
    sum_shift(model, state, &kinetic, &rate);
    bool known = solver->strain_step == state->step_count;
    double strain =
        known ? solver->strain
              : pal_elements_energy(model->elements, solver->scratch, state->displacement);
    double energy = fmax(fmax(kinetic + strain, fabs(state->external_work)),
                         fmax(fabs(state->contact_work), state->damping_work));
    return rate > 0 ? sqrt(state->step * state->step + SHIFT * energy / rate) : INFINITY;
}

static void use_step(const PalState *state, PalSolver *solver, double step)
{
    solver->next_step = step;
    solver->origin_time = state->time;
    solver->origin_count = state->step_count;
}

PalStatus pal_solver_choose_step(const PalModel *model, const PalState *state, PalSolver *solver,
                                 PalError *error)
{
    if (solver->def.step > 0) {
        double left = solver->def.time - state->time, given = solver->def.step;
        if (solver->stop > state->time)  // a step was cut: to where it was to end
            given = solver->stop - state->time;
        solver->next_step = left > 0 && left < given * (1 - SLACK) ? left : given;
        return PAL_OK;
    }
    bool looks = state->step_count >= solver->next_estimate;
    if (looks) {
        pal_solver_estimate_bound(model, state, solver);
        if (!(solver->shape_bound >= CRUSHED * solver->first_bound))
            return pal_solver_report_crushed(model, state, solver, error);
    }
    bool arrived =
        state->step_count == 0 || state->time >= solver->stop || (looks && !isfinite(solver->stop));
    double bound = fmin(solver->bound, pal_rigids_longest_step(model, state));
    double wanted = solver->def.safety * bound, before = solver->next_step;
    if (arrived)
        solver->stop = next_stop(model, state, solver, wanted);
    double left = solver->stop - state->time;
    if (left <= 0)
        return PAL_OK;  // the end: the step that would come next only serves the reactions
    if (!isfinite(fmin(wanted, left)))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "no step can be chosen at time %.6g: the simulation has no end, and "
                             "nothing in it is soft or moves; give the solver a step",
                             state->time);
    if (arrived && state->step_count > 0 && solver->method->in_time &&
        solver->next_step * GROWTH < wanted)
        wanted = fmin(wanted, fmax(gentle_step(model, state, solver), solver->next_step));
    if (solver->next_step > wanted * (1 + 1e-9) || state->step_count == 0 ||
        (arrived && solver->next_step * GROWTH < wanted))
        use_step(state, solver, part_evenly(left, wanted, 1e-12));
    else if (arrived)
        use_step(state, solver, part_evenly(left, solver->next_step, 1e-9));
    if (solver->next_step > before)  // as many steps lead farther
        pal_solver_plan_estimate(model, state, solver);
    return PAL_OK;
}

// Whether time has come to where it is by steps as they are given now.
static bool goes_by_given(const PalState *state, const PalSolver *solver)
{
    double given = solver->def.step, slack = SLACK * given;
    if (solver->stop > state->time)  // a step was cut
        return solver->stop - state->time <= given + slack;
    double since = (double)(state->step_count - solver->origin_count);
    double next = fmin(given, solver->def.time - state->time);
    return fabs(solver->origin_time + since * given - state->time) <= slack &&
           fabs(solver->next_step - next) <= slack;
}

PalStatus pal_solver_take_up_steps(const PalModel *model, PalState *state, PalSolver *solver,
                                   PalError *error)
{
    if (solver->method->replan == NULL || !(solver->def.step > 0) ||
        pal_solver_time_is_over(state, solver) || goes_by_given(state, solver))
        return PAL_OK;
    solver->stop = 0;
    use_step(state, solver, solver->def.step);
    PAL_TRY(pal_solver_choose_step(model, state, solver, error));
    solver->method->replan(model, state, solver);
    return PAL_OK;
}

bool pal_solver_arrives(const PalState *state, const PalSolver *solver)
{
    if (!(solver->def.step > 0))
        return state->time >= solver->stop;
    double passed = state->time - solver->align * floor(state->time / solver->align + SLACK);
    return passed < (1 - SLACK) * solver->next_step || pal_solver_time_is_over(state, solver);
}

void pal_solver_cut_step(const PalModel *model, PalState *state, PalSolver *solver, double length)
{
    double planned = pal_solver_time_after(state, solver), rest = planned - state->time - length;
    if (solver->def.step > 0)
        solver->stop = rest > SLACK * solver->def.step ? planned : 0;
    use_step(state, solver, length);
    solver->cut = true;
    solver->method->replan(model, state, solver);
}

double pal_solver_time_after(const PalState *state, const PalSolver *solver)
{
    int64_t count = state->step_count + 1;
    if (solver->cut)
        return state->time + solver->next_step;
    if (solver->def.step > 0 && solver->stop > state->time)
        return solver->stop;
    if (solver->def.step > 0) {
        double since = (double)(count - solver->origin_count);
        double end = solver->def.time, time = solver->origin_time + since * solver->def.step;
        bool arrives = state->time < end && time > end - SLACK * solver->def.step;
        return arrives ? end : time;
    }
    double since = (double)(count - solver->origin_count);
    double time = solver->origin_time + since * solver->next_step;
    return fabs(solver->stop - time) < SLACK * solver->next_step ? solver->stop : time;
}

void pal_solver_pass_time(PalState *state, PalSolver *solver)
{
    if (solver->def.step == 0 && state->step_count > 0 && solver->next_step != state->step)
        ++solver->meter->counters.step_changes;
    bool goes_on = solver->def.step > 0 && solver->stop > state->time;  // where a step was cut
    state->time = pal_solver_time_after(state, solver);
    state->step = solver->next_step;
    ++state->step_count;
    if (!solver->cut && !goes_on)
        return;
    if (solver->def.step == 0)
        solver->stop = state->time;  // to be looked for again
    solver->cut = false;
    solver->origin_time = state->time;
    solver->origin_count = state->step_count;
}
