#include "solver/ahead.h"
#include "solver/method.h"
#include "solver/trouble.h"

#include "base/assert.h"
#include "base/choice.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "math/components.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/rigid_state.h"
#include "model/ties.h"
#include "model/validate.h"

#include <math.h>

#define NODES_A_THREAD 4096  // fewer are not worth waking one for
#define HELD_AT_A_TIME 256

PalSolverDef pal_solver_def_default(void)
{
    return (PalSolverDef){
        .method = PAL_METHOD_EXPLICIT,
        .time = 1,
        .safety = 0.9,
        .tolerance = 1e-5,
        .numerical_damping = 0.05,
        .step_limit = 1000000,
    };
}

static PalStatus check(const PalSolverDef *def, double align, PalError *error)
{
    if (pal_method_row(def->method) == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "there is no method %d", (int)def->method);
    if (!(def->time > 0))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "solver time is %g, expected a time > 0, or infinity", def->time);
    if (!isfinite(def->time) && !pal_method_row(def->method)->in_time)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "solver time is infinite, but method %s needs an end",
                             pal_method_name(def->method));
    if (!(def->step >= 0) || def->step > def->time)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "solver step is %g, expected 0 (automatic) or a time up to %g",
                             def->step, def->time);
    if (!(def->damping >= 0) || !isfinite(def->damping))
        return pal_error_set(error, PAL_BAD_INPUT, "solver damping is %g, expected a number >= 0",
                             def->damping);
    if (!(def->safety > 0 && def->safety <= 1))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "solver safety is %g, expected a number in (0, 1]", def->safety);
    if (!(def->tolerance > 0 && def->tolerance < 1))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "solver tolerance is %g, expected a number in (0, 1)", def->tolerance);
    if (!(def->numerical_damping >= 0 && def->numerical_damping <= PAL_NUMERICAL_DAMPING_MAX))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "solver numerical damping is %g, expected a number from 0 to 1/3",
                             def->numerical_damping);
    if (pal_scheme_name(def->scheme) == NULL || pal_linear_name(def->linear) == NULL ||
        pal_path_name(def->path) == NULL)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "there is no scheme %d, linear solver %d or path %d", (int)def->scheme,
                             (int)def->linear, (int)def->path);
    if (def->thread_count < 0 || def->thread_count > PAL_THREAD_MAX)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "solver threads is %d, expected 0 (as many as cores) to %d",
                             def->thread_count, PAL_THREAD_MAX);
    if (def->step_limit < 1)
        return pal_error_set(error, PAL_BAD_INPUT, "solver step limit is %lld, expected at least 1",
                             (long long)def->step_limit);
    if (!(align >= 0))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "output interval is %g, expected 0 (none) or a time", align);
    return PAL_OK;
}

static PalStatus allocate(const PalModel *model, PalSolver *solver, PalError *error)
{
    size_t components = 3 * (size_t)model->node_count;
    solver->chunk_count = (model->node_count + PAL_NODE_CHUNK - 1) / PAL_NODE_CHUNK;
    solver->inverse_mass = pal_alloc(components, sizeof *solver->inverse_mass);
    solver->targets =
        pal_alloc((size_t)pal_conditions_held_count(model->conditions), sizeof *solver->targets);
    solver->chunk_work = pal_alloc((size_t)solver->chunk_count, sizeof *solver->chunk_work);
    solver->chunk_speed = pal_alloc((size_t)solver->chunk_count, sizeof *solver->chunk_speed);
    solver->element_bounds = pal_alloc((size_t)model->cell_count, sizeof *solver->element_bounds);
    solver->node_sums = pal_alloc((size_t)model->node_count, sizeof *solver->node_sums);
    solver->node_speeds = pal_alloc((size_t)model->node_count, sizeof *solver->node_speeds);
    if (solver->inverse_mass == NULL || solver->targets == NULL || solver->chunk_work == NULL ||
        solver->chunk_speed == NULL || solver->element_bounds == NULL ||
        solver->node_sums == NULL || solver->node_speeds == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    PAL_TRY(pal_element_scratch_create(model->elements, &solver->scratch, error));
    for (size_t i = 0; i < components; ++i)
        solver->inverse_mass[i] = 1 / model->mass[i / 3];
    return PAL_OK;
}

// Held components start at the speed they are told, whatever their body's: what holds them has
// done the work of that.
static void start_held(const PalModel *model, PalState *state, PalSolver *solver)
{
    int32_t held_count = pal_conditions_held_count(model->conditions);
    const int32_t *nodes = pal_conditions_held_nodes(model->conditions);
    pal_conditions_targets(model->conditions, state->conditions, solver->next_step,
                           solver->targets);
    for (int32_t h = 0; h < held_count; ++h) {
        int32_t n = nodes[h];
        const double *target = &solver->targets[h].x;
        double *v = &state->velocity[n].x;
        for (int i = 0; i < 3; ++i) {
            if (!(model->held[n] >> i & 1))
                continue;
            double told = target[i] / solver->next_step;
            state->external_work += model->mass[n] * (told * told - v[i] * v[i]) / 2;
            v[i] = told;
        }
    }
}

PalStatus pal_solver_start(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    PAL_TRY(pal_solver_choose_step(model, state, solver, error));
    start_held(model, state, solver);
    return PAL_OK;
}

static int32_t min_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// As many as there are cores, but no more than have a thousand elements each.
int32_t pal_solver_most_threads(const PalSolverDef *def, int64_t cell_count)
{
    int32_t useful = min_of(pal_parallel_core_count(), (int32_t)(cell_count / 1000 + 1));
    return def->thread_count > 0 ? def->thread_count : useful;
}

static void use_threads(const PalModel *model, PalSolver *solver, int32_t count)
{
    solver->thread_count = count;
    pal_element_scratch_set_threads(solver->scratch, count);
    solver->node_threads = min_of(count, 1 + model->node_count / NODES_A_THREAD);
}

static bool moves_free_bodies(int32_t method, int32_t what)
{
    (void)what;
    return pal_method_in_time((PalMethod)method) && !pal_method_is_implicit((PalMethod)method);
}

static PalStatus refuse_free_rigids(const PalModel *model, const PalMethodRow *method,
                                    PalError *error)
{
    int32_t r = 0;
    while (!model->rigids[r].free)
        ++r;
    PalStatus status =
        pal_error_set(error, PAL_BAD_INPUT,
                      "rigid \"%s\" is free, and method %s cannot move free bodies; use %s, or "
                      "give it no mass",
                      model->rigids[r].name, method->choice.name,
                      pal_choices_that(pal_method_choice, moves_free_bodies, 0).text);
    if (error != NULL)
        error->object = 1 + model->body_count + r;
    return status;
}

// What could never get anywhere.
static PalStatus check_advance(const PalModel *model, const PalSolver *solver, PalError *error)
{
    PalStatus status = PAL_OK;
    double steps = solver->def.time / solver->next_step;
    if (model->cell_count > 0 && !(solver->bound > 0 && isfinite(solver->bound)))
        status = pal_error_set(error, PAL_BAD_INPUT,
                               "the stable step is %g, expected a time above 0: check stiffness, "
                               "density and size",
                               solver->bound);
    else if (solver->method->in_time && isfinite(solver->def.time) && !(steps <= PAL_STEPS_MAX))
        status = pal_error_set(error, PAL_BAD_INPUT,
                               "%.3g steps of %.3g until time %g, expected at most %g: check "
                               "stiffness, density and units, or use mass scaling",
                               steps, solver->next_step, solver->def.time, PAL_STEPS_MAX);
    if (status != PAL_OK && error != NULL && solver->def.step == 0 && model->body_count > 0)
        error->object = 1 + pal_solver_bound_body(model, solver);
    return status;
}

PalStatus pal_solver_create(const PalSolverSetup *setup, const PalModel *model, PalState *state,
                            PalSolver **result, PalError *error)
{
    *result = NULL;
    const PalSolverDef *def = setup->def;
    PAL_TRY(check(def, setup->align, error));
    const PalMethodRow *method =
        setup->method != NULL ? setup->method : pal_method_row(def->method);
    if (model->free_rigid_count > 0 && (!method->in_time || method->implicit))
        return refuse_free_rigids(model, method, error);
    PalSolver *solver = pal_alloc(1, sizeof *solver);
    if (solver == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    solver->def = *def;
    solver->method = method;
    solver->meter = setup->meter;
    pal_pace_init(&solver->pace, pal_solver_most_threads(def, model->cell_count));
    solver->strain_step = PAL_NONE;
    solver->has_loads = pal_conditions_have_loads(model->conditions);
    solver->align = setup->align > 0 && setup->align < def->time ? setup->align : def->time;
    PalStatus status = allocate(model, solver, error);
    if (status == PAL_OK)
        use_threads(model, solver, solver->pace.most);
    if (status == PAL_OK)
        status = pal_solver_forces(model, state, solver, 0, error);
    if (status == PAL_OK) {
        pal_solver_estimate_bound(model, state, solver);
        status = solver->method->create(model, state, solver, error);
    }
    if (status == PAL_OK)
        status = check_advance(model, solver, error);
    if (status != PAL_OK) {
        pal_solver_destroy(solver);
        return status;
    }
    *result = solver;
    return PAL_OK;
}

void pal_solver_destroy(PalSolver *solver)
{
    if (solver == NULL)
        return;
    if (solver->own != NULL)
        solver->method->destroy(solver->own);
    pal_contact_destroy(solver->contact);
    pal_free(solver->before);
    pal_free(solver->kept_first);
    pal_solver_clear_ahead(solver);
    pal_element_scratch_destroy(solver->scratch);
    pal_free(solver->inverse_mass);
    pal_free(solver->targets);
    pal_free(solver->chunk_work);
    pal_free(solver->chunk_speed);
    pal_free(solver->element_bounds);
    pal_free(solver->node_sums);
    pal_free(solver->node_speeds);
    pal_free(solver);
}

PalStatus pal_solver_step(const PalModel *model, PalState *state, PalSolver *solver,
                          PalError *error)
{
    double start = pal_timer_seconds();
    use_threads(model, solver, pal_pace_threads(&solver->pace));
    double before = state->time;
    PalStatus status = solver->method->step(model, state, solver, error);
    pal_ties_follow_rate(model, state->displacement, state->velocity);
    pal_ties_follow_rate(model, state->displacement, state->acceleration);
    if (status == PAL_OK && solver->method->in_time && !(state->time > before))
        status = pal_error_set(error, PAL_SIM_FAILED,
                               "time stands still at %.17g: a step of %.3g is lost in rounding",
                               before, solver->next_step);
    pal_pace_took(&solver->pace, pal_timer_seconds() - start);
    PAL_ASSERT(status != PAL_OK || pal_state_validate(model, state, NULL) == PAL_OK);
    PAL_ASSERT(status != PAL_OK || pal_solver_validate(state, solver, NULL) == PAL_OK);
    return status;
}

bool pal_solver_finished(const PalState *state, const PalSolver *solver)
{
    return solver->method->finished(state, solver);
}

bool pal_solver_time_is_over(const PalState *state, const PalSolver *solver)
{
    return state->time >= solver->def.time * (1 - 1e-12);
}

double pal_solver_time_passed(const PalState *state, const PalSolver *solver)
{
    return fmin(state->time / solver->def.time, 1);
}

const double *pal_solver_inverse_mass(const PalSolver *solver)
{
    return solver->inverse_mass;
}

PalStatus pal_solver_targets_restored(const PalModel *model, PalState *state, PalSolver *solver,
                                      PalError *error)
{
    (void)error;
    pal_conditions_targets(model->conditions, state->conditions, state->time + solver->next_step,
                           solver->targets);
    return PAL_OK;
}

PalStatus pal_solver_restored(const PalModel *model, PalState *state, PalSolver *solver,
                              PalError *error)
{
    solver->strain_step = PAL_NONE;
    PAL_TRY(pal_solver_take_up_steps(model, state, solver, error));
    PAL_TRY(solver->method->restored(model, state, solver, error));
    if (solver->contact == NULL)
        return PAL_OK;
    pal_contact_set_mass(solver->contact, model, solver->method->inverse_mass(solver));
    pal_contact_restored(model, solver->contact, state);
    return PAL_OK;
}

PalStatus pal_solver_replan(const PalModel *model, PalState *state, PalSolver *solver,
                            PalError *error)
{
    solver->stop = state->time;  // to be looked for again
    PAL_TRY(pal_solver_choose_step(model, state, solver, error));
    pal_solver_plan_estimate(model, state, solver);
    PAL_ASSERT(solver->method->replan != NULL);
    if (state->step_count == 0)
        start_held(model, state, solver);
    solver->method->replan(model, state, solver);
    return PAL_OK;
}

typedef struct AddTask {
    const PalModel *model;
    PalState *state;
} AddTask;

static void add_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    AddTask *task = context;
    int32_t begin, end;
    pal_chunk_range(task->model, chunk, &begin, &end);
    for (int32_t n = begin; n < end; ++n)
        task->state->force[n] = pal_vec3_add(task->state->force[n], task->state->external[n]);
}

double pal_solver_load_time(const PalState *state, const PalSolver *solver)
{
    if (solver->method->load_time != NULL && solver->own != NULL)
        return solver->method->load_time(solver);
    return solver->method->in_time ? state->time : fmin(state->time, solver->def.time);
}

PalStatus pal_solver_forces(const PalModel *model, PalState *state, PalSolver *solver, double step,
                            PalError *error)
{
    double start = pal_timer_seconds();
    PalElementTrouble trouble = pal_elements_force(
        model->elements, solver->scratch, state->displacement, step, state->history, state->force);
    double middle = pal_timer_seconds();
    solver->meter->profile.elements += middle - start;
    if (trouble.inverted_count > 0)
        return pal_solver_report_inverted(model, state, solver, trouble.first_inverted, error);
    pal_rigids_load(model, state, pal_solver_load_time(state, solver));
    if (solver->has_loads) {
        pal_conditions_loads(model, state, pal_solver_load_time(state, solver),
                             solver->thread_count, state->external);
        AddTask task = {model, state};
        pal_parallel_for(solver->node_threads, solver->chunk_count, add_chunk, &task);
        solver->meter->profile.integrate += pal_timer_seconds() - middle;
        pal_ties_give_forces(model, state->displacement, state->external);
    }
    pal_ties_give_forces(model, state->displacement, state->force);
    return PAL_OK;
}

PalVec3 pal_solver_contact_push(const PalModel *model, const PalState *state,
                                const PalSolver *solver, int32_t node)
{
    PalVec3 force = state->contact[node];
    if (force.x == 0 && force.y == 0 && force.z == 0)  // as on most nodes
        return force;
    double gain = solver->method->gain(state, solver);
    PalVec3 push = pal_vec3_scale(gain / model->mass[node], force);
    return pal_vec3_without(push, model->held[node]);
}

void pal_solver_halves(const PalModel *model, const PalState *state, const PalSolver *solver,
                       int32_t first_node, int32_t node_count, PalHalves *halves)
{
    solver->method->halves(model, state, solver, first_node, node_count, halves);
}

typedef struct Reacting {
    const PalModel *model;
    PalState *state;
    const PalSolver *solver;
    PalVec3 *acceleration;
} Reacting;

// Reactions are m a - f with the acceleration that brings a node from where it was, through
// where it is, to where it is to be next.
static void react_some(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Reacting *all = context;
    const PalModel *model = all->model;
    PalState *state = all->state;
    const PalSolver *solver = all->solver;
    int32_t first = index * HELD_AT_A_TIME;
    int32_t end = min_of(first + HELD_AT_A_TIME, pal_conditions_held_count(model->conditions));
    const int32_t *nodes = pal_conditions_held_nodes(model->conditions);
    double mean_step = (state->step + solver->next_step) / 2;
    for (int32_t h = first; h < end; ++h) {
        int32_t n = nodes[h];
        const double *target = &solver->targets[h].x, *u = &state->displacement[n].x;
        const double *f = &state->force[n].x, *v = &state->velocity[n].x;
        double *reaction = &state->reaction[n].x;
        for (int i = 0; i < 3; ++i) {
            if (!(model->held[n] >> i & 1))
                continue;
            double after = (target[i] - u[i]) / solver->next_step;
            double before = v[i], change = (after - before) / mean_step;
            double drag = solver->def.damping * (before + after) / 2;
            reaction[i] = model->mass[n] * (change + drag) - f[i];
            if (all->acceleration != NULL)
                (&all->acceleration[n].x)[i] = change;
        }
    }
}

void pal_solver_reactions(const PalModel *model, PalState *state, PalSolver *solver,
                          PalVec3 *acceleration)
{
    int32_t held_count = pal_conditions_held_count(model->conditions);
    Reacting all = {model, state, solver, acceleration};
    pal_conditions_targets(model->conditions, state->conditions, state->time + solver->next_step,
                           solver->targets);
    pal_parallel_for(solver->node_threads, (held_count + HELD_AT_A_TIME - 1) / HELD_AT_A_TIME,
                     react_some, &all);
}

void pal_solver_add_work(PalState *state, const PalSolver *solver)
{
    for (int32_t c = 0; c < solver->chunk_count; ++c) {
        state->external_work += solver->chunk_work[c].external;
        state->damping_work += solver->chunk_work[c].damping;
        state->internal_work += solver->chunk_work[c].internal;
    }
}
