#include "contact/surface/surface.h"

#include "base/memory.h"
#include "math/range.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

// ---- counting ---------------------------------------------------------------------------

static int32_t triangles_of(const PalSurface *surface)
{
    return surface->facet_count * (surface->corner_count - 2);
}

static void count(const PalModel *model, PalContactSurface *surface)
{
    surface->body_count = model->body_count;
    surface->object_count = model->body_count + model->rigid_count;
    for (int32_t b = 0; b < model->body_count; ++b) {
        surface->vertex_count += model->bodies[b].surface->node_count;
        surface->facet_count += triangles_of(model->bodies[b].surface);
    }
    surface->soft_vertex_count = surface->vertex_count;
    surface->soft_facet_count = surface->facet_count;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        surface->vertex_count += model->rigids[r].mesh->node_count;
        surface->facet_count += model->rigids[r].mesh->cell_count;
    }
    surface->carrier_count = surface->vertex_count;
}

static bool allocate_motion(PalContactSurface *surface)
{
    size_t rigids = (size_t)(surface->object_count - surface->body_count);
    surface->block_count = (surface->vertex_count + PAL_VERTEX_BLOCK - 1) / PAL_VERTEX_BLOCK;
    size_t blocks = (size_t)surface->block_count;
    surface->placed = pal_alloc((size_t)surface->vertex_count, sizeof *surface->placed);
    surface->poses = pal_alloc(rigids, sizeof *surface->poses);
    surface->arms = pal_alloc(rigids, sizeof *surface->arms);
    surface->block_nodes = pal_alloc(blocks, sizeof *surface->block_nodes);
    surface->stride = pal_alloc(blocks, sizeof *surface->stride);
    return surface->placed != NULL && surface->poses != NULL && surface->arms != NULL &&
           surface->block_nodes != NULL && surface->stride != NULL;
}

static bool allocate(PalContactSurface *surface)
{
    size_t vertices = (size_t)surface->vertex_count, facets = (size_t)surface->facet_count;
    size_t objects = (size_t)surface->object_count + 1;
    surface->vertex_node = pal_alloc(vertices, sizeof *surface->vertex_node);
    surface->vertex_object = pal_alloc(vertices, sizeof *surface->vertex_object);
    surface->vertex_owner = pal_alloc(vertices, sizeof *surface->vertex_owner);
    surface->facets = pal_alloc(facets, sizeof *surface->facets);
    surface->facet_object = pal_alloc(facets, sizeof *surface->facet_object);
    surface->facet_twin = pal_alloc(facets, sizeof *surface->facet_twin);
    surface->facet_edges = pal_alloc(facets, sizeof *surface->facet_edges);
    surface->edges = pal_alloc(3 * facets, sizeof *surface->edges);
    surface->edge_facets = pal_alloc(3 * facets, sizeof *surface->edge_facets);
    surface->edge_owner = pal_alloc(3 * facets, sizeof *surface->edge_owner);
    surface->object_first_vertex = pal_alloc(objects, sizeof *surface->object_first_vertex);
    surface->object_first_facet = pal_alloc(objects, sizeof *surface->object_first_facet);
    surface->start = pal_alloc(vertices + 1, sizeof *surface->start);
    surface->end = pal_alloc(vertices + 1, sizeof *surface->end);
    return surface->vertex_node != NULL && surface->vertex_object != NULL &&
           surface->vertex_owner != NULL && surface->facets != NULL &&
           surface->facet_object != NULL && surface->facet_twin != NULL &&
           surface->facet_edges != NULL && surface->edges != NULL && surface->edge_facets != NULL &&
           surface->edge_owner != NULL && surface->object_first_vertex != NULL &&
           surface->object_first_facet != NULL && surface->start != NULL && surface->end != NULL &&
           allocate_motion(surface);
}

// ---- facets -----------------------------------------------------------------------------

static void add_facet(PalContactSurface *surface, int32_t *facet, int32_t object,
                      const int32_t corners[3])
{
    memcpy(surface->facets[*facet], corners, sizeof surface->facets[0]);
    surface->facet_twin[*facet] = PAL_NONE;
    surface->facet_object[(*facet)++] = object;
}

static void count_facets(const PalSurface *skin, int32_t *facets_at)
{
    for (int32_t i = 0; i < skin->node_count; ++i)
        facets_at[skin->nodes[i]] = 0;
    for (int64_t i = 0; i < (int64_t)skin->facet_count * skin->corner_count; ++i)
        ++facets_at[skin->facets[i]];
}

// Where the diagonal of a quadrilateral starts. A node where few facets meet, as at the corner of a
// block, should be part of one triangle rather than two: it can be pushed by a row of its own
// beside what is its share of those triangles, but not by less than that.
static int diagonal_of(const int32_t corners[4], const int32_t *facets_at)
{
    const int32_t count[4] = {facets_at[corners[0]], facets_at[corners[1]], facets_at[corners[2]],
                              facets_at[corners[3]]};
    return pal_min(count[0], count[2]) < pal_min(count[1], count[3]);
}

// vertex_of, facets_at: scratch, per model node.
static void add_bodies(const PalModel *model, PalContactSurface *surface, int32_t *vertex_of,
                       int32_t *facets_at)
{
    int32_t vertex = 0, facet = 0;
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        const PalSurface *skin = body->surface;
        surface->object_first_vertex[b] = vertex;
        surface->object_first_facet[b] = facet;
        for (int32_t i = 0; i < skin->node_count; ++i) {
            int32_t node = body->first_node + skin->nodes[i];
            vertex_of[node] = vertex;
            surface->vertex_node[vertex] = node;
            surface->vertex_object[vertex++] = b;
        }
        count_facets(skin, facets_at);
        for (int32_t i = 0; i < skin->facet_count; ++i) {
            const int32_t *corners = skin->facets + (int64_t)i * skin->corner_count;
            int32_t quad[4] = {0, 0, 0, 0};
            int first = skin->corner_count == 4 ? diagonal_of(corners, facets_at) : 0;
            for (int32_t a = 0; a < skin->corner_count; ++a)
                quad[a] = vertex_of[body->first_node + corners[(a + first) % skin->corner_count]];
            add_facet(surface, &facet, b, quad);
            if (skin->corner_count == 4) {
                add_facet(surface, &facet, b, (int32_t[]){quad[0], quad[2], quad[3]});
                surface->facet_twin[facet - 2] = facet - 1;
                surface->facet_twin[facet - 1] = facet - 2;
            }
        }
    }
}

static void add_rigids(const PalModel *model, PalContactSurface *surface)
{
    int32_t vertex = surface->soft_vertex_count, facet = surface->soft_facet_count;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalMesh *mesh = model->rigids[r].mesh;
        int32_t object = model->body_count + r, first = vertex;
        surface->object_first_vertex[object] = vertex;
        surface->object_first_facet[object] = facet;
        for (int32_t n = 0; n < mesh->node_count; ++n) {
            surface->vertex_node[vertex] = n;
            surface->vertex_object[vertex++] = object;
        }
        for (int32_t c = 0; c < mesh->cell_count; ++c) {
            const int32_t *cell = mesh->cells + 3 * (int64_t)c;
            add_facet(surface, &facet, object,
                      (int32_t[]){first + cell[0], first + cell[1], first + cell[2]});
        }
    }
    surface->object_first_vertex[surface->object_count] = vertex;
    surface->object_first_facet[surface->object_count] = facet;
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
        if (s == 0 || side->low != sides[s - 1].low || side->high != sides[s - 1].high) {
            edge = surface->edge_count++;
            surface->edges[edge][0] = side->low;
            surface->edges[edge][1] = side->high;
            surface->edge_facets[edge][0] = surface->edge_owner[edge] = side->facet;
            surface->edge_facets[edge][1] = PAL_NONE;
        } else if (surface->edge_facets[edge][1] == PAL_NONE) {
            surface->edge_facets[edge][1] = side->facet;
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
    int32_t *vertex_of = pal_alloc((size_t)model->node_count, sizeof *vertex_of);
    int32_t *facets_at = pal_alloc((size_t)model->node_count, sizeof *facets_at);
    if (vertex_of == NULL || facets_at == NULL || !allocate(surface)) {
        pal_free(vertex_of);
        pal_free(facets_at);
        return PAL_NO_MEMORY;
    }
    add_bodies(model, surface, vertex_of, facets_at);
    add_rigids(model, surface);
    pal_free(vertex_of);
    pal_free(facets_at);
    if (!find_edges(surface) ||
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

PalStatus pal_contact_surface_create(const PalModel *model, PalContactSurface **result,
                                     PalError *error)
{
    *result = NULL;
    PalContactSurface *surface = pal_alloc(1, sizeof *surface);
    PalStatus status = surface == NULL ? PAL_NO_MEMORY : build(model, surface);
    if (status != PAL_OK) {
        pal_contact_surface_destroy(surface);
        return pal_error_set(error, status, "no memory for the contact surfaces");
    }
    pal_contact_surface_place(surface, model, NULL, 0);
    measure(surface);
    *result = surface;
    return PAL_OK;
}

void pal_contact_surface_destroy(PalContactSurface *surface)
{
    if (surface == NULL)
        return;
    pal_free(surface->vertex_node);
    pal_free(surface->vertex_object);
    pal_free(surface->vertex_owner);
    pal_free(surface->facets);
    pal_free(surface->facet_object);
    pal_free(surface->facet_twin);
    pal_free(surface->facet_edges);
    pal_free(surface->edges);
    pal_free(surface->edge_facets);
    pal_free(surface->edge_owner);
    pal_free(surface->object_first_vertex);
    pal_free(surface->object_first_facet);
    pal_free(surface->start);
    pal_free(surface->end);
    pal_free(surface->placed);
    pal_free(surface->poses);
    pal_free(surface->arms);
    pal_free(surface->block_nodes);
    pal_free(surface->stride);
    clear_lists(&surface->vertex_facets);
    clear_lists(&surface->vertex_edges);
    pal_free(surface);
}
