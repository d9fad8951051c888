// Packets of poses and forces: whatever is taken is a pose or force, and comes back the same.
#include <palpate/device.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    PalDeviceState state = {0};
    PalHapticForce force = {0};
    uint32_t sequence;
    if (pal_packet_read_pose(data, size, &sequence, &state)) {
        unsigned char again[PAL_PACKET_POSE];
        PalQuaternion q = state.pose.rotation;
        if (!(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-9) ||
            !isfinite(state.pose.position.x + state.velocity.y + state.spin.z))
            abort();
        pal_packet_write_pose(again, sequence, &state);
        if (memcmp(again, data, 24) != 0)
            abort();
    }
    if (pal_packet_read_force(data, size, &sequence, &force)) {
        unsigned char again[PAL_PACKET_FORCE];
        if (force.contacts < 0 || !isfinite(force.force.x + force.torque.z))
            abort();
        pal_packet_write_force(again, sequence, &force);
        if (memcmp(again + 24, data + 24, 56) != 0)
            abort();
    }
    return 0;
}
