// To and fro along a line, smoothly: (1 - cos) / 2 of the way.
#include "device/device.h"

#include "math/vec3.h"
#include <math.h>

typedef struct Script {
    PalVec3 start, way;
    double seconds;
} Script;

static PalStatus open_script(void *own, const char *argument, PalError *error)
{
    Script *script = own;
    double n[3];
    const char *at = pal_device_numbers(argument, ',', 3, n);
    if (at != NULL && *at == ' ') {
        script->start = pal_vec3(n[0], n[1], n[2]);
        at = pal_device_numbers(at + 1, ',', 3, n);
        script->way = pal_vec3(n[0], n[1], n[2]);
    }
    if (at != NULL && *at == ' ')
        at = pal_device_numbers(at + 1, ' ', 1, &script->seconds);
    if (at == NULL || *at != '\0' || !(script->seconds > 0))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "script: '%s', expected a start, a way and seconds above 0: "
                             "x,y,z dx,dy,dz seconds",
                             argument);
    return PAL_OK;
}

static void read_script(void *own, double time, PalDeviceState *state)
{
    const Script *script = own;
    double angle = 6.283185307179586 / script->seconds;
    double part = 0.5 * (1 - cos(angle * time)), rate = 0.5 * angle * sin(angle * time);
    state->pose.position = pal_vec3_add_scaled(script->start, part, script->way);
    state->velocity = pal_vec3_scale(rate, script->way);
    state->fresh = true;
}

const PalDeviceRow pal_device_row_script = {
    .choice = {"script", "to and fro along a line; argument: x,y,z dx,dy,dz seconds"},
    .size = sizeof(Script),
    .open = open_script,
    .read = read_script,
};
