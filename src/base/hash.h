// FNV-1a, 64 bits: a short name for many bytes.
#ifndef PAL_BASE_HASH_H
#define PAL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PAL_HASH_START UINT64_C(0xcbf29ce484222325)

// Goes on from `hash`, which is PAL_HASH_START for the first bytes.
uint64_t pal_hash(uint64_t hash, const void *data, size_t size);

#endif
