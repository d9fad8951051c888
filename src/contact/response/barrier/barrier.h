// A barrier between the surfaces: energy that grows without bound as a distance goes to nothing.
//   B(d) = -k r^2 (1 - d/r)^2 ln(d/r) for d < r, the range; 0 beyond
// for every vertex and facet, less that of the vertex and edges between facets, and more that of
// the vertex and their corners: over a plane of many facets, as over one. And for every two edges,
// times a number that goes to 0 with the angle between them.
// docs/theory/barrier.md
#ifndef PAL_CONTACT_BARRIER_H
#define PAL_CONTACT_BARRIER_H

#include "base/array.h"
#include "contact/gap/features.h"
#include "contact/gap/nearness.h"
#include "contact/response/trial.h"

// Two sides that may come near each other on the way of the correction.
typedef struct PalBarrierItem {
    PalFeatureKey key;
    PalNearKind kind;
    PalFeatures features;
    double friction, stiffness;
    double parallel;    // of two edges: |a x b|^2 below which they count as nearly parallel
    int32_t joints[6];  // items of the vertex and the facet's edges, then its corners; or of the
                        // edge's two ends. PAL_NONE: there is none
} PalBarrierItem;

// What an item does in the present shape.
typedef struct PalBarrierPush {
    bool acts;
    int32_t count;  // how often it counts
    PalNearness near;
    double energy;        // without the edges' factor
    double force, slope;  // minus the first derivative of it, and the second
    double factor;        // of the edges' angle, up to 1
} PalBarrierPush;

// Friction of two sides, with the force and the directions they had when it was last renewed.
typedef struct PalDrag {
    PalFeatureKey key;
    PalFeatures features;
    double weights[4];
    PalVec3 normal;
    PalVec3 before;  // how far the sides had slid when the step began, as friction counts it
    double limit;    // coefficient times normal force
    double push;     // the normal force
    double slope;    // by which that falls with the gap
    PalVec3 ahead;   // how far they are expected to slide in the correction to come
} PalDrag;

// Part of the slip that friction of two sides has used up at the end of a step.
typedef struct PalGrip {
    PalFeatureKey key;
    PalVec3 strain;
} PalGrip;

// A contact that acts or that a correction would run into. `force` is what corrections so far have
// found it to be, `gap` the one at which the barrier has this force. The next correction counts
// with the force as it is and with the chord from there to here, where it acts; otherwise with
// force - stiffness (gap now - gap).
typedef struct PalExpected {
    PalFeatureKey key;
    PalNearKind kind;
    PalFeatures features;
    double weights[4];
    PalVec3 normal;
    double unit;  // the item's stiffness
    double force, gap, stiffness;
    double grip;   // force per way along the surface
    double start;  // the gap where the correction starts,
    double push;   // the force
    double slope;  // and how it falls
    bool acts;     // by itself, too
} PalExpected;

// Where an item is, by its two features.
typedef struct PalJoint {
    int32_t kind, a, b, index;
} PalJoint;

typedef struct PalBarrier {
    double range;          // now: wide at first in a step, and then narrower
    double last_range;     // the same, in the end
    double slip;           // in a step: with less, friction grows with it
    double last_slip;      // the same, when friction has settled
    double *edge_length2;  // per edge, at rest
    PAL_ARRAY(PalBarrierItem) items;
    PAL_ARRAY(PalBarrierPush) pushes;  // one per item
    PAL_ARRAY(PalDrag) drags;
    PAL_ARRAY(PalDrag) old_drags;  // before the last renewal
    PAL_ARRAY(PalGrip) grips;      // of the last step, sorted
    PAL_ARRAY(double) parts;       // one per item: how far each is free
    PAL_ARRAY(PalExpected) expected;
    bool fresh;  // the range has just changed: what acted before is expected in one correction
    PAL_ARRAY(PalJoint) joints;  // sorted
    uint8_t *inner;              // per vertex: facets go all around it
    PalVec3 *sums;               // per vertex, to compare frictions
    PalVec3 *strains;            // per vertex: their mean, for contacts to come
    double *strain_weights;
    int32_t closest;   // the item that is nearest; PAL_NONE
    int32_t renewals;  // of friction, in this step
} PalBarrier;

static inline PalBarrier *pal_barrier_of(const PalContact *contact)
{
    return contact->own;
}

// ---- potential.c

// Energy and its derivatives at a distance below the range, for a stiffness of 1.
typedef struct PalBarrierPotential {
    double energy, force, slope;
} PalBarrierPotential;

PalBarrierPotential pal_barrier_potential(double distance, double range);
// The distance at which it pushes so hard, for a stiffness of 1.
double pal_barrier_distance(double force, double range);

// Factor of two edges by c = |a x b|^2, with its derivatives.
typedef struct PalBarrierAngle {
    double factor, first, second;
} PalBarrierAngle;

PalBarrierAngle pal_barrier_angle(double c, double parallel);

// What an item does with its four points where they are.
PalBarrierPush pal_barrier_push(const PalBarrierItem *item, const PalVec3 points[4], double range,
                                bool *broken);
// Minus the derivative of its energy, per point.
void pal_barrier_forces(const PalBarrierItem *item, const PalBarrierPush *push,
                        const PalVec3 points[4], PalVec3 forces[4]);
// The second derivative, row by row.
void pal_barrier_curve(const PalBarrierItem *item, const PalBarrierPush *push,
                       const PalVec3 points[4], const PalTangentWish *wish,
                       double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE]);

// ---- drag.c

// The force of friction on the first side, for a way that it has slid.
PalVec3 pal_drag_force(const PalDrag *drag, PalVec3 way, double slip);
// Minus its derivative.
void pal_drag_curve(const PalDrag *drag, PalVec3 way, double slip,
                    double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE]);
// Whether there is friction of these two sides.
bool pal_drag_find(const PalBarrier *barrier, const PalFeatureKey *key);
// How far the first side has slid along the second, as friction counts it.
PalVec3 pal_drag_way(const PalContact *contact, const PalDrag *drag);
// Takes over what acts now. `change`: of all that it was, relative.
PalStatus pal_drags_renew(PalContact *contact, double *change, PalError *error);

// Before a correction: what has slid slides on, if instruments or held nodes `lead`.
void pal_drags_prepare(PalContact *contact, bool lead);
// What friction differs by from the present one when sides slide as expected, with the stiffness of
// there. That is where a correction is linear.
PalVec3 pal_drag_lead(const PalDrag *drag, PalVec3 way, double slip);

// See PalImplicitRow.
bool pal_drags_slide(PalContact *contact);
void pal_drags_couple(const PalContact *contact, const PalVec3 *motion, PalVec3 *force);
// Another slip from now on: what holds holds as before.
void pal_drags_change_slip(PalContact *contact, double slip);
// The step is over: the next one begins with friction as it is.
PalStatus pal_drags_accept(PalContact *contact, PalError *error);

// ---- expect.c

// Notes what the correction looked at last would run into, and drops what would be pulled. True:
// the correction is to be found again.
bool pal_barrier_expect(PalContact *contact);
// Changes the range: what acts now is expected to push as hard as before.
void pal_barrier_change_range(PalContact *contact, double range);
// Before a correction: lists what acts, with the forces found so far. What does not act is no
// longer expected; `all`: or only if the range has just changed.
void pal_barrier_prepare(PalContact *contact, bool all);
// After it: forces have come as far towards those it was found with.
void pal_barrier_went(PalContact *contact, double part);
// Force on the first side when vertices of instruments have gone the rest of their way, and others
// have not moved.
double pal_expected_force(const PalContact *contact, const PalExpected *expected);
// NULL: nothing is expected of it.
const PalExpected *pal_expected_find(const PalBarrier *barrier, const PalFeatureKey *key);

// ---- items.c

// Of two objects: force per length, of which forces are some ranges.
double pal_barrier_stiffness(const PalContact *contact, int32_t a, int32_t b);
// Lists what may come near on the way from surface->start to surface->end.
PalStatus pal_barrier_list(PalContact *contact, PalError *error);
// After distances were found: how often each item counts.
void pal_barrier_count(PalBarrier *barrier);

// ---- look.c

PalStatus pal_barrier_look(PalContact *contact, PalError *error);
double pal_barrier_filter(PalContact *contact);
// Finds what every item does in the present shape.
PalStatus pal_barrier_find(PalContact *contact, PalError *error);

static inline void pal_barrier_points(const PalContact *contact, const PalFeatures *features,
                                      PalVec3 points[4])
{
    for (int k = 0; k < 4; ++k)
        points[k] = contact->trial->place[features->vertices[k]];
}

#endif
