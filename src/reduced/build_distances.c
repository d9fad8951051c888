// Makes d(x, s): distances to every deformed shape on one grid, by a hierarchy and with exact sign,
// and block by block their separated form by crosses: the largest number that is left over says
// which row and column make the next product, so that no number is off by more than is allowed.
#include "reduced/distances.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/nearest.h"
#include "math/components.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SIDE       PAL_DISTANCES_SIDE
#define POINTS     PAL_DISTANCES_POINTS
#define GRID_MOST  65000  // grid points; as printed the beam has 42 x 26 x 61
#define GRID_LEAST 64     // and however many loads there are
#define ALL_MOST   2e7    // numbers d(x, s): where there are more loads, the grid is coarser
#define OFF        0.01   // of the spacing: how far products may be off

typedef struct Work {
    PalVademecum *book;
    int32_t columns;
    int32_t counts[3], blocks[3];
    PalVec3 origin;
    double spacing;
    int64_t points;
    float *rest;    // per grid point
    float *change;  // per column and grid point: distance less that at rest
    bool *failed;   // per column
    float *left;    // of a block: what products leave over, per column and point
    int32_t rank, room;
    int32_t *start;       // per block and one more
    float *space, *site;  // per product
    double off;
} Work;

void pal_distances_shape(const PalVademecum *book, int32_t site, int32_t direction, PalVec3 *nodes)
{
    int32_t last = book->size.level_count - 1;
    for (int32_t n = 0; n < book->size.surface_count; ++n)
        nodes[n] = pal_vademecum_node(book, n);
    for (int j = 0; j < 3; ++j)
        for (int32_t k = 0; k < book->size.mode_count; ++k) {
            double factor = pal_vademecum_factor(book, site, direction, last, j, k);
            for (int32_t n = 0; n < book->size.surface_count; ++n)
                pal_vec3_put(&nodes[n], j,
                             pal_vec3_at(nodes[n], j) +
                                 factor * (double)pal_vademecum_row(book, n, j)[k]);
        }
}

static PalStatus no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for distances of deformed shapes");
}

// ---- the grid ---------------------------------------------------------------------------

static void widen(PalBounds *box, PalVec3 p)
{
    box->lower =
        pal_vec3(fmin(box->lower.x, p.x), fmin(box->lower.y, p.y), fmin(box->lower.z, p.z));
    box->upper =
        pal_vec3(fmax(box->upper.x, p.x), fmax(box->upper.y, p.y), fmax(box->upper.z, p.z));
}

// Around all shapes, and a patch farther.
static PalStatus lay_grid(Work *work, int32_t point_limit, PalError *error)
{
    const PalVademecum *book = work->book;
    PalVec3 *nodes = pal_alloc((size_t)book->size.surface_count, sizeof *nodes);
    PalBounds box = {pal_vademecum_node(book, 0), pal_vademecum_node(book, 0)};
    if (nodes == NULL)
        return no_memory(error);
    for (int32_t n = 0; n < book->size.surface_count; ++n)
        widen(&box, pal_vademecum_node(book, n));
    for (int32_t c = 0; c < work->columns; ++c) {
        int32_t directions = book->size.direction_count;
        pal_distances_shape(book, c / directions, c % directions, nodes);
        for (int32_t n = 0; n < book->size.surface_count; ++n)
            widen(&box, nodes[n]);
    }
    pal_free(nodes);
    double patch = book->facts.patch;
    double most = point_limit > 0 ? point_limit : fmin(GRID_MOST, ALL_MOST / work->columns);
    most = fmax(most, GRID_LEAST);
    PalVec3 margin = pal_vec3(patch, patch, patch);
    work->origin = pal_vec3_sub(box.lower, margin);
    PalVec3 size = pal_vec3_sub(pal_vec3_add(box.upper, margin), work->origin);
    work->spacing = cbrt(size.x * size.y * size.z / most);
    if (!(work->spacing > 0 && isfinite(work->spacing)))
        return pal_error_set(error, PAL_SIM_FAILED,
                             "no grid of distances holds the deformed shapes: they have no size");
    for (double points = INFINITY; points > most; work->spacing *= points > most ? 1.02 : 1) {
        points = 1;
        for (int i = 0; i < 3; ++i) {
            double count = fmin(ceil(pal_vec3_at(size, i) / work->spacing) + 1, most + 1);
            work->counts[i] = count > 2 ? (int32_t)count : 2;
            work->blocks[i] = pal_distances_blocks(work->counts[i]);
            points *= work->counts[i];
        }
        work->points = (int64_t)points;
    }
    return PAL_OK;
}

// ---- distances --------------------------------------------------------------------------

static PalStatus measure(const Work *work, const PalVec3 *nodes, const float *rest, float *into,
                         PalError *error)
{
    const PalVademecum *book = work->book;
    PalNearest nearest = {.vertices = nodes,
                          .facets = (const int32_t(*)[3])book->triangles,
                          .vertex_count = book->size.surface_count,
                          .facet_count = book->size.triangle_count};
    PAL_TRY(pal_nearest_init(&nearest, error));
    int32_t hint = PAL_NONE;
    for (int64_t p = 0; p < work->points; ++p) {
        int64_t x = p % work->counts[0], y = p / work->counts[0] % work->counts[1],
                z = p / work->counts[0] / work->counts[1];
        PalVec3 at = pal_vec3_add(
            work->origin, pal_vec3_scale(work->spacing, pal_vec3((double)x, (double)y, (double)z)));
        PalNearestPoint found = pal_nearest_find(&nearest, at, hint);
        hint = found.facet;
        into[p] = (float)found.distance - (rest != NULL ? rest[p] : 0);
    }
    pal_nearest_clear(&nearest);
    return PAL_OK;
}

static void measure_column(void *context, int32_t column, int32_t worker)
{
    (void)worker;
    Work *work = context;
    int32_t directions = work->book->size.direction_count;
    PalVec3 *nodes = pal_alloc((size_t)work->book->size.surface_count, sizeof *nodes);
    work->failed[column] = nodes == NULL;
    if (nodes == NULL)
        return;
    pal_distances_shape(work->book, column / directions, column % directions, nodes);
    work->failed[column] =
        measure(work, nodes, work->rest, work->change + column * work->points, NULL) != PAL_OK;
    pal_free(nodes);
}

static PalStatus measure_all(Work *work, int32_t thread_count, PalError *error)
{
    const PalVademecum *book = work->book;
    PalVec3 *nodes = pal_alloc((size_t)book->size.surface_count, sizeof *nodes);
    work->rest = pal_alloc((size_t)work->points, sizeof *work->rest);
    work->change =
        pal_alloc_unset((size_t)work->points * (size_t)work->columns, sizeof *work->change);
    work->failed = pal_alloc((size_t)work->columns, sizeof *work->failed);
    bool good = nodes != NULL && work->rest != NULL && work->change != NULL && work->failed != NULL;
    for (int32_t n = 0; n < book->size.surface_count && good; ++n)
        nodes[n] = pal_vademecum_node(book, n);
    PalStatus status = good ? measure(work, nodes, NULL, work->rest, error) : no_memory(error);
    pal_free(nodes);
    if (status != PAL_OK)
        return status;
    pal_parallel_for(thread_count, work->columns, measure_column, work);
    for (int32_t c = 0; c < work->columns; ++c)
        if (work->failed[c])
            return no_memory(error);
    return PAL_OK;
}

// ---- products ---------------------------------------------------------------------------

static bool room_for_one(Work *work)
{
    if (work->rank < work->room)
        return true;
    size_t room = 2 * (size_t)work->room + 64;
    float *space = pal_grow(work->space, room * POINTS * sizeof *space);
    if (space != NULL)
        work->space = space;
    float *site = pal_grow(work->site, room * (size_t)work->columns * sizeof *site);
    if (site != NULL)
        work->site = site;
    work->room = space != NULL && site != NULL ? (int32_t)room : work->room;
    return space != NULL && site != NULL;
}

static void gather(Work *work, int32_t block)
{
    int32_t x0 = SIDE * (block % work->blocks[0]);
    int32_t y0 = SIDE * (block / work->blocks[0] % work->blocks[1]);
    int32_t z0 = SIDE * (block / work->blocks[0] / work->blocks[1]);
    for (int32_t p = 0; p < POINTS; ++p) {
        int32_t x = x0 + p % SIDE, y = y0 + p / SIDE % SIDE, z = z0 + p / SIDE / SIDE;
        bool inside = x < work->counts[0] && y < work->counts[1] && z < work->counts[2];
        int64_t at = x + work->counts[0] * (y + (int64_t)work->counts[1] * z);
        for (int32_t c = 0; c < work->columns; ++c)
            work->left[(int64_t)c * POINTS + p] = inside ? work->change[c * work->points + at] : 0;
    }
}

// The largest number that is left over.
static double find_largest(const Work *work, int32_t *column, int32_t *point)
{
    float most = 0;
    for (int32_t c = 0; c < work->columns; ++c)
        for (int32_t p = 0; p < POINTS; ++p) {
            float size = fabsf(work->left[(int64_t)c * POINTS + p]);
            if (size > most) {
                most = size;
                *column = c;
                *point = p;
            }
        }
    return (double)most;
}

static void take_product(Work *work, int32_t column, int32_t point)
{
    float *space = work->space + (int64_t)work->rank * POINTS;
    float *site = work->site + (int64_t)work->rank * work->columns;
    float pivot = work->left[(int64_t)column * POINTS + point];
    memcpy(space, work->left + (int64_t)column * POINTS, POINTS * sizeof *space);
    for (int32_t c = 0; c < work->columns; ++c)
        site[c] = work->left[(int64_t)c * POINTS + point] / pivot;
    for (int32_t c = 0; c < work->columns; ++c)
        for (int32_t p = 0; p < POINTS && site[c] != 0; ++p)
            work->left[(int64_t)c * POINTS + p] -= site[c] * space[p];
    ++work->rank;
}

static PalStatus separate(Work *work, PalError *error)
{
    int32_t blocks = work->blocks[0] * work->blocks[1] * work->blocks[2];
    work->start = pal_alloc((size_t)blocks + 1, sizeof *work->start);
    work->left = pal_alloc((size_t)work->columns * POINTS, sizeof *work->left);
    if (work->start == NULL || work->left == NULL)
        return no_memory(error);
    for (int32_t block = 0; block < blocks; ++block) {
        int32_t column = 0, point = 0;
        gather(work, block);
        double most = find_largest(work, &column, &point);
        while (most > OFF * work->spacing) {
            if (!room_for_one(work))
                return no_memory(error);
            take_product(work, column, point);
            most = find_largest(work, &column, &point);
        }
        work->off = fmax(work->off, most);
        work->start[block + 1] = work->rank;
    }
    return PAL_OK;
}

// ---- all of it --------------------------------------------------------------------------

// A vademecum with the same arrays and room for distances.
static PalStatus refill(Work *work, PalVademecum **result, PalError *error)
{
    PalVademecum *book = work->book;
    PalVademecumSize size = book->size;
    memcpy(size.grid_counts, work->counts, sizeof size.grid_counts);
    size.field_rank = work->rank;
    PAL_TRY(pal_vademecum_create(&size, &book->facts, result, error));
    PalVademecum *made = *result;
    PalVademecumArray from[PAL_VADEMECUM_ARRAY_MAX], to[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(book, from);
    pal_vademecum_arrays(made, to);
    memcpy(made->name, book->name, sizeof made->name);
    for (int32_t i = 0; i < count; ++i)
        if (from[i].count == to[i].count && from[i].count > 0)
            memcpy(to[i].data, from[i].data,
                   (size_t)from[i].count * (from[i].kind == PAL_VADEMECUM_DOUBLE ? 8 : 4));
    int64_t blocks = pal_distances_block_count(&size);
    memcpy(made->grid, &work->origin, 3 * sizeof *made->grid);
    for (int i = 0; i < 3; ++i)
        made->grid[3 + i] = work->spacing;
    memcpy(made->distance, work->rest, (size_t)work->points * sizeof *made->distance);
    memcpy(made->field_start, work->start, (size_t)(blocks + 1) * sizeof *made->field_start);
    size_t rank = (size_t)work->rank;
    if (rank > 0) {
        memcpy(made->field_space, work->space, rank * POINTS * sizeof *made->field_space);
        memcpy(made->field_site, work->site,
               rank * (size_t)work->columns * sizeof *made->field_site);
    }
    made->facts.field_error = work->off;
    return pal_vademecum_finish(made, error);
}

static void clear(Work *work)
{
    void *lists[] = {work->rest,  work->change, work->failed, work->left,
                     work->start, work->space,  work->site};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        pal_free(lists[i]);
}

PalStatus pal_vademecum_add_distances(PalVademecum **book, int32_t point_limit,
                                      int32_t thread_count, PalError *error)
{
    Work work = {.book = *book,
                 .columns = (*book)->size.site_count * (*book)->size.direction_count};
    PalVademecum *made = NULL;
    if (thread_count <= 0)
        thread_count = pal_parallel_core_count();
    PalStatus status = lay_grid(&work, point_limit, error);
    if (status == PAL_OK)
        status = measure_all(&work, thread_count, error);
    if (status == PAL_OK)
        status = separate(&work, error);
    if (status == PAL_OK)
        status = refill(&work, &made, error);
    clear(&work);
    if (status != PAL_OK) {
        pal_vademecum_destroy(made);
        return status;
    }
    pal_vademecum_destroy(*book);
    *book = made;
    return PAL_OK;
}
