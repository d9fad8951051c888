// What two patches have near each other, by distances.
#include "contact/response/lagrange/lists.h"
#include "math/vec3.h"

#include <string.h>

enum { VERTEX_FACET, FACET_VERTEX, EDGE_EDGE };  // the order in a list

static int32_t index_of(const int32_t three[3], int32_t item)
{
    return three[0] == item ? 0 : three[1] == item ? 1 : 2;
}

static PalCandidate vertex_facet(const PalListing *listing, int32_t vertex, int32_t facet)
{
    const PalContactSurface *surface = listing->surface;
    const int32_t *corners = surface->facets[facet];
    int32_t from = surface->vertex_owner[vertex];
    int32_t k = index_of(surface->facets[from], vertex);
    return (PalCandidate){
        .pair = {from < facet ? from : facet, from < facet ? facet : from},
        .place = from < facet ? k : 3 + k,
        .features = {.kind = PAL_CONTACT_NODE_FACET,
                     .items = {vertex, facet},
                     .vertices = {vertex, corners[0], corners[1], corners[2]}},
        .friction = listing->friction,
    };
}

static PalCandidate edge_edge(const PalListing *listing, int32_t one, int32_t other)
{
    const PalContactSurface *surface = listing->surface;
    bool swap = surface->edge_owner[one] > surface->edge_owner[other];
    int32_t a = swap ? other : one, b = swap ? one : other;
    int32_t f = surface->edge_owner[a], g = surface->edge_owner[b];
    const int32_t *p = surface->edges[a], *q = surface->edges[b];
    return (PalCandidate){
        .pair = {f, g},
        .place =
            6 + 3 * index_of(surface->facet_edges[f], a) + index_of(surface->facet_edges[g], b),
        .features = {.kind = PAL_CONTACT_EDGE_EDGE,
                     .items = {a, b},
                     .vertices = {p[0], p[1], q[0], q[1]}},
        .friction = listing->friction,
    };
}

static bool share_a_vertex(const PalContactSurface *surface, const int32_t v[4], int split)
{
    for (int i = 0; i < split; ++i)
        for (int j = split; j < 4; ++j)
            if (pal_contact_surface_same(surface, v[i], v[j]))
                return true;
    return false;
}

// Two sides: from the second to the first in a direction along which they are so far apart, at
// least.
typedef struct Apart {
    PalVec3 direction;
    double least;
} Apart;

// Is the shortest way from a facet to a vertex no longer than lists reach? Written so that what is
// no number is listed.
static bool is_near(const PalListing *listing, PalVec3 way, Apart *apart)
{
    double square = (1 - PAL_LISTING_ROUNDING) * pal_vec3_dot(way, way);
    if (square > listing->far * listing->far)
        return false;
    apart->least = pal_vec3_length(way);
    apart->direction = apart->least > 0 ? pal_vec3_scale(1 / apart->least, way) : pal_vec3(0, 0, 0);
    return true;
}

// The same of two edges, of which a way that is shortest or nearly so was found in floats.
static Apart apart_of(const PalListing *listing, const PalWay *found, bool swapped)
{
    PalVec3 way = {(double)found->way[0], (double)found->way[1], (double)found->way[2]};
    double length = pal_vec3_length(way);
    if (!(length > 0))
        return (Apart){{0, 0, 0}, 0};
    return (Apart){pal_vec3_scale((swapped ? -1 : 1) / length, way),
                   (double)found->along / length - listing->blur};
}

static void add(PalListing *listing, const PalCandidate *candidate, const Apart *apart,
                uint64_t turn)
{
    PalListedOnes *plain = &listing->found->plain, *flat = &listing->found->flat;
    const PalFeatures *features = &candidate->features;
    int split = pal_kind_split(features->kind);
    if (pal_contact_surface_follows(listing->surface, features->vertices, split))
        return;
    bool is_flat = pal_lagrange_is_flat(listing->contact, listing->lagrange, features);
    if (!(is_flat ? pal_array_reserve(flat, 1) : pal_array_reserve(plain, 1))) {
        listing->found->no_memory = true;
        return;
    }
    PalListed *one = is_flat ? &flat->items[flat->count++] : &plain->items[plain->count++];
    const PalSkin *skin = listing->contact->skin;
    one->item = *candidate;
    one->key = pal_candidate_key(listing->surface, candidate);
    one->turn = turn | (uint64_t)is_flat << 62;
    PalLook *look = &one->look;
    *look = (PalLook){
        .direction = apart->direction,
        .group = listing->index,
        .row = PAL_ASLEEP,
        .split = (int16_t)split,
        .flat = is_flat,
        .owned = split == 1 ? listing->lagrange->owned[features->items[1]] : 0,
    };
    memcpy(look->vertices, features->vertices, sizeof look->vertices);
    if (skin != NULL && split == 1)
        look->skin = (float)((1 + 1e-6) * pal_skin_most(skin, look->vertices));
    one->wake = listing->group->odometer + (1 - PAL_LISTING_ROUNDING) * apart->least -
                pal_look_margin(listing->contact, look);
}

static uint64_t turn_of(int kind, int32_t i, int32_t j)
{
    return (uint64_t)kind << 60 | (uint64_t)i << 30 | (uint64_t)j;
}

// What fills a row up meets boxes without end, which numbers too large for floats have.
static bool is_filling(int32_t i, int32_t j)
{
    return i == PAL_NONE || j == PAL_NONE;
}

// Vertices and facets that may be near: shortest ways are found four at a time.
typedef struct Tried {
    int count;
    int32_t facets[PAL_LANES];
    int32_t vertices[PAL_LANES][4];
    uint64_t turns[PAL_LANES];
} Tried;

// Lists those that are near, in their order.
static void list_tried(PalListing *listing, Tried *tried)
{
    const int32_t *vertices[PAL_LANES];
    PalVec3 ways[PAL_LANES];
    for (int k = 0; k < PAL_LANES; ++k)
        vertices[k] = tried->vertices[k < tried->count ? k : 0];
    pal_shortest_ways(PAL_CONTACT_NODE_FACET, listing->surface->start, vertices, ways);
    for (int k = 0; k < tried->count; ++k) {
        Apart apart;
        if (!is_near(listing, ways[k], &apart))
            continue;
        PalCandidate candidate = vertex_facet(listing, vertices[k][0], tried->facets[k]);
        add(listing, &candidate, &apart, tried->turns[k]);
    }
    tried->count = 0;
}

// Vertices of one side with facets of the other.
static void try_vertices(PalListing *listing, const PalSide *from, const PalSide *to, int kind)
{
    const int32_t *vertices = listing->cut->vertices.items, *facets = listing->cut->facets.items;
    const PalContactSurface *surface = listing->surface;
    Tried tried;
    tried.count = 0;
    pal_listing_compare(listing, from, to, false);
    for (int32_t h = 0; h < listing->finder->hits.count; ++h) {
        uint32_t hit = listing->finder->hits.items[h];
        int32_t i = from->places[hit >> 16], j = to->places[hit & UINT16_MAX];
        if (is_filling(i, j))
            continue;
        int32_t vertex = vertices[i], facet = facets[j];
        const int32_t *corners = surface->facets[facet];
        const int32_t four[4] = {vertex, corners[0], corners[1], corners[2]};
        if (surface->vertex_owner[vertex] == PAL_NONE ||
            (!surface->plain && share_a_vertex(surface, four, 1)))
            continue;
        memcpy(tried.vertices[tried.count], four, sizeof four);
        tried.facets[tried.count] = facet;
        tried.turns[tried.count++] = turn_of(kind, i, j);
        if (tried.count == PAL_LANES)
            list_tried(listing, &tried);
    }
    if (tried.count > 0)
        list_tried(listing, &tried);
}

static void try_edges(PalListing *listing, const PalSide *from, const PalSide *to)
{
    const int32_t *edges = listing->cut->edges.items;
    const PalContactSurface *surface = listing->surface;
    bool same = listing->group->patches[0] == listing->group->patches[1];
    pal_listing_compare(listing, from, to, true);
    for (int32_t h = 0; h < listing->finder->hits.count; ++h) {
        uint32_t hit = listing->finder->hits.items[h];
        int32_t i = from->places[hit >> 16], j = to->places[hit & UINT16_MAX];
        if (is_filling(i, j))
            continue;
        const int32_t *p = surface->edges[edges[i]], *q = surface->edges[edges[j]];
        const int32_t four[4] = {p[0], p[1], q[0], q[1]};
        if ((same && j <= i) || (!surface->plain && share_a_vertex(surface, four, 2)))
            continue;
        PalCandidate candidate = edge_edge(listing, edges[i], edges[j]);
        bool swapped = candidate.features.items[0] != edges[i];
        Apart apart = apart_of(listing, &listing->finder->ways.items[h], swapped);
        add(listing, &candidate, &apart, turn_of(EDGE_EDGE, i, j));
    }
}

void pal_listing_find_near(PalListing *listing)
{
    const PalSide *sides = listing->finder->sides;
    const int32_t *patches = listing->group->patches;
    if (!pal_listing_find_sides(listing)) {
        listing->found->no_memory = true;
        return;
    }
    try_vertices(listing, &sides[0], &sides[1], VERTEX_FACET);
    if (patches[0] != patches[1])
        try_vertices(listing, &sides[1], &sides[0], FACET_VERTEX);
    try_edges(listing, &sides[0], &sides[1]);
}
