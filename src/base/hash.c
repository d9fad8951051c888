#include "base/hash.h"

#include <string.h>

#define PRIME UINT64_C(0x100000001b3)

uint64_t pal_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ bytes[i]) * PRIME;
    return hash;
}

uint64_t pal_hash_words(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    size_t whole = size / sizeof hash * sizeof hash;
    for (size_t i = 0; i < whole; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * PRIME;
        hash ^= hash >> 32;  // what is high in a word must not stay there
    }
    return pal_hash(hash, bytes + whole, size - whole);
}
