#include "sim/sim.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "contact/start/overlap.h"
#include "element/elements.h"
#include "model/state.h"
#include "solver/rigids.h"

#include <math.h>

PalSimDef pal_sim_def_default(void)
{
    return (PalSimDef){.model = pal_model_def_default(),
                       .solver = pal_solver_def_default(),
                       .contact = pal_contact_def_default()};
}

static double initial_energy(PalSim *sim)
{
    double kinetic = 0;
    for (int32_t b = 0; b < sim->model->body_count; ++b) {
        PalVec3 v = sim->model->bodies[b].velocity;
        kinetic += sim->model->bodies[b].mass * (v.x * v.x + v.y * v.y + v.z * v.z) / 2;
    }
    for (int32_t r = 0; r < sim->model->rigid_count; ++r)
        if (sim->model->rigids[r].free)
            kinetic +=
                pal_solver_rigid_motion(sim->model, sim->state, sim->solver, r, false).kinetic;
    return kinetic;
}

// Moving nodes at rest changes volumes and so masses; `before` is the model with the old ones.
static void note_masses(const PalModel *before, const PalModel *after, PalMoved *moved)
{
    for (int32_t b = 0; b < after->body_count; ++b) {
        double change = after->bodies[b].mass / before->bodies[b].mass - 1;
        if (b > 0 && !(fabs(change) > fabs(moved->mass_change)))
            continue;
        moved->mass_change = change;
        moved->mass_change_body = b;
    }
}

static int32_t most_threads(const PalSimDef *def)
{
    int64_t cell_count = 0;
    for (int32_t b = 0; def->model.bodies != NULL && b < def->model.body_count; ++b)
        if (def->model.bodies[b].mesh != NULL)
            cell_count += def->model.bodies[b].mesh->cell_count;
    return pal_solver_most_threads(&def->solver, cell_count);
}

static PalModelDef model_def(const PalSimDef *def)
{
    PalModelDef model = def->model;
    if (model.thread_count == 0)
        model.thread_count = most_threads(def);
    model.end_time = def->solver.time;
    model.mass_scaling_step = def->solver.mass_scaling_step;
    if (def->solver.safety > 0)
        model.mass_scaling_step /= def->solver.safety;
    return model;
}

// Where nodes had to be moved, lest anything overlaps at the start, the model is built again.
static PalStatus move_model(const PalSimDef *def, PalSim *sim, PalMoved *moved, PalError *error)
{
    PalModel *before = sim->own_model;
    PalModelDef model = model_def(def);
    model.nodes = moved->nodes;
    model.rigid_shifts = moved->rigid_shifts;
    sim->own_model = NULL;
    PalStatus status = pal_model_create(&model, &sim->own_model, error);
    if (status == PAL_OK)
        note_masses(before, sim->own_model, moved);
    sim->model = sim->own_model;
    pal_model_destroy(before);
    return status;
}

static PalStatus create_solver(const PalSimDef *def, PalSim *sim, PalError *error)
{
    PalSolverSetup setup = {.def = &def->solver, .align = def->align, .meter = &sim->meter};
    return pal_solver_create(&setup, sim->model, sim->state, &sim->solver, error);
}

// All that moves the model.
static PalStatus create_motion(const PalSimDef *def, PalSim *sim, PalError *error)
{
    PAL_TRY(pal_state_create(sim->model, &sim->state, error));
    sim->pivots = pal_alloc((size_t)sim->model->rigid_count + 1, sizeof *sim->pivots);
    if (sim->pivots == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the simulation");
    PAL_TRY(create_solver(def, sim, error));
    PalContactSetup contact = {.def = &def->contact,
                               .to_rest = !pal_method_in_time(def->solver.method)};
    return pal_solver_touch_create(&contact, sim->model, sim->state, sim->solver, error);
}

static void destroy_motion(PalSim *sim)
{
    pal_solver_destroy(sim->solver);
    pal_state_destroy(sim->state);
    pal_free(sim->pivots);
    sim->solver = NULL;
    sim->state = NULL;
    sim->pivots = NULL;
    sim->meter = (PalMeter){0};
}

typedef struct Outcome {
    PalStatus status;
    PalError error;
} Outcome;

static PalStatus tell(const Outcome *outcome, PalError *error)
{
    if (outcome->status != PAL_OK && error != NULL)
        *error = outcome->error;
    return outcome->status;
}

typedef struct Start {
    const PalSimDef *def;
    const PalModel *model;
    PalMoved *moved;
    Outcome overlaps, motion;
} Start;

static void remove_overlaps(void *context, int32_t index, int32_t worker)
{
    (void)index, (void)worker;
    Start *start = context;
    start->overlaps.status = pal_overlaps_remove(&start->def->contact, start->model, start->moved,
                                                 &start->overlaps.error);
}

// With a model of its own. Looking for overlaps takes about as long as creating all else, which is
// in vain only where nodes have to be moved. Two threads do both at once, with more that take part
// in loops of the latter; one does one after the other. Implicit methods create contact by loops
// that are worth all threads.
static PalStatus create_all(const PalSimDef *def, PalSim *sim, PalMoved *moved, PalError *error)
{
    PalModelDef model = model_def(def);
    PAL_TRY(pal_model_create(&model, &sim->own_model, error));
    sim->model = sim->own_model;
    if (!pal_contact_def_touches(&def->contact) || pal_response_overlaps(def->contact.response))
        return create_motion(def, sim, error);
    Start start = {.def = def, .model = sim->model, .moved = moved};
    bool beside = model.thread_count > 1 && !pal_method_is_implicit(def->solver.method);
    PalLoop loop;
    pal_parallel_begin(beside ? 2 : 1, 1, remove_overlaps, &start, &loop);
    if (beside)
        start.motion.status = create_motion(def, sim, &start.motion.error);
    pal_parallel_end(&loop);
    PAL_TRY(tell(&start.overlaps, error));
    if (beside && !moved->any)
        return tell(&start.motion, error);
    destroy_motion(sim);
    if (moved->any)
        PAL_TRY(move_model(def, sim, moved, error));
    return create_motion(def, sim, error);
}

static PalStatus name_overlap(const PalContactDef *def, const PalModel *model, PalError *error)
{
    PalOverlaps overlaps = {0};
    PAL_TRY(pal_overlaps_find(def, model, &overlaps, error));
    const char *names[2] = {"one body", "another"};
    for (int k = 0; overlaps.count > 0 && k < 2; ++k)
        names[k] = pal_contact_object_name(model, overlaps.items[0].objects[k]);
    PalVec3 at = overlaps.count > 0 ? overlaps.items[0].place : (PalVec3){0};
    pal_overlaps_clear(&overlaps);
    return pal_error_set(
        error, PAL_BAD_INPUT,
        "\"%s\" and \"%s\" overlap at the start, or are nearer than the separation, around (%.4g, "
        "%.4g, %.4g): they would have to be moved, but a model that is given is never changed",
        names[0], names[1], at.x, at.y, at.z);
}

// What a simulation can ask of a model that is there already.
static PalStatus check_given(const PalModel *model, const PalSimDef *def, PalError *error)
{
    if (def->solver.time > model->end_time)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "solver time is %g, but the model given ends at %g", def->solver.time,
                             model->end_time);
    if (def->solver.mass_scaling_step > 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "mass scaling is part of the model, and the model is given: set it "
                             "where the model is built");
    if (!pal_contact_def_touches(&def->contact) || pal_response_overlaps(def->contact.response))
        return PAL_OK;
    PalMoved moved = {0};
    PalStatus status = pal_overlaps_remove(&def->contact, model, &moved, error);
    pal_moved_clear(&moved);
    PAL_TRY(status);
    return moved.any ? name_overlap(&def->contact, model, error) : PAL_OK;
}

// With a model of its own, unless one is given.
static PalStatus create(const PalModel *given, const PalSimDef *def, PalSim **result,
                        PalError *error)
{
    *result = NULL;
    PalSim *sim = pal_alloc(1, sizeof *sim);
    if (sim == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the simulation");
    PalMoved moved = {0};
    PalStatus status = PAL_OK;
    if (given != NULL) {
        sim->model = given;
        status = check_given(given, def, error);
        status = status == PAL_OK ? create_motion(def, sim, error) : status;
    } else {
        status = create_all(def, sim, &moved, error);
    }
    pal_moved_clear(&moved);
    if (status != PAL_OK) {
        pal_sim_destroy(sim);
        return status;
    }
    if (sim->solver->contact != NULL) {
        PalContactReport *report = &sim->solver->contact->report;
        report->moved_count = moved.count;
        report->largest_move = moved.largest;
        report->moved_rigid_count = moved.rigid_count;
        report->largest_rigid_move = moved.largest_rigid;
        report->mass_change = moved.mass_change;
        report->mass_change_body = moved.mass_change_body;
    }
    sim->initial_energy = sim->solver->method->in_time ? initial_energy(sim) : 0;
    *result = sim;
    return PAL_OK;
}

PalStatus pal_sim_create(const PalSimDef *def, PalSim **sim, PalError *error)
{
    return create(NULL, def, sim, error);
}

PalStatus pal_sim_create_on(const PalModel *model, const PalSimDef *def, PalSim **sim,
                            PalError *error)
{
    return create(model, def, sim, error);
}

void pal_sim_destroy(PalSim *sim)
{
    if (sim == NULL)
        return;
    pal_solver_destroy(sim->solver);
    pal_state_destroy(sim->state);
    pal_model_destroy(sim->own_model);
    pal_free(sim->vertex_of_node);
    pal_free(sim->pivots);
    pal_free(sim);
}

PalStatus pal_sim_step(PalSim *sim, PalError *error)
{
    return pal_solver_step(sim->model, sim->state, sim->solver, error);
}

// Are there steps to take before a time is reached?
static bool is_before(const PalSim *sim, double time)
{
    // a way to equilibrium is at the end time long before it has arrived
    double until = time * (1 - 1e-12), end = sim->solver->def.time;
    bool to_the_end = !sim->solver->method->in_time && until >= end * (1 - 1e-12);
    return !pal_sim_finished(sim) && (sim->state->time < until || to_the_end);
}

PalStatus pal_sim_advance(PalSim *sim, double time, PalError *error)
{
    return pal_sim_advance_within(sim, time, INFINITY, NULL, error);
}

PalStatus pal_sim_advance_within(PalSim *sim, double time, double seconds, double *reached,
                                 PalError *error)
{
    PalStatus status = PAL_OK;
    double start = pal_timer_seconds();
    if (isnan(time) || isnan(seconds))
        status = pal_error_set(error, PAL_BAD_INPUT,
                               "asked to advance to time %g within %g seconds, expected numbers",
                               time, seconds);
    else if (isinf(time) && isinf(seconds) && isinf(sim->solver->def.time))
        status =
            pal_error_set(error, PAL_BAD_INPUT,
                          "asked to advance to an infinite time, but the simulation has no end");
    while (status == PAL_OK && is_before(sim, time)) {
        status = pal_sim_step(sim, error);
        if (isfinite(seconds) && pal_timer_seconds() - start >= seconds)
            break;
    }
    if (reached != NULL)
        *reached = sim->state->time;
    return status;
}

bool pal_sim_finished(const PalSim *sim)
{
    return pal_solver_finished(sim->state, sim->solver);
}

const PalModel *pal_sim_model(const PalSim *sim)
{
    return sim->model;
}

const PalState *pal_sim_state(const PalSim *sim)
{
    return sim->state;
}

const PalSolverDef *pal_sim_solver(const PalSim *sim)
{
    return &sim->solver->def;
}

int32_t pal_sim_thread_count(const PalSim *sim)
{
    return sim->solver->pace.most;
}

// Of the cells around the node that dictates the bound, the one that contributes most. PAL_NONE
// where a spring dictates it, or nothing does.
double pal_sim_stable_step(PalSim *sim, int32_t *body_index, int32_t *cell_index)
{
    const PalModel *model = sim->model;
    int32_t node = 0, b = 0, not_wanted[2];
    body_index = body_index != NULL ? body_index : &not_wanted[0];
    cell_index = cell_index != NULL ? cell_index : &not_wanted[1];
    double bound = pal_solver_stable_step(model, sim->state->displacement, sim->solver, &node);
    double rigid_bound = pal_rigids_stable_step(model);
    *body_index = *cell_index = PAL_NONE;
    if (rigid_bound < bound || model->body_count == 0)
        return rigid_bound;
    while (b + 1 < model->body_count && model->bodies[b + 1].first_node <= node)
        ++b;
    const PalMesh *mesh = model->bodies[b].mesh;
    int32_t corner_count = pal_cell_node_count(mesh->cell_kind);
    double most = -1;
    *body_index = b;
    for (int64_t i = 0; i < (int64_t)mesh->cell_count * corner_count; ++i) {
        int32_t cell = (int32_t)(i / corner_count);
        int32_t element = model->cell_element[model->bodies[b].first_cell + cell];
        if (mesh->cells[i] == node - model->bodies[b].first_node &&
            sim->solver->element_bounds[element] > most) {
            most = sim->solver->element_bounds[element];
            *cell_index = cell;
        }
    }
    return bound;
}

void pal_sim_set_watch(PalSim *sim, PalWatch watch)
{
    sim->solver->watch = watch;
}

size_t pal_sim_method_bytes(const PalSim *sim)
{
    const PalMethodRow *method = sim->solver->method;
    return method->bytes != NULL ? method->bytes(sim->model, sim->solver) : 0;
}

double pal_sim_next_step(const PalSim *sim)
{
    return sim->solver->next_step;
}

bool pal_sim_shorten_step(PalSim *sim, double length)
{
    PalSolver *solver = sim->solver;
    if (!solver->method->in_time || solver->method->replan == NULL || !(length > 0))
        return false;
    if (length < solver->next_step)
        pal_solver_cut_step(sim->model, sim->state, solver, length);
    return true;
}

double pal_sim_progress(const PalSim *sim)
{
    return sim->solver->method->progress(sim->state, sim->solver);
}

double pal_sim_load_time(const PalSim *sim)
{
    return pal_solver_load_time(sim->state, sim->solver);
}

const double *pal_sim_convergence(const PalSim *sim, int32_t *count)
{
    *count = 0;
    return sim->solver->method->trace != NULL ? sim->solver->method->trace(sim->solver, count)
                                              : NULL;
}

double pal_sim_residual(const PalSim *sim)
{
    const PalMethodRow *method = sim->solver->method;
    return method->residual != NULL ? method->residual(sim->solver) : 0;
}

const PalProfile *pal_sim_profile(const PalSim *sim)
{
    return &sim->meter.profile;
}

void pal_sim_add_output_seconds(PalSim *sim, double seconds)
{
    sim->meter.profile.output += seconds;
}

const PalCounters *pal_sim_counters(const PalSim *sim)
{
    return &sim->meter.counters;
}
