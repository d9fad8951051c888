// FNV-1a, 64 bits: a short name for many bytes.
#ifndef PAL_BASE_HASH_H
#define PAL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PAL_HASH_START UINT64_C(0xcbf29ce484222325)

// Goes on from `hash`, which is PAL_HASH_START for the first bytes.
uint64_t pal_hash(uint64_t hash, const void *data, size_t size);

// The same, eight bytes at a time and the rest one by one: another number, in an eighth of the
// time. Bytes that come in pieces have the same hash if all pieces but the last are multiples of
// eight.
uint64_t pal_hash_words(uint64_t hash, const void *data, size_t size);

#endif
