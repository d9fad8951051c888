// Which facets hang together.
#include "base/array.h"
#include "base/memory.h"
#include "geometry/build.h"

// ---- neighbours -------------------------------------------------------------------------

typedef struct Side {
    int32_t low, high;
    int32_t index;  // 3 * facet + corner
} Side;

static Side side_of(const PalTriangles *triangles, int32_t index)
{
    const int32_t *corners = triangles->facets[index / 3];
    int32_t from = corners[index % 3], to = corners[(index + 1) % 3];
    return (Side){from < to ? from : to, from < to ? to : from, index};
}

// Stable counting sort by one end. `start` has vertex_count + 1 entries.
static void sort_sides(const Side *sides, int32_t count, bool by_low, int32_t *start,
                       int32_t vertex_count, Side *sorted)
{
    for (int32_t v = 0; v <= vertex_count; ++v)
        start[v] = 0;
    for (int32_t s = 0; s < count; ++s)
        ++start[(by_low ? sides[s].low : sides[s].high) + 1];
    for (int32_t v = 0; v < vertex_count; ++v)
        start[v + 1] += start[v];
    for (int32_t s = 0; s < count; ++s)
        sorted[start[by_low ? sides[s].low : sides[s].high]++] = sides[s];
}

static bool is_sound(const int32_t corners[3])
{
    return corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0];
}

// An edge joins its facets when there are two, and they run along it in opposite directions.
// Facets with a corner twice hang together with nothing.
static void join(PalBuild *build, const Side *a, const Side *b)
{
    const int32_t(*facets)[3] = build->triangles->facets;
    bool opposite = facets[a->index / 3][a->index % 3] != facets[b->index / 3][b->index % 3];
    if (!opposite || !is_sound(facets[a->index / 3]) || !is_sound(facets[b->index / 3]))
        return;
    build->neighbours[a->index / 3][a->index % 3] = b->index / 3;
    build->neighbours[b->index / 3][b->index % 3] = a->index / 3;
}

bool pal_build_neighbours(PalBuild *build)
{
    const PalTriangles *triangles = build->triangles;
    int32_t count = 3 * triangles->facet_count;
    Side *sides = pal_alloc((size_t)count, sizeof *sides);
    Side *sorted = pal_alloc((size_t)count, sizeof *sorted);
    int32_t *start = pal_alloc((size_t)triangles->vertex_count + 1, sizeof *start);
    bool enough = sides != NULL && sorted != NULL && start != NULL;
    for (int32_t s = 0; enough && s < count; ++s) {
        sides[s] = side_of(triangles, s);
        build->neighbours[s / 3][s % 3] = PAL_NONE;
    }
    if (enough) {
        sort_sides(sides, count, false, start, triangles->vertex_count, sorted);
        sort_sides(sorted, count, true, start, triangles->vertex_count, sides);
    }
    for (int32_t s = 0, end; enough && s < count; s = end) {
        for (end = s + 1; end < count; ++end)
            if (sides[end].low != sides[s].low || sides[end].high != sides[s].high)
                break;
        if (end - s == 2)
            join(build, &sides[s], &sides[s + 1]);
    }
    pal_free(sides);
    pal_free(sorted);
    pal_free(start);
    return enough;
}

// ---- clusters ---------------------------------------------------------------------------

static void collect(PalBuild *build, bool *seen, PalBuildPair *cluster)
{
    const PalBuildFacet *seed = &build->facets[build->queue[cluster->first]];
    cluster->lower = seed->lower;
    cluster->upper = seed->upper;
    for (int32_t i = cluster->first; i < cluster->first + cluster->count; ++i) {
        int32_t f = build->queue[i];
        cluster->lower = pal_float4_min(cluster->lower, build->facets[f].lower);
        cluster->upper = pal_float4_max(cluster->upper, build->facets[f].upper);
        for (int k = 0; k < 3; ++k) {
            int32_t other = build->neighbours[f][k];
            if (other == PAL_NONE || seen[other])
                continue;
            seen[other] = true;
            build->queue[cluster->first + cluster->count++] = other;
        }
    }
}

static bool grow_pairs(PalBuild *build, int32_t extra)
{
    return pal_array_grow((void **)&build->pairs, &build->pair_capacity, build->pair_count, extra,
                          sizeof *build->pairs);
}

bool pal_build_clusters(PalBuild *build)
{
    int32_t facet_count = build->triangles->facet_count, first = 0;
    bool *seen = pal_alloc((size_t)facet_count, sizeof *seen);
    if (seen == NULL)
        return false;
    for (int32_t f = 0; f < facet_count; ++f) {
        if (seen[f])
            continue;
        seen[f] = true;
        build->queue[first] = f;
        if (!grow_pairs(build, 1)) {
            pal_free(seen);
            return false;
        }
        PalBuildPair *cluster = &build->pairs[build->pair_count++];
        *cluster = (PalBuildPair){.children = {PAL_NONE, PAL_NONE}, .first = first, .count = 1};
        collect(build, seen, cluster);
        first += cluster->count;
    }
    build->cluster_count = build->pair_count;
    pal_free(seen);
    return grow_pairs(build, build->cluster_count);
}
