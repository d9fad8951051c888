// Distances by a tree of boxes; fine blocks are kept as 16-bit multiples of one quantum.
#include "geometry/field.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/nearest.h"
#include <math.h>

#define SIDE   PAL_FIELD_SIDE
#define POINTS ((SIDE + 1) * (SIDE + 1) * (SIDE + 1))
#define CELLS  (SIDE * SIDE * SIDE)

typedef struct Work {
    const PalNearest *nearest;
    PalField *field;
    int32_t *stored;  // blocks that are fine
} Work;

static PalVec3 grid_point(const PalField *field, int32_t x, int32_t y, int32_t z)
{
    double h = field->spacing;
    return pal_vec3(field->origin.x + h * x, field->origin.y + h * y, field->origin.z + h * z);
}

static void coarse_row(void *context, int32_t row, int32_t worker)
{
    (void)worker;
    Work *work = context;
    PalField *field = work->field;
    int32_t across = field->blocks[0] + 1, up = field->blocks[1] + 1;
    int32_t y = row % up, z = row / up, hint = PAL_NONE;
    for (int32_t x = 0; x < across; ++x) {
        PalVec3 point = grid_point(field, SIDE * x, SIDE * y, SIDE * z);
        PalNearestPoint found = pal_nearest_find(work->nearest, point, hint);
        hint = found.facet;
        field->coarse[row * across + x] = (float)found.distance;
    }
}

static void fine_block(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Work *work = context;
    PalField *field = work->field;
    int32_t block = work->stored[index], hint = PAL_NONE;
    int32_t x0 = SIDE * (block % field->blocks[0]);
    int32_t y0 = SIDE * (block / field->blocks[0] % field->blocks[1]);
    int32_t z0 = SIDE * (block / field->blocks[0] / field->blocks[1]);
    int16_t *values = field->fine + (int64_t)index * POINTS;
    for (int32_t p = 0; p < POINTS; ++p) {
        int32_t x = p % (SIDE + 1), y = p / (SIDE + 1) % (SIDE + 1),
                z = p / (SIDE + 1) / (SIDE + 1);
        PalVec3 point = grid_point(field, x0 + x, y0 + y, z0 + z);
        PalNearestPoint found = pal_nearest_find(work->nearest, point, hint);
        hint = found.facet;
        values[p] = (int16_t)lrint(fmax(-32767, fmin(32767, found.distance / field->quantum)));
        if (x < SIDE && y < SIDE && z < SIDE) {
            double half = 0.5 * field->spacing;
            PalVec3 middle = pal_vec3_add(point, pal_vec3(half, half, half));
            field->facets[(int64_t)index * CELLS + x + SIDE * (y + SIDE * z)] =
                pal_nearest_find(work->nearest, middle, hint).facet;
        }
    }
}

// Which blocks come near the surface: distances change by no more than the way.
static int32_t choose_blocks(const PalFieldDef *def, Work *work)
{
    PalField *field = work->field;
    double half = 0.5 * SIDE * field->spacing * sqrt(3);
    int32_t count = field->blocks[0] * field->blocks[1] * field->blocks[2], fine = 0;
    for (int32_t block = 0; block < count; ++block) {
        int32_t x = block % field->blocks[0], y = block / field->blocks[0] % field->blocks[1],
                z = block / field->blocks[0] / field->blocks[1];
        PalVec3 corner = grid_point(field, SIDE * x, SIDE * y, SIDE * z);
        double middle = 0.5 * SIDE * field->spacing;
        PalNearestPoint found = pal_nearest_find(
            work->nearest, pal_vec3_add(corner, pal_vec3(middle, middle, middle)), PAL_NONE);
        bool near = fabs(found.distance) <= def->band + half;
        field->fine_of_block[block] = near ? fine : PAL_NONE;
        if (near)
            work->stored[fine++] = block;
    }
    return fine;
}

static PalStatus lay_out(const PalFieldDef *def, PalField *field, PalError *error)
{
    PalBounds box = {def->vertices[0], def->vertices[0]};
    for (int32_t n = 1; n < def->vertex_count; ++n) {
        PalVec3 p = def->vertices[n];
        box.lower =
            pal_vec3(fmin(box.lower.x, p.x), fmin(box.lower.y, p.y), fmin(box.lower.z, p.z));
        box.upper =
            pal_vec3(fmax(box.upper.x, p.x), fmax(box.upper.y, p.y), fmax(box.upper.z, p.z));
    }
    double size = SIDE * def->spacing, points = 1;
    for (int i = 0; i < 3; ++i) {
        double width = pal_vec3_at(box.upper, i) - pal_vec3_at(box.lower, i) + 2 * def->band;
        double blocks = ceil(width / size);
        points *= SIDE * blocks + 1;
        if (!(blocks >= 1) || !(points < 0x1p28))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "a distance field with a spacing of %g would be too large",
                                 def->spacing);
        field->blocks[i] = (int32_t)blocks;
    }
    PalVec3 middle = pal_vec3_scale(0.5, pal_vec3_add(box.lower, box.upper));
    field->spacing = def->spacing;
    field->origin = pal_vec3_sub(
        middle,
        pal_vec3_scale(0.5 * size, pal_vec3(field->blocks[0], field->blocks[1], field->blocks[2])));
    field->quantum = (def->band + size * sqrt(3)) / 32000;
    return PAL_OK;
}

static PalStatus fill(const PalFieldDef *def, Work *work, PalError *error)
{
    PalField *field = work->field;
    PAL_TRY(lay_out(def, field, error));
    size_t blocks = (size_t)field->blocks[0] * (size_t)field->blocks[1] * (size_t)field->blocks[2];
    int32_t rows = (field->blocks[1] + 1) * (field->blocks[2] + 1);
    field->fine_of_block = pal_alloc(blocks, sizeof *field->fine_of_block);
    field->coarse = pal_alloc((size_t)rows * (size_t)(field->blocks[0] + 1), sizeof(float));
    work->stored = pal_alloc(blocks, sizeof *work->stored);
    if (field->fine_of_block == NULL || field->coarse == NULL || work->stored == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a distance field");
    pal_parallel_for(pal_parallel_core_count(), rows, coarse_row, work);
    field->fine_count = choose_blocks(def, work);
    field->fine = pal_alloc((size_t)field->fine_count * POINTS, sizeof *field->fine);
    field->facets = pal_alloc((size_t)field->fine_count * CELLS, sizeof *field->facets);
    if (field->fine == NULL || field->facets == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a distance field");
    pal_parallel_for(pal_parallel_core_count(), field->fine_count, fine_block, work);
    return PAL_OK;
}

PalStatus pal_field_create(const PalFieldDef *def, PalField **field, PalError *error)
{
    *field = NULL;
    if (!(def->spacing > 0) || !(def->band >= 0) || def->facet_count < 1)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "a distance field needs a spacing above 0, a "
                             "band of 0 or more, and a surface");
    PalNearest nearest = {.vertices = def->vertices,
                          .facets = def->facets,
                          .vertex_count = def->vertex_count,
                          .facet_count = def->facet_count};
    PAL_TRY(pal_nearest_init(&nearest, error));
    Work work = {.nearest = &nearest, .field = pal_alloc(1, sizeof(PalField))};
    PalStatus status = work.field != NULL ? fill(def, &work, error)
                                          : pal_error_set(error, PAL_NO_MEMORY, "no memory");
    pal_free(work.stored);
    pal_nearest_clear(&nearest);
    if (status == PAL_OK)
        *field = work.field;
    else
        pal_field_destroy(work.field);
    return status;
}

void pal_field_destroy(PalField *field)
{
    if (field == NULL)
        return;
    pal_free(field->fine_of_block);
    pal_free(field->coarse);
    pal_free(field->fine);
    pal_free(field->facets);
    pal_free(field);
}

size_t pal_field_bytes(const PalField *field)
{
    size_t blocks = (size_t)field->blocks[0] * (size_t)field->blocks[1] * (size_t)field->blocks[2];
    return sizeof *field + blocks * (sizeof(int32_t) + sizeof(float)) +
           (size_t)field->fine_count * (POINTS * sizeof(int16_t) + CELLS * sizeof(int32_t));
}

// No more than the true distance (inside: no less deep), from the nearest corner of a block and the
// way to it, or the way to the grid.
static PalFieldPoint far_point(const PalField *field, const double place[3])
{
    double way = 0, outside = 0;
    int64_t corner[3];
    for (int i = 0; i < 3; ++i) {
        double nearest = fmax(0, fmin(field->blocks[i], round(place[i] / SIDE)));
        double off = (place[i] - SIDE * nearest) * field->spacing;
        double out = fmax(0, fmax(-place[i], place[i] - SIDE * field->blocks[i])) * field->spacing;
        way += off * off;
        outside += out * out;
        corner[i] = (int64_t)nearest;
    }
    int64_t index =
        corner[0] + (field->blocks[0] + 1) * (corner[1] + (field->blocks[1] + 1) * corner[2]);
    double least = (double)field->coarse[index] - sqrt(way);
    return (PalFieldPoint){.distance = outside > 0 ? fmax(least, sqrt(outside)) : least,
                           .facet = PAL_NONE};
}

PalFieldPoint pal_field_at(const PalField *field, PalVec3 point)
{
    PalVec3 off = pal_vec3_sub(point, field->origin);
    double inverse = 1 / field->spacing;
    const double place[3] = {off.x * inverse, off.y * inverse, off.z * inverse};
    int32_t cell[3];
    for (int i = 0; i < 3; ++i) {
        if (!(place[i] >= 0 && place[i] < SIDE * field->blocks[i]))
            return far_point(field, place);
        cell[i] = (int32_t)place[i];
    }
    int32_t block =
        cell[0] / SIDE + field->blocks[0] * (cell[1] / SIDE + field->blocks[1] * (cell[2] / SIDE));
    int32_t fine = field->fine_of_block[block];
    if (fine == PAL_NONE)
        return far_point(field, place);
    int32_t x = cell[0] % SIDE, y = cell[1] % SIDE, z = cell[2] % SIDE;
    const int32_t row = SIDE + 1, layer = row * row;
    const int16_t *v = field->fine + (int64_t)fine * POINTS + x + row * y + layer * z;
    double a = place[0] - cell[0], b = place[1] - cell[1], c = place[2] - cell[2];
    double v00 = v[0] + a * (v[1] - v[0]), v10 = v[row] + a * (v[row + 1] - v[row]);
    double v01 = v[layer] + a * (v[layer + 1] - v[layer]);
    double v11 = v[layer + row] + a * (v[layer + row + 1] - v[layer + row]);
    double v0 = v00 + b * (v10 - v00), v1 = v01 + b * (v11 - v01);
    double dx =
        (1 - c) * ((1 - b) * (v[1] - v[0]) + b * (v[row + 1] - v[row])) +
        c * ((1 - b) * (v[layer + 1] - v[layer]) + b * (v[layer + row + 1] - v[layer + row]));
    double dy = (1 - c) * (v10 - v00) + c * (v11 - v01), dz = v1 - v0;
    double scale = field->quantum * inverse;
    return (PalFieldPoint){
        .distance = field->quantum * (v0 + c * (v1 - v0)),
        .gradient = pal_vec3(scale * dx, scale * dy, scale * dz),
        .facet = field->facets[(int64_t)fine * CELLS + x + SIDE * (y + SIDE * z)],
    };
}
