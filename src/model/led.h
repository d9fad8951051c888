// Where a program leads what it steers: evenly from where it was to where it is wanted.
#ifndef PAL_MODEL_LED_H
#define PAL_MODEL_LED_H

#include <palpate/model.h>

// Where a steered instrument, or the goal of a free body, is at a time after `left_time`. Its pivot
// goes straight, and it turns about one axis, the short way round.
PalPose pal_rigid_led_pose(const PalRigidState *state, double time);
// How it moves on the way: that of its pose's centre.
PalTwist pal_rigid_led_twist(const PalRigidState *state);

// Value of a steered condition at a time after `left_time`.
PalVec3 pal_condition_led_value(const PalConditionState *state, double time);

// The force (0) or torque (1) on a free body at a time: by its definition and ramp, or as steered.
PalVec3 pal_rigid_given_load(const PalRigid *rigid, const PalRigidState *state, int which,
                             double time);

// The first time after `time` at which something steered is to arrive; infinite: nothing is.
double pal_next_arrival(const PalModel *model, const PalState *state, double time);

#endif
