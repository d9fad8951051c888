// All pairs of facets whose boxes overlap, by a sweep along one axis.
#include "base/memory.h"
#include "base/timer.h"
#include "contact/search/method.h"
#include "math/vec3.h"

#include <stdlib.h>

typedef struct Item {
    PalBounds box;
    int32_t facet;
} Item;

typedef struct Plain {
    Item *items;  // one per facet
} Plain;

static int compare_items(const void *left, const void *right)
{
    const Item *a = left, *b = right;
    if (a->box.lower.x != b->box.lower.x)
        return a->box.lower.x < b->box.lower.x ? -1 : 1;
    return a->facet < b->facet ? -1 : a->facet > b->facet;
}

static int compare_pairs(const void *left, const void *right)
{
    const PalFacetPair *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static bool overlap(const PalBounds *a, const PalBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static bool sweep(PalSearchState *state, const PalContactSurface *surface, const Item *items)
{
    const int32_t *object = surface->facet_object;
    state->pairs.count = 0;
    for (int32_t i = 0; i < surface->facet_count; ++i) {
        const Item *p = &items[i];
        for (int32_t j = i + 1; j < surface->facet_count; ++j) {
            const Item *q = &items[j];
            if (q->box.lower.x > p->box.upper.x)
                break;
            if (!overlap(&p->box, &q->box) ||
                !pal_search_allows(state, object[p->facet], object[q->facet]))
                continue;
            PalFacetPair pair = {p->facet < q->facet ? p->facet : q->facet,
                                 p->facet < q->facet ? q->facet : p->facet};
            if (!pal_array_push(&state->pairs, pair))
                return false;
        }
    }
    if (state->pairs.count > 0)
        qsort(state->pairs.items, (size_t)state->pairs.count, sizeof *state->pairs.items,
              compare_pairs);
    return true;
}

static PalStatus update(PalSearch *search, PalContactSurface *surface, int32_t thread_count,
                        PalMeter *meter, PalError *error)
{
    (void)thread_count;
    PalSearchState *state = search->state;
    Plain *plain = state->data;
    double begin = pal_timer_seconds();
    pal_contact_surface_place_all(surface);
    bool turned = pal_search_turn(state, surface);
    bool holds = search->generation > 0 && !turned && pal_places_hold(&state->places, surface);
    if (!holds) {
        for (int32_t v = 0; v < surface->vertex_count; ++v)
            if (!pal_places_choose(&state->places, surface, v))
                return pal_search_lost(search, v, error);
        for (int32_t f = 0; f < surface->facet_count; ++f)
            plain->items[f] =
                (Item){pal_places_box(&state->places, surface->facets[f], search->margin / 2), f};
        meter->counters.refits += surface->facet_count;
    }
    meter->counters.volumes += surface->facet_count;
    double middle = pal_timer_seconds();
    meter->profile.contact_update += middle - begin;
    if (holds)
        return PAL_OK;
    qsort(plain->items, (size_t)surface->facet_count, sizeof *plain->items, compare_items);
    if (!sweep(state, surface, plain->items))
        return pal_search_no_memory(error);
    pal_search_publish(search);
    meter->profile.contact_search += pal_timer_seconds() - middle;
    return PAL_OK;
}

static PalStatus create(PalSearch *search, const PalContactSurface *surface, PalError *error)
{
    Plain *plain = search->state->data = pal_alloc(1, sizeof *plain);
    if (plain == NULL)
        return pal_search_no_memory(error);
    plain->items = pal_alloc((size_t)surface->facet_count, sizeof *plain->items);
    return plain->items == NULL ? pal_search_no_memory(error) : PAL_OK;
}

static void destroy(PalSearch *search)
{
    Plain *plain = search->state->data;
    if (plain != NULL)
        pal_free(plain->items);
    pal_free(plain);
}

const PalSearchMethod pal_search_plain = {"plain", false, true, create, destroy, update, NULL};
