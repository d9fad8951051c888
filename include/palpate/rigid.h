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

#ifdef __cplusplus
}
#endif

#endif
