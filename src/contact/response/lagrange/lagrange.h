// The inside of the lagrange response: candidates, rows, and what is kept from step to step.
#ifndef PAL_CONTACT_LAGRANGE_H
#define PAL_CONTACT_LAGRANGE_H

#include "base/array.h"
#include "contact/gap/closest.h"
#include "contact/response/response.h"
#include "contact/response/rows/rows.h"
#include "math/range.h"

// Two sides that may touch. Candidates are ordered by the pair of facets that brought them up, then
// by place.
typedef struct PalCandidate {
    int32_t pair[2];
    int32_t place;
    PalFeatures features;
    double friction;
    PalVec3 direction;  // separates the two, last time it was looked at
    double apart;       // along it, at the start of the step of this stamp
    int64_t stamp;
    double impulse;  // along the normal, in the last step
    bool found;      // by the guard, when no row would have been: it keeps one while it carries
    PalVec3 drag;    // of friction, in the last step
} PalCandidate;

// What it did in the last step no longer matters.
static inline void pal_candidate_forget(PalCandidate *candidate)
{
    candidate->impulse = 0;
    candidate->drag = (PalVec3){0, 0, 0};
    candidate->found = false;
}

typedef struct PalCandidates {
    int32_t count, capacity;
    PalCandidate *items;
    double *wake;  // asleep until the odometer shows more
    double *seen;  // what it showed when that was found
    int32_t *row;  // in this step; PAL_NONE: awake without one; PAL_ASLEEP
} PalCandidates;

#define PAL_ASLEEP (-2)

// They have so much room until they are to be looked at again.
static inline void pal_candidates_sleep(PalCandidates *candidates, int32_t index, double odometer,
                                        double room)
{
    candidates->wake[index] = odometer + room;
    candidates->seen[index] = odometer;
}

// The first candidate from this one on that wakes when the odometer shows so much; their count:
// none.
static inline int32_t pal_candidates_next(const PalCandidates *candidates, int32_t from,
                                          double shown)
{
    const double *wake = candidates->wake;
    int32_t c = from, count = candidates->count;
    while (c + 4 <= count &&
           pal_min(pal_min(wake[c], wake[c + 1]), pal_min(wake[c + 2], wake[c + 3])) > shown)
        c += 4;
    while (c < count && wake[c] > shown)
        ++c;
    return c;
}

// How far a vertex goes in the step of this stamp, as predicted, and the farthest of its
// neighbours and itself; PAL_NONE: not known.
typedef struct PalVertexMotion {
    int64_t stamp;
    double own, around;
} PalVertexMotion;

typedef struct PalMotions {
    bool far;  // some vertex goes so far, as predicted, that each is worth a look of its own
    PalVertexMotion *vertices;
    int64_t stamp;         // counts how often strides were fitted
    int64_t *chunk_stamp;  // per chunk of nodes: the last time one had a row then
} PalMotions;

typedef struct PalLagrange {
    PalCandidates now, spare;
    int64_t generation;  // of the search's list the candidates were made of
    double odometer;     // bounds how much nearer any two points have come since the start
    PalMotions motions;
    int32_t awake_count;
    int32_t *awake;  // candidates looked at in this step
    int32_t hit_count;
    int32_t *hits;     // candidates that would collide
    int32_t capacity;  // of awake and hits
    PalRows rows;
    PAL_ARRAY(PalGap) gaps;  // of the rows
    PalVec3 *predicted;      // ends of touched vertices before contact
    int32_t touched_count;
    int32_t *touched;       // vertices that rows of this step speak of
    int64_t *vertex_stamp;  // per vertex: the step it was touched in
    int32_t *orphans;       // per vertex: candidate that carried it and no longer does, plus 1
    int32_t *cluster;       // rescue: union-find over carriers
    int64_t *edge_stamp;    // twice the stamp, plus 1 where the edge may touch
    double (*cluster_sums)[8];
    int32_t too_fast;  // a free rigid body that turns too fast to be followed, or PAL_NONE
} PalLagrange;

// Makes the candidates of the search's present list; keeps what is known of those that stay.
PalStatus pal_candidates_update(PalContact *contact, PalLagrange *lagrange, PalError *error);
// The same in the middle of a step: all stay, with their rows, and more may come.
PalStatus pal_candidates_add(PalContact *contact, PalLagrange *lagrange, PalError *error);

// Does nothing but stop where candidates contradict themselves.
void pal_candidates_validate(const PalContact *contact, const PalLagrange *lagrange);

void pal_candidates_clear(PalCandidates *candidates);

// What is known of candidates that have carried force, for checkpoints.
int32_t pal_candidates_kept_count(const PalContact *contact);
void pal_candidates_keep(const PalContact *contact, PalKept *rows);
PalStatus pal_candidates_restore(PalContact *contact, const PalKept *rows, int32_t count);

// Looks at candidates that may come near in this step, and makes rows of those that need one.
// No vertex goes farther than `reach`, as predicted.
void pal_lagrange_evaluate(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                           double reach, PalMeter *meter);

PalStatus pal_motions_create(PalMotions *motions, const PalContactSurface *surface,
                             PalError *error);
void pal_motions_clear(PalMotions *motions);

// May this candidate come so near, as predicted, that it needs a row?
bool pal_lagrange_may_have_row(PalContact *contact, PalLagrange *lagrange, int32_t candidate);
// Measures how far apart a candidate is that needs no row, once in a while, and lets it sleep as
// long as it can.
void pal_lagrange_doze(PalContact *contact, PalLagrange *lagrange, int32_t candidate);
// May these collide on their way to where the ends are now? They are `room` apart, and more.
bool pal_lagrange_may_collide(const PalContactSurface *surface, const PalFeatures *features,
                              double room);
// Strides follow the ends as they are now. The farthest any vertex goes.
double pal_lagrange_fit_strides(PalContactSurface *surface, PalLagrange *lagrange);
// A row for a candidate the guard has found to collide in spite of the others.
void pal_lagrange_add_hit(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                          int32_t candidate);

// Solves the rows from the velocities as predicted; ends follow.
void pal_lagrange_solve(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step);

// Candidates that would collide between start and end: lagrange->hits. No vertex goes farther than
// `reach`.
void pal_lagrange_guard(PalContact *contact, PalLagrange *lagrange, double reach);
// All vertices move by themselves.
void pal_lagrange_part_all(const PalContact *contact, PalLagrange *lagrange);
// Lets what still collides move together, with what moves together already. False: all of it did
// before, and it cannot be done, as between two instruments.
bool pal_lagrange_join(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step);

// Ends of the touched vertices from their velocities.
void pal_lagrange_move(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step);

// A row or a rescue speaks of this vertex: its carriers start with the velocities predicted.
void pal_lagrange_touch(PalContact *contact, PalLagrange *lagrange, int32_t vertex);
// The same with nodes of weight 0, which turn it.
void pal_lagrange_touch_around(PalContact *contact, PalLagrange *lagrange, int32_t vertex);

// Distance kept at least between two points that were farther apart at the start of the step.
static inline double pal_lagrange_least(const PalContact *contact)
{
    return contact->separation / 4;
}

// Of the mean edge: so near at the start of a step, pairs have rows as soon as they close in on
// each other's planes. Any search lists them.
#define PAL_LAGRANGE_EARLY 0.01

// Candidates farther apart along their normal than this need no row.
static inline double pal_lagrange_near(const PalContact *contact)
{
    return contact->separation + contact->rate_distance;
}

// The same by their distance: a vertex may be nearer along the normal of a facet beside.
static inline double pal_lagrange_margin(const PalContact *contact, PalContactKind kind)
{
    double near = pal_lagrange_near(contact);
    return kind == PAL_CONTACT_NODE_FACET ? near / PAL_GAP_BESIDE : near;
}

// Pairs that are nearer are in every list. Those farther apart need no row, along whatever normal.
static inline double pal_lagrange_listed(const PalContact *contact)
{
    return pal_max(pal_lagrange_near(contact) / PAL_GAP_BESIDE, PAL_LAGRANGE_EARLY * contact->edge);
}

#endif
