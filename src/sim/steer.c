// What a program may change while a simulation runs.
#include "math/mat3.h"
#include "model/motion.h"
#include "sim/sim.h"

#define ROUND 1e-6  // how far a rotation given by a program may be from one

static bool is_rotation(const PalMat3 *rotation)
{
    PalMat3 back = pal_mat3_transpose(rotation), both = pal_mat3_multiply(rotation, &back);
    PalMat3 one = pal_mat3_identity();
    for (int i = 0; i < 9; ++i)
        if (!(fabs(both.m[i / 3][i % 3] - one.m[i / 3][i % 3]) < ROUND))
            return false;
    return pal_mat3_determinant(rotation) > 0;
}

PalStatus pal_sim_set_rigid_pose(PalSim *sim, int32_t rigid_index, const PalPose *pose,
                                 const PalTwist *twist, PalError *error)
{
    if (rigid_index < 0 || rigid_index >= sim->model->rigid_count)
        return pal_error_set(error, PAL_BAD_INPUT, "there is no rigid instrument %d",
                             (int)rigid_index);
    const PalRigid *rigid = &sim->model->rigids[rigid_index];
    if (!is_rotation(&pose->rotation) || !pal_vec3_is_finite(pose->pivot) ||
        !pal_vec3_is_finite(pose->centre) || !pal_vec3_is_finite(twist->velocity) ||
        !pal_vec3_is_finite(twist->spin))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "rigid '%s': its new pose has no rotation, or a number that is not "
                             "finite",
                             rigid->name);
    // the same place, said by the point that this one turns about
    PalRigidState *state = &sim->state->rigids[rigid_index];
    PalVec3 pivot = pal_rigid_pivot(rigid), centre = pal_pose_apply(pose, pivot);
    PalVec3 arm = pal_vec3_sub(centre, pose->centre);
    state->wanted = (PalPose){pose->rotation, pivot, centre};
    state->wanted_twist = (PalTwist){
        pal_vec3_add(twist->velocity, pal_vec3_cross(twist->spin, arm)),
        twist->spin,
    };
    state->steered = 1;
    return PAL_OK;
}
