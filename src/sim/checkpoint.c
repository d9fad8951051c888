// Everything that changes in a simulation, as named arrays; and a hash of it.
#include "base/hash.h"
#include "contact/arrays.h"
#include "model/validate.h"
#include "sim/sim.h"

#include <math.h>

// Numbers of state and solver that are not arrays: where they live.
static int32_t list_scalars(PalSim *sim, double *places[16])
{
    PalState *state = sim->state;
    PalSolver *solver = sim->solver;
    int32_t count = 0;
    places[count++] = &state->time;
    places[count++] = &state->step;
    places[count++] = &state->external_work;
    places[count++] = &state->damping_work;
    places[count++] = &state->internal_work;
    places[count++] = &state->contact_work;
    places[count++] = &solver->next_step;
    places[count++] = &solver->bound;
    places[count++] = &solver->stop;
    places[count++] = &solver->origin_time;
    return count;
}

static int32_t list_integers(PalSim *sim, int64_t *places[16])
{
    PalSolver *solver = sim->solver;
    int32_t count = 0;
    places[count++] = &sim->state->step_count;
    places[count++] = &solver->next_estimate;
    places[count++] = &solver->interval;
    places[count++] = &solver->origin_count;
    places[count++] = &sim->meter.counters.step_estimates;
    places[count++] = &sim->meter.counters.step_changes;
    return count;
}

static void gather(PalSim *sim, int32_t *scalar_count, int32_t *integer_count)
{
    double *scalars[16] = {NULL};
    int64_t *integers[16] = {NULL};
    *scalar_count = list_scalars(sim, scalars);
    *integer_count = list_integers(sim, integers);
    for (int32_t i = 0; i < *scalar_count; ++i)
        sim->scalars[i] = *scalars[i];
    for (int32_t i = 0; i < *integer_count; ++i)
        sim->integers[i] = *integers[i];
}

static void add(PalNamedArray *arrays, int32_t *count, const char *name, void *data, int64_t size)
{
    arrays[(*count)++] = (PalNamedArray){.name = name, .data = data, .count = size};
}

int32_t pal_sim_arrays(PalSim *sim, PalNamedArray arrays[PAL_SIM_ARRAY_MAX])
{
    PalState *state = sim->state;
    PalSolver *solver = sim->solver;
    int64_t nodes = 3 * (int64_t)sim->model->node_count;
    int32_t scalar_count, integer_count, count = 0;
    gather(sim, &scalar_count, &integer_count);
    add(arrays, &count, "scalars", sim->scalars, scalar_count);
    arrays[count++] = (PalNamedArray){
        .name = "integers", .data = sim->integers, .count = integer_count, .kind = PAL_ARRAY_INT64};
    add(arrays, &count, "displacement", state->displacement, nodes);
    add(arrays, &count, "velocity", state->velocity, nodes);
    add(arrays, &count, "acceleration", state->acceleration, nodes);
    add(arrays, &count, "force", state->force, nodes);
    add(arrays, &count, "external", state->external, nodes);
    add(arrays, &count, "reaction", state->reaction, nodes);
    add(arrays, &count, "contact", state->contact, nodes);
    add(arrays, &count, "history", state->history, state->history_count);
    if (sim->model->rigid_count > 0)
        add(arrays, &count, "rigids", state->rigids,
            sim->model->rigid_count * (int64_t)(sizeof *state->rigids / sizeof(double)));
    if (sim->model->rigid_count > 0)
        add(arrays, &count, "pivots", sim->pivots, 3 * (int64_t)sim->model->rigid_count);
    if (sim->model->condition_count > 0)
        add(arrays, &count, "conditions", state->conditions,
            sim->model->condition_count * (int64_t)(sizeof *state->conditions / sizeof(double)));
    if (solver->method->arrays != NULL)
        count += solver->method->arrays(sim->model, solver, arrays + count);
    if (solver->contact == NULL)
        return count;
    int32_t more = pal_contact_arrays(solver->contact, arrays + count);
    return more == PAL_NONE ? PAL_NONE : count + more;
}

// What nodes and materials have is finite in every state that is kept.
static PalStatus check_finite(const PalSim *sim, PalError *error)
{
    const PalState *state = sim->state;
    int64_t nodes = 3 * (int64_t)sim->model->node_count;
    const struct {
        const char *name;
        const double *data;
        int64_t count;
    } all[] = {
        {"displacement", (const double *)state->displacement, nodes},
        {"velocity", (const double *)state->velocity, nodes},
        {"acceleration", (const double *)state->acceleration, nodes},
        {"force", (const double *)state->force, nodes},
        {"external", (const double *)state->external, nodes},
        {"reaction", (const double *)state->reaction, nodes},
        {"contact", (const double *)state->contact, nodes},
        {"history", state->history, state->history_count},
    };
    for (size_t a = 0; a < sizeof all / sizeof *all; ++a)
        for (int64_t i = 0; i < all[a].count; ++i)
            if (!isfinite(all[a].data[i]))
                return pal_error_set(error, PAL_BAD_INPUT,
                                     "the checkpoint is not valid: %s has a value that is no "
                                     "finite number",
                                     all[a].name);
    return PAL_OK;
}

// What a file holds may be anything: it is refused unless a run could have written it.
static PalStatus check_restored(const PalSim *sim, PalError *error)
{
    const PalSolver *solver = sim->solver;
    PalError cause = {0};
    PAL_TRY(check_finite(sim, error));
    if (!(solver->next_step > 0) || !isfinite(solver->next_step) || !isfinite(solver->origin_time))
        return pal_error_set(error, PAL_BAD_INPUT, "the step in the checkpoint is not valid");
    for (int32_t r = 0; r < sim->model->rigid_count; ++r)
        if (!pal_vec3_is_finite(sim->pivots[r]))
            return pal_error_set(error, PAL_BAD_INPUT, "a pivot in the checkpoint is not valid");
    if (pal_state_validate(sim->model, sim->state, &cause) == PAL_OK &&
        pal_solver_validate(sim->state, solver, &cause) == PAL_OK)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "the checkpoint is not valid: %s", cause.text);
}

PalStatus pal_sim_restored(PalSim *sim, PalError *error)
{
    double *scalars[16] = {NULL};
    int64_t *integers[16] = {NULL};
    int32_t scalar_count = list_scalars(sim, scalars), integer_count = list_integers(sim, integers);
    for (int32_t i = 0; i < integer_count; ++i)
        if (sim->integers[i] < -PAL_STEP_COUNT_MAX || sim->integers[i] > PAL_STEP_COUNT_MAX)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "the counts in the checkpoint are not valid");
    for (int32_t i = 0; i < scalar_count; ++i)
        *scalars[i] = sim->scalars[i];
    for (int32_t i = 0; i < integer_count; ++i)
        *integers[i] = sim->integers[i];
    PAL_TRY(check_restored(sim, error));
    PAL_TRY(pal_solver_restored(sim->model, sim->state, sim->solver, error));
    PalContact *contact = sim->solver->contact;
    return contact != NULL ? pal_contact_arrays_restored(contact, error) : PAL_OK;
}

// Conditions and frictions that a program has changed.
static uint64_t hash_changes(uint64_t hash, const PalSim *sim)
{
    for (int32_t c = 0; c < sim->model->condition_count; ++c) {
        const PalConditionState *condition = &sim->state->conditions[c];
        if (condition->steered != 0) {
            hash = pal_hash(hash, &c, sizeof c);
            hash = pal_hash(hash, condition, sizeof *condition);
        }
    }
    int32_t pair_count;
    const PalContactPairReport *pairs = pal_sim_contact_pairs(sim, &pair_count);
    for (int32_t p = 0; p < pair_count; ++p) {
        const PalContactDef *def = &sim->solver->contact->def;
        bool self = pairs[p].objects[0] == pairs[p].objects[1];
        double given = p < def->pair_count ? def->pairs[p].friction
                       : self              ? def->every_self_friction
                                           : def->every_pair_friction;
        if (pairs[p].friction != given) {
            hash = pal_hash(hash, &p, sizeof p);
            hash = pal_hash(hash, &pairs[p].friction, sizeof pairs[p].friction);
        }
    }
    return hash;
}

uint64_t pal_sim_hash(const PalSim *sim)
{
    const PalState *state = sim->state;
    size_t bytes = (size_t)sim->model->node_count * sizeof(PalVec3);
    uint64_t hash = PAL_HASH_START;
    hash = pal_hash(hash, &state->time, sizeof state->time);
    hash = pal_hash(hash, &state->step, sizeof state->step);
    hash = pal_hash(hash, &state->step_count, sizeof state->step_count);
    hash = pal_hash_words(hash, state->displacement, bytes);
    hash = pal_hash_words(hash, state->velocity, bytes);
    hash = pal_hash_words(hash, state->acceleration, bytes);
    hash = pal_hash_words(hash, state->force, bytes);
    hash = pal_hash_words(hash, state->external, bytes);
    hash = pal_hash_words(hash, state->reaction, bytes);
    hash = pal_hash_words(hash, state->contact, bytes);
    hash = pal_hash(hash, state->history, (size_t)state->history_count * sizeof(double));
    for (int32_t r = 0; r < sim->model->rigid_count; ++r)  // the others follow from the time
        if (sim->model->rigids[r].free || state->rigids[r].steered != 0)
            hash = pal_hash(hash, &state->rigids[r], sizeof state->rigids[r]);
    hash = hash_changes(hash, sim);
    hash = pal_hash(hash, &state->external_work, sizeof state->external_work);
    hash = pal_hash(hash, &state->damping_work, sizeof state->damping_work);
    hash = pal_hash(hash, &state->internal_work, sizeof state->internal_work);
    return pal_hash(hash, &state->contact_work, sizeof state->contact_work);
}
