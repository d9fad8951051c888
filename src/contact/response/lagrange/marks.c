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
#define PATIENT  4     // steps of the fastest motion: groups with more room are not measured
#define RESTFUL  16    // such steps: groups with nothing listed rest
#define STALE    3     // quick looks by a direction until it is found anew
#define SHARED   1024  // candidates of groups that are looked at: from here on by several threads
#define TOGETHER 8     // groups that a thread takes at a time
#define FORESEEN 32    // groups of which a thread finds out at a time how much nearer they come

enum { AT_A_TIME = 64 };  // candidates of a group: so many are fetched before one is looked at

// ---- a quick look -----------------------------------------------------------------------

// Which numbers of two vectors make a third.
#define EVEN 0, 4, 2, 6
#define ODD  1, 5, 3, 7
#define LOW  0, 1, 4, 5

// No more than a position has is read: another thread may be placing the next vertex.
static INLINE PalLanes load(const PalVec3 *from)
{
    return (PalLanes){from->x, from->y, from->z, 0};
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

typedef struct Looker {
    PalContact *contact;
    PalLagrange *lagrange;
    PalContactSurface *surface;
    double margins[3];  // of a vertex and a facet, of two edges, of two flat ones
    double least;
    bool shared;  // by several threads
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

// Nearer than this, a candidate may need a row.
static INLINE double margin_of(const Looker *looker, const PalLook *look)
{
    double margin = looker->margins[look->flat ? 2 : look->split - 1];
    return (1 + ROUNDING) * (margin + (double)look->skin / PAL_GAP_BESIDE);
}

// Along the direction that separated the two sides last time, are they still so far apart that they
// need no row? Along a fixed direction the distance between two sets of points that move on
// straight lines is a concave function of time: what holds at both ends holds in between. Written
// so that what is no number is not far apart.
static INLINE bool is_far(const Looker *looker, const PalCandidateGroup *group, PalLook *look,
                          double *wake)
{
    PalContactSurface *surface = looker->surface;
    double margin = margin_of(looker, look);
    double room = apart_along(surface->start, look) - margin;
    if (room < SOON * group->nearer && ++look->stale >= STALE) {
        pal_look_find_direction(surface, look);
        room = apart_along(surface->start, look) - margin;
    }
    if (!(room > 0))
        return false;
    *wake = pal_max(*wake, group->odometer + room);
    if (room > group->nearer + group->less)
        return true;  // it could as well have slept
    double end = apart_along(surface->end, look);
    if (look->flat)
        return end > looker->least;
    return end - pal_lagrange_less(looker->lagrange, look) > margin;
}

// Where the distance has no minimum at the start, one that carries nothing needs no row, as a
// vertex and all facets around the one that it lies on. Nor has the guard to look at it, if it does
// not come too near as expected.
static INLINE bool is_beside(const Looker *looker, const PalCandidateGroup *group, PalLook *look,
                             double *wake)
{
    const PalContactSurface *surface = looker->surface;
    double soon = group->odometer + group->nearer + looker->least;
    double margin = looker->margins[look->flat ? 2 : 1];
    look->beside = pal_gap_is_beside(surface->start, look->vertices, look->split, look->owned,
                                     looker->contact->separation);
    if (!look->beside || *wake > soon - margin)
        return look->beside;
    double apart = apart_along(surface->start, look);
    *wake = pal_max(*wake, group->odometer + apart - margin_of(looker, look));
    return apart > looker->least && apart_along(surface->end, look) > looker->least;
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

// Does a candidate that carries nothing need no row?
static INLINE bool needs_none(const Looker *looker, const PalCandidateGroup *group, PalLook *look,
                              double *wake)
{
    pal_contact_surface_need_four(looker->surface, look->vertices);
    return (look->beside && is_beside(looker, group, look, wake)) ||
           is_far(looker, group, look, wake);
}

// What there is to do with a candidate that wakes: true if it is to be looked at closely.
typedef bool Wake(const Looker *looker, const PalCandidateGroup *group, int32_t slot);

static INLINE bool wake(const Looker *looker, const PalCandidateGroup *group, int32_t slot)
{
    PalCandidates *now = &looker->lagrange->now;
    PalLook *look = &now->looks[slot];
    return !(now->wakes[slot] > -INFINITY) || !needs_none(looker, group, look, &now->wakes[slot]);
}

// Flat edges cross many others that are hardly farther apart than what they keep, and turn with the
// surfaces: their lines tell more than the direction that separated them last.
static INLINE bool wake_flat(const Looker *looker, const PalCandidateGroup *group, int32_t slot)
{
    PalCandidates *now = &looker->lagrange->now;
    PalContactSurface *surface = looker->surface;
    PalLook *look = &now->looks[slot];
    const int32_t *vertices = look->vertices;
    if (!(now->wakes[slot] > -INFINITY))
        return true;
    pal_contact_surface_need_four(surface, vertices);
    double room = 0;
    if (pal_lines_are_apart(surface->start, vertices, (1 + ROUNDING) * looker->margins[2], &room)) {
        now->wakes[slot] = pal_max(now->wakes[slot], group->odometer + room);
        return false;
    }
    return !needs_none(looker, group, look, &now->wakes[slot]);
}

// As corrected, do two sides stay apart?
static INLINE bool wake_corrected(const Looker *looker, const PalCandidateGroup *group,
                                  int32_t slot)
{
    PalCandidates *now = &looker->lagrange->now;
    const PalContactSurface *surface = looker->surface;
    const PalLook *look = &now->looks[slot];
    (void)group;
    pal_contact_surface_need_four(looker->surface, look->vertices);
    return !(apart_along(surface->end, look) > looker->least &&
             apart_along(surface->start, look) > looker->least);
}

// Which of four candidates wake before the odometer shows this, in bits; the first wakes of others.
static INLINE int64_t find_waking(const double *wakes, double shown, PalLanes *firsts)
{
    PalLanes four;
    memcpy(&four, wakes, sizeof four);
    PalLanesMask asleep = four > shown, sooner = (four < *firsts) & asleep;
    PalLanesMask wake = (PalLanesMask){1, 2, 4, 8} & ~asleep;
    *firsts = (PalLanes)((sooner & (PalLanesMask)four) | (~sooner & (PalLanesMask)*firsts));
    return wake[0] | wake[1] | wake[2] | wake[3];
}

// The same for fewer. What is behind them may be another thread's.
static INLINE int64_t find_waking_few(const double *wakes, int32_t count, double shown,
                                      PalLanes *firsts)
{
    int64_t waking = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (wakes[k] > shown)
            (*firsts)[k] = pal_min((*firsts)[k], wakes[k]);
        else
            waking |= INT64_C(1) << k;
    }
    return waking;
}

// Candidates from one place to another, a few, that wake before the odometer shows this: how many.
// What a look at them takes is fetched meanwhile; the first wakes of others.
static INLINE int32_t list_waking(const Looker *looker, const int32_t places[2], double shown,
                                  PalLanes *firsts, int32_t waking[AT_A_TIME])
{
    const PalCandidates *now = &looker->lagrange->now;
    int32_t count = 0;
    for (int32_t s = places[0]; s < places[1]; s += PAL_LANES) {
        int64_t left = s + PAL_LANES <= places[1]
                           ? find_waking(now->wakes + s, shown, firsts)
                           : find_waking_few(now->wakes + s, places[1] - s, shown, firsts);
        for (; left != 0; left &= left - 1) {
            int32_t k = s + __builtin_ctzll((uint64_t)left);
            __builtin_prefetch(&now->looks[k]);
            waking[count++] = k;
        }
    }
    return count;
}

// Of candidates from one place to another, marks those that wake before the odometer shows this and
// have to be looked at. The first wake of all of them, but for those that may carry.
static INLINE double mark_waking(const Looker *looker, const PalCandidateGroup *group,
                                 const int32_t places[2], double shown, Wake *look)
{
    const double *wakes = looker->lagrange->now.wakes;
    PalLanes firsts = {INFINITY, INFINITY, INFINITY, INFINITY};
    double first = INFINITY;
    for (int32_t s = places[0]; s < places[1]; s += AT_A_TIME) {
        int32_t waking[AT_A_TIME], end = s + AT_A_TIME < places[1] ? s + AT_A_TIME : places[1];
        int32_t count = list_waking(looker, (int32_t[]){s, end}, shown, &firsts, waking);
        for (int32_t i = 0; i < count; ++i) {
            int32_t k = waking[i];
            if (look(looker, group, k))
                mark(looker, k);
            if (wakes[k] > -INFINITY)
                first = pal_min(first, wakes[k]);
        }
    }
    return pal_min(first, pal_min(pal_min(firsts[0], firsts[1]), pal_min(firsts[2], firsts[3])));
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

// How much nearer two patches come. Where there is far more room than that, how far their objects
// go will do; it costs less to find out.
static double nearer(PalContact *contact, PalLagrange *lagrange, const PalCandidateGroup *group)
{
    PalPatches *patches = &lagrange->patches;
    const double *strides = contact->surface->object_stride;
    int32_t a = group->patches[0], b = group->patches[1];
    double room = pal_min(group->wake, group->limit) - group->odometer - group->less;
    double far =
        strides[patches->cut.object[a]] + strides[patches->cut.object[b]] + patches->rounding;
    return room > PATIENT * far ? far : pal_patches_nearer(patches, contact->surface, a, b);
}

// Lists that will not do are made anew.
static void renew_due(PalContact *contact, PalLagrange *lagrange, bool adds)
{
    PalGroups *groups = &lagrange->groups;
    PalLister *lister = &lagrange->lister;
    lister->moved = lister->shuffled = false;
    pal_lister_renew(contact, lagrange, adds);
    if (adds && lister->shuffled)
        pal_groups_find_awake(lagrange);
    else if (adds && lister->moved)
        pal_groups_find_moved(lagrange);
    for (int32_t i = 0; i < groups->due.count; ++i)
        groups->list.items[groups->due.items[i]].due = false;
}

static void add_due(PalLagrange *lagrange, int32_t group)
{
    lagrange->groups.list.items[group].due = true;
    if (!pal_array_push(&lagrange->groups.due, group))
        lagrange->rows.no_memory = true;
}

// Lists that are made anew find those that carried by themselves.
static void drop_due(PalLagrange *lagrange)
{
    const PalGroups *groups = &lagrange->groups;
    int32_t count = 0;
    for (int32_t i = 0; i < lagrange->carrying_count; ++i) {
        int32_t c = lagrange->carrying[i];
        if (!groups->list.items[lagrange->now.looks[c].group].due)
            lagrange->carrying[count++] = c;
    }
    lagrange->carrying_count = count;
}

// Nobody need look at it before all have come as near as its list allows for.
static void rest(PalGroups *groups, int32_t index)
{
    PalCandidateGroup *group = &groups->list.items[index];
    group->rests = true;
    group->fresh = group->pushed = false;
    group->since = groups->come;
    groups->until = pal_min(groups->until, group->since + group->limit - group->odometer);
    groups->resting.items[groups->resting.count++] = index;
}

// Follows those again that may be as near when all have come this far.
static void follow(PalGroups *groups, double come)
{
    int32_t count = 0;
    groups->until = INFINITY;
    for (int32_t i = 0; i < groups->resting.count; ++i) {
        int32_t g = groups->resting.items[i];
        const PalCandidateGroup *group = &groups->list.items[g];
        double until = group->since + group->limit - group->odometer;
        if (until > come) {
            groups->until = pal_min(groups->until, until);
            groups->resting.items[count++] = g;
        } else {
            pal_groups_follow(groups, g);
        }
    }
    groups->resting.count = count;
}

void pal_groups_bound(PalLagrange *lagrange, double farthest)
{
    lagrange->groups.comes = (1 + 1e-9) * 2 * farthest + lagrange->patches.rounding;
}

// How fast patches may come nearer, as far as it matters to those that rest: where contact pushes
// less than is expected they do so by more.
static double pace_of(const PalLagrange *lagrange)
{
    const PalPatchMost *less = &lagrange->patches.less;
    double most = 0;
    for (int32_t i = 0; i < less->told_count; ++i)
        most = pal_max(most, less->items[less->told[i]]);
    return lagrange->groups.comes + 2 * most / PATIENT;
}

// There is nothing to be looked at in it, for long.
static bool may_rest(const PalCandidateGroup *group, double pace)
{
    return group->count == 0 && group->limit - group->odometer > RESTFUL * pace;
}

// Finds out how much nearer the patches of a group come as expected.
static void foresee(PalContact *contact, PalLagrange *lagrange, PalCandidateGroup *group)
{
    const PalPatches *patches = &lagrange->patches;
    group->less = pal_patches_most(&patches->less, group->patches[0]) +
                  pal_patches_most(&patches->less, group->patches[1]);
    group->nearer = nearer(contact, lagrange, group);
    group->shift = 0;
    group->fresh = false;
}

typedef struct Foresight {
    PalContact *contact;
    PalLagrange *lagrange;
    double pace;
} Foresight;

static void foresee_some(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Foresight *foresight = context;
    const PalGroups *groups = &foresight->lagrange->groups;
    int32_t end = (index + 1) * FORESEEN;
    for (int32_t i = index * FORESEEN; i < end && i < groups->followed.count; ++i) {
        PalCandidateGroup *group = &groups->list.items[groups->followed.items[i]];
        if (!may_rest(group, foresight->pace))
            foresee(foresight->contact, foresight->lagrange, group);
    }
}

// The same for all that are followed, by several threads. False: it is not worth while.
static bool foresee_together(PalContact *contact, PalLagrange *lagrange, double pace)
{
    Foresight foresight = {contact, lagrange, pace};
    int32_t count = lagrange->groups.followed.count;
    if (lagrange->thread_count < 2 || count < 4 * FORESEEN || !contact->surface->plain)
        return false;
    contact->surface->shared = true;
    pal_parallel_for(lagrange->thread_count, (count + FORESEEN - 1) / FORESEEN, foresee_some,
                     &foresight);
    contact->surface->shared = false;
    return true;
}

// Makes those lists anew that will not do for what is expected.
static void expect(PalContact *contact, PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    int32_t followed_count = 0;
    groups->due.count = 0;
    double pace = pace_of(lagrange);
    if (!(groups->until > groups->come + PATIENT * pace))
        follow(groups, groups->come + 2 * PATIENT * pace);
    bool together = foresee_together(contact, lagrange, pace);
    for (int32_t i = 0; i < groups->followed.count; ++i) {
        int32_t g = groups->followed.items[i];
        PalCandidateGroup *group = &groups->list.items[g];
        if (may_rest(group, pace)) {
            rest(groups, g);
            continue;
        }
        groups->followed.items[followed_count++] = g;
        if (!together)
            foresee(contact, lagrange, group);
        if (!(group->limit > group->odometer + group->nearer + group->less))
            add_due(lagrange, g);
    }
    groups->followed.count = followed_count;
    if (groups->due.count > 0) {
        drop_due(lagrange);
        renew_due(contact, lagrange, false);
        if (lagrange->lister.shuffled)
            lagrange->carrying_count = 0;
    }
    lagrange->lister.kept.count = 0;
}

// ---- marking by several threads ---------------------------------------------------------

typedef void MarkGroup(const Looker *looker, PalCandidateGroup *group);

typedef struct Marking {
    const Looker *looker;
    MarkGroup *look;
} Marking;

static void mark_some(void *context, int32_t index, int32_t worker)
{
    const Marking *marking = context;
    const PalGroups *groups = &marking->looker->lagrange->groups;
    (void)worker;
    int32_t end = (index + 1) * TOGETHER;
    for (int32_t i = index * TOGETHER; i < end && i < groups->waking.count; ++i)
        marking->look(marking->looker, &groups->list.items[groups->waking.items[i]]);
}

// Looks at the groups in which candidates wake. Vertices are placed as they are looked at, but
// where threads share groups and vertices are no nodes: then before.
static void mark_waking_groups(Looker *looker, MarkGroup *look)
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
    Looker looker = looker_of(contact, lagrange);
    expect(contact, lagrange);
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
        int32_t slot = lagrange->awake[i];
        const PalLook *look = &lagrange->now.looks[slot];
        const PalCandidateGroup *group = &lagrange->groups.list.items[look->group];
        double soon = group->odometer + group->nearer + group->shift + looker->least;
        if (!group->pushed &&
            !(lagrange->now.wakes[slot] > soon - looker->margins[look->flat ? 2 : 1]))
            mark(looker, slot);
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
    const PalPatches *patches = &lagrange->patches;
    Looker looker = looker_of(contact, lagrange);
    tell_shifts(contact->surface, lagrange);
    groups->due.count = 0;
    if (!(groups->until > groups->come + groups->comes))
        follow(groups, groups->come + groups->comes);
    for (int32_t i = 0; i < groups->followed.count; ++i) {
        int32_t g = groups->followed.items[i];
        PalCandidateGroup *group = &groups->list.items[g];
        int32_t a = group->patches[0], b = group->patches[1];
        if (group->fresh)
            group->nearer = nearer(contact, lagrange, group);
        group->shift = pal_patches_most(&patches->shift, a) + pal_patches_most(&patches->shift, b);
        group->pushed = group->fresh || !(group->shift == 0);
        if (group->pushed && !(group->limit > group->odometer + group->nearer + group->shift))
            add_due(lagrange, g);
    }
    if (groups->due.count > 0)
        renew_due(contact, lagrange, true);
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

void pal_groups_pass(PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    for (int32_t i = 0; i < groups->followed.count; ++i) {
        PalCandidateGroup *group = &groups->list.items[groups->followed.items[i]];
        group->odometer += group->nearer + group->shift;
    }
    groups->come += groups->comes;
}
