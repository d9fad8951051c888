// Explicit Newmark (beta = 0, gamma = 1/2), also known as velocity Verlet:
//   w = v + dt/2 a;  u += dt w;  a = (f(u) / m - c w) / (1 + c dt/2);  v = w + dt/2 a
// Velocities are known at the times of the displacements. docs/theory/time.md
#include "base/parallel.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "solver/method.h"

typedef struct NewmarkTask {
    const PalModel *model;
    PalState *state;
    PalSolver *solver;
    double step;
} NewmarkTask;

// The velocity of the middle of the step before, for contact.
static void keep_middles(const NewmarkTask *task, int32_t chunk)
{
    const PalState *state = task->state;
    int32_t first, last;
    const int32_t *nodes = pal_solver_kept_nodes(task->solver, chunk, &first, &last);
    for (int32_t k = first; k < last; ++k)
        task->solver->before[k] = pal_vec3_add_scaled(state->velocity[nodes[k]], -state->step / 2,
                                                      state->acceleration[nodes[k]]);
}

// Leaves the velocity of the middle of the step in state->velocity.
static void speed_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const NewmarkTask *task = context;
    const PalModel *model = task->model;
    PalState *state = task->state;
    PalWork *work = &task->solver->chunk_work[chunk];
    *work = (PalWork){0, 0, 0, 0};
    int32_t begin, end;
    pal_chunk_range(model, chunk, &begin, &end);
    keep_middles(task, chunk);
    double *v = &state->velocity[0].x;
    const double *a = &state->acceleration[0].x, *f = &state->force[0].x;
    const double *external = &state->external[0].x, *reaction = &state->reaction[0].x;
    double step = task->step, damping = task->solver->def.damping;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i) {
        double before = v[i] - state->step / 2 * a[i], middle = v[i] + step / 2 * a[i];
        double motion = (state->step * before + step * middle) / 2;
        work->external += (external[i] + reaction[i]) * motion;
        work->internal += (external[i] - f[i]) * motion;
        work->damping += damping * v[i] * motion / task->solver->inverse_mass[i];
        v[i] = middle;
    }
    pal_solver_sped_up(model, state, task->solver, chunk, step);
}

static void finish_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const NewmarkTask *task = context;
    const PalModel *model = task->model;
    PalState *state = task->state;
    int32_t begin, end;
    pal_chunk_range(model, chunk, &begin, &end);
    double *v = &state->velocity[0].x, *a = &state->acceleration[0].x;
    const double *f = &state->force[0].x, *inverse_mass = task->solver->inverse_mass;
    double damping = task->solver->def.damping, half = task->step / 2;
    double divide = 1 / (1 + damping * half);
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i) {
        if (model->held[i / 3] >> i % 3 & 1)
            continue;  // finish_held does these
        a[i] = (f[i] * inverse_mass[i] - damping * v[i]) * divide;
        v[i] += half * a[i];
    }
}

// What holds prescribed nodes, and their velocities at the state's time.
static void finish_held(const PalModel *model, PalState *state, PalSolver *solver)
{
    int32_t held_count = pal_conditions_held_count(model->conditions);
    const int32_t *nodes = pal_conditions_held_nodes(model->conditions);
    pal_solver_reactions(model, state, solver, state->acceleration);
    for (int32_t h = 0; h < held_count; ++h)
        for (int i = 0; i < 3; ++i)
            if (model->held[nodes[h]] >> i & 1)
                (&state->velocity[nodes[h]].x)[i] +=
                    state->step / 2 * (&state->acceleration[nodes[h]].x)[i];
}

// Held nodes are back in the middle of the last step, from where they are told anew.
static void replan(const PalModel *model, PalState *state, PalSolver *solver)
{
    int32_t held_count = pal_conditions_held_count(model->conditions);
    const int32_t *nodes = pal_conditions_held_nodes(model->conditions);
    for (int32_t h = 0; h < held_count; ++h)
        for (int i = 0; i < 3; ++i)
            if (model->held[nodes[h]] >> i & 1)
                (&state->velocity[nodes[h]].x)[i] -=
                    state->step / 2 * (&state->acceleration[nodes[h]].x)[i];
    finish_held(model, state, solver);
}

static PalStatus create(const PalModel *model, PalState *state, PalSolver *solver, PalError *error)
{
    NewmarkTask task = {model, state, solver, 0};
    pal_parallel_for(solver->node_threads, solver->chunk_count, finish_chunk, &task);
    PAL_TRY(pal_solver_start(model, state, solver, error));
    finish_held(model, state, solver);
    return PAL_OK;
}

// As accelerations are damped, so are those by contact.
static double gain(const PalState *state, const PalSolver *solver)
{
    double mean_step = (state->step + solver->next_step) / 2;
    return mean_step / (1 + solver->def.damping * state->step / 2);
}

static PalStatus step_once(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    double start = pal_timer_seconds();
    NewmarkTask task = {model, state, solver, solver->next_step};
    pal_parallel_for(solver->node_threads, solver->chunk_count, speed_chunk, &task);
    pal_solver_add_work(state, solver);
    solver->meter->profile.integrate += pal_timer_seconds() - start;
    PalTouch touch = {
        .start_time = state->time,
        .end_time = pal_solver_time_after(state, solver),
        .step = task.step,
        .gain = gain(state, solver),
    };
    PAL_TRY(pal_solver_touch(model, state, solver, &touch, error));
    pal_solver_pass_time(state, solver);

    PAL_TRY(pal_solver_forces(model, state, solver, task.step, error));

    start = pal_timer_seconds();
    pal_parallel_for(solver->node_threads, solver->chunk_count, finish_chunk, &task);
    PAL_TRY(pal_solver_choose_step(model, state, solver, error));
    finish_held(model, state, solver);
    solver->meter->profile.integrate += pal_timer_seconds() - start;
    return PAL_OK;
}

static void halves(const PalModel *model, const PalState *state, const PalSolver *solver,
                   int32_t first_node, int32_t node_count, PalHalves *halves)
{
    for (int32_t k = 0; k < node_count; ++k) {
        int32_t n = first_node + k;
        const double *v = &state->velocity[n].x, *a = &state->acceleration[n].x;
        halves[k] = (PalHalves){.push = pal_solver_contact_push(model, state, solver, n)};
        for (int i = 0; i < 3; ++i) {
            (&halves[k].before.x)[i] = v[i] - state->step / 2 * a[i];
            (&halves[k].after.x)[i] = v[i] + solver->next_step / 2 * a[i] + (&halves[k].push.x)[i];
        }
    }
}

const PalMethodRow pal_method_newmark = {
    .choice =
        {"newmark",
         "Explicit Newmark (velocity Verlet): velocities at the same times as displacements."},
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
};
