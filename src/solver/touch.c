// Contact in a step: corrects the predicted motion, and the books of work with it.
#include "base/assert.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "contact/contact.h"
#include "math/components.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/ties.h"
#include "solver/ahead.h"
#include "solver/meet_create.h"
#include "solver/method.h"
#include "solver/rigids.h"
#include <palpate/sim.h>

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
    const char *key;
    if (pal_contact_def_touches(setup->def))
        PAL_TRY(pal_solver_def_match(&solver->def, setup->def, &key, error));
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

static bool is_none(PalVec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

// Infinite where some velocity is no number. Nodes that `pushed` tells of are left out: contact
// expects them to go otherwise, and adds how fast.
static double largest_speed(const PalVec3 *velocity, const PalVec3 *pushed, int32_t begin,
                            int32_t end)
{
    double most = 0;
    bool good = true;
    for (int32_t n = begin; n < end; ++n) {
        double square = pal_vec3_dot(velocity[n], velocity[n]);
        good &= square < INFINITY;
        if (square > most && (pushed == NULL || is_none(pushed[n])))
            most = square;
    }
    return good ? sqrt(most) : INFINITY;
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
    const PalVec3 *pushed = pal_contact_expects(solver->contact) ? state->contact : NULL;
    solver->chunk_speed[chunk] = largest_speed(state->velocity, pushed, begin, end);
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

double pal_solver_held_back(PalVec3 other, PalVec3 push)
{
    double against = -pal_vec3_dot(other, push), all = pal_vec3_dot(push, push);
    return against >= all ? 1 : against > 0 ? against / all : 0;
}

void pal_solver_book(const PalModel *model, PalState *state, const PalSolver *solver,
                     const PalCorrection *correction)
{
    int64_t node = correction->node;
    PalVec3 external = state->external[node], force = correction->force;
    PalVec3 before = correction->before, predicted = correction->predicted;
    PalVec3 after = correction->after, change = pal_vec3_sub(after, predicted);
    PalVec3 both = pal_vec3_add(before, after);
    PalVec3 motion = pal_vec3_scale(
        0.5, pal_vec3_add_scaled(pal_vec3_scale(state->step, before), correction->step, after));
    PalVec3 more = pal_vec3_scale(correction->step / 2, change);
    PalVec3 guessed = pal_vec3_sub(motion, more);
    double drag = solver->def.damping * model->mass[node] / 2;
    state->external_work += pal_vec3_dot(external, more);
    state->internal_work += pal_vec3_dot(pal_vec3_sub(external, force), more);
    state->damping_work += drag * (pal_vec3_dot(both, motion) -
                                   pal_vec3_dot(pal_vec3_add(before, predicted), guessed));
    // what holds other forces back works as they do; the rest is an impulse, which does exactly the
    // work of the mean of both velocities, however long the steps are
    double held = pal_solver_held_back(force, correction->contact);
    double blow = (state->step + correction->step) / 4 * pal_vec3_dot(correction->contact, both);
    state->contact_work += held * pal_vec3_dot(correction->contact, motion) + (1 - held) * blow;
    double led = pal_vec3_dot(correction->led, motion);
    state->contact_work += led;
    state->external_work -= led;
}

// Gives a node the impulse contact has found for it.
static void push(const PalModel *model, PalState *state, const PalSolver *solver,
                 const PalTouch *touch, int32_t carrier)
{
    const PalContact *contact = solver->contact;
    int32_t node = contact->surface->carrier_node[carrier];
    const double *inverse = contact->carriers.inverse_mass[carrier];
    PalVec3 impulse = contact->impulse[carrier], old = state->velocity[node];
    PalVec3 force = pal_vec3_scale(1 / touch->gain, impulse);
    PalVec3 loads = pal_solver_force_before(state, solver, carrier);
    PalVec3 change =
        pal_vec3(inverse[0] * impulse.x, inverse[1] * impulse.y, inverse[2] * impulse.z);
    state->contact[node] = force;
    PalVec3 led = pal_vec3_sub(force, pal_vec3_without(force, model->held[node]));
    if (is_none(change) && is_none(led))
        return;
    PalCorrection correction = {
        .node = node,
        .force = loads,
        .before = solver->before[carrier],
        .predicted = old,
        .after = pal_vec3_add(old, change),
        .contact = pal_vec3(change.x != 0 ? force.x : 0, change.y != 0 ? force.y : 0,
                            change.z != 0 ? force.z : 0),
        .led = led,
        .step = touch->step,
    };
    state->velocity[node] = correction.after;
    solver->method->book(model, state, solver, &correction);
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
