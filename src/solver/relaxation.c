// Adaptive dynamic relaxation: a damped motion in pseudo-time whose end is the equilibrium.
// Each element gets the fictitious density that makes its own stable step the pseudo-step 1,
// so that every part of the mesh converges as fast as an explicit method can. The damping is
// critical for the lowest frequency w that still moves, from the Rayleigh quotient
//   w^2 = du . (f_int - f_int_old) / (du . M du)
// (Underwood 1983; Joldes, Wittek and Miller 2011). It stops when |M^-1 r| / w^2, an estimate of
// what the residual r can still move, is small.
// docs/theory/time.md
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "element/elements.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "solver/method.h"
#include "solver/runaway.h"

#include <math.h>
#include <string.h>

#define MASS_EVERY 200    // steps between two fits of the fictitious mass
#define FOREVER    1e300  // time step that lets viscoelastic memory relax altogether
#define CALM_STEPS 20     // steps in a row the estimate must be below the tolerance
#define AT_MOST    1e-2   // relative error, whatever the separation
#define RESTING    0.1  // of the resting separation: surfaces in contact settle no better than this

typedef struct Relaxation {
    double *inverse_mass;   // fictitious, per component
    double *mass_factors;   // per element
    double *mass;           // fictitious, per node
    PalVec3 *old_internal;  // internal force of the step before
    double (*sums)[4];      // per chunk
    int64_t ramp_steps;     // loads grow to their end values over so many steps
    int64_t next_mass;      // step count at which the fictitious mass is made anew
    double stiffness;       // Rayleigh quotient: estimate of the lowest circular frequency, squared
    double damping;         // in use, per step
    double error;           // estimated relative error of the displacement
    int64_t calm_steps;     // steps in a row with the error below the tolerance
    bool converged;
} Relaxation;

enum { SUM_WORK, SUM_MASS, MAX_RESIDUAL, MAX_MOTION };

typedef struct RelaxTask {
    const PalModel *model;
    PalState *state;
    PalSolver *solver;
    double keep, gain;
} RelaxTask;

static Relaxation *of(const PalSolver *solver)
{
    return solver->own;
}

static void fit_mass(const PalModel *model, PalState *state, PalSolver *solver)
{
    Relaxation *relaxation = solver->own;
    pal_elements_stable_step(model->elements, solver->scratch, state->displacement, NULL,
                             relaxation->mass_factors, NULL);
    for (int32_t e = 0; e < model->cell_count; ++e) {
        double step = solver->def.safety * relaxation->mass_factors[e];
        relaxation->mass_factors[e] = 1 / (step * step);
    }
    memset(relaxation->mass, 0, (size_t)model->node_count * sizeof *relaxation->mass);
    pal_elements_add_mass(model->elements, relaxation->mass_factors, relaxation->mass);
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count; ++i)
        relaxation->inverse_mass[i] = 1 / relaxation->mass[i / 3];
    relaxation->next_mass = state->step_count + MASS_EVERY;
}

static PalStatus create(const PalModel *model, PalState *state, PalSolver *solver, PalError *error)
{
    Relaxation *relaxation = pal_alloc(1, sizeof *relaxation);
    if (relaxation == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    solver->own = relaxation;
    size_t nodes = (size_t)model->node_count;
    relaxation->inverse_mass = pal_alloc(3 * nodes, sizeof *relaxation->inverse_mass);
    relaxation->mass = pal_alloc(nodes, sizeof *relaxation->mass);
    relaxation->mass_factors =
        pal_alloc((size_t)model->cell_count, sizeof *relaxation->mass_factors);
    relaxation->old_internal = pal_alloc(nodes + 1, sizeof *relaxation->old_internal);
    relaxation->sums = pal_alloc((size_t)solver->chunk_count, sizeof *relaxation->sums);
    if (relaxation->inverse_mass == NULL || relaxation->mass == NULL ||
        relaxation->mass_factors == NULL || relaxation->old_internal == NULL ||
        relaxation->sums == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    // loads grow over a few crossings of the mesh by a wave, which passes a cell per step
    relaxation->ramp_steps = (int64_t)fmax(100, 10 * cbrt((double)model->cell_count));
    relaxation->error = 1;
    memset(state->velocity, 0, nodes * sizeof *state->velocity);
    solver->next_step = solver->def.time / (double)relaxation->ramp_steps;
    fit_mass(model, state, solver);
    return PAL_OK;
}

static void destroy(void *own)
{
    Relaxation *relaxation = own;
    pal_free(relaxation->inverse_mass);
    pal_free(relaxation->mass);
    pal_free(relaxation->mass_factors);
    pal_free(relaxation->old_internal);
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
    Relaxation *relaxation = task->solver->own;
    int32_t begin, end, first, last;
    pal_chunk_range(model, chunk, &begin, &end);
    double *v = &state->velocity[0].x;
    const double *f = &state->force[0].x, *u = &state->displacement[0].x;
    for (int32_t n = begin; n < end; ++n)
        relaxation->old_internal[n] = pal_vec3_sub(state->external[n], state->force[n]);
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

// Sums for the Rayleigh quotient and the error estimate; only free components count.
static void measure_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const RelaxTask *task = context;
    const PalModel *model = task->model;
    const PalState *state = task->state;
    Relaxation *relaxation = task->solver->own;
    double *sums = relaxation->sums[chunk];
    int32_t begin, end;
    pal_chunk_range(model, chunk, &begin, &end);
    memset(sums, 0, sizeof relaxation->sums[chunk]);
    const double *v = &state->velocity[0].x, *u = &state->displacement[0].x;
    const double *f = &state->force[0].x, *external = &state->external[0].x;
    const double *old = &relaxation->old_internal[0].x, *touching = &state->contact[0].x;
    double *reaction = &state->reaction[0].x;
    task->solver->chunk_work[chunk].external += half_work(task, begin, end);
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i) {
        sums[MAX_MOTION] = fmax(sums[MAX_MOTION], fabs(u[i]));
        if (model->held[i / 3] >> i % 3 & 1) {
            reaction[i] = -f[i];
            continue;
        }
        sums[SUM_WORK] += v[i] * (external[i] - f[i] - old[i]);
        sums[SUM_MASS] += v[i] * v[i] * relaxation->mass[i / 3];
        double residual = fabs(f[i] + touching[i]);
        sums[MAX_RESIDUAL] = fmax(sums[MAX_RESIDUAL], residual * relaxation->inverse_mass[i]);
    }
}

static bool is_calm(const PalState *state, const PalSolver *solver)
{
    return state->step_count >= of(solver)->ramp_steps + CALM_STEPS &&
           of(solver)->calm_steps >= CALM_STEPS;
}

static void adapt(const PalState *state, PalSolver *solver)
{
    Relaxation *relaxation = solver->own;
    double total[4] = {0, 0, 0, 0};
    for (int32_t c = 0; c < solver->chunk_count; ++c) {
        total[SUM_WORK] += relaxation->sums[c][SUM_WORK];
        total[SUM_MASS] += relaxation->sums[c][SUM_MASS];
        total[MAX_RESIDUAL] = fmax(total[MAX_RESIDUAL], relaxation->sums[c][MAX_RESIDUAL]);
        total[MAX_MOTION] = fmax(total[MAX_MOTION], relaxation->sums[c][MAX_MOTION]);
    }
    double quotient = total[SUM_MASS] > 0 ? total[SUM_WORK] / total[SUM_MASS] : 0;
    if (quotient > 0)
        relaxation->stiffness = fmin(quotient, 1);
    relaxation->damping = 2 * sqrt(relaxation->stiffness);
    if (total[MAX_RESIDUAL] == 0)
        relaxation->error = 0;
    else if (relaxation->stiffness > 0 && total[MAX_MOTION] > 0)
        relaxation->error = total[MAX_RESIDUAL] / (relaxation->stiffness * total[MAX_MOTION]);
    double tolerance = solver->def.tolerance;
    if (solver->contact != NULL && solver->contact->point_count > 0 && total[MAX_MOTION] > 0)
        tolerance = fmax(tolerance,
                         fmin(RESTING * solver->contact->separation / total[MAX_MOTION], AT_MOST));
    bool calm = relaxation->error <= tolerance;
    relaxation->calm_steps = calm ? relaxation->calm_steps + 1 : 0;
    relaxation->converged = is_calm(state, solver);
}

static PalStatus step_once(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    Relaxation *relaxation = solver->own;
    double start = pal_timer_seconds();
    if (state->step_count >= solver->def.step_limit)
        return pal_error_set(error, PAL_SIM_FAILED,
                             "no equilibrium after %lld steps: the error is estimated at %.3g, "
                             "expected %.3g; is every body held?",
                             (long long)state->step_count, relaxation->error,
                             solver->def.tolerance);
    if (state->step_count >= relaxation->next_mass) {
        PAL_TRY(pal_check_runaway(model, state, solver, error));
        fit_mass(model, state, solver);
        if (solver->contact != NULL)
            pal_contact_set_mass(solver->contact, model, relaxation->inverse_mass);
    }
    double divide = 1 / (1 + relaxation->damping / 2);
    RelaxTask task = {model, state, solver, (1 - relaxation->damping / 2) * divide, divide};
    double old_time = pal_solver_load_time(state, solver);
    ++state->step_count;
    state->time = (double)state->step_count * solver->next_step;
    state->step = solver->next_step;
    pal_conditions_targets(model->conditions, state->conditions,
                           pal_solver_load_time(state, solver), solver->targets);
    pal_parallel_for(solver->node_threads, solver->chunk_count, speed_chunk, &task);
    solver->meter->profile.integrate += pal_timer_seconds() - start;
    PalTouch touch = {
        .start_time = old_time,
        .end_time = pal_solver_load_time(state, solver),
        .step = 1,
        .gain = task.gain,
    };
    PAL_TRY(pal_solver_touch(model, state, solver, &touch, error));

    PAL_TRY(pal_solver_forces(model, state, solver, FOREVER, error));

    start = pal_timer_seconds();
    pal_parallel_for(solver->node_threads, solver->chunk_count, measure_chunk, &task);
    pal_solver_add_work(state, solver);
    adapt(state, solver);
    solver->meter->profile.integrate += pal_timer_seconds() - start;
    return PAL_OK;
}

static bool finished(const PalState *state, const PalSolver *solver)
{
    (void)state;
    return of(solver)->converged;
}

// By the logarithm of the error, which falls evenly.
static double progress(const PalState *state, const PalSolver *solver)
{
    (void)state;
    if (of(solver)->converged)
        return 1;
    double goal = log(solver->def.tolerance), now = log(fmin(fmax(of(solver)->error, 1e-300), 1));
    return fmin(fmax(now / goal, 0), 0.99);
}

static double residual(const PalSolver *solver)
{
    return of(solver)->error;
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
    int64_t i = correction->component;
    double external = (&state->external[0].x)[i], contact = (&state->contact[0].x)[i];
    double change = correction->after - correction->predicted;
    state->external_work += external * correction->step * change / 2;
    state->contact_work += contact * correction->step * correction->after;
}

static int32_t arrays(const PalModel *model, PalSolver *solver,
                      PalNamedArray list[PAL_METHOD_ARRAY_MAX])
{
    Relaxation *own = of(solver);
    int64_t nodes = model->node_count;
    const PalNamedArray kept[] = {
        {.name = "relaxation_mass", .data = own->mass, .count = nodes},
        {.name = "relaxation_inverse_mass", .data = own->inverse_mass, .count = 3 * nodes},
        {.name = "relaxation_stiffness", .data = &own->stiffness, .count = 1},
        {.name = "relaxation_damping", .data = &own->damping, .count = 1},
        {.name = "relaxation_error", .data = &own->error, .count = 1},
        {.name = "relaxation_next_mass",
         .data = &own->next_mass,
         .count = 1,
         .kind = PAL_ARRAY_INT64},
        {.name = "relaxation_calm_steps",
         .data = &own->calm_steps,
         .count = 1,
         .kind = PAL_ARRAY_INT64},
    };
    memcpy(list, kept, sizeof kept);
    return sizeof kept / sizeof *kept;
}

static PalStatus restored(const PalModel *model, PalState *state, PalSolver *solver,
                          PalError *error)
{
    (void)model;
    Relaxation *own = of(solver);
    if (own->next_mass < 0 || own->next_mass > PAL_STEP_COUNT_MAX || own->calm_steps < 0 ||
        own->calm_steps > PAL_STEP_COUNT_MAX)
        return pal_error_set(error, PAL_BAD_INPUT, "the counts in the checkpoint are not valid");
    own->converged = is_calm(state, solver);
    return PAL_OK;
}

const PalMethodRow pal_method_relaxation = {
    .choice = {"relaxation", "Adaptive dynamic relaxation to equilibrium. In the first steps, "
                             "loads grow along their ramps to their values at the end time."},
    .create = create,
    .destroy = destroy,
    .step = step_once,
    .finished = finished,
    .progress = progress,
    .residual = residual,
    .halves = halves,
    .inverse_mass = inverse_mass,
    .book = book,
    .arrays = arrays,
    .restored = restored,
    .inverted_advice = "the load is too large for this mesh, or comes too suddenly for relaxation: "
                       "lower it, refine, or use method: explicit with damping",
};
