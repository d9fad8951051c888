#include "contact/surface/cut.h"

#include "base/array.h"
#include "base/memory.h"
#include "element/order.h"

#define SIZE 16  // vertices in a patch, at most

typedef PAL_ARRAY(int32_t) Numbers;

static bool cut_vertices(PalCut *cut, const PalContactSurface *surface)
{
    size_t vertices = (size_t)surface->vertex_count + 1;
    int32_t *start = cut->vertices.start = pal_alloc(vertices + 1, sizeof *start);
    int32_t *items = cut->vertices.items = pal_alloc(vertices, sizeof *items);
    cut->of = pal_alloc(vertices, sizeof *cut->of);
    cut->object = pal_alloc(vertices, sizeof *cut->object);
    if (start == NULL || items == NULL || cut->of == NULL || cut->object == NULL)
        return false;
    for (int32_t object = 0; object < surface->object_count; ++object) {
        int32_t first = surface->object_first_vertex[object];
        int32_t count = surface->object_first_vertex[object + 1] - first;
        if (!pal_order_along_curve(surface->start + first, count, items + first))
            return false;
        for (int32_t i = 0; i < count; ++i) {
            items[first + i] += first;
            if (i % SIZE == 0) {
                cut->object[cut->count] = object;
                start[cut->count++] = first + i;
            }
            cut->of[items[first + i]] = cut->count - 1;
        }
    }
    start[cut->count] = surface->vertex_count;
    cut->vertices.count = cut->count;
    return true;
}

// The vertices of each patch, and then those one edge away, each once.
static bool find_around(PalCut *cut, const PalContactSurface *surface, int32_t *marks,
                        Numbers *found)
{
    const PalLists *vertices = &cut->vertices, *edges = &surface->vertex_edges;
    for (int32_t p = 0; p < cut->count; ++p) {
        cut->around.start[p] = found->count;
        for (int32_t k = vertices->start[p]; k < vertices->start[p + 1]; ++k) {
            marks[vertices->items[k]] = p + 1;
            if (!pal_array_push(found, vertices->items[k]))
                return false;
        }
        for (int32_t k = vertices->start[p]; k < vertices->start[p + 1]; ++k) {
            int32_t vertex = vertices->items[k];
            for (int32_t i = edges->start[vertex]; i < edges->start[vertex + 1]; ++i) {
                const int32_t *ends = surface->edges[edges->items[i]];
                int32_t other = ends[0] == vertex ? ends[1] : ends[0];
                if (marks[other] != p + 1 && !pal_array_push(found, other))
                    return false;
                marks[other] = p + 1;
            }
        }
    }
    cut->around.start[cut->count] = found->count;
    return true;
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

typedef struct Owners {
    const PalCut *cut;
    const PalContactSurface *surface;
} Owners;

static int32_t patch_of_facet(const void *context, int32_t facet)
{
    const Owners *owners = context;
    return owners->cut->of[owners->surface->facets[facet][0]];
}

static int32_t patch_of_edge(const void *context, int32_t edge)
{
    const Owners *owners = context;
    return owners->cut->of[owners->surface->edges[edge][0]];
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
    Owners owners = {cut, surface};
    cut->around.start = pal_alloc((size_t)cut->count + 1, sizeof *cut->around.start);
    bool good = marks != NULL && cut->around.start != NULL &&
                find_around(cut, surface, marks, &found) &&
                take(&cut->around, cut->count, &found) && turn_round(cut, surface->vertex_count) &&
                sort_out(&cut->facets, cut->count, surface->facet_count, patch_of_facet, &owners) &&
                sort_out(&cut->edges, cut->count, surface->edge_count, patch_of_edge, &owners);
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
    if (cut_vertices(cut, surface) && join(cut, surface) && number(cut, surface))
        return true;
    pal_cut_clear(cut);
    return false;
}

void pal_cut_clear(PalCut *cut)
{
    pal_free(cut->of);
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
