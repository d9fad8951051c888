// Packets of poses and forces: little-endian, of fixed size. docs/formats-haptics.md
#include <palpate/device.h>

#include <math.h>
#include <string.h>

enum { VERSION = 1, KIND_POSE = 1, KIND_FORCE = 2, HEAD = 24 };

static void put(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i)
        to[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static void put_numbers(unsigned char *to, const double *numbers, int count)
{
    for (int i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        put(to + 8 * i, bits, 8);
    }
}

// False: one is not finite, or beyond what a pose or force can be.
static bool get_numbers(const unsigned char *from, double *numbers, int count)
{
    bool sound = true;
    for (int i = 0; i < count; ++i) {
        uint64_t bits = get(from + 8 * i, 8);
        memcpy(&numbers[i], &bits, sizeof bits);
        sound = sound && fabs(numbers[i]) <= 1e12;
    }
    return sound;
}

static void put_head(unsigned char *bytes, int kind, uint32_t sequence, uint32_t word)
{
    memcpy(bytes, "PALH", 4);
    put(bytes + 4, VERSION, 2);
    put(bytes + 6, (uint64_t)kind, 2);
    put(bytes + 8, sequence, 4);
    put(bytes + 12, word, 4);
    put(bytes + 16, 0, 8);
}

static bool is_head(const unsigned char *bytes, int kind)
{
    return memcmp(bytes, "PALH", 4) == 0 && get(bytes + 4, 2) == VERSION &&
           get(bytes + 6, 2) == (uint64_t)kind && get(bytes + 16, 8) == 0;
}

bool pal_packet_read_pose(const unsigned char *bytes, size_t count, uint32_t *sequence,
                          PalDeviceState *state)
{
    double n[13];
    if (count != PAL_PACKET_POSE || !is_head(bytes, KIND_POSE) || !get_numbers(bytes + HEAD, n, 13))
        return false;
    double length = sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6]);
    if (!(fabs(length - 1) < 1e-3))
        return false;
    *sequence = (uint32_t)get(bytes + 8, 4);
    state->buttons = (uint32_t)get(bytes + 12, 4);
    state->pose.position = (PalVec3){n[0], n[1], n[2]};
    state->pose.rotation =
        (PalQuaternion){n[3] / length, n[4] / length, n[5] / length, n[6] / length};
    state->velocity = (PalVec3){n[7], n[8], n[9]};
    state->spin = (PalVec3){n[10], n[11], n[12]};
    return true;
}

bool pal_packet_read_force(const unsigned char *bytes, size_t count, uint32_t *sequence,
                           PalHapticForce *force)
{
    double n[7];
    if (count != PAL_PACKET_FORCE || !is_head(bytes, KIND_FORCE) ||
        !get_numbers(bytes + HEAD, n, 7))
        return false;
    *sequence = (uint32_t)get(bytes + 8, 4);
    force->contacts = (int32_t)(get(bytes + 12, 4) & 0x7fffffff);
    force->force = (PalVec3){n[0], n[1], n[2]};
    force->torque = (PalVec3){n[3], n[4], n[5]};
    force->energy = n[6];
    return true;
}

void pal_packet_write_pose(unsigned char bytes[PAL_PACKET_POSE], uint32_t sequence,
                           const PalDeviceState *state)
{
    const PalHapticPose *pose = &state->pose;
    const double n[13] = {pose->position.x,  pose->position.y,  pose->position.z, pose->rotation.w,
                          pose->rotation.x,  pose->rotation.y,  pose->rotation.z, state->velocity.x,
                          state->velocity.y, state->velocity.z, state->spin.x,    state->spin.y,
                          state->spin.z};
    put_head(bytes, KIND_POSE, sequence, state->buttons);
    put_numbers(bytes + HEAD, n, 13);
}

void pal_packet_write_force(unsigned char bytes[PAL_PACKET_FORCE], uint32_t sequence,
                            const PalHapticForce *force)
{
    const double n[7] = {force->force.x,  force->force.y,  force->force.z, force->torque.x,
                         force->torque.y, force->torque.z, force->energy};
    put_head(bytes, KIND_FORCE, sequence, (uint32_t)force->contacts);
    put_numbers(bytes + HEAD, n, 7);
}
