// Steering: what a program may change and read while a simulation runs, fast enough for a loop of a
// thousand periods a second. A change with a time goes linearly to its new value and reaches it at
// that time: an automatic step ends exactly then; with steps of a given length, it is reached by
// the first step that ends then or later. A time that is not after now means the end of the next
// step. Checkpoints contain all changes. Only the explicit methods can be steered, not relaxation
// or the implicit ones.
#ifndef PALPATE_STEER_H
#define PALPATE_STEER_H

#include <palpate/sim.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

// ---- rigid instruments and bodies ---------------------------------------------------------

// From now on a program says where a rigid instrument goes, instead of its motion: where it is at
// the end of the next step, and how fast it moves then. It stays there until the next call. A free
// body must have a spring, which pulls it there from the end of that step on.
PalStatus pal_sim_set_rigid_pose(PalSim *sim, int32_t rigid_index, const PalPose *pose,
                                 const PalTwist *twist, PalError *error);

// The same, but it moves there at constant speed until a time: the point that its motion turns
// about goes straight (the origin, if its motion names no other), and it turns about one axis, the
// short way round. Call it once a period, and then pal_sim_advance to the same time.
PalStatus pal_sim_move_rigid(PalSim *sim, int32_t rigid_index, const PalPose *pose, double time,
                             PalError *error);

// A new force on a free body and a new torque about its centre of mass. They replace those of its
// definition and their ramp, and are reached at `time`.
PalStatus pal_sim_set_rigid_load(PalSim *sim, int32_t rigid_index, PalVec3 force, PalVec3 torque,
                                 double time, PalError *error);

// ---- conditions and friction --------------------------------------------------------------

// A new value for a condition, by its number in the definition. It replaces the condition's own
// value and ramp, and is reached at `time`.

// Force, traction or gravity; of a force with `each`, that on a node of weight 1.
PalStatus pal_sim_set_load(PalSim *sim, int32_t condition_index, PalVec3 value, double time,
                           PalError *error);
PalStatus pal_sim_set_pressure(PalSim *sim, int32_t condition_index, double pressure, double time,
                               PalError *error);
// Displacement of the nodes that a condition displaces, in its axes; of nodes that it turns, the
// axis times the angle in radians.
PalStatus pal_sim_set_displacement(PalSim *sim, int32_t condition_index, PalVec3 displacement,
                                   double time, PalError *error);
// The value of a condition now; a pressure is in x, and fixed nodes have 0.
PalStatus pal_sim_condition_value(const PalSim *sim, int32_t condition_index, PalVec3 *value,
                                  PalError *error);

// Friction between two objects (see PalContactPairDef) that the definition has as a pair, from the
// next step on.
PalStatus pal_sim_set_friction(PalSim *sim, int32_t object, int32_t other, double friction,
                               PalError *error);

// ---- reading ------------------------------------------------------------------------------

// A rigid instrument or body at the state's time.
typedef struct PalRigidReading {
    PalPose pose;    // its pivot is that of the pose last given; before, the centre of its motion;
                     // of a free body always the centre of mass
    PalTwist twist;  // of the pose's centre
    PalVec3 contact_force, contact_torque;  // on it in the last step; about the pose's centre
    PalVec3 spring_force, spring_torque;    // on it by its spring; 0 where it has none
    PalPose goal;                           // where it is told to be, or its spring pulls
} PalRigidReading;

PalStatus pal_sim_read_rigid(const PalSim *sim, int32_t rigid_index, PalRigidReading *reading,
                             PalError *error);

// How large the surface of an object is: that of a body, or of a rigid instrument (see
// PalContactPairDef). It does not change. Quadrilaterals count as two triangles.
PalStatus pal_sim_surface_size(const PalSim *sim, int32_t object, int32_t *vertex_count,
                               int32_t *triangle_count, PalError *error);

// Where to copy a surface to: arrays of the caller's, with room for so many. Any may be NULL.
typedef struct PalSurfaceCopy {
    int32_t vertex_capacity, triangle_capacity;
    PalVec3 *positions;       // of vertices
    PalVec3 *normals;         // at vertices, unit vectors outward: the mean of the facets around
    int32_t (*triangles)[3];  // vertices, anticlockwise from outside; always the same
} PalSurfaceCopy;

// The surface of an object as it is now.
PalStatus pal_sim_copy_surface(PalSim *sim, int32_t object, const PalSurfaceCopy *copy,
                               PalError *error);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
