#include "solver/seek.h"

#include "base/timer.h"
#include "math/components.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/load_tangent.h"
#include "model/ties.h"
#include "solver/meet.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-14  // of stiffness times lengths: no force can be more exact
#define EXACT    1e-12  // of lengths: a correction that is only rounding
#define KEEPS    0.1    // of the tolerance, where energy is to be kept over many steps

// Gauss's points and weights on a step, for mean forces: exact for polynomials up to t^7.
enum { POINTS = 4 };
static const double points[POINTS] = {0.069431844202973714, 0.33000947820757187,
                                      0.66999052179242813, 0.93056815579702623};
static const double weights[POINTS] = {0.17392742256872693, 0.32607257743127307,
                                       0.32607257743127307, 0.17392742256872693};

// And for the mean of t K: exact where K is cubic.
enum { TANGENT_POINTS = 2 };
static const double tangent_points[TANGENT_POINTS] = {0.35505102572168219, 0.84494897427831781};
static const double tangent_weights[TANGENT_POINTS] = {0.18195861825602284, 0.31804138174397716};

void pal_seek_copy_nodes(const PalSeek *s, PalVec3 *to, const PalVec3 *from)
{
    memcpy(to, from, (size_t)s->model->node_count * sizeof *to);
}

// ---- forces -----------------------------------------------------------------------------

int32_t pal_seek_inverted_node(const PalSeek *s)
{
    const PalModel *model = s->model;
    PalElementTrouble trouble =
        pal_elements_force(model->elements, s->solver->scratch, s->state->displacement, 0,
                           s->state->history, s->state->force);
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        int32_t corners = pal_cell_node_count(body->mesh->cell_kind);
        for (int32_t c = 0; c < body->mesh->cell_count; ++c)
            if (model->cell_element[body->first_cell + c] == trouble.first_inverted)
                return body->first_node + body->mesh->cells[(int64_t)c * corners];
    }
    return PAL_NONE;
}

// Forces of the shape as it is, after part of the step.
static bool forces_at(const PalSeek *s, double part)
{
    PalError ignored = {0};
    const PalNewtonProblem *problem = &s->problem;
    s->newton->load =
        part < 1 ? problem->start + part * (problem->end - problem->start) : problem->end;
    memcpy(s->state->history, s->newton->old_history,
           (size_t)s->state->history_count * sizeof(double));
    if (pal_solver_forces(s->model, s->state, s->solver, part * problem->step, &ignored) != PAL_OK)
        return false;
    return !s->newton->touches || pal_meet_forces(s);
}

bool pal_seek_end_forces(const PalSeek *s)
{
    return forces_at(s, 1);
}

// The shape after part of the way from the old one to `end`.
static void place_between(const PalSeek *s, const PalVec3 *end, double part)
{
    for (int32_t n = 0; n < s->model->node_count; ++n) {
        PalVec3 old = s->newton->old_displacement[n];
        s->state->displacement[n] = pal_vec3_add_scaled(old, part, pal_vec3_sub(end[n], old));
    }
}

// Means along the straight way of all nodes: their work is the energy that elements take up,
// whatever the step.
static bool mean_forces(const PalSeek *s)
{
    PalNewton *newton = s->newton;
    size_t bytes = (size_t)s->model->node_count * sizeof(PalVec3);
    pal_seek_copy_nodes(s, newton->end, s->state->displacement);
    memset(newton->mean_force, 0, bytes);
    memset(newton->mean_external, 0, bytes);
    bool good = true;
    for (int q = 0; q < POINTS && good; ++q) {
        place_between(s, newton->end, points[q]);
        good = forces_at(s, points[q]);
        for (int32_t n = 0; good && n < s->model->node_count; ++n) {
            newton->mean_force[n] =
                pal_vec3_add_scaled(newton->mean_force[n], weights[q], s->state->force[n]);
            newton->mean_external[n] =
                pal_vec3_add_scaled(newton->mean_external[n], weights[q], s->state->external[n]);
        }
    }
    pal_seek_copy_nodes(s, s->state->displacement, newton->end);
    if (!good)
        return false;
    pal_seek_copy_nodes(s, s->state->force, newton->mean_force);
    pal_seek_copy_nodes(s, s->state->external, newton->mean_external);
    return true;
}

bool pal_seek_forces(const PalSeek *s)
{
    return s->problem.mean ? mean_forces(s) : forces_at(s, 1);
}

double pal_seek_residual(const PalSeek *s, int32_t component)
{
    int32_t n = component / 3, i = component % 3;
    double force = s->problem.weight * (&s->state->force[n].x)[i];
    if (s->problem.inertia == 0)
        return force;
    double away = (&s->state->displacement[n].x)[i] - (&s->problem.base[n].x)[i];
    return force - s->problem.inertia * s->model->mass[n] * away;
}

void pal_seek_set_right(const PalSeek *s)
{
    const PalStiffness *k = s->newton->stiffness;
    for (int32_t r = 0; r < k->free_count; ++r)
        s->newton->right[r] = pal_seek_residual(s, k->component[r]);
    for (int32_t r = k->free_count; r < k->unknown_count; ++r)
        s->newton->right[r] = 0;
}

// Forces that act are loads, holds and inertia, counted half each, as each is met by another. Where
// contact has just come apart there may be none; then those inside count, which did act.
void pal_seek_measure(PalSeek *s)
{
    const PalModel *model = s->model;
    double left = 0, acting = 0, inside = 0, most = -1, reach = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 free = {0, 0, 0}, held = {0, 0, 0}, f = s->state->force[n];
        for (int i = 0; i < 3; ++i)
            if (model->held[n] >> i & 1)
                pal_vec3_put(&held, i, pal_vec3_at(f, i));
            else
                pal_vec3_put(&free, i, pal_seek_residual(s, 3 * n + i));
        PalVec3 inertia = pal_vec3_sub(pal_vec3_scale(s->problem.weight, f), free);
        double length = pal_vec3_length(free);
        left += length;
        acting += (pal_vec3_length(held) + pal_vec3_length(s->state->external[n])) / 2;
        acting += s->problem.inertia > 0 ? pal_vec3_length(inertia) / 2 : 0;
        if (s->newton->touches) {
            PalVec3 outside = pal_vec3_add(s->state->contact[n], s->state->external[n]);
            acting += pal_vec3_length(s->state->contact[n]) / 2;
            inside += pal_vec3_length(pal_vec3_sub(f, outside)) / 2;
        }
        reach = fmax(reach, pal_vec3_length(s->state->displacement[n]));
        if (length > most) {
            most = length;
            s->outcome->node = n;
        }
    }
    double rounding = ROUNDING * s->stiffness * fmax(reach, s->newton->grain);
    acting = fmax(acting, inside) + rounding / s->solver->def.tolerance;
    s->outcome->imbalance = left == 0 ? 0 : left / acting;
}

// ---- corrections ------------------------------------------------------------------------

// Elements and loads of the shape as it is, after part of the step.
static void assemble_at(const PalSeek *s, double part)
{
    PalStiffness *k = s->newton->stiffness;
    const PalNewtonProblem *problem = &s->problem;
    PalStiffnessStep taken = {part * problem->step, s->newton->old_history, s->state->history};
    double time = problem->start + part * (problem->end - problem->start);
    if (part < 1 && s->state->history_count > 0)  // what memory is made of there
        forces_at(s, part);
    pal_stiffness_assemble(k, s->solver->scratch, s->state->displacement, &taken);
    if (s->solver->has_loads)
        pal_conditions_add_tangent(s->model, s->state, part < 1 ? time : problem->end, k);
}

// The derivative of mean forces is the mean of t K.
static void assemble_mean(const PalSeek *s)
{
    PalNewton *newton = s->newton;
    PalStiffness *k = newton->stiffness;
    int64_t count = k->start[k->row_count];
    memset(newton->mean_stiffness, 0, (size_t)count * sizeof *newton->mean_stiffness);
    pal_seek_copy_nodes(s, newton->end, s->state->displacement);
    for (int q = 0; q < TANGENT_POINTS; ++q) {
        place_between(s, newton->end, tangent_points[q]);
        assemble_at(s, tangent_points[q]);
        for (int64_t i = 0; i < count; ++i)
            newton->mean_stiffness[i] += tangent_weights[q] * k->value[i];
    }
    memcpy(k->value, newton->mean_stiffness, (size_t)count * sizeof *k->value);
    pal_seek_copy_nodes(s, s->state->displacement, newton->end);
    pal_seek_copy_nodes(s, s->state->force, newton->mean_force);
    pal_seek_copy_nodes(s, s->state->external, newton->mean_external);
}

// K = weight (elements + loads + contact) + inertia m
PalStatus pal_seek_assemble(PalSeek *s, PalError *error)
{
    PalNewton *newton = s->newton;
    PalStiffness *k = newton->stiffness;
    double start = pal_timer_seconds(), weight = s->problem.weight;
    if (s->problem.mean)
        assemble_mean(s);
    else
        assemble_at(s, 1);
    for (int64_t i = 0; weight != 1 && i < k->start[k->row_count]; ++i)
        k->value[i] *= weight;
    s->stiffness = 0;
    for (int32_t r = 0; r < k->free_count; ++r) {
        double *diagonal = &k->value[k->start[r + 1] - 1];
        *diagonal += s->problem.inertia * s->model->mass[k->component[r] / 3];
        s->stiffness += fabs(*diagonal);
    }
    double more = s->problem.shift + s->damping;
    double shift = k->free_count > 0 ? more * s->stiffness / k->free_count : 0;
    for (int32_t r = 0; shift > 0 && r < k->free_count; ++r)
        k->value[k->start[r + 1] - 1] += shift;
    if (newton->touches)
        PAL_TRY(pal_meet_tangent(s, error));
    s->solver->meter->profile.assemble += pal_timer_seconds() - start;
    ++s->solver->meter->counters.iterations;
    return PAL_OK;
}

void pal_seek_spread(const PalSeek *s, const double *unknowns, const double *held, PalVec3 *nodes)
{
    const PalStiffness *k = s->newton->stiffness;
    double *motion = &nodes[0].x;
    memset(nodes, 0, (size_t)s->model->node_count * sizeof *nodes);
    for (int32_t r = 0; r < k->free_count; ++r)
        motion[k->component[r]] = unknowns[r];
    for (int32_t r = k->unknown_count; held != NULL && r < k->row_count; ++r)
        motion[k->component[r]] = held[r - k->unknown_count];
    pal_ties_follow(s->model, nodes);
}

bool pal_seek_held_motion(const PalSeek *s, double *motion)
{
    const PalModel *model = s->model;
    const PalStiffness *k = s->newton->stiffness;
    const int32_t *nodes = pal_conditions_held_nodes(model->conditions);
    bool moves = false;
    for (int32_t h = 0; h < pal_conditions_held_count(model->conditions); ++h)
        for (int i = 0; i < 3; ++i) {
            int32_t row = k->equation[3 * (int64_t)nodes[h] + i];
            if (!(model->held[nodes[h]] >> i & 1) || row == PAL_NONE)
                continue;
            double way = (&s->solver->targets[h].x)[i] - (&s->state->displacement[nodes[h]].x)[i];
            motion[row - k->unknown_count] = way;
            moves = moves || way != 0;
        }
    return moves;
}

void pal_seek_place_held(const PalSeek *s)
{
    const PalModel *model = s->model;
    const int32_t *nodes = pal_conditions_held_nodes(model->conditions);
    for (int32_t h = 0; h < pal_conditions_held_count(model->conditions); ++h)
        for (int i = 0; i < 3; ++i)
            if (model->held[nodes[h]] >> i & 1)
                (&s->state->displacement[nodes[h]].x)[i] = (&s->solver->targets[h].x)[i];
    pal_ties_follow(model, s->state->displacement);
}

void pal_seek_place(const PalSeek *s, double part)
{
    for (int32_t n = 0; n < s->model->node_count; ++n)
        s->state->displacement[n] =
            pal_vec3_add_scaled(s->newton->tried[n], part, s->newton->motion[n]);
}

double pal_seek_largest_motion(const PalSeek *s)
{
    double most = 0;
    for (int32_t n = 0; n < s->model->node_count; ++n)
        most = fmax(most, pal_vec3_length(s->newton->motion[n]));
    return most;
}

// Of displacements, or of their change in the step where that is more.
static double largest_displacement(const PalSeek *s)
{
    double most = 0;
    for (int32_t n = 0; n < s->model->node_count; ++n) {
        PalVec3 u = s->state->displacement[n];
        most = fmax(most, pal_vec3_length(u));
        most = fmax(most, pal_vec3_distance(u, s->newton->old_displacement[n]));
    }
    return most;
}

// So the work of the last correction is below the square of the tolerance of force times way.
bool pal_seek_converged(const PalSeek *s)
{
    double tolerance = s->solver->def.tolerance * (s->problem.mean ? KEEPS : 1);
    double scale = largest_displacement(s);
    if (s->outcome->imbalance <= tolerance * tolerance)
        return true;  // nothing is left to correct
    bool exact = s->largest <= EXACT * fmax(scale, s->newton->grain);
    s->outcome->rounding = exact && s->outcome->imbalance > tolerance;
    return s->outcome->imbalance <= tolerance && (exact || s->largest <= tolerance * scale);
}
