#include "contact/search/front.h"

#include "base/memory.h"
#include "base/timer.h"

#include <string.h>

#define AHEAD_STEPS 16  // places that would be left so soon are renewed with those left now

// ---- what has moved ---------------------------------------------------------------------

void pal_front_mark(PalFront *front, int32_t facet)
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

// New places for vertices that leave theirs; their facets become dirty, and those of objects that
// have woken or fallen asleep.
static PalStatus renew_places(PalFront *front, PalSearch *search, PalContactSurface *surface,
                              bool *moved, PalError *error)
{
    PalPlaces *places = &search->state->places;
    bool first = search->generation == 0;
    if (first)
        pal_contact_surface_place_all(surface);
    bool turned = pal_search_turn(search->state, surface);
    *moved = first || !pal_places_hold(places, surface) || turned;
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
            return pal_search_lost(search, vertex, error);
        pal_front_fit_vertex(front, search, vertex);
        for (int32_t k = around->start[vertex]; k < around->start[vertex + 1]; ++k)
            pal_front_mark(front, around->items[k]);
    }
    for (int32_t i = 0; i < search->state->turned_count; ++i) {
        int32_t object = search->state->turned[i];
        for (int32_t f = surface->object_first_facet[object];
             f < surface->object_first_facet[object + 1]; ++f)
            pal_front_mark(front, f);
    }
    return PAL_OK;
}

// ---- steps ------------------------------------------------------------------------------

static PalStatus update(PalSearch *search, PalContactSurface *surface, int32_t thread_count,
                        PalMeter *meter, PalError *error)
{
    PalSearchState *state = search->state;
    PalFront *front = state->data;
    double begin = pal_timer_seconds();
    meter->counters.volumes += front->volume_count;
    bool moved = false;
    int32_t dirty_count = 0;
    PAL_TRY(renew_places(front, search, surface, &moved, error));
    if (moved) {
        dirty_count = pal_front_refit(front, search, surface);
        pal_front_divide(front, state);
    }
    meter->counters.refits += dirty_count;
    double middle = pal_timer_seconds();
    meter->profile.contact_update += middle - begin;
    if (!moved)
        return PAL_OK;
    bool changed = false;
    if (!pal_front_find(front, search, surface, dirty_count, thread_count) ||
        !pal_front_merge(front, state, &changed))
        return pal_search_no_memory(error);
    for (int32_t w = 0; w < front->worker_count; ++w) {
        meter->counters.volume_tests += front->found[w].volume_tests;
        meter->counters.self_subtrees += front->found[w].self_subtrees;
    }
    if (changed || search->generation == 0)
        pal_search_publish(search);
    search->renewed = front->dirty_facets;
    meter->profile.contact_search += pal_timer_seconds() - middle;
    return PAL_OK;
}

// ---- life -------------------------------------------------------------------------------

static PalStatus create(PalSearch *search, const PalContactSurface *surface, PalError *error)
{
    PalFront *front = search->state->data = pal_alloc(1, sizeof *front);
    if (front == NULL)
        return pal_search_no_memory(error);
    front->felt = surface->felt;
    search->margin = search->state->usual;
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
    pal_pair_keys_clear(&front->keys);
    pal_array_clear(&front->merged);
    pal_free(front);
}

const PalSearchMethod pal_search_front = {"front", true, true, create, destroy, update, NULL};
