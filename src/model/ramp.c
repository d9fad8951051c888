#include "base/counted.h"

#include <math.h>
#include <palpate/model.h>

#define PI 3.14159265358979323846

static double table_value(const PalRamp *ramp, double time)
{
    const double(*points)[2] = ramp->points;
    int32_t low = 0, high = ramp->point_count - 1;
    if (time <= points[low][0])
        return points[low][1];
    if (time >= points[high][0])
        return points[high][1];
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (points[middle][0] <= time)
            low = middle;
        else
            high = middle;
    }
    double s = (time - points[low][0]) / (points[high][0] - points[low][0]);
    return points[low][1] + s * (points[high][1] - points[low][1]);
}

double pal_ramp_value(const PalRamp *ramp, double time)
{
    if (ramp->kind == PAL_RAMP_STEP)
        return 1;
    if (ramp->kind == PAL_RAMP_TABLE)
        return table_value(ramp, time);
    double s = fmax(time / ramp->until, 0);
    if (!ramp->onward)
        s = fmin(s, 1);
    if (ramp->kind == PAL_RAMP_HILLY)
        return s * exp(cos(4 * PI * s) - 1);
    return ramp->kind == PAL_RAMP_LINEAR ? s : s * s * s * (10 + s * (6 * s - 15));
}

PalStatus pal_ramp_validate(const PalRamp *ramp, PalError *error)
{
    if (ramp->kind != PAL_RAMP_TABLE) {
        if (!(ramp->until >= 0) || !isfinite(ramp->until))
            return pal_error_set(error, PAL_BAD_INPUT, "ramp ends at %g, expected a time > 0",
                                 ramp->until);
        return PAL_OK;
    }
    if (ramp->point_count < 1)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "ramp table is empty, expected [time, value] pairs");
    PAL_TRY(pal_check_counted("points of a ramp", ramp->point_count, ramp->points, error));
    for (int32_t i = 0; i < ramp->point_count; ++i) {
        if (!isfinite(ramp->points[i][0]) || !isfinite(ramp->points[i][1]))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "ramp table has a number that is not finite");
        if (i > 0 && !(ramp->points[i][0] > ramp->points[i - 1][0]))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "ramp table goes from time %g to %g, expected ascending times",
                                 ramp->points[i - 1][0], ramp->points[i][0]);
    }
    return PAL_OK;
}
