#include "solver/ahead.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/ties.h"
#include "solver/method.h"

static bool has_ties(const PalModel *model)
{
    return model->ties != NULL && model->ties->count > 0;
}

PalStatus pal_solver_allow_ahead(const PalModel *model, PalSolver *solver, PalError *error)
{
    PalForcesAhead *ahead = &solver->ahead;
    int32_t carriers;
    pal_contact_nodes(solver->contact, &carriers);
    if (!solver->method->forces_follow || solver->pace.most < 2 || has_ties(model))
        return PAL_OK;
    PAL_TRY(pal_element_scratch_allow_ahead(solver->scratch, error));
    ahead->displacement = pal_alloc((size_t)model->node_count, sizeof *ahead->displacement);
    ahead->force = pal_alloc((size_t)carriers, sizeof *ahead->force);
    ahead->pushed = pal_alloc((size_t)carriers, sizeof *ahead->pushed);
    if (ahead->displacement == NULL || ahead->force == NULL || ahead->pushed == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    ahead->allowed = true;
    return PAL_OK;
}

void pal_solver_clear_ahead(PalSolver *solver)
{
    pal_free(solver->ahead.displacement);
    pal_free(solver->ahead.force);
    pal_free(solver->ahead.pushed);
}

typedef struct Task {
    const PalModel *model;
    const PalState *state;
    const PalSolver *solver;
    double step;
} Task;

// Where the nodes of a chunk go without contact, to the last bit as they are moved when it is over;
// and the forces that their block will overwrite.
static void look_ahead(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const Task *task = context;
    const PalModel *model = task->model;
    const PalSolver *solver = task->solver;
    int32_t begin, end, first, last;
    pal_chunk_range(model, chunk, &begin, &end);
    const double *restrict u = &task->state->displacement[0].x;
    const double *restrict v = &task->state->velocity[0].x;
    double *restrict to = &solver->ahead.displacement[0].x, step = task->step;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i)
        to[i] = u[i] + step * v[i];
    pal_solver_lead_held(model, solver, chunk, solver->ahead.displacement);
    const int32_t *nodes = pal_solver_kept_nodes(solver, chunk, &first, &last);
    for (int32_t k = first; k < last; ++k)
        solver->ahead.force[k] = task->state->force[nodes[k]];
}

// The nodes that contact has pushed last.
static PalNodeList pushed_nodes(const PalSolver *solver)
{
    const PalContact *contact = solver->contact;
    PalNodeList list = {0, solver->ahead.pushed};
    int32_t node_count;
    const int32_t *nodes = pal_contact_nodes(contact, &node_count);
    for (int32_t i = 0; i < contact->changed_count; ++i)
        if (contact->changed[i] < node_count)
            solver->ahead.pushed[list.count++] = nodes[contact->changed[i]];
    return list;
}

// A contact that slept in the last step is likely to take no time in this one.
void pal_solver_begin_ahead(const PalModel *model, PalState *state, PalSolver *solver, double step)
{
    solver->ahead.begun = false;
    if (!solver->ahead.allowed || solver->thread_count < 2 || solver->contact->asleep)
        return;
    Task task = {model, state, solver, step};
    pal_parallel_for(solver->node_threads, solver->chunk_count, look_ahead, &task);
    PalNodeList unsure = pushed_nodes(solver);
    solver->ahead.begun = pal_elements_begin_force(solver->scratch, solver->ahead.displacement,
                                                   step, &unsure, state->force);
}

void pal_solver_end_ahead(PalSolver *solver)
{
    if (!solver->ahead.begun)
        return;
    PalNodeList pushed = pushed_nodes(solver);
    pal_elements_end_force(solver->scratch, &pushed);
    solver->ahead.begun = false;
}

PalVec3 pal_solver_force_before(const PalState *state, const PalSolver *solver, int32_t carrier)
{
    int32_t node_count;
    if (solver->ahead.begun)
        return solver->ahead.force[carrier];
    return state->force[pal_contact_nodes(solver->contact, &node_count)[carrier]];
}
