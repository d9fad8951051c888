#include "contact/sweep.h"

#include "base/memory.h"
#include "math/vec3.h"
#include <palpate/geometry.h>

#include <math.h>
#include <stdlib.h>

typedef struct Item {
    PalBounds box;
    double lower, upper;  // along the axis of the sweep
    int32_t facet;
} Item;

static int compare(const void *left, const void *right)
{
    const Item *a = left, *b = right;
    if (a->lower != b->lower)
        return a->lower < b->lower ? -1 : 1;
    return a->facet < b->facet ? -1 : a->facet > b->facet;
}

static bool meet(const PalBounds *a, const PalBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static PalBounds facet_box(const PalSweepDef *def, int32_t f)
{
    const int32_t *v = def->surface->facets[f];
    const PalVec3 p = def->positions[v[0]], q = def->positions[v[1]], r = def->positions[v[2]];
    double half = def->reach / 2;
    return (PalBounds){{fmin(fmin(p.x, q.x), r.x) - half, fmin(fmin(p.y, q.y), r.y) - half,
                        fmin(fmin(p.z, q.z), r.z) - half},
                       {fmax(fmax(p.x, q.x), r.x) + half, fmax(fmax(p.y, q.y), r.y) + half,
                        fmax(fmax(p.z, q.z), r.z) + half}};
}

// Whether an object is to be kept apart from any.
static bool touches(const PalSweepDef *def, int32_t object)
{
    int32_t n = def->surface->object_count;
    for (int32_t other = 0; other < n; ++other)
        if (def->friction[(int64_t)object * n + other] >= 0)
            return true;
    return false;
}

// The facets that matter, with boxes, in the order of the longest axis of them all.
static int32_t gather(const PalSweepDef *def, Item *items)
{
    const PalContactSurface *surface = def->surface;
    PalVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    int32_t count = 0;
    for (int32_t object = 0; object < surface->object_count; ++object) {
        if (!touches(def, object))
            continue;
        int32_t end = surface->object_first_facet[object + 1];
        for (int32_t f = surface->object_first_facet[object]; f < end; ++f) {
            PalBounds box = facet_box(def, f);
            items[count++] = (Item){.box = box, .facet = f};
            low = (PalVec3){fmin(low.x, box.lower.x), fmin(low.y, box.lower.y),
                            fmin(low.z, box.lower.z)};
            high = (PalVec3){fmax(high.x, box.upper.x), fmax(high.y, box.upper.y),
                             fmax(high.z, box.upper.z)};
        }
    }
    PalVec3 size = pal_vec3_sub(high, low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (int32_t i = 0; i < count; ++i) {
        items[i].lower = (&items[i].box.lower.x)[axis];
        items[i].upper = (&items[i].box.upper.x)[axis];
    }
    qsort(items, (size_t)count, sizeof *items, compare);
    return count;
}

PalStatus pal_sweep(const PalSweepDef *def, PalSweepVisit visit, void *context, PalError *error)
{
    const PalContactSurface *surface = def->surface;
    Item *items = pal_alloc((size_t)surface->facet_count, sizeof *items);
    if (items == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to look for contact");
    int32_t count = gather(def, items);
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = i + 1; j < count && items[j].lower <= items[i].upper; ++j) {
            int64_t a = surface->facet_object[items[i].facet];
            int64_t b = surface->facet_object[items[j].facet];
            if (def->friction[a * surface->object_count + b] < 0 ||
                !meet(&items[i].box, &items[j].box))
                continue;
            bool ascending = items[i].facet < items[j].facet;
            visit(context, items[ascending ? i : j].facet, items[ascending ? j : i].facet);
        }
    pal_free(items);
    return PAL_OK;
}

bool pal_facets_adjacent(const PalContactSurface *surface, int32_t a, int32_t b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (surface->facets[a][i] == surface->facets[b][j])
                return true;
    return false;
}

typedef struct Crossings {
    const PalSweepDef *def;
    int32_t count;
} Crossings;

static void look(void *context, int32_t a, int32_t b)
{
    Crossings *crossings = context;
    const PalSweepDef *def = crossings->def;
    const PalContactSurface *surface = def->surface;
    PalVec3 corners[2][3];
    if (pal_facets_adjacent(surface, a, b))
        return;
    for (int i = 0; i < 3; ++i) {
        corners[0][i] = def->positions[surface->facets[a][i]];
        corners[1][i] = def->positions[surface->facets[b][i]];
    }
    crossings->count += pal_triangles_intersect(corners[0], corners[1]);
}

PalStatus pal_sweep_crossings(const PalSweepDef *def, int32_t *count, PalError *error)
{
    Crossings crossings = {.def = def};
    PAL_TRY(pal_sweep(def, look, &crossings, error));
    *count = crossings.count;
    return PAL_OK;
}
