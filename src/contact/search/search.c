#include "contact/search/search.h"

#include "base/memory.h"
#include "contact/search/method.h"
#include "math/vec3.h"

#include <stdlib.h>

#define MORE PAL_SEARCH_MORE

// Lengths in terms of the mean edge
#define WATCHED   0.02    // pairs nearer than this are listed at least
#define SLACK     0.1     // how far a vertex may move until its pairs are looked for again
#define TOLERANCE 0.02    // how far ends may still be moved after a step was predicted
#define REACH     0.0025  // distance looked at, at least

// Where one edge in FINE_PART is more than FINE times shorter than the mean, these are what counts:
// places and distances as for the others would hold hundreds of their facets, each near all others.
#define FINE      10
#define FINE_PART 20

PalStatus pal_search_no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for the contact search");
}

PalStatus pal_search_lost(PalSearch *search, int32_t vertex, PalError *error)
{
    search->lost = vertex;
    return pal_error_set(error, PAL_SIM_FAILED,
                         "vertex %d of the contact surfaces has no finite position", vertex);
}

void pal_search_publish(PalSearch *search)
{
    search->pair_count = search->state->pairs.count;
    search->pairs = search->state->pairs.items;
    search->generation++;
    double most = search->state->places.slack;
    for (int32_t v = 0; v < search->state->places.count; ++v)
        most = fmax(most, search->state->places.items[v].radius);
    search->approach = 4 * most;
}

// Of the soft surfaces, which carry the details that matter, or else of all.
static double mean_edge(const PalContactSurface *surface)
{
    double sum = 0, soft_sum = 0;
    int32_t soft_count = 0;
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        const int32_t *edge = surface->edges[e];
        double length = pal_vec3_distance(surface->start[edge[0]], surface->start[edge[1]]);
        sum += length;
        if (edge[0] < surface->soft_vertex_count) {
            soft_sum += length;
            ++soft_count;
        }
    }
    return soft_sum > 0 ? soft_sum / soft_count : sum > 0 ? sum / surface->edge_count : 1;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// The mean edge, or less where meshes are strongly graded. 0: no memory.
static double typical_edge(const PalContactSurface *surface)
{
    double mean = mean_edge(surface), *lengths;
    int32_t count = 0;
    lengths = pal_alloc((size_t)surface->edge_count, sizeof *lengths);
    if (lengths == NULL)
        return 0;
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        const int32_t *edge = surface->edges[e];
        if (edge[0] < surface->soft_vertex_count)
            lengths[count++] = pal_vec3_distance(surface->start[edge[0]], surface->start[edge[1]]);
    }
    qsort(lengths, (size_t)count, sizeof *lengths, compare);
    double fine = count > 0 ? FINE * lengths[count / FINE_PART] : 0;
    pal_free(lengths);
    return fine > 0 ? fmin(mean, fine) : mean;
}

double pal_search_published_margin(const PalContactSurface *surface)
{
    double least = INFINITY, most = 0;
    int32_t count =
        surface->soft_facet_count > 0 ? surface->soft_facet_count : surface->facet_count;
    for (int32_t f = 0; f < count; ++f) {
        double diameter = 0;
        for (int k = 0; k < 3; ++k)
            diameter =
                fmax(diameter, pal_vec3_distance(surface->start[surface->facets[f][k]],
                                                 surface->start[surface->facets[f][(k + 1) % 3]]));
        least = fmin(least, diameter);
        most = fmax(most, diameter);
    }
    return count > 0 ? (most + least) / 100 : 0;
}

// A table of each two objects, unless they are too many. Two prescribed instruments never give way
// to each other.
static bool fill_allowed(PalSearchState *state, const PalContactSurface *surface,
                         const PalSearchWish *wish)
{
    int32_t count = state->object_count = surface->object_count;
    state->objects = surface->pairs;
    if (wish->allowed == NULL && state->objects->dense == NULL)
        return true;
    state->allowed = pal_alloc((size_t)count * (size_t)count, sizeof *state->allowed);
    for (int32_t a = 0; state->allowed != NULL && a < count; ++a)
        for (int32_t b = 0; b < count; ++b) {
            int64_t place = (int64_t)a * count + b;
            bool prescribed = a >= surface->body_count && b >= surface->body_count &&
                              surface->object_free[a] == PAL_NONE &&
                              surface->object_free[b] == PAL_NONE;
            bool allowed =
                wish->allowed != NULL ? wish->allowed[place] : state->objects->dense[place] >= 0;
            state->allowed[place] = allowed && !prescribed;
        }
    return state->allowed != NULL;
}

// All were awake.
static bool fill_known(PalSearchState *state, const PalContactSurface *surface)
{
    size_t objects = (size_t)surface->object_count;
    state->awake = &surface->awake;
    state->known = pal_alloc(objects, sizeof *state->known);
    state->turned = pal_alloc(objects, sizeof *state->turned);
    state->known_since = pal_alloc(objects, sizeof *state->known_since);
    if (state->known == NULL || state->turned == NULL || state->known_since == NULL)
        return false;
    for (int32_t o = 0; o < surface->object_count; ++o)
        state->known[state->known_count++] = o;
    return true;
}

static bool fill(PalSearch *search, const PalContactSurface *surface, const PalSearchWish *wish)
{
    PalSearchState *state = search->state;
    state->edge = typical_edge(surface);
    if (state->edge == 0)
        return false;
    state->published = pal_search_published_margin(surface);
    state->needed = MORE * fmax(wish->reach, REACH * state->edge);
    state->usual = fmax(WATCHED * state->edge, MORE * (wish->reach - surface->felt_most));
    search->margin = fmax(WATCHED * state->edge, state->needed);
    state->places.slack = SLACK * state->edge;
    state->places.tolerance = search->tolerance = TOLERANCE * state->edge;
    return fill_allowed(state, surface, wish) && fill_known(state, surface) &&
           pal_places_create(&state->places, surface->vertex_count);
}

PalStatus pal_search_create_with(const PalSearchMethod *method, const PalSearchWish *wish,
                                 PalContactSurface *surface, PalSearch **result, PalError *error)
{
    *result = NULL;
    PalSearch *search = pal_alloc(1, sizeof *search);
    if (search == NULL)
        return pal_search_no_memory(error);
    search->lost = PAL_NONE;
    PalSearchState *state = search->state = pal_alloc(1, sizeof *state);
    PalStatus status = PAL_NO_MEMORY;
    if (state != NULL) {
        state->def = *wish->def;
        state->def.pairs = NULL;
        state->def.pair_count = 0;
        state->method = method;
        if (fill(search, surface, wish))
            status = method->create(search, surface, error);
    }
    if (status != PAL_OK) {
        pal_search_destroy(search);
        return status == PAL_NO_MEMORY ? pal_search_no_memory(error) : status;
    }
    *result = search;
    return PAL_OK;
}

// Every way to search that a scene can choose, by how it follows the surface.
static const PalSearchMethod *const rows[] = {
    [PAL_UPDATE_FRONT] = &pal_search_front,
    [PAL_UPDATE_UPDATE_NODES] = &pal_search_trees,
    [PAL_UPDATE_LARSSON] = &pal_search_trees,
    [PAL_UPDATE_EXHAUSTIVE] = &pal_search_trees,
};

static PalStatus check_choices(const PalContactDef *def, PalError *error)
{
    if ((int)def->update < 0 || (size_t)def->update >= sizeof rows / sizeof rows[0])
        return pal_error_set(error, PAL_BAD_INPUT, "there is no way %d to update a hierarchy",
                             (int)def->update);
    if (pal_hierarchy_choice((int32_t)def->hierarchy) == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "there is no hierarchy %d", (int)def->hierarchy);
    if (pal_leaf_choice((int32_t)def->leaf) == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "there is no leaf %d", (int)def->leaf);
    if (def->hierarchy == PAL_HIERARCHY_SPHERE && def->update != PAL_UPDATE_FRONT)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "update %s does not go with hierarchy sphere, all of which is "
                             "refitted in each step",
                             pal_update_name(def->update));
    if (pal_cone_choice((int32_t)def->cone) == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "there is no way %d to merge cones",
                             (int)def->cone);
    if (pal_self_test_choice((int32_t)def->self_test) == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "there is no self-test %d", (int)def->self_test);
    return PAL_OK;
}

PalStatus pal_search_create(const PalContactDef *def, PalContactSurface *surface,
                            const bool *allowed, double reach, PalSearch **search, PalError *error)
{
    PAL_TRY(check_choices(def, error));
    PalSearchWish wish = {def, allowed, reach};
    const PalSearchMethod *method =
        def->hierarchy == PAL_HIERARCHY_SPHERE ? &pal_search_spheres : rows[def->update];
    return pal_search_create_with(method, &wish, surface, search, error);
}

PalStatus pal_search_create_by_patches(const PalContactDef *def, PalContactSurface *surface,
                                       double reach, PalSearch **search, PalError *error)
{
    PalSearchWish wish = {def, NULL, reach};
    PAL_TRY(check_choices(def, error));
    if (def->update != PAL_UPDATE_FRONT || def->hierarchy == PAL_HIERARCHY_SPHERE)
        return pal_search_create(def, surface, NULL, reach, search, error);
    return pal_search_create_with(&pal_search_patches, &wish, surface, search, error);
}

bool pal_search_is_lazy(const PalSearch *search)
{
    return search->state->method->lazy;
}

const PalPlaces *pal_search_places(const PalSearch *search)
{
    return search->state->method->keeps ? &search->state->places : NULL;
}

void pal_search_destroy(PalSearch *search)
{
    if (search == NULL)
        return;
    PalSearchState *state = search->state;
    if (state != NULL) {
        state->method->destroy(search);
        pal_array_clear(&state->pairs);
        pal_free(state->allowed);
        pal_free(state->known);
        pal_free(state->turned);
        pal_free(state->known_since);
        pal_places_clear(&state->places);
    }
    pal_free(state);
    pal_free(search);
}

bool pal_search_turn(PalSearchState *state, const PalContactSurface *surface)
{
    const PalAwake *awake = &surface->awake;
    state->turned_count = 0;
    if (awake->all)
        return false;
    for (int32_t i = 0; i < state->known_count; ++i) {
        int32_t object = state->known[i];
        if (!awake->asleep[object])
            continue;
        state->known_since[object] = PAL_NONE;
        state->turned[state->turned_count++] = object;
    }
    state->known_count = 0;
    for (int32_t i = 0; i < awake->count; ++i) {
        int32_t object = awake->objects[i];
        state->known[state->known_count++] = object;
        if (state->known_since[object] == awake->since[object])
            continue;
        state->known_since[object] = awake->since[object];
        state->turned[state->turned_count++] = object;
        pal_places_forget_object(&state->places, surface, object);
    }
    return state->turned_count > 0;
}

PalStatus pal_search_place(PalSearch *search, const PalContactSurface *surface, PalError *error)
{
    for (int32_t i = 0; i < surface->awake.count; ++i) {
        int32_t object = surface->awake.objects[i];
        for (int32_t v = surface->object_first_vertex[object];
             v < surface->object_first_vertex[object + 1]; ++v) {
            if (!pal_vec3_is_finite(surface->start[v]) || !pal_vec3_is_finite(surface->end[v]))
                return pal_search_lost(search, v, error);
            search->state->places.items[v] = (PalPlace){surface->end[v], search->tolerance};
        }
    }
    return PAL_OK;
}

PalStatus pal_search_update(PalSearch *search, PalContactSurface *surface, int32_t thread_count,
                            PalMeter *meter, PalError *error)
{
    search->lost = PAL_NONE;
    return search->state->method->update(search, surface, thread_count, meter, error);
}

bool pal_search_covers(const PalSearch *search, const PalContactSurface *surface,
                       const int32_t *vertices, int32_t count)
{
    const PalAwake *awake = &surface->awake;
    bool slept =
        awake->holds == NULL || awake->all || awake->holds(awake->context, vertices, count);
    return pal_places_hold_ends(&search->state->places, surface, vertices, count) && slept;
}

void pal_search_pass(PalSearch *search, const PalContactSurface *surface)
{
    PalPlaces *places = &search->state->places;
    for (int32_t i = 0; i < surface->awake.block_count; ++i)
        places->travel[surface->awake.blocks[i]] += surface->stride[surface->awake.blocks[i]];
}

void pal_search_forget(PalSearch *search)
{
    pal_places_forget(&search->state->places);
    if (search->state->method->forget != NULL)
        search->state->method->forget(search);
}
