#include "solver/trouble.h"

#include "math/vec3.h"
#include "solver/method.h"

#include <stdio.h>

// Names what turned inside out, and what to do about it.
PalStatus pal_solver_report_inverted(const PalModel *model, const PalState *state,
                                     const PalSolver *solver, int32_t element, PalError *error)
{
    int32_t cell = 0;
    while (cell < model->cell_count && model->cell_element[cell] != element)
        ++cell;
    int32_t b = 0;
    while (b + 1 < model->body_count && model->bodies[b + 1].first_cell <= cell)
        ++b;
    const PalBody *body = &model->bodies[b];
    int32_t corner_count = pal_cell_node_count(body->mesh->cell_kind);
    const int32_t *corners = body->mesh->cells + (int64_t)(cell - body->first_cell) * corner_count;
    PalVec3 place = {0, 0, 0};
    for (int32_t a = 0; a < corner_count; ++a)
        place = pal_vec3_add_scaled(place, 1.0 / corner_count, body->mesh->nodes[corners[a]]);
    for (int32_t a = 0; a < corner_count; ++a)
        if (!pal_vec3_is_finite(state->displacement[body->first_node + corners[a]]))
            return pal_error_set(error, PAL_SIM_FAILED,
                                 "node %d of body \"%s\", at (%.4g, %.4g, %.4g) before any motion, "
                                 "has no valid position at time %.6g, step %lld: it is not a "
                                 "number, or too large; a load, a speed or a step is far too large",
                                 corners[a], body->name, body->mesh->nodes[corners[a]].x,
                                 body->mesh->nodes[corners[a]].y, body->mesh->nodes[corners[a]].z,
                                 state->time, (long long)state->step_count);
    bool too_long = solver->next_step > solver->bound && solver->method->in_time;
    char advice[300] = "the load is too fast or too large for this mesh: ramp it more slowly, "
                       "lower it, or refine";
    if (solver->method->inverted_advice != NULL)
        snprintf(advice, sizeof advice, "%s", solver->method->inverted_advice);
    else if (!too_long && solver->def.step == 0 && solver->contact != NULL)
        snprintf(advice, sizeof advice,
                 "the load or a blow is too fast or too large for this mesh: slow it down, lower "
                 "it, refine, try a lower safety than %g or a step below %.2g, or a law that "
                 "resists collapse, as mooney-rivlin does",
                 solver->def.safety, solver->next_step);
    if (too_long)
        snprintf(advice, sizeof advice,
                 "the step %.4g exceeds the stable bound %.4g: use step: auto, or a smaller step",
                 solver->next_step, solver->bound);
    return pal_error_set(error, PAL_SIM_FAILED,
                         "cell %d of body \"%s\", at (%.4g, %.4g, %.4g) before deformation, turned "
                         "inside out at time %.6g, step %lld; %s",
                         cell - body->first_cell, body->name, place.x, place.y, place.z,
                         state->time, (long long)state->step_count, advice);
}

int32_t pal_solver_bound_body(const PalModel *model, const PalSolver *solver)
{
    int32_t b = 0;
    while (b + 1 < model->body_count && model->bodies[b + 1].first_node <= solver->bound_node)
        ++b;
    return b;
}

PalStatus pal_solver_report_crushed(const PalModel *model, const PalState *state,
                                    const PalSolver *solver, PalError *error)
{
    int32_t b = pal_solver_bound_body(model, solver);
    PalVec3 place = model->nodes[solver->bound_node];
    return pal_error_set(
        error, PAL_SIM_FAILED,
        "cells of body \"%s\" around (%.4g, %.4g, %.4g), before deformation, are "
        "crushed at time %.6g, step %lld: the stable step fell from %.3g to %.3g; "
        "the load is too large for this mesh: lower it or refine; laws that resist "
        "collapse most are mooney-rivlin, ogden and veronda-westmann",
        model->bodies[b].name, place.x, place.y, place.z, state->time, (long long)state->step_count,
        solver->first_bound, solver->shape_bound);
}
