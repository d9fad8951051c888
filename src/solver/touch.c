// Contact in a step: corrects the predicted motion, and the books of work with it.
#include "base/parallel.h"
#include "base/timer.h"
#include "contact/contact.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "solver/solver.h"

#include <math.h>

PalStatus pal_solver_touch_create(const PalContactDef *def, const PalModel *model,
                                  const PalState *state, PalSolver *solver, PalError *error)
{
    if (def->pair_count == 0)
        return PAL_OK;
    PAL_TRY(pal_contact_create(def, model, state->displacement, 0, &solver->contact, error));
    pal_contact_set_mass(solver->contact, model,
                         solver->relaxation != NULL ? solver->relaxation->inverse_mass
                                                    : solver->inverse_mass);
    pal_solver_plan_estimate(model, state, solver);
    return PAL_OK;
}

// ---- velocities to displacements --------------------------------------------------------

// Infinite where some velocity is no number.
static double largest_speed(const PalVec3 *velocity, int32_t begin, int32_t end)
{
    double most[4] = {0, 0, 0, 0};  // apart, so that one need not wait for the other
    bool good = true;
    for (int32_t n = begin; n < end; ++n) {
        double square = pal_vec3_dot(velocity[n], velocity[n]);
        most[n & 3] = square > most[n & 3] ? square : most[n & 3];
        good = good && square < INFINITY;
    }
    return good ? sqrt(fmax(fmax(most[0], most[1]), fmax(most[2], most[3]))) : INFINITY;
}

static void move(const PalModel *model, PalState *state, const PalSolver *solver, int32_t chunk,
                 double step)
{
    int32_t begin, end, first, last;
    pal_chunk_range(model, chunk, &begin, &end);
    double *restrict u = &state->displacement[0].x;
    const double *restrict v = &state->velocity[0].x;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i)
        u[i] += step * v[i];
    pal_conditions_held_range(model->conditions, chunk, &first, &last);
    for (int32_t h = first; h < last; ++h) {
        int32_t n = pal_conditions_held_nodes(model->conditions)[h];
        const double *target = &solver->targets[h].x;
        for (int i = 0; i < 3; ++i)
            if (model->held[n] >> i & 1)
                u[3 * (int64_t)n + i] = target[i];
    }
}

void pal_solver_sped_up(const PalModel *model, PalState *state, const PalSolver *solver,
                        int32_t chunk, double step)
{
    if (solver->contact == NULL) {
        move(model, state, solver, chunk, step);
        return;
    }
    int32_t begin, end;
    pal_chunk_range(model, chunk, &begin, &end);
    solver->chunk_speed[chunk] = largest_speed(state->velocity, begin, end);
}

typedef struct MoveTask {
    const PalModel *model;
    PalState *state;
    const PalSolver *solver;
    double step;
} MoveTask;

static void move_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const MoveTask *task = context;
    move(task->model, task->state, task->solver, chunk, task->step);
}

// ---- contact ----------------------------------------------------------------------------

// The velocity before the step, from the one predicted for it. Damping may be such that nothing of
// it is left, and it does not matter.
static double velocity_before(const PalTouch *touch, int64_t i, double predicted)
{
    double push = (&touch->push[0].x)[i];
    if (touch->push_scale != NULL)
        push *= touch->push_scale[i];
    return touch->keep != 0 ? (predicted - touch->push_gain * push) / touch->keep : 0;
}

// One component: changes it, and adds what the change does to the works of the step.
static void correct(const PalModel *model, PalState *state, const PalSolver *solver,
                    const PalTouch *touch, int64_t i, double change)
{
    double *v = &(&state->velocity[0].x)[i];
    double predicted = *v, after = predicted + change;
    *v = after;
    double external = (&state->external[0].x)[i], force = (&state->force[0].x)[i];
    double contact = (&state->contact[0].x)[i];
    if (solver->relaxation != NULL) {  // the other half counts the motion as corrected
        state->external_work += external * touch->step * change / 2;
        state->contact_work += contact * touch->step * after;
        return;
    }
    double before = velocity_before(touch, i, predicted), old_step = state->step;
    double motion = (old_step * before + touch->step * after) / 2, more = touch->step * change / 2;
    double drag = solver->def.damping * model->mass[i / 3] / 2;
    double guessed = motion - more;
    state->external_work += external * more;
    state->internal_work += (external - force) * more;
    state->damping_work += drag * ((before + after) * motion - (before + predicted) * guessed);
    state->contact_work += contact * motion;
}

PalStatus pal_solver_touch(const PalModel *model, PalState *state, PalSolver *solver,
                           const PalTouch *touch, PalError *error)
{
    PalContact *contact = solver->contact;
    if (contact == NULL)
        return PAL_OK;
    PalContactStep step = {
        .start_time = touch->start_time,
        .end_time = touch->end_time,
        .step = touch->step,
        .gain = touch->gain,
        .displacement = state->displacement,
        .velocity = state->velocity,
        .speeds = solver->chunk_speed,
        .thread_count = solver->thread_count,
    };
    const PalContactSurface *surface = contact->surface;
    for (int32_t i = 0; i < contact->changed_count; ++i)
        if (contact->changed[i] < surface->soft_vertex_count)
            state->contact[surface->vertex_node[contact->changed[i]]] = pal_vec3(0, 0, 0);
    PAL_TRY(pal_contact_step(model, contact, &step, &solver->counters, &solver->profile, error));
    double begin = pal_timer_seconds();
    for (int32_t c = 0; c < contact->changed_count; ++c) {
        int32_t v = contact->changed[c];
        int64_t node = surface->vertex_node[v];
        if (v >= surface->soft_vertex_count)
            continue;
        const double *impulse = &contact->impulse[v].x;
        state->contact[node] = pal_vec3_scale(1 / touch->gain, contact->impulse[v]);
        for (int i = 0; i < 3; ++i) {
            double change = contact->inverse_mass[v][i] * impulse[i];
            if (change != 0)
                correct(model, state, solver, touch, 3 * node + i, change);
        }
    }
    double middle = pal_timer_seconds();
    MoveTask task = {model, state, solver, touch->step};
    pal_parallel_for(solver->node_threads, solver->chunk_count, move_chunk, &task);
    solver->profile.contact_response += middle - begin;
    solver->profile.integrate += pal_timer_seconds() - middle;
    return PAL_OK;
}
