// What two patches have near each other: boxes first, eight at a time, then distances.
#include "base/memory.h"
#include "contact/response/lagrange/lists.h"
#include "math/float4.h"
#include "math/lanes.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define ROW 8  // boxes that are compared at once

// Vectors are handed over by code of the same instruction set only.
#define INLINE inline __attribute__((always_inline))

enum { VERTICES, FACETS, EDGES, KINDS };

enum { AXES = 3 };

PalStatus pal_lister_create(PalLister *lister, const PalCut *cut, PalError *error)
{
    const PalLists *lists[KINDS] = {&cut->vertices, &cut->facets, &cut->edges};
    lister->most = KINDS * ROW;
    lister->most_around = 1;
    for (int32_t p = 0; p < cut->count; ++p) {
        size_t count = KINDS * ROW;
        for (int kind = 0; kind < KINDS; ++kind)
            count += (size_t)(lists[kind]->start[p + 1] - lists[kind]->start[p]);
        lister->most = count > lister->most ? count : lister->most;
        size_t around = (size_t)(cut->around.start[p + 1] - cut->around.start[p]);
        lister->most_around = around > lister->most_around ? around : lister->most_around;
    }
    bool good = lister->most <= UINT16_MAX && pal_lister_finders(lister, 1) == 1;
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

static void clear_finder(PalFinder *finder)
{
    for (int s = 0; s < 2; ++s) {
        pal_free(finder->sides[s].places);
        pal_free(finder->sides[s].around);
        pal_free(finder->sides[s].boxes);
        pal_free(finder->sides[s].beyond);
        for (int k = 0; k < 2 * AXES; ++k)
            pal_free(finder->sides[s].bounds[k / AXES][k % AXES]);
    }
    pal_array_clear(&finder->hits);
    *finder = (PalFinder){0};
}

static bool create_finder(const PalLister *lister, PalFinder *finder)
{
    bool good = true;
    for (int s = 0; s < 2; ++s) {
        PalSide *side = &finder->sides[s];
        side->places = pal_alloc(lister->most, sizeof *side->places);
        side->around = pal_alloc(lister->most_around, sizeof *side->around);
        side->boxes = pal_alloc(lister->most_around, sizeof *side->boxes);
        side->beyond = pal_alloc(lister->most_around, sizeof *side->beyond);
        good = good && side->places != NULL && side->around != NULL && side->boxes != NULL &&
               side->beyond != NULL;
        for (int k = 0; k < 2 * AXES; ++k) {
            float *bounds = pal_alloc(lister->most, sizeof *bounds);
            side->bounds[k / AXES][k % AXES] = bounds;
            good = good && bounds != NULL;
        }
    }
    if (!good)
        clear_finder(finder);
    return good;
}

int32_t pal_lister_finders(PalLister *lister, int32_t thread_count)
{
    int32_t count = 0, most = thread_count < PAL_FINDERS ? thread_count : PAL_FINDERS;
    while (count < most && (lister->finders[count].sides[0].places != NULL ||
                            create_finder(lister, &lister->finders[count])))
        ++count;
    return count;
}

void pal_lister_clear(PalLister *lister)
{
    for (int f = 0; f < PAL_FINDERS; ++f)
        clear_finder(&lister->finders[f]);
    for (int i = 0; i < PAL_FOUND_LISTS; ++i) {
        pal_array_clear(&lister->found[i].plain);
        pal_array_clear(&lister->found[i].flat);
        pal_array_clear(&lister->found[i].all);
    }
    pal_array_clear(&lister->kept);
    *lister = (PalLister){0};
}

// ---- what is near -----------------------------------------------------------------------

static PalBox grown(PalBox box, PalFloat4 room)
{
    return (PalBox){pal_float4_lower(pal_float4_lower(box.lower) - room),
                    pal_float4_upper(pal_float4_upper(box.upper) + room)};
}

// Where the vertices around a patch are, and their box.
static PalBox find_around(const PalListing *listing, int32_t patch, PalSide *side)
{
    const PalLists *list = &listing->cut->around;
    int32_t first = list->start[patch], count = list->start[patch + 1] - first;
    for (int32_t k = 0; k < count; ++k)
        side->around[k] = pal_float4(
            pal_vec3_sub(listing->surface->start[list->items[first + k]], listing->origin));
    PalBox box = {side->around[0], side->around[0]};
    for (int32_t k = 1; k < count; ++k) {
        box.lower = pal_float4_min(box.lower, side->around[k]);
        box.upper = pal_float4_max(box.upper, side->around[k]);
    }
    return box;
}

// Boxes around vertices with so much room. What has all its vertices beyond one side of the other
// patch's box does not meet it.
static void find_beyond(const PalListing *listing, int32_t patch, const PalBox *box, PalFloat4 room,
                        PalSide *side)
{
    const PalLists *list = &listing->cut->around;
    for (int32_t k = 0; k < list->start[patch + 1] - list->start[patch]; ++k) {
        PalFloat4 at = side->around[k];
        PalInt4 bits = ((PalInt4)(at < box->lower) & (PalInt4){1, 2, 4, 0}) |
                       ((PalInt4)(at > box->upper) & (PalInt4){8, 16, 32, 0});
        side->beyond[k] = (uint8_t)(bits[0] | bits[1] | bits[2]);
        side->boxes[k] = grown((PalBox){at, at}, room);
    }
}

static INLINE void add_to_side(PalSide *side, int32_t *count, int32_t place, PalBox box)
{
    for (int axis = 0; axis < AXES; ++axis) {
        side->bounds[0][axis][*count] = box.lower[axis];
        side->bounds[1][axis][*count] = box.upper[axis];
    }
    side->places[(*count)++] = place;
}

static INLINE void fill_row(PalSide *side, int32_t *count)
{
    const PalFloat4 endless = {INFINITY, INFINITY, INFINITY, INFINITY};
    while (*count % ROW != 0)
        add_to_side(side, count, PAL_NONE, (PalBox){endless, -endless});
}

static INLINE PalBox join(PalBox a, PalBox b)
{
    return (PalBox){pal_float4_min(a.lower, b.lower), pal_float4_max(a.upper, b.upper)};
}

// What one patch has near the box of the other.
PAL_CLONES static void find_side(const PalCut *cut, int32_t patch, PalSide *side)
{
    const PalBox *boxes = side->boxes;
    const uint8_t *beyond = side->beyond;
    int32_t count = 0, first = cut->vertices.start[patch];
    side->start[VERTICES] = count;
    for (int32_t k = first; k < cut->vertices.start[patch + 1]; ++k)
        if (beyond[k - first] == 0)
            add_to_side(side, &count, k, boxes[k - first]);
    fill_row(side, &count);
    side->start[FACETS] = count;
    for (int32_t k = cut->facets.start[patch]; k < cut->facets.start[patch + 1]; ++k) {
        const int32_t *c = cut->corners[k];
        if ((beyond[c[0]] & beyond[c[1]] & beyond[c[2]]) == 0)
            add_to_side(side, &count, k, join(boxes[c[0]], join(boxes[c[1]], boxes[c[2]])));
    }
    fill_row(side, &count);
    side->start[EDGES] = count;
    for (int32_t k = cut->edges.start[patch]; k < cut->edges.start[patch + 1]; ++k) {
        const int32_t *e = cut->ends[k];
        if ((beyond[e[0]] & beyond[e[1]]) == 0)
            add_to_side(side, &count, k, join(boxes[e[0]], boxes[e[1]]));
    }
    fill_row(side, &count);
    side->start[KINDS] = count;
}

typedef float Row __attribute__((vector_size(sizeof(float) * ROW)));
typedef int32_t RowMask __attribute__((vector_size(sizeof(float) * ROW)));

static INLINE Row load(const float *from)
{
    Row row;
    memcpy(&row, from, sizeof row);
    return row;
}

// Of one kind on either side, two and two whose boxes overlap: finder->hits, which has room.
PAL_CLONES static void find_overlaps(PalFinder *finder, const PalSide *a, int kind_a,
                                     const PalSide *b, int kind_b)
{
    int32_t count = 0;
    for (int32_t i = a->start[kind_a]; i < a->start[kind_a + 1]; ++i) {
        float lower[AXES], upper[AXES];
        for (int axis = 0; axis < AXES; ++axis) {
            lower[axis] = a->bounds[0][axis][i];
            upper[axis] = a->bounds[1][axis][i];
        }
        for (int32_t j = b->start[kind_b]; j < b->start[kind_b + 1]; j += ROW) {
            RowMask meet =
                (load(b->bounds[0][0] + j) <= upper[0]) & (load(b->bounds[1][0] + j) >= lower[0]) &
                (load(b->bounds[0][1] + j) <= upper[1]) & (load(b->bounds[1][1] + j) >= lower[1]) &
                (load(b->bounds[0][2] + j) <= upper[2]) & (load(b->bounds[1][2] + j) >= lower[2]);
            uint64_t two[ROW / 2];
            meet &= (RowMask){1, 2, 4, 8, 16, 32, 64, 128};
            memcpy(two, &meet, sizeof two);
            uint64_t all = two[0] | two[1] | two[2] | two[3];
            for (uint64_t left = (all | all >> 32) & 255; left != 0; left &= left - 1)
                finder->hits.items[count++] =
                    (uint32_t)i << 16 | (uint32_t)(j + __builtin_ctzll(left));
        }
    }
    finder->hits.count = count;
}

// ---- candidates -------------------------------------------------------------------------

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

// Is the shortest way between the two no longer than lists reach? Written so that what is no number
// is listed.
static bool is_near(const PalListing *listing, PalContactKind kind, const int32_t vertices[4],
                    PalVec3 *way)
{
    PalVec3 x[4];
    for (int k = 0; k < 4; ++k)
        x[k] = listing->surface->start[vertices[k]];
    *way = pal_shortest_way(kind, x);
    return !((1 - PAL_LISTING_ROUNDING) * pal_vec3_dot(*way, *way) > listing->far * listing->far);
}

static void add(PalListing *listing, const PalCandidate *candidate, PalVec3 way, uint64_t turn)
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
    double apart = pal_vec3_length(way);
    one->item = *candidate;
    one->key = pal_candidate_key(listing->surface, candidate);
    one->turn = turn | (uint64_t)is_flat << 62;
    PalLook *look = &one->look;
    *look = (PalLook){
        .direction = apart > 0 ? pal_vec3_scale(1 / apart, way) : pal_vec3(0, 0, 0),
        .group = listing->index,
        .row = PAL_ASLEEP,
        .split = (int16_t)split,
        .flat = is_flat,
    };
    memcpy(look->vertices, features->vertices, sizeof look->vertices);
    if (skin != NULL && split == 1)
        look->skin = (float)((1 + 1e-6) * pal_skin_most(skin, look->vertices));
    one->wake = listing->group->odometer + (1 - PAL_LISTING_ROUNDING) * apart -
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

// Vertices of one side with facets of the other.
static void try_vertices(PalListing *listing, const PalSide *from, const PalSide *to, int kind)
{
    const int32_t *vertices = listing->cut->vertices.items, *facets = listing->cut->facets.items;
    const PalContactSurface *surface = listing->surface;
    find_overlaps(listing->finder, from, VERTICES, to, FACETS);
    for (int32_t h = 0; h < listing->finder->hits.count; ++h) {
        uint32_t hit = listing->finder->hits.items[h];
        int32_t i = from->places[hit >> 16], j = to->places[hit & UINT16_MAX];
        if (is_filling(i, j))
            continue;
        int32_t vertex = vertices[i], facet = facets[j];
        const int32_t *corners = surface->facets[facet];
        const int32_t four[4] = {vertex, corners[0], corners[1], corners[2]};
        PalVec3 way;
        if (surface->vertex_owner[vertex] == PAL_NONE || share_a_vertex(surface, four, 1) ||
            !is_near(listing, PAL_CONTACT_NODE_FACET, four, &way))
            continue;
        PalCandidate candidate = vertex_facet(listing, vertex, facet);
        add(listing, &candidate, way, turn_of(kind, i, j));
    }
}

static void try_edges(PalListing *listing, const PalSide *from, const PalSide *to)
{
    const int32_t *edges = listing->cut->edges.items;
    const PalContactSurface *surface = listing->surface;
    bool same = listing->group->patches[0] == listing->group->patches[1];
    find_overlaps(listing->finder, from, EDGES, to, EDGES);
    for (int32_t h = 0; h < listing->finder->hits.count; ++h) {
        uint32_t hit = listing->finder->hits.items[h];
        int32_t i = from->places[hit >> 16], j = to->places[hit & UINT16_MAX];
        if (is_filling(i, j))
            continue;
        const int32_t *p = surface->edges[edges[i]], *q = surface->edges[edges[j]];
        const int32_t four[4] = {p[0], p[1], q[0], q[1]};
        PalVec3 way;
        if ((same && j <= i) || share_a_vertex(surface, four, 2) ||
            !is_near(listing, PAL_CONTACT_EDGE_EDGE, four, &way))
            continue;
        PalCandidate candidate = edge_edge(listing, edges[i], edges[j]);
        bool swapped = candidate.features.items[0] != edges[i];
        add(listing, &candidate, swapped ? pal_vec3_scale(-1, way) : way, turn_of(EDGES, i, j));
    }
}

// Room for all that may overlap. False: no memory.
static bool make_room(PalFinder *finder)
{
    const int32_t *a = finder->sides[0].start, *b = finder->sides[1].start;
    int64_t edges = (int64_t)(a[KINDS] - a[EDGES]) * (b[KINDS] - b[EDGES]);
    int64_t first = (int64_t)(a[FACETS] - a[VERTICES]) * (b[EDGES] - b[FACETS]);
    int64_t second = (int64_t)(b[FACETS] - b[VERTICES]) * (a[EDGES] - a[FACETS]);
    int64_t most = edges > first ? edges : first;
    most = (most > second ? most : second) + 1;
    finder->hits.count = 0;
    finder->most_hits = most > finder->most_hits ? most : finder->most_hits;
    return pal_array_reserve(&finder->hits, most);
}

void pal_listing_find_near(PalListing *listing)
{
    PalSide *sides = listing->finder->sides;
    const int32_t *patches = listing->group->patches, *first = listing->cut->vertices.start;
    PalBox boxes[2];
    listing->origin = listing->surface->start[listing->cut->vertices.items[first[patches[0]]]];
    PalFloat4 none = {0, 0, 0, 0},
              room = pal_float4(pal_vec3(listing->far, listing->far, listing->far));
    room = pal_float4_upper(room);
    for (int s = 0; s < 2; ++s)
        boxes[s] = grown(find_around(listing, patches[s], &sides[s]), room);
    for (int s = 0; s < 2; ++s) {
        find_beyond(listing, patches[s], &boxes[1 - s], s == 0 ? room : none, &sides[s]);
        find_side(listing->cut, patches[s], &sides[s]);
    }
    if (!make_room(listing->finder)) {
        listing->found->no_memory = true;
        return;
    }
    try_vertices(listing, &sides[0], &sides[1], 0);
    if (patches[0] != patches[1])
        try_vertices(listing, &sides[1], &sides[0], 1);
    try_edges(listing, &sides[0], &sides[1]);
}
