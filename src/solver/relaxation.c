// Adaptive dynamic relaxation: a damped motion in pseudo-time whose end is the equilibrium.
// Each element gets the fictitious density that makes its own stable step the pseudo-step 1,
// so that every part of the mesh converges as fast as an explicit method can. The damping is
// critical for the lowest frequency w that still moves, from the Rayleigh quotient
//   w^2 = du . (f_int - f_int_old) / (du . M du)
// (Underwood 1983; Joldes, Wittek and Miller 2011). Loads grow step by step. A step that turns a
// cell inside out, or crushes one in contact so that its forces throw it, is taken back: everything
// stops where it was, the load waits until forces are nearly in balance, and then grows more
// slowly, or the pseudo-step gets smaller.
// docs/theory/time.md
#include "solver/relaxation.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "element/elements.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/ties.h"
#include "solver/runaway.h"

#include <math.h>
#include <string.h>

// Steps between two fits of the fictitious mass: few while stiffness grows, more while it does not.
#define MASS_LEAST 25
#define MASS_MOST  200
#define GROWN      1.05   // by which the mass of a node may grow from fit to fit and count as still
#define FOREVER    1e300  // time step that lets viscoelastic memory relax altogether
#define LOOK_EVERY 10     // steps between two looks at how near equilibrium is
#define CALM_LOOKS 3      // looks in a row that must find errors below the tolerance
#define FORGETS    1.02   // by which the lowest frequency found, squared, may grow in a step
#define MARKS      8      // in the time since loads stay
#define STEADY     100    // steps after which damping in contact changes more and more slowly
#define WINDOW     16     // steps over which forces left over are averaged, at least
#define FRESH      8      // of the time since loads stay: that part counts in these means
#define SETTLED    0.02   // imbalance at which a load that waits goes on
#define QUIET      0.1    // of the error wanted, by which contact may shake things
#define RETRIES    40     // times it may step back
#define SMALLEST   0.01   // of the pseudo-step, before it gives up
#define STRIDE     0.05   // mean edges that an instrument goes in a step
#define SLOWEST    0.05   // of the pace at which loads grow, where it would go farther
#define THROWN     0.5    // mean edges of its body that forces left over may move a node in a step

typedef struct RelaxTask {
    const PalModel *model;
    PalState *state;
    PalSolver *solver;
    double keep, gain;
    double share;  // of this step in the mean of forces left over
} RelaxTask;

static PalRelaxation *of(const PalSolver *solver)
{
    return solver->own;
}

// Masses for the stiffness as it is now, looked at again soon where it has grown.
static void fit_mass(const PalModel *model, PalState *state, PalSolver *solver)
{
    PalRelaxation *relaxation = solver->own;
    pal_elements_stable_step(model->elements, solver->scratch, state->displacement, NULL,
                             relaxation->mass_factors, NULL);
    for (int32_t e = 0; e < model->cell_count; ++e) {
        double step = relaxation->numbers.safety * relaxation->mass_factors[e];
        relaxation->mass_factors[e] = 1 / (step * step);
    }
    memset(relaxation->mass, 0, (size_t)model->node_count * sizeof *relaxation->mass);
    pal_elements_add_bound_mass(model->elements, relaxation->mass_factors, relaxation->mass);
    pal_ties_give_stiffness(model, state->displacement, relaxation->mass);
    for (int32_t t = 0; model->ties != NULL && t < model->ties->count; ++t)
        relaxation->mass[model->ties->node[t]] = 1;  // moved by what it is attached to
    bool grown = false;
    for (int32_t n = 0; n < model->node_count; ++n) {
        double *inverse = &relaxation->inverse_mass[3 * (int64_t)n];
        grown = grown || !(relaxation->mass[n] * inverse[0] <= GROWN);
        inverse[0] = inverse[1] = inverse[2] = 1 / relaxation->mass[n];
    }
    int64_t *interval = &relaxation->counts.mass_interval;
    *interval = grown ? MASS_LEAST : 2 * *interval;
    *interval = *interval < MASS_LEAST ? MASS_LEAST : *interval > MASS_MOST ? MASS_MOST : *interval;
    relaxation->counts.next_mass = state->step_count + *interval;
    if (solver->contact != NULL)
        pal_contact_set_mass(solver->contact, model, relaxation->inverse_mass);
}

static PalStatus allocate(const PalModel *model, const PalSolver *solver, PalRelaxation *relaxation,
                          PalError *error)
{
    size_t nodes = (size_t)model->node_count, rigids = (size_t)model->rigid_count;
    relaxation->inverse_mass = pal_alloc(3 * nodes, sizeof *relaxation->inverse_mass);
    relaxation->mass = pal_alloc(nodes, sizeof *relaxation->mass);
    relaxation->mass_factors =
        pal_alloc((size_t)model->cell_count, sizeof *relaxation->mass_factors);
    relaxation->old_internal = pal_alloc(nodes + 1, sizeof *relaxation->old_internal);
    relaxation->mark = pal_alloc(nodes + 1, sizeof *relaxation->mark);
    relaxation->mark_internal = pal_alloc(nodes + 1, sizeof *relaxation->mark_internal);
    relaxation->mean_left = pal_alloc(nodes + 1, sizeof *relaxation->mean_left);
    relaxation->calm_left = pal_alloc(nodes + 1, sizeof *relaxation->calm_left);
    relaxation->old_displacement = pal_alloc(nodes + 1, sizeof *relaxation->old_displacement);
    relaxation->old_rigids = pal_alloc(rigids, sizeof *relaxation->old_rigids);
    relaxation->sums = pal_alloc((size_t)solver->chunk_count, sizeof *relaxation->sums);
    relaxation->peaks = pal_alloc((size_t)model->body_count, sizeof *relaxation->peaks);
    relaxation->edges = pal_alloc((size_t)model->body_count, sizeof *relaxation->edges);
    if (relaxation->inverse_mass == NULL || relaxation->mass == NULL ||
        relaxation->mass_factors == NULL || relaxation->old_internal == NULL ||
        relaxation->mark == NULL || relaxation->mark_internal == NULL ||
        relaxation->mean_left == NULL || relaxation->calm_left == NULL ||
        relaxation->old_displacement == NULL || relaxation->old_rigids == NULL ||
        relaxation->sums == NULL || relaxation->peaks == NULL || relaxation->edges == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    return PAL_OK;
}

static PalStatus create(const PalModel *model, PalState *state, PalSolver *solver, PalError *error)
{
    PalRelaxation *relaxation = pal_alloc(1, sizeof *relaxation);
    if (relaxation == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    solver->own = relaxation;
    PAL_TRY(allocate(model, solver, relaxation, error));
    // loads grow over a few crossings of the mesh by a wave, which passes a cell per step
    double ramp_steps = floor(fmax(100, 10 * cbrt((double)model->cell_count)));
    solver->next_step = solver->def.time / ramp_steps;
    relaxation->numbers.pace = solver->next_step;
    relaxation->numbers.safety = solver->def.safety;
    relaxation->numbers.error = relaxation->numbers.imbalance = 1;
    relaxation->numbers.trouble_load = -1;
    relaxation->numbers.exactness = INFINITY;
    relaxation->shortest = INFINITY;
    for (int32_t b = 0; b < model->body_count; ++b) {
        relaxation->edges[b] = pal_mesh_quality(model->bodies[b].mesh).edge_mean;
        relaxation->shortest = fmin(relaxation->shortest, relaxation->edges[b]);
    }
    memset(state->velocity, 0, (size_t)model->node_count * sizeof *state->velocity);
    fit_mass(model, state, solver);
    return PAL_OK;
}

static void destroy(void *own)
{
    PalRelaxation *relaxation = own;
    pal_free(relaxation->inverse_mass);
    pal_free(relaxation->mass);
    pal_free(relaxation->mass_factors);
    pal_free(relaxation->old_internal);
    pal_free(relaxation->mark);
    pal_free(relaxation->mark_internal);
    pal_free(relaxation->mean_left);
    pal_free(relaxation->calm_left);
    pal_free(relaxation->old_displacement);
    pal_free(relaxation->old_rigids);
    pal_free(relaxation->peaks);
    pal_free(relaxation->edges);
    pal_free(relaxation->sums);
    pal_free(relaxation);
}

// Half the work that loads and holds would do on the last motion with the present forces.
static double half_work(const RelaxTask *task, int32_t begin, int32_t end)
{
    const double *v = &task->state->velocity[0].x, *f = &task->state->force[0].x;
    const double *external = &task->state->external[0].x;
    double work = 0;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i) {
        bool held = task->model->held[i / 3] >> i % 3 & 1;
        work += (held ? external[i] - f[i] : external[i]) * v[i] / 2;
    }
    return work;
}

static void speed_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const RelaxTask *task = context;
    const PalModel *model = task->model;
    const PalState *state = task->state;
    PalRelaxation *relaxation = task->solver->own;
    int32_t begin, end, first, last;
    pal_chunk_range(model, chunk, &begin, &end);
    double *v = &state->velocity[0].x;
    const double *f = &state->force[0].x, *u = &state->displacement[0].x;
    for (int32_t n = begin; n < end; ++n) {
        relaxation->old_displacement[n] = state->displacement[n];
        relaxation->old_internal[n] = pal_vec3_sub(state->external[n], state->force[n]);
    }
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i) {
        if (model->held[i / 3] >> i % 3 & 1)
            continue;
        v[i] = task->keep * v[i] + task->gain * f[i] * relaxation->inverse_mass[i];
    }
    pal_conditions_held_range(model->conditions, chunk, &first, &last);
    for (int32_t h = first; h < last; ++h) {
        int32_t n = pal_conditions_held_nodes(model->conditions)[h];
        const double *target = &task->solver->targets[h].x;
        for (int i = 0; i < 3; ++i)
            if (model->held[n] >> i & 1)
                v[3 * (int64_t)n + i] = target[i] - u[3 * (int64_t)n + i];
    }
    task->solver->chunk_work[chunk].external = half_work(task, begin, end);
    pal_solver_sped_up(model, task->state, task->solver, chunk, 1);
}

// What forces left over do in contact: the mean of their mean over steps, and how far they throw a
// node in a step, in edges of its body. What flickers adds up to nearly nothing, so that the mean
// over N steps has 1/N of it left, and the mean of that 1/N^2.
static void measure_left(const RelaxTask *task, int32_t begin, int32_t end, PalRelaxationSums *sums)
{
    const PalModel *model = task->model;
    const PalRelaxation *relaxation = task->solver->own;
    int32_t b = 0;
    for (int32_t n = begin; n < end; ++n) {
        while (b + 1 < model->body_count && model->bodies[b + 1].first_node <= n)
            ++b;
        PalVec3 left = pal_relaxation_left(model, task->state, n);
        PalVec3 *mean = &relaxation->mean_left[n], *calm = &relaxation->calm_left[n];
        *mean = pal_vec3_add_scaled(*mean, task->share, pal_vec3_sub(left, *mean));
        *calm = pal_vec3_add_scaled(*calm, task->share, pal_vec3_sub(*mean, *calm));
        double far = relaxation->inverse_mass[3 * (int64_t)n] / relaxation->edges[b];
        double thrown = pal_vec3_dot(left, left) * far * far;
        if (!isnan(sums->thrown) && !(thrown <= sums->thrown)) {
            sums->thrown = thrown;
            sums->thrown_node = n;
        }
    }
}

// Sums for the Rayleigh quotient; only free components count.
static void measure_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const RelaxTask *task = context;
    const PalModel *model = task->model;
    const PalState *state = task->state;
    PalRelaxation *relaxation = task->solver->own;
    PalRelaxationSums *sums = &relaxation->sums[chunk];
    int32_t begin, end;
    pal_chunk_range(model, chunk, &begin, &end);
    *sums = (PalRelaxationSums){.thrown_node = PAL_NONE};
    const double *v = &state->velocity[0].x, *f = &state->force[0].x;
    const double *external = &state->external[0].x, *old = &relaxation->old_internal[0].x;
    double *reaction = &state->reaction[0].x;
    task->solver->chunk_work[chunk].external += half_work(task, begin, end);
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i) {
        if (model->held[i / 3] >> i % 3 & 1) {
            reaction[i] = -f[i];
            continue;
        }
        sums->work += v[i] * (external[i] - f[i] - old[i]);
        sums->mass += v[i] * v[i] * relaxation->mass[i / 3];
    }
    if (task->solver->contact != NULL)
        measure_left(task, begin, end, sums);
}

// Damping is critical for the lowest frequency that still moves. `since`: steps since the load is
// there. What flickers in contact is fast: motion over many steps tells the slow part from it, and
// damping that flickers along would push things to one side.
static void adapt(PalSolver *solver, double since)
{
    PalRelaxation *relaxation = solver->own;
    PalRelaxationNumbers *numbers = &relaxation->numbers;
    double work = 0, mass = 0;
    for (int32_t c = 0; c < solver->chunk_count; ++c) {
        work += relaxation->sums[c].work;
        mass += relaxation->sums[c].mass;
    }
    double quotient = mass > 0 ? work / mass : 0;
    if (!(quotient > 0))
        return;
    quotient = fmin(quotient, numbers->slow > 0 ? fmin(numbers->slow, 1) : 1);
    double steady = solver->contact != NULL ? fmax(1, since / STEADY) : 1;
    numbers->stiffness = quotient;
    numbers->lowest = fmin(quotient, numbers->lowest > 0 ? FORGETS * numbers->lowest : 1);
    numbers->damping += (2 * sqrt(quotient) - numbers->damping) / steady;
}

// Marks get farther apart the longer it takes.
static void mark(const PalModel *model, const PalState *state, PalSolver *solver)
{
    PalRelaxation *relaxation = solver->own;
    int64_t since = state->step_count - relaxation->counts.loaded_step;
    int64_t passed = state->step_count - relaxation->counts.marked_step;
    if (relaxation->numbers.load < solver->def.time || relaxation->counts.waits > 0) {
        relaxation->counts.marked_step = 0;
        relaxation->numbers.slow = 0;
    } else if (solver->contact != NULL && passed >= since / MARKS) {
        pal_relaxation_mark(model, state, relaxation);
    }
}

static bool is_calm(const PalSolver *solver)
{
    return of(solver)->numbers.load >= solver->def.time &&
           of(solver)->counts.calm_looks >= CALM_LOOKS;
}

// Contact must not shake bodies by more than the error that is wanted.
static void set_exactness(const PalSolver *solver, double exactness)
{
    of(solver)->numbers.exactness = exactness;
    if (solver->contact != NULL)
        pal_contact_set_exactness(solver->contact, exactness);
}

static void look(const PalModel *model, const PalState *state, PalSolver *solver)
{
    PalRelaxation *relaxation = solver->own;
    pal_relaxation_measure(model, state, solver->contact != NULL, relaxation);
    mark(model, state, solver);
    set_exactness(solver, QUIET * solver->def.tolerance * relaxation->numbers.restoring);
    double worse = fmax(relaxation->numbers.error, relaxation->numbers.imbalance);
    bool calm = relaxation->numbers.load >= solver->def.time && worse <= solver->def.tolerance;
    relaxation->counts.calm_looks = calm ? relaxation->counts.calm_looks + 1 : 0;
    if (relaxation->numbers.imbalance <= SETTLED)
        relaxation->counts.waits = 0;
    relaxation->converged = is_calm(solver);
}

// ---- a step -----------------------------------------------------------------------------

// Moves everything by one step, with loads as they are then.
static PalStatus move_on(RelaxTask *task, double old_load, PalError *error)
{
    const PalModel *model = task->model;
    PalState *state = task->state;
    PalSolver *solver = task->solver;
    double start = pal_timer_seconds(), load = of(solver)->numbers.load;
    pal_conditions_targets(model->conditions, state->conditions, load, solver->targets);
    pal_parallel_for(solver->node_threads, solver->chunk_count, speed_chunk, task);
    solver->meter->profile.integrate += pal_timer_seconds() - start;
    PalTouch touch = {.start_time = old_load, .end_time = load, .step = 1, .gain = task->gain};
    PAL_TRY(pal_solver_touch(model, state, solver, &touch, error));
    return pal_solver_forces(model, state, solver, FOREVER, error);
}

// The load grows, but no instrument goes farther than what it strikes can follow.
static double next_load(const PalModel *model, const PalSolver *solver)
{
    const PalRelaxation *relaxation = of(solver);
    double load = relaxation->numbers.load, travel = 0;
    double next = fmin(load + relaxation->numbers.pace, solver->def.time);
    for (int32_t r = 0; solver->contact != NULL && r < model->rigid_count; ++r)
        travel = fmax(travel, pal_rigid_stride(&model->rigids[r], load, next,
                                               solver->contact->surface->arms[r]));
    double room = STRIDE * relaxation->shortest;
    return travel > room ? load + (next - load) * fmax(room / travel, SLOWEST) : next;
}

// Everything is back where it was before the step, and stands still.
static PalStatus step_back(const RelaxTask *task, const PalWork *work, double old_load,
                           PalError *error)
{
    const PalModel *model = task->model;
    PalState *state = task->state;
    PalRelaxation *relaxation = task->solver->own;
    size_t nodes = (size_t)model->node_count;
    memcpy(state->displacement, relaxation->old_displacement, nodes * sizeof *state->displacement);
    memset(state->velocity, 0, nodes * sizeof *state->velocity);
    memset(relaxation->mean_left, 0, nodes * sizeof *relaxation->mean_left);
    memset(relaxation->calm_left, 0, nodes * sizeof *relaxation->calm_left);
    memcpy(state->rigids, relaxation->old_rigids,
           (size_t)model->rigid_count * sizeof *state->rigids);
    state->external_work = work->external;
    state->contact_work = work->contact;
    if (old_load > relaxation->numbers.trouble_load)
        relaxation->numbers.pace /= 2;
    else
        relaxation->numbers.safety /= 2;
    relaxation->numbers.load = relaxation->numbers.trouble_load = old_load;
    relaxation->counts.waits = 1;
    relaxation->counts.loaded_step = state->step_count;
    task->solver->meter->counters.retries = ++relaxation->counts.retries;
    for (int32_t c = 0; c < task->solver->chunk_count; ++c)
        task->solver->chunk_work[c] = (PalWork){0, 0, 0, 0};
    PAL_TRY(pal_solver_forces(model, state, task->solver, FOREVER, error));
    if (task->solver->contact != NULL)
        pal_contact_step_back(model, task->solver->contact, state);
    fit_mass(model, state, task->solver);
    return PAL_OK;
}

// Fails where forces left over throw a node: what contact has crushed springs apart.
static PalStatus check_thrown(const PalModel *model, const PalState *state, const PalSolver *solver,
                              PalError *error)
{
    const PalRelaxationSums *sums = of(solver)->sums, *worst = sums;
    for (int32_t c = 1; c < solver->chunk_count; ++c)
        if (!isnan(worst->thrown) && !(sums[c].thrown <= worst->thrown))
            worst = &sums[c];
    if (worst->thrown <= THROWN * THROWN)
        return PAL_OK;
    int32_t b = 0;
    while (b + 1 < model->body_count && model->bodies[b + 1].first_node <= worst->thrown_node)
        ++b;
    PalVec3 place = model->nodes[worst->thrown_node];
    return pal_error_set(error, PAL_SIM_FAILED,
                         "cells of body \"%s\" around (%.4g, %.4g, %.4g), before deformation, are "
                         "crushed at step %lld; %s",
                         model->bodies[b].name, place.x, place.y, place.z,
                         (long long)state->step_count, solver->method->inverted_advice);
}

static bool may_step_back(const PalRelaxation *relaxation, const PalSolver *solver)
{
    return relaxation->counts.retries < RETRIES &&
           relaxation->numbers.safety > SMALLEST * solver->def.safety;
}

static PalStatus check_limit(const PalState *state, const PalSolver *solver, PalError *error)
{
    if (state->step_count < solver->def.step_limit)
        return PAL_OK;
    return pal_error_set(error, PAL_SIM_FAILED,
                         "no equilibrium after %lld steps: the error is estimated at %.3g, forces "
                         "are out of balance by %.3g of those that act, expected %.3g of both; is "
                         "every body held?",
                         (long long)state->step_count, of(solver)->numbers.error,
                         of(solver)->numbers.imbalance, solver->def.tolerance);
}

static PalStatus move_and_measure(RelaxTask *task, double old_load, PalError *error)
{
    PalSolver *solver = task->solver;
    PAL_TRY(move_on(task, old_load, error));
    double start = pal_timer_seconds();
    pal_parallel_for(solver->node_threads, solver->chunk_count, measure_chunk, task);
    solver->meter->profile.integrate += pal_timer_seconds() - start;
    return check_thrown(task->model, task->state, solver, error);
}

static PalStatus step_once(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    PalRelaxation *relaxation = solver->own;
    PAL_TRY(check_limit(state, solver, error));
    double start = pal_timer_seconds();
    if (state->step_count >= relaxation->counts.next_mass) {
        PAL_TRY(pal_check_runaway(model, state, solver, error));
        fit_mass(model, state, solver);
    }
    memcpy(relaxation->old_rigids, state->rigids,
           (size_t)model->rigid_count * sizeof *state->rigids);
    PalWork work = {.external = state->external_work, .contact = state->contact_work};
    double divide = 1 / (1 + relaxation->numbers.damping / 2), old_load = relaxation->numbers.load;
    RelaxTask task = {model,  state, solver, (1 - relaxation->numbers.damping / 2) * divide,
                      divide, 1};
    ++state->step_count;
    state->time = (double)state->step_count * solver->next_step;
    state->step = solver->next_step;
    if (relaxation->counts.waits == 0)
        relaxation->numbers.load = next_load(model, solver);
    if (old_load < solver->def.time)
        relaxation->counts.loaded_step = state->step_count;
    double since = (double)(state->step_count - relaxation->counts.loaded_step);
    task.share = 1 / fmax(WINDOW, since / FRESH);
    solver->meter->profile.integrate += pal_timer_seconds() - start;
    PalStatus status = move_and_measure(&task, old_load, error);
    if (status == PAL_SIM_FAILED && may_step_back(relaxation, solver)) {
        if (error != NULL)
            *error = (PalError){0};
        status = step_back(&task, &work, old_load, error);
        pal_parallel_for(solver->node_threads, solver->chunk_count, measure_chunk, &task);
    }
    PAL_TRY(status);
    start = pal_timer_seconds();
    pal_solver_add_work(state, solver);
    adapt(solver, since);
    if (state->step_count % LOOK_EVERY == 0)
        look(model, state, solver);
    solver->meter->profile.integrate += pal_timer_seconds() - start;
    return PAL_OK;
}

static bool finished(const PalState *state, const PalSolver *solver)
{
    (void)state;
    return of(solver)->converged;
}

static double residual(const PalSolver *solver)
{
    return fmax(of(solver)->numbers.error, of(solver)->numbers.imbalance);
}

// By the logarithm of the error, which falls evenly.
static double progress(const PalState *state, const PalSolver *solver)
{
    (void)state;
    if (of(solver)->converged)
        return 1;
    double goal = log(solver->def.tolerance), now = log(fmin(fmax(residual(solver), 1e-300), 1));
    return fmin(fmax(now / goal, 0), 0.99);
}

// Its motion has no physical speed.
static void halves(const PalModel *model, const PalState *state, const PalSolver *solver,
                   int32_t first_node, int32_t node_count, PalHalves *halves)
{
    (void)model, (void)state, (void)solver, (void)first_node;
    memset(halves, 0, (size_t)node_count * sizeof *halves);
}

static const double *inverse_mass(const PalSolver *solver)
{
    return of(solver)->inverse_mass;
}

// The other half of the external work counts the motion as corrected.
static void book(const PalModel *model, PalState *state, const PalSolver *solver,
                 const PalCorrection *correction)
{
    (void)model, (void)solver;
    PalVec3 change = pal_vec3_sub(correction->after, correction->predicted);
    state->external_work +=
        pal_vec3_dot(state->external[correction->node], change) * correction->step / 2;
    double led = pal_vec3_dot(correction->led, correction->after) * correction->step;
    state->external_work -= led;
    state->contact_work +=
        pal_vec3_dot(correction->contact, correction->after) * correction->step + led;
}

static int32_t arrays(const PalModel *model, PalSolver *solver,
                      PalNamedArray list[PAL_METHOD_ARRAY_MAX])
{
    PalRelaxation *own = of(solver);
    int64_t nodes = model->node_count;
    const PalNamedArray kept[] = {
        {.name = "relaxation_mass", .data = own->mass, .count = nodes},
        {.name = "relaxation_inverse_mass", .data = own->inverse_mass, .count = 3 * nodes},
        {.name = "relaxation_mean_left", .data = own->mean_left, .count = 3 * nodes},
        {.name = "relaxation_calm_left", .data = own->calm_left, .count = 3 * nodes},
        {.name = "relaxation_mark", .data = own->mark, .count = 3 * nodes},
        {.name = "relaxation_mark_internal", .data = own->mark_internal, .count = 3 * nodes},
        {.name = "relaxation_peaks",
         .data = own->peaks,
         .count = model->body_count * (int64_t)(sizeof *own->peaks / sizeof(double))},
        {.name = "relaxation_numbers",
         .data = &own->numbers,
         .count = sizeof own->numbers / sizeof(double)},
        {.name = "relaxation_counts",
         .data = &own->counts,
         .count = sizeof own->counts / sizeof(int64_t),
         .kind = PAL_ARRAY_INT64},
    };
    memcpy(list, kept, sizeof kept);
    return sizeof kept / sizeof *kept;
}

static bool is_count(int64_t count)
{
    return count >= 0 && count <= PAL_STEP_COUNT_MAX;
}

static PalStatus restored(const PalModel *model, PalState *state, PalSolver *solver,
                          PalError *error)
{
    (void)model, (void)state;
    PalRelaxation *own = of(solver);
    if (!is_count(own->counts.next_mass) || !is_count(own->counts.mass_interval) ||
        !is_count(own->counts.calm_looks) || !is_count(own->counts.retries))
        return pal_error_set(error, PAL_BAD_INPUT, "the counts in the checkpoint are not valid");
    set_exactness(solver, own->numbers.exactness);
    solver->meter->counters.retries = own->counts.retries;
    own->converged = is_calm(solver);
    return PAL_OK;
}

static double load_time(const PalSolver *solver)
{
    return of(solver)->numbers.load;
}

const PalMethodRow pal_method_relaxation = {
    .choice = {"relaxation", "Adaptive dynamic relaxation to equilibrium. In the first steps, "
                             "loads grow along their ramps to their values at the end time, and "
                             "more slowly where cells would turn inside out."},
    .create = create,
    .destroy = destroy,
    .step = step_once,
    .finished = finished,
    .progress = progress,
    .residual = residual,
    .halves = halves,
    .inverse_mass = inverse_mass,
    .book = book,
    .load_time = load_time,
    .arrays = arrays,
    .restored = restored,
    .inverted_advice = "slower loads and smaller steps did not help: the load is too large for "
                       "this mesh; lower it, refine, or use method: explicit with damping",
};
