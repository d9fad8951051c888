// Patches are compact, so that what is around them is near and goes almost the same way: vertices
// are halved across the axis along which they reach farthest, again and again. Facets and edges go
// where most of their vertices are.
#include "contact/surface/cut.h"

#include "base/array.h"
#include "base/memory.h"
#include "math/range.h"
#include "math/vec3.h"

#include <stdlib.h>

#define SIZE  16  // vertices in a patch, at most
#define SMALL 32  // vertices of an object that is one patch

typedef PAL_ARRAY(int32_t) Numbers;

// ---- vertices ---------------------------------------------------------------------------

// A vertex, and how far it is along an axis.
typedef struct Entry {
    double along;
    int32_t vertex;
} Entry;

static int compare(const void *a, const void *b)
{
    const Entry *one = a, *other = b;
    if (one->along != other->along)
        return one->along < other->along ? -1 : 1;
    return one->vertex < other->vertex ? -1 : 1;
}

static int longest_axis(const PalVec3 *at, const Entry *entries, int32_t count)
{
    PalVec3 lower = at[entries[0].vertex], upper = lower;
    for (int32_t i = 1; i < count; ++i) {
        PalVec3 x = at[entries[i].vertex];
        lower = pal_vec3(pal_min(lower.x, x.x), pal_min(lower.y, x.y), pal_min(lower.z, x.z));
        upper = pal_vec3(pal_max(upper.x, x.x), pal_max(upper.y, x.y), pal_max(upper.z, x.z));
    }
    PalVec3 extent = pal_vec3_sub(upper, lower);
    int axis = extent.y > extent.x ? 1 : 0;
    return extent.z > pal_vec3_at(extent, axis) ? 2 : axis;
}

// All patches are full in the end, but for the last one.
static void halve(const PalVec3 *at, Entry *entries, int32_t count)
{
    if (count <= SIZE)
        return;
    int axis = longest_axis(at, entries, count);
    for (int32_t i = 0; i < count; ++i)
        entries[i].along = pal_vec3_at(at[entries[i].vertex], axis);
    qsort(entries, (size_t)count, sizeof *entries, compare);
    int32_t patches = (count + SIZE - 1) / SIZE, half = patches / 2 * SIZE;
    halve(at, entries, half);
    halve(at, entries + half, count - half);
}

static bool cut_vertices(PalCut *cut, const PalContactSurface *surface)
{
    size_t vertices = (size_t)surface->vertex_count + 1;
    int32_t *start = cut->vertices.start = pal_alloc(vertices + 1, sizeof *start);
    int32_t *items = cut->vertices.items = pal_alloc(vertices, sizeof *items);
    Entry *entries = pal_alloc(vertices, sizeof *entries);
    cut->of = pal_alloc(vertices, sizeof *cut->of);
    cut->object = pal_alloc(vertices, sizeof *cut->object);
    bool good =
        start != NULL && items != NULL && entries != NULL && cut->of != NULL && cut->object != NULL;
    for (int32_t object = 0; object < surface->object_count && good; ++object) {
        int32_t first = surface->object_first_vertex[object];
        int32_t count = surface->object_first_vertex[object + 1] - first;
        for (int32_t i = 0; i < count; ++i)
            entries[i].vertex = first + i;
        int32_t size = count <= SMALL ? SMALL : SIZE;
        if (size == SIZE)
            halve(surface->start, entries, count);
        for (int32_t i = 0; i < count; ++i) {
            items[first + i] = entries[i].vertex;
            if (i % size == 0) {
                cut->object[cut->count] = object;
                start[cut->count++] = first + i;
            }
            cut->of[items[first + i]] = cut->count - 1;
        }
    }
    pal_free(entries);
    if (good)
        start[cut->count] = surface->vertex_count;
    cut->vertices.count = cut->count;
    return good;
}

// ---- facets and edges -------------------------------------------------------------------

// Where two corners of a facet are, or its first one.
static int32_t patch_of_corners(const PalCut *cut, const int32_t corners[3])
{
    const int32_t *of = cut->of;
    return of[corners[1]] == of[corners[2]] ? of[corners[1]] : of[corners[0]];
}

// Of the patches of its ends, the one that one of its facets is in: it has both ends anyway.
static int32_t patch_of_ends(const PalCut *cut, const PalContactSurface *surface, int32_t edge)
{
    int32_t one = cut->of[surface->edges[edge][0]], other = cut->of[surface->edges[edge][1]];
    for (int k = 0; k < 2; ++k) {
        int32_t facet = surface->edge_facets[edge][k];
        if (facet != PAL_NONE && (cut->facet_of[facet] == one || cut->facet_of[facet] == other))
            return cut->facet_of[facet];
    }
    return one;
}

static bool assign(PalCut *cut, const PalContactSurface *surface)
{
    cut->facet_of = pal_alloc((size_t)surface->facet_count + 1, sizeof *cut->facet_of);
    cut->edge_of = pal_alloc((size_t)surface->edge_count + 1, sizeof *cut->edge_of);
    if (cut->facet_of == NULL || cut->edge_of == NULL)
        return false;
    for (int32_t f = 0; f < surface->facet_count; ++f)
        cut->facet_of[f] = patch_of_corners(cut, surface->facets[f]);
    for (int32_t e = 0; e < surface->edge_count; ++e)
        cut->edge_of[e] = patch_of_ends(cut, surface, e);
    return true;
}

// Adds those that are not yet among the vertices around a patch.
static bool add_around(Numbers *found, int32_t *marks, int32_t patch, const int32_t *vertices,
                       int count)
{
    for (int k = 0; k < count; ++k) {
        if (marks[vertices[k]] == patch + 1)
            continue;
        marks[vertices[k]] = patch + 1;
        if (!pal_array_push(found, vertices[k]))
            return false;
    }
    return true;
}

// The vertices of each patch, and then those that its facets and edges have besides, each once.
static bool find_around(PalCut *cut, const PalContactSurface *surface, int32_t *marks,
                        Numbers *found)
{
    const PalLists *vertices = &cut->vertices, *facets = &cut->facets, *edges = &cut->edges;
    bool good = true;
    for (int32_t p = 0; p < cut->count && good; ++p) {
        cut->around.start[p] = found->count;
        for (int32_t k = vertices->start[p]; k < vertices->start[p + 1] && good; ++k)
            good = add_around(found, marks, p, &vertices->items[k], 1);
        for (int32_t k = facets->start[p]; k < facets->start[p + 1] && good; ++k)
            good = add_around(found, marks, p, surface->facets[facets->items[k]], 3);
        for (int32_t k = edges->start[p]; k < edges->start[p + 1] && good; ++k)
            good = add_around(found, marks, p, surface->edges[edges->items[k]], 2);
    }
    cut->around.start[cut->count] = found->count;
    return good;
}

static bool take(PalLists *lists, int32_t count, const Numbers *found)
{
    lists->count = count;
    lists->items = pal_copy(found->items, (size_t)found->count, sizeof *lists->items);
    return found->count == 0 || lists->items != NULL;
}

// Which of `count` lists each of `total` things is in.
typedef int32_t ListOf(const void *context, int32_t thing);

// Things by their lists, ascending.
static bool sort_out(PalLists *lists, int32_t count, int32_t total, ListOf *list_of,
                     const void *context)
{
    lists->count = count;
    lists->start = pal_alloc((size_t)count + 2, sizeof *lists->start);
    lists->items = pal_alloc((size_t)total + 1, sizeof *lists->items);
    if (lists->start == NULL || lists->items == NULL)
        return false;
    int32_t *next = lists->start + 1;
    for (int32_t i = 0; i < total; ++i)
        ++next[list_of(context, i) + 1];
    for (int32_t v = 0; v < count; ++v)
        next[v + 1] += next[v];
    for (int32_t i = 0; i < total; ++i)
        lists->items[next[list_of(context, i)]++] = i;
    return true;
}

static int32_t number_at(const void *context, int32_t thing)
{
    return ((const int32_t *)context)[thing];
}

static int32_t vertex_around(const void *context, int32_t place)
{
    return ((const PalCut *)context)->around.items[place];
}

// The other way round: the patches each vertex is around.
static bool turn_round(PalCut *cut, int32_t vertex_count)
{
    PalLists *touching = &cut->touching;
    int32_t total = cut->around.start[cut->count], patch = 0;
    int32_t *patches = pal_alloc((size_t)total + 1, sizeof *patches);
    if (patches == NULL || !sort_out(touching, vertex_count, total, vertex_around, cut)) {
        pal_free(patches);
        return false;
    }
    for (int32_t i = 0; i < total; ++i) {
        while (i >= cut->around.start[patch + 1])
            ++patch;
        patches[i] = patch;
    }
    for (int32_t i = 0; i < total; ++i)
        touching->items[i] = patches[touching->items[i]];
    pal_free(patches);
    return true;
}

static bool join(PalCut *cut, const PalContactSurface *surface)
{
    int32_t *marks = pal_alloc((size_t)surface->vertex_count + 1, sizeof *marks);
    Numbers found = {0};
    cut->around.start = pal_alloc((size_t)cut->count + 1, sizeof *cut->around.start);
    bool good =
        marks != NULL && cut->around.start != NULL &&
        sort_out(&cut->facets, cut->count, surface->facet_count, number_at, cut->facet_of) &&
        sort_out(&cut->edges, cut->count, surface->edge_count, number_at, cut->edge_of) &&
        find_around(cut, surface, marks, &found) && take(&cut->around, cut->count, &found) &&
        turn_round(cut, surface->vertex_count);
    pal_array_clear(&found);
    pal_free(marks);
    return good;
}

// Vertices of facets and edges by their places around the patch.
static bool number(PalCut *cut, const PalContactSurface *surface)
{
    int32_t *place = pal_alloc((size_t)surface->vertex_count + 1, sizeof *place);
    cut->corners = pal_alloc((size_t)surface->facet_count + 1, sizeof *cut->corners);
    cut->ends = pal_alloc((size_t)surface->edge_count + 1, sizeof *cut->ends);
    bool good = place != NULL && cut->corners != NULL && cut->ends != NULL;
    for (int32_t p = 0; p < cut->count && good; ++p) {
        int32_t first = cut->around.start[p];
        for (int32_t k = first; k < cut->around.start[p + 1]; ++k)
            place[cut->around.items[k]] = k - first;
        for (int32_t k = cut->facets.start[p]; k < cut->facets.start[p + 1]; ++k)
            for (int i = 0; i < 3; ++i)
                cut->corners[k][i] = place[surface->facets[cut->facets.items[k]][i]];
        for (int32_t k = cut->edges.start[p]; k < cut->edges.start[p + 1]; ++k)
            for (int i = 0; i < 2; ++i)
                cut->ends[k][i] = place[surface->edges[cut->edges.items[k]][i]];
    }
    pal_free(place);
    return good;
}

bool pal_cut_create(PalCut *cut, const PalContactSurface *surface)
{
    *cut = (PalCut){0};
    if (cut_vertices(cut, surface) && assign(cut, surface) && join(cut, surface) &&
        number(cut, surface))
        return true;
    pal_cut_clear(cut);
    return false;
}

void pal_cut_clear(PalCut *cut)
{
    pal_free(cut->of);
    pal_free(cut->facet_of);
    pal_free(cut->edge_of);
    pal_free(cut->object);
    pal_lists_clear(&cut->vertices);
    pal_lists_clear(&cut->around);
    pal_lists_clear(&cut->touching);
    pal_lists_clear(&cut->facets);
    pal_lists_clear(&cut->edges);
    pal_free(cut->corners);
    pal_free(cut->ends);
    *cut = (PalCut){0};
}
