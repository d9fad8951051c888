// Pairs of facets whose boxes overlap, by going down two trees, or one, at the same time. Volumes
// without a dirty facet are not paired with each other: their pairs are known.
#include "base/memory.h"
#include "base/parallel.h"
#include "contact/search/front.h"
#include "contact/surface/sweep.h"
#include "math/vec3.h"

#include <string.h>

#define PARALLEL     4096  // dirty volumes worth several threads
#define SEEDS_WANTED 64    // to share between threads
#define FEW          32    // rigid bodies that are compared each with each
#define MOST_OPENED  10    // seeds or pairs that come of one seed: four children with each other

typedef struct Finder {
    PalFront *front;
    const PalSearchState *state;
    const PalContactSurface *surface;
    double margin;
} Finder;

static bool make_room(PalFrontFound *found)
{
    if (found->stack.capacity - found->stack.count < MOST_OPENED &&
        !pal_array_reserve(&found->stack, MOST_OPENED))
        return false;
    return found->pairs.capacity - found->pairs.count >= MOST_OPENED ||
           pal_array_reserve(&found->pairs, MOST_OPENED);
}

// ---- two facets -------------------------------------------------------------------------

// All of q lies on one side of the plane of p, so far off that no motion within the places brings
// them nearer than the margin. A facet without direction has no plane: all distances are zero.
static bool off_plane(const Finder *finder, int32_t p, int32_t q)
{
    const PalPlace *places = finder->state->places.items;
    const int32_t *corners = finder->surface->facets[p], *others = finder->surface->facets[q];
    PalVec3 normal = finder->front->leans[p].normal, origin = places[corners[0]].centre;
    double radius = 0;
    for (int k = 0; k < 3; ++k) {
        double here = places[corners[k]].radius + pal_front_felt(finder->front, corners[k]);
        radius = here > radius ? here : radius;
    }
    double room = radius + finder->margin;
    bool above = true, below = true;
    for (int k = 0; k < 3; ++k) {
        PalPlace place = places[others[k]];
        double distance = pal_vec3_dot(normal, pal_vec3_sub(place.centre, origin));
        double all = room + place.radius + pal_front_felt(finder->front, others[k]);
        above = above && distance > all;
        below = below && -distance > all;
    }
    return above || below;
}

static bool stay_apart(const Finder *finder, int32_t p, int32_t q)
{
    return !pal_facets_adjacent(finder->surface, p, q) &&
           (off_plane(finder, p, q) || off_plane(finder, q, p));
}

// ---- going down -------------------------------------------------------------------------

static inline bool may_meet(const Finder *finder, int32_t a, int32_t b)
{
    int32_t p = finder->front->volumes[a].object, q = finder->front->volumes[b].object;
    return p == PAL_NONE || q == PAL_NONE || pal_search_allows(finder->state, p, q);
}

// Some facet is dirty, boxes overlap, and the objects may touch.
static inline bool may_touch(const Finder *finder, PalFrontFound *found, int32_t a, int32_t b)
{
    const PalFront *front = finder->front;
    if (!pal_bit(front->dirty_volumes, a) && !pal_bit(front->dirty_volumes, b))
        return false;
    ++found->volume_tests;
    return pal_boxes_overlap(&front->boxes[a], &front->boxes[b]) && may_meet(finder, a, b);
}

// Two volumes that may touch: a pair, if both are leaves, or to be looked at later.
static inline void add(const Finder *finder, PalFrontFound *found, int32_t a, int32_t b)
{
    int32_t p = finder->front->volumes[a].facet, q = finder->front->volumes[b].facet;
    if (p == PAL_NONE || q == PAL_NONE)
        found->stack.items[found->stack.count++] = (PalFrontSeed){a, b};
    else if (!stay_apart(finder, p, q))
        found->pairs.items[found->pairs.count++] = (PalFacetPair){p < q ? p : q, p < q ? q : p};
}

static void open_self(const Finder *finder, PalFrontFound *found, int32_t v)
{
    const PalFront *front = finder->front;
    ++found->self_subtrees;
    int32_t first = front->volumes[v].first_child, end = first + front->volumes[v].child_count;
    for (int32_t a = first; a < end; ++a) {
        if (pal_bit(front->dirty_volumes, a) && front->freedom[a] != PAL_FREEDOM_FREE)
            found->stack.items[found->stack.count++] = (PalFrontSeed){a, PAL_NONE};
        for (int32_t b = a + 1; b < end; ++b)
            if (may_touch(finder, found, a, b))
                add(finder, found, a, b);
    }
}

// The larger one is opened. This is where the search spends its time.
static void open_pair(const Finder *finder, PalFrontFound *found, int32_t a, int32_t b)
{
    const PalFront *front = finder->front;
    bool swap = front->volumes[b].facet_count > front->volumes[a].facet_count;
    const PalFrontVolume *larger = &front->volumes[swap ? b : a];
    int32_t other = swap ? a : b, end = larger->first_child + larger->child_count;
    const PalBox box = front->boxes[other];
    bool dirty = pal_bit(front->dirty_volumes, other);
    // objects are looked at when there are several in one volume
    bool mixed = larger->object == PAL_NONE || front->volumes[other].object == PAL_NONE;
    found->volume_tests += larger->child_count;
    for (int32_t c = larger->first_child; c < end; ++c)
        if (pal_boxes_overlap(&box, &front->boxes[c]) &&
            (dirty || pal_bit(front->dirty_volumes, c)) && (!mixed || may_meet(finder, c, other)))
            add(finder, found, c, other);
}

static void open_seed(const Finder *finder, PalFrontFound *found, PalFrontSeed seed)
{
    if (!make_room(found))
        found->failed = true;
    else if (seed.b == PAL_NONE)
        open_self(finder, found, seed.a);
    else
        open_pair(finder, found, seed.a, seed.b);
}

// ---- all --------------------------------------------------------------------------------

static void run_task(void *context, int32_t index, int32_t worker)
{
    const Finder *finder = context;
    PalFrontFound *found = &finder->front->found[worker];
    open_seed(finder, found, finder->front->seeds.items[index]);
    while (found->stack.count > 0 && !found->failed)
        open_seed(finder, found, found->stack.items[--found->stack.count]);
}

// Two trees, if they may touch.
static bool plant_pair(const Finder *finder, PalFrontFound *found, int32_t s, int32_t t)
{
    PalFront *front = finder->front;
    int32_t a = front->trees[s].first_volume, b = front->trees[t].first_volume;
    if (front->trees[s].hierarchy->volume_count == 0 ||
        front->trees[t].hierarchy->volume_count == 0 || !may_touch(finder, found, a, b))
        return true;
    PalFrontSeed seed = {a, b};
    return pal_array_push(&front->seeds, seed);
}

static float low_end(const PalFront *front, int32_t tree)
{
    return front->boxes[front->trees[tree].first_volume].lower[0];
}

// Of many rigid bodies, only those whose boxes overlap along x are compared. They hardly change
// places from one time to the next.
static bool plant_many(const Finder *finder, PalFrontFound *found)
{
    PalFront *front = finder->front;
    int32_t *sorted = front->sorted, count = front->sorted_count;
    for (int32_t i = 1; i < count; ++i) {
        int32_t tree = sorted[i], place = i;
        for (; place > 0 && low_end(front, sorted[place - 1]) > low_end(front, tree); --place)
            sorted[place] = sorted[place - 1];
        sorted[place] = tree;
    }
    bool good = true;
    for (int32_t i = 0; i < count; ++i) {
        float high = front->boxes[front->trees[sorted[i]].first_volume].upper[0];
        for (int32_t j = i + 1; j < count && low_end(front, sorted[j]) <= high; ++j)
            good = good && plant_pair(finder, found, sorted[i] < sorted[j] ? sorted[i] : sorted[j],
                                      sorted[i] < sorted[j] ? sorted[j] : sorted[i]);
    }
    return good;
}

// The soft bodies among themselves, and with everything rigid; free rigid bodies with each other.
static bool plant(const Finder *finder, PalFrontFound *found)
{
    PalFront *front = finder->front;
    PalFrontSeed soft = {0, PAL_NONE};
    bool good = make_room(found);
    front->seeds.count = 0;
    if (front->soft_volume_count > 0 && pal_bit(front->dirty_volumes, 0) &&
        front->freedom[0] != PAL_FREEDOM_FREE)
        good = good && pal_array_push(&front->seeds, soft);
    bool many = front->sorted_count > FEW;
    int32_t last = finder->surface->free_count == 0 || many ? 1 : front->tree_count;
    for (int32_t s = 0; s < last; ++s)
        for (int32_t t = s + 1; t < front->tree_count; ++t)
            good = good && plant_pair(finder, found, s, t);
    if (many && finder->surface->free_count > 0)
        good = good && plant_many(finder, found);
    return good;
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

bool pal_front_find(PalFront *front, const PalSearch *search, const PalContactSurface *surface,
                    int32_t dirty_count, int32_t thread_count)
{
    Finder finder = {front, search->state, surface, search->margin};
    int32_t threads = dirty_count < PARALLEL ? 1 : thread_count;
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
    pal_parallel_for(threads, front->seeds.count, run_task, &finder);
    for (int32_t w = 0; w < front->worker_count; ++w)
        if (front->found[w].failed)
            return false;
    return true;
}
