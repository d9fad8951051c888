// How a rigid body turns by itself when no torque acts on it.
#ifndef PAL_MODEL_TURN_H
#define PAL_MODEL_TURN_H

#include "math/quaternion.h"
#include <stdbool.h>

// The rotation of a body over a time, in its principal axes as they are before it. `momentum` is
// the angular momentum along these axes. Momentum in space and energy are kept to rounding for
// any step. False: it would turn hundreds of times, or something is no number.
bool pal_turn_freely(const double moments[3], PalVec3 momentum, double time, PalQuaternion *turn);

// The angle by which it may turn at most, in radians.
double pal_turn_angle_bound(const double moments[3], PalVec3 momentum, double time);

#endif
