#include "base/array.h"

#include "base/memory.h"

bool pal_array_grow(void **items, int32_t *capacity, int32_t count, int64_t extra, size_t size)
{
    int64_t wanted = (int64_t)count + extra;
    if (wanted <= *capacity)
        return true;
    if (wanted > INT32_MAX)
        return false;
    int64_t larger = *capacity < 16 ? 16 : (int64_t)*capacity * 2;
    if (larger < wanted)
        larger = wanted;
    if (larger > INT32_MAX)
        larger = INT32_MAX;
    void *moved = pal_grow(*items, (size_t)larger * size);
    if (moved == NULL)
        return false;
    *items = moved;
    *capacity = (int32_t)larger;
    return true;
}

void pal_array_release(void **items)
{
    pal_free(*items);
    *items = NULL;
}
