// Vertex-facet and edge-edge pairs out of pairs of facets. Each vertex and each edge has one facet
// that answers for it, so that each pair comes up once.
#include "base/assert.h"
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"
#include "contact/search/method.h"
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

typedef struct Builder {
    const PalContactSurface *surface;
    PalCandidates *into;
    const PalCandidates *old;
    int32_t next;             // first old candidate not yet passed
    const PalPlaces *places;  // NULL: the list holds for this step only
    const PalContact *contact;
    double approach;  // how much nearer a step may bring what is listed for this step only
    double friction;
    bool keeps_all;
    int32_t pair[2];
    int32_t limit;  // of candidates
    bool crowded;
} Builder;

void pal_candidates_clear(PalCandidates *candidates)
{
    pal_free(candidates->items);
    pal_free(candidates->slots);
    pal_free(candidates->looks);
    pal_free(candidates->wakes);
}

static bool reserve(PalCandidates *candidates, int32_t capacity)
{
    PalCandidates more = {
        .count = candidates->count,
        .capacity = capacity,
        .items = pal_alloc((size_t)capacity, sizeof *more.items),
        .slots = pal_alloc((size_t)capacity, sizeof *more.slots),
        .looks = pal_alloc((size_t)capacity, sizeof *more.looks),
        .wakes = pal_alloc((size_t)capacity + PAL_LANES, sizeof *more.wakes),  // read by fours
    };
    if (more.items == NULL || more.slots == NULL || more.looks == NULL || more.wakes == NULL) {
        pal_candidates_clear(&more);
        return false;
    }
    size_t count = (size_t)candidates->count;
    if (count > 0) {
        memcpy(more.items, candidates->items, count * sizeof *more.items);
        memcpy(more.slots, candidates->slots, count * sizeof *more.slots);
        memcpy(more.looks, candidates->looks, count * sizeof *more.looks);
        memcpy(more.wakes, candidates->wakes, count * sizeof *more.wakes);
    }
    pal_candidates_clear(candidates);
    *candidates = more;
    return true;
}

static bool grow(PalCandidates *candidates)
{
    return reserve(candidates, candidates->capacity + candidates->capacity / 2 + 1024);
}

static int compare(const PalCandidate *a, const PalCandidate *b)
{
    if (a->pair[0] != b->pair[0])
        return a->pair[0] < b->pair[0] ? -1 : 1;
    if (a->pair[1] != b->pair[1])
        return a->pair[1] < b->pair[1] ? -1 : 1;
    return a->place - b->place;
}

static bool copy_next(Builder *builder)
{
    PalCandidates *into = builder->into;
    const PalCandidates *old = builder->old;
    if (into->count == into->capacity && !grow(into))
        return false;
    int32_t slot = old->slots[builder->next];
    into->items[into->count] = old->items[builder->next++];
    into->slots[into->count] = into->count;
    into->looks[into->count] = old->looks[slot];
    into->wakes[into->count++] = old->wakes[slot];
    return true;
}

// Passes over the old candidates before this one; or over all there are.
static bool skip_to(Builder *builder, const PalCandidate *candidate)
{
    const PalCandidates *old = builder->old;
    bool good = true;
    while (good && builder->next < old->count &&
           (candidate == NULL || compare(&old->items[builder->next], candidate) < 0)) {
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

// Boxes of what is inclined to the axes are wide: of pairs whose boxes are near each other, more
// than half are still too far apart. If not, this is the direction in which they are.
static bool stay_far(const Builder *builder, const PalFeatures *features, PalVec3 *direction)
{
    const PalVec3 *at = builder->surface->start;
    PalVec3 centres[4];
    double rooms[2] = {0, 0};
    int split = pal_kind_split(features->kind);
    for (int k = 0; k < 4; ++k) {
        int32_t v = features->vertices[k];
        centres[k] = builder->places != NULL ? builder->places->items[v].centre : at[v];
        if (builder->places != NULL)
            rooms[k >= split] = pal_max(rooms[k >= split], builder->places->items[v].radius);
    }
    double reach = reach_of(builder, features->vertices, split);
    PalVec3 way = pal_shortest_way(features->kind, centres);
    double apart = pal_vec3_length(way);
    *direction = apart > 0 ? pal_vec3_scale(1 / apart, way) : pal_vec3(0, 0, 0);
    return builder->places != NULL && (1 - 1e-9) * apart > reach + rooms[0] + rooms[1];
}

// Adds a candidate, with what is known of it from before.
static bool add(Builder *builder, const PalCandidate *fresh)
{
    PalCandidates *into = builder->into;
    const PalCandidates *old = builder->old;
    PalVec3 direction;
    if (stay_far(builder, &fresh->features, &direction))
        return true;
    builder->crowded = into->count >= builder->limit;
    if (builder->crowded || !skip_to(builder, fresh) ||
        (into->count == into->capacity && !grow(into)))
        return false;
    bool known = builder->next < old->count && compare(&old->items[builder->next], fresh) == 0;
    PalCandidate *added = &into->items[into->count];
    PalLook *look = &into->looks[into->count];
    *added = *fresh;
    *look = (PalLook){.direction = direction, .row = PAL_ASLEEP};
    into->slots[into->count] = into->count;
    into->wakes[into->count] = -DBL_MAX;  // a quick look may do
    if (known) {                          // a restored one has nothing else
        const PalCandidate *before = &old->items[builder->next];
        int32_t slot = old->slots[builder->next++];
        added->impulse = before->impulse;
        added->drag = before->drag;
        added->found = before->found;
        *look = old->looks[slot];
        into->wakes[into->count] = old->wakes[slot];
    }
    memcpy(look->vertices, fresh->features.vertices, sizeof look->vertices);
    look->split = (int16_t)pal_kind_split(fresh->features.kind);
    look->skin = skin_of(builder, look->vertices, look->split);
    ++into->count;
    return true;
}

static void grow_range(double x, double *lower, double *upper)
{
    *lower = pal_min(*lower, x);
    *upper = pal_max(*upper, x);
}

// Where a vertex may be along one axis while the list holds.
static void add_range(const Builder *builder, int32_t vertex, int axis, double *lower,
                      double *upper)
{
    if (builder->places != NULL) {
        double centre = pal_vec3_at(builder->places->items[vertex].centre, axis);
        double radius = builder->places->items[vertex].radius;
        grow_range(centre - radius, lower, upper);
        grow_range(centre + radius, lower, upper);
    } else {
        PalVec3 start = pal_contact_surface_start(builder->surface, vertex);
        PalVec3 end = pal_contact_surface_end(builder->surface, vertex);
        grow_range(pal_vec3_at(start, axis), lower, upper);
        grow_range(pal_vec3_at(end, axis), lower, upper);
    }
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

static bool is_renewed(const PalSearch *search, int32_t facet)
{
    return search->renewed[facet >> 6] >> (facet & 63) & 1;
}

// Takes over the candidates of a pair that was listed before.
static bool keep_pair(Builder *builder)
{
    const PalCandidates *old = builder->old;
    PalCandidate first = {.pair = {builder->pair[0], builder->pair[1]}, .place = -1};
    if (!skip_to(builder, &first))
        return false;
    while (builder->next < old->count && old->items[builder->next].pair[0] == first.pair[0] &&
           old->items[builder->next].pair[1] == first.pair[1])
        if (!copy_next(builder))
            return false;
    return true;
}

// Lists that have as much room as there are candidates.
static bool match_capacity(PalLagrange *lagrange)
{
    int32_t capacity = lagrange->now.capacity;
    if (capacity <= lagrange->capacity)
        return true;
    pal_free(lagrange->awake);
    pal_free(lagrange->hits);
    pal_free(lagrange->carrying);
    lagrange->awake = pal_alloc((size_t)capacity, sizeof *lagrange->awake);
    lagrange->hits = pal_alloc((size_t)capacity, sizeof *lagrange->hits);
    lagrange->carrying = pal_alloc((size_t)capacity, sizeof *lagrange->carrying);
    lagrange->capacity = capacity;
    return lagrange->awake != NULL && lagrange->hits != NULL && lagrange->carrying != NULL;
}

// All pairs of the list, in their order.
static bool add_pairs(const PalContact *contact, const PalLagrange *lagrange, Builder *builder)
{
    const PalSearch *search = contact->search;
    bool added = true, goes_on = builder->places != NULL && search->renewed != NULL &&
                                 search->generation == lagrange->generation + 1;
    for (int32_t p = 0; p < search->pair_count && added; ++p) {
        int32_t a = builder->pair[0] = search->pairs[p].a,
                b = builder->pair[1] = search->pairs[p].b;
        if (goes_on && !is_renewed(search, a) && !is_renewed(search, b)) {
            added = keep_pair(builder);
            continue;
        }
        builder->friction = pal_contact_friction(contact, builder->surface->facet_object[a],
                                                 builder->surface->facet_object[b]);
        added = add_pair(builder);
    }
    return added && skip_to(builder, NULL);
}

// The facet that is in most pairs.
static int32_t most_crowded(const PalContact *contact)
{
    const PalSearch *search = contact->search;
    int32_t *count = pal_alloc((size_t)contact->surface->facet_count, sizeof *count), most = 0;
    for (int32_t p = 0; p < search->pair_count && count != NULL; ++p) {
        int32_t a = search->pairs[p].a, b = search->pairs[p].b;
        ++count[a];
        ++count[b];
        most = count[a] > count[most] ? a : most;
        most = count[b] > count[most] ? b : most;
    }
    pal_free(count);
    return most;
}

// Nothing moves far: facets are crushed or folded together, or far finer than what they touch.
static PalStatus report_crushed(const PalContact *contact, PalError *error)
{
    const PalContactSurface *surface = contact->surface;
    int32_t facet = most_crowded(contact);
    PalVec3 p = surface->start[surface->facets[facet][0]];
    return pal_error_set(
        error, PAL_SIM_FAILED,
        "contact at time %.6g: the surface of '%s' around (%.4g, %.4g, %.4g) is crushed or folded "
        "so that %d pairs of facets are near each other, too many to be looked at; its load is too "
        "large: lower it or refine; laws that resist collapse most are mooney-rivlin, ogden and "
        "veronda-westmann",
        surface->motion.start_time,
        pal_contact_object_name(surface->motion.model, surface->facet_object[facet]), p.x, p.y, p.z,
        contact->search->pair_count);
}

static PalStatus report_crowd(const PalContact *contact, PalError *error)
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
        return report_crushed(contact, error);
    return pal_error_set(
        error, PAL_SIM_FAILED,
        "contact at time %.6g: '%s' moves by %.3g mean edges in one step and sweeps through too "
        "many facets; slow it down, or use a smaller step",
        surface->motion.start_time,
        pal_contact_object_name(surface->motion.model, surface->vertex_object[fastest]),
        farthest / contact->edge);
}

static int32_t most_candidates(const PalContactSurface *surface)
{
    int64_t most = CROWD + (int64_t)CROWD_PER_FACET * surface->facet_count +
                   (int64_t)CROWD_PER_OBJECT * surface->object_count;
    return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

static PalStatus renew(PalContact *contact, PalLagrange *lagrange, bool keeps_all, PalError *error)
{
    const PalSearch *search = contact->search;
    const PalPlaces *places = pal_search_places(search);
    pal_groups_dissolve(lagrange);
    lagrange->spare.count = 0;
    Builder builder = {
        .surface = contact->surface,
        .into = &lagrange->spare,
        .old = &lagrange->now,
        .places = places,
        .contact = contact,
        .approach = places != NULL ? 0 : search->approach,
        .keeps_all = keeps_all,
        .limit = most_candidates(contact->surface),
    };
    bool added = add_pairs(contact, lagrange, &builder);
    PalCandidates old = lagrange->now;
    lagrange->now = lagrange->spare;
    lagrange->spare = old;
    if (builder.crowded)
        return report_crowd(contact, error);
    if (!added || !match_capacity(lagrange) ||
        (lagrange->spare.capacity < lagrange->now.capacity &&
         !reserve(&lagrange->spare, lagrange->now.capacity)) ||
        !pal_groups_make(contact, lagrange))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %d pairs of facets in contact",
                             search->pair_count);
    lagrange->generation = search->generation;
    return PAL_OK;
}

PalStatus pal_candidates_update(PalContact *contact, PalLagrange *lagrange, PalError *error)
{
    if (lagrange->generation == contact->search->generation)
        return PAL_OK;
    PAL_TRY(renew(contact, lagrange, false, error));
    lagrange->awake_count = 0;
    for (int32_t c = 0; c < lagrange->now.count; ++c)
        lagrange->now.looks[c].row = PAL_ASLEEP;
    return PAL_OK;
}

PalStatus pal_candidates_add(PalContact *contact, PalLagrange *lagrange, PalError *error)
{
    if (lagrange->generation == contact->search->generation)
        return PAL_OK;
    PAL_TRY(renew(contact, lagrange, true, error));
    lagrange->awake_count = 0;
    for (int32_t c = 0; c < lagrange->now.count; ++c) {
        int32_t row = pal_lagrange_look(lagrange, c)->row;
        if (row != PAL_ASLEEP)
            lagrange->awake[lagrange->awake_count++] = c;
        if (row >= 0)
            lagrange->rows.items[row].source = c;
    }
    return PAL_OK;
}

void pal_candidates_validate(const PalContact *contact, const PalLagrange *lagrange)
{
#ifndef NDEBUG
    const PalCandidates *now = &lagrange->now;
    for (int32_t c = 0; c < now->count; ++c) {
        const PalCandidate *candidate = &now->items[c];
        const PalLook *look = pal_lagrange_look(lagrange, c);
        double wake = now->wakes[now->slots[c]];
        int32_t row = look->row;
        PAL_ASSERT(c == 0 || compare(&now->items[c - 1], candidate) < 0);
        PAL_ASSERT(row >= PAL_ASLEEP && row < lagrange->rows.count);
        PAL_ASSERT(row < 0 || lagrange->rows.items[row].source == c);
        PAL_ASSERT(!(candidate->impulse < 0) && !isnan(wake));
        PAL_ASSERT(look->group >= 0 && look->group < lagrange->groups.list.count);
        PAL_ASSERT(!(wake < lagrange->groups.list.items[look->group].soonest));
        PAL_ASSERT(look->split == pal_kind_split(candidate->features.kind));
        for (int k = 0; k < 4; ++k) {
            PAL_ASSERT(look->vertices[k] == candidate->features.vertices[k]);
            PAL_ASSERT(look->vertices[k] < contact->surface->vertex_count);
        }
    }
#else
    (void)contact, (void)lagrange;
#endif
}

// ---- checkpoints --------------------------------------------------------------------------

#define PLACES 15  // of vertices and edges in a pair of facets
#define FOUND  16  // added to the place of a candidate the guard has found; places are fewer

static bool is_kept(const PalCandidate *candidate)
{
    PalVec3 drag = candidate->drag;
    return candidate->impulse != 0 || drag.x != 0 || drag.y != 0 || drag.z != 0;
}

int32_t pal_candidates_kept_count(const PalContact *contact)
{
    const PalLagrange *lagrange = contact->own;
    int32_t count = 0;
    for (int32_t c = 0; c < lagrange->now.count; ++c)
        count += is_kept(&lagrange->now.items[c]);
    return count;
}

void pal_candidates_keep(const PalContact *contact, PalKept *rows)
{
    const PalLagrange *lagrange = contact->own;
    for (int32_t c = 0; c < lagrange->now.count; ++c) {
        const PalCandidate *candidate = &lagrange->now.items[c];
        PalVec3 direction = pal_lagrange_look(lagrange, c)->direction, drag = candidate->drag;
        if (is_kept(candidate))
            *rows++ = (PalKept){
                .key = {candidate->pair[0], candidate->pair[1],
                        candidate->place + (candidate->found ? FOUND : 0)},
                .numbers = {direction.x, direction.y, direction.z, candidate->impulse, drag.x,
                            drag.y, drag.z},
            };
    }
}

#define DRAG_MOST 1e6     // times the impulse: more than any friction holds
#define NOTHING   1e-150  // squares of less are lost

static bool numbers_are_sound(const PalKept *rows, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        const double *n = rows[i].numbers;
        double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        bool unit = fabs(square - 1) < 1e-9;
        double drag = sqrt(n[4] * n[4] + n[5] * n[5] + n[6] * n[6]);
        if (!(n[3] >= 0) || !(unit || square == 0) || !(drag <= DRAG_MOST * n[3] + NOTHING))
            return false;
    }
    return true;
}

// Pairs of facets that there are, places that there are, each once and in order.
static bool keys_are_sound(const PalContactSurface *surface, const PalKept *rows, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        const int64_t *key = rows[i].key, *last = i > 0 ? rows[i - 1].key : NULL;
        int64_t place = key[2] % FOUND, last_place = last != NULL ? last[2] % FOUND : PAL_NONE;
        if (key[0] < 0 || key[0] >= key[1] || key[1] >= surface->facet_count || key[2] < 0 ||
            key[2] >= 2 * FOUND || place >= PLACES)
            return false;
        if (last != NULL && (key[0] < last[0] || (key[0] == last[0] && key[1] < last[1]) ||
                             (key[0] == last[0] && key[1] == last[1] && place <= last_place)))
            return false;
    }
    return true;
}

// The rest of each candidate is found again when the list is made next.
PalStatus pal_candidates_restore(PalContact *contact, const PalKept *rows, int32_t count)
{
    if (!keys_are_sound(contact->surface, rows, count) || !numbers_are_sound(rows, count))
        return PAL_BAD_INPUT;
    PalLagrange *lagrange = contact->own;
    PalCandidates *now = &lagrange->now;
    now->count = 0;
    lagrange->awake_count = lagrange->carrying_count = lagrange->groups.list.count = 0;
    lagrange->generation = -1;
    for (int32_t i = 0; i < count; ++i) {
        if (now->count == now->capacity && !grow(now))
            return PAL_NO_MEMORY;
        const double *numbers = rows[i].numbers;
        now->looks[now->count] = (PalLook){
            .direction = {numbers[0], numbers[1], numbers[2]},
            .row = PAL_ASLEEP,
        };
        now->wakes[now->count] = -INFINITY;
        now->slots[now->count] = now->count;
        now->items[now->count++] = (PalCandidate){
            .pair = {(int32_t)rows[i].key[0], (int32_t)rows[i].key[1]},
            .place = (int32_t)rows[i].key[2] % FOUND,
            .found = rows[i].key[2] >= FOUND,
            .impulse = numbers[3],
            .drag = {numbers[4], numbers[5], numbers[6]},
        };
    }
    return PAL_OK;
}
