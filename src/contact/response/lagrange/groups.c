// Candidates of two patches sleep together. One that is farther apart than its patches can come
// nearer needs neither a row nor the guard. Vertices that carry force are predicted to go far, into
// what they lie on, and hardly move in the end: for rows, groups are judged by the motion that the
// last step's forces let expect, and for the guard by the corrected one. Of candidates that wake, a
// quick look along the direction that separated them last settles most.
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/lanes.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Vectors are handed over by code of the same instruction set only.
#define INLINE inline __attribute__((always_inline))

#define ROUNDING 1e-6  // relative: far above what rounding does to distances
#define SOON     8     // steps a candidate should sleep for
#define PATIENT  4     // steps of the fastest motion: groups with more room are not measured
#define STALE    3     // quick looks by a direction until it is found anew

void pal_groups_clear(PalGroups *groups)
{
    pal_array_clear(&groups->list);
    pal_free(groups->members);
    pal_free(groups->bits);
    pal_free(groups->table);
    *groups = (PalGroups){0};
}

// ---- making -----------------------------------------------------------------------------

void pal_groups_dissolve(PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    for (int32_t g = 0; g < groups->list.count; ++g) {
        const PalCandidateGroup *group = &groups->list.items[g];
        for (int32_t s = group->first; s < group->first + group->count; ++s)
            lagrange->now.wakes[s] -= group->odometer;
    }
    groups->list.count = 0;
}

// As many as there are candidates, and spare ones.
static bool make_room(PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    int32_t capacity = lagrange->now.capacity;
    if (capacity <= groups->capacity)
        return true;
    pal_free(groups->members);
    pal_free(groups->bits);
    groups->members = pal_alloc((size_t)capacity, sizeof *groups->members);
    groups->bits = pal_alloc((size_t)capacity / 64 + 1, sizeof *groups->bits);
    groups->capacity = groups->members != NULL && groups->bits != NULL ? capacity : 0;
    return groups->capacity > 0;
}

static uint32_t hash(int32_t a, int32_t b)
{
    uint64_t key = (uint64_t)(uint32_t)a << 32 | (uint64_t)(uint32_t)b;
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

// Where the group of two patches is in the table, or would be.
static int32_t *look_up(const PalGroups *groups, int32_t a, int32_t b)
{
    uint32_t mask = (uint32_t)groups->table_size - 1, place = hash(a, b) & mask;
    for (;; place = (place + 1) & mask) {
        int32_t g = groups->table[place] - 1;
        if (g < 0 ||
            (groups->list.items[g].patches[0] == a && groups->list.items[g].patches[1] == b))
            return &groups->table[place];
    }
}

// At most half of the table is used.
static bool grow_table(PalGroups *groups)
{
    int32_t size = groups->table_size > 0 ? groups->table_size : 256;
    while (size / 2 <= groups->list.count)
        size *= 2;
    if (size == groups->table_size)
        return true;
    pal_free(groups->table);
    groups->table = pal_alloc((size_t)size, sizeof *groups->table);
    groups->table_size = groups->table != NULL ? size : 0;
    for (int32_t g = 0; g < groups->list.count && groups->table != NULL; ++g) {
        const PalCandidateGroup *group = &groups->list.items[g];
        *look_up(groups, group->patches[0], group->patches[1]) = g + 1;
    }
    return groups->table != NULL;
}

// The group of two patches, which may be new; PAL_NONE: no memory.
static int32_t group_of(PalGroups *groups, int32_t a, int32_t b)
{
    int32_t *place = look_up(groups, a, b);
    if (*place > 0)
        return *place - 1;
    PalCandidateGroup fresh = {.patches = {a, b}, .wake = INFINITY};
    if (!pal_array_push(&groups->list, fresh))
        return PAL_NONE;
    *place = groups->list.count;
    return grow_table(groups) ? groups->list.count - 1 : PAL_NONE;
}

static bool assign(const PalContact *contact, PalLagrange *lagrange)
{
    PalCandidates *now = &lagrange->now;
    PalGroups *groups = &lagrange->groups;
    const int32_t *of = lagrange->patches.of;
    for (int32_t c = 0; c < now->count; ++c) {
        PalLook *look = &now->looks[c];
        int32_t g = group_of(groups, of[look->vertices[0]], of[look->vertices[look->split]]);
        if (g == PAL_NONE)
            return false;
        look->group = g;
        look->flat = pal_lagrange_is_flat(contact, lagrange, &now->items[c].features);
        ++groups->list.items[g].count;
        groups->list.items[g].flat_count += look->flat;
        groups->list.items[g].wake = pal_min(groups->list.items[g].wake, now->wakes[c]);
    }
    return true;
}

// Puts what is looked at of each group side by side, flat edges last, in their order.
static void arrange(PalLagrange *lagrange)
{
    PalCandidates *now = &lagrange->now, *spare = &lagrange->spare;
    PalGroups *groups = &lagrange->groups;
    int32_t first = 0;
    for (int32_t g = 0; g < groups->list.count; ++g) {
        PalCandidateGroup *group = &groups->list.items[g];
        group->first = first;
        group->soonest = group->wake;
        first += group->count;
        group->count -= group->flat_count;
        group->next[0] = group->first;
        group->next[1] = group->first + group->count;
        group->count += group->flat_count;
    }
    for (int32_t c = 0; c < now->count; ++c) {
        const PalLook *look = &now->looks[c];
        int32_t slot = groups->list.items[look->group].next[look->flat]++;
        groups->members[slot] = c;
        spare->looks[slot] = *look;
        spare->wakes[slot] = now->wakes[c];
        now->slots[c] = slot;
    }
    PalLook *looks = now->looks;
    double *wakes = now->wakes;
    now->looks = spare->looks;
    now->wakes = spare->wakes;
    spare->looks = looks;
    spare->wakes = wakes;
}

bool pal_groups_make(const PalContact *contact, PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    groups->list.count = 0;
    groups->fresh = true;
    lagrange->carrying_count = 0;
    if (groups->table != NULL)
        memset(groups->table, 0, (size_t)groups->table_size * sizeof *groups->table);
    if (!make_room(lagrange) || !grow_table(groups) || !assign(contact, lagrange))
        return false;
    arrange(lagrange);
    return true;
}

// ---- a quick look -----------------------------------------------------------------------

// Which numbers of two vectors make a third.
#define EVEN 0, 4, 2, 6
#define ODD  1, 5, 3, 7
#define LOW  0, 1, 4, 5

// One more number than a position has is read, and not used.
static INLINE PalLanes load(const PalVec3 *from)
{
    PalLanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

// How far apart the two sides of a candidate are along its direction.
static INLINE double apart_along(const PalVec3 *x, const PalLook *look)
{
    const int32_t *v = look->vertices;
    PalLanes n = load(&look->direction);
    PalLanes a = load(&x[v[0]]) * n, b = load(&x[v[1]]) * n, c = load(&x[v[2]]) * n,
             d = load(&x[v[3]]) * n;
    PalLanes ab = __builtin_shufflevector(a, b, EVEN), cd = __builtin_shufflevector(c, d, EVEN);
    PalLanes ab_y = __builtin_shufflevector(a, b, ODD), cd_y = __builtin_shufflevector(c, d, ODD);
    PalLanes xs = __builtin_shufflevector(ab, cd, LOW),
             ys = __builtin_shufflevector(ab_y, cd_y, LOW),
             zs = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    PalLanes p = xs + ys + zs;
    double other = pal_max(p[2], p[3]);
    return look->split == 1 ? p[0] - pal_max(p[1], other) : pal_min(p[0], p[1]) - other;
}

// Are the lines of two edges farther apart than this? Then the edges are.
static INLINE bool lines_are_apart(const PalVec3 *x, const int32_t v[4], double least, double *room)
{
    PalVec3 a = pal_vec3_sub(x[v[1]], x[v[0]]), b = pal_vec3_sub(x[v[3]], x[v[2]]);
    PalVec3 across = pal_vec3_cross(a, b);
    double along = pal_vec3_dot(across, pal_vec3_sub(x[v[2]], x[v[0]]));
    double square = pal_vec3_dot(across, across);
    if (!(along * along > least * least * square) ||
        !(square > PAL_LAGRANGE_PARALLEL * pal_vec3_dot(a, a) * pal_vec3_dot(b, b)))
        return false;
    *room = (1 - 1e-9) * fabs(along) / sqrt(square) - least;
    return true;
}

typedef struct Looker {
    PalContact *contact;
    PalLagrange *lagrange;
    PalContactSurface *surface;
    double margins[3];  // of a vertex and a facet, of two edges, of two flat ones
    double least;
} Looker;

static Looker looker_of(PalContact *contact, PalLagrange *lagrange)
{
    return (Looker){
        .contact = contact,
        .lagrange = lagrange,
        .surface = contact->surface,
        .margins = {pal_lagrange_margin(contact, PAL_CONTACT_NODE_FACET, 0),
                    pal_lagrange_margin(contact, PAL_CONTACT_EDGE_EDGE, 0),
                    pal_lagrange_kept_by_edges(contact)},
        .least = pal_lagrange_least(contact),
    };
}

// Bodies turn, and the direction that separated the two sides tells less and less.
static INLINE void find_direction(const PalContactSurface *surface, PalLook *look)
{
    PalVec3 x[4];
    for (int k = 0; k < 4; ++k)
        x[k] = surface->start[look->vertices[k]];
    PalVec3 way =
        pal_shortest_way(look->split == 1 ? PAL_CONTACT_NODE_FACET : PAL_CONTACT_EDGE_EDGE, x);
    double apart = pal_vec3_length(way);
    if (apart > 0)
        look->direction = pal_vec3_scale(1 / apart, way);
    look->stale = 0;
}

// Along the direction that separated the two sides last time, are they still so far apart that they
// need no row? Along a fixed direction the distance between two sets of points that move on
// straight lines is a concave function of time: what holds at both ends holds in between. Written
// so that what is no number is not far apart.
static INLINE bool is_far(const Looker *looker, const PalCandidateGroup *group, PalLook *look,
                          double *wake)
{
    PalContactSurface *surface = looker->surface;
    for (int k = 0; k < 4; ++k)
        pal_contact_surface_need(surface, look->vertices[k]);
    double margin = looker->margins[look->flat ? 2 : look->split - 1];
    margin = (1 + ROUNDING) * (margin + (double)look->skin / PAL_GAP_BESIDE);
    double room = apart_along(surface->start, look) - margin;
    if (room < SOON * group->nearer && ++look->stale >= STALE) {
        find_direction(surface, look);
        room = apart_along(surface->start, look) - margin;
    }
    if (!(room > 0))
        return false;
    double end = apart_along(surface->end, look);
    *wake = pal_max(*wake, group->odometer + room);
    if (look->flat)
        return end > looker->least;
    return end - pal_lagrange_less(looker->lagrange, look) > margin;
}

// ---- marking ----------------------------------------------------------------------------

void pal_groups_mark_nothing(PalLagrange *lagrange)
{
    if (lagrange->groups.bits != NULL)
        memset(lagrange->groups.bits, 0,
               ((size_t)lagrange->now.count / 64 + 1) * sizeof *lagrange->groups.bits);
}

static INLINE void mark(PalLagrange *lagrange, int32_t slot)
{
    int32_t candidate = lagrange->groups.members[slot];
    lagrange->groups.bits[candidate / 64] |= UINT64_C(1) << candidate % 64;
}

// What there is to do with a candidate that wakes: true if it is to be looked at closely.
typedef bool Wake(const Looker *looker, const PalCandidateGroup *group, int32_t slot);

static INLINE bool wake(const Looker *looker, const PalCandidateGroup *group, int32_t slot)
{
    PalCandidates *now = &looker->lagrange->now;
    return !(now->wakes[slot] > -INFINITY) ||
           !is_far(looker, group, &now->looks[slot], &now->wakes[slot]);
}

// Flat edges cross many others that are hardly farther apart than what they keep, and turn with the
// surfaces: their lines tell more than the direction that separated them last.
static INLINE bool wake_flat(const Looker *looker, const PalCandidateGroup *group, int32_t slot)
{
    PalCandidates *now = &looker->lagrange->now;
    PalContactSurface *surface = looker->surface;
    const int32_t *vertices = now->looks[slot].vertices;
    if (!(now->wakes[slot] > -INFINITY))
        return true;
    for (int k = 0; k < 4; ++k)
        pal_contact_surface_need(surface, vertices[k]);
    double room = 0;
    if (lines_are_apart(surface->start, vertices, (1 + ROUNDING) * looker->margins[2], &room)) {
        now->wakes[slot] = pal_max(now->wakes[slot], group->odometer + room);
        return false;
    }
    return !is_far(looker, group, &now->looks[slot], &now->wakes[slot]);
}

// As corrected, do two sides stay apart?
static INLINE bool wake_corrected(const Looker *looker, const PalCandidateGroup *group,
                                  int32_t slot)
{
    PalCandidates *now = &looker->lagrange->now;
    const PalContactSurface *surface = looker->surface;
    const PalLook *look = &now->looks[slot];
    (void)group;
    for (int k = 0; k < 4; ++k)
        pal_contact_surface_need(looker->surface, look->vertices[k]);
    return !(apart_along(surface->end, look) > looker->least &&
             apart_along(surface->start, look) > looker->least);
}

// Of candidates from one place to another, marks those that wake before the odometer shows this and
// have to be looked at. The first wake of all of them, but for those that may carry.
static INLINE double mark_waking(const Looker *looker, const PalCandidateGroup *group,
                                 const int32_t places[2], double shown, Wake *look)
{
    const double *wakes = looker->lagrange->now.wakes;
    const PalLanesMask lanes = {0, 1, 2, 3}, bits = {1, 2, 4, 8};
    PalLanes firsts = {INFINITY, INFINITY, INFINITY, INFINITY};
    double first = INFINITY;
    for (int32_t s = places[0]; s < places[1]; s += PAL_LANES) {
        PalLanes four;
        memcpy(&four, wakes + s, sizeof four);
        PalLanesMask listed = lanes<places[1] - s, asleep = four> shown;
        PalLanesMask sooner = (four < firsts) & asleep & listed, wake = bits & ~asleep & listed;
        firsts = (PalLanes)((sooner & (PalLanesMask)four) | (~sooner & (PalLanesMask)firsts));
        for (int64_t left = wake[0] | wake[1] | wake[2] | wake[3]; left != 0; left &= left - 1) {
            int32_t k = s + __builtin_ctzll((uint64_t)left);
            if (look(looker, group, k))
                mark(looker->lagrange, k);
            if (wakes[k] > -INFINITY)
                first = pal_min(first, wakes[k]);
        }
    }
    first = pal_min(first, pal_min(pal_min(firsts[0], firsts[1]), pal_min(firsts[2], firsts[3])));
    return first;
}

// For a row of flat edges it is the start of the step that matters.
PAL_CLONES static void mark_expected(const Looker *looker, PalCandidateGroup *group)
{
    double now = group->odometer, soon = now + group->nearer + group->less;
    double room = looker->margins[2] - looker->least;  // they have it besides
    int32_t end = group->first + group->count, flat = end - group->flat_count;
    double first = mark_waking(looker, group, (int32_t[]){group->first, flat}, soon, wake);
    double flat_first = group->nearer < room
                            ? mark_waking(looker, group, (int32_t[]){flat, end}, now, wake_flat)
                            : mark_waking(looker, group, (int32_t[]){flat, end}, soon - room, wake);
    group->wake = group->soonest = pal_min(first, flat_first);
}

void pal_groups_mark_expected(PalContact *contact, PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    PalPatches *patches = &lagrange->patches;
    const double *strides = contact->surface->object_stride;
    Looker looker = looker_of(contact, lagrange);
    pal_groups_mark_nothing(lagrange);
    groups->fresh = false;
    for (int32_t i = 0; i < lagrange->carrying_count; ++i)
        mark(lagrange, lagrange->now.slots[lagrange->carrying[i]]);
    for (int32_t g = 0; g < groups->list.count; ++g) {
        PalCandidateGroup *group = &groups->list.items[g];
        group->soonest = group->wake;
        int32_t a = group->patches[0], b = group->patches[1];
        group->less = pal_patches_most(&patches->less, a) + pal_patches_most(&patches->less, b);
        double far = strides[patches->object[a]] + strides[patches->object[b]] + patches->rounding;
        if (group->wake - group->odometer - group->less > PATIENT * far) {
            group->nearer = far;
            continue;
        }
        group->nearer = pal_patches_nearer(patches, contact->surface, a, b);
        if (!(group->wake > group->odometer + group->nearer + group->less))
            mark_expected(&looker, group);
    }
}

PAL_CLONES static void mark_corrected(const Looker *looker, PalCandidateGroup *group)
{
    double soon = group->odometer + group->nearer + group->shift + looker->least;
    int32_t end = group->first + group->count, flat = end - group->flat_count;
    mark_waking(looker, group, (int32_t[]){group->first, flat}, soon - looker->margins[1],
                wake_corrected);
    mark_waking(looker, group, (int32_t[]){flat, end}, soon - looker->margins[2], wake_corrected);
}

// Those that were looked at closely, in groups where nothing else need be. What was far there is
// safe.
static void mark_awake(const Looker *looker)
{
    PalLagrange *lagrange = looker->lagrange;
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        int32_t slot = lagrange->now.slots[lagrange->awake[i]];
        const PalLook *look = &lagrange->now.looks[slot];
        const PalCandidateGroup *group = &lagrange->groups.list.items[look->group];
        double soon = group->odometer + group->nearer + group->shift + looker->least;
        if (!group->pushed &&
            !(lagrange->now.wakes[slot] > soon - looker->margins[look->flat ? 2 : 1]))
            mark(lagrange, slot);
    }
}

// Tells patches how far vertices end from where they were expected.
static void tell_shifts(const PalContactSurface *surface, PalLagrange *lagrange)
{
    PalPatches *patches = &lagrange->patches;
    pal_patches_correct(patches);
    for (int32_t i = 0; i < lagrange->touched_count; ++i) {
        int32_t v = lagrange->touched[i];
        double shift = pal_vec3_distance(surface->end[v], lagrange->predicted[v]);
        pal_patches_tell(patches, &patches->shift, v, shift);
    }
}

void pal_groups_mark_corrected(PalContact *contact, PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    PalPatches *patches = &lagrange->patches;
    Looker looker = looker_of(contact, lagrange);
    pal_groups_mark_nothing(lagrange);
    tell_shifts(contact->surface, lagrange);
    for (int32_t g = 0; g < groups->list.count; ++g) {
        PalCandidateGroup *group = &groups->list.items[g];
        int32_t a = group->patches[0], b = group->patches[1];
        if (groups->fresh)
            group->nearer = pal_patches_nearer(patches, contact->surface, a, b);
        group->shift = pal_patches_most(&patches->shift, a) + pal_patches_most(&patches->shift, b);
        double soon = group->odometer + group->nearer + group->shift + looker.least;
        bool pushed = groups->fresh || !(group->shift == 0);
        group->pushed = pushed && !(group->soonest > soon - looker.margins[2]);
        if (group->pushed)
            mark_corrected(&looker, group);
    }
    mark_awake(&looker);
}

void pal_groups_pass(PalLagrange *lagrange)
{
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g)
        lagrange->groups.list.items[g].odometer +=
            lagrange->groups.list.items[g].nearer + lagrange->groups.list.items[g].shift;
}

int32_t pal_groups_list(const PalLagrange *lagrange, int32_t *candidates)
{
    const uint64_t *bits = lagrange->groups.bits;
    int32_t count = 0;
    for (int32_t word = 0; 64 * word < lagrange->now.count; ++word)
        for (uint64_t left = bits[word]; left != 0; left &= left - 1)
            candidates[count++] = 64 * word + __builtin_ctzll(left);
    return count;
}
