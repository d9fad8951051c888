#include "contact/surface/surface.h"

#include "base/array.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/ties.h"

#include <stdlib.h>
#include <string.h>

// ---- counting ---------------------------------------------------------------------------

static void count(const PalModel *model, PalContactSurface *surface)
{
    for (int32_t object = 0; object < surface->object_count; ++object) {
        const PalSurfaceObject *of = &surface->objects[object];
        int32_t vertices = 0, facets = 0;
        bool is_free = of->source->is_free != NULL && of->source->is_free(model, of->index);
        surface->object_free[object] = is_free ? surface->free_count : PAL_NONE;
        if (is_free)
            surface->free_object[surface->free_count++] = object;
        of->source->count(model, of->index, &vertices, &facets);
        surface->vertex_count += vertices;
        surface->facet_count += facets;
        if (!of->source->soft)
            continue;
        PAL_ASSERT(object == surface->body_count);  // soft ones come first
        surface->body_count = object + 1;
        surface->soft_vertex_count = surface->vertex_count;
        surface->soft_facet_count = surface->facet_count;
    }
}

static bool allocate_motion(PalContactSurface *surface)
{
    size_t rigids = (size_t)(surface->object_count - surface->body_count);
    surface->block_count = (surface->vertex_count + PAL_VERTEX_BLOCK - 1) / PAL_VERTEX_BLOCK;
    size_t blocks = (size_t)surface->block_count;
    size_t vertices = (size_t)surface->vertex_count;
    surface->placed = pal_alloc(vertices, sizeof *surface->placed);
    surface->normal = pal_alloc(vertices, sizeof *surface->normal);
    surface->bend = pal_alloc(vertices, sizeof *surface->bend);
    surface->normal_stamp = pal_alloc(vertices, sizeof *surface->normal_stamp);
    surface->poses = pal_alloc(rigids, sizeof *surface->poses);
    surface->still = pal_alloc(rigids, sizeof *surface->still);
    surface->arms = pal_alloc(rigids, sizeof *surface->arms);
    surface->block_nodes = pal_alloc(blocks, sizeof *surface->block_nodes);
    surface->block_lever = pal_alloc(blocks, sizeof *surface->block_lever);
    surface->stride = pal_alloc(blocks, sizeof *surface->stride);
    surface->object_stride =
        pal_alloc((size_t)surface->object_count, sizeof *surface->object_stride);
    surface->soft_stride2 =
        pal_alloc((size_t)surface->soft_vertex_count, sizeof *surface->soft_stride2);
    surface->strides_stamp = pal_alloc(blocks, sizeof *surface->strides_stamp);
    return surface->placed != NULL && surface->normal != NULL && surface->bend != NULL &&
           surface->normal_stamp != NULL && surface->poses != NULL && surface->still != NULL &&
           surface->arms != NULL && surface->block_nodes != NULL && surface->block_lever != NULL &&
           surface->stride != NULL && surface->object_stride != NULL &&
           surface->soft_stride2 != NULL && surface->strides_stamp != NULL &&
           pal_awake_create(&surface->awake, surface->object_count, surface->block_count);
}

static bool allocate(PalContactSurface *surface)
{
    size_t vertices = (size_t)surface->vertex_count, facets = (size_t)surface->facet_count;
    size_t objects = (size_t)surface->object_count + 1;
    surface->hold_start = pal_alloc(vertices + 1, sizeof *surface->hold_start);
    surface->prescribed_vertex = pal_alloc(vertices, sizeof *surface->prescribed_vertex);
    surface->vertex_node = pal_alloc(vertices, sizeof *surface->vertex_node);
    surface->vertex_object = pal_alloc(vertices, sizeof *surface->vertex_object);
    surface->vertex_owner = pal_alloc(vertices, sizeof *surface->vertex_owner);
    surface->facets = pal_alloc(facets, sizeof *surface->facets);
    surface->facet_object = pal_alloc(facets, sizeof *surface->facet_object);
    surface->facet_twin = pal_alloc(facets, sizeof *surface->facet_twin);
    surface->facet_edges = pal_alloc(facets, sizeof *surface->facet_edges);
    surface->edges = pal_alloc(3 * facets, sizeof *surface->edges);
    surface->edge_facets = pal_alloc(3 * facets, sizeof *surface->edge_facets);
    surface->edge_corners = pal_alloc(3 * facets, sizeof *surface->edge_corners);
    surface->edge_owner = pal_alloc(3 * facets, sizeof *surface->edge_owner);
    surface->object_first_vertex = pal_alloc(objects, sizeof *surface->object_first_vertex);
    surface->object_first_facet = pal_alloc(objects, sizeof *surface->object_first_facet);
    surface->start = pal_alloc(vertices + 1, sizeof *surface->start);
    surface->end = pal_alloc(vertices + 1, sizeof *surface->end);
    return surface->hold_start != NULL && surface->prescribed_vertex != NULL &&
           surface->vertex_node != NULL && surface->vertex_object != NULL &&
           surface->vertex_owner != NULL && surface->facets != NULL &&
           surface->facet_object != NULL && surface->facet_twin != NULL &&
           surface->facet_edges != NULL && surface->edges != NULL && surface->edge_facets != NULL &&
           surface->edge_corners != NULL && surface->edge_owner != NULL &&
           surface->object_first_vertex != NULL && surface->object_first_facet != NULL &&
           surface->start != NULL && surface->end != NULL && allocate_motion(surface);
}

// ---- filling ----------------------------------------------------------------------------

struct PalSurfaceFiller {
    PalContactSurface *surface;
    int32_t object;
    int32_t vertex, facet;     // added so far
    PAL_ARRAY(PalHold) holds;  // of soft vertices: model nodes
    int32_t *scratch[2];
    bool no_memory;
};

int32_t *pal_filler_scratch(PalSurfaceFiller *filler, int which)
{
    return filler->scratch[which];
}

int32_t pal_filler_add_vertex(PalSurfaceFiller *filler, int32_t node)
{
    PalContactSurface *surface = filler->surface;
    PalHold hold = {node, 1};
    PAL_ASSERT(filler->vertex < surface->vertex_count);
    surface->vertex_node[filler->vertex] = node;
    surface->vertex_object[filler->vertex] = filler->object;
    surface->hold_start[filler->vertex] = filler->holds.count;
    if (!pal_array_push(&filler->holds, hold))
        filler->no_memory = true;
    return filler->vertex++;
}

void pal_filler_hang(PalSurfaceFiller *filler, int32_t count, const int32_t *nodes,
                     const double *weights)
{
    PalContactSurface *surface = filler->surface;
    PAL_ASSERT(filler->vertex > 0 && count > 0);
    filler->holds.count = surface->hold_start[filler->vertex - 1];
    surface->vertex_node[filler->vertex - 1] = nodes[0];
    for (int32_t i = 0; i < count; ++i) {
        PalHold hold = {nodes[i], weights[i]};
        if (!pal_array_push(&filler->holds, hold))
            filler->no_memory = true;
    }
}

void pal_filler_add_facet(PalSurfaceFiller *filler, const int32_t corners[3])
{
    PalContactSurface *surface = filler->surface;
    PAL_ASSERT(filler->facet < surface->facet_count);
    memcpy(surface->facets[filler->facet], corners, sizeof surface->facets[0]);
    surface->facet_twin[filler->facet] = PAL_NONE;
    surface->facet_object[filler->facet++] = filler->object;
}

void pal_filler_add_quad(PalSurfaceFiller *filler, const int32_t corners[4])
{
    int32_t first = filler->facet;
    pal_filler_add_facet(filler, corners);
    pal_filler_add_facet(filler, (int32_t[]){corners[0], corners[2], corners[3]});
    filler->surface->facet_twin[first] = first + 1;
    filler->surface->facet_twin[first + 1] = first;
}

// Vertices of what is prescribed carry themselves; those of a free body hang on its velocity.
static void number_others(PalContactSurface *surface)
{
    int32_t next = surface->node_carrier_count;
    for (int32_t v = surface->soft_vertex_count; v < surface->vertex_count; ++v) {
        if (surface->object_free[surface->vertex_object[v]] != PAL_NONE)
            continue;
        surface->prescribed_vertex[next - surface->node_carrier_count] = v;
        surface->holds[surface->hold_start[v]].carrier = next++;
    }
    surface->first_free_carrier = next;
    surface->carrier_count = next + 2 * surface->free_count;
    for (int32_t v = surface->soft_vertex_count; v < surface->vertex_count; ++v) {
        int32_t number = surface->object_free[surface->vertex_object[v]];
        if (number != PAL_NONE)
            surface->holds[surface->hold_start[v]].carrier = pal_free_carrier(surface, number);
    }
}

// Numbers the nodes that carry anything, ascending.
static bool number_carriers(const PalModel *model, PalContactSurface *surface, int32_t *number)
{
    int32_t soft_holds = surface->hold_start[surface->soft_vertex_count];
    for (int32_t i = 0; i < soft_holds; ++i)
        number[surface->holds[i].carrier] = 1;
    int32_t held = 0;
    for (int32_t n = 0; n < model->node_count; ++n)
        held += number[n];
    surface->plain = soft_holds == surface->soft_vertex_count && soft_holds == held;
    for (int32_t n = 0; surface->deep && n < model->node_count; ++n)
        number[n] = 1;
    for (int32_t n = 0; n < model->node_count; ++n)
        number[n] = number[n] ? surface->node_carrier_count++ : PAL_NONE;
    surface->carrier_node =
        pal_alloc((size_t)surface->node_carrier_count, sizeof *surface->carrier_node);
    surface->expected = pal_alloc((size_t)surface->node_carrier_count, sizeof *surface->expected);
    surface->predicted = pal_alloc((size_t)surface->node_carrier_count, sizeof *surface->predicted);
    surface->is_expected =
        pal_alloc((size_t)surface->node_carrier_count / 64 + 1, sizeof *surface->is_expected);
    if (surface->carrier_node == NULL || surface->expected == NULL || surface->predicted == NULL ||
        surface->is_expected == NULL)
        return false;
    for (int32_t n = 0; n < model->node_count; ++n)
        if (number[n] != PAL_NONE)
            surface->carrier_node[number[n]] = n;
    for (int32_t i = 0; i < soft_holds; ++i)
        surface->holds[i].carrier = number[surface->holds[i].carrier];
    number_others(surface);
    return true;
}

static bool fill(const PalModel *model, PalContactSurface *surface)
{
    size_t nodes = (size_t)model->node_count + 1;
    int32_t *first = pal_alloc(nodes, sizeof *first), *second = pal_alloc(nodes, sizeof *second);
    int32_t *number = pal_alloc(nodes, sizeof *number);
    PalSurfaceFiller filler = {.surface = surface, .scratch = {first, second}};
    bool good = first != NULL && second != NULL && number != NULL;
    for (; good && filler.object < surface->object_count; ++filler.object) {
        const PalSurfaceObject *of = &surface->objects[filler.object];
        surface->object_first_vertex[filler.object] = filler.vertex;
        surface->object_first_facet[filler.object] = filler.facet;
        of->source->fill(model, of->index, &filler);
    }
    PAL_ASSERT(!good ||
               (filler.vertex == surface->vertex_count && filler.facet == surface->facet_count));
    surface->object_first_vertex[surface->object_count] = filler.vertex;
    surface->object_first_facet[surface->object_count] = filler.facet;
    surface->hold_start[filler.vertex] = filler.holds.count;
    surface->holds = pal_copy(filler.holds.items, (size_t)filler.holds.count, sizeof(PalHold));
    good = good && !filler.no_memory && surface->holds != NULL &&
           number_carriers(model, surface, number);
    pal_array_clear(&filler.holds);
    pal_free(first);
    pal_free(second);
    surface->node_carrier = number;
    return good;
}

// ---- edges ------------------------------------------------------------------------------

typedef struct Side {
    int32_t low, high, facet, corner;
} Side;

static int compare_sides(const void *left, const void *right)
{
    const Side *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->facet < b->facet ? -1 : a->facet > b->facet;
}

static bool find_edges(PalContactSurface *surface)
{
    int32_t side_count = 3 * surface->facet_count;
    Side *sides = pal_alloc((size_t)side_count, sizeof *sides);
    if (sides == NULL)
        return false;
    for (int32_t s = 0; s < side_count; ++s) {
        int32_t from = surface->facets[s / 3][s % 3], to = surface->facets[s / 3][(s + 1) % 3];
        sides[s] = (Side){from < to ? from : to, from < to ? to : from, s / 3, s % 3};
    }
    qsort(sides, (size_t)side_count, sizeof *sides, compare_sides);
    for (int32_t s = 0; s < side_count; ++s) {
        const Side *side = &sides[s];
        int32_t edge = surface->edge_count - 1;
        int32_t corner = surface->facets[side->facet][(side->corner + 2) % 3];
        if (s == 0 || side->low != sides[s - 1].low || side->high != sides[s - 1].high) {
            edge = surface->edge_count++;
            surface->edges[edge][0] = side->low;
            surface->edges[edge][1] = side->high;
            surface->edge_facets[edge][0] = surface->edge_owner[edge] = side->facet;
            surface->edge_corners[edge][0] = corner;
            surface->edge_facets[edge][1] = surface->edge_corners[edge][1] = PAL_NONE;
        } else if (surface->edge_facets[edge][1] == PAL_NONE) {
            surface->edge_facets[edge][1] = side->facet;
            surface->edge_corners[edge][1] = corner;
        }
        surface->facet_edges[side->facet][side->corner] = edge;
    }
    pal_free(sides);
    return true;
}

// ---- lists ------------------------------------------------------------------------------

// Rows of `lists` are vertices; item i belongs to the `width` vertices at items + width * i.
static bool invert(PalLists *lists, int32_t vertex_count, const int32_t *items, int32_t item_count,
                   int32_t width)
{
    int64_t total = (int64_t)item_count * width;
    lists->count = vertex_count;
    lists->start = pal_alloc((size_t)vertex_count + 2, sizeof *lists->start);
    lists->items = pal_alloc((size_t)total, sizeof *lists->items);
    if (lists->start == NULL || lists->items == NULL)
        return false;
    int32_t *next = lists->start + 1;  // shifted by one: filling moves each start to its end
    for (int64_t i = 0; i < total; ++i)
        ++next[items[i] + 1];
    for (int32_t v = 0; v < vertex_count; ++v)
        next[v + 1] += next[v];
    for (int64_t i = 0; i < total; ++i)
        lists->items[next[items[i]]++] = (int32_t)(i / width);
    return true;
}

// Whether vertices are nodes; otherwise, which of them hang on each node.
static bool list_hanging(PalContactSurface *surface)
{
    int32_t count = surface->hold_start[surface->soft_vertex_count];
    if (surface->plain)
        return true;
    PalLists *lists = &surface->node_vertices;
    lists->count = surface->node_carrier_count;
    lists->start = pal_alloc((size_t)lists->count + 2, sizeof *lists->start);
    lists->items = pal_alloc((size_t)count, sizeof *lists->items);
    if (lists->start == NULL || lists->items == NULL)
        return false;
    int32_t *next = lists->start + 1;  // as above
    for (int32_t i = 0; i < count; ++i)
        ++next[surface->holds[i].carrier + 1];
    for (int32_t c = 0; c < lists->count; ++c)
        next[c + 1] += next[c];
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v)
        for (int32_t i = surface->hold_start[v]; i < surface->hold_start[v + 1]; ++i)
            lists->items[next[surface->holds[i].carrier]++] = v;
    return true;
}

static void clear_lists(PalLists *lists)
{
    pal_free(lists->start);
    pal_free(lists->items);
}

static void measure(PalContactSurface *surface)
{
    surface->shortest = INFINITY;
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        double length = pal_vec3_distance(surface->start[surface->edges[e][0]],
                                          surface->start[surface->edges[e][1]]);
        surface->shortest = fmin(surface->shortest, length);
        surface->longest = fmax(surface->longest, length);
    }
}

static PalStatus build(const PalModel *model, PalContactSurface *surface)
{
    count(model, surface);
    if (!allocate(surface) || !fill(model, surface))
        return PAL_NO_MEMORY;
    if (!list_hanging(surface) || !find_edges(surface) ||
        !invert(&surface->vertex_facets, surface->vertex_count, surface->facets[0],
                surface->facet_count, 3) ||
        !invert(&surface->vertex_edges, surface->vertex_count, surface->edges[0],
                surface->edge_count, 2))
        return PAL_NO_MEMORY;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        int32_t first = surface->vertex_facets.start[v];
        bool used = first < surface->vertex_facets.start[v + 1];
        surface->vertex_owner[v] = used ? surface->vertex_facets.items[first] : PAL_NONE;
    }
    pal_contact_surface_measure_blocks(model, surface);
    return PAL_OK;
}

static PalStatus create_of(const PalSurfaceObject *objects, int32_t object_count, bool deep,
                           const PalModel *model, PalContactSurface **result, PalError *error)
{
    *result = NULL;
    PalContactSurface *surface = pal_alloc(1, sizeof *surface);
    PalStatus status = PAL_NO_MEMORY;
    if (surface != NULL) {
        surface->object_count = object_count;
        surface->deep = deep;
        surface->ties = model->ties;
        surface->objects = pal_copy(objects, (size_t)object_count, sizeof *objects);
        surface->object_free = pal_alloc((size_t)object_count, sizeof *surface->object_free);
        surface->free_object = pal_alloc((size_t)object_count, sizeof *surface->free_object);
        if (surface->objects != NULL && surface->object_free != NULL &&
            surface->free_object != NULL)
            status = build(model, surface);
    }
    if (status != PAL_OK) {
        pal_contact_surface_destroy(surface);
        return pal_error_set(error, status, "no memory for the contact surfaces");
    }
    pal_contact_surface_place(surface, model, NULL, NULL);
    measure(surface);
    pal_contact_surface_validate(surface);
    *result = surface;
    return PAL_OK;
}

PalStatus pal_contact_surface_create_of(const PalSurfaceObject *objects, int32_t object_count,
                                        const PalModel *model, PalContactSurface **surface,
                                        PalError *error)
{
    return create_of(objects, object_count, false, model, surface, error);
}

static PalStatus create_all(const PalModel *model, bool deep, PalContactSurface **surface,
                            PalError *error)
{
    int32_t object_count = model->body_count + model->rigid_count;
    *surface = NULL;
    PalSurfaceObject *objects = pal_alloc((size_t)object_count, sizeof *objects);
    if (objects == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the contact surfaces");
    for (int32_t b = 0; b < model->body_count; ++b)
        objects[b] = (PalSurfaceObject){
            model->bodies[b].thickness != NULL ? &pal_source_membrane : &pal_source_soft, b};
    for (int32_t r = 0; r < model->rigid_count; ++r)
        objects[model->body_count + r] = (PalSurfaceObject){&pal_source_rigid, r};
    PalStatus status = create_of(objects, object_count, deep, model, surface, error);
    pal_free(objects);
    return status;
}

PalStatus pal_contact_surface_create(const PalModel *model, PalContactSurface **surface,
                                     PalError *error)
{
    return create_all(model, false, surface, error);
}

PalStatus pal_contact_surface_create_deep(const PalModel *model, PalContactSurface **surface,
                                          PalError *error)
{
    return create_all(model, true, surface, error);
}

// Is a node attached to a facet with this corner?
static bool hangs_on(const PalTies *ties, int32_t node, int32_t corner)
{
    int32_t tie = pal_ties_find(ties, node);
    return tie != PAL_NONE && (ties->facet[tie][0] == corner || ties->facet[tie][1] == corner ||
                               ties->facet[tie][2] == corner);
}

bool pal_contact_surface_tied(const PalContactSurface *surface, int32_t a, int32_t b)
{
    if (surface->ties == NULL || a >= surface->soft_vertex_count || b >= surface->soft_vertex_count)
        return false;
    int32_t first = surface->vertex_node[a], second = surface->vertex_node[b];
    return hangs_on(surface->ties, first, second) || hangs_on(surface->ties, second, first);
}

static bool follow(const PalContactSurface *surface, const int32_t *vertices, int count,
                   int32_t other)
{
    int32_t object = surface->vertex_object[other];
    for (int k = 0; k < count; ++k) {
        int32_t tie = vertices[k] < surface->soft_vertex_count
                          ? pal_ties_find(surface->ties, surface->vertex_node[vertices[k]])
                          : PAL_NONE;
        if (tie == PAL_NONE || object >= surface->body_count ||
            surface->ties->body[tie] != surface->objects[object].index)
            return false;
    }
    return true;
}

bool pal_contact_surface_follows(const PalContactSurface *surface, const int32_t vertices[4],
                                 int split)
{
    return surface->ties != NULL && (follow(surface, vertices, split, vertices[split]) ||
                                     follow(surface, vertices + split, 4 - split, vertices[0]));
}

void pal_contact_surface_destroy(PalContactSurface *surface)
{
    if (surface == NULL)
        return;
    pal_free(surface->objects);
    pal_free(surface->object_free);
    pal_free(surface->free_object);
    pal_free(surface->prescribed_vertex);
    pal_free(surface->carrier_node);
    pal_free(surface->expected);
    pal_free(surface->predicted);
    pal_free(surface->is_expected);
    pal_free(surface->node_carrier);
    pal_free(surface->hold_start);
    pal_free(surface->holds);
    pal_free(surface->vertex_node);
    pal_free(surface->vertex_object);
    pal_free(surface->vertex_owner);
    pal_free(surface->facets);
    pal_free(surface->facet_object);
    pal_free(surface->facet_twin);
    pal_free(surface->facet_edges);
    pal_free(surface->edges);
    pal_free(surface->edge_facets);
    pal_free(surface->edge_corners);
    pal_free(surface->edge_owner);
    pal_free(surface->object_first_vertex);
    pal_free(surface->object_first_facet);
    pal_free(surface->start);
    pal_free(surface->end);
    pal_free(surface->placed);
    pal_free(surface->normal);
    pal_free(surface->bend);
    pal_free(surface->normal_stamp);
    pal_free(surface->poses);
    pal_free(surface->still);
    pal_free(surface->arms);
    pal_free(surface->block_nodes);
    pal_free(surface->block_lever);
    pal_free(surface->stride);
    pal_free(surface->object_stride);
    pal_free(surface->soft_stride2);
    pal_free(surface->strides_stamp);
    pal_awake_clear(&surface->awake);
    clear_lists(&surface->vertex_facets);
    clear_lists(&surface->vertex_edges);
    clear_lists(&surface->node_vertices);
    pal_free(surface);
}
