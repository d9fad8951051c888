// Lists of what two patches have near each other. A list holds until the patches may have come
// nearer than it was made for; it is made anew for these two alone. Patches that a plane keeps
// apart need none: how far apart they are along its normal tells how long they will be so.
// docs/theory/ contact.md, pairs of patches
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/float4.h"
#include "math/lanes.h"
#include "math/range.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Lists are made for so many steps like this one; of the mean edge, for an approach of at least and
// at most as much
#define LASTS 16
#define LEAST 0.03
#define MOST  0.4

#define ROW      8    // boxes that are compared at once
#define WORTH    1.5  // steps that a plane should keep two patches apart, or it is not worth while
#define TURNS    4    // tries to find such a plane
#define ROUNDING 1e-9

enum { VERTICES, FACETS, EDGES, KINDS };

enum { AXES = 3 };

typedef struct Lister {
    PalContact *contact;
    PalLagrange *lagrange;
    PalContactSurface *surface;
    PalLister *lister;
    const PalCut *cut;
    PalCandidateGroup *group;
    int32_t index;    // of the group
    double reach;     // nearer ones are wanted
    double far;       // nearer ones are listed
    double friction;  // of the two objects
    PalVec3 origin;   // boxes count from here
} Lister;

PalStatus pal_lister_create(PalLister *lister, const PalCut *cut, PalError *error)
{
    size_t most = KINDS * ROW, most_around = 1;
    const PalLists *lists[KINDS] = {&cut->vertices, &cut->facets, &cut->edges};
    for (int32_t p = 0; p < cut->count; ++p) {
        size_t count = KINDS * ROW;
        for (int kind = 0; kind < KINDS; ++kind)
            count += (size_t)(lists[kind]->start[p + 1] - lists[kind]->start[p]);
        most = count > most ? count : most;
        size_t around = (size_t)(cut->around.start[p + 1] - cut->around.start[p]);
        most_around = around > most_around ? around : most_around;
    }
    bool good = most <= UINT16_MAX;
    for (int s = 0; s < 2; ++s) {
        lister->sides[s].places = pal_alloc(most, sizeof *lister->sides[s].places);
        lister->sides[s].around = pal_alloc(most_around, sizeof *lister->sides[s].around);
        lister->sides[s].beyond = pal_alloc(most_around, sizeof *lister->sides[s].beyond);
        good = good && lister->sides[s].places != NULL && lister->sides[s].around != NULL &&
               lister->sides[s].beyond != NULL;
        for (int k = 0; k < 2 * AXES; ++k) {
            float *bounds = pal_alloc(most, sizeof *bounds);
            lister->sides[s].bounds[k / AXES][k % AXES] = bounds;
            good = good && bounds != NULL;
        }
    }
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

void pal_lister_clear(PalLister *lister)
{
    for (int s = 0; s < 2; ++s) {
        pal_free(lister->sides[s].places);
        pal_free(lister->sides[s].around);
        pal_free(lister->sides[s].beyond);
        for (int k = 0; k < 2 * AXES; ++k)
            pal_free(lister->sides[s].bounds[k / AXES][k % AXES]);
    }
    pal_array_clear(&lister->plain);
    pal_array_clear(&lister->flat);
    pal_array_clear(&lister->merged);
    pal_array_clear(&lister->hits);
    pal_array_clear(&lister->kept);
    *lister = (PalLister){0};
}

// ---- following the search ---------------------------------------------------------------

static bool adjoin(const PalCut *cut, int32_t a, int32_t b)
{
    for (int32_t k = cut->around.start[a]; k < cut->around.start[a + 1]; ++k) {
        int32_t v = cut->around.items[k];
        for (int32_t i = cut->touching.start[v]; i < cut->touching.start[v + 1]; ++i)
            if (cut->touching.items[i] == b)
                return true;
    }
    return false;
}

// Where an object was while it slept, nobody has followed.
static bool has_woken(const PalContactSurface *surface, const PalCut *cut,
                      const PalCandidateGroup *group)
{
    const PalAwake *awake = &surface->awake;
    return !awake->all && (awake->since[cut->object[group->patches[0]]] == awake->step ||
                           awake->since[cut->object[group->patches[1]]] == awake->step);
}

bool pal_lister_follow(PalContact *contact, PalLagrange *lagrange, bool adds)
{
    const PalSearch *search = contact->search;
    PalGroups *groups = &lagrange->groups;
    const PalCut *cut = &lagrange->patches.cut;
    ++groups->stamp;
    for (int32_t i = 0; i < search->patch_pair_count; ++i) {
        PalFacetPair pair = search->patch_pairs[i];
        int32_t count = groups->list.count, g = pal_groups_find(groups, pair.a, pair.b);
        if (g == PAL_NONE)
            return false;
        PalCandidateGroup *group = &groups->list.items[g];
        group->stamp = groups->stamp;
        if (group->fresh && (g >= count || group->room == 0))
            group->adjoins = adjoin(cut, pair.a, pair.b);
        if (has_woken(contact->surface, cut, group)) {
            group->limit = -INFINITY;
            for (int32_t s = group->first; s < group->first + group->count; ++s)
                lagrange->now.wakes[s] = pal_min(lagrange->now.wakes[s], -DBL_MAX);
            group->wake = group->count > 0 ? -INFINITY : group->wake;
        }
    }
    if (!adds)
        pal_groups_sweep(lagrange);
    return true;
}

// ---- planes -----------------------------------------------------------------------------

// The vertex around a patch that is farthest along a direction.
static PalVec3 farthest(const Lister *lister, int32_t patch, PalVec3 direction)
{
    const PalLists *around = &lister->cut->around;
    const PalVec3 *start = lister->surface->start;
    double most = -INFINITY;
    int32_t best = around->items[around->start[patch]];
    for (int32_t k = around->start[patch]; k < around->start[patch + 1]; ++k) {
        PalVec3 x = start[around->items[k]];
        double along = direction.x * x.x + direction.y * x.y + direction.z * x.z;
        best = along > most ? around->items[k] : best;
        most = along > most ? along : most;
    }
    return start[best];
}

// From the second patch to the first, between what is nearest along a direction.
static PalVec3 between(const Lister *lister, PalVec3 direction)
{
    const int32_t *patches = lister->group->patches;
    PalVec3 back = pal_vec3_scale(-1, direction);
    return pal_vec3_sub(farthest(lister, patches[0], back),
                        farthest(lister, patches[1], direction));
}

static double apart_by(const Lister *lister, PalVec3 direction)
{
    return (1 - ROUNDING) * pal_vec3_dot(direction, between(lister, direction)) -
           lister->lagrange->patches.rounding;
}

static PalVec3 middle(const Lister *lister, int32_t patch)
{
    const PalLists *vertices = &lister->cut->vertices;
    PalVec3 sum = {0, 0, 0};
    int32_t first = vertices->start[patch], end = vertices->start[patch + 1];
    for (int32_t k = first; k < end; ++k)
        sum = pal_vec3_add(sum, lister->surface->start[vertices->items[k]]);
    return pal_vec3_scale(1.0 / (end - first), sum);
}

// Is there a plane that keeps the two patches apart for a while? Tries the one that did last, then
// others: z goes to the shortest vector between the two as far as it is known (Frank and Wolfe).
// What is found is known to be right however it was found.
static bool find_plane(Lister *lister, double wanted)
{
    PalCandidateGroup *group = lister->group;
    double least = lister->reach + wanted;
    if (group->adjoins)
        return false;
    if (apart_by(lister, group->direction) > least)
        return true;
    if (group->close)
        return false;
    PalVec3 z = between(lister, group->direction);
    if (!(pal_vec3_dot(z, group->direction) > 0))
        z = pal_vec3_sub(middle(lister, group->patches[0]), middle(lister, group->patches[1]));
    for (int turn = 0; turn < TURNS; ++turn) {
        double length = pal_vec3_length(z);
        if (!(length > lister->reach))
            return false;
        PalVec3 direction = pal_vec3_scale(1 / length, z);
        PalVec3 s = between(lister, direction), way = pal_vec3_sub(s, z);
        if (!(pal_vec3_dot(group->direction, group->direction) > 0))
            group->direction = direction;
        if (pal_vec3_dot(s, direction) > least && apart_by(lister, direction) > least) {
            group->direction = direction;
            return true;
        }
        double square = pal_vec3_dot(way, way);
        double share = square > 0 ? -pal_vec3_dot(z, way) / square : 0;
        z = pal_vec3_add_scaled(z, pal_max(0, pal_min(1, share)), way);
    }
    return false;
}

// ---- what is near -----------------------------------------------------------------------

static PalBox grown(PalBox box, PalFloat4 room)
{
    return (PalBox){pal_float4_lower(pal_float4_lower(box.lower) - room),
                    pal_float4_upper(pal_float4_upper(box.upper) + room)};
}

// Where the vertices around a patch are, and their box.
static PalBox find_around(const Lister *lister, int32_t patch, PalSide *side)
{
    const PalLists *list = &lister->cut->around;
    int32_t first = list->start[patch], count = list->start[patch + 1] - first;
    for (int32_t k = 0; k < count; ++k)
        side->around[k] = pal_float4(
            pal_vec3_sub(lister->surface->start[list->items[first + k]], lister->origin));
    PalBox box = {side->around[0], side->around[0]};
    for (int32_t k = 1; k < count; ++k) {
        box.lower = pal_float4_min(box.lower, side->around[k]);
        box.upper = pal_float4_max(box.upper, side->around[k]);
    }
    return box;
}

// What has all its vertices beyond one side of a box does not meet it.
static void find_beyond(const Lister *lister, int32_t patch, const PalBox *box, PalSide *side)
{
    const PalLists *list = &lister->cut->around;
    for (int32_t k = 0; k < list->start[patch + 1] - list->start[patch]; ++k) {
        PalFloat4 at = side->around[k];
        int bits = 0;
        for (int axis = 0; axis < AXES; ++axis) {
            bits |= (at[axis] < box->lower[axis]) << axis;
            bits |= (at[axis] > box->upper[axis]) << (AXES + axis);
        }
        side->beyond[k] = (uint8_t)bits;
    }
}

static void add_to_side(PalSide *side, int32_t *count, int32_t place, PalBox box)
{
    for (int axis = 0; axis < AXES; ++axis) {
        side->bounds[0][axis][*count] = box.lower[axis];
        side->bounds[1][axis][*count] = box.upper[axis];
    }
    side->places[(*count)++] = place;
}

static void fill_row(PalSide *side, int32_t *count)
{
    const PalFloat4 endless = {INFINITY, INFINITY, INFINITY, INFINITY};
    while (*count % ROW != 0)
        add_to_side(side, count, PAL_NONE, (PalBox){endless, -endless});
}

// What one patch has near the box of the other, which has grown.
static void find_side(const Lister *lister, int32_t patch, PalFloat4 grow, PalSide *side)
{
    const PalCut *cut = lister->cut;
    const PalFloat4 *at = side->around;
    const uint8_t *beyond = side->beyond;
    int32_t count = 0, first = cut->vertices.start[patch];
    side->start[VERTICES] = count;
    for (int32_t k = first; k < cut->vertices.start[patch + 1]; ++k)
        if (beyond[k - first] == 0)
            add_to_side(side, &count, k, grown((PalBox){at[k - first], at[k - first]}, grow));
    fill_row(side, &count);
    side->start[FACETS] = count;
    for (int32_t k = cut->facets.start[patch]; k < cut->facets.start[patch + 1]; ++k) {
        const int32_t *c = cut->corners[k];
        if ((beyond[c[0]] & beyond[c[1]] & beyond[c[2]]) != 0)
            continue;
        PalBox box = {pal_float4_min(at[c[0]], pal_float4_min(at[c[1]], at[c[2]])),
                      pal_float4_max(at[c[0]], pal_float4_max(at[c[1]], at[c[2]]))};
        add_to_side(side, &count, k, grown(box, grow));
    }
    fill_row(side, &count);
    side->start[EDGES] = count;
    for (int32_t k = cut->edges.start[patch]; k < cut->edges.start[patch + 1]; ++k) {
        const int32_t *e = cut->ends[k];
        if ((beyond[e[0]] & beyond[e[1]]) != 0)
            continue;
        PalBox box = {pal_float4_min(at[e[0]], at[e[1]]), pal_float4_max(at[e[0]], at[e[1]])};
        add_to_side(side, &count, k, grown(box, grow));
    }
    fill_row(side, &count);
    side->start[KINDS] = count;
}

typedef float Row __attribute__((vector_size(sizeof(float) * ROW)));
typedef int32_t RowMask __attribute__((vector_size(sizeof(float) * ROW)));

static inline __attribute__((always_inline)) Row load(const float *from)
{
    Row row;
    memcpy(&row, from, sizeof row);
    return row;
}

// Of one kind on either side, two and two whose boxes overlap: lister->hits, which has room.
PAL_CLONES static void find_overlaps(PalLister *lister, const PalSide *a, int kind_a,
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
                lister->hits.items[count++] =
                    (uint32_t)i << 16 | (uint32_t)(j + __builtin_ctzll(left));
        }
    }
    lister->hits.count = count;
}

// ---- candidates -------------------------------------------------------------------------

static int32_t index_of(const int32_t three[3], int32_t item)
{
    return three[0] == item ? 0 : three[1] == item ? 1 : 2;
}

static PalCandidate vertex_facet(const Lister *lister, int32_t vertex, int32_t facet)
{
    const PalContactSurface *surface = lister->surface;
    const int32_t *corners = surface->facets[facet];
    int32_t from = surface->vertex_owner[vertex];
    int32_t k = index_of(surface->facets[from], vertex);
    return (PalCandidate){
        .pair = {from < facet ? from : facet, from < facet ? facet : from},
        .place = from < facet ? k : 3 + k,
        .features = {.kind = PAL_CONTACT_NODE_FACET,
                     .items = {vertex, facet},
                     .vertices = {vertex, corners[0], corners[1], corners[2]}},
        .friction = lister->friction,
    };
}

static PalCandidate edge_edge(const Lister *lister, int32_t one, int32_t other)
{
    const PalContactSurface *surface = lister->surface;
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
        .friction = lister->friction,
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
static bool is_near(const Lister *lister, PalContactKind kind, const int32_t vertices[4],
                    PalVec3 *way)
{
    PalVec3 x[4];
    for (int k = 0; k < 4; ++k)
        x[k] = lister->surface->start[vertices[k]];
    *way = pal_shortest_way(kind, x);
    return !((1 - ROUNDING) * pal_vec3_length(*way) > lister->far);
}

static void add(Lister *lister, const PalCandidate *candidate, PalVec3 way, uint64_t turn)
{
    PalListedOnes *plain = &lister->lister->plain, *flat = &lister->lister->flat;
    const PalFeatures *features = &candidate->features;
    int split = pal_kind_split(features->kind);
    if (pal_contact_surface_follows(lister->surface, features->vertices, split))
        return;
    bool is_flat = pal_lagrange_is_flat(lister->contact, lister->lagrange, features);
    if (!(is_flat ? pal_array_reserve(flat, 1) : pal_array_reserve(plain, 1))) {
        lister->lagrange->rows.no_memory = true;
        return;
    }
    PalListed *one = is_flat ? &flat->items[flat->count++] : &plain->items[plain->count++];
    const PalSkin *skin = lister->contact->skin;
    double apart = pal_vec3_length(way);
    one->item = *candidate;
    one->key = pal_candidate_key(lister->surface, candidate);
    one->turn = turn | (uint64_t)is_flat << 62;
    PalLook *look = &one->look;
    *look = (PalLook){
        .direction = apart > 0 ? pal_vec3_scale(1 / apart, way) : pal_vec3(0, 0, 0),
        .group = lister->index,
        .row = PAL_ASLEEP,
        .split = (int16_t)split,
        .flat = is_flat,
    };
    memcpy(look->vertices, features->vertices, sizeof look->vertices);
    if (skin != NULL && split == 1)
        look->skin = (float)((1 + 1e-6) * pal_skin_most(skin, look->vertices));
    one->wake =
        lister->group->odometer + (1 - ROUNDING) * apart - pal_look_margin(lister->contact, look);
}

static uint64_t turn_of(int kind, int32_t i, int32_t j)
{
    return (uint64_t)kind << 60 | (uint64_t)i << 30 | (uint64_t)j;
}

// Vertices of one side with facets of the other.
static void try_vertices(Lister *lister, const PalSide *from, const PalSide *to, int kind)
{
    const int32_t *vertices = lister->cut->vertices.items, *facets = lister->cut->facets.items;
    const PalContactSurface *surface = lister->surface;
    find_overlaps(lister->lister, from, VERTICES, to, FACETS);
    for (int32_t h = 0; h < lister->lister->hits.count; ++h) {
        uint32_t hit = lister->lister->hits.items[h];
        int32_t i = from->places[hit >> 16], j = to->places[hit & UINT16_MAX];
        int32_t vertex = vertices[i], facet = facets[j];
        const int32_t *corners = surface->facets[facet];
        const int32_t four[4] = {vertex, corners[0], corners[1], corners[2]};
        PalVec3 way;
        if (surface->vertex_owner[vertex] == PAL_NONE || share_a_vertex(surface, four, 1) ||
            !is_near(lister, PAL_CONTACT_NODE_FACET, four, &way))
            continue;
        PalCandidate candidate = vertex_facet(lister, vertex, facet);
        add(lister, &candidate, way, turn_of(kind, i, j));
    }
}

static void try_edges(Lister *lister, const PalSide *from, const PalSide *to)
{
    const int32_t *edges = lister->cut->edges.items;
    const PalContactSurface *surface = lister->surface;
    bool same = lister->group->patches[0] == lister->group->patches[1];
    find_overlaps(lister->lister, from, EDGES, to, EDGES);
    for (int32_t h = 0; h < lister->lister->hits.count; ++h) {
        uint32_t hit = lister->lister->hits.items[h];
        int32_t i = from->places[hit >> 16], j = to->places[hit & UINT16_MAX];
        const int32_t *p = surface->edges[edges[i]], *q = surface->edges[edges[j]];
        const int32_t four[4] = {p[0], p[1], q[0], q[1]};
        PalVec3 way;
        if ((same && j <= i) || share_a_vertex(surface, four, 2) ||
            !is_near(lister, PAL_CONTACT_EDGE_EDGE, four, &way))
            continue;
        PalCandidate candidate = edge_edge(lister, edges[i], edges[j]);
        bool swapped = candidate.features.items[0] != edges[i];
        add(lister, &candidate, swapped ? pal_vec3_scale(-1, way) : way, turn_of(EDGES, i, j));
    }
}

// Room for all that may overlap. False: no memory.
static bool make_room(PalLister *lister)
{
    const int32_t *a = lister->sides[0].start, *b = lister->sides[1].start;
    int64_t edges = (int64_t)(a[KINDS] - a[EDGES]) * (b[KINDS] - b[EDGES]);
    int64_t first = (int64_t)(a[FACETS] - a[VERTICES]) * (b[EDGES] - b[FACETS]);
    int64_t second = (int64_t)(b[FACETS] - b[VERTICES]) * (a[EDGES] - a[FACETS]);
    int64_t most = edges > first ? edges : first;
    lister->hits.count = 0;
    return pal_array_reserve(&lister->hits, (most > second ? most : second) + 1);
}

static void find_near(Lister *lister)
{
    PalSide *sides = lister->lister->sides;
    const int32_t *patches = lister->group->patches, *first = lister->cut->vertices.start;
    PalBox boxes[2];
    lister->origin = lister->surface->start[lister->cut->vertices.items[first[patches[0]]]];
    PalFloat4 none = {0, 0, 0, 0},
              room = pal_float4(pal_vec3(lister->far, lister->far, lister->far));
    room = pal_float4_upper(room);
    for (int s = 0; s < 2; ++s)
        boxes[s] = grown(find_around(lister, patches[s], &sides[s]), room);
    for (int s = 0; s < 2; ++s) {
        find_beyond(lister, patches[s], &boxes[1 - s], &sides[s]);
        find_side(lister, patches[s], s == 0 ? room : none, &sides[s]);
    }
    if (!make_room(lister->lister)) {
        lister->lagrange->rows.no_memory = true;
        return;
    }
    try_vertices(lister, &sides[0], &sides[1], 0);
    if (patches[0] != patches[1])
        try_vertices(lister, &sides[1], &sides[0], 1);
    try_edges(lister, &sides[0], &sides[1]);
}

// ---- slots ------------------------------------------------------------------------------

static void put(PalLagrange *lagrange, int32_t slot, const PalListed *one)
{
    PalCandidates *now = &lagrange->now;
    now->items[slot] = one->item;
    now->keys[slot] = one->key;
    now->turns[slot] = one->turn;
    now->looks[slot] = one->look;
    now->wakes[slot] = one->wake;
    if (one->look.row >= 0)
        lagrange->rows.items[one->look.row].source = slot;
}

static PalListed listed_in(const PalCandidates *now, int32_t slot)
{
    return (PalListed){now->items[slot], now->keys[slot], now->turns[slot], now->looks[slot],
                       now->wakes[slot]};
}

// Groups follow each other without gaps.
static void close_ranks(PalLagrange *lagrange)
{
    PalCandidates now = lagrange->now;
    lagrange->now = lagrange->spare;
    lagrange->spare = now;
    lagrange->now.count = 0;
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g) {
        PalCandidateGroup *group = &lagrange->groups.list.items[g];
        for (int32_t k = 0; k < group->count; ++k) {
            PalListed one = listed_in(&now, group->first + k);
            put(lagrange, lagrange->now.count + k, &one);
        }
        group->first = lagrange->now.count;
        group->room = group->count;
        lagrange->now.count += group->count;
    }
    lagrange->lister.shuffled = true;
}

// Slots for so many candidates of a group, which lose what is in them. False: no memory.
static bool find_slots(PalLagrange *lagrange, PalCandidateGroup *group, int32_t count)
{
    PalCandidates *now = &lagrange->now;
    if (count <= group->room)
        return true;
    int32_t room = count + count / 4 + 4;
    group->count = group->room = 0;
    if (now->capacity - now->count < room) {
        int32_t live = lagrange->lister.listed_count + room, capacity = now->capacity;
        while (capacity < 2 * live)
            capacity += capacity / 2 + 1024;
        if (!pal_candidates_reserve(&lagrange->spare, capacity))
            return false;
        close_ranks(lagrange);
        lagrange->spare.count = 0;
        if (!pal_candidates_reserve(&lagrange->spare, capacity) || !pal_groups_match(lagrange))
            return false;
    }
    group->first = now->count;
    group->room = room;
    now->count += room;
    return true;
}

// What is known of a candidate from before.
static void remember(PalListed *one, const PalCandidates *now, int32_t slot)
{
    const PalCandidate *before = &now->items[slot];
    one->item.impulse = before->impulse;
    one->item.drag = before->drag;
    one->item.found = before->found;
    one->look.row = now->looks[slot].row;
    if (!(now->wakes[slot] > -INFINITY))
        one->wake = -INFINITY;
}

// Those found, in the order of the group, with what is known of them.
static void merge(Lister *lister, const PalListedOnes *found, int32_t *next, bool adds)
{
    const PalCandidates *now = &lister->lagrange->now;
    const PalCandidateGroup *group = lister->group;
    PalListedOnes *merged = &lister->lister->merged;
    int32_t end = group->first + group->count;
    bool good = true;
    for (int32_t i = 0; i < found->count; ++i) {
        PalListed one = found->items[i];
        for (; *next < end && now->turns[*next] < one.turn; ++*next) {
            PalListed old = listed_in(now, *next);
            good = good && (!adds || pal_array_push(merged, old));
        }
        if (*next < end && now->turns[*next] == one.turn)
            remember(&one, now, (*next)++);
        else if (pal_candidate_recall(lister->lister, one.key, &one.item))
            one.wake = -INFINITY;
        good = good && pal_array_push(merged, one);
    }
    lister->lagrange->rows.no_memory = lister->lagrange->rows.no_memory || !good;
}

// Puts what was found into the group's slots.
static void take(Lister *lister, bool adds)
{
    PalLagrange *lagrange = lister->lagrange;
    PalLister *own = lister->lister;
    PalCandidateGroup *group = lister->group;
    int32_t next = group->first;
    own->merged.count = 0;
    merge(lister, &own->plain, &next, adds);
    merge(lister, &own->flat, &next, adds);
    for (; adds && next < group->first + group->count; ++next) {
        PalListed old = listed_in(&lagrange->now, next);
        if (!pal_array_push(&own->merged, old))
            lagrange->rows.no_memory = true;
    }
    own->listed_count += own->merged.count - group->count;
    if (lagrange->rows.no_memory || !find_slots(lagrange, group, own->merged.count)) {
        lagrange->rows.no_memory = true;
        own->listed_count -= own->merged.count;
        group->count = group->flat_count = 0;
        return;
    }
    group->count = own->merged.count;
    group->flat_count = 0;
    group->wake = INFINITY;
    for (int32_t i = 0; i < own->merged.count; ++i) {
        const PalListed *one = &own->merged.items[i];
        own->moved = own->moved || one->look.row != PAL_ASLEEP;
        put(lagrange, group->first + i, one);
        group->flat_count += one->look.flat;
        group->wake = pal_min(group->wake, one->wake);
    }
}

static void need_all(const Lister *lister, int32_t patch)
{
    const PalLists *around = &lister->cut->around;
    for (int32_t k = around->start[patch]; k < around->start[patch + 1]; ++k)
        pal_contact_surface_need(lister->surface, around->items[k]);
}

// The nearest of those found tells where a plane may be.
static void note_direction(Lister *lister, double wanted)
{
    const PalListedOnes *found[2] = {&lister->lister->plain, &lister->lister->flat};
    PalCandidateGroup *group = lister->group;
    const PalListed *nearest = NULL;
    for (int f = 0; f < 2; ++f)
        for (int32_t i = 0; i < found[f]->count; ++i)
            if (nearest == NULL || found[f]->items[i].wake < nearest->wake)
                nearest = &found[f]->items[i];
    group->close = nearest != NULL && nearest->wake < group->odometer + 2 * wanted;
    if (nearest == NULL)
        return;
    bool back = lister->cut->of[nearest->look.vertices[0]] != group->patches[0];
    group->direction = pal_vec3_scale(back ? -1 : 1, nearest->look.direction);
}

// ---- a list -----------------------------------------------------------------------------

static Lister lister_of(PalContact *contact, PalLagrange *lagrange, int32_t index)
{
    const PalCut *cut = &lagrange->patches.cut;
    PalCandidateGroup *group = &lagrange->groups.list.items[index];
    return (Lister){
        .contact = contact,
        .lagrange = lagrange,
        .surface = contact->surface,
        .lister = &lagrange->lister,
        .cut = cut,
        .group = group,
        .index = index,
        .reach = pal_lagrange_listed(contact, 0) + contact->surface->felt_most,
        .friction = pal_contact_friction(contact, cut->object[group->patches[0]],
                                         cut->object[group->patches[1]]),
    };
}

static double between_ends(double least, double x, double most)
{
    return pal_max(least, pal_min(x, most));
}

// Lists all that may come near in some steps like this one. How much nearer the patches may come.
static double list(Lister *lister, double step)
{
    double edge = lister->contact->edge, least = pal_max(WORTH * step, LEAST * edge);
    double approach = between_ends(least, LASTS * lister->group->nearer, MOST * edge);
    lister->far = lister->reach + approach;
    find_near(lister);
    note_direction(lister, WORTH * step);
    return approach;
}

void pal_lister_renew(PalContact *contact, PalLagrange *lagrange, int32_t index, bool adds)
{
    PalLister *own = &lagrange->lister;
    Lister lister = lister_of(contact, lagrange, index);
    PalCandidateGroup *group = lister.group;
    double step = group->nearer + pal_max(group->less, group->shift);
    own->plain.count = own->flat.count = 0;
    own->crowded = own->crowded || own->listed_count > pal_lister_most(contact->surface);
    if (own->crowded)
        return;
    need_all(&lister, group->patches[0]);
    need_all(&lister, group->patches[1]);
    bool plane = find_plane(&lister, WORTH * step);
    double room = plane ? apart_by(&lister, group->direction) - lister.reach : list(&lister, step);
    group->close = group->close && !plane;
    take(&lister, adds);
    group->limit = group->odometer + (1 - ROUNDING) * room;
}
