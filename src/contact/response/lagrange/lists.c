// Lists of what two patches have near each other. A list holds until the patches may have come
// nearer than it was made for; it is made anew for these two alone. Patches that a plane keeps
// apart need none: how far apart they are along its normal tells how long they will be so.
// docs/theory/contact.md, pairs of patches
#include "contact/response/lagrange/lists.h"
#include "math/range.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>

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

// The vertex around a patch that is farthest along a direction.
static PalVec3 farthest(const PalListing *listing, int32_t patch, PalVec3 direction)
{
    const PalLists *around = &listing->cut->around;
    const PalVec3 *start = listing->surface->start;
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
static PalVec3 between(const PalListing *listing, PalVec3 direction)
{
    const int32_t *patches = listing->group->patches;
    PalVec3 back = pal_vec3_scale(-1, direction);
    return pal_vec3_sub(farthest(listing, patches[0], back),
                        farthest(listing, patches[1], direction));
}

static double apart_by(const PalListing *listing, PalVec3 direction)
{
    return (1 - PAL_LISTING_ROUNDING) * pal_vec3_dot(direction, between(listing, direction)) -
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
// What is found is known to be right however it was found.
static bool find_plane(PalListing *listing, double wanted)
{
    PalCandidateGroup *group = listing->group;
    double least = listing->reach + wanted;
    if (group->adjoins)
        return false;
    if (apart_by(listing, group->direction) > least)
        return true;
    if (group->close)
        return false;
    PalVec3 z = between(listing, group->direction);
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
        if (pal_vec3_dot(s, direction) > least && apart_by(listing, direction) > least) {
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
    if (!(now->wakes[slot] > -INFINITY))
        one->wake = -INFINITY;
}

// Those found, in the order of the group, with what is known of them.
static void merge(PalListing *listing, const PalListedOnes *found, int32_t *next, bool adds)
{
    const PalCandidates *now = &listing->lagrange->now;
    const PalCandidateGroup *group = listing->group;
    PalListedOnes *merged = &listing->lister->merged;
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
        else if (pal_candidate_recall(listing->lister, one.key, &one.item))
            one.wake = -INFINITY;
        good = good && pal_array_push(merged, one);
    }
    listing->lagrange->rows.no_memory = listing->lagrange->rows.no_memory || !good;
}

// Puts what was found into the group's slots.
static void take(PalListing *listing, bool adds)
{
    PalLagrange *lagrange = listing->lagrange;
    PalLister *own = listing->lister;
    PalCandidateGroup *group = listing->group;
    int32_t next = group->first;
    own->merged.count = 0;
    merge(listing, &own->plain, &next, adds);
    merge(listing, &own->flat, &next, adds);
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
    group->soonest = group->wake;
}

static void need_all(const PalListing *listing, int32_t patch)
{
    const PalLists *around = &listing->cut->around;
    for (int32_t k = around->start[patch]; k < around->start[patch + 1]; ++k)
        pal_contact_surface_need(listing->surface, around->items[k]);
}

// The nearest of those found tells where a plane may be.
static void note_direction(PalListing *listing, double wanted)
{
    const PalListedOnes *found[2] = {&listing->lister->plain, &listing->lister->flat};
    PalCandidateGroup *group = listing->group;
    const PalListed *nearest = NULL;
    for (int f = 0; f < 2; ++f)
        for (int32_t i = 0; i < found[f]->count; ++i)
            if (nearest == NULL || found[f]->items[i].wake < nearest->wake)
                nearest = &found[f]->items[i];
    group->close = nearest != NULL && nearest->wake < group->odometer + 2 * wanted;
    if (nearest == NULL)
        return;
    bool back = listing->cut->of[nearest->look.vertices[0]] != group->patches[0];
    group->direction = pal_vec3_scale(back ? -1 : 1, nearest->look.direction);
}

// ---- a list -----------------------------------------------------------------------------

static PalListing listing_of(PalContact *contact, PalLagrange *lagrange, int32_t index)
{
    const PalCut *cut = &lagrange->patches.cut;
    PalCandidateGroup *group = &lagrange->groups.list.items[index];
    return (PalListing){
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
    if (listing->lister->listed_count > pal_lister_most(listing->surface) / 2)
        return pal_max(BRIEF * step, CROWDED * edge);
    double least = pal_max(WORTH * step, usual * edge);
    double approach = between_ends(least, LASTS * group->nearer, MOST * edge);
    return pal_max(approach, pal_min(2 * group->in_vain, MOST * edge));
}

// Lists all that may come near until then, and says when.
static double list(PalListing *listing, double step)
{
    PalCandidateGroup *group = listing->group;
    double approach = approach_of(listing, step);
    listing->far = listing->reach + approach;
    pal_listing_find_near(listing);
    bool empty = listing->lister->plain.count == 0 && listing->lister->flat.count == 0;
    group->in_vain = empty ? approach : 0;
    note_direction(listing, WORTH * step);
    return approach;
}

void pal_lister_renew(PalContact *contact, PalLagrange *lagrange, int32_t index, bool adds)
{
    PalLister *own = &lagrange->lister;
    PalListing listing = listing_of(contact, lagrange, index);
    PalCandidateGroup *group = listing.group;
    double step = group->nearer + pal_max(group->less, group->shift);
    own->plain.count = own->flat.count = 0;
    own->crowded = own->crowded || own->listed_count > pal_lister_most(contact->surface);
    if (own->crowded)
        return;
    need_all(&listing, group->patches[0]);
    need_all(&listing, group->patches[1]);
    bool plane = find_plane(&listing, WORTH * step);
    double room =
        plane ? apart_by(&listing, group->direction) - listing.reach : list(&listing, step);
    group->close = group->close && !plane;
    take(&listing, adds);
    group->limit = group->odometer + (1 - PAL_LISTING_ROUNDING) * room;
}
