// What a device provides: one file and one row each.
#ifndef PAL_DEVICE_DEVICE_H
#define PAL_DEVICE_DEVICE_H

#include <palpate/device.h>

typedef struct PalDeviceRow {
    PalChoice choice;
    size_t size;  // of its own data, zeroed
    PalStatus (*open)(void *own, const char *argument, PalError *error);
    void (*read)(void *own, double time, PalDeviceState *state);
    bool (*write)(void *own, const PalHapticForce *force);  // NULL: feels nothing
    PalDeviceLimits (*limits)(const void *own);             // NULL: none known
    void (*close)(void *own);                               // NULL: nothing to do
} PalDeviceRow;

struct PalDevice {
    const PalDeviceRow *row;
    PalDeviceKind kind;
    PalDeviceState state;
    void *own;
};

extern const PalDeviceRow pal_device_row_mouse, pal_device_row_path, pal_device_row_script,
    pal_device_row_network;

typedef struct PalDeviceMouse {
    double scale, x, y, depth;
    uint32_t buttons;
    bool fresh;
} PalDeviceMouse;

// Reads so many numbers, with a character between them; NULL: text is not so. Returns what follows.
const char *pal_device_numbers(const char *text, char between, int32_t count, double *numbers);
int32_t pal_device_network_port(const void *own);

#endif
