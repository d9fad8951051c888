// The load is an unknown t beside the displacements u, and a step goes a given way:
//   R(u, t) = 0,  |u - u0| = radius
// Each correction solves with one matrix for two right sides, K r = R and K q = dR/dt, and goes
// r + s q. With D = u - u0 so far, the way stays on the plane across D (Ramm 1981):
//   D . (r + s q) = (radius^2 - D . D) / 2
// The first goes along q, to the side where the last step went.   docs/theory/implicit.md, 8
#include "solver/arc.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/ties.h"
#include "solver/implicit.h"
#include "solver/seek.h"

#include <math.h>

#define GLANCE   1e-5  // of the time: loads so much later tell how they change
#define EASY     5     // corrections after which the next step is longer
#define GROWS    1.5
#define HARD     10  // and shorter
#define SHRINKS  0.7
#define HALVINGS 16    // of a step that finds no equilibrium
#define FARTHEST 0.08  // of the size of all, that nodes may go in the mean while loads go their way
#define LOWEST   100   // times the time: loads that have turned round and do not come back
#define STRAYS   1e4   // residual after a correction, of the least before

PalStatus pal_arc_create(const PalModel *model, PalSolver *solver, PalError *error)
{
    PalImplicit *own = pal_implicit_of(solver);
    const PalStiffness *k = own->newton.stiffness;
    size_t nodes = (size_t)model->node_count + 1;
    PalVec3 **arrays[] = {&own->way, &own->rate, &own->loads, &own->later};
    bool whole = true;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i] = pal_alloc(nodes, sizeof(PalVec3));
        whole = whole && *arrays[i] != NULL;
    }
    own->unit = pal_alloc((size_t)k->unknown_count, sizeof *own->unit);
    own->held = pal_alloc((size_t)(k->row_count - k->unknown_count), sizeof *own->held);
    if (!whole || own->unit == NULL || own->held == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    return PAL_OK;
}

// Of all components that are not held.
static double dot(const PalModel *model, const PalVec3 *a, const PalVec3 *b)
{
    double sum = 0;
    for (int32_t n = 0; n < model->node_count; ++n)
        for (int i = 0; i < 3; ++i)
            if (!(model->held[n] >> i & 1))
                sum += pal_vec3_at(a[n], i) * pal_vec3_at(b[n], i);
    return sum;
}

// own->unit = the change of all right sides as load time passes, own->held that of held rows.
static void find_unit(const PalSeek *s)
{
    PalImplicit *own = pal_implicit_of(s->solver);
    const PalModel *model = s->model;
    const PalStiffness *k = own->newton.stiffness;
    double time = own->newton.load, glance = GLANCE * s->solver->def.time;
    int32_t threads = s->solver->thread_count;
    for (int32_t r = 0; r < k->row_count - k->unknown_count; ++r)
        own->held[r] = 0;
    pal_conditions_targets(model->conditions, s->state->conditions, time + glance,
                           s->solver->targets);
    pal_seek_held_motion(s, own->held);
    for (int32_t r = 0; r < k->row_count - k->unknown_count; ++r)
        own->held[r] /= glance;
    for (int32_t r = 0; r < k->unknown_count; ++r)
        own->unit[r] = 0;
    if (s->solver->has_loads) {
        pal_conditions_loads(model, s->state, time, threads, own->loads);
        pal_conditions_loads(model, s->state, time + glance, threads, own->later);
        for (int32_t n = 0; n < model->node_count; ++n)
            own->later[n] = pal_vec3_scale(1 / glance, pal_vec3_sub(own->later[n], own->loads[n]));
        pal_ties_give_forces(model, s->state->displacement, own->later);
        for (int32_t r = 0; r < k->free_count; ++r)
            own->unit[r] = (&own->later[0].x)[k->component[r]];
    }
    pal_stiffness_move_held(k, own->held, own->unit);
}

// Solves for both right sides: motion = r, own->rate = q. Where the matrix has no inverse, the
// outcome says so.
static PalStatus find_directions(PalSeek *s, PalError *error)
{
    PalImplicit *own = pal_implicit_of(s->solver);
    pal_seek_set_right(s);
    PAL_TRY(pal_seek_assemble(s, error));
    find_unit(s);
    PAL_TRY(pal_seek_factor(s, error));
    if (s->outcome->end == PAL_NEWTON_SINGULAR)
        return PAL_OK;
    PAL_TRY(pal_seek_solve(s, s->newton->right, error));
    PAL_TRY(pal_seek_solve(s, own->unit, error));
    pal_seek_spread(s, s->newton->right, NULL, s->newton->motion);
    pal_seek_spread(s, own->unit, own->held, own->rate);
    return PAL_OK;
}

// Goes on from the present shape by motion + later rate.
static bool advance(PalSeek *s, double later)
{
    PalImplicit *own = pal_implicit_of(s->solver);
    const PalModel *model = s->model;
    for (int32_t n = 0; n < model->node_count; ++n)
        s->newton->motion[n] = pal_vec3_add_scaled(s->newton->motion[n], later, own->rate[n]);
    pal_seek_copy_nodes(s, s->newton->tried, s->state->displacement);
    pal_seek_place(s, 1);
    own->newton.load += later;
    s->problem.end = own->newton.load;
    pal_conditions_targets(model->conditions, s->state->conditions, s->problem.end,
                           s->solver->targets);
    pal_seek_place_held(s);
    return pal_seek_forces(s);
}

// own->way = the way gone so far.
static void find_way(const PalSeek *s)
{
    PalImplicit *own = pal_implicit_of(s->solver);
    for (int32_t n = 0; n < s->model->node_count; ++n)
        own->later[n] = pal_vec3_sub(s->state->displacement[n], own->newton.old_displacement[n]);
}

static PalStatus correct(PalSeek *s, double radius, PalError *error)
{
    PalImplicit *own = pal_implicit_of(s->solver);
    PalNewtonOutcome *outcome = s->outcome;
    double least = INFINITY;
    for (; outcome->iterations < PAL_NEWTON_MOST; ++outcome->iterations) {
        outcome->end = PAL_NEWTON_LOST;
        pal_seek_measure(s);
        outcome->trace[outcome->iterations] = outcome->imbalance;
        s->largest = pal_seek_largest_motion(s);
        if (pal_seek_converged(s)) {
            outcome->end = PAL_NEWTON_CONVERGED;
            return PAL_OK;
        }
        least = fmin(least, outcome->imbalance);
        if (!(outcome->imbalance < STRAYS * least))
            return PAL_OK;
        PAL_TRY(find_directions(s, error));
        if (outcome->end == PAL_NEWTON_SINGULAR)
            return PAL_OK;
        find_way(s);
        double along = dot(s->model, own->later, own->rate);
        double missing = (radius * radius - dot(s->model, own->later, own->later)) / 2;
        double later = (missing - dot(s->model, own->later, s->newton->motion)) / along;
        if (!isfinite(later) || !advance(s, later)) {
            outcome->end = PAL_NEWTON_INVERTED;
            outcome->node = pal_seek_inverted_node(s);
            return PAL_OK;
        }
    }
    return PAL_OK;
}

// How far a step may go: nodes a part of the size of all of them, less where loads may change less.
static double farthest(const PalSeek *s, double longest)
{
    double count = s->model->node_count, size = s->newton->grain * cbrt(count);
    return FARTHEST * longest / s->solver->def.time * size * sqrt(count);
}

// One try, that goes own->numbers.radius. The load at the end is newton->load.
static PalStatus attempt(PalSeek *s, double longest, PalError *error)
{
    PalImplicit *own = pal_implicit_of(s->solver);
    PalNewtonOutcome *outcome = s->outcome;
    *outcome = (PalNewtonOutcome){.end = PAL_NEWTON_LOST, .iterations = 1, .node = PAL_NONE};
    if (!pal_seek_forces(s))
        return PAL_OK;
    PAL_TRY(find_directions(s, error));
    if (outcome->end == PAL_NEWTON_SINGULAR)
        return PAL_OK;
    double rate = sqrt(dot(s->model, own->rate, own->rate)), *radius = &own->numbers.radius;
    bool first = *radius == 0;
    if (first)
        *radius = own->numbers.length * rate;
    *radius = fmin(*radius, fmin(longest * rate, farthest(s, longest)));
    double side = first || dot(s->model, own->way, own->rate) >= 0 ? 1 : -1;
    double later = side * *radius / rate;
    if (!(rate > 0) || !isfinite(later))
        return pal_error_set(error, PAL_SIM_FAILED,
                             "no load changes after time %g: there is no path to follow",
                             own->newton.load);
    if (own->newton.load + later >= s->solver->def.time) {  // the end, met exactly
        pal_implicit_take_back(s->model, s->state, s->solver);
        PalNewtonProblem last = s->problem;
        last.end = s->solver->def.time;
        return pal_implicit_try(s->model, s->state, s->solver, last, outcome, error);
    }
    for (int32_t n = 0; n < s->model->node_count; ++n)
        s->newton->motion[n] = pal_vec3(0, 0, 0);  // the rest of the last step is corrected below
    if (!advance(s, later)) {
        outcome->end = PAL_NEWTON_INVERTED;
        outcome->node = pal_seek_inverted_node(s);
        return PAL_OK;
    }
    return correct(s, *radius, error);
}

static void choose_radius(PalImplicit *own, const PalNewtonOutcome *outcome)
{
    if (outcome->iterations > HARD)
        own->numbers.radius *= SHRINKS;
    else if (outcome->iterations <= EASY)
        own->numbers.radius *= GROWS;
}

PalStatus pal_arc_step(const PalModel *model, PalState *state, PalSolver *solver, double longest,
                       PalError *error)
{
    PalImplicit *own = pal_implicit_of(solver);
    PalNewtonOutcome outcome = {0};
    PalSeek s = {.model = model, .state = state, .solver = solver, .outcome = &outcome};
    s.newton = &own->newton;
    for (int tries = 0;; ++tries) {
        s.problem = (PalNewtonProblem){.weight = 1, .step = PAL_IMPLICIT_FOREVER};
        s.problem.start = s.problem.end = own->newton.load;
        PalStatus status = attempt(&s, longest, error);
        own->counts.iterations += outcome.iterations;
        own->numbers.imbalance = outcome.imbalance;
        if (status == PAL_OK && outcome.end == PAL_NEWTON_CONVERGED)
            break;
        pal_implicit_take_back(model, state, solver);
        PAL_TRY(status);
        own->numbers.radius /= 2;
        solver->meter->counters.retries = ++own->counts.cuts;
        if (tries >= HALVINGS)
            return pal_newton_report(model, state, solver, &outcome, error);
    }
    if (own->newton.load < -LOWEST * solver->def.time)
        return pal_error_set(error, PAL_SIM_FAILED,
                             "loads have turned round on the path, to %.3g times their end, and do "
                             "not come back",
                             own->newton.load / solver->def.time);
    for (int32_t n = 0; n < model->node_count; ++n)
        own->way[n] = pal_vec3_sub(state->displacement[n], own->newton.old_displacement[n]);
    pal_implicit_count_unstable(solver, &outcome);
    choose_radius(own, &outcome);
    return PAL_OK;
}
