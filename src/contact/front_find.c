// Pairs of facets whose boxes overlap: one facet against a tree, or one tree against another.
#include "base/memory.h"
#include "base/parallel.h"
#include "contact/front.h"

#include <string.h>

#define CHUNK        64    // facets one task looks at
#define PARALLEL     4096  // facets worth several threads
#define SEEDS_WANTED 64    // to share between threads

typedef struct Finder {
    PalFront *front;
    const PalSearchState *state;
    const int32_t *facet_object;
} Finder;

static void push(PalFrontFound *found, int32_t a, int32_t b)
{
    found->failed = !pal_array_push(&found->stack, ((PalFrontSeed){a, b})) || found->failed;
}

static void emit(PalFrontFound *found, int32_t a, int32_t b)
{
    PalFacetPair pair = {a < b ? a : b, a < b ? b : a};
    found->failed = !pal_array_push(&found->pairs, pair) || found->failed;
}

// ---- trees ------------------------------------------------------------------------------

// Boxes overlap, and the objects may touch.
static bool may_touch(const Finder *finder, PalFrontFound *found, int32_t a, int32_t b)
{
    const PalFront *front = finder->front;
    ++found->volume_tests;
    if (!pal_boxes_overlap(&front->boxes[a], &front->boxes[b]))
        return false;
    int32_t p = front->volumes[a].object, q = front->volumes[b].object;
    return p == PAL_NONE || q == PAL_NONE || pal_search_allows(finder->state, p, q);
}

static void open_self(const Finder *finder, PalFrontFound *found, int32_t v)
{
    const PalFront *front = finder->front;
    if (front->freedom[v] == PAL_FREEDOM_FREE)
        return;
    ++found->self_subtrees;
    int32_t first = front->volumes[v].first_child, end = first + front->volumes[v].child_count;
    for (int32_t a = first; a < end; ++a) {
        push(found, a, PAL_NONE);
        for (int32_t b = a + 1; b < end; ++b)
            if (may_touch(finder, found, a, b))
                push(found, a, b);
    }
}

static void open_pair(const Finder *finder, PalFrontFound *found, int32_t a, int32_t b)
{
    const PalFrontVolume *p = &finder->front->volumes[a], *q = &finder->front->volumes[b];
    if (p->child_count == 0 && q->child_count == 0) {
        emit(found, p->facet, q->facet);
        return;
    }
    if (q->facet_count > p->facet_count) {
        const PalFrontVolume *other = p;
        int32_t index = a;
        p = q, q = other;
        a = b, b = index;
    }
    for (int32_t c = p->first_child; c < p->first_child + p->child_count; ++c)
        if (may_touch(finder, found, c, b))
            push(found, c, b);
}

static void open_seed(const Finder *finder, PalFrontFound *found, PalFrontSeed seed)
{
    if (seed.b == PAL_NONE)
        open_self(finder, found, seed.a);
    else
        open_pair(finder, found, seed.a, seed.b);
}

static void traverse(const Finder *finder, PalFrontFound *found, PalFrontSeed seed)
{
    push(found, seed.a, seed.b);
    while (found->stack.count > 0 && !found->failed)
        open_seed(finder, found, found->stack.items[--found->stack.count]);
}

// ---- facets -----------------------------------------------------------------------------

// Pairs of two dirty facets are the lower one's.
static void meet(const Finder *finder, PalFrontFound *found, int32_t facet, int32_t v)
{
    const PalFront *front = finder->front;
    int32_t other = front->volumes[v].facet;
    if (pal_bit(front->dirty_facets, other) && other < facet)
        return;
    if (pal_search_allows(finder->state, finder->facet_object[facet], finder->facet_object[other]))
        emit(found, facet, other);
}

static void query(const Finder *finder, PalFrontFound *found, int32_t facet, int32_t root)
{
    const PalFront *front = finder->front;
    const PalBox *box = &front->boxes[front->leaf_of[facet]];
    int32_t patch = front->patch[facet], object = finder->facet_object[facet];
    push(found, root, PAL_NONE);
    while (found->stack.count > 0 && !found->failed) {
        int32_t v = found->stack.items[--found->stack.count].a;
        const PalFrontVolume *volume = &front->volumes[v];
        if (volume->child_count == 0) {
            meet(finder, found, facet, v);
            continue;
        }
        found->volume_tests += volume->child_count;
        for (int32_t c = volume->first_child; c < volume->first_child + volume->child_count; ++c) {
            int32_t other = front->volumes[c].object;
            if (c != patch && pal_boxes_overlap(box, &front->boxes[c]) &&
                (other == PAL_NONE || pal_search_allows(finder->state, object, other)))
                push(found, c, PAL_NONE);
        }
    }
}

// Against all trees that are not renewed: those look for their pairs themselves.
static void find_of_facet(const Finder *finder, PalFrontFound *found, int32_t facet)
{
    const PalFront *front = finder->front;
    int32_t leaf = front->leaf_of[facet];
    bool soft = front->volumes[leaf].tree == 0;
    for (int32_t t = 0; t < (soft ? front->tree_count : 1); ++t) {
        int32_t root = front->trees[t].first_volume;
        if (front->trees[t].renewed || front->trees[t].hierarchy->volume_count == 0)
            continue;
        if (root != front->patch[facet] && may_touch(finder, found, leaf, root))
            query(finder, found, facet, root);
    }
}

// ---- all --------------------------------------------------------------------------------

static void run_task(void *context, int32_t index, int32_t worker)
{
    const Finder *finder = context;
    const PalFront *front = finder->front;
    PalFrontFound *found = &front->found[worker];
    if (index < front->seeds.count) {
        traverse(finder, found, front->seeds.items[index]);
        return;
    }
    int32_t begin = (index - front->seeds.count) * CHUNK, end = begin + CHUNK;
    for (int32_t i = begin; i < (end < front->dirty_count ? end : front->dirty_count); ++i)
        find_of_facet(finder, found, front->dirty[i]);
}

// Roots of renewed trees, each with itself and with each other tree.
static bool plant(const Finder *finder, PalFrontFound *found)
{
    PalFront *front = finder->front;
    front->seeds.count = 0;
    for (int32_t t = 0; t < front->tree_count; ++t) {
        int32_t root = front->trees[t].first_volume;
        if (!front->trees[t].renewed)
            continue;
        if (t == 0 && !pal_array_push(&front->seeds, ((PalFrontSeed){root, PAL_NONE})))
            return false;
        // two instruments never give way to each other
        for (int32_t u = 0; u < (t == 0 ? front->tree_count : 1); ++u) {
            bool other = u != t && front->trees[u].hierarchy->volume_count > 0 &&
                         !(u < t && front->trees[u].renewed);
            int32_t there = front->trees[u].first_volume;
            if (other && may_touch(finder, found, root, there) &&
                !pal_array_push(&front->seeds, ((PalFrontSeed){root, there})))
                return false;
        }
    }
    return true;
}

// Opens seeds until there are enough for several threads.
static bool spread(const Finder *finder, PalFrontFound *found)
{
    PalFrontSeeds *seeds = &finder->front->seeds;
    while (seeds->count > 0 && seeds->count < SEEDS_WANTED && !found->failed) {
        for (int32_t i = 0; i < seeds->count; ++i)
            open_seed(finder, found, seeds->items[i]);
        PalFrontSeeds opened = found->stack;
        found->stack = *seeds;
        found->stack.count = 0;
        *seeds = opened;
    }
    return !found->failed;
}

static bool make_workers(PalFront *front, int32_t count)
{
    if (count <= front->worker_count)
        return true;
    PalFrontFound *found = pal_alloc((size_t)count, sizeof *found);
    if (found == NULL)
        return false;
    if (front->found != NULL)
        memcpy(found, front->found, (size_t)front->worker_count * sizeof *found);
    pal_free(front->found);
    front->found = found;
    front->worker_count = count;
    return true;
}

bool pal_front_find(PalFront *front, const PalSearchState *state, const PalContactSurface *surface,
                    int32_t thread_count)
{
    Finder finder = {front, state, surface->facet_object};
    int32_t work = front->dirty_count;
    for (int32_t t = 0; t < front->tree_count; ++t)
        work += front->trees[t].renewed ? front->trees[t].hierarchy->facet_count : 0;
    int32_t threads = work < PARALLEL ? 1 : thread_count;
    if (!make_workers(front, threads))
        return false;
    for (int32_t w = 0; w < front->worker_count; ++w) {
        PalFrontFound *found = &front->found[w];
        found->pairs.count = found->stack.count = 0;
        found->volume_tests = found->self_subtrees = 0;
        found->failed = false;
    }
    if (!plant(&finder, &front->found[0]) || (threads > 1 && !spread(&finder, &front->found[0])))
        return false;
    pal_parallel_for(threads, front->seeds.count + (front->dirty_count + CHUNK - 1) / CHUNK,
                     run_task, &finder);
    for (int32_t w = 0; w < front->worker_count; ++w)
        if (front->found[w].failed)
            return false;
    return true;
}
