// The list: what stays of it and what was found, sorted.
#include "contact/front.h"

#include <string.h>

#define DIGIT   11  // bits sorted by at a time
#define BUCKETS (1 << DIGIT)

static bool collect(PalFront *front)
{
    int64_t total = 0;
    for (int32_t w = 0; w < front->worker_count; ++w)
        total += front->found[w].pairs.count;
    front->keys.count = front->spare_keys.count = 0;
    if (!pal_array_reserve(&front->keys, total) || !pal_array_reserve(&front->spare_keys, total))
        return false;
    for (int32_t w = 0; w < front->worker_count; ++w) {
        const PalFacetPairs *pairs = &front->found[w].pairs;
        for (int32_t p = 0; p < pairs->count; ++p)
            front->keys.items[front->keys.count++] =
                (uint64_t)pairs->items[p].a * (uint64_t)front->facet_count +
                (uint64_t)pairs->items[p].b;
    }
    return true;
}

// By digits, the lowest first. Keys are less than `limit`.
static void sort(PalFront *front, uint64_t limit)
{
    int32_t count = front->keys.count;
    for (int shift = 0; shift < 64 && limit >> shift != 0; shift += DIGIT) {
        int32_t start[BUCKETS] = {0};
        const uint64_t *from = front->keys.items;
        uint64_t *to = front->spare_keys.items;
        for (int32_t i = 0; i < count; ++i)
            ++start[from[i] >> shift & (BUCKETS - 1)];
        for (int32_t d = 0, sum = 0; d < BUCKETS; ++d) {
            int32_t here = start[d];
            start[d] = sum;
            sum += here;
        }
        for (int32_t i = 0; i < count; ++i)
            to[start[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
        front->spare_keys.items = front->keys.items;
        front->keys.items = to;
        int32_t capacity = front->keys.capacity;
        front->keys.capacity = front->spare_keys.capacity;
        front->spare_keys.capacity = capacity;
    }
}

bool pal_front_merge(PalFront *front, PalSearchState *state, bool *changed)
{
    if (!collect(front))
        return false;
    uint64_t facets = (uint64_t)front->facet_count;
    sort(front, facets * facets);
    const PalFacetPairs *old = &state->pairs;
    PalFacetPairs *merged = &front->merged;
    merged->count = 0;
    if (!pal_array_reserve(merged, (int64_t)old->count + front->keys.count))
        return false;
    int32_t next = 0, dropped = 0;
    for (int32_t p = 0; p < old->count; ++p) {
        PalFacetPair pair = old->items[p];
        if (pal_bit(front->dirty_facets, pair.a) || pal_bit(front->dirty_facets, pair.b)) {
            ++dropped;
            continue;
        }
        uint64_t key = (uint64_t)pair.a * facets + (uint64_t)pair.b;
        for (; next < front->keys.count && front->keys.items[next] < key; ++next)
            merged->items[merged->count++] =
                (PalFacetPair){(int32_t)(front->keys.items[next] / facets),
                               (int32_t)(front->keys.items[next] % facets)};
        merged->items[merged->count++] = pair;
    }
    for (; next < front->keys.count; ++next)
        merged->items[merged->count++] =
            (PalFacetPair){(int32_t)(front->keys.items[next] / facets),
                           (int32_t)(front->keys.items[next] % facets)};
    *changed = dropped > 0 || front->keys.count > 0;
    PalFacetPairs spare = state->pairs;
    state->pairs = *merged;
    *merged = spare;
    return true;
}
