// Vademecums, on-line: two bodies that touch, answered at the rate of a haptic device.
//
//   pal_haptic_create(&def, &haptic, &error);
//   every millisecond:
//       pal_haptic_set_pose(haptic, 1, &pose);
//       quality = pal_haptic_step(haptic, 0.0005);
//       force = pal_haptic_force(haptic);
//       pal_haptic_prepare(haptic);
//
// The loop neither allocates nor locks nor calls the system; with a deadline it reads the clock.
// docs/theory/haptics.md
#ifndef PALPATE_VADEMECUM_H
#define PALPATE_VADEMECUM_H

#include <palpate/vademecum_build.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef struct PalHaptic PalHaptic;

// How contact is answered.
typedef enum PalHapticAnswer {
    PAL_HAPTIC_OURS,     // complementarity on the compliance of both surfaces
    PAL_HAPTIC_PRINTED,  // F = -k d n on a pointshell in a distance field, and superposition
} PalHapticAnswer;

const PalChoice *pal_haptic_answer_choice(int32_t index);  // NULL after the last one
const char *pal_haptic_answer_name(PalHapticAnswer answer);
bool pal_haptic_answer_find(const char *name, PalHapticAnswer *answer);

// A closed surface that does not deform, such as an instrument. Copied.
typedef struct PalHapticRigid {
    int32_t node_count, facet_count;
    const PalVec3 *nodes;
    const int32_t (*facets)[3];  // counter-clockwise seen from outside
} PalHapticRigid;

typedef struct PalHapticPose {  // a point X of the body at rest is at rotation X + position
    PalVec3 position;
    PalQuaternion rotation;
} PalHapticPose;

typedef struct PalHapticDef {
    // Body 0 and body 1, the tool. Each is a vademecum, which has to stay, or a rigid surface.
    const PalVademecum *books[2];
    const PalHapticRigid *rigids[2];
    PalHapticAnswer answer;
    double friction;   // Coulomb coefficient, >= 0
    double penalty;    // as printed: force per depth of a point, k_c; 0: one that suits the body
    bool correct;      // large displacements by the forces of sampled cells
    bool both_shells;  // points of either body against the surface of the other
    double coupling;   // stiffness between device and tool, force per length; 0: rigid
    double coupling_turn;  // the same against turning, moment per radian; 0: rigid
    double step;           // seconds between steps: for the observer of energy
    double mass;           // of the device, at least: damping never turns it back; 0: not known
    bool observe;          // damps the force where the device would receive energy
    int32_t contact_max;   // room for contacts
} PalHapticDef;

PalHapticDef pal_haptic_def_default(void);

PalStatus pal_haptic_create(const PalHapticDef *def, PalHaptic **haptic, PalError *error);
void pal_haptic_destroy(PalHaptic *haptic);
size_t pal_haptic_bytes(const PalHaptic *haptic);  // without the vademecums

// Back to rest, without contact; poses stay.
void pal_haptic_reset(PalHaptic *haptic);

// Of body 0 or 1. A pose that is no number or no rotation is refused: the last one stays.
bool pal_haptic_set_pose(PalHaptic *haptic, int32_t body, const PalHapticPose *pose);
PalHapticPose pal_haptic_pose(const PalHaptic *haptic, int32_t body);
// What the device reports; the observer takes differences of poses where it is not set. Both zero:
// at rest.
void pal_haptic_set_velocity(PalHaptic *haptic, PalVec3 velocity, PalVec3 spin);

// How much of a step there was time for, and whether what was learnt reaches so far.
typedef enum PalHapticQuality {
    PAL_HAPTIC_FULL,       // all points, solved, corrected
    PAL_HAPTIC_PREDICTED,  // all points, but large displacements were not corrected, or not yet
    PAL_HAPTIC_COARSE,     // only one point of each cluster where time was short
    PAL_HAPTIC_HELD,       // no time at all: the forces of the last step
    PAL_HAPTIC_BEYOND,  // beyond what was learnt: more force, or forces or displacements were cut
} PalHapticQuality;

const char *pal_haptic_quality_name(PalHapticQuality quality);

// One step within `deadline` seconds from now; 0: however long it takes.
PalHapticQuality pal_haptic_step(PalHaptic *haptic, double deadline);

// Work for the next step that need not delay this one's force: the balance of large displacements,
// near points where bodies are now, and their compliance. Call it when the device has its force; a
// step that finds it not done does it itself.
void pal_haptic_prepare(PalHaptic *haptic);
// The same in about so many seconds, 0: however long it takes. Where that is too short, the next
// step has fewer points, those that carried force among them, and says that it is coarse.
void pal_haptic_prepare_within(PalHaptic *haptic, double seconds);

typedef struct PalHapticForce {
    PalVec3 force, torque;                  // on the tool, in space; torque about its position
    PalVec3 contact_force, contact_torque;  // of contact alone, without what the observer takes off
    int32_t contacts;                       // points that carry force
    int32_t candidates;                     // points that were near
    double deepest;                         // penetration after the step
    double residual;                        // of the solution, relative to the largest force
    double energy;                          // work done on the device so far
    double damping;                         // what the observer asks for: force per velocity
} PalHapticForce;

PalHapticForce pal_haptic_force(const PalHaptic *haptic);

// The part of the contact forces of the last step, 0 to 1, that act more than
// PAL_VADEMECUM_UNLEARNT away from any direction that loads had when a vademecum was made: friction
// on one with loads along the normal, or contact on the side of one with a single direction.
double pal_haptic_unlearnt(PalHaptic *haptic);

// As printed: force per depth of a point, given or chosen; 0: not yet chosen, by the first step.
double pal_haptic_penalty(const PalHaptic *haptic);

typedef struct PalHapticContact {
    PalVec3 place;   // in space, on the surface
    PalVec3 force;   // on the tool
    PalVec3 normal;  // from body 0 to the tool
    double gap;
} PalHapticContact;

// Contacts that carry force, at most `room` of them; returns how many there are.
int32_t pal_haptic_contacts(PalHaptic *haptic, PalHapticContact *contacts, int32_t room);

// The surface of a body, triangles of surface nodes; and its nodes in space, as of the last step.
int32_t pal_haptic_node_count(const PalHaptic *haptic, int32_t body);
int32_t pal_haptic_facet_count(const PalHaptic *haptic, int32_t body);
const int32_t (*pal_haptic_facets(const PalHaptic *haptic, int32_t body))[3];
void pal_haptic_surface(PalHaptic *haptic, int32_t body, PalVec3 *nodes);
// Displacement of a surface node in the body's own coordinates, as of the last step.
PalVec3 pal_haptic_displacement(PalHaptic *haptic, int32_t body, int32_t node);

// ---- for another thread that draws ------------------------------------------------------------
// The loop publishes what it has, the other thread takes the newest; neither ever waits. One thread
// each. A picture borrows from the loop: destroy it first.
typedef struct PalHapticPicture PalHapticPicture;
PalStatus pal_haptic_picture_create(PalHaptic *haptic, PalHapticPicture **picture, PalError *error);
void pal_haptic_picture_destroy(PalHapticPicture *picture);
void pal_haptic_publish(PalHaptic *haptic);               // by the loop, after a step
bool pal_haptic_picture_take(PalHapticPicture *picture);  // by the other; false: nothing new
PalHapticForce pal_haptic_picture_force(const PalHapticPicture *picture);
PalHapticPose pal_haptic_picture_pose(const PalHapticPicture *picture, int32_t body);
int32_t pal_haptic_picture_contacts(const PalHapticPicture *picture, PalHapticContact *contacts,
                                    int32_t room);
void pal_haptic_picture_surface(PalHapticPicture *picture, int32_t body, PalVec3 *nodes);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
