// d(x, s) while it is used: trilinear in x, nearest in s, loads superposed.
#include "reduced/distances.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>

#define SIDE   PAL_DISTANCES_SIDE
#define POINTS PAL_DISTANCES_POINTS

PalStatus pal_distances_init(PalDistances *field, const PalVademecum *book, PalError *error)
{
    *field = (PalDistances){0};
    if (book == NULL || book->size.grid_counts[0] == 0)
        return PAL_OK;
    const PalVademecumSize *s = &book->size;
    size_t columns = (size_t)s->site_count * (size_t)s->direction_count;
    field->book = book;
    field->now = 1;
    for (int i = 0; i < 3; ++i)
        field->blocks[i] = pal_distances_blocks(s->grid_counts[i]);
    field->loads = pal_alloc(columns, sizeof *field->loads);
    field->parts = pal_alloc(columns, sizeof *field->parts);
    field->mix = pal_alloc((size_t)s->field_rank, sizeof *field->mix);
    field->mix_time = pal_alloc((size_t)pal_distances_block_count(s), sizeof *field->mix_time);
    if (field->loads == NULL || field->parts == NULL || field->mix == NULL ||
        field->mix_time == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for distances of deformed shapes");
    return PAL_OK;
}

void pal_distances_clear(PalDistances *field)
{
    pal_free(field->loads);
    pal_free(field->parts);
    pal_free(field->mix);
    pal_free(field->mix_time);
}

void pal_distances_start(PalDistances *field)
{
    for (int32_t i = 0; i < field->load_count; ++i)
        field->parts[field->loads[i]] = 0;
    field->load_count = 0;
    field->whole = 0;
    ++field->now;
}

void pal_distances_load(PalDistances *field, int32_t site, int32_t direction, float part)
{
    int32_t column = site * field->book->size.direction_count + direction;
    if (!(part > 0))
        return;
    if (field->parts[column] == 0)
        field->loads[field->load_count++] = column;
    field->parts[column] += part;
    field->whole += (double)part;
}

// (1 - S) d_rest + sum of parts times d(x, s), S the sum of parts: each d grows by no more than the
// way. Between grid points it is a mean of theirs, at most a cell's diagonal away in all.
double pal_distances_most_change(const PalDistances *field, double way)
{
    const PalVademecum *book = field->book;
    double slope = fabs(1 - field->whole) + field->whole, diagonal = sqrt(3) * book->grid[3];
    return slope * (way + diagonal) + 2 * field->whole * book->facts.field_error;
}

// Factors of a block's products under the loads of this moment.
static void mix(PalDistances *field, int64_t block)
{
    const PalVademecum *book = field->book;
    int64_t columns = (int64_t)book->size.site_count * book->size.direction_count;
    for (int32_t k = book->field_start[block]; k < book->field_start[block + 1]; ++k) {
        const float *of_site = book->field_site + k * columns;
        float sum = 0;
        for (int32_t i = 0; i < field->load_count; ++i)
            sum += field->parts[field->loads[i]] * of_site[field->loads[i]];
        field->mix[k] = sum;
    }
    field->mix_time[block] = field->now;
}

static double at_grid_point(PalDistances *field, int32_t x, int32_t y, int32_t z)
{
    const PalVademecum *book = field->book;
    const int32_t *counts = book->size.grid_counts;
    int64_t block =
        x / SIDE + field->blocks[0] * (y / SIDE + (int64_t)field->blocks[1] * (z / SIDE));
    int32_t inner = x % SIDE + SIDE * (y % SIDE + SIDE * (z % SIDE));
    if (field->mix_time[block] != field->now)
        mix(field, block);
    float sum = book->distance[x + counts[0] * (y + (int64_t)counts[1] * z)];
    for (int32_t k = book->field_start[block]; k < book->field_start[block + 1]; ++k)
        sum += field->mix[k] * book->field_space[(int64_t)k * POINTS + inner];
    return (double)sum;
}

PalDistancesAt pal_distances_at(PalDistances *field, PalVec3 point)
{
    const PalVademecum *book = field->book;
    double place[3], outside = 0;
    int32_t cell[3];
    for (int i = 0; i < 3; ++i) {
        double last = book->size.grid_counts[i] - 1, spacing = book->grid[3 + i];
        place[i] = (pal_vec3_at(point, i) - book->grid[i]) / spacing;
        double out = fmax(0, fmax(-place[i], place[i] - last)) * spacing;
        outside += out * out;
        cell[i] = place[i] > 0 ? (int32_t)fmin(place[i], last - 1) : 0;
        place[i] -= cell[i];
    }
    if (!(outside == 0))
        return (PalDistancesAt){sqrt(outside), false};
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
        double weight = (dx ? place[0] : 1 - place[0]) * (dy ? place[1] : 1 - place[1]) *
                        (dz ? place[2] : 1 - place[2]);
        if (weight > 0)
            sum += weight * at_grid_point(field, cell[0] + dx, cell[1] + dy, cell[2] + dz);
    }
    return (PalDistancesAt){sum, true};
}
