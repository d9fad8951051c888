// A mouse moves in a plane, its wheel across it. It feels nothing.
#include "device/device.h"

#define NOTCH 10  // pixels that a notch of the wheel is worth

static PalStatus open_mouse(void *own, const char *argument, PalError *error)
{
    PalDeviceMouse *mouse = own;
    const char *end = pal_device_numbers(argument, ' ', 1, &mouse->scale);
    if (end == NULL || *end != '\0' || !(mouse->scale > 0))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "mouse: '%s', expected a length per pixel above 0", argument);
    return PAL_OK;
}

static void read_mouse(void *own, double time, PalDeviceState *state)
{
    PalDeviceMouse *mouse = own;
    (void)time;
    state->pose.position = (PalVec3){mouse->scale * mouse->x, -mouse->scale * mouse->y,
                                     -NOTCH * mouse->scale * mouse->depth};
    state->buttons = mouse->buttons;
    state->fresh = mouse->fresh;
    mouse->fresh = false;
}

const PalDeviceRow pal_device_row_mouse = {
    .choice = {"mouse", "the pointer in a plane, its wheel across; argument: length per pixel"},
    .size = sizeof(PalDeviceMouse),
    .open = open_mouse,
    .read = read_mouse,
};
