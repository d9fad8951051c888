#include "base/memory.h"
#include "contact/search_state.h"
#include "math/vec3.h"

#define WATCHED   0.1  // pairs nearer than this part of a mean edge are listed
#define SLACK     0.1  // how far a vertex may move until its pairs are looked for again
#define TOLERANCE 0.2  // part of the slack that is left when a step is predicted

PalStatus pal_search_no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for the contact search");
}

PalStatus pal_search_lost(int32_t vertex, PalError *error)
{
    return pal_error_set(error, PAL_SIM_FAILED, "vertex %d of the contact surfaces is nowhere",
                         vertex);
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

static bool fill(PalSearch *search, const PalContactSurface *surface, const bool *allowed)
{
    PalSearchState *state = search->state;
    size_t objects = (size_t)surface->object_count, vertices = (size_t)surface->vertex_count;
    double edge = mean_edge(surface);
    search->margin = fmax(WATCHED * edge, 2 * state->def.separation);
    state->places.count = surface->vertex_count;
    state->places.slack = SLACK * edge;
    state->places.tolerance = search->tolerance = TOLERANCE * SLACK * edge;
    state->object_count = surface->object_count;
    state->allowed = pal_copy(allowed, objects * objects, sizeof *allowed);
    // two instruments never give way to each other
    for (size_t a = (size_t)surface->body_count; state->allowed != NULL && a < objects; ++a)
        for (size_t b = (size_t)surface->body_count; b < objects; ++b)
            state->allowed[a * objects + b] = false;
    state->places.items = pal_alloc(vertices, sizeof *state->places.items);
    return state->allowed != NULL && state->places.items != NULL;
}

PalStatus pal_search_create_with(const PalSearchMethod *method, const PalContactDef *def,
                                 const PalContactSurface *surface, const bool *allowed,
                                 PalSearch **result, PalError *error)
{
    *result = NULL;
    PalSearch *search = pal_alloc(1, sizeof *search);
    if (search == NULL)
        return pal_search_no_memory(error);
    PalSearchState *state = search->state = pal_alloc(1, sizeof *state);
    PalStatus status = PAL_NO_MEMORY;
    if (state != NULL) {
        state->def = *def;
        state->def.pairs = NULL;
        state->def.pair_count = 0;
        state->method = method;
        if (fill(search, surface, allowed))
            status = method->create(search, surface, error);
    }
    if (status != PAL_OK) {
        pal_search_destroy(search);
        return status == PAL_NO_MEMORY ? pal_search_no_memory(error) : status;
    }
    *result = search;
    return PAL_OK;
}

PalStatus pal_search_create(const PalContactDef *def, const PalContactSurface *surface,
                            const bool *allowed, PalSearch **search, PalError *error)
{
    return pal_search_create_with(&pal_search_front, def, surface, allowed, search, error);
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
        pal_free(state->places.items);
    }
    pal_free(state);
    pal_free(search);
}

PalStatus pal_search_update(PalSearch *search, const PalContactSurface *surface,
                            int32_t thread_count, PalCounters *counters, PalProfile *profile,
                            PalError *error)
{
    return search->state->method->update(search, surface, thread_count, counters, profile, error);
}

bool pal_search_covers(const PalSearch *search, const PalContactSurface *surface)
{
    const PalPlaces *places = &search->state->places;
    for (int32_t v = 0; v < places->count; ++v) {
        PalVec3 away = pal_vec3_sub(surface->end[v], places->items[v].centre);
        double radius = places->items[v].radius;
        if (!(pal_vec3_dot(away, away) <= radius * radius))
            return false;
    }
    return true;
}
