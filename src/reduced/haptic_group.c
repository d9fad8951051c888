// Where many points are near, those of a cluster of the shell are one row: the mean of their gaps,
// and a force that they share. Shares follow the gaps: a point that is inside takes more, one that
// has parted gives its share away. Points that are close to each other move each other, and change
// by less each, lest they go to and fro. Where they come to rest, every point that carries force
// touches, and the answer is that of single points. docs/theory/haptics.md, 3
#include "base/assert.h"
#include "reduced/haptic.h"

#include <math.h>

#define SHARE_RATE 0.7F  // how much of a gap a point's own force makes up for, in a step

float pal_haptic_last_force(const PalHaptic *haptic, const PalHapticNear *near)
{
    const PalHapticMemory *memory = pal_haptic_memory_of(haptic, near);
    return memory->step + 1 == haptic->step ? memory->force[0] : 0;
}

PalHapticGroup *pal_haptic_group_of(const PalHaptic *haptic, const PalHapticNear *near)
{
    int32_t cluster = haptic->bodies[near->side].group[haptic->group_level - 1][near->node];
    return &haptic->groups[near->side][cluster];
}

// How much a point and the place next to it give way to a force between them.
static float give_of(const PalHaptic *haptic, const PalHapticNear *near)
{
    const PalHapticBody *other = &haptic->bodies[1 - near->side];
    const float *own = haptic->bodies[near->side].give;
    float sum = own[near->node];
    if (near->far_node != PAL_NONE)
        sum += near->part * (own[near->far_node] - sum);
    for (int a = 0; a < 3; ++a)
        sum += near->weights[a] * other->give[other->facets[near->facet][a]];
    return sum;
}

// How many points of its group move a point as much as it moves itself: those an edge away count
// for nothing, those in its place in full.
static float crowd_of(const PalHaptic *haptic, const PalHapticGroup *group, int32_t c)
{
    double edge = haptic->bodies[haptic->finder.near[c].side].edge, crowd = 0;
    for (int32_t i = group->first; i != PAL_NONE; i = haptic->links[i].next)
        crowd +=
            fmax(0, 1 - pal_vec3_distance(haptic->links[c].place, haptic->links[i].place) / edge);
    return (float)crowd;
}

// What a point would carry by itself.
static float pressed(const PalHaptic *haptic, const PalHapticGroup *group, int32_t c)
{
    const PalHapticNear *near = &haptic->finder.near[c];
    float give = give_of(haptic, near), force = pal_haptic_last_force(haptic, near);
    if (give > 0)
        force -= SHARE_RATE * (float)near->gap / (give * crowd_of(haptic, group, c));
    return force > 0 ? near->weight * force : 0;
}

// Chains the points of each group. Returns how many groups there are.
static int32_t fill_groups(PalHaptic *haptic)
{
    int32_t count = 0;
    ++haptic->group_filling;
    for (int32_t c = haptic->finder.near_count; c-- > 0;) {
        const PalHapticNear *near = &haptic->finder.near[c];
        PalHapticGroup *group = pal_haptic_group_of(haptic, near);
        if (group->filling != haptic->group_filling) {
            *group =
                (PalHapticGroup){.filling = haptic->group_filling, .first = PAL_NONE, .nearest = c};
            ++count;
        }
        if (near->gap <= haptic->finder.near[group->nearest].gap)
            group->nearest = c;
        haptic->links[c].first_row = PAL_NONE;
        PAL_ASSERT(group->first == PAL_NONE || group->first > c);  // else its chain has no end
        haptic->links[c].next = group->first;
        group->first = c;
    }
    return count;
}

// Leaves those that carry force in the chain.
static void share_out(PalHaptic *haptic, PalHapticGroup *group)
{
    int32_t *end = &group->first;
    if (group->shared)
        return;
    for (int32_t c = group->first; c != PAL_NONE; c = haptic->links[c].next)
        haptic->links[c].share = pressed(haptic, group, c);
    for (int32_t c = group->first; c != PAL_NONE; c = haptic->links[c].next) {
        if (!(haptic->links[c].share > 0))
            continue;
        group->sum += haptic->links[c].share;
        *end = c;
        end = &haptic->links[c].next;
    }
    *end = PAL_NONE;
    if (group->first == PAL_NONE)
        haptic->links[group->nearest].next = PAL_NONE;  // it stands for them
    group->shared = true;
}

// Finer groups where they are few enough, coarser ones where they are too many.
bool pal_haptic_make_groups(PalHaptic *haptic)
{
    int32_t near = haptic->finder.near_count;
    bool single = near <= (haptic->group_level > 0 ? PAL_HAPTIC_AGAIN : PAL_HAPTIC_SINGLE);
    if (single || haptic->def.friction > 0) {
        haptic->group_level = 0;
        return false;
    }
    if (haptic->group_level == 0)
        haptic->group_level = 1;
    int32_t count = fill_groups(haptic);
    while (count > PAL_HAPTIC_DENSE && haptic->group_level < PAL_HAPTIC_LEVELS) {
        ++haptic->group_level;
        count = fill_groups(haptic);
    }
    if (count < PAL_HAPTIC_DENSE / 3 && haptic->group_level > 1) {
        --haptic->group_level;
        fill_groups(haptic);
    }
    for (int32_t c = 0; c < near; ++c)
        share_out(haptic, pal_haptic_group_of(haptic, &haptic->finder.near[c]));
    return true;
}
