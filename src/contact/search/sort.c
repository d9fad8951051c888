// Pairs in order, by their numbers' digits: the lowest first.
#include "contact/search/method.h"

#define DIGIT   11  // bits
#define BUCKETS (1 << DIGIT)

static void sort_digit(const uint64_t *from, uint64_t *to, int32_t count, int shift)
{
    int32_t start[BUCKETS] = {0};
    for (int32_t i = 0; i < count; ++i)
        ++start[from[i] >> shift & (BUCKETS - 1)];
    for (int32_t d = 0, sum = 0; d < BUCKETS; ++d) {
        int32_t here = start[d];
        start[d] = sum;
        sum += here;
    }
    for (int32_t i = 0; i < count; ++i)
        to[start[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
}

bool pal_pair_keys_reserve(PalPairKeys *keys, int64_t count)
{
    keys->now.count = keys->spare.count = 0;
    return pal_array_reserve(&keys->now, count) && pal_array_reserve(&keys->spare, count);
}

void pal_pair_keys_sort(PalPairKeys *keys)
{
    uint64_t limit = (uint64_t)keys->facet_count * (uint64_t)keys->facet_count;
    for (int shift = 0; shift < 64 && limit >> shift != 0; shift += DIGIT) {
        sort_digit(keys->now.items, keys->spare.items, keys->now.count, shift);
        PalKeys sorted = keys->spare;
        sorted.count = keys->now.count;
        keys->spare = keys->now;
        keys->now = sorted;
    }
}

void pal_pair_keys_clear(PalPairKeys *keys)
{
    pal_array_clear(&keys->now);
    pal_array_clear(&keys->spare);
}
