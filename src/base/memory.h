// Heap memory that is aligned for batches, zeroed, and counted.
#ifndef PAL_BASE_MEMORY_H
#define PAL_BASE_MEMORY_H

#include <palpate/base.h>

#define PAL_ALIGNMENT 64

// Zeroed and aligned to PAL_ALIGNMENT; NULL when there is none. Zero items give a valid pointer.
// Refuses (NULL) when count * size overflows. Free with pal_free.
void *pal_alloc(size_t count, size_t size);
// The same, but what is in it is anything: for what is written before it is read. Where much of it
// may never be used, the system gives no memory for that part.
void *pal_alloc_unset(size_t count, size_t size);
// More room for the same contents: neither zeroed nor aligned. NULL when there is none; the old
// memory then stays.
void *pal_grow(void *memory, size_t bytes);
void pal_free(void *memory);

// A copy on the heap, from pal_alloc; NULL when there is no memory.
void *pal_copy(const void *source, size_t count, size_t size);
char *pal_copy_text(const char *text);

// Calls of pal_alloc, pal_alloc_unset and pal_grow since the start of the program: tests ask it
// whether a step allocates.
int64_t pal_alloc_count(void);

#endif
