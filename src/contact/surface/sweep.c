#include "contact/surface/sweep.h"

#include "base/memory.h"
#include "math/range.h"
#include "math/vec3.h"
#include <palpate/geometry.h>

#include <math.h>

#define SIDE_MAX     4096  // cells along one side of the grid
#define ENTRIES_EACH 16    // of the grid for each facet, at most
#define CLEARLY      1e-9  // of a length: rounding makes less

typedef struct Item {
    PalBounds box;
    int32_t facet;
    int32_t first[2], last[2];  // cells it lies over, along the two axes of the grid
} Item;

// Cells across the two longest axes of all boxes; each lists the items that lie over it.
typedef struct Grid {
    int axes[2];
    double low[2], size[2];
    int32_t counts[2];
    int64_t entry_count;
    int32_t *start, *entries;
    int32_t *ends;  // per entry: where those of the same object end in its cell
} Grid;

static bool meet(const PalBounds *a, const PalBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static PalBounds facet_box(const PalSweepDef *def, int32_t f)
{
    const int32_t *v = def->surface->facets[f];
    const PalVec3 p = def->positions[v[0]], q = def->positions[v[1]], r = def->positions[v[2]];
    double half = def->reach / 2 + (def->reaches != NULL ? def->reaches[f] : 0);
    return (PalBounds){{fmin(fmin(p.x, q.x), r.x) - half, fmin(fmin(p.y, q.y), r.y) - half,
                        fmin(fmin(p.z, q.z), r.z) - half},
                       {fmax(fmax(p.x, q.x), r.x) + half, fmax(fmax(p.y, q.y), r.y) + half,
                        fmax(fmax(p.z, q.z), r.z) + half}};
}

// The facets that matter, ascending, with their boxes; and the box of them all.
static int32_t gather(const PalSweepDef *def, Item *items, PalBounds *all)
{
    const PalContactSurface *surface = def->surface;
    PalVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    int32_t count = 0;
    for (int32_t object = 0; object < surface->object_count; ++object) {
        if (!pal_pairs_touching(def->pairs, object))
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
    *all = (PalBounds){low, high};
    return count;
}

static int32_t cell_of(const Grid *grid, int side, double place)
{
    double cell = floor((place - grid->low[side]) / grid->size[side]);
    return cell >= grid->counts[side] ? grid->counts[side] - 1 : cell > 0 ? (int32_t)cell : 0;
}

// Cells somewhat larger than the boxes are on average, but not too many entries in all.
static void lay_out(Grid *grid, const PalBounds *all, Item *items, int32_t count)
{
    PalVec3 size = pal_vec3_sub(all->upper, all->lower);
    int shortest = size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2;
    double cell[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
        int axis = grid->axes[side] = (shortest + 1 + side) % 3;
        grid->low[side] = pal_vec3_at(all->lower, axis);
        for (int32_t i = 0; i < count; ++i)
            cell[side] +=
                1.5 *
                (pal_vec3_at(items[i].box.upper, axis) - pal_vec3_at(items[i].box.lower, axis)) /
                count;
    }
    do {
        grid->entry_count = 0;
        for (int side = 0; side < 2; ++side) {
            double whole = pal_vec3_at(size, grid->axes[side]);
            double cells = cell[side] > 0 ? floor(whole / cell[side]) : 1;
            grid->counts[side] = (int32_t)fmin(fmax(cells, 1), SIDE_MAX);
            grid->size[side] = whole > 0 ? whole / grid->counts[side] : 1;
            cell[side] *= 2;
        }
        for (int32_t i = 0; i < count; ++i) {
            int64_t cells = 1;
            for (int side = 0; side < 2; ++side) {
                items[i].first[side] =
                    cell_of(grid, side, pal_vec3_at(items[i].box.lower, grid->axes[side]));
                items[i].last[side] =
                    cell_of(grid, side, pal_vec3_at(items[i].box.upper, grid->axes[side]));
                cells *= items[i].last[side] - items[i].first[side] + 1;
            }
            grid->entry_count += cells;
        }
    } while (grid->entry_count > ENTRIES_EACH * (int64_t)count &&
             (grid->counts[0] > 1 || grid->counts[1] > 1));
}

static bool fill(Grid *grid, const Item *items, int32_t count)
{
    int64_t cells = (int64_t)grid->counts[0] * grid->counts[1];
    grid->start = pal_alloc((size_t)cells + 2, sizeof *grid->start);
    grid->entries = pal_alloc((size_t)grid->entry_count, sizeof *grid->entries);
    grid->ends = pal_alloc((size_t)grid->entry_count, sizeof *grid->ends);
    if (grid->start == NULL || grid->entries == NULL || grid->ends == NULL ||
        grid->entry_count > INT32_MAX)
        return false;
    int32_t *next = grid->start + 1;  // shifted by one: filling moves each start to its end
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < count; ++i)
            for (int32_t a = items[i].first[0]; a <= items[i].last[0]; ++a)
                for (int32_t b = items[i].first[1]; b <= items[i].last[1]; ++b) {
                    int64_t cell = (int64_t)a * grid->counts[1] + b;
                    if (pass == 0)
                        ++next[cell + 1];
                    else
                        grid->entries[next[cell]++] = i;
                }
        for (int64_t cell = 0; cell < cells && pass == 0; ++cell)
            next[cell + 1] += next[cell];
    }
    return true;
}

// Items ascend in a cell, and so do their objects.
static void find_ends(const PalSweepDef *def, Grid *grid, const Item *items)
{
    const int32_t *object = def->surface->facet_object;
    for (int64_t cell = (int64_t)grid->counts[0] * grid->counts[1] - 1; cell >= 0; --cell)
        for (int32_t i = grid->start[cell + 1] - 1; i >= grid->start[cell]; --i) {
            bool goes_on =
                i + 1 < grid->start[cell + 1] &&
                object[items[grid->entries[i]].facet] == object[items[grid->entries[i + 1]].facet];
            grid->ends[i] = goes_on ? grid->ends[i + 1] : i + 1;
        }
}

// Pairs come up once: in the first cell that both lie over.
static bool is_home(const Item *p, const Item *q, const int32_t cell[2])
{
    for (int side = 0; side < 2; ++side)
        if ((p->first[side] > q->first[side] ? p->first[side] : q->first[side]) != cell[side])
            return false;
    return true;
}

static void visit_cell(const PalSweepDef *def, const Grid *grid, const Item *items,
                       const int32_t cell[2], PalSweepVisit visit, void *context)
{
    const PalContactSurface *surface = def->surface;
    int64_t index = (int64_t)cell[0] * grid->counts[1] + cell[1];
    for (int32_t i = grid->start[index]; i < grid->start[index + 1]; ++i)
        for (int32_t j = i + 1; j < grid->start[index + 1];) {
            const Item *p = &items[grid->entries[i]], *q = &items[grid->entries[j]];
            int32_t a = surface->facet_object[p->facet], b = surface->facet_object[q->facet];
            bool allowed = pal_pairs_friction(def->pairs, a, b) >= 0;
            if (allowed && meet(&p->box, &q->box) && is_home(p, q, cell))
                visit(context, p->facet, q->facet);
            j = allowed ? j + 1 : grid->ends[j];
        }
}

PalStatus pal_sweep(const PalSweepDef *def, PalSweepVisit visit, void *context, PalError *error)
{
    Item *items = pal_alloc((size_t)def->surface->facet_count, sizeof *items);
    Grid grid = {0};
    PalBounds all;
    bool good = items != NULL;
    if (good) {
        int32_t count = gather(def, items, &all);
        lay_out(&grid, &all, items, count);
        good = fill(&grid, items, count);
        if (good)
            find_ends(def, &grid, items);
    }
    for (int32_t a = 0; good && a < grid.counts[0]; ++a)
        for (int32_t b = 0; b < grid.counts[1]; ++b)
            visit_cell(def, &grid, items, (int32_t[2]){a, b}, visit, context);
    pal_free(items);
    pal_free(grid.start);
    pal_free(grid.entries);
    pal_free(grid.ends);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory to look for contact");
}

bool pal_facets_adjacent(const PalContactSurface *surface, int32_t a, int32_t b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (surface->facets[a][i] == surface->facets[b][j] ||
                pal_contact_surface_tied(surface, surface->facets[a][i], surface->facets[b][j]))
                return true;
    return false;
}

// Beyond one edge of the first, as seen along its normal? Most pairs of flat surfaces are, and
// exact decisions are slow for what lies in a plane. The normal of a sliver may be far off, so that
// both are measured.
static bool beyond_an_edge(const PalVec3 a[3], const PalVec3 b[3])
{
    PalVec3 normal = pal_vec3_cross(pal_vec3_sub(a[1], a[0]), pal_vec3_sub(a[2], a[0]));
    for (int k = 0; k < 3; ++k) {
        PalVec3 outward = pal_vec3_cross(pal_vec3_sub(a[(k + 1) % 3], a[k]), normal);
        double least = INFINITY, most = 0, largest = 0;
        for (int j = 0; j < 3; ++j) {
            PalVec3 arm = pal_vec3_sub(b[j], a[k]), own = pal_vec3_sub(a[j], a[k]);
            least = fmin(least, pal_vec3_dot(outward, arm));
            most = fmax(most, pal_vec3_dot(outward, own));
            largest = fmax(largest, fmax(pal_vec3_length(arm), pal_vec3_length(own)));
        }
        if (least - most > CLEARLY * largest * pal_vec3_length(outward))
            return true;
    }
    return false;
}

// More than some room between two triangles along a coordinate? It is given where their first
// corners have it.
static bool has_room(const double *a, const double *b, double room)
{
    return pal_min(b[0], pal_min(b[3], b[6])) - pal_max(a[0], pal_max(a[3], a[6])) > room ||
           pal_min(a[0], pal_min(a[3], a[6])) - pal_max(b[0], pal_max(b[3], b[6])) > room;
}

static bool are_beside(const PalVec3 p[3], const PalVec3 q[3], double room)
{
    return has_room(&p->x, &q->x, room) || has_room(&p->y, &q->y, room) ||
           has_room(&p->z, &q->z, room);
}

static void take_corners(const PalContactSurface *surface, const PalVec3 *positions, int32_t facet,
                         PalVec3 corners[3])
{
    for (int k = 0; k < 3; ++k)
        corners[k] = positions[surface->facets[facet][k]];
}

bool pal_facets_beside(const PalContactSurface *surface, const PalVec3 *positions, int32_t a,
                       int32_t b, double room)
{
    PalVec3 p[3], q[3];
    take_corners(surface, positions, a, p);
    take_corners(surface, positions, b, q);
    return are_beside(p, q, room);
}

bool pal_facets_cross(const PalContactSurface *surface, const PalVec3 *positions, int32_t a,
                      int32_t b)
{
    PalVec3 p[3], q[3];
    take_corners(surface, positions, a, p);
    take_corners(surface, positions, b, q);
    return !are_beside(p, q, 0) && !beyond_an_edge(p, q) && !beyond_an_edge(q, p) &&
           pal_triangles_intersect(p, q);
}

typedef struct Crossings {
    const PalSweepDef *def;
    int32_t count;
} Crossings;

// Do both hang on one node, be it by opposite sides of a membrane? Contact leaves such pairs alone:
// the sides cross beside folds sharper than half the thickness, but the middle does not.
static bool share_a_node(const PalContactSurface *surface, int32_t a, int32_t b)
{
    for (int i = 0; i < 9; ++i)
        if (pal_contact_surface_same(surface, surface->facets[a][i / 3], surface->facets[b][i % 3]))
            return true;
    return false;
}

static void count_crossing(void *context, int32_t a, int32_t b)
{
    Crossings *crossings = context;
    const PalSweepDef *def = crossings->def;
    if (!share_a_node(def->surface, a, b))
        crossings->count += pal_facets_cross(def->surface, def->positions, a, b);
}

PalStatus pal_sweep_crossings(const PalSweepDef *def, int32_t *count, PalError *error)
{
    Crossings crossings = {.def = def};
    PAL_TRY(pal_sweep(def, count_crossing, &crossings, error));
    *count = crossings.count;
    return PAL_OK;
}
