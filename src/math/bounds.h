// Boxes along the axes, and lists cut in half by where things are.
#ifndef PAL_MATH_BOUNDS_H
#define PAL_MATH_BOUNDS_H

#include "math/vec3.h"

#include <math.h>

static inline PalBounds pal_bounds_join(const PalBounds *a, const PalBounds *b)
{
    return (PalBounds){pal_vec3(fmin(a->lower.x, b->lower.x), fmin(a->lower.y, b->lower.y),
                                fmin(a->lower.z, b->lower.z)),
                       pal_vec3(fmax(a->upper.x, b->upper.x), fmax(a->upper.y, b->upper.y),
                                fmax(a->upper.z, b->upper.z))};
}

// Where an item is along an axis.
typedef double (*PalPlaceAlong)(const void *context, int32_t item, int axis);

// Puts the lower half along the axis first (Hoare's selection).
static inline void pal_halve_along(int32_t *items, int32_t count, int axis, PalPlaceAlong place,
                                   const void *context)
{
    int32_t low = 0, high = count - 1, middle = count / 2;
    while (low < high) {
        double pivot = place(context, items[low + (high - low) / 2], axis);
        int32_t i = low, j = high;
        while (i <= j) {
            while (place(context, items[i], axis) < pivot)
                ++i;
            while (place(context, items[j], axis) > pivot)
                --j;
            if (i <= j) {
                int32_t kept = items[i];
                items[i++] = items[j];
                items[j--] = kept;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            break;
    }
}

#endif
