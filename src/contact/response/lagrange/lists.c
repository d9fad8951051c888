// Lists of what two patches have near each other. A list holds until the patches may have come
// nearer than it was made for; it is made anew for these two alone. Patches that a plane keeps apart
// need none: how far apart they are along its normal tells how long they will be so. docs/theory/
// contact.md, pairs of patches
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/float4.h"
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

#define WORTH    4  // steps that a plane should keep two patches apart, or it is not worth while
#define TURNS    6  // tries to find such a plane
#define ROUNDING 1e-9

enum { VERTICES, FACETS, EDGES, KINDS };

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
    size_t most = 1;
    const PalLists *lists[KINDS] = {&cut->vertices, &cut->facets, &cut->edges};
    for (int32_t p = 0; p < cut->count; ++p) {
        size_t count = 0;
        for (int kind = 0; kind < KINDS; ++kind)
            count += (size_t)(lists[kind]->start[p + 1] - lists[kind]->start[p]);
        most = count > most ? count : most;
    }
    for (int s = 0; s < 2; ++s) {
        lister->sides[s].places = pal_alloc(most, sizeof *lister->sides[s].places);
        lister->sides[s].boxes = pal_alloc(most, sizeof *lister->sides[s].boxes);
        if (lister->sides[s].places == NULL || lister->sides[s].boxes == NULL)
            return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    }
    return PAL_OK;
}

void pal_lister_clear(PalLister *lister)
{
    for (int s = 0; s < 2; ++s) {
        pal_free(lister->sides[s].places);
        pal_free(lister->sides[s].boxes);
    }
    pal_array_clear(&lister->plain);
    pal_array_clear(&lister->flat);
    pal_array_clear(&lister->merged);
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
    PalVec3 z = pal_vec3_sub(middle(lister, group->patches[0]), middle(lister, group->patches[1]));
    for (int turn = 0; turn < TURNS; ++turn) {
        double length = pal_vec3_length(z);
        if (!(length > lister->reach))
            return false;
        PalVec3 direction = pal_vec3_scale(1 / length, z);
        PalVec3 s = between(lister, direction), way = pal_vec3_sub(s, z);
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

static PalFloat4 local(const Lister *lister, int32_t vertex)
{
    return pal_float4(pal_vec3_sub(lister->surface->start[vertex], lister->origin));
}

static void enclose(PalBox *box, PalFloat4 at)
{
    box->lower = pal_float4_min(box->lower, at);
    box->upper = pal_float4_max(box->upper, at);
}

static PalBox grown(PalBox box, double by)
{
    PalFloat4 room = pal_float4(pal_vec3(by, by, by));
    return (PalBox){pal_float4_lower(pal_float4_lower(box.lower) - pal_float4_upper(room)),
                    pal_float4_upper(pal_float4_upper(box.upper) + pal_float4_upper(room))};
}

static PalBox box_of_patch(const Lister *lister, int32_t patch)
{
    const PalLists *around = &lister->cut->around;
    PalFloat4 first = local(lister, around->items[around->start[patch]]);
    PalBox box = {first, first};
    for (int32_t k = around->start[patch] + 1; k < around->start[patch + 1]; ++k)
        enclose(&box, local(lister, around->items[k]));
    return box;
}

static PalBox box_of(const Lister *lister, int kind, int32_t item)
{
    const PalContactSurface *surface = lister->surface;
    const int32_t *vertices = kind == VERTICES ? &item
                              : kind == FACETS ? surface->facets[item]
                                               : surface->edges[item];
    int count = kind == VERTICES ? 1 : kind == FACETS ? 3 : 2;
    PalFloat4 first = local(lister, vertices[0]);
    PalBox box = {first, first};
    for (int k = 1; k < count; ++k)
        enclose(&box, local(lister, vertices[k]));
    return box;
}

static const PalLists *list_of(const Lister *lister, int kind)
{
    return kind == VERTICES ? &lister->cut->vertices
           : kind == FACETS ? &lister->cut->facets
                            : &lister->cut->edges;
}

// What one patch has near the box of the other, which has grown.
static void find_side(Lister *lister, int32_t patch, const PalBox *other, double grow,
                      PalSide *side)
{
    int32_t count = 0;
    for (int kind = 0; kind < KINDS; ++kind) {
        const PalLists *list = list_of(lister, kind);
        side->start[kind] = count;
        for (int32_t k = list->start[patch]; k < list->start[patch + 1]; ++k) {
            PalBox box = box_of(lister, kind, list->items[k]);
            if (!pal_boxes_overlap(&box, other))
                continue;
            side->boxes[count] = grown(box, grow);
            side->places[count++] = k;
        }
    }
    side->start[KINDS] = count;
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
        .place = 6 + 3 * index_of(surface->facet_edges[f], a) +
                 index_of(surface->facet_edges[g], b),
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

// How far apart, and in which direction.
static double measure(const Lister *lister, const PalFeatures *features, PalVec3 *direction)
{
    PalVec3 x[4];
    for (int k = 0; k < 4; ++k)
        x[k] = lister->surface->start[features->vertices[k]];
    PalVec3 way = pal_shortest_way(features->kind, x);
    double apart = pal_vec3_length(way);
    *direction = apart > 0 ? pal_vec3_scale(1 / apart, way) : pal_vec3(0, 0, 0);
    return (1 - ROUNDING) * apart;
}

// Written so that what is no number is listed.
static void try(Lister *lister, PalCandidate candidate, uint64_t turn)
{
    PalListed one = {.item = candidate};
    const PalFeatures *features = &one.item.features;
    int split = pal_kind_split(features->kind);
    const PalSkin *skin = lister->contact->skin;
    if (share_a_vertex(lister->surface, features->vertices, split))
        return;
    double apart = measure(lister, features, &one.look.direction);
    if (apart > lister->far ||
        pal_contact_surface_follows(lister->surface, features->vertices, split))
        return;
    PalLook *look = &one.look;
    memcpy(look->vertices, features->vertices, sizeof look->vertices);
    look->group = lister->index;
    look->row = PAL_ASLEEP;
    look->split = (int16_t)split;
    look->flat = pal_lagrange_is_flat(lister->contact, lister->lagrange, features);
    if (skin != NULL && split == 1)
        look->skin = (float)((1 + 1e-6) * pal_skin_most(skin, look->vertices));
    one.key = pal_candidate_key(lister->surface, &one.item);
    one.turn = turn | (uint64_t)look->flat << 62;
    one.wake = lister->group->odometer + apart - pal_look_margin(lister->contact, look);
    PalLister *own = lister->lister;
    if (!(look->flat ? pal_array_push(&own->flat, one) : pal_array_push(&own->plain, one)))
        lister->lagrange->rows.no_memory = true;
}

static uint64_t turn_of(int kind, int32_t i, int32_t j)
{
    return (uint64_t)kind << 60 | (uint64_t)i << 30 | (uint64_t)j;
}

static void try_vertices(Lister *lister, const PalSide *from, const PalSide *to, int kind)
{
    const int32_t *vertices = lister->cut->vertices.items, *facets = lister->cut->facets.items;
    for (int32_t i = from->start[VERTICES]; i < from->start[FACETS]; ++i) {
        int32_t vertex = vertices[from->places[i]];
        if (lister->surface->vertex_owner[vertex] == PAL_NONE)
            continue;
        for (int32_t j = to->start[FACETS]; j < to->start[EDGES]; ++j)
            if (pal_boxes_overlap(&from->boxes[i], &to->boxes[j]))
                try(lister, vertex_facet(lister, vertex, facets[to->places[j]]),
                    turn_of(kind, from->places[i], to->places[j]));
    }
}

static void try_edges(Lister *lister, const PalSide *from, const PalSide *to)
{
    const int32_t *edges = lister->cut->edges.items;
    bool same = lister->group->patches[0] == lister->group->patches[1];
    for (int32_t i = from->start[EDGES]; i < from->start[KINDS]; ++i)
        for (int32_t j = same ? i + 1 : to->start[EDGES]; j < to->start[KINDS]; ++j)
            if (pal_boxes_overlap(&from->boxes[i], &to->boxes[j]))
                try(lister, edge_edge(lister, edges[from->places[i]], edges[to->places[j]]),
                    turn_of(EDGES, from->places[i], to->places[j]));
}

static void find_near(Lister *lister)
{
    PalSide *sides = lister->lister->sides;
    const int32_t *patches = lister->group->patches;
    PalBox boxes[2];
    lister->origin = lister->surface->start[lister->cut->vertices.items[
        lister->cut->vertices.start[patches[0]]]];
    for (int s = 0; s < 2; ++s)
        boxes[s] = grown(box_of_patch(lister, patches[s]), lister->far);
    find_side(lister, patches[0], &boxes[1], lister->far, &sides[0]);
    find_side(lister, patches[1], &boxes[0], 0, &sides[1]);
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
    lagrange->lister.moved = true;
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
    lagrange->lister.moved = true;
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
    own->moved = true;
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
        put(lagrange, group->first + i, one);
        group->flat_count += one->look.flat;
        group->wake = pal_min(group->wake, one->wake);
    }
}

// ---- a list -----------------------------------------------------------------------------

static void need_all(const Lister *lister, int32_t patch)
{
    const PalLists *around = &lister->cut->around;
    for (int32_t k = around->start[patch]; k < around->start[patch + 1]; ++k)
        pal_contact_surface_need(lister->surface, around->items[k]);
}

// The nearest of those found tells where a plane may be.
static void note_direction(Lister *lister)
{
    const PalListedOnes *found[2] = {&lister->lister->plain, &lister->lister->flat};
    PalCandidateGroup *group = lister->group;
    const PalListed *nearest = NULL;
    for (int f = 0; f < 2; ++f)
        for (int32_t i = 0; i < found[f]->count; ++i)
            if (nearest == NULL || found[f]->items[i].wake < nearest->wake)
                nearest = &found[f]->items[i];
    if (nearest == NULL)
        return;
    bool back = lister->cut->of[nearest->look.vertices[0]] != group->patches[0];
    group->direction = pal_vec3_scale(back ? -1 : 1, nearest->look.direction);
}

void pal_lister_renew(PalContact *contact, PalLagrange *lagrange, int32_t index, bool adds)
{
    const PalCut *cut = &lagrange->patches.cut;
    PalCandidateGroup *group = &lagrange->groups.list.items[index];
    PalLister *own = &lagrange->lister;
    double step = group->nearer + pal_max(group->less, group->shift);
    double usual = pal_min(LASTS * group->nearer, MOST * contact->edge);
    double approach = pal_max(1.25 * step, pal_max(LEAST * contact->edge, usual));
    double reach = pal_lagrange_listed(contact, 0) + contact->surface->felt_most;
    Lister lister = {
        .contact = contact,
        .lagrange = lagrange,
        .surface = contact->surface,
        .lister = own,
        .cut = cut,
        .group = group,
        .index = index,
        .reach = reach,
        .far = reach + approach,
        .friction = pal_contact_friction(contact, cut->object[group->patches[0]],
                                         cut->object[group->patches[1]]),
    };
    own->plain.count = own->flat.count = 0;
    own->crowded = own->crowded || own->listed_count > pal_lister_most(contact->surface);
    if (own->crowded)
        return;
    need_all(&lister, group->patches[0]);
    need_all(&lister, group->patches[1]);
    double wanted = pal_max(1.25 * step, pal_min(WORTH * group->nearer, approach));
    if (find_plane(&lister, wanted)) {
        approach = apart_by(&lister, group->direction) - reach;
    } else {
        find_near(&lister);
        note_direction(&lister);
    }
    take(&lister, adds);
    group->limit = group->odometer + (1 - ROUNDING) * approach;
}
