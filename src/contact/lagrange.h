// The inside of the lagrange response: candidates, rows, and what is kept from step to step.
#ifndef PAL_CONTACT_LAGRANGE_H
#define PAL_CONTACT_LAGRANGE_H

#include "contact/contact.h"
#include "math/lanes.h"
#include "math/range.h"

// A vertex and a facet, or two edges, that may touch. Candidates are ordered by the pair of facets
// that brought them up, then by place.
typedef struct PalCandidate {
    int32_t pair[2];
    int32_t place;
    PalContactKind kind;
    int32_t items[2];     // vertex and facet, or two edges
    int32_t vertices[4];  // vertex and the facet's, or the ends of one edge and of the other
    double friction;
    PalVec3 direction;  // separates the two, last time it was looked at
    double apart;       // along it, at the start of the step of this stamp
    double end_apart;   // and at its end
    int64_t stamp;
    double impulse;  // along the normal, in the last step
    bool found;      // by the guard, when no row would have been: it keeps one while it carries
    PalVec3 drag;    // of friction, in the last step
} PalCandidate;

// A vertex and a facet that is half of a quadrilateral have five vertices; all others four.
#define PAL_ROW_VERTICES 5

// One unknown of the step: rate = normal . (sum of weights times velocities) >= bias, impulse >= 0.
typedef struct PalRow {
    PalLanes normal;
    PalLanes drag;  // impulse of friction
    double weights[PAL_ROW_VERTICES];
    int32_t vertices[PAL_ROW_VERTICES];
    double bias;
    double impulse;
    double response;                  // change of rate per impulse
    double inverse, tangent_inverse;  // impulse per change of rate
    double friction;
    int32_t candidate;
    bool wide;  // there is a fifth vertex
} PalRow;

static inline int pal_row_vertex_count(bool wide)
{
    return wide ? PAL_ROW_VERTICES : PAL_ROW_VERTICES - 1;
}

// Four rows that can be solved at once: solve_groups.c. Without friction, `along` has the normal in
// it; with friction, it is a matrix with this diagonal.
typedef struct PalRowGroup {
    PalLanes along[PAL_LANES][4];
    int32_t vertices[PAL_LANES][4];
    PalLanes bias, inverse, response;
    PalLanes impulse;
    PalLanes before, ahead;  // impulse before the last sweep, and where it goes: without friction
    int32_t rows[PAL_LANES];
    int32_t count;
    bool wide;  // some row has a fifth vertex
} PalRowGroup;

// The fifth vertices of their rows; what a row without one has here is nothing.
typedef struct PalFifthGroup {
    PalLanes along[PAL_LANES];
    int32_t vertices[PAL_LANES];
} PalFifthGroup;

// What their friction needs: components of vectors, of four rows side by side.
typedef struct PalDragGroup {
    PalLanes normal[3], fixed[3];
    PalLanes give[3];  // change of the velocity per impulse
    PalLanes tangent_inverse, tangent_response, friction;
    PalLanes drag[3];
    PalLanes before[3], ahead[3];  // whole impulse before the last sweep, and where it goes
} PalDragGroup;

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
    int32_t *row;  // in this step; PAL_NONE: awake without one; PAL_ASLEEP
} PalCandidates;

#define PAL_ASLEEP (-2)

typedef struct PalLagrange {
    PalCandidates now, spare;
    int64_t generation;  // of the search's list the candidates were made of
    double odometer;     // bounds how much nearer any two points have come since the start
    int32_t awake_count;
    int32_t *awake;  // candidates looked at in this step; capacity as candidates
    int32_t hit_count;
    int32_t *hits;  // candidates that would collide; capacity as candidates
    int32_t row_count;
    PalRow *rows;  // capacity as candidates
    int32_t row_capacity;
    int64_t stamp;          // of the step
    double (*velocity)[4];  // of vertices stamped in this step
    // Velocities scaled by the roots of masses, before the last sweep, and where they go; with room
    // for 4 * PAL_LANES more
    PalLanes *scaled, *scaled_before, *scaled_ahead;
    int32_t *last_group;  // of rows a vertex is in
    int32_t group_count;
    PalRowGroup *groups;    // capacity as rows
    PalDragGroup *drags;    // as groups
    PalFifthGroup *fifths;  // as groups
    PalVec3 *predicted;     // their ends before contact
    int64_t *vertex_stamp;
    int32_t touched_count;
    int32_t *touched;     // vertices stamped in this step
    int32_t *orphans;     // per vertex: candidate that carried it and no longer does, plus 1
    int32_t *cluster;     // rescue: union-find over vertices
    int64_t *edge_stamp;  // twice the stamp, plus 1 where the edge may touch
    double (*cluster_sums)[8];
} PalLagrange;

// Makes the candidates of the search's present list; keeps what is known of those that stay.
PalStatus pal_candidates_update(PalContact *contact, PalLagrange *lagrange, PalError *error);
// The same in the middle of a step: all stay, with their rows, and more may come.
PalStatus pal_candidates_add(PalContact *contact, PalLagrange *lagrange, PalError *error);

void pal_candidates_clear(PalCandidates *candidates);

// What is known of candidates that have carried force, for checkpoints.
int32_t pal_candidates_kept_count(const PalContact *contact);
void pal_candidates_keep(const PalContact *contact, PalKept *rows);
PalStatus pal_candidates_restore(PalContact *contact, const PalKept *rows, int32_t count);

// Looks at candidates that may come near in this step, and makes rows of those that need one.
// `reach` bounds how far any vertex moves.
void pal_lagrange_evaluate(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                           double reach, PalMeter *meter);
// Wakes the candidates that may come near in this step after all, with a longer reach.
void pal_lagrange_wake(const PalContact *contact, PalLagrange *lagrange, double reach);
// A row for a candidate the guard has found to collide in spite of the others.
void pal_lagrange_add_hit(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                          int32_t candidate);

// Solves the rows from the velocities as predicted; ends follow.
void pal_lagrange_solve(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step);

// Solves rows from the velocities as predicted and the impulses of the last step, until no rate
// changes by more than the tolerance; with friction, and many sweeps, by some more.
void pal_lagrange_take_turns(const PalContact *contact, PalLagrange *lagrange, double tolerance);

// Candidates that would collide between start and end: lagrange->hits.
void pal_lagrange_guard(PalContact *contact, PalLagrange *lagrange);
// All vertices move by themselves.
void pal_lagrange_part_all(const PalContact *contact, PalLagrange *lagrange);
// Lets what still collides move together, with what moves together already. False: all of it did
// before, and it cannot be done, as between two instruments.
bool pal_lagrange_join(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step);

// Ends of the touched vertices from their velocities.
void pal_lagrange_move(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step);

// Starts a vertex's velocity in this step; all of them anew.
void pal_lagrange_touch(const PalContact *contact, PalLagrange *lagrange, int32_t vertex);
void pal_lagrange_reset(const PalContact *contact, PalLagrange *lagrange);

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

// Cosine between the way to a vertex and the normal of the facet it lies on, at least.
#define PAL_LAGRANGE_BESIDE 0.9

// Pairs that are nearer are in every list. Those farther apart need no row, along whatever normal.
static inline double pal_lagrange_listed(const PalContact *contact)
{
    return pal_max(pal_lagrange_near(contact) / PAL_LAGRANGE_BESIDE,
                   PAL_LAGRANGE_EARLY * contact->edge);
}

#endif
