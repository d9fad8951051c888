#include "solver/newton.h"

#include "base/memory.h"
#include "base/timer.h"
#include "math/linear.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/load_tangent.h"
#include "solver/method.h"
#include "solver/trouble.h"

#include <math.h>
#include <string.h>

#define HALVINGS 10     // of a correction that turns cells inside out
#define SEARCHES 4      // further looks along a correction
#define GOOD     0.5    // of the slope at the start: a correction that leaves no more is taken
#define SHORTEST 0.1    // part of a correction that a search may take
#define ROUNDING 1e-14  // of stiffness times lengths: no force can be more exact
#define EXACT    1e-12  // of lengths: a correction that is only rounding
#define GROWS    1e3    // residual after a correction, of that before: there is no going on

typedef struct Search {
    const PalModel *model;
    PalState *state;
    PalSolver *solver;
    PalNewton *newton;
    const PalNewtonProblem *problem;
    PalNewtonOutcome *outcome;
    double stiffness;  // sum of the diagonal
    double largest;    // component of the last correction
} Search;

// ---- memory -----------------------------------------------------------------------------

static bool allocate(const PalModel *model, const PalStiffness *stiffness, size_t history,
                     PalNewton *newton)
{
    size_t nodes = (size_t)model->node_count + 1, unknowns = (size_t)stiffness->unknown_count;
    size_t held = (size_t)(stiffness->row_count - stiffness->unknown_count);
    PalVec3 **arrays[] = {&newton->motion,    &newton->tried,        &newton->old_displacement,
                          &newton->old_force, &newton->old_external, &newton->old_reaction};
    bool whole = true;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        *arrays[k] = pal_alloc(nodes, sizeof(PalVec3));
        whole = whole && *arrays[k] != NULL;
    }
    newton->right = pal_alloc(unknowns, sizeof *newton->right);
    newton->held_motion = pal_alloc(held, sizeof *newton->held_motion);
    newton->old_history = pal_alloc(history, sizeof *newton->old_history);
    return whole && newton->right != NULL && newton->held_motion != NULL &&
           newton->old_history != NULL;
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

PalStatus pal_newton_create(const PalModel *model, const PalSolver *solver, PalNewton *newton,
                            PalError *error)
{
    PAL_TRY(pal_stiffness_create(model->elements, model->held, model->nodes, &newton->stiffness,
                                 error));
    size_t history = (size_t)pal_elements_history_count(model->elements);
    if (!allocate(model, newton->stiffness, history, newton))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
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
    pal_stiffness_destroy(newton->stiffness);
    void *const all[] = {newton->right,        newton->held_motion,      newton->motion,
                         newton->tried,        newton->old_displacement, newton->old_force,
                         newton->old_external, newton->old_reaction,     newton->old_history};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        pal_free(all[k]);
}

size_t pal_newton_bytes(const PalModel *model, const PalNewton *newton)
{
    return newton->factor_bytes + pal_stiffness_bytes(newton->stiffness) +
           (size_t)newton->stiffness->unknown_count * sizeof(double) +
           6 * (size_t)model->node_count * sizeof(PalVec3);
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
    memcpy(newton->old_history, state->history, (size_t)state->history_count * sizeof(double));
}

void pal_newton_bring_back(const PalModel *model, PalState *state, const PalNewton *newton)
{
    copy_nodes(model, state->displacement, newton->old_displacement);
    copy_nodes(model, state->force, newton->old_force);
    copy_nodes(model, state->external, newton->old_external);
    copy_nodes(model, state->reaction, newton->old_reaction);
    memcpy(state->history, newton->old_history, (size_t)state->history_count * sizeof(double));
}

// ---- forces -----------------------------------------------------------------------------

static int32_t first_node_of_inverted(const Search *s)
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

// Forces of the present shape, from the memory before the step. False: a cell is inside out, or
// contact cannot be as it would be.
static bool find_forces(const Search *s)
{
    PalError ignored = {0};
    const PalNewtonContact *contact = s->newton->contact;
    memcpy(s->state->history, s->newton->old_history,
           (size_t)s->state->history_count * sizeof(double));
    if (pal_solver_forces(s->model, s->state, s->solver, s->problem->step, &ignored) != PAL_OK)
        return false;
    return contact == NULL || contact->forces(contact->own, s->model, s->state, &ignored) == PAL_OK;
}

static double residual_at(const Search *s, int32_t component)
{
    int32_t n = component / 3, i = component % 3;
    double force = s->problem->weight * (&s->state->force[n].x)[i];
    if (s->problem->inertia == 0)
        return force;
    double away = (&s->state->displacement[n].x)[i] - (&s->problem->base[n].x)[i];
    return force - s->problem->inertia * s->model->mass[n] * away;
}

static void find_residual(const Search *s)
{
    const PalStiffness *k = s->newton->stiffness;
    for (int32_t r = 0; r < k->free_count; ++r)
        s->newton->right[r] = residual_at(s, k->component[r]);
    for (int32_t r = k->free_count; r < k->unknown_count; ++r)
        s->newton->right[r] = 0;
}

// Sum of forces left over, and of those that act: loads, holds and inertia, counted half each, as
// each is met by another.
static void measure(Search *s)
{
    const PalModel *model = s->model;
    double left = 0, acting = 0, most = -1, reach = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 free = {0, 0, 0}, held = {0, 0, 0}, f = s->state->force[n];
        for (int i = 0; i < 3; ++i)
            if (model->held[n] >> i & 1)
                (&held.x)[i] = (&f.x)[i];
            else
                (&free.x)[i] = residual_at(s, 3 * n + i);
        PalVec3 inertia = pal_vec3_sub(pal_vec3_scale(s->problem->weight, f), free);
        double length = pal_vec3_length(free);
        left += length;
        acting += (pal_vec3_length(held) + pal_vec3_length(s->state->external[n])) / 2;
        acting += s->problem->inertia > 0 ? pal_vec3_length(inertia) / 2 : 0;
        reach = fmax(reach, pal_vec3_length(s->state->displacement[n]));
        if (length > most) {
            most = length;
            s->outcome->node = n;
        }
    }
    double rounding = ROUNDING * s->stiffness * fmax(reach, s->newton->grain);
    acting += rounding / s->solver->def.tolerance;
    s->outcome->imbalance = left == 0 ? 0 : left / acting;
}

static double work_of_motion(const Search *s)
{
    const PalStiffness *k = s->newton->stiffness;
    double sum = 0;
    for (int32_t r = 0; r < k->free_count; ++r)
        sum += (&s->newton->motion[0].x)[k->component[r]] * residual_at(s, k->component[r]);
    return sum;
}

// ---- an iteration -----------------------------------------------------------------------

// K = weight (elements + loads + contact) + inertia m
static void assemble(Search *s)
{
    PalStiffness *k = s->newton->stiffness;
    double start = pal_timer_seconds(), weight = s->problem->weight;
    PalStiffnessStep step = {s->problem->step, s->newton->old_history, s->state->history};
    pal_stiffness_assemble(k, s->solver->scratch, s->state->displacement, &step);
    if (s->solver->has_loads)
        pal_conditions_add_tangent(s->model, s->state, pal_solver_load_time(s->state, s->solver),
                                   k);
    for (int64_t i = 0; weight != 1 && i < k->start[k->row_count]; ++i)
        k->value[i] *= weight;
    s->stiffness = 0;
    for (int32_t r = 0; r < k->free_count; ++r) {
        double *diagonal = &k->value[k->start[r + 1] - 1];
        *diagonal += s->problem->inertia * s->model->mass[k->component[r] / 3];
        s->stiffness += fabs(*diagonal);
    }
    if (s->newton->contact != NULL)
        s->newton->contact->tangent(s->newton->contact->own, s->model, s->state, weight, k);
    s->solver->meter->profile.assemble += pal_timer_seconds() - start;
    ++s->solver->meter->counters.iterations;
}

// The correction of free components, with held ones moved by held_motion.
static PalStatus find_motion(Search *s, bool moves_held, PalError *error)
{
    PalNewton *newton = s->newton;
    const PalStiffness *k = newton->stiffness;
    PalSymmetric matrix = pal_stiffness_unknowns(k);
    PalFactorFacts facts = {0, PAL_NONE};
    find_residual(s);
    assemble(s);
    double start = pal_timer_seconds();
    if (moves_held)
        pal_stiffness_move_held(k, newton->held_motion, newton->right);
    PalStatus status = PAL_OK;
    if (matrix.size > 0)
        status = newton->linear->factor(newton->factors, &matrix, &s->solver->watch, &facts, error);
    if (status == PAL_OK && facts.null_row == PAL_NONE && matrix.size > 0)
        status = newton->linear->solve(newton->factors, &matrix, newton->right, &s->solver->watch,
                                       error);
    s->solver->meter->profile.solve += pal_timer_seconds() - start;
    PAL_TRY(status);
    int32_t pressures = k->unknown_count - k->free_count;
    s->outcome->negative_count =
        facts.negative_count == PAL_NONE ? PAL_NONE : facts.negative_count - pressures;
    if (facts.null_row != PAL_NONE) {
        s->outcome->end = PAL_NEWTON_SINGULAR;
        s->outcome->node =
            facts.null_row < k->free_count ? k->component[facts.null_row] / 3 : s->outcome->node;
    }
    memset(newton->motion, 0, (size_t)s->model->node_count * sizeof *newton->motion);
    double *motion = &newton->motion[0].x;
    for (int32_t r = 0; r < k->free_count; ++r)
        motion[k->component[r]] = newton->right[r];
    for (int32_t r = k->unknown_count; moves_held && r < k->row_count; ++r)
        motion[k->component[r]] = newton->held_motion[r - k->unknown_count];
    return PAL_OK;
}

// Displacements of `tried` and a part of the correction.
static void place(const Search *s, double part)
{
    for (int32_t n = 0; n < s->model->node_count; ++n)
        s->state->displacement[n] =
            pal_vec3_add_scaled(s->newton->tried[n], part, s->newton->motion[n]);
}

// False: no forces there.
static bool go(const Search *s, double part)
{
    place(s, part);
    return find_forces(s);
}

// Goes along the correction until no cell is inside out, and the slope of the energy has fallen to
// half of what it was, or as far as some looks can make it. Returns the part taken; 0: there is
// none.
static double search_line(const Search *s)
{
    const PalNewtonContact *contact = s->newton->contact;
    double start = work_of_motion(s), part = 1;
    copy_nodes(s->model, s->newton->tried, s->state->displacement);
    if (contact != NULL)
        part = contact->filter(contact->own, s->model, s->state, s->newton->motion);
    int halvings = 0;
    while (!go(s, part) && ++halvings <= HALVINGS)
        part /= 2;
    if (halvings > HALVINGS)
        return 0;
    double slope = work_of_motion(s), best = part, best_slope = fabs(slope), low = 0, high = part;
    double low_slope = start, high_slope = slope;
    for (int look = 0; look < SEARCHES && best_slope > GOOD * fabs(start); ++look) {
        if (low_slope * high_slope > 0)
            break;  // energy still falls at the end of the way
        double zero = low + (high - low) * low_slope / (low_slope - high_slope);
        part = fmin(fmax(zero, low + SHORTEST * (high - low)), high - SHORTEST * (high - low));
        if (!go(s, part))
            break;
        slope = work_of_motion(s);
        if (fabs(slope) < best_slope) {
            best_slope = fabs(slope);
            best = part;
        }
        bool same = slope * low_slope > 0;
        *(same ? &low : &high) = part;
        *(same ? &low_slope : &high_slope) = slope;
    }
    return best == part || go(s, best) ? best : 0;
}

static double largest_motion(const Search *s)
{
    double most = 0;
    for (int32_t n = 0; n < s->model->node_count; ++n)
        most = fmax(most, pal_vec3_length(s->newton->motion[n]));
    return most;
}

// Of displacements, or of their change in the step where that is more.
static double largest_displacement(const Search *s)
{
    double most = 0;
    for (int32_t n = 0; n < s->model->node_count; ++n) {
        PalVec3 u = s->state->displacement[n];
        most = fmax(most, pal_vec3_length(u));
        most = fmax(most, pal_vec3_distance(u, s->newton->old_displacement[n]));
    }
    return most;
}

// Forces left over are below the tolerance of those that act, and the last correction is below the
// tolerance of the displacements: so its work is below the square of it of their product.
static bool is_converged(const Search *s)
{
    double tolerance = s->solver->def.tolerance, scale = largest_displacement(s);
    if (s->outcome->imbalance <= tolerance * tolerance)
        return true;  // nothing is left to correct
    if (s->largest <= EXACT * fmax(scale, s->newton->grain))
        return true;  // nothing that is left can be corrected
    return s->outcome->imbalance <= tolerance && s->largest <= tolerance * scale;
}

// Where held components have to go from where they are; false: nowhere.
static bool find_held_motion(const Search *s)
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
            s->newton->held_motion[row - k->unknown_count] = way;
            moves = moves || way != 0;
        }
    return moves;
}

// Held components exactly where they are to be.
static void place_held(const Search *s)
{
    const PalModel *model = s->model;
    const int32_t *nodes = pal_conditions_held_nodes(model->conditions);
    for (int32_t h = 0; h < pal_conditions_held_count(model->conditions); ++h)
        for (int i = 0; i < 3; ++i)
            if (model->held[nodes[h]] >> i & 1)
                (&s->state->displacement[nodes[h]].x)[i] = (&s->solver->targets[h].x)[i];
}

// The first correction also moves held components where they are to be, all the way.
static PalStatus predict(Search *s, PalError *error)
{
    bool moves = find_held_motion(s), good = find_forces(s);
    if (good) {
        PAL_TRY(find_motion(s, moves, error));
        if (s->outcome->end == PAL_NEWTON_SINGULAR)
            return PAL_OK;
        if (moves) {
            copy_nodes(s->model, s->newton->tried, s->state->displacement);
            place(s, 1);
            place_held(s);
            good = find_forces(s);
        } else {
            good = search_line(s) > 0;
        }
    }
    if (!good) {
        s->outcome->end = PAL_NEWTON_INVERTED;
        s->outcome->node = first_node_of_inverted(s);
    }
    return PAL_OK;
}

static PalStatus iterate(Search *s, PalError *error)
{
    PalNewtonOutcome *outcome = s->outcome;
    outcome->end = PAL_NEWTON_LOST;
    double before = INFINITY;
    for (; outcome->iterations < PAL_NEWTON_MOST; ++outcome->iterations) {
        measure(s);
        outcome->trace[outcome->iterations] = outcome->imbalance;
        s->largest = largest_motion(s);
        if (is_converged(s)) {
            outcome->end = PAL_NEWTON_CONVERGED;
            return PAL_OK;
        }
        if (!(outcome->imbalance < GROWS * before))
            return PAL_OK;
        before = fmin(before, outcome->imbalance);
        PAL_TRY(find_motion(s, false, error));
        if (outcome->end == PAL_NEWTON_SINGULAR)
            return PAL_OK;
        if (search_line(s) == 0) {
            outcome->end = PAL_NEWTON_INVERTED;
            outcome->node = first_node_of_inverted(s);
            return PAL_OK;
        }
    }
    return PAL_OK;
}

PalStatus pal_newton_solve(const PalModel *model, PalState *state, PalSolver *solver,
                           PalNewton *newton, const PalNewtonProblem *problem,
                           PalNewtonOutcome *outcome, PalError *error)
{
    Search s = {.model = model, .state = state, .solver = solver, .newton = newton};
    *outcome = (PalNewtonOutcome){.end = PAL_NEWTON_CONVERGED, .iterations = 1, .node = PAL_NONE};
    s.problem = problem;
    s.outcome = outcome;
    PAL_TRY(predict(&s, error));
    if (outcome->end != PAL_NEWTON_CONVERGED)
        return PAL_OK;
    return iterate(&s, error);
}

void pal_newton_add_work(const PalModel *model, PalState *state, const PalNewton *newton)
{
    double external = 0, internal = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 way = pal_vec3_sub(state->displacement[n], newton->old_displacement[n]);
        PalVec3 before = pal_vec3_add(newton->old_external[n], newton->old_reaction[n]);
        PalVec3 after = pal_vec3_add(state->external[n], state->reaction[n]);
        external += pal_vec3_dot(pal_vec3_add(before, after), way) / 2;
        before = pal_vec3_sub(newton->old_external[n], newton->old_force[n]);
        after = pal_vec3_sub(state->external[n], state->force[n]);
        internal += pal_vec3_dot(pal_vec3_add(before, after), way) / 2;
    }
    state->external_work += external;
    state->internal_work += internal;
}
