// Arrays that grow: a pointer, a count, a capacity. For building things, and for lists that a step
// fills anew: those have their room once they have been as long as they get.
#ifndef PAL_BASE_ARRAY_H
#define PAL_BASE_ARRAY_H

#include <palpate/base.h>

// struct { T *items; int32_t count, capacity; } name = {0};
#define PAL_ARRAY(T)                                                                               \
    struct {                                                                                       \
        T *items;                                                                                  \
        int32_t count;                                                                             \
        int32_t capacity;                                                                          \
    }

// Makes room for `extra` more items. False when memory or the index range is used up.
#define pal_array_reserve(array, extra)                                                            \
    pal_array_grow((void **)&(array)->items, &(array)->capacity, (array)->count, (extra),          \
                   sizeof *(array)->items)

// Appends a value. False when there is no memory.
#define pal_array_push(array, value)                                                               \
    (pal_array_reserve((array), 1) ? ((array)->items[(array)->count++] = (value), true) : false)

#define pal_array_clear(array)                                                                     \
    (pal_array_release((void **)&(array)->items), (array)->count = 0, (array)->capacity = 0)

bool pal_array_grow(void **items, int32_t *capacity, int32_t count, int64_t extra, size_t size);
void pal_array_release(void **items);

#endif
