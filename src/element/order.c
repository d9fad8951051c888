// Hilbert's curve in three dimensions, by Skilling's transform of the axes' bits.
// J. Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707 (2004) 381-387.
#include "element/order.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <stdlib.h>

enum { BITS = 21 };

typedef struct Entry {
    uint64_t key;
    int32_t index;
} Entry;

static int compare(const void *left, const void *right)
{
    const Entry *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static uint64_t interleave(const uint32_t x[3])
{
    uint64_t key = 0;
    for (int bit = BITS - 1; bit >= 0; --bit)
        for (int i = 0; i < 3; ++i)
            key = key << 1 | (x[i] >> bit & 1);
    return key;
}

static uint64_t hilbert_key(uint32_t x[3])
{
    const uint32_t top = UINT32_C(1) << (BITS - 1);
    for (uint32_t q = top; q > 1; q >>= 1)
        for (int i = 0; i < 3; ++i) {
            uint32_t mask = q - 1;
            if (x[i] & q) {
                x[0] ^= mask;
            } else {
                uint32_t swap = (x[0] ^ x[i]) & mask;
                x[0] ^= swap;
                x[i] ^= swap;
            }
        }
    x[1] ^= x[0];
    x[2] ^= x[1];
    uint32_t flip = 0;
    for (uint32_t q = top; q > 1; q >>= 1)
        if (x[2] & q)
            flip ^= q - 1;
    for (int i = 0; i < 3; ++i)
        x[i] ^= flip;
    return interleave(x);
}

static PalBounds bounds_of(const PalVec3 *points, int32_t count)
{
    PalBounds box = {points[0], points[0]};
    for (int32_t n = 1; n < count; ++n) {
        box.lower.x = fmin(box.lower.x, points[n].x);
        box.lower.y = fmin(box.lower.y, points[n].y);
        box.lower.z = fmin(box.lower.z, points[n].z);
        box.upper.x = fmax(box.upper.x, points[n].x);
        box.upper.y = fmax(box.upper.y, points[n].y);
        box.upper.z = fmax(box.upper.z, points[n].z);
    }
    return box;
}

bool pal_order_along_curve(const PalVec3 *points, int32_t count, int32_t *order)
{
    if (count == 0)
        return true;
    Entry *entries = pal_alloc((size_t)count, sizeof *entries);
    if (entries == NULL)
        return false;
    PalBounds box = bounds_of(points, count);
    PalVec3 extent = pal_vec3_sub(box.upper, box.lower);
    double longest = fmax(extent.x, fmax(extent.y, extent.z));
    double scale = longest > 0 ? ((1 << BITS) - 1) / longest : 0;
    for (int32_t n = 0; n < count; ++n) {
        PalVec3 place = pal_vec3_scale(scale, pal_vec3_sub(points[n], box.lower));
        uint32_t x[3] = {(uint32_t)place.x, (uint32_t)place.y, (uint32_t)place.z};
        entries[n] = (Entry){hilbert_key(x), n};
    }
    qsort(entries, (size_t)count, sizeof *entries, compare);
    for (int32_t n = 0; n < count; ++n)
        order[n] = entries[n].index;
    pal_free(entries);
    return true;
}
