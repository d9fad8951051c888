// An observer of energy (Hannaford and Ryu 2002). What the device has received so far is the sum of
// the force it was told times the way it went meanwhile. Where the next step would make that
// positive, the force is damped by as much as is missing.
#include "reduced/haptic.h"

#include <math.h>

static PalVec3 turned_by(PalQuaternion from, PalQuaternion to)
{
    return pal_quaternion_rotation_vector(
        pal_quaternion_multiply(to, pal_quaternion_conjugate(from)));
}

void pal_haptic_watch(PalHaptic *haptic)
{
    PalHapticForce *answer = &haptic->answer;
    double dt = haptic->def.step;
    PalHapticPose *pose = &haptic->poses[1];
    PalVec3 way = {0, 0, 0}, turn = {0, 0, 0};
    if (haptic->watch.known) {
        way = pal_vec3_sub(pose->position, haptic->watch.position);
        turn = turned_by(haptic->watch.rotation, pose->rotation);
        answer->energy += pal_vec3_dot(answer->force, way) + pal_vec3_dot(answer->torque, turn);
    }
    haptic->watch.position = pose->position;
    haptic->watch.rotation = pose->rotation;
    haptic->watch.known = true;
    answer->force = answer->contact_force;
    answer->torque = answer->contact_torque;
    answer->damping = 0;
    if (!haptic->def.observe)
        return;
    PalVec3 velocity = haptic->watch.told ? haptic->watch.velocity : pal_vec3_scale(1 / dt, way);
    PalVec3 spin = haptic->watch.told ? haptic->watch.spin : pal_vec3_scale(1 / dt, turn);
    double power = pal_vec3_dot(answer->force, velocity) + pal_vec3_dot(answer->torque, spin);
    double square = pal_vec3_dot(velocity, velocity);
    double surplus = answer->energy + power * dt;
    if (!(surplus > 0) || !(square > 0))
        return;
    // No more than the force itself: what is left over is taken off later, by a faster motion.
    double most = pal_vec3_length(answer->force) / sqrt(square);
    answer->damping = fmin(surplus / (square * dt), most);
    answer->force = pal_vec3_add_scaled(answer->force, -answer->damping, velocity);
}
