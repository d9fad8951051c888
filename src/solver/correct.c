#include "solver/correct.h"

#include "math/vec3.h"
#include "solver/approach.h"
#include "solver/seek.h"

#include <math.h>

#define HALVINGS 10   // of a correction that turns cells inside out
#define SEARCHES 4    // further looks along a correction
#define GOOD     0.5  // of the slope at the start: a correction that leaves no more is taken
#define SHORTEST 0.1  // part of a correction that a search may take
#define GROWS    1e3  // residual after a correction, of that before: there is no going on

// The correction of free components, with held ones moved by held_motion in the first one.
static PalStatus find_motion(PalSeek *s, bool moves_held, bool first, PalError *error)
{
    bool solved = false;
    PalNewton *newton = s->newton;
    pal_seek_set_right(s);
    PAL_TRY(pal_seek_assemble(s, error));
    if (moves_held)
        pal_stiffness_move_held(newton->stiffness, newton->held_motion, newton->right);
    if (!first)
        PAL_TRY(pal_seek_solve_by_old(s, newton->right, &solved, error));
    if (!solved) {
        PAL_TRY(pal_seek_factor(s, error));
        if (s->outcome->end == PAL_NEWTON_SINGULAR)
            return PAL_OK;
        PAL_TRY(pal_seek_solve(s, newton->right, error));
    }
    pal_seek_spread(s, newton->right, moves_held ? newton->held_motion : NULL, newton->motion);
    return PAL_OK;
}

static double work_of_motion(const PalSeek *s)
{
    const PalStiffness *k = s->newton->stiffness;
    double sum = 0;
    for (int32_t r = 0; r < k->free_count; ++r)
        sum += (&s->newton->motion[0].x)[k->component[r]] * pal_seek_residual(s, k->component[r]);
    return sum;
}

// False: no forces there.
static bool go(const PalSeek *s, double part)
{
    pal_seek_place(s, part);
    return pal_seek_forces(s);
}

// Goes along the correction until no cell is inside out, and the slope of the energy has fallen to
// half of what it was, or as far as some looks can make it. Returns the part taken; 0: there is
// none.
static double search_line(const PalSeek *s)
{
    double start = work_of_motion(s), part = 1;
    pal_seek_copy_nodes(s, s->newton->tried, s->state->displacement);
    int halvings = 0;
    while (!go(s, part) && ++halvings <= HALVINGS)
        part /= 2;
    if (halvings > HALVINGS)
        return 0;
    double slope = work_of_motion(s), best = part, best_slope = fabs(slope), low = 0, high = part;
    double low_slope = start, high_slope = slope;
    for (int look = 0; look < SEARCHES && best_slope > GOOD * fabs(start); ++look) {
        if (low_slope * high_slope > 0 || low_slope < 0)
            break;  // energy still falls at the end of the way, or it does not from the start on
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

// The first correction also moves held components where they are to be, all the way.
static PalStatus predict(PalSeek *s, PalError *error)
{
    bool moves = pal_seek_held_motion(s, s->newton->held_motion), good = pal_seek_forces(s);
    if (good) {
        PAL_TRY(find_motion(s, moves, true, error));
        if (s->outcome->end == PAL_NEWTON_SINGULAR)
            return PAL_OK;
        if (moves) {
            pal_seek_copy_nodes(s, s->newton->tried, s->state->displacement);
            pal_seek_place(s, 1);
            pal_seek_place_held(s);
            good = pal_seek_forces(s);
        } else {
            good = search_line(s) > 0;
        }
    }
    if (!good) {
        s->outcome->end = PAL_NEWTON_INVERTED;
        s->outcome->node = pal_seek_inverted_node(s);
    }
    return PAL_OK;
}

static PalStatus iterate(PalSeek *s, PalError *error)
{
    PalNewtonOutcome *outcome = s->outcome;
    outcome->end = PAL_NEWTON_LOST;
    double before = INFINITY;
    for (; outcome->iterations < PAL_NEWTON_MOST; ++outcome->iterations) {
        pal_seek_measure(s);
        outcome->trace[outcome->iterations] = outcome->imbalance;
        s->largest = pal_seek_largest_motion(s);
        if (pal_seek_converged(s)) {
            outcome->end = PAL_NEWTON_CONVERGED;
            return PAL_OK;
        }
        if (!(outcome->imbalance < GROWS * before))
            return PAL_OK;
        before = fmin(before, outcome->imbalance);
        PAL_TRY(find_motion(s, false, false, error));
        if (outcome->end == PAL_NEWTON_SINGULAR)
            return PAL_OK;
        if (search_line(s) == 0) {
            outcome->end = PAL_NEWTON_INVERTED;
            outcome->node = pal_seek_inverted_node(s);
            return PAL_OK;
        }
    }
    return PAL_OK;
}

PalStatus pal_newton_solve(const PalModel *model, PalState *state, PalSolver *solver,
                           PalNewton *newton, const PalNewtonProblem *problem,
                           PalNewtonOutcome *outcome, PalError *error)
{
    PalSeek s = {.model = model, .state = state, .solver = solver, .newton = newton};
    *outcome = (PalNewtonOutcome){.end = PAL_NEWTON_CONVERGED, .iterations = 1, .node = PAL_NONE};
    s.problem = *problem;
    s.outcome = outcome;
    newton->mean = problem->mean;
    newton->late = problem->contact != 0;
    if (newton->touches)
        return pal_newton_approach(&s, error);
    PAL_TRY(predict(&s, error));
    if (outcome->end == PAL_NEWTON_CONVERGED)
        PAL_TRY(iterate(&s, error));
    if (problem->mean && outcome->end == PAL_NEWTON_CONVERGED && !pal_seek_end_forces(&s)) {
        outcome->end = PAL_NEWTON_INVERTED;
        outcome->node = pal_seek_inverted_node(&s);
    }
    return PAL_OK;
}
