// What a free tool does in the haptic loop: a mass that moves under the force it is told, step by
// step, along a line. Without the line it would slip off what it rests on, as there is no friction.
#include "cli.h"

#include <math.h>

static double dot(PalVec3 a, PalVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static PalVec3 add_scaled(PalVec3 a, double factor, PalVec3 b)
{
    return (PalVec3){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

bool pal_cli_bench_free(PalHaptic *haptic, const PalCliFreeTool *tool, PalCliFreeResult *result)
{
    PalHapticPose pose = tool->start;
    double speed = 0, dt = 1e-3, before = pal_haptic_force(haptic).energy;
    *result = (PalCliFreeResult){.steps = tool->steps};
    for (int64_t step = 0; step < tool->steps; ++step) {
        double force = dot(tool->line, pal_haptic_force(haptic).force) - tool->weight;
        // the force is held for a step, as a device does: its work is all that the mass gains
        pose.position =
            add_scaled(pose.position, dt * (speed + 0.5 * dt / tool->mass * force), tool->line);
        speed += dt / tool->mass * force;
        pal_haptic_set_pose(haptic, 1, &pose);
        pal_haptic_set_velocity(haptic, add_scaled((PalVec3){0, 0, 0}, speed, tool->line),
                                (PalVec3){0, 0, 0});
        pal_haptic_step(haptic, 0);
        pal_haptic_prepare(haptic);
        PalVec3 moved = add_scaled(pose.position, -1, tool->start.position);
        double energy = pal_haptic_force(haptic).energy - before;
        result->energy = energy;
        result->most = fmax(result->most, energy);
        result->farthest = fmax(result->farthest, sqrt(dot(moved, moved)));
        if ((step & 1023) == 0 && pal_cli_interrupted())
            return false;
    }
    result->kinetic = 0.5 * tool->mass * speed * speed;
    return true;
}
