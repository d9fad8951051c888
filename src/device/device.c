// Devices, asked through their rows.
#include "device/device.h"

#include "base/choice.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

static const PalDeviceRow *const rows[] = {
    [PAL_DEVICE_MOUSE] = &pal_device_row_mouse,
    [PAL_DEVICE_PATH] = &pal_device_row_path,
    [PAL_DEVICE_SCRIPT] = &pal_device_row_script,
    [PAL_DEVICE_NETWORK] = &pal_device_row_network,
};

const PalDeviceRow *pal_device_row(PalDeviceKind kind);
PAL_CHOICE_ROWS(device, PalDeviceKind, PalDeviceRow, rows)

const char *pal_device_numbers(const char *text, char between, int32_t count, double *numbers)
{
    for (int32_t i = 0; i < count; ++i) {
        char *end;
        numbers[i] = strtod(text, &end);
        if (end == text || !isfinite(numbers[i]) || fabs(numbers[i]) > 1e12)
            return NULL;
        text = end;
        if (i + 1 < count && *text++ != between)
            return NULL;
    }
    return text;
}

PalStatus pal_device_open(PalDeviceKind kind, const char *argument, PalDevice **device,
                          PalError *error)
{
    *device = NULL;
    const PalDeviceRow *row = pal_device_row(kind);
    if (row == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "there is no such device");
    PalDevice *made = pal_alloc(1, sizeof *made);
    void *own = pal_alloc(1, row->size);
    if (made == NULL || own == NULL) {
        pal_free(made);
        pal_free(own);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a device");
    }
    *made = (PalDevice){.row = row, .kind = kind, .own = own};
    made->state.pose.rotation.w = 1;
    PalStatus status = row->open(own, argument != NULL ? argument : "", error);
    if (status != PAL_OK) {
        pal_device_close(made);
        return status;
    }
    *device = made;
    return PAL_OK;
}

void pal_device_close(PalDevice *device)
{
    if (device == NULL)
        return;
    if (device->row->close != NULL)
        device->row->close(device->own);
    pal_free(device->own);
    pal_free(device);
}

PalDeviceState pal_device_read(PalDevice *device, double time)
{
    device->state.fresh = false;
    device->row->read(device->own, time, &device->state);
    return device->state;
}

static PalVec3 cut(PalVec3 v, double most)
{
    double length = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    if (!isfinite(length))
        return (PalVec3){0, 0, 0};
    double part = length > most ? most / length : 1;
    return (PalVec3){part * v.x, part * v.y, part * v.z};
}

bool pal_device_write(PalDevice *device, const PalHapticForce *force)
{
    if (device->row->write == NULL)
        return true;
    PalDeviceLimits limits = pal_device_limits(device);
    PalHapticForce told = *force;
    told.force = cut(force->force, limits.force);
    told.torque = cut(force->torque, limits.torque);
    return device->row->write(device->own, &told);
}

PalDeviceLimits pal_device_limits(const PalDevice *device)
{
    return device->row->limits != NULL ? device->row->limits(device->own)
                                       : (PalDeviceLimits){INFINITY, INFINITY, 0};
}

int32_t pal_device_port(const PalDevice *device)
{
    return device->kind == PAL_DEVICE_NETWORK ? pal_device_network_port(device->own) : 0;
}

void pal_device_mouse(PalDevice *device, double x, double y, double wheel, uint32_t buttons)
{
    if (device->kind != PAL_DEVICE_MOUSE || !isfinite(x + y + wheel))
        return;
    PalDeviceMouse *mouse = device->own;
    mouse->x = x;
    mouse->y = y;
    mouse->depth += wheel;
    mouse->buttons = buttons;
    mouse->fresh = true;
}
