// The state of a haptic loop.
#ifndef PAL_REDUCED_HAPTIC_H
#define PAL_REDUCED_HAPTIC_H

#include "reduced/distances.h"
#include "reduced/haptic_balance.h"
#include "reduced/haptic_defect.h"
#include "reduced/haptic_find.h"
#include "reduced/haptic_rows.h"
#include <palpate/vademecum.h>

// What is remembered of a point that touches.
typedef struct PalHapticMemory {
    uint32_t step;   // when it touched last; 0: never
    float force[3];  // normal, and along the surface in space: see `along`
    PalVec3 normal;  // in space
    PalVec3 along;   // friction in space
    int32_t facet;   // where it sticks to the other body
    float weights[3];
    float part;  // of the way along its own edge
} PalHapticMemory;

// A contact of a step: `first_row` is that of the normal; with friction two more follow.
typedef struct PalHapticLink {
    PalVec3 place;  // in space, when rows were made
    PalVec3 tangents[2];
    int32_t first_row;  // PAL_NONE: others of its leaf stand for it
    float share;        // of that row's force
    int32_t next;       // near point of the same row
} PalHapticLink;

// The forces that the present local part was made with, turned back to rest.
typedef struct PalHapticLocal {
    PalVec3 *force;  // per node
    bool *listed;
    int32_t *nodes;  // that have one
    int32_t count;
} PalHapticLocal;

// Near points of a cluster of the shell.
typedef struct PalHapticGroup {
    uint32_t filling;  // when it was made
    bool shared;       // shares are known
    int32_t first;     // of those that carry force, or PAL_NONE; of all, before
    int32_t nearest;   // point
    float sum;         // of shares
} PalHapticGroup;

// What a body never goes beyond.
typedef struct PalHapticLimit {
    double modes;      // length of q
    double way;        // how far modes move a point
    double way_left;   // of that, at least: it need not be measured before it is used up
    double force;      // of all points together
    bool passed;       // q was cut
    bool was_linear;   // the stiffness at rest had taken the place of the law when it was
    bool near_passed;  // the local part was
} PalHapticLimit;

#define PAL_HAPTIC_SINGLE 112  // up to so many near points each is a row of its own
#define PAL_HAPTIC_AGAIN  80   // and again, where there were more

struct PalHaptic {
    PalHapticDef def;
    PalHapticBody bodies[2];
    PalHapticShape shapes[2];
    PalHapticBalance balances[2];
    PalHapticDefect defects[2];
    PalHapticLimit limits[2];
    bool force_passed;       // forces of this step were cut
    double follows;          // how much of its change the force takes in this step
    PalHapticPose poses[2];  // body 1: that of the device
    PalHapticFrame frames[2];
    PalHapticFrame last_frames[2];  // of the last search, with the modes then
    float *last_q[2];
    double radius[2];               // of the bodies about their origins
    double last_way;                // how far they moved between the last two searches
    bool settled;                   // displacements are those of the last step's forces
    bool ready;                     // there are rows that no step has used yet
    bool rows_turned[2];            // into coordinates in which the tangent is the identity
    PalHapticFrame made_frames[2];  // when rows were made
    bool prepared;                  // all of that was done after the last step
    double last_moved[6];           // tool against body 0, in the last step
    PalHapticFinder finder;
    PalHapticLink *links;  // per near point
    PalHapticRows rows;
    PalHapticMemory *memory[2];    // per node
    PalHapticMemory *pair_memory;  // per pair of edges
    PalHapticGroup *groups[2];     // per cluster
    int32_t group_level;           // 0: single points
    uint32_t group_filling;        // counts how often groups were made
    int32_t *carriers;  // points that carried force in the last step: node, and side as a sign
    int32_t carrier_count;
    int32_t *pair_carriers;  // pairs of edges that did
    int32_t pair_carrier_count;
    bool touched;            // points were near since all was forgotten
    float *work[4];          // rows of the wider body
    PalVec3 *pull[2];        // per node: force on it, turned back to rest
    uint32_t *pull_step[2];  // when it was last set
    int32_t *pulled[2];      // nodes that have one
    int32_t pulled_count[2];
    PalHapticLocal local[2];
    int32_t *local_nodes[2];   // nodes with a local part
    uint32_t *local_step[2];   // 1: on that list
    PalVec3 *local_before[2];  // zero but while it is used
    int32_t local_count[2];
    uint32_t step;
    double moved[6];           // tool against device: way and rotation vector
    double margin;             // of the last step
    double deepest;            // point of the last search
    double end_time;           // of the step; 0: no deadline
    double forces_seconds[2];  // what these took, lately
    double found_time;         // when near points were known
    double row_seconds[2];     // and a near point, while the force is due and ahead of it
    bool predicted;            // large displacements were not corrected in this step
    PalHapticForce answer;
    PalHapticQuality quality;
    struct {               // the observer of energy
        PalVec3 position;  // of the device in the last step
        PalQuaternion rotation;
        PalVec3 velocity, spin;
        PalVec3 contact_force, contact_torque;  // of the last step
        bool known, told;                       // positions; whether the program told velocities
        double held, held_square;  // sums: what held forces gave too much, and squares of ways
    } watch;
    PalDistances distances;  // as printed: those of body 0, where it has them
    struct PalHapticPicture *picture;
};

// What is remembered of a near point.
static inline PalHapticMemory *pal_haptic_memory_of(const PalHaptic *haptic,
                                                    const PalHapticNear *near)
{
    return near->pair != PAL_NONE ? &haptic->pair_memory[near->pair]
                                  : &haptic->memory[near->side][near->node];
}

// haptic_contact.c: contacts to rows, and forces back to bodies.
void pal_haptic_make_rows(PalHaptic *haptic);
void pal_haptic_take_forces(PalHaptic *haptic);
void pal_haptic_remember(PalHaptic *haptic);  // forces on points, for the next rows
float pal_haptic_force_on(const PalHaptic *haptic, int32_t near);
void pal_haptic_spread(PalHaptic *haptic);  // the local part of the forces
// haptic_group.c: shares of near points in the forces of rows. False: each has its own row.
bool pal_haptic_make_groups(PalHaptic *haptic);
PalHapticGroup *pal_haptic_group_of(const PalHaptic *haptic, const PalHapticNear *near);
float pal_haptic_last_force(const PalHaptic *haptic, const PalHapticNear *near);
// haptic_limit.c: bounds that hold in any pose
void pal_haptic_limit_init(PalHaptic *haptic, int32_t body);
void pal_haptic_limit_modes(PalHaptic *haptic, int32_t body);  // of the last step: q_length
bool pal_haptic_limit_forces(PalHaptic *haptic);
void pal_haptic_limit_change(PalHaptic *haptic, const PalHapticForce *last, const double moved[6]);
bool pal_haptic_is_beyond(const PalHaptic *haptic);
bool pal_haptic_printed_is_beyond(const PalHaptic *haptic, double force);  // of all points
// haptic_printed.c: the whole answer as printed.
void pal_haptic_printed_step(PalHaptic *haptic);
// haptic_watch.c: the force that the device gets.
void pal_haptic_watch(PalHaptic *haptic);
// haptic.c
void pal_haptic_forget(PalHaptic *haptic);  // where points were next to the other body
void pal_haptic_set_frames(PalHaptic *haptic);
// haptic_step.c
void pal_haptic_look(PalHaptic *haptic);    // fills the list of near points
void pal_haptic_settle(PalHaptic *haptic);  // before displacements are asked for
bool pal_haptic_is_late(void *haptic);

#endif
