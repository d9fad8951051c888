// Which volumes are disks, and the loops around them. docs/theory/search.md, 3.
//
// Bottom-up: the rim of a volume is made of those sides of its children's rims across which no
// facet of the volume lies. Rims of many volumes together are short, because a rim grows like the
// square root of the area.
#include "base/array.h"
#include "base/memory.h"
#include "geometry/build.h"

// Rims of odd trees may be long: beyond so many sides for each facet, volumes are no longer
// recognised as disks.
enum { SIDES_PER_FACET = 64 };

typedef struct Patch {
    int32_t first, count;  // sides around it; PAL_NONE: not known
    int32_t vertex_count;
    bool pinched;  // touches a vertex around which the surface is no fan
} Patch;

typedef struct Rims {
    PalBuild *build;
    const int32_t *corners;    // per side: the vertex it starts from
    const int32_t *across;     // per side: the facet across it
    int32_t *place;            // per facet: its place in the order
    Patch *patches;            // per volume
    PAL_ARRAY(int32_t) sides;  // 3 * facet + corner
    bool *pinched;             // per vertex
    int32_t *stamp;            // per vertex: the last volume that marked it
    int32_t *leaving;          // per vertex: the side of the rim that starts there
} Rims;

static int32_t from_vertex(const Rims *rims, int32_t side)
{
    return rims->corners[side];
}

static int32_t to_vertex(const Rims *rims, int32_t side)
{
    return from_vertex(rims, side % 3 == 2 ? side - 2 : side + 1);
}

// ---- vertices ---------------------------------------------------------------------------

// Going around a vertex from facet to facet, one way and then the other; the number of facets seen.
static int32_t fan_size(const PalBuild *build, int32_t f, int corner)
{
    const int32_t(*facets)[3] = build->triangles->facets;
    int32_t vertex = facets[f][corner], size = 1, limit = build->triangles->facet_count;
    for (int way = 0; way < 2; ++way) {
        int32_t at = f;
        int k = corner;
        while (size <= limit) {
            // the side that leaves the vertex, or the one that comes to it
            int32_t next = build->neighbours[at][way == 0 ? k : (k + 2) % 3];
            if (next == f)
                return size;
            if (next == PAL_NONE)
                break;
            k = facets[next][0] == vertex ? 0 : facets[next][1] == vertex ? 1 : 2;
            at = next;
            ++size;
        }
    }
    return size;
}

static void find_pinched(Rims *rims)
{
    const PalTriangles *triangles = rims->build->triangles;
    int32_t *count = rims->leaving, *seed = rims->stamp;  // borrowed
    for (int32_t v = 0; v < triangles->vertex_count; ++v)
        count[v] = 0;
    for (int32_t s = 0; s < 3 * triangles->facet_count; ++s) {
        int32_t v = from_vertex(rims, s);
        ++count[v];
        seed[v] = s;
    }
    for (int32_t v = 0; v < triangles->vertex_count; ++v)
        rims->pinched[v] =
            count[v] > 0 && fan_size(rims->build, seed[v] / 3, seed[v] % 3) != count[v];
    for (int32_t f = 0; f < triangles->facet_count; ++f) {
        const int32_t *corners = triangles->facets[f];
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
            for (int k = 0; k < 3; ++k)
                rims->pinched[corners[k]] = true;
    }
    for (int32_t v = 0; v < triangles->vertex_count; ++v)
        rims->stamp[v] = PAL_NONE;
}

// ---- patches ----------------------------------------------------------------------------

static bool add_leaf(Rims *rims, const PalVolume *volume, Patch *patch)
{
    int32_t f = rims->build->hierarchy->order[volume->first_facet];
    *patch = (Patch){.first = rims->sides.count, .count = 3, .vertex_count = 3};
    if (!pal_array_reserve(&rims->sides, 3))
        return false;
    for (int k = 0; k < 3; ++k) {
        patch->pinched |= rims->pinched[rims->build->triangles->facets[f][k]];
        rims->sides.items[rims->sides.count++] = 3 * f + k;
    }
    return true;
}

// Vertices that both children have are on both rims.
static int32_t count_shared(Rims *rims, int32_t v, const Patch *a, const Patch *b)
{
    int32_t shared = 0, mark = 2 * v;
    for (int32_t i = 0; i < a->count; ++i)
        rims->stamp[from_vertex(rims, rims->sides.items[a->first + i])] = mark;
    for (int32_t i = 0; i < b->count; ++i) {
        int32_t vertex = from_vertex(rims, rims->sides.items[b->first + i]);
        shared += rims->stamp[vertex] == mark;
        if (rims->stamp[vertex] == mark)
            rims->stamp[vertex] = mark + 1;
    }
    return shared;
}

static bool add_patch(Rims *rims, int32_t v, Patch *patch)
{
    const PalVolume *volume = &rims->build->hierarchy->volumes[v];
    const Patch *children = &rims->patches[volume->first_child];
    *patch = (Patch){.first = rims->sides.count, .count = PAL_NONE};
    patch->pinched = children[0].pinched || children[1].pinched;
    int64_t most = (int64_t)SIDES_PER_FACET * rims->build->triangles->facet_count;
    if (patch->pinched || children[0].count == PAL_NONE || children[1].count == PAL_NONE ||
        rims->sides.count + children[0].count + children[1].count > most)
        return true;
    if (!pal_array_reserve(&rims->sides, (int64_t)children[0].count + children[1].count))
        return false;
    patch->vertex_count = children[0].vertex_count + children[1].vertex_count -
                          count_shared(rims, v, &children[0], &children[1]);
    for (int k = 0; k < 2; ++k)
        for (int32_t i = 0; i < children[k].count; ++i) {
            int32_t side = rims->sides.items[children[k].first + i];
            int32_t other = rims->across[side];
            int32_t place = other == PAL_NONE ? PAL_NONE : rims->place[other];
            if (place < volume->first_facet || place >= volume->first_facet + volume->facet_count)
                rims->sides.items[rims->sides.count++] = side;
        }
    patch->count = rims->sides.count - patch->first;
    return true;
}

// A disk has one simple loop around it and Euler characteristic 1. Sorts its sides along the loop.
static bool is_disk(Rims *rims, int32_t v, Patch *patch)
{
    const PalVolume *volume = &rims->build->hierarchy->volumes[v];
    if (patch->count < 3 || patch->pinched)
        return false;
    if (volume->child_count == 0)
        return true;
    int32_t edge_count = (3 * volume->facet_count + patch->count) / 2;
    if (patch->vertex_count - edge_count + volume->facet_count != 1)
        return false;
    int32_t *sides = rims->sides.items + patch->first, mark = 2 * v;
    for (int32_t i = 0; i < patch->count; ++i) {
        int32_t vertex = from_vertex(rims, sides[i]);
        rims->leaving[vertex] = sides[i];
        rims->stamp[vertex] = mark;
    }
    int32_t side = sides[0], length = 0;
    do {
        int32_t vertex = from_vertex(rims, side);
        if (rims->stamp[vertex] != mark)
            return false;
        rims->stamp[vertex] = mark + 1;
        ++length;
        side = rims->leaving[to_vertex(rims, side)];
    } while (side != sides[0]);
    if (length != patch->count)
        return false;
    for (int32_t i = 0; i + 1 < length; ++i)
        sides[i + 1] = rims->leaving[to_vertex(rims, sides[i])];
    return true;
}

static bool find_rims(Rims *rims)
{
    PalHierarchy *hierarchy = rims->build->hierarchy;
    for (int32_t i = 0; i < hierarchy->facet_count; ++i)
        rims->place[hierarchy->order[i]] = i;
    find_pinched(rims);
    for (int32_t v = hierarchy->volume_count - 1; v >= 0; --v) {
        PalVolume *volume = &hierarchy->volumes[v];
        Patch *patch = &rims->patches[v];
        patch->count = PAL_NONE;
        if (!volume->connected)
            continue;
        if (volume->child_count == 0 ? !add_leaf(rims, volume, patch) : !add_patch(rims, v, patch))
            return false;
        volume->disk = is_disk(rims, v, patch);
    }
    return true;
}

static bool keep_rims(Rims *rims)
{
    PalHierarchy *hierarchy = rims->build->hierarchy;
    int64_t total = 0;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v)
        total += hierarchy->volumes[v].disk ? rims->patches[v].count : 0;
    hierarchy->rim_start = pal_alloc((size_t)hierarchy->volume_count + 1, sizeof(int32_t));
    hierarchy->rim_vertices = pal_alloc((size_t)total, sizeof(int32_t));
    if (hierarchy->rim_start == NULL || hierarchy->rim_vertices == NULL)
        return false;
    int32_t next = 0;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        const Patch *patch = &rims->patches[v];
        hierarchy->rim_start[v] = next;
        for (int32_t i = 0; hierarchy->volumes[v].disk && i < patch->count; ++i)
            hierarchy->rim_vertices[next++] =
                from_vertex(rims, rims->sides.items[patch->first + i]);
    }
    hierarchy->rim_start[hierarchy->volume_count] = next;
    return true;
}

bool pal_build_rims(PalBuild *build)
{
    size_t facet_count = (size_t)build->triangles->facet_count;
    size_t vertex_count = (size_t)build->triangles->vertex_count;
    Rims rims = {.build = build};
    rims.corners = build->triangles->facets[0];
    rims.across = build->neighbours[0];
    rims.place = pal_alloc(facet_count, sizeof *rims.place);
    rims.patches = pal_alloc((size_t)build->hierarchy->volume_count, sizeof *rims.patches);
    rims.pinched = pal_alloc(vertex_count, sizeof *rims.pinched);
    rims.stamp = pal_alloc(vertex_count, sizeof *rims.stamp);
    rims.leaving = pal_alloc(vertex_count, sizeof *rims.leaving);
    bool enough = rims.place != NULL && rims.patches != NULL && rims.pinched != NULL &&
                  rims.stamp != NULL && rims.leaving != NULL && find_rims(&rims) &&
                  keep_rims(&rims);
    pal_free(rims.place);
    pal_free(rims.patches);
    pal_free(rims.pinched);
    pal_free(rims.stamp);
    pal_free(rims.leaving);
    pal_array_clear(&rims.sides);
    return enough;
}
