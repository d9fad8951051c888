// Motion i takes x to R_i (x - c_i) + c_i + f_i t_i, where c_i is where the motions before it have
// taken its centre. All of them together: docs/theory/time.md, "Instruments".
#include "model/motion.h"

#include "math/vec3.h"

#include <math.h>

PalVec3 pal_pose_apply(const PalPose *pose, PalVec3 at_start)
{
    PalVec3 arm = pal_vec3_sub(at_start, pose->pivot);
    return pal_vec3_add(pose->centre, pal_mat3_apply(&pose->rotation, arm));
}

static PalPose pose_of(const PalMotionDef *motion, double time)
{
    double factor = pal_ramp_value(&motion->ramp, time);
    return (PalPose){
        .rotation = pal_rotation_about(motion->axis, factor * motion->radians),
        .pivot = motion->centre,
        .centre = pal_vec3_add_scaled(motion->centre, factor, motion->translation),
    };
}

PalVec3 pal_motion_apply(const PalMotionDef *motion, double time, PalVec3 at_start)
{
    PalPose pose = pose_of(motion, time);
    return pal_pose_apply(&pose, at_start);
}

// ---- several motions --------------------------------------------------------------------

PalVec3 pal_rigid_pivot(const PalRigid *rigid)
{
    if (rigid->free)
        return rigid->centre;
    for (int32_t i = 0; i < rigid->motion_count; ++i)
        if (rigid->motions[i].radians != 0)
            return rigid->motions[i].centre;
    return rigid->motion_count > 0 ? rigid->motions[0].centre : pal_vec3(0, 0, 0);
}

// The pose with one more motion after it.
static PalPose go_on(const PalPose *before, const PalMotionDef *motion, double time)
{
    PalPose pose = *before;
    double factor = pal_ramp_value(&motion->ramp, time);
    if (motion->radians != 0) {
        PalMat3 turn = pal_rotation_about(motion->axis, factor * motion->radians);
        PalVec3 centre = pal_pose_apply(before, motion->centre);
        PalVec3 arm = pal_vec3_sub(before->centre, centre);
        pose.rotation = pal_mat3_multiply(&turn, &before->rotation);
        pose.centre = pal_vec3_add(centre, pal_mat3_apply(&turn, arm));
    }
    pose.centre = pal_vec3_add_scaled(pose.centre, factor, motion->translation);
    return pose;
}

PalPose pal_rigid_pose(const PalRigid *rigid, double time)
{
    PalPose pose = {.rotation = pal_mat3_identity(), .pivot = pal_rigid_pivot(rigid)};
    pose.centre = pose.pivot;
    for (int32_t i = 0; i < rigid->motion_count; ++i)
        pose = go_on(&pose, &rigid->motions[i], time);
    return pose;
}

PalVec3 pal_rigid_position(const PalRigid *rigid, double time, PalVec3 at_start)
{
    PalPose pose = pal_rigid_pose(rigid, time);
    return pal_pose_apply(&pose, at_start);
}

// d (R_i (q - c) + c + f t) with q the pose's centre, c the motion's: both go along with the twist
// of the motions before.
PalTwist pal_rigid_twist(const PalRigid *rigid, double time)
{
    PalPose pose = {.rotation = pal_mat3_identity(), .pivot = pal_rigid_pivot(rigid)};
    PalTwist twist = {0};
    pose.centre = pose.pivot;
    for (int32_t i = 0; i < rigid->motion_count; ++i) {
        const PalMotionDef *motion = &rigid->motions[i];
        double rate = pal_ramp_rate(&motion->ramp, time);
        if (motion->radians != 0) {
            double angle = pal_ramp_value(&motion->ramp, time) * motion->radians;
            PalMat3 turn = pal_rotation_about(motion->axis, angle);
            PalVec3 spin = pal_vec3_scale(rate * motion->radians, pal_vec3_normalise(motion->axis));
            PalVec3 arm = pal_vec3_sub(pose.centre, pal_pose_apply(&pose, motion->centre));
            PalVec3 swing = pal_vec3_cross(twist.spin, arm), turned = pal_mat3_apply(&turn, arm);
            PalVec3 carried = pal_vec3_sub(twist.velocity, swing);
            twist.velocity = pal_vec3_add(pal_vec3_add(carried, pal_mat3_apply(&turn, swing)),
                                          pal_vec3_cross(spin, turned));
            twist.spin = pal_vec3_add(spin, pal_mat3_apply(&turn, twist.spin));
        }
        twist.velocity = pal_vec3_add_scaled(twist.velocity, rate, motion->translation);
        pose = go_on(&pose, motion, time);
    }
    return twist;
}

// Turns add up at the most. A motion about another centre, `offset` from the pivot, takes the pivot
// along its own arc, and by what turns before it do to a pivot that it has turned already.
double pal_rigid_stride(const PalRigid *rigid, double start_time, double end_time, double arm)
{
    PalVec3 pivot = pal_rigid_pivot(rigid);
    double stride = 0, turned = 0;
    for (int32_t i = 0; i < rigid->motion_count; ++i) {
        const PalMotionDef *motion = &rigid->motions[i];
        double start = pal_ramp_value(&motion->ramp, start_time);
        double change = fabs(pal_ramp_value(&motion->ramp, end_time) - start);
        double angle = fabs(motion->radians);
        double offset = angle > 0 ? pal_vec3_distance(motion->centre, pivot) : 0;
        stride += change * (pal_vec3_length(motion->translation) + angle * (arm + offset)) +
                  fmin(fabs(start) * angle, 2) * turned * offset;
        turned += change * angle;
    }
    return stride;
}
