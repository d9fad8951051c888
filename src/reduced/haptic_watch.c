// An observer of energy (Hannaford and Ryu 2002). What the device has received so far is the sum of
// the force it was told times the way it went meanwhile. Where the next step would make that
// positive, the force is damped by as much as is missing.
// A force that is held for a step does not fall while the tool goes out, nor rise while it goes in:
// each step gives half of the force's change times the way, even where bodies give back no more
// than they took. That is damped in the next step, lest a tool that rests begins to buzz. How much
// it is per square of a way is a mean over some steps: of a single one that hardly moved, rounding
// would be all there is.
#include "reduced/haptic.h"

#include <math.h>

#define DAMPING_MOST 1    // of what stops the device within a step
#define HELD_KEPT    0.7  // of the sums over earlier steps, in a step

static PalVec3 turned_by(PalQuaternion from, PalQuaternion to)
{
    return pal_quaternion_rotation_vector(
        pal_quaternion_multiply(to, pal_quaternion_conjugate(from)));
}

// Twice what holding the last force gave beyond what the bodies did: forces lag behind by the
// balance of large displacements, too.
static double surplus_of(const PalHaptic *haptic, PalVec3 way, PalVec3 turn)
{
    const PalHapticForce *answer = &haptic->answer;
    PalVec3 change = pal_vec3_sub(answer->contact_force, haptic->watch.contact_force);
    PalVec3 change_torque = pal_vec3_sub(answer->contact_torque, haptic->watch.contact_torque);
    return -pal_vec3_dot(change, way) - pal_vec3_dot(change_torque, turn);
}

// What the next step gives per square of its way, as the last ones did.
static double held_per_square(PalHaptic *haptic, PalVec3 way, PalVec3 turn)
{
    double *held = &haptic->watch.held, *square = &haptic->watch.held_square;
    bool touches = haptic->answer.contacts > 0 || pal_vec3_length(haptic->watch.contact_force) > 0;
    if (!touches) {
        *held = *square = 0;
        return 0;
    }
    *held = HELD_KEPT * *held + surplus_of(haptic, way, turn);
    *square = HELD_KEPT * *square + pal_vec3_dot(way, way);
    return *held > 0 && *square > 0 ? *held / *square : 0;
}

void pal_haptic_watch(PalHaptic *haptic)
{
    PalHapticForce *answer = &haptic->answer;
    double dt = haptic->def.step;
    PalHapticPose *pose = &haptic->poses[1];
    PalVec3 way = {0, 0, 0}, turn = {0, 0, 0};
    double held = 0;
    if (haptic->watch.known) {
        way = pal_vec3_sub(pose->position, haptic->watch.position);
        turn = turned_by(haptic->watch.rotation, pose->rotation);
        answer->energy += pal_vec3_dot(answer->force, way) + pal_vec3_dot(answer->torque, turn);
        held = held_per_square(haptic, way, turn);
    }
    haptic->watch.position = pose->position;
    haptic->watch.rotation = pose->rotation;
    haptic->watch.known = true;
    haptic->watch.contact_force = answer->force = answer->contact_force;
    haptic->watch.contact_torque = answer->torque = answer->contact_torque;
    answer->damping = 0;
    if (!haptic->def.observe)
        return;
    PalVec3 velocity = haptic->watch.told ? haptic->watch.velocity : pal_vec3_scale(1 / dt, way);
    PalVec3 spin = haptic->watch.told ? haptic->watch.spin : pal_vec3_scale(1 / dt, turn);
    double power = pal_vec3_dot(answer->force, velocity) + pal_vec3_dot(answer->torque, spin);
    double square = pal_vec3_dot(velocity, velocity);
    double surplus = answer->energy + power * dt;
    if (!(square > 0))
        return;
    double damping = fmax(held * dt, surplus / (square * dt));
    if (!(damping > 0))
        return;
    // No more than the force itself: what is left over is taken off later, by a faster motion.
    double most = pal_vec3_length(answer->force) / sqrt(square);
    answer->damping = fmin(damping, most);
    if (haptic->def.mass > 0)
        answer->damping = fmin(answer->damping, DAMPING_MOST * haptic->def.mass / dt);
    answer->force = pal_vec3_add_scaled(answer->force, -answer->damping, velocity);
}
