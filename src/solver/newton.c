#include "solver/newton.h"

#include "base/memory.h"
#include "math/components.h"
#include "math/linear.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/ties.h"

#include <math.h>
#include <string.h>

#define MANY 4000  // unknowns from which reusing factors is faster than making them anew

static bool allocate(const PalModel *model, const PalStiffness *stiffness, bool means,
                     PalNewton *newton)
{
    enum { ALWAYS = 7, ALL = 10 };
    size_t nodes = (size_t)model->node_count + 1, unknowns = (size_t)stiffness->unknown_count;
    size_t held = (size_t)(stiffness->row_count - stiffness->unknown_count);
    PalVec3 **arrays[ALL] = {&newton->motion,      &newton->tried,        &newton->old_displacement,
                             &newton->old_force,   &newton->old_external, &newton->old_reaction,
                             &newton->old_contact, &newton->mean_force,   &newton->mean_external,
                             &newton->end};
    bool whole = true;
    for (int k = 0; k < (means ? ALL : ALWAYS); ++k) {
        *arrays[k] = pal_alloc(nodes, sizeof(PalVec3));
        whole = whole && *arrays[k] != NULL;
    }
    size_t history = (size_t)pal_elements_history_count(model->elements);
    size_t entries = means ? (size_t)stiffness->start[stiffness->row_count] : 0;
    newton->mean_stiffness = pal_alloc(entries, sizeof *newton->mean_stiffness);
    newton->right = pal_alloc(unknowns, sizeof *newton->right);
    newton->held_motion = pal_alloc(held, sizeof *newton->held_motion);
    newton->old_history = pal_alloc(history, sizeof *newton->old_history);
    return whole && newton->right != NULL && newton->held_motion != NULL &&
           newton->old_history != NULL && newton->mean_stiffness != NULL;
}

// A distance between neighbours: of as many nodes spread evenly over as large a box.
static double grain_of(const PalModel *model)
{
    PalVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 x = model->nodes[n];
        low = pal_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = pal_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    return model->node_count > 0 ? pal_vec3_distance(low, high) / cbrt(model->node_count) : 0;
}

// Only where factors alone are not enough.
static PalStatus prepare_products(const PalModel *model, const PalSolver *solver, bool reuses,
                                  PalNewton *newton, PalError *error)
{
    int32_t size = newton->stiffness->unknown_count;
    newton->follows = pal_conditions_follow(model->conditions);
    newton->reuses = reuses && size >= MANY;
    if (solver->def.linear != PAL_LINEAR_DIRECT || !(newton->reuses || newton->follows))
        return PAL_OK;
    newton->spare = pal_alloc((size_t)size, sizeof *newton->spare);
    newton->turned = pal_alloc((size_t)model->node_count, sizeof *newton->turned);
    if (newton->spare == NULL || newton->turned == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    return pal_gmres_create(size, &newton->gmres, error);
}

PalStatus pal_newton_create(const PalModel *model, const PalSolver *solver, PalNewtonNeeds needs,
                            PalNewton *newton, PalError *error)
{
    pal_element_scratch_set_precise(solver->scratch);
    PalFollowers followers = {.count = 0};
    const PalTies *ties = model->ties;
    for (int32_t t = 0; ties != NULL && t < ties->count; ++t)
        if (ties->height[t] != 0)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "implicit methods cannot turn what is attached at a distance: a "
                                 "node at (%g, %g, %g) is %.4g away from what it is attached to, "
                                 "expected it on the surface, or method: explicit",
                                 model->nodes[ties->node[t]].x, model->nodes[ties->node[t]].y,
                                 model->nodes[ties->node[t]].z, fabs(ties->height[t]));
    if (ties != NULL)
        followers = (PalFollowers){ties->count, ties->node, ties->start, ties->to, ties->weight};
    PAL_TRY(pal_stiffness_create(model->elements, model->held, model->nodes, &followers,
                                 &newton->stiffness, error));
    if (!allocate(model, newton->stiffness, needs.means, newton))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    PAL_TRY(prepare_products(model, solver, needs.reuses, newton, error));
    newton->grain = grain_of(model);
    newton->linear = pal_linear_solver(solver->def.linear);
    PalSymmetric pattern = pal_stiffness_unknowns(newton->stiffness);
    if (pattern.size == 0)
        return PAL_OK;  // all is held
    return newton->linear->create(&pattern, &newton->factors, &newton->factor_bytes, error);
}

void pal_newton_clear(PalNewton *newton)
{
    if (newton->factors != NULL)
        newton->linear->destroy(newton->factors);
    if (newton->stiffness != NULL)
        pal_couplings_destroy(newton->stiffness);
    pal_stiffness_destroy(newton->stiffness);
    pal_gmres_clear(&newton->gmres);
    pal_cg_clear(&newton->cg);
    void *const all[] = {newton->right,
                         newton->held_motion,
                         newton->motion,
                         newton->tried,
                         newton->old_displacement,
                         newton->old_force,
                         newton->old_external,
                         newton->old_reaction,
                         newton->old_history,
                         newton->mean_force,
                         newton->mean_external,
                         newton->end,
                         newton->mean_stiffness,
                         newton->turned,
                         newton->spare,
                         newton->old_contact,
                         newton->object_stiffness,
                         newton->object_mass,
                         newton->trial_stiffness,
                         newton->lead};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        pal_free(all[k]);
}

size_t pal_newton_bytes(const PalModel *model, const PalNewton *newton)
{
    const PalStiffness *k = newton->stiffness;
    const bool means = newton->end != NULL;
    return newton->factor_bytes + pal_stiffness_bytes(k) +
           (size_t)k->unknown_count * sizeof(double) +
           (size_t)newton->gmres.size * (2 * PAL_GMRES_MOST + 2) * sizeof(double) +
           (size_t)newton->cg.size * 4 * sizeof(double) +
           (means ? (size_t)k->start[k->row_count] * sizeof(double) : 0) + pal_couplings_bytes(k) +
           (means ? 10 : 7) * (size_t)model->node_count * sizeof(PalVec3);
}

static void copy_nodes(const PalModel *model, PalVec3 *to, const PalVec3 *from)
{
    memcpy(to, from, (size_t)model->node_count * sizeof *to);
}

void pal_newton_keep(const PalModel *model, const PalState *state, PalNewton *newton)
{
    copy_nodes(model, newton->old_displacement, state->displacement);
    copy_nodes(model, newton->old_force, state->force);
    copy_nodes(model, newton->old_external, state->external);
    copy_nodes(model, newton->old_reaction, state->reaction);
    copy_nodes(model, newton->old_contact, state->contact);
    memcpy(newton->old_history, state->history, (size_t)state->history_count * sizeof(double));
    newton->old_load = newton->load;
}

void pal_newton_bring_back(const PalModel *model, PalState *state, const PalNewton *newton)
{
    copy_nodes(model, state->displacement, newton->old_displacement);
    copy_nodes(model, state->force, newton->old_force);
    copy_nodes(model, state->external, newton->old_external);
    copy_nodes(model, state->reaction, newton->old_reaction);
    copy_nodes(model, state->contact, newton->old_contact);
    memcpy(state->history, newton->old_history, (size_t)state->history_count * sizeof(double));
}

void pal_newton_add_work(const PalModel *model, PalState *state, const PalNewton *newton)
{
    double external = 0, internal = 0, contact = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 way = pal_vec3_sub(state->displacement[n], newton->old_displacement[n]);
        if (newton->mean) {
            PalVec3 load = newton->mean_external[n];
            external += pal_vec3_dot(load, way);
            internal += pal_vec3_dot(pal_vec3_sub(load, newton->mean_force[n]), way);
            continue;
        }
        PalVec3 before = pal_vec3_add(newton->old_external[n], newton->old_reaction[n]);
        PalVec3 after = pal_vec3_add(state->external[n], state->reaction[n]);
        external += pal_vec3_dot(pal_vec3_add(before, after), way) / 2;
        before = pal_vec3_sub(newton->old_external[n], newton->old_force[n]);
        after = pal_vec3_sub(state->external[n], state->force[n]);
        internal += pal_vec3_dot(pal_vec3_add(before, after), way) / 2;
        if (newton->touches) {
            PalVec3 old = newton->late ? state->contact[n] : newton->old_contact[n];
            PalVec3 push = pal_vec3_add(old, state->contact[n]);
            PalVec3 free = pal_vec3_without(push, model->held[n]);
            contact += pal_vec3_dot(push, way) / 2;
            external -= pal_vec3_dot(pal_vec3_sub(push, free), way) / 2;
        }
    }
    state->external_work += external;
    state->internal_work += internal;
    state->contact_work += contact;
}
