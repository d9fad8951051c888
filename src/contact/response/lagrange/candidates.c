// Vertex-facet and edge-edge pairs out of pairs of facets. Each vertex and each edge has one facet
// that answers for it, so that each pair comes up once.
#include "base/assert.h"
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/range.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Far more than there are where surfaces of so many facets touch: something sweeps through many.
#define CROWD            20000
#define CROWD_PER_FACET  30
#define CROWD_PER_OBJECT 2000  // boxes in a pile have 26 neighbours, and few facets
#define FAR              0.5   // of the mean edge: what moves less in a step sweeps through nothing

// Of pairs of facets that are listed for one step.
typedef struct Builder {
    const PalContactSurface *surface;
    PalCandidates *into;
    const PalLagrange *lagrange;
    int32_t next;  // first old candidate not yet passed
    const PalContact *contact;
    double approach;  // how much nearer a step may bring them
    double friction;
    bool keeps_all;
    int32_t pair[2];
    int32_t limit;  // of candidates
    bool crowded;
} Builder;

void pal_candidates_clear(PalCandidates *candidates)
{
    pal_free(candidates->items);
    pal_free(candidates->keys);
    pal_free(candidates->turns);
    pal_free(candidates->looks);
    pal_free(candidates->wakes);
}

bool pal_candidates_reserve(PalCandidates *candidates, int32_t capacity)
{
    if (capacity <= candidates->capacity)
        return true;
    PalCandidates more = {
        .count = candidates->count,
        .capacity = capacity,
        .items = pal_alloc_unset((size_t)capacity, sizeof *more.items),
        .keys = pal_alloc_unset((size_t)capacity, sizeof *more.keys),
        .turns = pal_alloc_unset((size_t)capacity, sizeof *more.turns),
        .looks = pal_alloc_unset((size_t)capacity, sizeof *more.looks),
        .wakes =
            pal_alloc_unset((size_t)capacity + PAL_LANES, sizeof *more.wakes),  // read by fours
    };
    if (more.items == NULL || more.keys == NULL || more.turns == NULL || more.looks == NULL ||
        more.wakes == NULL) {
        pal_candidates_clear(&more);
        return false;
    }
    size_t count = (size_t)candidates->count;
    if (count > 0) {
        memcpy(more.items, candidates->items, count * sizeof *more.items);
        memcpy(more.keys, candidates->keys, count * sizeof *more.keys);
        memcpy(more.turns, candidates->turns, count * sizeof *more.turns);
        memcpy(more.looks, candidates->looks, count * sizeof *more.looks);
        memcpy(more.wakes, candidates->wakes, count * sizeof *more.wakes);
    }
    pal_candidates_clear(candidates);
    *candidates = more;
    return true;
}

static bool make_room(PalCandidates *candidates)
{
    int32_t capacity = candidates->capacity;
    return candidates->count < capacity ||
           pal_candidates_reserve(candidates, capacity + capacity / 2 + 1024);
}

static bool copy_next(Builder *builder)
{
    PalCandidates *into = builder->into;
    const PalCandidates *old = &builder->lagrange->now;
    if (!make_room(into))
        return false;
    int32_t slot = builder->lagrange->order[builder->next++], to = into->count++;
    into->items[to] = old->items[slot];
    into->keys[to] = old->keys[slot];
    into->looks[to] = old->looks[slot];
    into->wakes[to] = old->wakes[slot];
    return true;
}

// Passes over the old candidates before this one.
static bool skip_to(Builder *builder, uint64_t key)
{
    const PalCandidates *old = &builder->lagrange->now;
    bool good = true;
    while (good && builder->next < old->count &&
           old->keys[builder->lagrange->order[builder->next]] < key) {
        if (builder->keeps_all)
            good = copy_next(builder);
        else
            ++builder->next;
    }
    return good;
}

// How thick skins are between a vertex and a facet, at most; rounded up.
static float skin_of(const Builder *builder, const int32_t vertices[4], int split)
{
    const PalSkin *skin = builder->contact->skin;
    return skin == NULL || split != 1 ? 0 : (float)((1 + 1e-6) * pal_skin_most(skin, vertices));
}

// Two sides farther apart than this for as long as the list holds need not be listed.
static double reach_of(const Builder *builder, const int32_t vertices[4], int split)
{
    double skin = (double)skin_of(builder, vertices, split);
    return pal_lagrange_listed(builder->contact, skin) + builder->approach;
}

// The direction in which the two sides are apart.
static PalVec3 direction_of(const Builder *builder, const PalFeatures *features)
{
    PalVec3 x[4];
    for (int k = 0; k < 4; ++k)
        x[k] = pal_contact_surface_start(builder->surface, features->vertices[k]);
    PalVec3 way = pal_shortest_way(features->kind, x);
    double apart = pal_vec3_length(way);
    return apart > 0 ? pal_vec3_scale(1 / apart, way) : pal_vec3(0, 0, 0);
}

// Adds a candidate, with what is known of it from before.
static bool add(Builder *builder, const PalCandidate *fresh)
{
    PalCandidates *into = builder->into;
    const PalCandidates *old = &builder->lagrange->now;
    const int32_t *order = builder->lagrange->order;
    uint64_t key = pal_candidate_key(builder->surface, fresh);
    builder->crowded = into->count >= builder->limit;
    if (builder->crowded || !skip_to(builder, key) || !make_room(into))
        return false;
    bool known = builder->next < old->count && old->keys[order[builder->next]] == key;
    PalCandidate *added = &into->items[into->count];
    PalLook *look = &into->looks[into->count];
    *added = *fresh;
    *look = (PalLook){.direction = direction_of(builder, &fresh->features), .row = PAL_ASLEEP};
    into->keys[into->count] = key;
    into->wakes[into->count] = -DBL_MAX;  // a quick look may do
    if (known) {
        int32_t slot = order[builder->next++];
        const PalCandidate *before = &old->items[slot];
        added->impulse = before->impulse;
        added->drag = before->drag;
        added->found = before->found;
        *look = old->looks[slot];
        into->wakes[into->count] = old->wakes[slot];
    } else if (pal_candidate_recall(&builder->lagrange->lister, key, added)) {
        into->wakes[into->count] = -INFINITY;
    }
    memcpy(look->vertices, fresh->features.vertices, sizeof look->vertices);
    look->split = (int16_t)pal_kind_split(fresh->features.kind);
    look->skin = skin_of(builder, look->vertices, look->split);
    look->owned = look->split == 1 ? builder->lagrange->owned[fresh->features.items[1]] : 0;
    ++into->count;
    return true;
}

static void grow_range(double x, double *lower, double *upper)
{
    *lower = pal_min(*lower, x);
    *upper = pal_max(*upper, x);
}

// Where a vertex is along one axis in this step.
static void add_range(const Builder *builder, int32_t vertex, int axis, double *lower,
                      double *upper)
{
    PalVec3 start = pal_contact_surface_start(builder->surface, vertex);
    PalVec3 end = pal_contact_surface_end(builder->surface, vertex);
    grow_range(pal_vec3_at(start, axis), lower, upper);
    grow_range(pal_vec3_at(end, axis), lower, upper);
}

// Are the first `split` vertices and the others always farther apart than the reach?
static bool far_apart(const Builder *builder, const int32_t vertices[4], int split)
{
    double reach = reach_of(builder, vertices, split);
    for (int i = 0; i < 3; ++i) {
        double lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 4; ++k) {
            int side = k >= split;
            add_range(builder, vertices[k], i, &lower[side], &upper[side]);
        }
        if (lower[0] - upper[1] > reach || lower[1] - upper[0] > reach)
            return true;
    }
    return false;
}

static bool add_vertex_facet(Builder *builder, int32_t from, int32_t to, int32_t k, int32_t place)
{
    const PalContactSurface *surface = builder->surface;
    int32_t vertex = surface->facets[from][k];
    const int32_t *corners = surface->facets[to];
    if (surface->vertex_owner[vertex] != from ||
        pal_contact_surface_same(surface, vertex, corners[0]) ||
        pal_contact_surface_same(surface, vertex, corners[1]) ||
        pal_contact_surface_same(surface, vertex, corners[2]))
        return true;
    PalCandidate fresh = {
        .pair = {builder->pair[0], builder->pair[1]},
        .place = place,
        .features = {.kind = PAL_CONTACT_NODE_FACET,
                     .items = {vertex, to},
                     .vertices = {vertex, corners[0], corners[1], corners[2]}},
        .friction = builder->friction,
    };
    return pal_contact_surface_follows(surface, fresh.features.vertices, 1) ||
           far_apart(builder, fresh.features.vertices, 1) || add(builder, &fresh);
}

static bool add_edge_edge(Builder *builder, int32_t i, int32_t j, int32_t place)
{
    const PalContactSurface *surface = builder->surface;
    int32_t a = surface->facet_edges[builder->pair[0]][i];
    int32_t b = surface->facet_edges[builder->pair[1]][j];
    if (surface->edge_owner[a] != builder->pair[0] || surface->edge_owner[b] != builder->pair[1])
        return true;
    const int32_t *p = surface->edges[a], *q = surface->edges[b];
    for (int k = 0; k < 4; ++k)
        if (pal_contact_surface_same(surface, p[k / 2], q[k % 2]))
            return true;
    PalCandidate fresh = {
        .pair = {builder->pair[0], builder->pair[1]},
        .place = place,
        .features = {.kind = PAL_CONTACT_EDGE_EDGE,
                     .items = {a, b},
                     .vertices = {p[0], p[1], q[0], q[1]}},
        .friction = builder->friction,
    };
    return pal_contact_surface_follows(surface, fresh.features.vertices, 2) ||
           far_apart(builder, fresh.features.vertices, 2) || add(builder, &fresh);
}

static bool add_pair(Builder *builder)
{
    int32_t a = builder->pair[0], b = builder->pair[1];
    bool added = true;
    for (int32_t k = 0; k < 3; ++k)
        added = added && add_vertex_facet(builder, a, b, k, k);
    for (int32_t k = 0; k < 3; ++k)
        added = added && add_vertex_facet(builder, b, a, k, 3 + k);
    for (int32_t k = 0; k < 9; ++k)
        added = added && add_edge_edge(builder, k / 3, k % 3, 6 + k);
    return added;
}

// All pairs of the list, in their order.
static bool add_pairs(const PalContact *contact, Builder *builder)
{
    const PalSearch *search = contact->search;
    bool added = true;
    for (int32_t p = 0; p < search->pair_count && added; ++p) {
        int32_t a = builder->pair[0] = search->pairs[p].a,
                b = builder->pair[1] = search->pairs[p].b;
        builder->friction = pal_contact_friction(contact, builder->surface->facet_object[a],
                                                 builder->surface->facet_object[b]);
        added = add_pair(builder);
    }
    return added && skip_to(builder, UINT64_MAX);
}

// ---- too many ---------------------------------------------------------------------------

static void count_facets(const PalCandidates *candidates, int32_t first, int32_t end,
                         int32_t *counts)
{
    for (int32_t c = first; c < end; ++c)
        for (int k = 0; k < 2; ++k)
            ++counts[candidates->items[c].pair[k]];
}

// The facet that is in most candidates: of groups, which have room without any between them, or of
// the list that was to be made of facets.
static int32_t most_crowded(const PalContact *contact, const PalLagrange *lagrange)
{
    int32_t *counts = pal_alloc((size_t)contact->surface->facet_count, sizeof *counts), most = 0;
    if (counts == NULL)
        return most;
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g) {
        const PalCandidateGroup *group = &lagrange->groups.list.items[g];
        count_facets(&lagrange->now, group->first, group->first + group->count, counts);
    }
    if (lagrange->groups.list.count == 0)
        count_facets(&lagrange->spare, 0, lagrange->spare.count, counts);
    for (int32_t f = 0; f < contact->surface->facet_count; ++f)
        most = counts[f] > counts[most] ? f : most;
    pal_free(counts);
    return most;
}

// Nothing moves far: facets are crushed or folded together, or far finer than what they touch.
static PalStatus report_crushed(const PalContact *contact, const PalLagrange *lagrange,
                                PalError *error)
{
    const PalContactSurface *surface = contact->surface;
    int32_t facet = most_crowded(contact, lagrange);
    PalVec3 p = surface->start[surface->facets[facet][0]];
    return pal_error_set(
        error, PAL_SIM_FAILED,
        "contact at time %.6g: the surface of \"%s\" around (%.4g, %.4g, %.4g) is crushed or "
        "folded "
        "so that more than %d pairs of vertices, edges and facets are near each other, too many to "
        "be looked at; its load is too large: lower it or refine; laws that resist collapse most "
        "are mooney-rivlin, ogden and veronda-westmann",
        surface->motion.start_time,
        pal_contact_object_name(surface->motion.model, surface->facet_object[facet]), p.x, p.y, p.z,
        pal_lister_most(surface));
}

PalStatus pal_candidates_report_crowd(const PalContact *contact, const PalLagrange *lagrange,
                                      PalError *error)
{
    const PalContactSurface *surface = contact->surface;
    int32_t fastest = 0;
    double farthest = 0;
    pal_contact_surface_place_all(contact->surface);
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        double motion = pal_contact_surface_travel(surface, v);
        if (motion > farthest) {
            farthest = motion;
            fastest = v;
        }
    }
    if (farthest < FAR * contact->edge)
        return report_crushed(contact, lagrange, error);
    return pal_error_set(
        error, PAL_SIM_FAILED,
        "contact at time %.6g: \"%s\" moves by %.3g mean edges in one step and sweeps through too "
        "many facets; slow it down, or use a smaller step",
        surface->motion.start_time,
        pal_contact_object_name(surface->motion.model, surface->vertex_object[fastest]),
        farthest / contact->edge);
}

int32_t pal_lister_most(const PalContactSurface *surface)
{
    int64_t most = CROWD + (int64_t)CROWD_PER_FACET * surface->facet_count +
                   (int64_t)CROWD_PER_OBJECT * surface->object_count;
    return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

// ---- following the search ---------------------------------------------------------------

static PalStatus no_memory(const PalLagrange *lagrange, PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for %d contact candidates",
                         lagrange->now.count);
}

// Of a list of facets that holds for one step.
static PalStatus make_anew(PalContact *contact, PalLagrange *lagrange, bool keeps_all,
                           PalError *error)
{
    pal_groups_dissolve(lagrange);
    lagrange->spare.count = 0;
    Builder builder = {
        .surface = contact->surface,
        .into = &lagrange->spare,
        .lagrange = lagrange,
        .contact = contact,
        .approach = contact->search->approach,
        .keeps_all = keeps_all,
        .limit = pal_lister_most(contact->surface),
    };
    bool added = add_pairs(contact, &builder);
    if (builder.crowded)
        return pal_candidates_report_crowd(contact, lagrange, error);
    lagrange->now.count = 0;
    if (!added || !pal_candidates_reserve(&lagrange->now, lagrange->spare.capacity) ||
        !pal_groups_match(lagrange) || !pal_groups_make(contact, lagrange))
        return no_memory(lagrange, error);
    lagrange->lister.kept.count = 0;
    lagrange->lister.listed_count = lagrange->now.count;
    return PAL_OK;
}

static PalStatus renew(PalContact *contact, PalLagrange *lagrange, bool keeps_all, PalError *error)
{
    if (contact->search->cut == NULL)
        PAL_TRY(make_anew(contact, lagrange, keeps_all, error));
    else if (!pal_lister_follow(contact, lagrange, keeps_all))
        return no_memory(lagrange, error);
    lagrange->generation = contact->search->generation;
    return PAL_OK;
}

PalStatus pal_candidates_update(PalContact *contact, PalLagrange *lagrange, PalError *error)
{
    for (int32_t i = 0; i < lagrange->awake_count; ++i)
        pal_lagrange_look(lagrange, lagrange->awake[i])->row = PAL_ASLEEP;
    return lagrange->generation == contact->search->generation
               ? PAL_OK
               : renew(contact, lagrange, false, error);
}

PalStatus pal_candidates_add(PalContact *contact, PalLagrange *lagrange, PalError *error)
{
    if (lagrange->generation == contact->search->generation)
        return PAL_OK;
    PAL_TRY(renew(contact, lagrange, true, error));
    if (contact->search->cut == NULL)
        pal_groups_find_awake(lagrange);
    return PAL_OK;
}

// ---- checking ---------------------------------------------------------------------------

#ifndef NDEBUG
static void check_one(const PalContact *contact, const PalLagrange *lagrange, int32_t g, int32_t c)
{
    const PalCandidates *now = &lagrange->now;
    const PalCandidate *candidate = &now->items[c];
    const PalLook *look = &now->looks[c];
    PAL_ASSERT(now->keys[c] == pal_candidate_key(contact->surface, candidate));
    PAL_ASSERT(look->row >= PAL_ASLEEP && look->row < lagrange->rows.count);
    PAL_ASSERT(look->row < 0 || lagrange->rows.items[look->row].source == c);
    PAL_ASSERT(!(candidate->impulse < 0) && !isnan(now->wakes[c]));
    PAL_ASSERT(look->group == g);
    PAL_ASSERT(!(now->wakes[c] < lagrange->groups.list.items[g].soonest));
    PAL_ASSERT(look->split == pal_kind_split(candidate->features.kind));
    for (int k = 0; k < 4; ++k) {
        PAL_ASSERT(look->vertices[k] == candidate->features.vertices[k]);
        PAL_ASSERT(look->vertices[k] < contact->surface->vertex_count);
    }
}
#endif

void pal_candidates_validate(const PalContact *contact, const PalLagrange *lagrange)
{
#ifndef NDEBUG
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g) {
        const PalCandidateGroup *group = &lagrange->groups.list.items[g];
        PAL_ASSERT(group->count <= group->room);
        PAL_ASSERT(group->first + group->room <= lagrange->now.count);
        for (int32_t c = group->first; c < group->first + group->count; ++c)
            check_one(contact, lagrange, g, c);
    }
    for (int32_t i = 1; i < lagrange->awake_count; ++i)
        PAL_ASSERT(lagrange->now.keys[lagrange->awake[i - 1]] <
                   lagrange->now.keys[lagrange->awake[i]]);
#else
    (void)contact, (void)lagrange;
#endif
}
