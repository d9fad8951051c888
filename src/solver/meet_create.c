#include "solver/meet_create.h"

#include "base/memory.h"
#include "contact/response/trial.h"
#include "solver/implicit.h"
#include "solver/unheld.h"

#include <math.h>
#include <string.h>

#define CAREFUL 0.2   // of the first step of statics: where contacts are is not known yet
#define SHIFT   1e-7  // of the mean of the diagonal: what holds bodies that nothing touches yet

// ---- creating ---------------------------------------------------------------------------

static PalStatus check(const PalContactSetup *setup, const PalModel *model, const PalSolver *solver,
                       PalError *error)
{
    const char *method = solver->method->choice.name;
    if (setup->def->schedule != PAL_SCHEDULE_EVERY_STEP)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "schedule %s does not serve method %s, which looks for contact in "
                             "every correction, expected every-step",
                             pal_schedule_name(setup->def->schedule), method);
    for (int32_t r = 0; r < model->rigid_count; ++r)
        if (model->rigids[r].free)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "method %s does not move free rigid bodies such as \"%s\" by "
                                 "contact: make it a body, or use method: explicit",
                                 method, model->rigids[r].name);
    if (!(setup->def->stiffness > 0) || !isfinite(setup->def->stiffness))
        return pal_error_set(error, PAL_BAD_INPUT, "contact stiffness is %g, expected a number > 0",
                             setup->def->stiffness);
    return PAL_OK;
}

// Bodies may hold each other.
static PalStatus check_held(const PalModel *model, PalSolver *solver, PalError *error)
{
    int32_t found = 0;
    bool *touches = pal_alloc((size_t)model->body_count, sizeof *touches);
    if (touches == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    for (int32_t b = 0; b < model->body_count; ++b)
        touches[b] = solver->contact != NULL && pal_pairs_touching(solver->contact->objects, b);
    PalStatus status = pal_check_held(model, touches, &found, error);
    pal_free(touches);
    pal_implicit_of(solver)->newton.shift = found > 0 ? SHIFT : 0;
    return status;
}

// What meets a force on one node of a body's surface, in the mean.
static void find_stiffness(const PalModel *model, const PalState *state, PalSolver *solver)
{
    PalNewton *newton = &pal_implicit_of(solver)->newton;
    const PalContactSurface *surface = solver->contact->surface;
    PalStiffness *k = newton->stiffness;
    PalStiffnessStep taken = {1, state->history, state->history};
    pal_stiffness_assemble(k, solver->scratch, state->displacement, &taken);
    for (int32_t object = 0; object < surface->object_count; ++object) {
        double sum = 0, mass = 0;
        int64_t count = 0, nodes = 0;
        newton->object_stiffness[object] = INFINITY;
        newton->object_mass[object] = 0;
        if (object >= surface->body_count)
            continue;
        for (int32_t v = surface->object_first_vertex[object];
             v < surface->object_first_vertex[object + 1]; ++v) {
            int32_t node = surface->vertex_node[v];
            mass += model->mass[node];
            ++nodes;
            for (int i = 0; i < 3; ++i) {
                int32_t row = k->equation[3 * (int64_t)node + i];
                if (row == PAL_NONE)
                    continue;
                sum += fabs(k->value[k->start[row + 1] - 1]);
                ++count;
            }
        }
        newton->object_stiffness[object] = count > 0 ? sum / (double)count : INFINITY;
        newton->object_mass[object] = nodes > 0 ? mass / (double)nodes : 0;
    }
}

static PalStatus allocate(const PalModel *model, PalSolver *solver, PalError *error)
{
    PalNewton *newton = &pal_implicit_of(solver)->newton;
    size_t objects = (size_t)solver->contact->surface->object_count;
    newton->object_stiffness = pal_alloc(objects, sizeof *newton->object_stiffness);
    newton->object_mass = pal_alloc(objects, sizeof *newton->object_mass);
    newton->trial_stiffness = pal_alloc(objects, sizeof *newton->trial_stiffness);
    newton->lead = pal_alloc((size_t)model->node_count + 1, sizeof *newton->lead);
    if (newton->object_stiffness == NULL || newton->object_mass == NULL ||
        newton->trial_stiffness == NULL || newton->lead == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    PAL_TRY(pal_couplings_create(newton->stiffness, error));
    const PalStiffness *k = newton->stiffness;
    if (solver->contact->response->implicit->tame && solver->def.linear == PAL_LINEAR_DIRECT &&
        k->unknown_count == k->free_count)
        PAL_TRY(pal_cg_create(k->free_count, &newton->cg, error));
    if (solver->contact->response->implicit->couple == NULL || newton->gmres.size > 0 ||
        solver->def.linear != PAL_LINEAR_DIRECT)
        return PAL_OK;
    newton->turned = pal_alloc((size_t)model->node_count + 1, sizeof *newton->turned);
    if (newton->turned == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    return pal_gmres_create(newton->stiffness->unknown_count, &newton->gmres, error);
}

PalStatus pal_meet_create(const PalContactSetup *setup, const PalModel *model,
                          const PalState *state, PalSolver *solver, PalError *error)
{
    if (pal_contact_def_touches(setup->def)) {
        PAL_TRY(check(setup, model, solver, error));
        PAL_TRY(pal_contact_create(setup, model, state, &solver->contact, error));
        pal_contact_set_mass(solver->contact, model, solver->method->inverse_mass(solver));
        PAL_TRY(pal_trial_create(solver->contact, error));
        PAL_TRY(allocate(model, solver, error));
        find_stiffness(model, state, solver);
        PalNewton *newton = &pal_implicit_of(solver)->newton;
        newton->touches = true;
        if (!solver->method->in_time && solver->def.step == 0)
            solver->next_step = pal_implicit_of(solver)->numbers.length *= CAREFUL;
        memcpy(solver->contact->trial->stiffness, newton->object_stiffness,
               (size_t)solver->contact->surface->object_count * sizeof(double));
        if (solver->contact->response->implicit->choose != NULL)
            solver->contact->response->implicit->choose(solver->contact);
    }
    return solver->method->in_time ? PAL_OK : check_held(model, solver, error);
}
