// What `check` looks at.
#ifndef PAL_SCENE_CHECK_H
#define PAL_SCENE_CHECK_H

#include "scene/reader.h"

// A number with its unit, such as "1.5 MB" or "3 minutes".
typedef struct PalAmount {
    char text[32];
} PalAmount;
PalAmount pal_amount_bytes(double bytes);
PalAmount pal_amount_seconds(double seconds);
PalAmount pal_amount_count(double count);  // "1,234,567"
// With so many digits that count, and without an exponent up to a million: "2200", "0.31".
PalAmount pal_amount_digits(double value, int digits);

PalVec3 pal_check_cell_centre(const PalMesh *mesh, int32_t cell_index);

// Meshes, materials, selections: what needs no simulation.
PalStatus pal_check_bodies(const PalScene *scene, PalFindings *findings, PalError *error);
PalStatus pal_check_conditions(const PalScene *scene, PalFindings *findings, PalError *error);

// Between two objects, if they touch.
double pal_check_friction(const PalScene *scene, int32_t a, int32_t b);
// Conditions hold a body in every direction, or attach it to another.
bool pal_check_is_held(const PalScene *scene, int32_t body_index);

// Bodies and free instruments too heavy for what they press on, or to move in the time there is,
// and densities of other units.
void pal_check_weights(const PalScene *scene, PalFindings *findings);
void pal_check_rigid_weight(const PalScene *scene, const PalRigidDef *rigid, double mass,
                            PalFindings *findings);

// What a body's element cannot do with its material and shape, in numbers.
PalStatus pal_check_element(const PalScene *scene, int32_t body_index, PalFindings *findings,
                            PalError *error);
// Prescribed motion that stops with a kink.
void pal_check_ramps(const PalScene *scene, PalFindings *findings);
// How long a way an instrument goes until then: the longest of some of its nodes. Free ones: 0.
double pal_check_way(const PalRigid *rigid, double time);

// What the scene's vademecum would be of, if it has one.
PalStatus pal_check_vademecum(const PalScene *scene, PalFindings *findings, PalError *error);

// How long bodies take to come to rest. The simulation is at its start.
PalStatus pal_check_rest(const PalScene *scene, PalSim *sim, PalFindings *findings,
                         PalError *error);

// Objects in contact that overlap or nearly touch.
PalStatus pal_check_overlaps(const PalScene *scene, PalFindings *findings, PalError *error);
// Who touches whom, with how much friction.
void pal_check_pairs(const PalScene *scene, PalFindings *findings);
// What contact goes by in a simulation just made.
void pal_check_contact(const PalScene *scene, const PalSim *sim, PalFindings *findings);
// A separation that is given and makes no sense; pal_check_overlaps tells that as well.
void pal_check_separation(const PalScene *scene, const PalSim *sim, PalFindings *findings);
// Instruments that pass through each other.
void pal_check_instruments(const PalScene *scene, const PalSim *sim, PalFindings *findings);

#endif
