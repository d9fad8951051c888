// Which vertices are inside another object: how often a ray from each leaves the object's surface
// less how often it enters. Rays are parallel, so that a grid across them tells which facets each
// may meet; their direction is askew to whatever people build along axes.
#include "base/memory.h"
#include "contact/start/apart.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

#define INWARD   0.02  // of the separation: so much inside its own object a vertex is looked at
#define ASIDE    1e-3  // of the separation: where a ray meets an edge, one beside it is asked
#define TRIES    4
#define ROUNDING 1e-13
#define ENTRIES  64  // cells per facet, in the mean, at most

static const PalVec3 ray = {0.36, 0.48, 0.8};
static const PalVec3 across[2] = {{0.8, -0.6, 0}, {0.48, 0.64, -0.6}};

// Facets of one object, by the cells of a grid across the rays they lie over.
typedef struct Grid {
    int32_t count;  // cells along each side
    double low[2], size[2];
    PalLists cells;
} Grid;

static int32_t cell_of(const Grid *grid, int axis, double place)
{
    double cell = floor((place - grid->low[axis]) / grid->size[axis]);
    return cell >= grid->count ? grid->count - 1 : cell > 0 ? (int32_t)cell : 0;
}

// Cells a facet lies over: first and last along each side.
static void facet_cells(const PalApart *apart, const Grid *grid, int32_t facet, int32_t range[2][2])
{
    for (int axis = 0; axis < 2; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 3; ++k) {
            PalVec3 corner = apart->surface->start[apart->surface->facets[facet][k]];
            low = fmin(low, pal_vec3_dot(across[axis], corner));
            high = fmax(high, pal_vec3_dot(across[axis], corner));
        }
        range[axis][0] = cell_of(grid, axis, low);
        range[axis][1] = cell_of(grid, axis, high);
    }
}

static void lay_out(const PalApart *apart, int32_t object, int32_t count, Grid *grid)
{
    const PalContactSurface *surface = apart->surface;
    grid->count = count;
    for (int axis = 0; axis < 2; ++axis) {
        double low = INFINITY, high = -INFINITY;
        int32_t end = surface->object_first_vertex[object + 1];
        for (int32_t v = surface->object_first_vertex[object]; v < end; ++v) {
            low = fmin(low, pal_vec3_dot(across[axis], surface->start[v]));
            high = fmax(high, pal_vec3_dot(across[axis], surface->start[v]));
        }
        grid->low[axis] = low;
        grid->size[axis] = high > low ? (high - low) / grid->count : 1;
    }
}

// Entries of the grid: cells, once for each facet over them.
static int64_t entry_count(const PalApart *apart, int32_t object, const Grid *grid)
{
    const int32_t *first = apart->surface->object_first_facet;
    int64_t count = 0;
    for (int32_t f = first[object]; f < first[object + 1]; ++f) {
        int32_t range[2][2];
        facet_cells(apart, grid, f, range);
        count += (int64_t)(range[0][1] - range[0][0] + 1) * (range[1][1] - range[1][0] + 1);
    }
    return count;
}

// As fine as the facets, unless they are so long that each lies over much of it.
static void choose_grid(const PalApart *apart, int32_t object, Grid *grid)
{
    const int32_t *first = apart->surface->object_first_facet;
    int32_t facets = first[object + 1] - first[object];
    int64_t most = (int64_t)ENTRIES * facets < INT32_MAX ? (int64_t)ENTRIES * facets : INT32_MAX;
    int32_t count = (int32_t)fmax(1, sqrt(facets / 2.0));
    lay_out(apart, object, count, grid);
    while (count > 1 && entry_count(apart, object, grid) > most) {
        count /= 2;
        lay_out(apart, object, count, grid);
    }
}

static bool make_grid(const PalApart *apart, int32_t object, Grid *grid)
{
    const PalContactSurface *surface = apart->surface;
    choose_grid(apart, object, grid);
    int64_t cells = (int64_t)grid->count * grid->count, total = 0;
    int32_t range[2][2], end = surface->object_first_facet[object + 1];
    grid->cells.start = pal_alloc((size_t)cells + 2, sizeof *grid->cells.start);
    if (grid->cells.start == NULL)
        return false;
    int32_t *next = grid->cells.start + 1;  // shifted by one: filling moves each start to its end
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t f = surface->object_first_facet[object]; f < end; ++f) {
            facet_cells(apart, grid, f, range);
            for (int32_t i = range[0][0]; i <= range[0][1]; ++i)
                for (int32_t j = range[1][0]; j <= range[1][1]; ++j) {
                    int64_t cell = (int64_t)i * grid->count + j;
                    if (pass == 0)
                        ++next[cell + 1];
                    else
                        grid->cells.items[next[cell]++] = f;
                }
        }
        for (int64_t cell = 0; cell < cells && pass == 0; ++cell)
            next[cell + 1] += next[cell];
        total = pass == 0 ? next[cells] : total;
        if (pass == 0)
            grid->cells.items = pal_alloc((size_t)total, sizeof *grid->cells.items);
        if (grid->cells.items == NULL)
            return false;
    }
    return true;
}

static void clear_grid(Grid *grid)
{
    pal_free(grid->cells.start);
    pal_free(grid->cells.items);
}

// +1 where the ray from a point leaves through the facet, -1 where it enters, 0 where it passes.
// `doubtful`: it meets the facet's rim, as far as rounding can tell.
static int crossing(const PalApart *apart, int32_t facet, PalVec3 point, bool *doubtful)
{
    PalVec3 arm[3];
    double scale = 0;
    bool positive = false, negative = false, rim = false;
    for (int k = 0; k < 3; ++k) {
        arm[k] = pal_vec3_sub(apart->surface->start[apart->surface->facets[facet][k]], point);
        scale = fmax(scale, pal_vec3_dot(arm[k], arm[k]));
    }
    for (int k = 0; k < 3; ++k) {
        double side = pal_vec3_dot(ray, pal_vec3_cross(arm[k], arm[(k + 1) % 3]));
        positive = positive || side > ROUNDING * scale;
        negative = negative || side < -ROUNDING * scale;
        rim = rim || fabs(side) <= ROUNDING * scale;
    }
    if (positive && negative)
        return 0;
    *doubtful = *doubtful || rim;
    PalVec3 normal = pal_vec3_cross(pal_vec3_sub(arm[1], arm[0]), pal_vec3_sub(arm[2], arm[0]));
    double along = pal_vec3_dot(normal, arm[0]), slope = pal_vec3_dot(normal, ray);
    return slope > 0 ? along > 0 : slope < 0 ? -(along < 0) : 0;
}

// How often the surface goes around a point.
static int winding_at(const PalApart *apart, const Grid *grid, PalVec3 point)
{
    int winding = 0;
    for (int attempt = 0; attempt < TRIES; ++attempt) {
        int32_t i = cell_of(grid, 0, pal_vec3_dot(across[0], point));
        int32_t j = cell_of(grid, 1, pal_vec3_dot(across[1], point));
        int64_t cell = (int64_t)i * grid->count + j;
        bool doubtful = false;
        winding = 0;
        for (int32_t k = grid->cells.start[cell]; k < grid->cells.start[cell + 1]; ++k)
            winding += crossing(apart, grid->cells.items[k], point, &doubtful);
        if (!doubtful)
            break;
        double shift = ASIDE * apart->separation;
        point = pal_vec3_add_scaled(point, shift * (attempt + 1), across[attempt % 2]);
    }
    return winding;
}

static bool in_box(const PalBounds *box, PalVec3 p)
{
    return p.x >= box->lower.x && p.x <= box->upper.x && p.y >= box->lower.y &&
           p.y <= box->upper.y && p.z >= box->lower.z && p.z <= box->upper.z;
}

// The point a vertex is judged by lies a little inside its own object, so that two that only
// touch are not taken for overlapping.
static PalVec3 judged_at(const PalApart *apart, int32_t vertex)
{
    return pal_vec3_add_scaled(apart->surface->start[vertex], -INWARD * apart->separation,
                               apart->normal[vertex]);
}

// The surface of an instrument may be a shell; all else is solid.
static bool may_be_hollow(const PalApart *apart, int32_t object)
{
    return object >= apart->surface->body_count && apart->surface->object_free[object] == PAL_NONE;
}

// A vertex that is used and not known to be inside anything, unless all are asked for.
static bool is_asked(const PalApart *apart, int32_t vertex, bool all)
{
    return apart->surface->vertex_owner[vertex] != PAL_NONE &&
           (all || apart->inside[vertex] == PAL_NONE);
}

// What lies in an instrument with all its vertices is held by it: a cavity is not an overlap.
static void find_held(PalApart *apart, const Grid *grid, int32_t object, int32_t other)
{
    const PalContactSurface *surface = apart->surface;
    int32_t end = surface->object_first_vertex[other + 1], count = 0;
    for (int32_t v = surface->object_first_vertex[other]; v < end; ++v) {
        PalVec3 point = judged_at(apart, v);
        if (!is_asked(apart, v, true))
            continue;
        if (!in_box(&apart->box[object], point) || winding_at(apart, grid, point) == 0)
            return;
        ++count;
    }
    if (count > 0)
        apart->holder[other] = object;
}

static void find_inside_between(PalApart *apart, const Grid *grid, int32_t object, int32_t other)
{
    const PalContactSurface *surface = apart->surface;
    int least = other == object ? 2 : 1;  // in its own object a vertex is once in any case
    int32_t end = surface->object_first_vertex[other + 1];
    if (may_be_hollow(apart, object))
        find_held(apart, grid, object, other);
    if (apart->holder[other] == object)
        return;
    for (int32_t v = surface->object_first_vertex[other]; v < end; ++v) {
        PalVec3 point = judged_at(apart, v);
        if (is_asked(apart, v, false) && in_box(&apart->box[object], point) &&
            abs(winding_at(apart, grid, point)) >= least)
            apart->inside[v] = object;
    }
}

static bool boxes_meet(const PalBounds *a, const PalBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static bool find_inside_of(PalApart *apart, int32_t object)
{
    int32_t n = apart->surface->object_count;
    Grid grid = {0};
    bool good = true;
    for (int32_t other = 0; other < n && good; ++other) {
        if (!boxes_meet(&apart->box[object], &apart->box[other]) ||
            pal_pairs_friction(apart->objects, object, other) < 0)
            continue;
        if (grid.count == 0)
            good = make_grid(apart, object, &grid);
        if (good)
            find_inside_between(apart, &grid, object, other);
    }
    clear_grid(&grid);
    return good;
}

PalStatus pal_apart_find_inside(PalApart *apart, PalError *error)
{
    const PalContactSurface *surface = apart->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        apart->inside[v] = PAL_NONE;
    for (int32_t object = 0; object < surface->object_count; ++object)
        apart->holder[object] = PAL_NONE;
    for (int32_t object = 0; object < surface->object_count; ++object)
        if (apart->closed[object] && !find_inside_of(apart, object))
            return pal_error_set(error, PAL_NO_MEMORY, "no memory to look for overlaps");
    return PAL_OK;
}
