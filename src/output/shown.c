#include "output/shown.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW 4  // times what nine tenths of the surface are below: colours go no farther

const char *pal_shown_name(PalShownField field)
{
    static const char *const names[] = {"von Mises stress", "displacement", "contact pressure"};
    return names[field];
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The next number that is easy to read, and into how many round steps it divides.
static void round_up(double value, PalShown *shown)
{
    static const struct {
        double number;
        int32_t steps;
    } round[] = {{1, 5}, {1.2, 4}, {1.5, 3}, {2, 4}, {2.5, 5}, {3, 3},
                 {4, 4}, {5, 5},   {6, 3},   {8, 4}, {10, 5}};
    double unit = pow(10, floor(log10(value)));
    size_t i = 0;
    while (round[i].number * unit < value * (1 - 1e-9) && round[i].number < 10)
        ++i;
    shown->top = round[i].number * unit;
    shown->steps = round[i].steps;
}

// A single corner of high stress would leave the rest in one colour: colours end at the
// 99th of 100 surface values when the highest is far above it, after a failure, which leaves cells
// in ruins, at the 95th. On a coarse mesh one crushed cell has more than its hundredth of the
// surface: so they end at a few times the 90th at most. What is 0 has no say.
static void find_range(const PalFrame *frame, bool failed, PalShown *shown, double *sorted)
{
    int64_t count = 0;
    for (int32_t t = 0; t < frame->triangle_count; ++t) {
        if (frame->triangle_body[t] >= frame->soft_body_count)
            continue;
        const int32_t *n = frame->triangles[t];
        const double *v = shown->values;
        sorted[count] = fmax(v[n[0]], fmax(v[n[1]], v[n[2]]));
        count += sorted[count] > 0;
    }
    if (count == 0)
        return;
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    shown->highest = sorted[count - 1];
    double usual = sorted[(count - 1) * (failed ? 95 : 99) / 100];
    usual = fmin(usual, FEW * sorted[(count - 1) * 9 / 10]);
    round_up(usual > 0 && shown->highest > 1.5 * usual ? usual : shown->highest, shown);
}

PalStatus pal_shown_init(const PalFrame *frame, PalShownField field, bool failed, PalShown *shown,
                         PalError *error)
{
    size_t points = (size_t)frame->point_count;
    *shown = (PalShown){.values = pal_alloc(points, sizeof *shown->values)};
    int32_t *counts = pal_alloc(points, sizeof *counts);
    double *sorted = pal_alloc((size_t)frame->triangle_count, sizeof *sorted);
    bool good = shown->values != NULL && counts != NULL && sorted != NULL;
    if (good) {
        if (field == PAL_SHOWN_VON_MISES)
            pal_frame_point_stress(frame, shown->values, counts);
        else if (field == PAL_SHOWN_CONTACT)
            memcpy(shown->values, frame->pressure, points * sizeof *shown->values);
        else
            for (int32_t n = 0; n < frame->soft_point_count; ++n)
                shown->values[n] = pal_vec3_length(frame->displacement[n]);
        for (int32_t n = 0; n < frame->point_count; ++n)
            if (!isfinite(shown->values[n]))
                shown->values[n] = 0;
        find_range(frame, failed, shown, sorted);
    } else {
        pal_shown_clear(shown);
    }
    pal_free(counts);
    pal_free(sorted);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
}

void pal_shown_clear(PalShown *shown)
{
    pal_free(shown->values);
    *shown = (PalShown){0};
}
