// Central differences in increment form, with the step allowed to change:
//   v+ = ((1 - c h / 2) v- + h f / m) / (1 + c h / 2),  h = mean of the last and the next step
//   u += dt v+
// v- is half a step old; before the first step h = dt / 2, so that v starts where it is given.
// docs/theory/time.md
#include "base/parallel.h"
#include "base/timer.h"
#include "model/conditions.h"
#include "solver/method.h"

typedef struct SpeedTask {
    const PalModel *model;
    PalState *state;
    PalSolver *solver;
    double step, keep, gain;
    bool counts_work;
} SpeedTask;

static void speed_free(const SpeedTask *task, int32_t begin, int32_t end)
{
    double *restrict v = &task->state->velocity[0].x;
    const double *restrict f = &task->state->force[0].x;
    const double *restrict inverse_mass = task->solver->inverse_mass;
    double keep = task->keep, gain = task->gain;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i)
        v[i] = keep * v[i] + gain * f[i] * inverse_mass[i];
}

enum { SHARED_NODES = 64 };

// What the forces on each component of some nodes do in a step.
typedef struct Shares {
    double external[3 * SHARED_NODES], internal[3 * SHARED_NODES], damping[3 * SHARED_NODES];
} Shares;

// Force times the mean of the motion before and after, as if all were free. Apart from adding up,
// so that components are done side by side.
static void speed_sharing(const SpeedTask *task, int32_t begin, int32_t end, Shares *shares)
{
    const PalState *state = task->state;
    int64_t first = 3 * (int64_t)begin;
    double *restrict v = &state->velocity[0].x + first;
    const double *restrict f = &state->force[0].x + first;
    const double *restrict external = &state->external[0].x + first;
    const double *restrict inverse_mass = task->solver->inverse_mass + first;
    double *restrict loads = shares->external, *restrict inner = shares->internal;
    double *restrict drag = shares->damping;
    double keep = task->keep, gain = task->gain, step = task->step, old_step = state->step;
    double damping = task->solver->def.damping / 2;
    for (int32_t i = 0; i < 3 * (end - begin); ++i) {
        double before = v[i], after = keep * before + gain * f[i] * inverse_mass[i];
        double motion = (old_step * before + step * after) / 2;
        v[i] = after;
        loads[i] = external[i] * motion;
        inner[i] = (external[i] - f[i]) * motion;
        drag[i] = damping * (before + after) * motion / inverse_mass[i];
    }
}

// The same as free, counting the work of loads, damping and (for viscoelastic bodies) elements on
// components that are not held, one after the other.
static void speed_some(const SpeedTask *task, int32_t begin, int32_t end, PalWork *work)
{
    Shares shares;
    speed_sharing(task, begin, end, &shares);
    PalWork sum = *work;
    for (int32_t n = begin; n < end; ++n) {
        unsigned held = task->model->held[n];
        for (int32_t i = 3 * (n - begin); i < 3 * (n - begin) + 3; ++i, held >>= 1) {
            if (held & 1)
                continue;
            sum.external += shares.external[i];
            sum.internal += shares.internal[i];
            sum.damping += shares.damping[i];
        }
    }
    *work = sum;
}

static void speed_counting(const SpeedTask *task, int32_t begin, int32_t end, PalWork *work)
{
    for (int32_t n = begin; n < end; n += SHARED_NODES)
        speed_some(task, n, n + SHARED_NODES < end ? n + SHARED_NODES : end, work);
}

// Held components go where they are to be. Their velocity was changed as if free: undo that.
static void speed_held(const SpeedTask *task, int32_t held, PalVec3 old_velocity, PalWork *work)
{
    const PalState *state = task->state;
    int32_t n = pal_conditions_held_nodes(task->model->conditions)[held];
    const double *target = &task->solver->targets[held].x;
    const double *before = &old_velocity.x, *u = &state->displacement[n].x;
    const double *external = &state->external[n].x, *f = &state->force[n].x;
    const double *reaction = &state->reaction[n].x;
    double *v = &state->velocity[n].x;
    for (int i = 0; i < 3; ++i) {
        if (!(task->model->held[n] >> i & 1))
            continue;
        v[i] = (target[i] - u[i]) / task->step;
        double motion = (state->step * before[i] + task->step * v[i]) / 2;
        work->external += (external[i] + reaction[i]) * motion;
        work->internal += (external[i] - f[i]) * motion;
        work->damping +=
            task->solver->def.damping * task->model->mass[n] * (before[i] + v[i]) / 2 * motion;
    }
}

// What contact will ask for.
static void keep_velocities(const SpeedTask *task, int32_t chunk)
{
    int32_t first, last;
    const int32_t *nodes = pal_solver_kept_nodes(task->solver, chunk, &first, &last);
    for (int32_t k = first; k < last; ++k)
        task->solver->before[k] = task->state->velocity[nodes[k]];
}

static void speed_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const SpeedTask *task = context;
    const PalModel *model = task->model;
    PalWork *work = &task->solver->chunk_work[chunk];
    *work = (PalWork){0, 0, 0, 0};
    int32_t begin, end, first, last;
    pal_chunk_range(model, chunk, &begin, &end);
    pal_conditions_held_range(model->conditions, chunk, &first, &last);
    const int32_t *held = pal_conditions_held_nodes(model->conditions);
    keep_velocities(task, chunk);
    PalVec3 old_velocity[PAL_NODE_CHUNK];
    for (int32_t h = first; h < last; ++h)
        old_velocity[h - first] = task->state->velocity[held[h]];
    if (task->counts_work)
        speed_counting(task, begin, end, work);
    else
        speed_free(task, begin, end);
    for (int32_t h = first; h < last; ++h)
        speed_held(task, h, old_velocity[h - first], work);
    pal_solver_sped_up(model, task->state, task->solver, chunk, task->step);
}

// h, from the middle of the last step to the middle of the next.
static double mean_step(const PalState *state, const PalSolver *solver)
{
    return (state->step + solver->next_step) / 2;
}

static double gain(const PalState *state, const PalSolver *solver)
{
    double h = mean_step(state, solver);
    return h * (1 / (1 + solver->def.damping * h / 2));
}

static PalStatus step_once(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    double start = pal_timer_seconds();
    double step = solver->next_step, h = mean_step(state, solver);
    SpeedTask task = {
        .model = model,
        .state = state,
        .solver = solver,
        .step = step,
        .keep = (1 - solver->def.damping * h / 2) * (1 / (1 + solver->def.damping * h / 2)),
        .gain = gain(state, solver),
        .counts_work = solver->has_loads || solver->def.damping > 0 || state->history_count > 0,
    };
    pal_parallel_for(solver->node_threads, solver->chunk_count, speed_chunk, &task);
    pal_solver_add_work(state, solver);
    solver->meter->profile.integrate += pal_timer_seconds() - start;
    PalTouch touch = {
        .start_time = state->time,
        .end_time = pal_solver_time_after(state, solver),
        .step = step,
        .gain = task.gain,
    };
    PAL_TRY(pal_solver_touch(model, state, solver, &touch, error));
    pal_solver_pass_time(state, solver);

    if (pal_solver_arrives(state, solver))  // output will ask for the energy
        pal_elements_want_energy(solver->scratch);
    PAL_TRY(pal_solver_forces(model, state, solver, step, error));
    if (pal_elements_told_energy(solver->scratch, &solver->strain))
        solver->strain_step = state->step_count;
    PAL_TRY(pal_solver_choose_step(model, state, solver, error));
    pal_solver_reactions(model, state, solver, NULL);
    return PAL_OK;
}

static PalStatus create(const PalModel *model, PalState *state, PalSolver *solver, PalError *error)
{
    PAL_TRY(pal_solver_start(model, state, solver, error));
    pal_solver_reactions(model, state, solver, NULL);
    return PAL_OK;
}

static void replan(const PalModel *model, PalState *state, PalSolver *solver)
{
    pal_solver_reactions(model, state, solver, NULL);
}

static void halves(const PalModel *model, const PalState *state, const PalSolver *solver,
                   int32_t first_node, int32_t node_count, PalHalves *halves)
{
    double damping = solver->def.damping, h = mean_step(state, solver);
    double keep = 1 - damping * h / 2, divide = 1 / (1 + damping * h / 2);
    for (int32_t k = 0; k < node_count; ++k) {
        int32_t n = first_node + k;
        PalVec3 v = state->velocity[n], f = pal_vec3_add(state->force[n], state->reaction[n]);
        PalVec3 push = {0, 0, 0};
        if (solver->contact != NULL)
            push = pal_solver_contact_push(model, state, solver, n);
        double gain = h / model->mass[n];
        halves[k] = (PalHalves){
            .before = v,
            .after = {(keep * v.x + gain * f.x) * divide + push.x,
                      (keep * v.y + gain * f.y) * divide + push.y,
                      (keep * v.z + gain * f.z) * divide + push.z},
            .push = push,
        };
    }
}

const PalMethodRow pal_method_explicit = {
    .choice = {"explicit", "Central differences: the fastest method for motion in time."},
    .create = create,
    .step = step_once,
    .finished = pal_solver_time_is_over,
    .progress = pal_solver_time_passed,
    .replan = replan,
    .gain = gain,
    .halves = halves,
    .inverse_mass = pal_solver_inverse_mass,
    .book = pal_solver_book,
    .restored = pal_solver_targets_restored,
    .in_time = true,
    .lags = true,
    .forces_follow = true,
};
