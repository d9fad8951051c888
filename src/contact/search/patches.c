// Pairs of patches whose boxes overlap, kept from step to step: who takes them looks at what is in
// them himself.   docs/theory/contact.md, pairs of patches
//
// Vertices have places as for pairs of facets, far wider ones. Boxes around the places of a patch's
// vertices are the leaves of one tree; only patches with a new place are looked for again.
#include "base/memory.h"
#include "base/timer.h"
#include "contact/search/method.h"
#include "contact/search/search.h"
#include "contact/surface/cut.h"
#include "element/order.h"
#include "math/float4.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Lengths in terms of the mean edge
#define SLACK     0.3  // how far a vertex may move until its patches are looked for again
#define TOLERANCE 0.1  // of it, how far ends may still be moved after a step was predicted

#define AHEAD_STEPS 16  // places that would be left so soon are renewed with those left now
#define DEEPEST     64  // of the tree, twice

typedef PAL_ARRAY(int32_t) Numbers;

typedef struct Patches {
    PalCut cut;
    PalVec3 origin;        // boxes, which are of floats, count from the middle of what there is
    PalBox *vertex_boxes;  // around places, with half the margin and what each is felt
    int32_t leaf_count;    // a power of two
    PalBox *boxes;         // of the tree: children of v are 2 v and 2 v + 1, the root is 1
    int32_t *leaf_of;      // per patch: its place among the leaves
    int32_t *patch_of;     // and back; PAL_NONE: none
    int32_t *vertices;     // that got new places
    uint8_t *dirty;        // per patch
    Numbers changed;       // which are dirty
    PalPairKeys keys;
    PalFacetPairs pairs, merged;
    int64_t volume_tests;
    bool facets_listed;  // of these pairs, by the places that vertices have
} Patches;

// ---- life -------------------------------------------------------------------------------

static PalVec3 middle_of(const PalContactSurface *surface, const PalCut *cut, int32_t patch)
{
    PalVec3 sum = {0, 0, 0};
    int32_t first = cut->vertices.start[patch], end = cut->vertices.start[patch + 1];
    for (int32_t k = first; k < end; ++k)
        sum = pal_vec3_add(sum, surface->start[cut->vertices.items[k]]);
    return pal_vec3_scale(1.0 / (end - first), sum);
}

static bool plant(Patches *own, const PalContactSurface *surface)
{
    int32_t count = own->cut.count;
    for (own->leaf_count = 1; own->leaf_count < count;)
        own->leaf_count *= 2;
    size_t volumes = 2 * (size_t)own->leaf_count;
    PalVec3 *middles = pal_alloc((size_t)count + 1, sizeof *middles);
    own->boxes = pal_alloc(volumes, sizeof *own->boxes);
    own->patch_of = pal_alloc(volumes, sizeof *own->patch_of);
    own->leaf_of = pal_alloc((size_t)count + 1, sizeof *own->leaf_of);
    bool good =
        middles != NULL && own->boxes != NULL && own->patch_of != NULL && own->leaf_of != NULL;
    for (int32_t p = 0; p < count && good; ++p)
        middles[p] = middle_of(surface, &own->cut, p);
    good = good && pal_order_along_curve(middles, count, own->patch_of);
    for (int32_t i = 0; i < count && good; ++i) {
        own->leaf_of[own->patch_of[i]] = i;
        own->origin = pal_vec3_add_scaled(own->origin, 1.0 / count, middles[i]);
    }
    for (size_t v = 0; v < volumes && good; ++v)
        own->boxes[v] = (PalBox){pal_float4(pal_vec3(INFINITY, INFINITY, INFINITY)),
                                 pal_float4(pal_vec3(-INFINITY, -INFINITY, -INFINITY))};
    pal_free(middles);
    return good;
}

static PalStatus create(PalSearch *search, const PalContactSurface *surface, PalError *error)
{
    PalSearchState *state = search->state;
    Patches *own = state->data = pal_alloc(1, sizeof *own);
    if (own == NULL)
        return pal_search_no_memory(error);
    search->margin = state->usual;
    state->places.slack = SLACK * state->edge;
    state->places.tolerance = search->tolerance = TOLERANCE * state->edge;
    size_t vertices = (size_t)surface->vertex_count + 1;
    own->vertex_boxes = pal_alloc(vertices, sizeof *own->vertex_boxes);
    own->vertices = pal_alloc(vertices, sizeof *own->vertices);
    if (own->vertex_boxes == NULL || own->vertices == NULL || !pal_cut_create(&own->cut, surface) ||
        !plant(own, surface) ||
        (own->dirty = pal_alloc((size_t)own->cut.count + 1, sizeof *own->dirty)) == NULL)
        return pal_search_no_memory(error);
    search->cut = &own->cut;
    return PAL_OK;
}

static void destroy(PalSearch *search)
{
    Patches *own = search->state->data;
    if (own == NULL)
        return;
    pal_cut_clear(&own->cut);
    pal_free(own->vertex_boxes);
    pal_free(own->boxes);
    pal_free(own->leaf_of);
    pal_free(own->patch_of);
    pal_free(own->vertices);
    pal_free(own->dirty);
    pal_array_clear(&own->changed);
    pal_pair_keys_clear(&own->keys);
    pal_array_clear(&own->pairs);
    pal_array_clear(&own->merged);
    pal_free(own);
}

// ---- what has moved ---------------------------------------------------------------------

static bool mark(Patches *own, int32_t patch)
{
    if (own->dirty[patch])
        return true;
    own->dirty[patch] = true;
    return pal_array_push(&own->changed, patch);
}

static void fit_vertex(Patches *own, const PalSearch *search, const PalContactSurface *surface,
                       int32_t vertex)
{
    PalPlace place = search->state->places.items[vertex];
    double felt = surface->felt != NULL ? PAL_SEARCH_MORE * surface->felt[vertex] : 0;
    double room = place.radius + search->margin / 2 + felt;
    PalVec3 corner = pal_vec3(room, room, room);
    PalVec3 centre = pal_vec3_sub(place.centre, own->origin);
    own->vertex_boxes[vertex] =
        (PalBox){pal_float4_lower(pal_float4(pal_vec3_sub(centre, corner))),
                 pal_float4_upper(pal_float4(pal_vec3_add(centre, corner)))};
}

// New places for vertices that leave theirs; what they are around is dirty, and what belongs to
// objects that have woken or fallen asleep.
static PalStatus renew_places(Patches *own, PalSearch *search, PalContactSurface *surface,
                              bool *moved, PalError *error)
{
    PalSearchState *state = search->state;
    bool first = search->generation == 0, good = true;
    if (first)
        pal_contact_surface_place_all(surface);
    bool turned = pal_search_turn(state, surface);
    *moved = first || !pal_places_hold(&state->places, surface) || turned;
    if (!*moved)
        return PAL_OK;
    int32_t count = first ? surface->vertex_count
                          : pal_places_leaving(&state->places, surface, AHEAD_STEPS, own->vertices);
    const PalLists *touching = &own->cut.touching;
    for (int32_t i = 0; i < count && good; ++i) {
        int32_t vertex = first ? i : own->vertices[i];
        if (!pal_places_choose(&state->places, surface, vertex))
            return pal_search_lost(search, vertex, error);
        fit_vertex(own, search, surface, vertex);
        for (int32_t k = touching->start[vertex]; k < touching->start[vertex + 1]; ++k)
            good = mark(own, touching->items[k]) && good;
    }
    for (int32_t i = 0; i < state->turned_count && good; ++i) {
        int32_t object = state->turned[i], end = surface->object_first_vertex[object + 1];
        for (int32_t v = surface->object_first_vertex[object]; v < end; ++v)
            good = mark(own, own->cut.of[v]) && good;
    }
    return good ? PAL_OK : pal_search_no_memory(error);
}

static PalBox join(const PalBox *a, const PalBox *b)
{
    return (PalBox){pal_float4_min(a->lower, b->lower), pal_float4_max(a->upper, b->upper)};
}

static void refit(Patches *own)
{
    const PalLists *around = &own->cut.around;
    for (int32_t i = 0; i < own->changed.count; ++i) {
        int32_t patch = own->changed.items[i], first = around->start[patch];
        PalBox box = own->vertex_boxes[around->items[first]];
        for (int32_t k = first + 1; k < around->start[patch + 1]; ++k)
            box = join(&box, &own->vertex_boxes[around->items[k]]);
        own->boxes[own->leaf_count + own->leaf_of[patch]] = box;
    }
    for (int32_t v = own->leaf_count - 1; v > 0; --v)
        own->boxes[v] = join(&own->boxes[2 * v], &own->boxes[2 * v + 1]);
}

// ---- pairs ------------------------------------------------------------------------------

// All patches that one may touch; of two that are dirty, the one with the lower number finds the
// other. False: no memory.
static bool find(Patches *own, const PalSearchState *state, int32_t patch)
{
    int32_t stack[DEEPEST], depth = 0;
    const PalBox box = own->boxes[own->leaf_count + own->leaf_of[patch]];
    stack[depth++] = 1;
    while (depth > 0) {
        int32_t v = stack[--depth];
        ++own->volume_tests;
        if (!pal_boxes_overlap(&box, &own->boxes[v]))
            continue;
        if (v < own->leaf_count) {
            stack[depth++] = 2 * v;
            stack[depth++] = 2 * v + 1;
            continue;
        }
        int32_t other = own->patch_of[v - own->leaf_count];
        if ((own->dirty[other] && other < patch) ||
            !pal_search_allows(state, own->cut.object[patch], own->cut.object[other]))
            continue;
        PalFacetPair pair = {patch < other ? patch : other, patch < other ? other : patch};
        if (!pal_array_push(&own->merged, pair))
            return false;
    }
    return true;
}

static bool comes_before(PalFacetPair p, PalFacetPair q)
{
    return p.a < q.a || (p.a == q.a && p.b < q.b);
}

// What stays of the list and what was found, sorted. `changed`: it is another one.
static bool merge(Patches *own, bool *changed)
{
    PalFacetPairs *found = &own->merged, *old = &own->pairs;
    own->keys.facet_count = own->cut.count;
    if (!pal_pair_keys_reserve(&own->keys, (int64_t)found->count))
        return false;
    for (int32_t i = 0; i < found->count; ++i)
        pal_pair_keys_add(&own->keys, found->items[i]);
    pal_pair_keys_sort(&own->keys);
    int32_t found_count = found->count, next = 0, same = 0;
    found->count = 0;
    if (!pal_array_reserve(found, (int64_t)old->count + found_count))
        return false;
    for (int32_t i = 0; i <= old->count; ++i) {
        bool stays = i < old->count && !own->dirty[old->items[i].a] && !own->dirty[old->items[i].b];
        while (
            next < found_count &&
            (i == old->count || !comes_before(old->items[i], pal_pair_keys_at(&own->keys, next)))) {
            PalFacetPair pair = pal_pair_keys_at(&own->keys, next++);
            found->items[found->count++] = pair;
            same += i < old->count && pair.a == old->items[i].a && pair.b == old->items[i].b;
        }
        if (stays)
            found->items[found->count++] = old->items[i];
        same += stays;
    }
    *changed = same != old->count || found->count != old->count;
    PalFacetPairs spare = *old;
    *old = *found;
    *found = spare;
    return true;
}

static PalStatus update(PalSearch *search, PalContactSurface *surface, int32_t thread_count,
                        PalMeter *meter, PalError *error)
{
    PalSearchState *state = search->state;
    Patches *own = state->data;
    double begin = pal_timer_seconds();
    bool moved = false, changed = false, good = true;
    (void)thread_count;
    meter->counters.volumes += 2 * own->cut.count;
    own->changed.count = own->merged.count = 0;
    own->volume_tests = 0;
    PAL_TRY(renew_places(own, search, surface, &moved, error));
    if (moved)
        refit(own);
    own->facets_listed = own->facets_listed && !moved;
    double middle = pal_timer_seconds();
    meter->profile.contact_update += middle - begin;
    meter->counters.refits += own->changed.count;
    if (!moved)
        return PAL_OK;
    for (int32_t i = 0; i < own->changed.count && good; ++i)
        good = find(own, state, own->changed.items[i]);
    good = good && merge(own, &changed);
    for (int32_t i = 0; i < own->changed.count; ++i)
        own->dirty[own->changed.items[i]] = false;
    if (!good)
        return pal_search_no_memory(error);
    meter->counters.volume_tests += own->volume_tests;
    if (changed || search->generation == 0 || state->turned_count > 0)
        pal_search_publish(search);
    search->patch_pair_count = own->pairs.count;
    search->patch_pairs = own->pairs.items;
    meter->profile.contact_search += pal_timer_seconds() - middle;
    return PAL_OK;
}

const PalSearchMethod pal_search_patches = {"patches", true, true, create, destroy, update, NULL};

// ---- facets -----------------------------------------------------------------------------

static PalBox facet_box(const Patches *own, const PalContactSurface *surface, int32_t facet)
{
    const int32_t *corners = surface->facets[facet];
    PalBox two = join(&own->vertex_boxes[corners[0]], &own->vertex_boxes[corners[1]]);
    return join(&two, &own->vertex_boxes[corners[2]]);
}

// Those of two patches.
static bool add_facets(const Patches *own, const PalContactSurface *surface, PalFacetPair patches,
                       PalFacetPairs *into)
{
    const PalLists *facets = &own->cut.facets;
    for (int32_t i = facets->start[patches.a]; i < facets->start[patches.a + 1]; ++i) {
        int32_t f = facets->items[i];
        PalBox box = facet_box(own, surface, f);
        int32_t first = patches.a == patches.b ? i + 1 : facets->start[patches.b];
        for (int32_t j = first; j < facets->start[patches.b + 1]; ++j) {
            int32_t g = facets->items[j];
            PalBox other = facet_box(own, surface, g);
            PalFacetPair pair = {f < g ? f : g, f < g ? g : f};
            if (pal_boxes_overlap(&box, &other) && !pal_array_push(into, pair))
                return false;
        }
    }
    return true;
}

PalStatus pal_search_list_facets(PalSearch *search, const PalContactSurface *surface,
                                 PalError *error)
{
    Patches *own = search->state->data;
    if (search->cut == NULL || own->facets_listed)
        return PAL_OK;
    PalFacetPairs *pairs = &search->state->pairs;
    bool good = true;
    pairs->count = 0;
    for (int32_t i = 0; i < own->pairs.count && good; ++i)
        good = add_facets(own, surface, own->pairs.items[i], pairs);
    own->keys.facet_count = surface->facet_count;
    good = good && pal_pair_keys_reserve(&own->keys, (int64_t)pairs->count);
    for (int32_t i = 0; i < pairs->count && good; ++i)
        pal_pair_keys_add(&own->keys, pairs->items[i]);
    if (!good)
        return pal_search_no_memory(error);
    pal_pair_keys_sort(&own->keys);
    for (int32_t i = 0; i < pairs->count; ++i)
        pairs->items[i] = pal_pair_keys_at(&own->keys, i);
    search->pair_count = pairs->count;
    search->pairs = pairs->items;
    own->facets_listed = true;
    return PAL_OK;
}
