#include "solver/approach.h"

#include "math/vec3.h"
#include "solver/meet.h"

#include <math.h>
#include <stdio.h>

#define HALVINGS 12   // of a correction that turns cells inside out
#define FALLS    0.7  // forces left over, of those before: a correction that leaves no more is taken
#define LOOKS    12   // along a correction
#define GOOD     0.5   // of the slope at the start: a correction that leaves no more is taken
#define SHORTEST 0.1   // of what is left between two looks
#define NEAR     0.3   // forces left over, of those that act: from here on tangents are exact
#define PLAIN    3     // corrections after an exact tangent that had no minimum: it is not tried
#define SOFT     1e-6  // of the diagonal, added to it where corrections are too long, first
#define STIFF    1e-3  // and where they lead uphill
#define STIFFER  10    // times that, if it is not enough
#define STIFFEST 10
#define CALMER   0.5   // of a correction, taken: the next one needs less
#define STUCK    1e-7  // part of a correction: less is no progress
#define JAMS     8     // corrections in a row without any
#define EXPECTS  5     // times that a correction is found with contacts it would run into
#define SLIDES   3     // and with what slides instead of holding
#define LOOSE    1e-2  // forces left over, of those that act, when friction is renewed first
#define TIGHTER  0.2   // and with each further time
#define ARRIVAL  60    // corrections in which what is held and rigid has to get where it is to be
#define ROUGH    0.3   // forces left over after what is held and rigid has gone on: too many
#define LEAD     0.3   // of an edge: then it goes no farther at once
#define CALM     0.1   // forces left over, with which it goes on
#define WAITS    10    // corrections at most that it waits for that
#define REST     1e-4  // of its way: then energies are looked at again
#define FAR      3     // corrections in which friction is renewed at first, once all has arrived
#define STALE    15    // corrections without progress: friction is not renewed in each any more
#define BETTER   1.3   // times what was free before: it is worth finding it again
#define STRIDE   0.3   // of the longest correction: more is not believed without a minimum
#define ENOUGH   0.9   // of a correction, free: there is no need to find it again

static double work_of_motion(const PalSeek *s)
{
    const PalStiffness *k = s->newton->stiffness;
    double sum = 0;
    for (int32_t r = 0; r < k->free_count; ++r)
        sum += (&s->newton->motion[0].x)[k->component[r]] * pal_seek_residual(s, k->component[r]);
    return sum;
}

static bool go(const PalSeek *s, double part, bool leads)
{
    pal_seek_place(s, part);
    if (leads && part >= 1)
        pal_seek_place_held(s);
    pal_meet_go(s, part);
    return pal_seek_forces(s);
}

// Between two parts with slopes of different signs: where it would vanish, were it straight, but in
// the middle if that has brought little.
static double between(double low, double high, double low_slope, double high_slope, int look)
{
    double zero = low + (high - low) * low_slope / (low_slope - high_slope);
    if (look % 3 == 2)
        return (low + high) / 2;
    return fmin(fmax(zero, low + SHORTEST * (high - low)), high - SHORTEST * (high - low));
}

// What is held or rigid goes as far as is free. But where something is in its way, or many forces
// are left over, no farther than a part of an edge: shapes at contact change with edges.
static double longest_lead(const PalSeek *s)
{
    double far = pal_meet_farthest(s);
    const PalStiffness *k = s->newton->stiffness;
    for (int32_t r = k->unknown_count; r < k->row_count; ++r)
        far = fmax(far, fabs(s->newton->held_motion[r - k->unknown_count]));
    return far > 0 ? fmin(LEAD * s->solver->contact->edge / far, 1) : 1;
}

static double lead(PalSeek *s, double free, double part)
{
    double most = longest_lead(s);
    if (pal_meet_is_tame(s) || most >= part)
        return part;
    pal_seek_measure(s);
    if (free >= ENOUGH && s->outcome->imbalance <= ROUGH)
        return part;
    return go(s, most, true) ? most : 0;
}

// Goes as far as is free, and back to where the slope of the energy is small, unless what is held
// or rigid has to go on. Returns the part taken; 0: there is none.
static double search_line(PalSeek *s, double free, bool leads)
{
    double start = work_of_motion(s), part = free;
    int halvings = 0;
    pal_seek_copy_nodes(s, s->newton->tried, s->state->displacement);
    while (!go(s, part, leads) && ++halvings <= HALVINGS)
        part /= 2;
    if (halvings > HALVINGS)
        return 0;
    if (leads)
        return lead(s, free, part);
    double before = s->outcome->imbalance;
    pal_seek_measure(s);
    if (s->outcome->imbalance < FALLS * before)
        return part;
    double low = 0, high = part, low_slope = start, high_slope = work_of_motion(s);
    double best = part, best_slope = fabs(high_slope);
    for (int look = 0; look < LOOKS && best_slope > GOOD * fabs(start); ++look) {
        if (low_slope * high_slope > 0 || low_slope < 0)
            break;  // energy still falls at the end of the way, or it does not from the start on
        part = between(low, high, low_slope, high_slope, look);
        if (!go(s, part, leads))
            break;
        double slope = work_of_motion(s);
        if (fabs(slope) < best_slope) {
            best_slope = fabs(slope);
            best = part;
        }
        bool same = slope * low_slope > 0;
        *(same ? &low : &high) = part;
        *(same ? &low_slope : &high_slope) = slope;
    }
    return best == part || go(s, best, leads) ? best : 0;
}

// The matrix, and the right side with what is held and rigid going the rest of its way.
static PalStatus pose(PalSeek *s, bool held, PalError *error)
{
    PalNewton *newton = s->newton;
    pal_seek_set_right(s);
    PAL_TRY(pal_seek_assemble(s, error));
    pal_meet_lead(s);
    if (held)
        pal_stiffness_move_held(newton->stiffness, newton->held_motion, newton->right);
    return PAL_OK;
}

// By the exact tangent all the same, with factors of one that has been made positive: its
// directions of little curvature are those in which the exact one has less, or none.
static PalStatus descend(PalSeek *s, bool held, double longest, PalError *error)
{
    double damping = s->damping;
    bool falls;
    s->exact = true;
    s->damping = 0;
    PAL_TRY(pose(s, held, error));
    s->damping = damping;
    PAL_TRY(pal_seek_descend(s, s->newton->right, STRIDE * longest, &falls, error));
    s->plain = falls ? PLAIN : 0;
    return PAL_OK;
}

// Where there is no minimum, or one so far away that nothing is known of it, the way there is no
// way to go. Then what makes it unstable is left out, and the diagonal grows until the way is
// short.
static PalStatus find_motion(PalSeek *s, bool held, double longest, PalError *error)
{
    PalNewton *newton = s->newton;
    const PalNewtonEnd end = s->outcome->end;
    for (;;) {
        bool unstable, far = false;
        s->outcome->end = end;
        PAL_TRY(pose(s, held, error));
        PAL_TRY(pal_seek_factor(s, error));
        unstable = s->outcome->end == PAL_NEWTON_SINGULAR || s->outcome->negative_count > 0;
        if (s->exact && unstable) {
            s->exact = false;
            s->plain = PLAIN;
            continue;
        }
        bool last = s->damping >= STIFFEST;
        bool leads = s->way > REST && !s->waits;
        if (!unstable && !s->exact && !leads && newton->cg.size > 0) {
            PAL_TRY(descend(s, held, longest, error));
            pal_seek_spread(s, newton->right, held ? newton->held_motion : NULL, newton->motion);
        } else if (!unstable || (last && s->outcome->end == end)) {
            PAL_TRY(pal_seek_solve(s, newton->right, error));
            pal_seek_spread(s, newton->right, held ? newton->held_motion : NULL, newton->motion);
            far = !pal_meet_is_tame(s) && pal_seek_largest_motion(s) > longest;
        }
        if (last || !(unstable || far))
            return PAL_OK;
        s->damping = fmin(fmax(STIFFER * s->damping, unstable ? STIFF : SOFT), STIFFEST);
    }
}

// A failure of contact that a shorter step may mend, or another that none does.
static PalStatus jam(PalSeek *s, PalStatus status, const PalError *cause, PalError *error)
{
    if (status != PAL_SIM_FAILED) {
        if (error != NULL)
            *error = *cause;
        return status;
    }
    s->outcome->end = PAL_NEWTON_JAMMED;
    snprintf(s->outcome->why, sizeof s->outcome->why, "%.159s", cause->text);
    return PAL_OK;
}

// There are no forces in the shape that corrections are to go on from.
static void say_no_forces(PalSeek *s)
{
    PalNewtonOutcome *outcome = s->outcome;
    int32_t inverted = pal_seek_inverted_node(s);
    outcome->end = inverted == PAL_NONE ? PAL_NEWTON_JAMMED : PAL_NEWTON_INVERTED;
    if (inverted == PAL_NONE)
        snprintf(outcome->why, sizeof outcome->why, "two surfaces touch");
    else
        outcome->node = inverted;
}

// What is in the way leaves no room, to what is led or to all.
static void say_jam(PalNewtonOutcome *outcome, bool leads)
{
    outcome->end = PAL_NEWTON_JAMMED;
    snprintf(outcome->why, sizeof outcome->why, "%s",
             leads ? "held nodes or instruments do not get to where they are to be"
                   : "corrections run into what is in their way");
}

// One correction. The outcome's end changes where there is no going on.
static PalStatus correct(PalSeek *s, double *part, PalError *error)
{
    PalError ignored = {0};
    bool held = !s->waits && pal_seek_held_motion(s, s->newton->held_motion);
    bool leads = s->way > REST && !s->waits;
    bool uphill = false;  // with what is expected
    double longest = leads ? longest_lead(s) : 1, before = 0;
    double reach = s->solver->contact->edge * fmax(1, leads ? 2 * LEAD / longest : 0);
    pal_meet_prepare(s, !leads);
    for (int pass = 0; pass < EXPECTS; ++pass) {
        PAL_TRY(find_motion(s, held, reach, error));
        if (s->outcome->end == PAL_NEWTON_SINGULAR)
            return PAL_OK;
        PalStatus status = pal_meet_aim(s, part, &ignored);
        if (status != PAL_OK)
            return jam(s, status, &ignored, error);
        if (uphill)
            break;
        uphill = pass > 0 && !leads && !(work_of_motion(s) > 0);
        if (uphill) {
            pal_meet_prepare(s, true);
            pass = 0;
            continue;
        }
        bool better = pass < 2 || *part > BETTER * before;
        bool slides = leads && pal_meet_slide(s) && pass < SLIDES;
        bool enough = *part >= fmin(ENOUGH, longest);
        before = *part;
        bool more = !enough && pal_meet_expect(s);
        if (!slides && (enough || !better || pass + 1 == EXPECTS || !more))
            break;
    }
    double free = *part;
    *part = search_line(s, free, leads);
    if (*part > CALMER)
        s->damping = s->damping > SOFT ? s->damping / STIFFER : 0;
    pal_meet_went(s, *part);
    if (*part == 0) {
        int32_t inverted = pal_seek_inverted_node(s);
        if (inverted == PAL_NONE) {
            say_jam(s->outcome, leads);
            return PAL_OK;
        }
        s->outcome->end = PAL_NEWTON_INVERTED;
        s->outcome->node = inverted;
    }
    return PAL_OK;
}

static bool arrived(PalSeek *s)
{
    return pal_meet_left(s) <= 0 && !pal_seek_held_motion(s, s->newton->held_motion);
}

// Whether what is held and rigid stays where it is in the next correction, until forces left over
// are few. `waited`: corrections that it has.
static void wait_or_go_on(PalSeek *s, bool first, int *waited)
{
    bool rough = !first && s->way > REST && s->outcome->imbalance > CALM;
    *waited = rough && *waited < WAITS && !pal_meet_is_tame(s) ? *waited + 1 : 0;
    s->waits = *waited > 0;
    pal_meet_wait(s, s->waits);
}

// Until forces are in balance with what contact keeps constant meanwhile, up to `enough`.
static PalStatus balance(PalSeek *s, double enough, PalError *error)
{
    PalNewtonOutcome *outcome = s->outcome;
    PalError ignored = {0};
    int jams = 0, corrections = 0, waited = 0, stale = 0, first = outcome->iterations;
    double part = 1, least = INFINITY;
    pal_patience_begin(&s->patience);
    for (;; ++outcome->iterations) {
        outcome->end = PAL_NEWTON_LOST;
        outcome->rounding = false;
        PalStatus status = s->live || s->far ? pal_meet_refresh(s, &ignored) : PAL_OK;
        if (status != PAL_OK)
            return jam(s, status, &ignored, error);
        pal_seek_measure(s);
        stale = outcome->imbalance < FALLS * least || s->way > REST ? 0 : stale + 1;
        least = fmin(least, outcome->imbalance);
        s->live = s->live && stale < STALE;
        if (outcome->iterations <= PAL_NEWTON_MOST)
            outcome->trace[outcome->iterations] = outcome->imbalance;
        s->largest = pal_seek_largest_motion(s);
        corrections += s->way <= REST;
        if (arrived(s) && corrections > 1 &&
            (outcome->imbalance < enough || pal_seek_converged(s))) {
            outcome->end = PAL_NEWTON_CONVERGED;
            return PAL_OK;
        }
        if (pal_patience_ends(&s->patience, outcome->iterations, outcome->imbalance)) {
            if (!arrived(s))
                say_jam(outcome, true);
            return PAL_OK;
        }
        wait_or_go_on(s, outcome->iterations == first, &waited);
        s->plain -= s->plain > 0;
        bool tame = pal_meet_is_tame(s);
        s->exact = (outcome->imbalance < NEAR || tame) &&
                   (s->plain == 0 || (tame && s->newton->cg.size == 0));
        s->far = s->far && !s->exact && corrections < FAR;
        PAL_TRY(correct(s, &part, error));
        if (outcome->end != PAL_NEWTON_LOST)
            return PAL_OK;
        s->way *= s->waits ? 1 : 1 - part;
        jams = part < STUCK ? jams + 1 : 0;
        bool late = s->way > REST && outcome->iterations >= ARRIVAL;
        if (late || jams >= JAMS) {
            say_jam(outcome, s->way > REST);
            return PAL_OK;
        }
    }
}

PalStatus pal_newton_approach(PalSeek *s, PalError *error)
{
    PalError ignored = {0};
    PalNewtonOutcome *outcome = s->outcome;
    PalStatus status = pal_meet_begin(s, &ignored);
    outcome->iterations = 0;
    outcome->why[0] = '\0';
    if (status != PAL_OK)
        return jam(s, status, &ignored, error);
    if (!pal_seek_forces(s)) {
        say_no_forces(s);
        return PAL_OK;
    }
    bool again = true;
    bool first = true;
    s->live = false;
    s->far = true;
    s->way = arrived(s) ? 0 : 1;
    for (double enough = LOOSE; again || enough > 0; enough *= TIGHTER) {
        enough = again && enough > s->solver->def.tolerance ? enough : 0;
        PAL_TRY(balance(s, enough, error));
        if (outcome->end != PAL_NEWTON_CONVERGED)
            return PAL_OK;
        s->live = first || s->live;
        first = false;
        status = pal_meet_settle(s, &again, &ignored);
        if (status != PAL_OK)
            return jam(s, status, &ignored, error);
        if (again && !pal_seek_forces(s)) {
            say_no_forces(s);
            return PAL_OK;
        }
    }
    return PAL_OK;
}
