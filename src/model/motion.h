// Where prescribed motions have taken a rigid instrument, and how fast.
#ifndef PAL_MODEL_MOTION_H
#define PAL_MODEL_MOTION_H

#include "math/mat3.h"
#include <palpate/model.h>

// Is it up only at the end of a simulation that has none?
bool pal_ramp_lacks_end(const PalRamp *ramp, double end_time);
// A ramp of its own, whose `until` is set; checked before anything is written. One that lacks an
// end is 1 from the start: who asks for its value has refused it.
PalStatus pal_ramp_copy(const PalRamp *given, double end_time, PalRamp *ramp, PalError *error);

// d factor / dt, from the right.
double pal_ramp_rate(const PalRamp *ramp, double time);
// The first time after `time` at which it has a corner; infinite: there is none.
double pal_ramp_next_corner(const PalRamp *ramp, double time);

// The point a pose turns about: the centre of the first motion that turns, or else of the first; of
// a free body its centre of mass.
PalVec3 pal_rigid_pivot(const PalRigid *rigid);

// No point of the instrument within `arm` of the pivot is farther from where it was than this.
double pal_rigid_stride(const PalRigid *rigid, double start_time, double end_time, double arm);

#endif
