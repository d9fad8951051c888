#include "model/led.h"

#include "math/quaternion.h"

#include <math.h>

// The part of the way that is behind at a time, 0 to 1.
static double part_of_way(double left_time, double wanted_time, double time)
{
    if (time >= wanted_time)
        return 1;
    return fmax((time - left_time) / (wanted_time - left_time), 0);
}

// From where it left to where it is wanted, as an axis times an angle.
static PalVec3 turn_of(const PalRigidState *s)
{
    PalMat3 back = pal_mat3_transpose(&s->left.rotation);
    PalMat3 whole = pal_mat3_multiply(&s->wanted.rotation, &back);
    return pal_quaternion_rotation_vector(pal_quaternion_from_matrix(&whole));
}

PalPose pal_rigid_led_pose(const PalRigidState *s, double time)
{
    double part = part_of_way(s->left_time, s->wanted_time, time);
    if (part == 1)
        return s->wanted;
    PalPose pose = s->left;
    PalVec3 turn = turn_of(s), way = pal_vec3_sub(s->wanted.centre, s->left.centre);
    double angle = pal_vec3_length(turn);
    pose.centre = pal_vec3_add_scaled(s->left.centre, part, way);
    if (angle > 0) {
        PalMat3 more = pal_rotation_about(turn, part * angle);
        pose.rotation = pal_mat3_multiply(&more, &s->left.rotation);
    }
    return pose;
}

PalTwist pal_rigid_led_twist(const PalRigidState *s)
{
    double rate = 1 / (s->wanted_time - s->left_time);
    return (PalTwist){pal_vec3_scale(rate, pal_vec3_sub(s->wanted.centre, s->left.centre)),
                      pal_vec3_scale(rate, turn_of(s))};
}

PalVec3 pal_condition_led_value(const PalConditionState *s, double time)
{
    double part = part_of_way(s->left_time, s->wanted_time, time);
    return part == 1 ? s->wanted
                     : pal_vec3_add_scaled(s->left, part, pal_vec3_sub(s->wanted, s->left));
}

PalVec3 pal_rigid_given_load(const PalRigid *rigid, const PalRigidState *s, int which, double time)
{
    if (s->loads[which].steered != 0)
        return pal_condition_led_value(&s->loads[which], time);
    PalVec3 defined = which == 0 ? rigid->force : rigid->torque;
    return pal_vec3_scale(pal_ramp_value(&rigid->ramp, time), defined);
}

static double nearer(double first, double steered, double wanted_time, double time)
{
    return steered != 0 && wanted_time > time ? fmin(first, wanted_time) : first;
}

static double nearer_value(double first, const PalConditionState *s, double time)
{
    return nearer(first, s->steered, s->wanted_time, time);
}

double pal_next_arrival(const PalModel *model, const PalState *state, double time)
{
    double first = INFINITY;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigidState *s = &state->rigids[r];
        first = nearer(first, s->steered, s->wanted_time, time);
        first = nearer_value(nearer_value(first, &s->loads[0], time), &s->loads[1], time);
    }
    for (int32_t c = 0; c < model->condition_count; ++c)
        first = nearer_value(first, &state->conditions[c], time);
    return first;
}
