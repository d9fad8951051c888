// Explicit Newmark (beta = 0, gamma = 1/2), also known as velocity Verlet:
//   w = v + dt/2 a;  u += dt w;  a = (f(u) / m - c w) / (1 + c dt/2);  v = w + dt/2 a
// Velocities are known at the times of the displacements. docs/theory/time.md
#include "base/parallel.h"
#include "base/timer.h"
#include "model/conditions.h"
#include "solver/solver.h"

typedef struct NewmarkTask {
    const PalModel *model;
    PalState *state;
    const PalSolver *solver;
    double step;
} NewmarkTask;

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
            continue;  // pal_solver_reactions finishes these
        a[i] = (f[i] * inverse_mass[i] - damping * v[i]) * divide;
        v[i] += half * a[i];
    }
}

void pal_newmark_start(const PalModel *model, PalState *state, PalSolver *solver)
{
    NewmarkTask task = {model, state, solver, 0};
    pal_parallel_for(solver->node_threads, solver->chunk_count, finish_chunk, &task);
}

PalStatus pal_newmark_step(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    double start = pal_timer_seconds();
    NewmarkTask task = {model, state, solver, solver->next_step};
    pal_parallel_for(solver->node_threads, solver->chunk_count, speed_chunk, &task);
    pal_solver_add_work(state, solver);
    solver->profile.integrate += pal_timer_seconds() - start;
    double mean_step = (state->step + task.step) / 2;
    PalTouch touch = {
        .start_time = state->time,
        .end_time = pal_solver_time_after(state, solver),
        .step = task.step,
        .keep = 1,
        // as accelerations are damped, so are those by contact
        .gain = mean_step / (1 + solver->def.damping * state->step / 2),
        .push_gain = mean_step,
        .push = state->acceleration,
    };
    PAL_TRY(pal_solver_touch(model, state, solver, &touch, error));
    pal_solver_pass_time(state, solver);

    PAL_TRY(pal_solver_forces(model, state, solver, task.step, error));

    start = pal_timer_seconds();
    pal_parallel_for(solver->node_threads, solver->chunk_count, finish_chunk, &task);
    PAL_TRY(pal_solver_choose_step(model, state, solver, error));
    pal_solver_reactions(model, state, solver);
    solver->profile.integrate += pal_timer_seconds() - start;
    return PAL_OK;
}
