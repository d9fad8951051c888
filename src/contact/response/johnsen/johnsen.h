// What the two published responses share: forces of a near, and how a node's forces become one.
#ifndef PAL_CONTACT_JOHNSEN_H
#define PAL_CONTACT_JOHNSEN_H

#include "contact/response/johnsen/near.h"

// How a near becomes forces.
typedef struct PalPushRule {
    double separation;     // gaps are counted from here
    double rate_distance;  // below this, approach is slowed down; 0: never
    bool even_split;       // two soft bodies share an overlap half and half, not by mass
} PalPushRule;

// Forces of one near on its vertices.
typedef struct PalNearForce {
    PalVec3 push[4];      // along the normal
    PalVec3 rub[4];       // friction
    bool push_moves[2];   // slave, master: can move along the normal
    bool rub_moves[2];    // ... and against the friction
    double normal_force;  // at the point of contact
    bool slips;
} PalNearForce;

// Equations 9 to 19: push of a near, from predicted positions. Zero where nothing is needed.
void pal_johnsen_push(const PalContact *contact, const PalContactStep *step,
                      const PalPushRule *rule, const PalNear *near, PalNearForce *force);

// Equations 20 and 21: friction that goes with the push.
void pal_johnsen_rub(const PalContact *contact, const PalContactStep *step, const PalNear *near,
                     PalNearForce *force);

// Algorithm 2: the one force of a vertex is its forces' sum times this.
double pal_johnsen_consolidate(const PalVec3 *forces, int32_t count);

// One vertex with forces in this round.
typedef struct PalPushed {
    int32_t vertex;
    int32_t first, count;  // in PalJohnsen.order
    double push_share, rub_share;
} PalPushed;

// The near a key stood for last, and its contact point.
typedef struct PalTold {
    int64_t stamp;
    int32_t point, partner;
} PalTold;

typedef struct PalJohnsen {
    double margin;  // epsilon_BV of the papers
    PalNearFinder finder;
    PAL_ARRAY(PalNearForce) forces;  // of each near
    PAL_ARRAY(PalPushed) pushed;
    PAL_ARRAY(int32_t) order;    // 4 * near + corner, vertex by vertex
    PAL_ARRAY(PalVec3) scratch;  // one vertex's forces
    int32_t *slot;               // per vertex: where in pushed
    int64_t *slot_stamp;
    PalTold *told;  // per key
    int64_t stamp, step_stamp;
} PalJohnsen;

// Keeps a PalJohnsen in contact->own.
PalStatus pal_johnsen_create(PalContact *contact, PalNormalKind kind, bool continuous_edges,
                             double rate_share, PalError *error);
void pal_johnsen_destroy(PalContact *contact);

// Overlaps count as deep as the margin, and deeper in a step that moves far.
PalSight pal_johnsen_sight(const PalContact *contact);

// A step begins: what was told of earlier ones is over.
void pal_johnsen_begin(PalContact *contact);

// Turns the pairs of the finder search into impulses and points, and moves surface->end.
// report.penetration becomes the deepest overlap that is left at a near.
PalStatus pal_johnsen_respond(PalContact *contact, const PalContactStep *step,
                              const PalPushRule *rule, PalError *error);

#endif
