// The second stage: a connected set of facets is split in two connected sets that grow from the
// two facets farthest apart, in place and direction. Of those next to it, a set takes the one that
// keeps volume x (1 + c angle) least (johnsen2015, equation 5, c = 2 / pi); the set whose next one
// costs less is next. That cost never falls while a set grows, so a queue of buckets, eight to a
// factor of two, finds it: a facet is looked at again only when its bucket's turn has come.
// docs/theory/search.md, 2.
#include "base/memory.h"
#include "geometry/build.h"

#include <math.h>
#include <string.h>

enum { BUCKETS = 1024, EXACT_SEEDS = 12 };
enum { LEAST_SHARE = 8 };  // the smaller set has at least one facet in so many
static const float full_turn = 6.2831853f, angle_weight = 0.63661977f;

// A set of facets that grows.
typedef struct Child {
    PalFloat4 lower, upper, axis;
    float angle;   // of the cone, full
    float cosine;  // of half of it: normals this near the axis are inside
    int32_t volume;
    int32_t count;
    int32_t *taken;
    int32_t *next;  // per facet: the next in its bucket
    int32_t base;   // number of the first bucket
    int32_t now, last;
    int32_t head[BUCKETS], tail[BUCKETS];
} Child;

typedef struct Split {
    PalBuild *build;
    int32_t *state;  // per facet: four times its volume so far, and for each child a bit: whether
                     // it ever stood in that one's queue
    Child children[2];
} Split;

// Within 7e-5; what it decides needs no more.
static float arc_cosine(float x)
{
    float y = fabsf(x) < 1 ? fabsf(x) : 1;
    float angle = ((-0.0187293f * y + 0.0742610f) * y - 0.2121144f) * y + 1.5707288f;
    angle *= sqrtf(1 - y);
    return x < 0 ? 0.5f * full_turn - angle : angle;
}

static float widened(const PalBuild *build, const Child *child, float beta)
{
    bool narrow = build->hierarchy->cone_kind == PAL_CONE_NARROWEST;
    float angle = beta + (narrow ? 0.5f : 1) * child->angle;
    return angle < full_turn ? angle : full_turn;
}

static float cost_with(const PalBuild *build, const Child *child, int32_t f)
{
    const PalBuildFacet *facet = &build->facets[f];
    float volume = pal_build_volume(pal_float4_min(child->lower, facet->lower),
                                    pal_float4_max(child->upper, facet->upper), build->pad);
    float cosine = pal_float4_dot3(child->axis, facet->normal), angle = child->angle;
    if (cosine < child->cosine)
        angle = widened(build, child, arc_cosine(cosine));
    return volume * (1 + angle_weight * angle);
}

static void widen(const PalBuild *build, Child *child, PalFloat4 normal)
{
    float cosine = pal_float4_dot3(child->axis, normal);
    if (cosine >= child->cosine)
        return;
    float beta = arc_cosine(cosine), angle = widened(build, child, beta);
    float turn = 0.5f * (angle - child->angle);
    if (build->hierarchy->cone_kind == PAL_CONE_PROVOT)
        turn = 0.5f * beta;
    PalFloat4 side = normal - cosine * child->axis;
    float length = sqrtf(pal_float4_dot3(side, side));
    if (length > 1e-6f) {
        PalFloat4 axis = cosf(turn) * child->axis + sinf(turn) / length * side;
        child->axis = axis / sqrtf(pal_float4_dot3(axis, axis));
    }
    child->angle = angle;
    child->cosine = angle < full_turn ? cosf(0.5f * angle) : -2;
}

// ---- the queue --------------------------------------------------------------------------

static int32_t bucket_of(float cost)
{
    uint32_t bits;
    memcpy(&bits, &cost, sizeof bits);
    return (int32_t)(bits >> 20);
}

static void enqueue(Child *child, int32_t f, int32_t bucket)
{
    if (bucket < child->now)
        bucket = child->now;
    if (bucket >= BUCKETS)
        bucket = BUCKETS - 1;
    for (; child->last < bucket; ++child->last)
        child->head[child->last + 1] = PAL_NONE;
    child->next[f] = PAL_NONE;
    if (child->head[bucket] == PAL_NONE)
        child->head[bucket] = f;
    else
        child->next[child->tail[bucket]] = f;
    child->tail[bucket] = f;
}

static void take(Split *split, int which, int32_t f)
{
    const PalBuild *build = split->build;
    Child *child = &split->children[which];
    int32_t parent = split->state[f] >> 2;
    split->state[f] = child->volume << 2;
    child->taken[child->count++] = f;
    child->lower = pal_float4_min(child->lower, build->facets[f].lower);
    child->upper = pal_float4_max(child->upper, build->facets[f].upper);
    widen(build, child, build->facets[f].normal);
    for (int k = 0; k < 3; ++k) {
        int32_t other = build->neighbours[f][k];
        if (other == PAL_NONE || (split->state[other] & ~(2 >> which)) != parent << 2)
            continue;
        split->state[other] |= 1 << which;
        __builtin_prefetch(&build->facets[other]);  // its turn comes soon
        __builtin_prefetch(build->neighbours[other]);
        enqueue(child, other, child->now);
    }
}

// Takes the cheapest facet next to the child; false when there is none.
static bool grow(Split *split, int which, int32_t parent)
{
    Child *child = &split->children[which];
    while (child->now <= child->last) {
        int32_t f = child->head[child->now];
        if (f == PAL_NONE) {
            ++child->now;
            continue;
        }
        child->head[child->now] = child->next[f];
        if (split->state[f] >> 2 != parent)
            continue;
        int32_t bucket = bucket_of(cost_with(split->build, child, f)) - child->base;
        if (bucket > child->now && child->now < BUCKETS - 1) {
            enqueue(child, f, bucket);
            continue;
        }
        take(split, which, f);
        return true;
    }
    return false;
}

static void start_child(Split *split, int which, int32_t volume, int32_t seed)
{
    Child *child = &split->children[which];
    const PalBuildFacet *facet = &split->build->facets[seed];
    child->lower = facet->lower;
    child->upper = facet->upper;
    child->axis = facet->normal;
    bool has_normal = pal_float4_dot3(facet->normal, facet->normal) > 0;
    child->angle = has_normal ? 0 : full_turn;
    child->cosine = has_normal ? 1 : -2;
    child->volume = volume;
    child->count = 0;
    child->now = child->last = 0;
    child->head[0] = PAL_NONE;
    child->base = bucket_of(cost_with(split->build, child, seed));
    take(split, which, seed);
}

// ---- seeds ------------------------------------------------------------------------------

// Where a facet is, and where it looks.
typedef struct Aspect {
    PalFloat4 centroid, normal;
} Aspect;

static Aspect aspect_of(const PalBuild *build, int32_t f)
{
    return (Aspect){build->facets[f].centroid, build->facets[f].normal};
}

typedef struct Seeding {
    const PalBuild *build;
    const int32_t *facets;
    int32_t count;
    float turn;  // what the square of a difference of normals counts
} Seeding;

static int32_t farthest(const Seeding *seeding, int32_t first, Aspect from, float *distance)
{
    const int32_t *facets = seeding->facets;
    int32_t best = facets[first];
    *distance = -1;
    for (int32_t i = first; i < seeding->count; ++i) {
        Aspect to = aspect_of(seeding->build, facets[i]);
        PalFloat4 arm = to.centroid - from.centroid, turn = to.normal - from.normal;
        float square = pal_float4_dot3(arm, arm) + seeding->turn * pal_float4_dot3(turn, turn);
        if (square > *distance) {
            *distance = square;
            best = facets[i];
        }
    }
    return best;
}

// Normals at right angles count as much as the extent of the set: sets with a sharp edge are split
// along it, so that no strip of another side is left.
static Seeding prepare_seeds(const PalBuild *build, const int32_t *facets, int32_t count)
{
    PalFloat4 lower = build->facets[facets[0]].lower, upper = build->facets[facets[0]].upper;
    for (int32_t i = 1; i < count; ++i) {
        lower = pal_float4_min(lower, build->facets[facets[i]].lower);
        upper = pal_float4_max(upper, build->facets[facets[i]].upper);
    }
    PalFloat4 extent = upper - lower;
    float turn = build->hierarchy->by_edges ? 0.5f * pal_float4_dot3(extent, extent) : 0;
    return (Seeding){build, facets, count, turn};
}

// The two facets farthest apart. In large sets nearly: the farthest from the mean, the
// farthest from that one, and the farthest from that.
static void find_seeds(const PalBuild *build, const int32_t *facets, int32_t count,
                       int32_t seeds[2])
{
    Seeding seeding = prepare_seeds(build, facets, count);
    float distance, most = -1;
    if (count <= EXACT_SEEDS) {
        for (int32_t i = 0; i + 1 < count; ++i) {
            int32_t other = farthest(&seeding, i + 1, aspect_of(build, facets[i]), &distance);
            if (distance > most) {
                most = distance;
                seeds[0] = facets[i];
                seeds[1] = other;
            }
        }
        return;
    }
    Aspect mean = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (int32_t i = 0; i < count; ++i) {
        mean.centroid += build->facets[facets[i]].centroid;
        mean.normal += build->facets[facets[i]].normal;
    }
    mean.centroid /= (float)count;
    mean.normal /= (float)count;
    int32_t first = farthest(&seeding, 0, mean, &distance);
    seeds[1] = farthest(&seeding, 0, aspect_of(build, first), &distance);
    seeds[0] = farthest(&seeding, 0, aspect_of(build, seeds[1]), &distance);
    if (seeds[0] == seeds[1])  // all in one place
        seeds[0] = facets[seeds[1] == facets[0] ? 1 : 0];
}

// ---- volumes ----------------------------------------------------------------------------

// Whose turn it is: that of the set whose next facet costs less, as far as is known, or else of the
// smaller one. Sides fill up before their edges are crossed.
static int next_of(const Split *split, int32_t count)
{
    const Child *children = split->children;
    int smaller = children[0].count <= children[1].count ? 0 : 1;
    if (!split->build->hierarchy->by_edges ||
        children[1 - smaller].count >= count - count / LEAST_SHARE)
        return smaller;
    int32_t first = children[0].base + children[0].now, second = children[1].base + children[1].now;
    return first < second ? 0 : second < first ? 1 : smaller;
}

// Splits a connected volume; its children's facets become consecutive.
static void split_volume(Split *split, int32_t v)
{
    PalHierarchy *hierarchy = split->build->hierarchy;
    PalVolume *volume = &hierarchy->volumes[v];
    int32_t *facets = hierarchy->order + volume->first_facet, count = volume->facet_count;
    if (count == 2) {
        volume[volume->first_child - v].facet_count = 1;
        volume[volume->first_child - v + 1].facet_count = 1;
        return;
    }
    int32_t seeds[2] = {facets[0], facets[1]};  // where no distance is a number
    find_seeds(split->build, facets, count, seeds);
    Child *children = split->children;
    for (int which = 0; which < 2; ++which)
        start_child(split, which, volume->first_child + which, seeds[which]);
    for (int32_t left = count - 2; left > 0; --left) {
        int which = next_of(split, count);
        if (!grow(split, which, v))
            grow(split, 1 - which, v);
    }
    memcpy(facets, children[0].taken, (size_t)children[0].count * sizeof *facets);
    memcpy(facets + children[0].count, children[1].taken,
           (size_t)children[1].count * sizeof *facets);
    for (int which = 0; which < 2; ++which)
        volume[volume->first_child - v + which].facet_count = children[which].count;
}

static void add_children(PalHierarchy *hierarchy, int32_t v)
{
    hierarchy->volumes[v].first_child = hierarchy->volume_count;
    hierarchy->volumes[v].child_count = 2;
    for (int32_t k = 0; k < 2; ++k)
        hierarchy->volumes[hierarchy->volume_count++] = (PalVolume){
            .parent = v, .first_child = PAL_NONE, .connected = hierarchy->volumes[v].connected};
}

typedef struct Task {
    int32_t volume;
    int32_t pair;  // PAL_NONE: part of a cluster
} Task;

// Gives a volume what its pair of clusters says; true when it is a cluster.
static bool begin_volume(Split *split, Task task)
{
    PalBuild *build = split->build;
    PalHierarchy *hierarchy = build->hierarchy;
    PalVolume *volume = &hierarchy->volumes[task.volume];
    if (task.pair == PAL_NONE)
        return true;
    const PalBuildPair *pair = &build->pairs[task.pair];
    volume->facet_count = pair->count;
    volume->connected = pair->children[0] == PAL_NONE;
    if (!volume->connected)
        return false;
    int32_t *facets = hierarchy->order + volume->first_facet;
    memcpy(facets, build->queue + pair->first, (size_t)pair->count * sizeof *facets);
    for (int32_t i = 0; i < pair->count; ++i)
        split->state[facets[i]] = task.volume << 2;
    return true;
}

static void split_all(Split *split, Task *tasks)
{
    PalBuild *build = split->build;
    PalHierarchy *hierarchy = build->hierarchy;
    hierarchy->volume_count = 1;
    hierarchy->volumes[0] = (PalVolume){.parent = PAL_NONE, .first_child = PAL_NONE};
    tasks[0] = (Task){0, build->pair_count - 1};
    for (int32_t task_count = 1; task_count > 0;) {
        Task task = tasks[--task_count];
        PalVolume *volume = &hierarchy->volumes[task.volume];
        bool whole = begin_volume(split, task);
        if (whole && volume->facet_count == 1) {
            hierarchy->leaf_of[hierarchy->order[volume->first_facet]] = task.volume;
            continue;
        }
        add_children(hierarchy, task.volume);
        Task next[2] = {{volume->first_child, PAL_NONE}, {volume->first_child + 1, PAL_NONE}};
        PalVolume *children = &hierarchy->volumes[volume->first_child];
        if (whole) {
            split_volume(split, task.volume);
        } else {
            for (int k = 0; k < 2; ++k) {
                next[k].pair = build->pairs[task.pair].children[k];
                children[k].facet_count = build->pairs[next[k].pair].count;
            }
        }
        children[0].first_facet = volume->first_facet;
        children[1].first_facet = volume->first_facet + children[0].facet_count;
        tasks[task_count++] = next[1];
        tasks[task_count++] = next[0];
    }
}

bool pal_build_split(PalBuild *build)
{
    size_t facet_count = (size_t)build->triangles->facet_count;
    Split *split = pal_alloc(1, sizeof *split);
    Task *tasks = pal_alloc(facet_count + 1, sizeof *tasks);
    if (split == NULL || tasks == NULL) {
        pal_free(split);
        pal_free(tasks);
        return false;
    }
    split->build = build;
    split->state = pal_alloc(facet_count, sizeof *split->state);
    bool enough = split->state != NULL;
    for (int which = 0; which < 2; ++which) {
        Child *child = &split->children[which];
        child->taken = pal_alloc(facet_count, sizeof *child->taken);
        child->next = pal_alloc(facet_count, sizeof *child->next);
        enough = enough && child->taken != NULL && child->next != NULL;
    }
    if (enough)
        split_all(split, tasks);
    for (int which = 0; which < 2; ++which) {
        pal_free(split->children[which].taken);
        pal_free(split->children[which].next);
    }
    pal_free(split->state);
    pal_free(split);
    pal_free(tasks);
    return enough;
}
