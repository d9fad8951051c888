// A barrier between the surfaces: energy that grows without bound as a distance goes to nothing.
//   B(d) = -k r^2 (1 - d/r)^2 ln(d/r) for d < r, the range; 0 beyond
// for every vertex and facet and every two edges, those of nearly parallel edges times a number
// that goes to 0 with the angle.   docs/theory/barrier.md
#ifndef PAL_CONTACT_BARRIER_H
#define PAL_CONTACT_BARRIER_H

#include "base/array.h"
#include "contact/gap/features.h"
#include "contact/gap/nearness.h"
#include "contact/response/trial.h"

// Two sides that may come near each other on the way of the correction.
typedef struct PalBarrierItem {
    PalFeatureKey key;
    PalFeatures features;
    double friction, stiffness;
    double parallel;  // of two edges: |a x b|^2 below which they count as nearly parallel
} PalBarrierItem;

// What an item does in the present shape.
typedef struct PalBarrierPush {
    bool acts;
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
    double limit;  // coefficient times normal force
    double push;   // the normal force
} PalDrag;

typedef struct PalBarrier {
    double range;
    double slip;           // in a step: with less, friction grows with it
    double *edge_length2;  // per edge, at rest
    PAL_ARRAY(PalBarrierItem) items;
    PAL_ARRAY(PalBarrierPush) pushes;  // one per item
    PAL_ARRAY(PalDrag) drags;
    PAL_ARRAY(double) parts;  // one per item: how far each is free
    PalVec3 *sums;            // per vertex, to compare frictions
    int32_t closest;          // the item that is nearest; PAL_NONE
    int32_t renewals;         // of friction, in this step
    bool broken;              // two sides touch in the present shape
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
                       const PalVec3 points[4], bool exact,
                       double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE]);

// ---- drag.c

// The force of friction on the first side, for a way that it has slid.
PalVec3 pal_drag_force(const PalDrag *drag, PalVec3 way, double slip);
void pal_drag_curve(const PalDrag *drag, PalVec3 way, double slip,
                    double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE]);
// How far the first side has slid along the second in the step.
PalVec3 pal_drag_way(const PalContact *contact, const PalDrag *drag);
// Takes over what acts now. `change`: of all that it was, relative.
PalStatus pal_drags_renew(PalContact *contact, double *change, PalError *error);

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
