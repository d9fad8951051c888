// Rigid instruments and bodies as they move.
#ifndef PALPATE_RIGID_H
#define PALPATE_RIGID_H

#include <palpate/math.h>

#ifdef __cplusplus
extern "C" {
#endif

// x -> centre + rotation (x - pivot), with x where a point was at the start.
typedef struct PalPose {
    PalMat3 rotation;
    PalVec3 pivot, centre;
} PalPose;

PalVec3 pal_pose_apply(const PalPose *pose, PalVec3 at_start);

// Velocity of the point at a pose's centre, and angular velocity.
typedef struct PalTwist {
    PalVec3 velocity, spin;
} PalTwist;

// Pulls a free body toward where its motion would have it: its centre of mass to that place, and
// its turn to that one, the short way round.
typedef struct PalSpringDef {
    double stiffness, damping;                  // force per distance and per speed, >= 0
    double turning_stiffness, turning_damping;  // torque per radian and per angular speed, >= 0
} PalSpringDef;

// What changes of one rigid instrument or body. Numbers only: a checkpoint keeps them as they are.
typedef struct PalRigidState {
    PalPose pose;  // at the state's time; that of a free body turns about its centre of mass
    PalPose next;  // within a step: at its end
    PalPose goal;  // at the state's time: where its motion or a program has it
    PalTwist goal_twist;
    PalPose wanted;  // where a program wants it at the end of the step to come
    PalTwist wanted_twist;
    double steered;  // 1: a program says where it goes, and `wanted` stays until it says otherwise

    // ---- of free bodies ----
    PalQuaternion orientation, next_orientation;  // since the start
    PalVec3 velocity;                             // of the centre of mass, at time - step / 2
    PalVec3 momentum;                             // angular, about that centre, then
    PalVec3 old_velocity, old_momentum;           // a step before
    PalVec3 force, torque;                        // loads and stiffness of the spring, at `time`
    PalVec3 spring_force, spring_torque;    // of the spring, with its damping, in the last step
    PalVec3 impulse, turn_impulse;          // of contact, in the last step
    PalVec3 contact_force, contact_torque;  // the same as force and torque about the centre
    double inverse_mass;      // how an impulse changes velocity in this step; 0: prescribed
    PalMat3 inverse_inertia;  // and one that turns the angular velocity, in space
} PalRigidState;

#ifdef __cplusplus
}
#endif

#endif
