// Linear equations of a search: by factors, or by factors of an earlier matrix and products with
// the present one.
#include "solver/seek.h"

#include "base/timer.h"
#include "math/linear.h"
#include "math/vec3.h"
#include "model/load_tangent.h"
#include "model/ties.h"
#include "solver/meet.h"

#include <math.h>
#include <string.h>

#define EXACT  1e-6  // of the right side, left over where the rim of a pressure is iterated for
#define CLOSE  1e-3  // and where friction is
#define ENOUGH 1e-4  // and where factors are reused
#define SURE   1e-4  // and where the way goes downhill, near equilibrium
#define VAGUE  0.1   // and far from it
#define WORTH  8     // products at most with old factors: a factorisation costs about as much

PalStatus pal_seek_factor(PalSeek *s, PalError *error)
{
    PalNewton *newton = s->newton;
    const PalStiffness *k = newton->stiffness;
    PalSymmetric matrix = pal_stiffness_unknowns(k);
    PalFactorFacts facts = {0, PAL_NONE};
    PalStatus status = PAL_OK;
    double start = pal_timer_seconds();
    if (matrix.size > 0)
        status = newton->linear->factor(newton->factors, &matrix, &s->solver->watch, &facts, error);
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
    return PAL_OK;
}

// y = K x, and what the rim of pressures adds.
static void multiply(void *context, const double *x, double *y)
{
    const PalSeek *s = context;
    PalNewton *newton = s->newton;
    const PalStiffness *k = newton->stiffness;
    PalSymmetric matrix = pal_stiffness_unknowns(k);
    pal_symmetric_multiply(&matrix, x, y);
    bool couples = pal_meet_couples(s);
    if ((!newton->follows || s->problem.mean) && !couples)
        return;
    memset(newton->turned, 0, (size_t)s->model->node_count * sizeof *newton->turned);
    pal_seek_spread(s, x, NULL, newton->tried);
    if (couples)
        pal_meet_couple(s, newton->tried, newton->turned);
    if (newton->follows)
        pal_conditions_add_rim(s->model, s->state, s->problem.end, newton->tried, newton->turned);
    pal_ties_give_forces(s->model, s->state->displacement, newton->turned);
    for (int32_t r = 0; r < k->free_count; ++r)
        y[r] += s->problem.weight * (&newton->turned[0].x)[k->component[r]];
}

static PalStatus divide(void *context, double *x, PalError *error)
{
    const PalSeek *s = context;
    PalNewton *newton = s->newton;
    PalSymmetric matrix = pal_stiffness_unknowns(newton->stiffness);
    return newton->linear->solve(newton->factors, &matrix, x, &s->solver->watch, error);
}

PalStatus pal_seek_solve(PalSeek *s, double *right, PalError *error)
{
    PalGmresPair pair = {s, multiply, divide};
    double start = pal_timer_seconds(), left = 0;
    PalStatus status = PAL_OK;
    bool follows = s->newton->follows && !s->problem.mean, couples = pal_meet_couples(s);
    if ((follows || couples) && s->newton->gmres.size > 0)
        status = pal_gmres_solve(&s->newton->gmres, &pair, follows ? EXACT : CLOSE, PAL_GMRES_MOST,
                                 right, &left, error);
    else if (s->newton->stiffness->unknown_count > 0)
        status = divide(s, right, error);
    s->solver->meter->profile.solve += pal_timer_seconds() - start;
    return status;
}

PalStatus pal_seek_descend(PalSeek *s, double *right, double longest, bool *falls, PalError *error)
{
    PalGmresPair pair = {s, multiply, divide};
    PalCgWish wish = {fmin(fmax(s->outcome->imbalance, SURE), VAGUE), longest};
    PalCgFacts facts = {0};
    double start = pal_timer_seconds();
    PalStatus status = pal_cg_descend(&s->newton->cg, &pair, &wish, right, &facts, error);
    *falls = facts.falls;
    s->solver->meter->profile.solve += pal_timer_seconds() - start;
    return status;
}

PalStatus pal_seek_solve_by_old(PalSeek *s, double *right, bool *solved, PalError *error)
{
    PalNewton *newton = s->newton;
    PalGmresPair pair = {s, multiply, divide};
    double start = pal_timer_seconds(), left = 0;
    size_t bytes = (size_t)newton->gmres.size * sizeof *right;
    *solved = false;
    if (!s->problem.reuses || !newton->reuses || newton->gmres.size == 0)
        return PAL_OK;
    memcpy(newton->spare, right, bytes);
    PAL_TRY(pal_gmres_solve(&newton->gmres, &pair, ENOUGH, WORTH, right, &left, error));
    *solved = left <= ENOUGH;
    if (!*solved)
        memcpy(right, newton->spare, bytes);
    s->solver->meter->profile.solve += pal_timer_seconds() - start;
    return PAL_OK;
}
