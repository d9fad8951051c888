// A recorded path: poses of a file, in their own time.
#include "device/device.h"

#include "math/quaternion.h"

static PalStatus open_path(void *own, const char *argument, PalError *error)
{
    return pal_poses_read(argument, own, error);
}

static void read_path(void *own, double time, PalDeviceState *state)
{
    const PalPoses *poses = own;
    const double dt = 1e-6;
    state->pose = pal_poses_at(poses, time);
    PalHapticPose next = pal_poses_at(poses, time + dt);
    state->velocity = pal_vec3_scale(1 / dt, pal_vec3_sub(next.position, state->pose.position));
    PalQuaternion turn =
        pal_quaternion_multiply(next.rotation, pal_quaternion_conjugate(state->pose.rotation));
    state->spin = pal_vec3_scale(1 / dt, pal_quaternion_rotation_vector(turn));
    state->fresh = true;
    state->ended = time > poses->times[poses->count - 1];
}

static void close_path(void *own)
{
    pal_poses_clear(own);
}

const PalDeviceRow pal_device_row_path = {
    .choice = {"path", "poses of a file in their own time; argument: the file"},
    .size = sizeof(PalPoses),
    .open = open_path,
    .read = read_path,
    .close = close_path,
};
