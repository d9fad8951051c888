// Lists of what two patches have near each other. A list holds until the patches may have come
// nearer than it was made for; it is made anew for these two alone. Patches that a plane keeps
// apart need none: how far apart they are along its normal tells how long they will be so.
// docs/theory/contact.md, pairs of patches
#include "contact/response/lagrange/lists.h"
#include "base/parallel.h"
#include "math/lanes.h"
#include "math/range.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Lists are made for so many steps like this one; of the mean edge, for an approach of at least and
// at most as much
#define LASTS     20
#define LEAST     0.15
#define ADJOINING 0.25  // where the patches adjoin: their lists are empty as a rule
#define MOST      0.6
#define CROWDED   0.03  // at least, where there are very many

#define WORTH 4.0  // steps that a plane should keep two patches apart, or it is not worth while
#define BRIEF 1.5  // steps for which lists are made where there are very many
#define TURNS 4    // tries to find such a plane

#define SHARED 8    // lists that threads share out: some ten microseconds of work
#define USUAL  256  // candidates of a list for which there is room beforehand

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
    pal_groups_follow_all(groups);
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

// One more number than a position has is read, and not used.
static inline __attribute__((always_inline)) PalLanes load(const PalVec3 *from)
{
    PalLanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

// How far four vertices are along a direction.
static inline __attribute__((always_inline)) PalLanes along_of(const PalVec3 *x, const int32_t v[4],
                                                               PalLanes n)
{
    PalLanes a = load(&x[v[0]]) * n, b = load(&x[v[1]]) * n, c = load(&x[v[2]]) * n,
             d = load(&x[v[3]]) * n;
    PalLanes ab = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             cd = __builtin_shufflevector(c, d, 0, 4, 2, 6),
             ab_y = __builtin_shufflevector(a, b, 1, 5, 3, 7),
             cd_y = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
           __builtin_shufflevector(ab_y, cd_y, 0, 1, 4, 5) +
           __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// Of some vertices, the one that is farthest along a direction: four at a time, and the last ones
// again where they are no four.
PAL_CLONES static int32_t farthest_of(const PalVec3 *x, const int32_t *vertices, int32_t count,
                                      const PalVec3 *direction)
{
    PalLanes n = {direction->x, direction->y, direction->z, 0};
    PalLanes most = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    PalLanesMask places = {0, 0, 0, 0};
    const PalLanesMask lanes = {0, 1, 2, 3};
    for (int32_t k = 0; k < count; k += PAL_LANES) {
        int32_t first = k + PAL_LANES <= count ? k : count - PAL_LANES;
        PalLanes along = along_of(x, vertices + first, n);
        PalLanesMask more = along > most;
        most = (PalLanes)((more & (PalLanesMask)along) | (~more & (PalLanesMask)most));
        places = (more & (lanes + first)) | (~more & places);
    }
    int best = 0;
    for (int i = 1; i < PAL_LANES; ++i)
        best = most[i] > most[best] ? i : best;
    return vertices[places[best]];
}

static PalVec3 farthest(const PalListing *listing, int32_t patch, PalVec3 direction)
{
    const PalLists *around = &listing->cut->around;
    const PalVec3 *start = listing->surface->start;
    const int32_t *vertices = around->items + around->start[patch];
    int32_t count = around->start[patch + 1] - around->start[patch], best = vertices[0];
    if (count >= PAL_LANES)
        return start[farthest_of(start, vertices, count, &direction)];
    for (int32_t k = 1; k < count; ++k)
        if (pal_vec3_dot(direction, start[vertices[k]]) > pal_vec3_dot(direction, start[best]))
            best = vertices[k];
    return start[best];
}

// From the second patch to the first, between what is nearest along a direction.
static PalVec3 between(const PalListing *listing, PalVec3 direction)
{
    const int32_t *patches = listing->group->patches;
    PalVec3 back = pal_vec3_scale(-1, direction);
    return pal_vec3_sub(farthest(listing, patches[0], back),
                        farthest(listing, patches[1], direction));
}

// How far apart the two are along a direction, of what is nearest along it.
static double apart_by(const PalListing *listing, PalVec3 direction, PalVec3 nearest)
{
    return (1 - PAL_LISTING_ROUNDING) * pal_vec3_dot(direction, nearest) -
           listing->lagrange->patches.rounding;
}

static PalVec3 middle(const PalListing *listing, int32_t patch)
{
    const PalLists *vertices = &listing->cut->vertices;
    PalVec3 sum = {0, 0, 0};
    int32_t first = vertices->start[patch], end = vertices->start[patch + 1];
    for (int32_t k = first; k < end; ++k)
        sum = pal_vec3_add(sum, listing->surface->start[vertices->items[k]]);
    return pal_vec3_scale(1.0 / (end - first), sum);
}

// Is there a plane that keeps the two patches apart for a while? Tries the one that did last, then
// others: z goes to the shortest vector between the two as far as it is known (Frank and Wolfe).
// What is found is known to be right however it was found. `room`: how much nearer they may come.
static bool find_plane(PalListing *listing, double wanted, double *room)
{
    PalCandidateGroup *group = listing->group;
    if (group->adjoins)
        return false;
    PalVec3 z = between(listing, group->direction);
    *room = apart_by(listing, group->direction, z) - listing->reach;
    if (*room > wanted)
        return true;
    if (group->close)
        return false;
    if (!(pal_vec3_dot(z, group->direction) > 0))
        z = pal_vec3_sub(middle(listing, group->patches[0]), middle(listing, group->patches[1]));
    for (int turn = 0; turn < TURNS; ++turn) {
        double length = pal_vec3_length(z);
        if (!(length > listing->reach))
            return false;
        PalVec3 direction = pal_vec3_scale(1 / length, z);
        PalVec3 s = between(listing, direction), way = pal_vec3_sub(s, z);
        if (!(pal_vec3_dot(group->direction, group->direction) > 0))
            group->direction = direction;
        *room = apart_by(listing, direction, s) - listing->reach;
        if (*room > wanted) {
            group->direction = direction;
            return true;
        }
        double square = pal_vec3_dot(way, way);
        double share = square > 0 ? -pal_vec3_dot(z, way) / square : 0;
        z = pal_vec3_add_scaled(z, pal_max(0, pal_min(1, share)), way);
    }
    return false;
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

// Groups follow each other without gaps, and have to find those that carry by themselves.
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
            group->wake = pal_min(group->wake, one.wake);
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
    one->look.carried = now->looks[slot].carried;
    if (!(now->wakes[slot] > -INFINITY))
        one->wake = -INFINITY;
}

// Those found, in the order of the group, learn what is known of them. `adds`: they, and those of
// before that were not found, come to found->all.
static void learn(PalListing *listing, PalListedOnes *ones, int32_t *next, bool adds)
{
    const PalCandidates *now = &listing->lagrange->now;
    const PalCandidateGroup *group = listing->group;
    PalListedOnes *all = &listing->found->all;
    int32_t end = group->first + group->count;
    bool good = true;
    for (int32_t i = 0; i < ones->count; ++i) {
        PalListed *one = &ones->items[i];
        for (; *next < end && now->turns[*next] < one->turn; ++*next) {
            if (!adds)
                continue;
            PalListed old = listed_in(now, *next);
            good = good && pal_array_push(all, old);
        }
        if (*next < end && now->turns[*next] == one->turn)
            remember(one, now, (*next)++);
        else if (pal_candidate_recall(&listing->lagrange->lister, one->key, &one->item))
            one->wake = -INFINITY;
        good = good && (!adds || pal_array_push(all, *one));
    }
    listing->found->no_memory = listing->found->no_memory || !good;
}

static void learn_all(PalListing *listing, bool adds)
{
    PalFoundList *found = listing->found;
    const PalCandidateGroup *group = listing->group;
    int32_t next = group->first;
    learn(listing, &found->plain, &next, adds);
    learn(listing, &found->flat, &next, adds);
    for (; adds && next < group->first + group->count; ++next) {
        PalListed old = listed_in(&listing->lagrange->now, next);
        found->no_memory = !pal_array_push(&found->all, old) || found->no_memory;
    }
}

// Puts some of what was found into the group's slots, from this one on. The next slot.
static int32_t put_all(PalLagrange *lagrange, PalCandidateGroup *group, int32_t slot,
                       const PalListedOnes *ones)
{
    PalLister *own = &lagrange->lister;
    for (int32_t i = 0; i < ones->count; ++i) {
        const PalListed *one = &ones->items[i];
        own->moved = own->moved || one->look.row != PAL_ASLEEP;
        put(lagrange, slot++, one);
        group->flat_count += one->look.flat;
        group->wake = pal_min(group->wake, one->wake);
    }
    return slot;
}

// What was found becomes the group's list.
static void take(PalLagrange *lagrange, PalCandidateGroup *group, const PalFoundList *found,
                 bool adds)
{
    PalLister *own = &lagrange->lister;
    int32_t count = adds ? found->all.count : found->plain.count + found->flat.count;
    lagrange->rows.no_memory = lagrange->rows.no_memory || found->no_memory;
    own->listed_count += count - group->count;
    if (lagrange->rows.no_memory || !find_slots(lagrange, group, count)) {
        lagrange->rows.no_memory = true;
        own->listed_count -= count;
        group->count = group->flat_count = 0;
        return;
    }
    group->count = count;
    group->flat_count = 0;
    group->wake = INFINITY;
    if (adds) {
        put_all(lagrange, group, group->first, &found->all);
    } else {
        int32_t flat = put_all(lagrange, group, group->first, &found->plain);
        put_all(lagrange, group, flat, &found->flat);
    }
    group->soonest = group->wake;
}

// The nearest of those found tells where a plane may be.
static void note_direction(PalListing *listing, double wanted)
{
    const PalListedOnes *found[2] = {&listing->found->plain, &listing->found->flat};
    PalCandidateGroup *group = listing->group;
    const PalListed *nearest = NULL;
    for (int f = 0; f < 2; ++f)
        for (int32_t i = 0; i < found[f]->count; ++i)
            if (nearest == NULL || found[f]->items[i].wake < nearest->wake)
                nearest = &found[f]->items[i];
    group->close = nearest != NULL && nearest->wake < group->odometer + 2 * wanted;
    if (nearest == NULL)
        return;
    int32_t patch = pal_patches_of(&listing->lagrange->patches, &nearest->item.features, 0);
    bool back = patch != group->patches[0];
    group->direction = pal_vec3_scale(back ? -1 : 1, nearest->look.direction);
}

// ---- a list -----------------------------------------------------------------------------

// Lists that are made at a time.
typedef struct Making {
    PalContact *contact;
    PalLagrange *lagrange;
    const int32_t *groups;
    bool adds;
} Making;

static PalListing listing_of(const Making *making, int32_t place, int32_t worker)
{
    const PalContact *contact = making->contact;
    PalLagrange *lagrange = making->lagrange;
    const PalCut *cut = &lagrange->patches.cut;
    int32_t index = making->groups[place];
    PalCandidateGroup *group = &lagrange->groups.list.items[index];
    return (PalListing){
        .contact = contact,
        .lagrange = lagrange,
        .surface = contact->surface,
        .finder = &lagrange->lister.finders[worker],
        .found = &lagrange->lister.found[place],
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

// How much nearer the patches may come before they are listed again: in some steps like this one,
// or in twice as many as last time if there was nothing. Where very many are listed, a thin sheet
// folded on itself in fast motion say, lists are made for little more than this step.
static double approach_of(const PalListing *listing, double step)
{
    const PalCandidateGroup *group = listing->group;
    const double *edges = listing->lagrange->patches.edge;
    double shorter = pal_min(edges[group->patches[0]], edges[group->patches[1]]);
    double edge = pal_min(listing->contact->edge, shorter),
           usual = group->adjoins ? ADJOINING : LEAST;
    if (listing->lagrange->lister.listed_before > pal_lister_most(listing->surface) / 2)
        return pal_max(BRIEF * step, CROWDED * edge);
    double least = pal_max(WORTH * step, usual * edge);
    double approach = between_ends(least, LASTS * group->nearer, MOST * edge);
    return pal_max(approach, pal_min(2 * (double)group->in_vain, MOST * edge));
}

// Lists all that may come near until then, and says when.
static double list(PalListing *listing, double step)
{
    PalCandidateGroup *group = listing->group;
    double approach = approach_of(listing, step);
    listing->far = listing->reach + approach;
    pal_listing_find_near(listing);
    bool empty = listing->found->plain.count == 0 && listing->found->flat.count == 0;
    group->in_vain = empty ? (float)approach : 0;
    note_direction(listing, WORTH * step);
    return approach;
}

// Finds what belongs into a list. Threads do so for several at the same time.
static void find_list(void *context, int32_t place, int32_t worker)
{
    const Making *making = context;
    PalListing listing = listing_of(making, place, worker);
    PalCandidateGroup *group = listing.group;
    PalFoundList *found = listing.found;
    double step = group->nearer + pal_max(group->less, group->shift), room = 0;
    found->plain.count = found->flat.count = found->all.count = 0;
    found->no_memory = false;
    bool plane = find_plane(&listing, WORTH * step, &room);
    if (!plane)
        room = list(&listing, step);
    group->close = group->close && !plane;
    group->limit = group->odometer + (1 - PAL_LISTING_ROUNDING) * room;
    learn_all(&listing, making->adds);
}

// Lists found have as much room as the longest so far, up to what is usual, and finders as the one
// that needed most, so that there is none to be made once they were met, whoever meets them then.
static void make_room(PalLister *lister, int32_t count, int32_t thread_count)
{
    int64_t most = 0;
    for (int32_t t = 0; t < thread_count; ++t)
        most = lister->finders[t].most_hits > most ? lister->finders[t].most_hits : most;
    for (int32_t t = 0; t < thread_count; ++t) {
        PalFinder *finder = &lister->finders[t];
        finder->hits.count = finder->ways.count = 0;
        (void)(pal_array_reserve(&finder->hits, most) && pal_array_reserve(&finder->ways, most));
    }
    int32_t room = lister->longest < USUAL ? lister->longest : USUAL;
    for (int32_t i = 0; i < count; ++i) {
        PalFoundList *found = &lister->found[i];
        found->plain.count = found->flat.count = 0;
        // where there is no memory they will say so themselves
        (void)(pal_array_reserve(&found->plain, room) && pal_array_reserve(&found->flat, room));
    }
}

static void take_found(const Making *making, int32_t place)
{
    PalLister *own = &making->lagrange->lister;
    const PalFoundList *found = &own->found[place];
    int32_t plain = found->plain.count, flat = found->flat.count;
    int32_t longer = plain > flat ? plain : flat;
    own->longest = longer > own->longest ? longer : own->longest;
    PalCandidateGroup *group = &making->lagrange->groups.list.items[making->groups[place]];
    take(making->lagrange, group, found, making->adds);
}

// One after the other, in memory that is near.
static void make_alone(Making making, int32_t count)
{
    for (; count > 0; --count, ++making.groups) {
        find_list(&making, 0, 0);
        take_found(&making, 0);
    }
}

static void make_together(const Making *making, int32_t count, int32_t thread_count)
{
    PalLister *own = &making->lagrange->lister;
    make_room(own, count, thread_count);
    pal_parallel_for(thread_count, count, find_list, (void *)making);
    for (int32_t i = 0; i < count; ++i)
        take_found(making, i);
}

static void place_two(void *context, int32_t place, int32_t worker)
{
    (void)worker;
    const Making *making = context;
    PalLagrange *lagrange = making->lagrange;
    const PalCandidateGroup *group = &lagrange->groups.list.items[making->groups[place]];
    for (int s = 0; s < 2; ++s)
        pal_patches_place(&lagrange->patches, making->contact->surface, group->patches[s]);
}

// Vertices around the patches of so many lists are placed.
static void place_all(const Making *making, int32_t count, int32_t thread_count)
{
    PalContactSurface *surface = making->contact->surface;
    int32_t threads = surface->plain ? thread_count : 1;
    surface->shared = threads > 1;
    pal_parallel_for(threads, count, place_two, (void *)making);
    surface->shared = false;
}

// How long lists are made for depends on how much is listed, which is counted after so many lists,
// whatever the number of threads.
void pal_lister_renew(PalContact *contact, PalLagrange *lagrange, bool adds)
{
    const PalGroups *groups = &lagrange->groups;
    PalLister *own = &lagrange->lister;
    for (int32_t first = 0; first < groups->due.count; first += PAL_FOUND_LISTS) {
        Making making = {contact, lagrange, groups->due.items + first, adds};
        int32_t left = groups->due.count - first;
        int32_t count = left < PAL_FOUND_LISTS ? left : PAL_FOUND_LISTS;
        own->listed_before = own->listed_count;
        own->crowded = own->crowded || own->listed_count > pal_lister_most(contact->surface);
        if (own->crowded)
            return;
        int32_t threads = count < SHARED ? 1 : pal_lister_finders(own, lagrange->thread_count);
        place_all(&making, count, threads);
        if (threads > 1)
            make_together(&making, count, threads);
        else
            make_alone(making, count);
    }
}
