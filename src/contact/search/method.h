// Inside the search: where vertices may be while a list holds, and the ways to make one.
#ifndef PAL_CONTACT_SEARCH_METHOD_H
#define PAL_CONTACT_SEARCH_METHOD_H

#include "base/array.h"
#include "base/meter.h"
#include "contact/search/list.h"
#include "contact/surface/pairs.h"

// A ball that holds a vertex's path as long as the list holds.
typedef struct PalPlace {
    PalVec3 centre;
    double radius;
} PalPlace;

typedef struct PalPlaces {
    int32_t count;  // one per vertex
    PalPlace *items;
    double slack;      // smallest radius
    double tolerance;  // room left around the end of a step when a place is chosen
    // Per block of vertices: how near one was to leaving its place when they were last looked at,
    // and how far they may have gone since
    double *room, *travel;
    double *own_room;  // per vertex, at the same time
} PalPlaces;

typedef PAL_ARRAY(PalFacetPair) PalFacetPairs;

typedef PAL_ARRAY(uint64_t) PalKeys;

// Pairs as numbers, a * facet_count + b, to be sorted.
typedef struct PalPairKeys {
    int32_t facet_count;
    PalKeys now, spare;
} PalPairKeys;

bool pal_pair_keys_reserve(PalPairKeys *keys, int64_t count);  // empties them; false: no memory
void pal_pair_keys_sort(PalPairKeys *keys);
void pal_pair_keys_clear(PalPairKeys *keys);

// There is room for it.
static inline void pal_pair_keys_add(PalPairKeys *keys, PalFacetPair pair)
{
    keys->now.items[keys->now.count++] =
        (uint64_t)pair.a * (uint64_t)keys->facet_count + (uint64_t)pair.b;
}

static inline PalFacetPair pal_pair_keys_at(const PalPairKeys *keys, int32_t index)
{
    uint64_t facets = (uint64_t)keys->facet_count, key = keys->now.items[index];
    return (PalFacetPair){(int32_t)(key / facets), (int32_t)(key % facets)};
}

// A way to make the list. `data` of the state is its own.
typedef struct PalSearchMethod {
    const char *name;
    bool lazy;   // it asks for the vertices it looks at: none need be placed before
    bool keeps;  // the list holds until a vertex leaves its place, not for this step only
    PalStatus (*create)(PalSearch *search, const PalContactSurface *surface, PalError *error);
    void (*destroy)(PalSearch *search);
    PalStatus (*update)(PalSearch *search, PalContactSurface *surface, int32_t thread_count,
                        PalMeter *meter, PalError *error);
    void (*forget)(PalSearch *search);  // vertices may be anywhere now; NULL: places are all it has
} PalSearchMethod;

// Pairs are listed a little farther than they are wanted.
#define PAL_SEARCH_MORE 1.2

typedef struct PalSearchState {
    PalContactDef def;  // without its pairs
    int32_t object_count;
    bool *allowed;            // each two objects; NULL: they are too many, and `objects` tells
    const PalPairs *objects;  // borrowed
    double edge;              // mean length
    double published;         // margin of the papers
    double needed;            // distance the response wants to know pairs of
    double usual;             // the margin of what is not felt farther than others
    const PalAwake *awake;    // the surface's
    // Which objects were awake when the list was made, and since when; those that have woken or
    // fallen asleep since
    int32_t known_count, turned_count;
    int32_t *known, *turned;
    int64_t *known_since;  // per object; PAL_NONE: it was asleep
    PalPlaces places;
    PalFacetPairs pairs;
    const PalSearchMethod *method;
    void *data;
} PalSearchState;

extern const PalSearchMethod pal_search_front;
extern const PalSearchMethod pal_search_patches;
extern const PalSearchMethod pal_search_trees;    // all pairs anew, by the published updates
extern const PalSearchMethod pal_search_spheres;  // all pairs anew, by trees of spheres
extern const PalSearchMethod pal_search_plain;    // all pairs anew, by a sweep: for comparison

// What is searched for.
typedef struct PalSearchWish {
    const PalContactDef *def;
    const bool *allowed;
    double reach;
} PalSearchWish;

// As pal_search_create, with a way that no scene can choose.
PalStatus pal_search_create_with(const PalSearchMethod *method, const PalSearchWish *wish,
                                 PalContactSurface *surface, PalSearch **search, PalError *error);

bool pal_places_create(PalPlaces *places, int32_t count);  // false: no memory
void pal_places_clear(PalPlaces *places);

// Whether the paths of all vertices stay in their places, with the tolerance around their ends.
bool pal_places_hold(PalPlaces *places, PalContactSurface *surface);

// Whether the ends of these vertices, if their objects are awake, are in their places; NULL: of the
// first ones.
bool pal_places_hold_ends(const PalPlaces *places, const PalContactSurface *surface,
                          const int32_t *vertices, int32_t count);

// Vertices that leave their places within so many steps, if they go on as in this one; 0: in
// this step. Their number; `vertices` has room for all.
int32_t pal_places_leaving(const PalPlaces *places, PalContactSurface *surface, double steps,
                           int32_t *vertices);

// All vertices are to be looked at when it is asked next.
void pal_places_forget(PalPlaces *places);
// Those of an object.
void pal_places_forget_object(PalPlaces *places, const PalContactSurface *surface, int32_t object);

// Gives a vertex a new place that holds its path, with most of the room ahead of it. False: its
// path is not made of numbers that can be worked with.
bool pal_places_choose(PalPlaces *places, const PalContactSurface *surface, int32_t vertex);

// Box around the places of a facet's vertices, fattened.
PalBounds pal_places_box(const PalPlaces *places, const int32_t facet[3], double fat);

// Do two objects touch, of which both take part in this step?
static inline bool pal_search_allows(const PalSearchState *state, int32_t a, int32_t b)
{
    if (state->awake->asleep[a] || state->awake->asleep[b])
        return false;
    return state->allowed != NULL ? state->allowed[(int64_t)a * state->object_count + b]
                                  : pal_pairs_look_up(state->objects, a, b) >= 0;
}

// Lists the objects that have woken or fallen asleep since this was last asked. Places of those
// that woke are to be looked at. True: there are any.
bool pal_search_turn(PalSearchState *state, const PalContactSurface *surface);

// For lists that hold for one step: the place of each vertex that is awake is around its end.
PalStatus pal_search_place(PalSearch *search, const PalContactSurface *surface, PalError *error);

// Hands the state's pairs to the caller as a new list.
void pal_search_publish(PalSearch *search);

PalStatus pal_search_no_memory(PalError *error);
// A vertex whose position is no number; it is noted in the search.
PalStatus pal_search_lost(PalSearch *search, int32_t vertex, PalError *error);

#endif
