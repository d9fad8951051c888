#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_llong alloc_count;

static size_t whole_lines(size_t bytes)
{
    return (bytes + PAL_ALIGNMENT) / PAL_ALIGNMENT * PAL_ALIGNMENT;
}

void *pal_alloc_unset(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - 2 * PAL_ALIGNMENT) / size)
        return NULL;
    atomic_fetch_add_explicit(&alloc_count, 1, memory_order_relaxed);
    return aligned_alloc(PAL_ALIGNMENT, whole_lines(count * size));
}

void *pal_alloc(size_t count, size_t size)
{
    void *memory = pal_alloc_unset(count, size);
    if (memory != NULL)
        memset(memory, 0, whole_lines(count * size));
    return memory;
}

void *pal_grow(void *memory, size_t bytes)
{
    atomic_fetch_add_explicit(&alloc_count, 1, memory_order_relaxed);
    return realloc(memory, bytes);
}

void pal_free(void *memory)
{
    free(memory);
}

void *pal_copy(const void *source, size_t count, size_t size)
{
    void *copy = pal_alloc(count, size);
    if (copy != NULL && count * size > 0)
        memcpy(copy, source, count * size);
    return copy;
}

char *pal_copy_text(const char *text)
{
    return pal_copy(text, strlen(text) + 1, 1);
}

int64_t pal_alloc_count(void)
{
    return atomic_load_explicit(&alloc_count, memory_order_relaxed);
}
