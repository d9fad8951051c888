// Contact in a step: corrects the predicted motion, and the books of work with it.
#include "base/assert.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "contact/contact.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/ties.h"
#include "solver/ahead.h"
#include "solver/meet_create.h"
#include "solver/method.h"
#include "solver/rigids.h"

#include <math.h>

// Which nodes each chunk has of those that contact may push.
static PalStatus list_kept(PalSolver *solver, PalError *error)
{
    int32_t count, k = 0;
    const int32_t *nodes = pal_contact_nodes(solver->contact, &count);
    solver->before = pal_alloc((size_t)count, sizeof *solver->before);
    solver->kept_first = pal_alloc((size_t)solver->chunk_count + 1, sizeof *solver->kept_first);
    if (solver->before == NULL || solver->kept_first == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    for (int32_t c = 0; c <= solver->chunk_count; ++c) {
        for (; k < count && nodes[k] < c * PAL_NODE_CHUNK; ++k)
            PAL_ASSERT(k == 0 || nodes[k] > nodes[k - 1]);
        solver->kept_first[c] = c < solver->chunk_count ? k : count;
    }
    return PAL_OK;
}

PalStatus pal_solver_touch_create(const PalContactSetup *setup, const PalModel *model,
                                  const PalState *state, PalSolver *solver, PalError *error)
{
    if (solver->method->implicit)
        return pal_meet_create(setup, model, state, solver, error);
    if (!pal_contact_def_touches(setup->def))
        return PAL_OK;
    PAL_TRY(pal_contact_create(setup, model, state, &solver->contact, error));
    pal_contact_set_mass(solver->contact, model, solver->method->inverse_mass(solver));
    PAL_TRY(list_kept(solver, error));
    PAL_TRY(pal_solver_allow_ahead(model, solver, error));
    pal_solver_plan_estimate(model, state, solver);
    return PAL_OK;
}

const int32_t *pal_solver_kept_nodes(const PalSolver *solver, int32_t chunk, int32_t *first,
                                     int32_t *last)
{
    *first = *last = 0;
    if (solver->contact == NULL)
        return NULL;
    int32_t count;
    *first = solver->kept_first[chunk];
    *last = solver->kept_first[chunk + 1];
    return pal_contact_nodes(solver->contact, &count);
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

void pal_solver_lead_held(const PalModel *model, const PalSolver *solver, int32_t chunk,
                          PalVec3 *displacement)
{
    int32_t first, last;
    pal_conditions_held_range(model->conditions, chunk, &first, &last);
    for (int32_t h = first; h < last; ++h) {
        int32_t n = pal_conditions_held_nodes(model->conditions)[h];
        const double *target = &solver->targets[h].x;
        for (int i = 0; i < 3; ++i)
            if (model->held[n] >> i & 1)
                (&displacement[n].x)[i] = target[i];
    }
}

static void move(const PalModel *model, PalState *state, const PalSolver *solver, int32_t chunk,
                 double step)
{
    int32_t begin, end;
    pal_chunk_range(model, chunk, &begin, &end);
    double *restrict u = &state->displacement[0].x;
    const double *restrict v = &state->velocity[0].x;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i)
        u[i] += step * v[i];
    pal_solver_lead_held(model, solver, chunk, state->displacement);
}

void pal_solver_sped_up(const PalModel *model, PalState *state, PalSolver *solver, int32_t chunk,
                        double step)
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

void pal_solver_book(const PalModel *model, PalState *state, const PalSolver *solver,
                     const PalCorrection *correction)
{
    int64_t i = correction->component;
    double external = (&state->external[0].x)[i], force = correction->force;
    double contact = (&state->contact[0].x)[i];
    double before = correction->before, predicted = correction->predicted;
    double after = correction->after, change = after - predicted;
    double motion = (state->step * before + correction->step * after) / 2;
    double more = correction->step * change / 2, guessed = motion - more;
    double drag = solver->def.damping * model->mass[i / 3] / 2;
    state->external_work += external * more;
    state->internal_work += (external - force) * more;
    state->damping_work += drag * ((before + after) * motion - (before + predicted) * guessed);
    // a blow in the first step finds the velocity given, which has no step of its own
    bool first = state->step == 0;
    state->contact_work += contact * (first ? correction->step * (before + after) / 4 : motion);
}

// Gives a node the impulse contact has found for it.
static void push(const PalModel *model, PalState *state, const PalSolver *solver,
                 const PalTouch *touch, int32_t carrier)
{
    const PalContact *contact = solver->contact;
    int32_t node_count;
    int64_t node = pal_contact_nodes(contact, &node_count)[carrier];
    const double *impulse = &contact->impulse[carrier].x;
    PalVec3 force = pal_solver_force_before(state, solver, carrier);
    state->contact[node] = pal_vec3_scale(1 / touch->gain, contact->impulse[carrier]);
    for (int i = 0; i < 3; ++i) {
        double change = contact->carriers.inverse_mass[carrier][i] * impulse[i];
        double *velocity = &(&state->velocity[node].x)[i];
        if (change == 0)
            continue;
        PalCorrection correction = {
            .component = 3 * node + i,
            .force = pal_vec3_at(force, i),
            .before = (&solver->before[carrier].x)[i],
            .predicted = *velocity,
            .after = *velocity + change,
            .step = touch->step,
        };
        *velocity = correction.after;
        solver->method->book(model, state, solver, &correction);
    }
}

// The same for free rigid bodies, which then end elsewhere.
static PalStatus push_bodies(const PalModel *model, PalState *state, const PalContact *contact,
                             double step, PalError *error)
{
    for (int32_t f = 0; f < contact->surface->free_count; ++f) {
        const PalFreeBody *body = &contact->bodies[f];
        PalRigidState *rigid = &state->rigids[body->rigid];
        if (contact->asleep || !body->touched)
            continue;
        pal_rigid_add_impulse(&model->rigids[body->rigid], rigid, body->impulse,
                              body->turn_impulse);
        if (!pal_rigid_drift(&model->rigids[body->rigid], rigid, step))
            return pal_free_report_turn(&model->rigids[body->rigid], rigid, state->time, error);
        if (body->cut)
            pal_rigid_stay_turned(rigid);
    }
    return PAL_OK;
}

// Contact sees attached nodes where they will be.
static void lead_tied(const PalModel *model, PalState *state, PalSolver *solver, double step)
{
    const PalTies *ties = model->ties;
    pal_ties_lead(model, state->displacement, step, state->velocity);
    for (int32_t t = 0; ties != NULL && t < ties->count; ++t) {
        double *speed = &solver->chunk_speed[ties->node[t] / PAL_NODE_CHUNK];
        *speed = fmax(*speed, pal_vec3_length(state->velocity[ties->node[t]]));
    }
}

PalStatus pal_solver_touch(const PalModel *model, PalState *state, PalSolver *solver,
                           const PalTouch *touch, PalError *error)
{
    PalContact *contact = solver->contact;
    PAL_TRY(pal_solver_begin_rigids(model, state, solver, touch, error));
    if (contact == NULL) {
        pal_ties_follow(model, state->displacement);
        pal_ties_follow_rate(model, state->displacement, state->velocity);
        pal_solver_end_rigids(model, state, solver, touch);
        return PAL_OK;
    }
    lead_tied(model, state, solver, touch->step);
    PalContactStep step = {
        .start_time = touch->start_time,
        .end_time = touch->end_time,
        .step = touch->step,
        .gain = touch->gain,
        .displacement = state->displacement,
        .velocity = state->velocity,
        .speeds = solver->chunk_speed,
        .rigids = state->rigids,
        .thread_count = solver->thread_count,
    };
    int32_t node_count;
    const int32_t *nodes = pal_contact_nodes(contact, &node_count);
    double start = pal_timer_seconds();
    pal_solver_begin_ahead(model, state, solver, touch->step);
    double begun = pal_timer_seconds();
    solver->meter->profile.integrate += begun - start;
    pal_contact_expect(contact, state->contact, touch->gain, state->velocity, solver->chunk_speed);
    for (int32_t i = 0; i < contact->changed_count; ++i)
        if (contact->changed[i] < node_count)
            state->contact[nodes[contact->changed[i]]] = pal_vec3(0, 0, 0);
    solver->meter->profile.contact_update += pal_timer_seconds() - begun;
    PalStatus status = pal_contact_step(model, contact, &step, solver->meter, error);
    double begin = pal_timer_seconds();
    pal_contact_predicted(contact, state->velocity);
    for (int32_t i = 0; i < contact->changed_count && status == PAL_OK; ++i)
        if (contact->changed[i] < node_count)
            push(model, state, solver, touch, contact->changed[i]);
    double middle = pal_timer_seconds();
    solver->meter->profile.contact_response += middle - begin;
    pal_solver_end_ahead(solver);
    solver->meter->profile.elements += pal_timer_seconds() - middle;
    PAL_TRY(status);
    PAL_TRY(push_bodies(model, state, contact, touch->step, error));
    middle = pal_timer_seconds();
    MoveTask task = {model, state, solver, touch->step};
    pal_parallel_for(solver->node_threads, solver->chunk_count, move_chunk, &task);
    pal_ties_follow(model, state->displacement);
    pal_ties_follow_rate(model, state->displacement, state->velocity);
    pal_solver_end_rigids(model, state, solver, touch);
    solver->meter->profile.integrate += pal_timer_seconds() - middle;
    return PAL_OK;
}
