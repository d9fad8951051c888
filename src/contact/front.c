#include "contact/front.h"

#include "base/memory.h"
#include "base/timer.h"

#include <string.h>

#define AHEAD_STEPS 16  // places that would be left so soon are renewed with those left now
#define RENEW       3   // one facet in so many dirty: the whole tree is gone through

// ---- what has moved ---------------------------------------------------------------------

static void mark(PalFront *front, int32_t facet)
{
    if (pal_bit(front->dirty_facets, facet))
        return;
    pal_bit_set(front->dirty_facets, facet);
    for (int32_t v = front->leaf_of[facet]; v != PAL_NONE; v = front->volumes[v].parent) {
        if (pal_bit(front->dirty_volumes, v))
            return;
        pal_bit_set(front->dirty_volumes, v);
    }
}

// New places for vertices that leave theirs; their facets become dirty.
static PalStatus renew_places(PalFront *front, PalSearch *search, const PalContactSurface *surface,
                              bool *moved, PalError *error)
{
    PalPlaces *places = &search->state->places;
    bool first = search->generation == 0;
    *moved = first || !pal_places_hold(places, surface);
    if (!*moved)
        return PAL_OK;
    int32_t count = first ? surface->vertex_count
                          : pal_places_leaving(places, surface, AHEAD_STEPS, front->vertices);
    memset(front->dirty_facets, 0, ((size_t)front->facet_count / 64 + 1) * sizeof(uint64_t));
    memset(front->dirty_volumes, 0, ((size_t)front->volume_count / 64 + 1) * sizeof(uint64_t));
    const PalLists *around = &surface->vertex_facets;
    for (int32_t i = 0; i < count; ++i) {
        int32_t vertex = first ? i : front->vertices[i];
        if (!pal_places_choose(places, surface, vertex))
            return pal_search_lost(vertex, error);
        for (int32_t k = around->start[vertex]; k < around->start[vertex + 1]; ++k)
            mark(front, around->items[k]);
    }
    return PAL_OK;
}

// ---- what is to be done about it --------------------------------------------------------

// Trees with many dirty facets are renewed; the other dirty facets are listed.
static void sort_out(PalFront *front)
{
    for (int32_t t = 0; t < front->tree_count; ++t)
        front->trees[t].dirty_count = 0;
    front->dirty_count = 0;
    for (int32_t word = 0; word <= front->facet_count / 64; ++word) {
        for (uint64_t bits = front->dirty_facets[word]; bits != 0; bits &= bits - 1) {
            int32_t facet = 64 * word + __builtin_ctzll(bits);
            front->dirty[front->dirty_count++] = facet;
            ++front->trees[front->volumes[front->leaf_of[facet]].tree].dirty_count;
        }
    }
    for (int32_t t = 0; t < front->tree_count; ++t) {
        PalFrontTree *tree = &front->trees[t];
        int32_t count = tree->hierarchy->facet_count;
        tree->renewed = count > 0 && (int64_t)tree->dirty_count * RENEW >= count;
        for (int32_t f = 0; tree->renewed && f < count; ++f)
            pal_bit_set(front->dirty_facets, tree->first_facet + f);
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < front->dirty_count; ++i)
        if (!front->trees[front->volumes[front->leaf_of[front->dirty[i]]].tree].renewed)
            front->dirty[kept++] = front->dirty[i];
    front->dirty_count = kept;
}

static PalStatus update(PalSearch *search, const PalContactSurface *surface, int32_t thread_count,
                        PalCounters *counters, PalProfile *profile, PalError *error)
{
    PalSearchState *state = search->state;
    PalFront *front = state->data;
    double begin = pal_timer_seconds();
    counters->volumes += front->volume_count;
    bool moved = false;
    PAL_TRY(renew_places(front, search, surface, &moved, error));
    if (moved) {
        counters->refits += pal_front_refit(front, search, surface);
        pal_front_divide(front, state);
        sort_out(front);
    }
    double middle = pal_timer_seconds();
    profile->contact_update += middle - begin;
    if (!moved)
        return PAL_OK;
    bool changed = false;
    if (!pal_front_find(front, state, surface, thread_count) ||
        !pal_front_merge(front, state, &changed))
        return pal_search_no_memory(error);
    for (int32_t w = 0; w < front->worker_count; ++w) {
        counters->volume_tests += front->found[w].volume_tests;
        counters->self_subtrees += front->found[w].self_subtrees;
    }
    if (changed || search->generation == 0)
        pal_search_publish(search);
    profile->contact_search += pal_timer_seconds() - middle;
    return PAL_OK;
}

// ---- life -------------------------------------------------------------------------------

static PalStatus create(PalSearch *search, const PalContactSurface *surface, PalError *error)
{
    PalFront *front = search->state->data = pal_alloc(1, sizeof *front);
    if (front == NULL)
        return pal_search_no_memory(error);
    return pal_front_create_trees(front, search->state, surface, error);
}

static void destroy(PalSearch *search)
{
    PalFront *front = search->state->data;
    if (front == NULL)
        return;
    pal_front_destroy_trees(front);
    for (int32_t w = 0; w < front->worker_count; ++w) {
        pal_array_clear(&front->found[w].pairs);
        pal_array_clear(&front->found[w].stack);
    }
    pal_free(front->found);
    pal_array_clear(&front->seeds);
    pal_array_clear(&front->keys);
    pal_array_clear(&front->spare_keys);
    pal_array_clear(&front->merged);
    pal_free(front);
}

const PalSearchMethod pal_search_front = {create, destroy, update};
