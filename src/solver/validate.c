#include "solver/solver.h"

#include "base/valid.h"
#include "model/conditions.h"

#define HOLDS(condition, what, index) PAL_HOLDS(condition, error, "solver is", what, index)

PalStatus pal_solver_validate(const PalState *state, const PalSolver *solver, PalError *error)
{
    HOLDS(solver->interval > 0, "how often the bound is looked at", solver->interval);
    HOLDS(solver->origin_count >= 0 && solver->origin_count <= state->step_count,
          "where steps are counted from", solver->origin_count);
    HOLDS(solver->thread_count >= 1 && solver->thread_count <= solver->pace.most,
          "the number of threads", solver->thread_count);
    HOLDS(solver->node_threads >= 1 && solver->node_threads <= solver->thread_count,
          "the number of threads for nodes", solver->node_threads);
    if (solver->contact == NULL || solver->kept_first == NULL)  // implicit methods keep none
        return PAL_OK;
    int32_t count, k = 0;
    const int32_t *nodes = pal_contact_nodes(solver->contact, &count);
    for (int32_t c = 0; c < solver->chunk_count; ++c) {
        HOLDS(solver->kept_first[c] == k, "which nodes contact may push in a chunk", c);
        while (k < count && nodes[k] / PAL_NODE_CHUNK == c)
            ++k;
    }
    HOLDS(k == count && solver->kept_first[solver->chunk_count] == count,
          "which nodes contact may push in all", k);
    return PAL_OK;
}
