#include "model/motion.h"

#include "base/choice.h"
#include "base/counted.h"
#include "base/memory.h"

#include <math.h>

#define PI 3.14159265358979323846

static const PalChoice ramps[] = {
    [PAL_RAMP_STEP] = {"step", "The full value from the start."},
    [PAL_RAMP_LINEAR] = {"linear", "Grows as s = (t - from) / (until - from), then stays at 1."},
    [PAL_RAMP_SMOOTH] =
        {"smooth",
         "Grows with no jump in speed or acceleration, 10 s^3 - 15 s^4 + 6 s^5, then stays at 1."},
    [PAL_RAMP_HILLY] = {"hilly",
                        "Goes up, back and up again, s exp(cos(4 pi s) - 1), then stays at 1."},
};

PAL_CHOICE_ARRAY(ramp, PalRampKind, ramps)

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
    double s = fmax((time - ramp->from) / (ramp->until - ramp->from), 0);
    if (!ramp->onward)
        s = fmin(s, 1);
    if (ramp->kind == PAL_RAMP_HILLY)
        return s * exp(cos(4 * PI * s) - 1);
    return ramp->kind == PAL_RAMP_LINEAR ? s : s * s * s * (10 + s * (6 * s - 15));
}

double pal_ramp_rate(const PalRamp *ramp, double time)
{
    if (ramp->kind == PAL_RAMP_STEP)
        return 0;
    if (ramp->kind == PAL_RAMP_TABLE) {
        for (int32_t i = 0; i + 1 < ramp->point_count; ++i) {
            const double *p = ramp->points[i], *q = ramp->points[i + 1];
            if (time >= p[0] && time < q[0])
                return (q[1] - p[1]) / (q[0] - p[0]);
        }
        return 0;
    }
    double length = ramp->until - ramp->from, s = (time - ramp->from) / length;
    if (s < 0 || (s >= 1 && !ramp->onward))
        return 0;
    if (ramp->kind == PAL_RAMP_HILLY)
        return exp(cos(4 * PI * s) - 1) * (1 - 4 * PI * s * sin(4 * PI * s)) / length;
    return (ramp->kind == PAL_RAMP_LINEAR ? 1 : 30 * s * s * (1 - s) * (1 - s)) / length;
}

double pal_ramp_next_corner(const PalRamp *ramp, double time)
{
    if (ramp->kind == PAL_RAMP_STEP)
        return INFINITY;
    if (ramp->kind != PAL_RAMP_TABLE)
        return ramp->from > time ? ramp->from : ramp->until > time ? ramp->until : INFINITY;
    for (int32_t i = 0; i < ramp->point_count; ++i)
        if (ramp->points[i][0] > time)
            return ramp->points[i][0];
    return INFINITY;
}

PalStatus pal_ramp_validate(const PalRamp *ramp, PalError *error)
{
    if ((int)ramp->kind < PAL_RAMP_STEP || ramp->kind > PAL_RAMP_TABLE)
        return pal_error_set(error, PAL_BAD_INPUT, "unknown kind of ramp %d", (int)ramp->kind);
    if (ramp->kind != PAL_RAMP_TABLE) {
        if (!(ramp->until >= 0) || !isfinite(ramp->until))
            return pal_error_set(error, PAL_BAD_INPUT, "ramp ends at %g, expected a time > 0",
                                 ramp->until);
        if (!(ramp->from >= 0) || !isfinite(ramp->from))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "ramp starts at %g, expected a time of 0 or more", ramp->from);
        if (ramp->until > 0 && ramp->kind != PAL_RAMP_STEP && !(ramp->from < ramp->until))
            return pal_error_set(
                error, PAL_BAD_INPUT,
                "ramp starts at %g and ends at %g, expected an end after the start", ramp->from,
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

bool pal_ramp_lacks_end(const PalRamp *ramp, double end_time)
{
    bool grows = ramp->kind != PAL_RAMP_STEP && ramp->kind != PAL_RAMP_TABLE;
    return grows && ramp->until == 0 && !isfinite(end_time);
}

PalStatus pal_ramp_copy(const PalRamp *given, double end_time, PalRamp *ramp, PalError *error)
{
    PalRamp copy = *given;
    if (pal_ramp_lacks_end(given, end_time))
        copy = (PalRamp){.kind = PAL_RAMP_STEP};
    if (copy.until == 0 && isfinite(end_time))
        copy.until = end_time;
    PAL_TRY(pal_ramp_validate(&copy, error));
    copy.points = NULL;
    if (copy.kind == PAL_RAMP_TABLE) {
        copy.points = pal_copy(given->points, (size_t)given->point_count, sizeof *given->points);
        if (copy.points == NULL)
            return pal_error_set(error, PAL_NO_MEMORY, "no memory for a ramp");
    }
    *ramp = copy;
    return PAL_OK;
}
