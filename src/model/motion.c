#include "math/mat3.h"
#include <palpate/model.h>

PalVec3 pal_motion_apply(const PalMotionDef *motion, double time, PalVec3 at_start)
{
    double factor = pal_ramp_value(&motion->ramp, time);
    PalVec3 arm = pal_vec3_sub(at_start, motion->centre);
    if (motion->radians != 0) {
        PalMat3 rotation = pal_rotation_about(motion->axis, factor * motion->radians);
        arm = pal_mat3_apply(&rotation, arm);
    }
    PalVec3 turned = pal_vec3_add(arm, motion->centre);
    return pal_vec3_add_scaled(turned, factor, motion->translation);
}
