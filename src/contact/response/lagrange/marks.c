// Candidates of two patches sleep together. One that is farther apart than its patches can come
// nearer needs neither a row nor the guard. Vertices that carry force are predicted to go far, into
// what they lie on, and hardly move in the end: for rows, groups are judged by the motion that the
// last step's forces let expect, and for the guard by the corrected one. Of candidates that wake, a
// quick look along the direction that separated them last settles most.
#include "base/parallel.h"
#include "contact/response/lagrange/looks.h"
#include "math/lanes.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Vectors are handed over by code of the same instruction set only.
#define INLINE inline __attribute__((always_inline))

#define ROUNDING 1e-6  // relative: far above what rounding does to distances
#define SOON     8     // steps a candidate should sleep for
#define STALES   3     // quick looks by a direction until it is found anew
#define SHARED   1024  // candidates of groups that are looked at: from here on by several threads
#define TOGETHER 8     // groups that a thread takes at a time

enum { AT_A_TIME = 64, WAKING = 256 };  // slots that are gone through, candidates that wake

// ---- a quick look -----------------------------------------------------------------------

typedef double Two __attribute__((vector_size(2 * sizeof(double))));

// The first two numbers of two positions. No more than a position has is read: another thread may
// be placing the next vertex.
static INLINE PalLanes load(const PalVec3 *one, const PalVec3 *other)
{
    Two first, second;
    memcpy(&first, one, sizeof first);
    memcpy(&second, other, sizeof second);
    return __builtin_shufflevector(first, second, 0, 1, 2, 3);
}

// How far apart the two sides of a candidate are along its direction.
static INLINE double apart_along(const PalVec3 *x, const PalLook *look)
{
    const PalVec3 *a = &x[look->vertices[0]], *b = &x[look->vertices[1]];
    const PalVec3 *c = &x[look->vertices[2]], *d = &x[look->vertices[3]];
    PalLanes n = load(&look->direction, &look->direction);
    PalLanes ac = load(a, c) * n, bd = load(b, d) * n;
    PalLanes xs = __builtin_shufflevector(ac, bd, 0, 4, 2, 6),
             ys = __builtin_shufflevector(ac, bd, 1, 5, 3, 7),
             zs = (PalLanes){a->z, b->z, c->z, d->z} * look->direction.z;
    PalLanes p = xs + ys + zs;
    double other = pal_max(p[2], p[3]);
    return look->split == 1 ? p[0] - pal_max(p[1], other) : pal_min(p[0], p[1]) - other;
}

typedef struct Looker {
    PalContact *contact;
    PalLagrange *lagrange;
    PalContactSurface *surface;
    const PalVec3 *start, *end;  // of its vertices
    PalLook *looks;              // of candidates
    double *wakes;
    double margins[3];  // of a vertex and a facet, of two edges, of two flat ones
    double wide[3];     // the same, and a little more
    double least;
    double spare;  // what flat edges keep besides
    bool shared;   // by several threads
} Looker;

// Once no list is made anew any more: candidates may come to other places.
static Looker looker_of(PalContact *contact, PalLagrange *lagrange)
{
    double kept = pal_lagrange_kept_by_edges(contact), least = pal_lagrange_least(contact);
    Looker looker = {
        .contact = contact,
        .lagrange = lagrange,
        .surface = contact->surface,
        .start = contact->surface->start,
        .end = contact->surface->end,
        .looks = lagrange->now.looks,
        .wakes = lagrange->now.wakes,
        .margins = {pal_lagrange_margin(contact, PAL_CONTACT_NODE_FACET, 0),
                    pal_lagrange_margin(contact, PAL_CONTACT_EDGE_EDGE, 0), kept},
        .least = least,
        .spare = kept - least,
    };
    for (int k = 0; k < 3; ++k)
        looker.wide[k] = (1 + ROUNDING) * looker.margins[k];
    return looker;
}

// Nearer than this, a candidate may need a row.
static INLINE double margin_of(const Looker *looker, const PalLook *look)
{
    int kind = look->flat ? 2 : look->split - 1;
    if (look->skin == 0)
        return looker->wide[kind];
    return (1 + ROUNDING) * (looker->margins[kind] + (double)look->skin / PAL_GAP_BESIDE);
}

// What a quick look tells of a candidate.
typedef enum Verdict {
    NEAR,   // it is to be looked at closely
    FAR,    // it needs no row
    STALE,  // its direction is to be found anew first
} Verdict;

// Along the direction that separated the two sides last time, are they still so far apart that they
// need no row? Along a fixed direction the distance between two sets of points that move on
// straight lines is a concave function of time: what holds at both ends holds in between. Written
// so that what is no number is not far apart. `anew`: the direction was found in this step.
static INLINE Verdict look_along(const Looker *looker, const PalCandidateGroup *group, int32_t slot,
                                 bool anew)
{
    PalLook *look = &looker->looks[slot];
    double *wake = &looker->wakes[slot];
    double margin = margin_of(looker, look);
    double room = apart_along(looker->start, look) - margin;
    if (room < SOON * group->nearer && !anew && ++look->stale >= STALES)
        return STALE;
    if (!(room > 0))
        return NEAR;
    *wake = pal_max(*wake, group->odometer + room);
    if (room > group->nearer + group->less)
        return FAR;  // it could as well have slept
    double end = apart_along(looker->end, look);
    if (look->flat)
        return end > looker->least ? FAR : NEAR;
    return end - pal_lagrange_less(looker->lagrange, look) > margin ? FAR : NEAR;
}

// The same kind four at a time. Bodies turn, and directions that separated two sides tell less and
// less.
static void find_directions(const Looker *looker, const int32_t *slots, int count, int split)
{
    const int32_t *vertices[PAL_LANES];
    PalVec3 ways[PAL_LANES];
    for (int k = 0; k < PAL_LANES; ++k)
        vertices[k] = looker->looks[slots[k < count ? k : 0]].vertices;
    pal_shortest_ways(split == 1 ? PAL_CONTACT_NODE_FACET : PAL_CONTACT_EDGE_EDGE, looker->start,
                      vertices, ways);
    for (int k = 0; k < count; ++k) {
        PalLook *look = &looker->looks[slots[k]];
        double apart = pal_vec3_length(ways[k]);
        if (apart > 0)
            look->direction = pal_vec3_scale(1 / apart, ways[k]);
        look->stale = 0;
    }
}

static void find_all_directions(const Looker *looker, const int32_t *slots, int32_t count)
{
    int32_t four[2][PAL_LANES];
    int counts[2] = {0, 0};
    for (int32_t i = 0; i < count; ++i) {
        int split = looker->looks[slots[i]].split;
        four[split - 1][counts[split - 1]++] = slots[i];
        if (counts[split - 1] < PAL_LANES)
            continue;
        find_directions(looker, four[split - 1], PAL_LANES, split);
        counts[split - 1] = 0;
    }
    for (int k = 0; k < 2; ++k)
        if (counts[k] > 0)
            find_directions(looker, four[k], counts[k], k + 1);
}

// Does what told the last time that it needs no row still do so, whatever it does in the step?
static INLINE bool still_has_none(const Looker *looker, PalLook *look, int32_t slot)
{
    if (look->beside)
        look->beside = pal_gap_is_beside(looker->start, look->vertices, look->split, look->owned,
                                         looker->contact->separation);
    if (look->beside || !look->hollow)
        return look->beside;
    const int32_t *edges = looker->lagrange->now.items[slot].features.items;
    look->hollow = looker->surface->plain &&
                   (pal_lagrange_is_hollow(looker->contact, looker->lagrange, edges[0]) ||
                    pal_lagrange_is_hollow(looker->contact, looker->lagrange, edges[1]));
    return look->hollow;
}

// Where the distance has no minimum at the start, one that carries nothing needs no row, as a
// vertex and all facets around the one that it lies on. Nor do hollow edges. Nor has the guard to
// look at it, if it does not come too near as expected.
static INLINE bool is_beside(const Looker *looker, const PalCandidateGroup *group, int32_t slot)
{
    PalLook *look = &looker->looks[slot];
    double *wake = &looker->wakes[slot];
    double soon = group->odometer + group->nearer + looker->least;
    if (!still_has_none(looker, look, slot))
        return false;
    if (*wake > soon - looker->margins[look->flat ? 2 : 1])
        return true;
    double apart = apart_along(looker->start, look);
    *wake = pal_max(*wake, group->odometer + apart - margin_of(looker, look));
    return apart > looker->least && apart_along(looker->end, look) > looker->least;
}

// ---- marking ----------------------------------------------------------------------------

// Candidates of two groups may have their bits in one word, and two threads look at them. Alone, it
// takes a tenth of the time.
static INLINE void mark(const Looker *looker, int32_t slot)
{
    uint64_t *word = &looker->lagrange->groups.bits[slot / 64], bit = UINT64_C(1) << slot % 64;
    if (looker->shared)
        __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    else
        *word |= bit;
}

// Flat edges cross many others that are hardly farther apart than what they keep, and turn with the
// surfaces: their lines tell more than the direction that separated them last. For a row it is the
// start of the step that matters.
static INLINE bool are_lines_apart(const Looker *looker, const PalCandidateGroup *group,
                                   int32_t slot)
{
    const PalLook *look = &looker->looks[slot];
    double room = 0;
    if (!look->flat || !(group->nearer < looker->spare) ||
        !pal_lines_are_apart(looker->start, look->vertices, looker->wide[2], &room))
        return false;
    looker->wakes[slot] = pal_max(looker->wakes[slot], group->odometer + room);
    return true;
}

// One that may carry is to be looked at closely in any case.
static INLINE Verdict wake_expected(const Looker *looker, PalCandidateGroup *group, int32_t slot,
                                    bool anew)
{
    const PalLook *look = &looker->looks[slot];
    Verdict verdict = FAR;
    if (!anew) {
        if (!(looker->wakes[slot] > -INFINITY))
            return NEAR;
        pal_contact_surface_need_four(looker->surface, look->vertices);
    }
    if (anew || (!are_lines_apart(looker, group, slot) &&
                 !((look->beside || look->hollow) && is_beside(looker, group, slot))))
        verdict = look_along(looker, group, slot, anew);
    if (verdict != STALE)
        group->wake = pal_min(group->wake, looker->wakes[slot]);
    return verdict;
}

// As corrected, do two sides stay apart?
static INLINE Verdict wake_corrected(const Looker *looker, int32_t slot)
{
    const PalLook *look = &looker->looks[slot];
    pal_contact_surface_need_four(looker->surface, look->vertices);
    return apart_along(looker->start, look) > looker->least &&
                   apart_along(looker->end, look) > looker->least
               ? FAR
               : NEAR;
}

// Candidates of some groups that wake. What a look at them takes is fetched while others are found.
typedef struct Waking {
    const Looker *looker;
    int32_t count;
    int32_t slots[WAKING];
} Waking;

// Marks those that have to be looked at closely. Directions that are found anew are found together.
static INLINE void look_at_all(Waking *waking, bool corrected)
{
    const Looker *looker = waking->looker;
    const PalLook *looks = looker->looks;
    PalCandidateGroup *groups = looker->lagrange->groups.list.items;
    for (bool anew = false; waking->count > 0; anew = true) {
        int32_t count = waking->count;
        waking->count = 0;
        for (int32_t i = 0; i < count; ++i) {
            int32_t k = waking->slots[i];
            Verdict verdict = corrected ? wake_corrected(looker, k)
                                        : wake_expected(looker, &groups[looks[k].group], k, anew);
            if (verdict == NEAR)
                mark(looker, k);
            else if (verdict == STALE)
                waking->slots[waking->count++] = k;
        }
        if (waking->count > 0)
            find_all_directions(looker, waking->slots, waking->count);
    }
}

// Which of so many candidates, 64 at most, wake before the odometer shows this, in bits; the first
// wake of the others. What is behind them may be another thread's.
static INLINE uint64_t find_waking(const double *wakes, int32_t count, double shown, double *first)
{
    const PalLanes endless = {INFINITY, INFINITY, INFINITY, INFINITY};
    PalLanesMask waking = {0, 0, 0, 0}, bits = {1, 2, 4, 8};
    PalLanes firsts = endless;
    int32_t k = 0;
    for (; k + PAL_LANES <= count; k += PAL_LANES, bits <<= PAL_LANES) {
        PalLanes four;
        memcpy(&four, wakes + k, sizeof four);
        PalLanesMask asleep = four > shown, sooner = (four < firsts) & asleep;
        waking |= bits & ~asleep;
        firsts = (PalLanes)((sooner & (PalLanesMask)four) | (~sooner & (PalLanesMask)firsts));
    }
    *first = pal_min(pal_min(firsts[0], firsts[1]), pal_min(firsts[2], firsts[3]));
    uint64_t all = (uint64_t)((waking[0] | waking[1]) | (waking[2] | waking[3]));
    for (; k < count; ++k) {
        if (wakes[k] > shown)
            *first = pal_min(*first, wakes[k]);
        else
            all |= UINT64_C(1) << k;
    }
    return all;
}

// Before the odometer of a group shows this, its candidates wake; flat ones apart.
static INLINE double shown_by(const Looker *looker, const PalCandidateGroup *group, bool flat,
                              bool corrected)
{
    if (corrected)
        return group->odometer + group->nearer + group->shift + looker->least -
               looker->margins[flat ? 2 : 1];
    double now = group->odometer, soon = now + group->nearer + group->less;
    return !flat ? soon : group->nearer < looker->spare ? now : soon - looker->spare;
}

// Looks at those candidates of some groups that wake. A look is inlined once: more would not fit
// into the first cache.
static INLINE void mark_groups(const Looker *looker, const int32_t *indices, int32_t count,
                               bool corrected)
{
    PalCandidateGroup *groups = looker->lagrange->groups.list.items;
    Waking waking;
    waking.looker = looker;
    for (int32_t i = 0, done = 0; i < count;) {
        waking.count = 0;  // all have been looked at
        while (i < count && waking.count + AT_A_TIME <= WAKING) {
            PalCandidateGroup *group = &groups[indices[i]];
            int32_t plain = group->count - group->flat_count;
            bool flat = done >= plain;
            int32_t some = (flat ? group->count : plain) - done, slot = group->first + done;
            some = some < AT_A_TIME ? some : AT_A_TIME;
            if (done == 0 && !corrected)
                group->wake = INFINITY;
            double shown = shown_by(looker, group, flat, corrected), first;
            uint64_t left = find_waking(looker->wakes + slot, some, shown, &first);
            if (!corrected)
                group->wake = pal_min(group->wake, first);
            for (; left != 0; left &= left - 1) {
                int32_t k = slot + __builtin_ctzll(left);
                __builtin_prefetch(&looker->looks[k]);
                waking.slots[waking.count++] = k;
            }
            done += some;
            if (done == group->count) {
                done = 0;
                ++i;
            }
        }
        look_at_all(&waking, corrected);
    }
}

// Marks candidates of some groups as is expected. All learn when the first of them wakes, but for
// those that may carry.
PAL_CLONES static void mark_expected(const Looker *looker, const int32_t *indices, int32_t count)
{
    PalCandidateGroup *groups = looker->lagrange->groups.list.items;
    mark_groups(looker, indices, count, false);
    for (int32_t i = 0; i < count; ++i)
        groups[indices[i]].soonest = groups[indices[i]].wake;
}

// The same as corrected; nothing is learned.
PAL_CLONES static void mark_corrected(const Looker *looker, const int32_t *indices, int32_t count)
{
    mark_groups(looker, indices, count, true);
}

// ---- marking by several threads ---------------------------------------------------------

typedef void MarkGroups(const Looker *looker, const int32_t *indices, int32_t count);

typedef struct Marking {
    const Looker *looker;
    MarkGroups *look;
} Marking;

static void mark_some(void *context, int32_t index, int32_t worker)
{
    const Marking *marking = context;
    const PalGroups *groups = &marking->looker->lagrange->groups;
    (void)worker;
    int32_t first = index * TOGETHER, left = groups->waking.count - first;
    marking->look(marking->looker, groups->waking.items + first, left < TOGETHER ? left : TOGETHER);
}

// Looks at the groups in which candidates wake. Vertices are placed as they are looked at, but
// where threads share groups and vertices are no nodes: then before.
static void mark_waking_groups(Looker *looker, MarkGroups *look)
{
    PalLagrange *lagrange = looker->lagrange;
    const PalGroups *groups = &lagrange->groups;
    Marking marking = {looker, look};
    int32_t tasks = (groups->waking.count + TOGETHER - 1) / TOGETHER, threads = 1;
    int64_t candidates = 0;
    for (int32_t i = 0; i < groups->waking.count && lagrange->thread_count > 1; ++i)
        candidates += groups->list.items[groups->waking.items[i]].count;
    if (candidates >= SHARED && tasks > 1) {
        threads = lagrange->thread_count;
        for (int32_t i = 0; i < 2 * groups->waking.count && !looker->surface->plain; ++i)
            pal_patches_place(&lagrange->patches, looker->surface,
                              groups->list.items[groups->waking.items[i / 2]].patches[i % 2]);
    }
    looker->shared = threads > 1;
    looker->surface->shared = looker->shared && looker->surface->plain;
    pal_parallel_for(threads, tasks, mark_some, &marking);
    looker->shared = looker->surface->shared = false;
}

void pal_groups_mark_expected(PalContact *contact, PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    pal_groups_expect(contact, lagrange);
    Looker looker = looker_of(contact, lagrange);
    pal_groups_mark_nothing(lagrange);
    for (int32_t i = 0; i < lagrange->carrying_count; ++i)
        mark(&looker, lagrange->carrying[i]);
    groups->waking.count = 0;
    for (int32_t i = 0; i < groups->followed.count; ++i) {
        PalCandidateGroup *group = &groups->list.items[groups->followed.items[i]];
        group->soonest = group->wake;
        if (!(group->wake > group->odometer + group->nearer + group->less))
            groups->waking.items[groups->waking.count++] = groups->followed.items[i];
    }
    mark_waking_groups(&looker, mark_expected);
}

// Those that were looked at closely, in groups where nothing else need be. What was far there is
// safe.
static void mark_awake(const Looker *looker)
{
    PalLagrange *lagrange = looker->lagrange;
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        int32_t slot = lagrange->awake[i];
        const PalLook *look = &lagrange->now.looks[slot];
        const PalCandidateGroup *group = &lagrange->groups.list.items[look->group];
        double soon = group->odometer + group->nearer + group->shift + looker->least;
        if (!group->pushed &&
            !(lagrange->now.wakes[slot] > soon - looker->margins[look->flat ? 2 : 1]))
            mark(looker, slot);
    }
}

void pal_groups_mark_corrected(PalContact *contact, PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    pal_groups_correct(contact, lagrange);
    Looker looker = looker_of(contact, lagrange);
    pal_groups_mark_nothing(lagrange);
    groups->waking.count = 0;
    for (int32_t i = 0; i < groups->followed.count; ++i) {
        PalCandidateGroup *group = &groups->list.items[groups->followed.items[i]];
        double soon = group->odometer + group->nearer + group->shift + looker.least;
        group->pushed = group->pushed && !(group->soonest > soon - looker.margins[2]);
        if (group->pushed)
            groups->waking.items[groups->waking.count++] = groups->followed.items[i];
    }
    mark_waking_groups(&looker, mark_corrected);
    mark_awake(&looker);
}
