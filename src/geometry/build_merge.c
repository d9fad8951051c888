// The first stage: of all clusters, the two whose common box is smallest are joined, and so on.
#include "base/memory.h"
#include "geometry/build.h"

#include <math.h>
#include <stdlib.h>

// Joining is quadratic in the number of clusters: more are first halved in space.
enum { JOINED_AT_ONCE = 512 };

typedef struct Merge {
    PalBuild *build;
    int32_t *active;   // pairs still without a parent
    int32_t *nearest;  // per place in active: place of the best partner
    float *cost;       // volume of their common box
} Merge;

static int32_t add_pair(PalBuild *build, int32_t a, int32_t b)
{
    const PalBuildPair *first = &build->pairs[a], *second = &build->pairs[b];
    build->pairs[build->pair_count] = (PalBuildPair){
        .lower = pal_float4_min(first->lower, second->lower),
        .upper = pal_float4_max(first->upper, second->upper),
        .children = {a, b},
        .count = first->count + second->count,
    };
    return build->pair_count++;
}

static float common_volume(const PalBuild *build, int32_t a, int32_t b)
{
    const PalBuildPair *first = &build->pairs[a], *second = &build->pairs[b];
    return pal_build_volume(pal_float4_min(first->lower, second->lower),
                            pal_float4_max(first->upper, second->upper), build->pad);
}

// Partners stand later in the list, so that each pair is looked at once.
static void find_nearest(Merge *merge, int32_t i, int32_t count)
{
    merge->cost[i] = INFINITY;
    merge->nearest[i] = PAL_NONE;
    for (int32_t j = i + 1; j < count; ++j) {
        float cost = common_volume(merge->build, merge->active[i], merge->active[j]);
        if (cost < merge->cost[i] || merge->nearest[i] == PAL_NONE) {
            merge->cost[i] = cost;
            merge->nearest[i] = j;
        }
    }
}

// Joins all of active[0 .. count - 1] and returns the root.
static int32_t join_all(Merge *merge, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        find_nearest(merge, i, count);
    while (count > 1) {
        int32_t best = 0;
        for (int32_t i = 1; i < count - 1; ++i)
            if (merge->cost[i] < merge->cost[best])
                best = i;
        int32_t other = merge->nearest[best], last = count - 1;
        merge->active[best] = add_pair(merge->build, merge->active[best], merge->active[other]);
        merge->active[other] = merge->active[last];
        --count;
        for (int32_t i = 0; i < count; ++i) {
            int32_t near = merge->nearest[i];
            if (i == best || i == other || near == best || near == other || near == last) {
                find_nearest(merge, i, count);
            } else if (i < best || i < other) {  // two places hold something new
                for (int32_t j = best, k = 0; k < 2; ++k, j = other) {
                    if (j <= i || j >= count)
                        continue;
                    float cost = common_volume(merge->build, merge->active[i], merge->active[j]);
                    if (cost < merge->cost[i]) {
                        merge->cost[i] = cost;
                        merge->nearest[i] = j;
                    }
                }
            }
        }
    }
    return merge->active[0];
}

typedef struct Place {
    float middle;
    int32_t pair;
} Place;

static int compare_places(const void *left, const void *right)
{
    const Place *a = left, *b = right;
    if (a->middle != b->middle)
        return a->middle < b->middle ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

static void sort_along_longest(const PalBuild *build, Place *places, int32_t count)
{
    PalFloat4 lower = {INFINITY, INFINITY, INFINITY, 0}, upper = -lower;
    for (int32_t i = 0; i < count; ++i) {
        const PalBuildPair *pair = &build->pairs[places[i].pair];
        lower = pal_float4_min(lower, pair->lower + pair->upper);
        upper = pal_float4_max(upper, pair->lower + pair->upper);
    }
    PalFloat4 side = upper - lower;
    int axis = side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
    for (int32_t i = 0; i < count; ++i) {
        const PalBuildPair *pair = &build->pairs[places[i].pair];
        float middle = pair->lower[axis] + pair->upper[axis];
        places[i].middle = isnan(middle) ? 0 : middle;  // sorting needs an order
    }
    qsort(places, (size_t)count, sizeof *places, compare_places);
}

static int32_t merge_places(Merge *merge, Place *places, int32_t count)
{
    if (count <= JOINED_AT_ONCE) {
        for (int32_t i = 0; i < count; ++i)
            merge->active[i] = places[i].pair;
        return join_all(merge, count);
    }
    sort_along_longest(merge->build, places, count);
    int32_t first = merge_places(merge, places, count / 2);
    int32_t second = merge_places(merge, places + count / 2, count - count / 2);
    return add_pair(merge->build, first, second);
}

bool pal_build_merge(PalBuild *build)
{
    Merge merge = {.build = build};
    merge.active = pal_alloc(JOINED_AT_ONCE, sizeof *merge.active);
    merge.nearest = pal_alloc(JOINED_AT_ONCE, sizeof *merge.nearest);
    merge.cost = pal_alloc(JOINED_AT_ONCE, sizeof *merge.cost);
    Place *places = pal_alloc((size_t)build->cluster_count, sizeof *places);
    bool enough =
        merge.active != NULL && merge.nearest != NULL && merge.cost != NULL && places != NULL;
    for (int32_t i = 0; enough && i < build->cluster_count; ++i)
        places[i].pair = i;
    if (enough)
        merge_places(&merge, places, build->cluster_count);
    pal_free(merge.active);
    pal_free(merge.nearest);
    pal_free(merge.cost);
    pal_free(places);
    return enough;
}
