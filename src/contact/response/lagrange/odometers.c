// How much nearer the patches of groups come in a step: as expected, and as corrected. It adds up
// in their odometers. Lists that will not do are made anew; groups that have nothing listed, and
// far more room than a step takes, rest.
#include "base/parallel.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>
#include <stdatomic.h>

#define PATIENT   4    // steps of the fastest motion: groups with more room are not measured
#define RESTFUL   16   // such steps: groups with nothing listed rest
#define FORESEEN  32   // groups of which a thread finds out at a time how much nearer they come
#define CORRECTED 128  // the same as corrected, which takes less

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

// Rounded up.
static float at_least(double number)
{
    return (float)((1 + 2e-7) * number);
}

// Finds out how much nearer the patches of a group come as expected.
static void foresee(PalContact *contact, PalLagrange *lagrange, PalCandidateGroup *group)
{
    const PalPatches *patches = &lagrange->patches;
    group->less = at_least(pal_patches_most(&patches->less, group->patches[0]) +
                           pal_patches_most(&patches->less, group->patches[1]));
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

// Is what is listed all that can come into reach if patches come nearer by this besides? Lists of
// the search have no limit, even where motion is without bounds.
static bool will_do(const PalCandidateGroup *group, double more)
{
    return group->limit > group->odometer + group->nearer + more || group->limit == INFINITY;
}

// Makes those lists anew that will not do for what is expected.
void pal_groups_expect(PalContact *contact, PalLagrange *lagrange)
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
        if (!will_do(group, (double)group->less))
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

// Finds out how much nearer the patches of a group come as corrected. Will its list do?
static bool correct(PalContact *contact, PalLagrange *lagrange, PalCandidateGroup *group)
{
    const PalPatchMost *shift = &lagrange->patches.shift;
    if (group->fresh)
        group->nearer = nearer(contact, lagrange, group);
    group->shift = at_least(pal_patches_most(shift, group->patches[0]) +
                            pal_patches_most(shift, group->patches[1]));
    group->pushed = group->fresh || !(group->shift == 0);
    return !group->pushed || will_do(group, (double)group->shift);
}

typedef struct Correction {
    PalContact *contact;
    PalLagrange *lagrange;
    atomic_bool some_will_not_do;
} Correction;

static void correct_some(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Correction *correction = context;
    const PalGroups *groups = &correction->lagrange->groups;
    int32_t end = (index + 1) * CORRECTED;
    bool all_will_do = true;
    for (int32_t i = index * CORRECTED; i < end && i < groups->followed.count; ++i)
        all_will_do &= correct(correction->contact, correction->lagrange,
                               &groups->list.items[groups->followed.items[i]]);
    if (!all_will_do)
        atomic_store_explicit(&correction->some_will_not_do, true, memory_order_relaxed);
}

void pal_groups_correct(PalContact *contact, PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    Correction correction = {.contact = contact, .lagrange = lagrange};
    tell_shifts(contact->surface, lagrange);
    groups->due.count = 0;
    if (!(groups->until > groups->come + groups->comes))
        follow(groups, groups->come + groups->comes);
    int32_t tasks = (groups->followed.count + CORRECTED - 1) / CORRECTED;
    bool shared = lagrange->thread_count > 1 && tasks > 1 && contact->surface->plain;
    contact->surface->shared = shared;
    pal_parallel_for(shared ? lagrange->thread_count : 1, tasks, correct_some, &correction);
    contact->surface->shared = false;
    for (int32_t i = 0; i < groups->followed.count && correction.some_will_not_do; ++i) {
        const PalCandidateGroup *group = &groups->list.items[groups->followed.items[i]];
        if (group->pushed && !will_do(group, (double)group->shift))
            add_due(lagrange, groups->followed.items[i]);
    }
    if (groups->due.count > 0)
        renew_due(contact, lagrange, true);
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
