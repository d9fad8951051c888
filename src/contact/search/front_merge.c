// The list: what stays of it and what was found, sorted.
#include "contact/search/front.h"

static bool collect(PalFront *front)
{
    int64_t total = 0;
    for (int32_t w = 0; w < front->worker_count; ++w)
        total += front->found[w].pairs.count;
    front->keys.facet_count = front->facet_count;
    if (!pal_pair_keys_reserve(&front->keys, total))
        return false;
    for (int32_t w = 0; w < front->worker_count; ++w)
        for (int32_t p = 0; p < front->found[w].pairs.count; ++p)
            pal_pair_keys_add(&front->keys, front->found[w].pairs.items[p]);
    return true;
}

static bool comes_before(PalFacetPair p, PalFacetPair q)
{
    return p.a < q.a || (p.a == q.a && p.b < q.b);
}

bool pal_front_merge(PalFront *front, PalSearchState *state, bool *changed)
{
    if (!collect(front))
        return false;
    pal_pair_keys_sort(&front->keys);
    const PalFacetPairs *old = &state->pairs;
    PalFacetPairs *merged = &front->merged;
    int32_t next = 0, found_count = front->keys.now.count;
    merged->count = 0;
    if (!pal_array_reserve(merged, (int64_t)old->count + found_count))
        return false;
    PalFacetPair found = {0};
    if (found_count > 0)
        found = pal_pair_keys_at(&front->keys, 0);
    *changed = found_count > 0;
    for (int32_t p = 0; p < old->count; ++p) {
        PalFacetPair pair = old->items[p];
        if (pal_bit(front->dirty_facets, pair.a) || pal_bit(front->dirty_facets, pair.b)) {
            *changed = true;
            continue;
        }
        while (next < found_count && comes_before(found, pair)) {
            merged->items[merged->count++] = found;
            if (++next < found_count)
                found = pal_pair_keys_at(&front->keys, next);
        }
        merged->items[merged->count++] = pair;
    }
    for (; next < found_count; ++next)
        merged->items[merged->count++] = pal_pair_keys_at(&front->keys, next);
    PalFacetPairs spare = state->pairs;
    state->pairs = *merged;
    *merged = spare;
    return true;
}
