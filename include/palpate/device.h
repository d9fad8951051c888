// Devices that a hand, a file or another program moves, and that receive forces. Part of
// libpalpate-io; docs/formats-haptics.md has the packet and the file of poses.
#ifndef PALPATE_DEVICE_H
#define PALPATE_DEVICE_H

#include <palpate/vademecum.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef struct PalDevice PalDevice;

typedef enum PalDeviceKind {
    PAL_DEVICE_MOUSE,    // pal_device_mouse says where the pointer is
    PAL_DEVICE_PATH,     // a file of poses
    PAL_DEVICE_SCRIPT,   // goes to and fro along a line
    PAL_DEVICE_NETWORK,  // poses by UDP, and forces back
} PalDeviceKind;

const PalChoice *pal_device_choice(int32_t index);  // NULL after the last one
const char *pal_device_name(PalDeviceKind kind);
bool pal_device_find(const char *name, PalDeviceKind *kind);

typedef struct PalDeviceState {
    PalHapticPose pose;
    PalVec3 velocity, spin;
    uint32_t buttons;  // bits
    bool fresh;        // since it was asked last
    bool ended;        // nothing will follow
} PalDeviceState;

typedef struct PalDeviceLimits {
    double force, torque;  // the most it can give; INFINITY: no limit known
    double rate;           // poses in a second; 0: as often as it is asked
} PalDeviceLimits;

// What `argument` says depends on the kind: mouse: the plane's scale, length per pixel ("1e-3");
// path: a file; script: "x,y,z dx,dy,dz seconds", a start, a way and how long there and back take;
// network: a port of this machine, or ADDRESS:PORT to listen on. PAL_BAD_INPUT says what was
// expected.
PalStatus pal_device_open(PalDeviceKind kind, const char *argument, PalDevice **device,
                          PalError *error);
void pal_device_close(PalDevice *device);

// Where it is at a time in seconds, which only a path and a script look at. Never waits.
PalDeviceState pal_device_read(PalDevice *device, double time);
// Cut to the limits. False: it could not be told.
bool pal_device_write(PalDevice *device, const PalHapticForce *force);
PalDeviceLimits pal_device_limits(const PalDevice *device);

// Mouse: pointer in pixels, wheel in notches, towards the body positive; buttons as bits.
void pal_device_mouse(PalDevice *device, double x, double y, double wheel, uint32_t buttons);
// Network: the port it listens on; 0 for others.
int32_t pal_device_port(const PalDevice *device);

// ---- poses in files ---------------------------------------------------------------------------

typedef struct PalPoses {
    int32_t count;
    double *times;  // ascending
    PalHapticPose *poses;
} PalPoses;

// PAL_BAD_INPUT: `path:line:column: ...`. Clear it in any case.
PalStatus pal_poses_read(const char *path, PalPoses *poses, PalError *error);
void pal_poses_clear(PalPoses *poses);
// Linear between two, along the shorter arc; held before the first and after the last.
PalHapticPose pal_poses_at(const PalPoses *poses, double time);

// ---- packets ----------------------------------------------------------------------------------

#define PAL_PACKET_POSE  128  // bytes
#define PAL_PACKET_FORCE 80

// False: not a packet of this kind and version, or a number in it is none. Nothing is changed then.
bool pal_packet_read_pose(const unsigned char *bytes, size_t count, uint32_t *sequence,
                          PalDeviceState *state);
bool pal_packet_read_force(const unsigned char *bytes, size_t count, uint32_t *sequence,
                           PalHapticForce *force);
void pal_packet_write_pose(unsigned char bytes[PAL_PACKET_POSE], uint32_t sequence,
                           const PalDeviceState *state);
void pal_packet_write_force(unsigned char bytes[PAL_PACKET_FORCE], uint32_t sequence,
                            const PalHapticForce *force);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
