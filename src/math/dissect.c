// Nested dissection by places (George 1973): a part is cut across its longest extent into two equal
// halves; the rows of one half that are coupled with the other part them and are eliminated last.
#include "math/linear.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 48 };

typedef struct Dissection {
    const PalVec3 *places;
    int64_t *start;
    int32_t *neighbour;
    int32_t *order;   // parts are ranges of it
    int32_t *half;    // per row: a number of the half it is in
    int32_t *ranges;  // that are still to be parted: begin and end
} Dissection;

// Both triangles, without the diagonal.
static void list_neighbours(const PalSymmetric *pattern, Dissection *d)
{
    int32_t size = pattern->size;
    for (int32_t i = 0; i < size; ++i)
        for (int64_t k = pattern->start[i]; k + 1 < pattern->start[i + 1]; ++k) {
            ++d->start[i + 1];
            ++d->start[pattern->column[k] + 1];
        }
    for (int32_t i = 0; i < size; ++i)
        d->start[i + 1] += d->start[i];
    for (int32_t i = 0; i < size; ++i)
        for (int64_t k = pattern->start[i]; k + 1 < pattern->start[i + 1]; ++k) {
            int32_t j = pattern->column[k];
            d->neighbour[d->start[i]++] = j;
            d->neighbour[d->start[j]++] = i;
        }
    for (int32_t i = size; i > 0; --i)
        d->start[i] = d->start[i - 1];
    d->start[0] = 0;
}

static int longest_axis(const Dissection *d, int32_t begin, int32_t end)
{
    PalVec3 low = d->places[d->order[begin]], high = low;
    for (int32_t k = begin; k < end; ++k) {
        PalVec3 x = d->places[d->order[k]];
        low = pal_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = pal_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    PalVec3 extent = pal_vec3_sub(high, low);
    int axis = extent.y > extent.x ? 1 : 0;
    return extent.z > pal_vec3_at(extent, axis) ? 2 : axis;
}

typedef struct Key {
    double at;
    int32_t row;
} Key;

static int compare_keys(const void *left, const void *right)
{
    const Key *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

// Sorts a range along an axis; returns how many rows are in the first half, all rows of a place
// together.
static int32_t halve(Dissection *d, int32_t begin, int32_t end, int axis, Key *keys)
{
    int32_t count = end - begin, middle = count / 2;
    for (int32_t k = 0; k < count; ++k) {
        int32_t row = d->order[begin + k];
        keys[k] = (Key){pal_vec3_at(d->places[row], axis), row};
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int32_t k = 0; k < count; ++k)
        d->order[begin + k] = keys[k].row;
    while (middle < count && keys[middle].at == keys[middle - 1].at)
        ++middle;
    return middle;
}

static bool touches(const Dissection *d, int32_t row, int32_t half)
{
    for (int64_t k = d->start[row]; k < d->start[row + 1]; ++k)
        if (d->half[d->neighbour[k]] == half)
            return true;
    return false;
}

// Rows of the second half that are coupled with the first go to the end; returns how many.
static int32_t part_off(Dissection *d, int32_t begin, int32_t middle, int32_t end, Key *keys)
{
    int32_t kept = middle, apart = 0;
    for (int32_t k = begin; k < end; ++k)
        d->half[d->order[k]] = k < middle ? begin : middle;
    for (int32_t k = middle; k < end; ++k) {
        int32_t row = d->order[k];
        if (touches(d, row, begin))
            keys[apart++].row = row;
        else
            d->order[kept++] = row;
    }
    for (int32_t k = 0; k < apart; ++k) {
        d->order[kept + k] = keys[k].row;
        d->half[keys[k].row] = PAL_NONE;
    }
    return apart;
}

static void dissect(Dissection *d, int32_t size, Key *keys)
{
    int32_t waiting = 0;
    d->ranges[waiting++] = 0;
    d->ranges[waiting++] = size;
    while (waiting > 0) {
        int32_t end = d->ranges[--waiting], begin = d->ranges[--waiting];
        if (end - begin <= LEAF)
            continue;
        int32_t middle = begin + halve(d, begin, end, longest_axis(d, begin, end), keys);
        if (middle == end)
            continue;  // all at one place
        int32_t apart = part_off(d, begin, middle, end, keys);
        d->ranges[waiting++] = begin;
        d->ranges[waiting++] = middle;
        d->ranges[waiting++] = middle;
        d->ranges[waiting++] = end - apart;
    }
}

PalStatus pal_dissect(const PalSymmetric *pattern, int32_t *order, PalError *error)
{
    size_t size = (size_t)pattern->size;
    size_t entries = 2 * (size_t)(pattern->start[pattern->size] - pattern->size);
    for (int32_t i = 0; i < pattern->size; ++i)
        order[i] = i;
    if (pattern->places == NULL)
        return PAL_OK;
    Dissection d = {.places = pattern->places, .order = order};
    d.half = pal_alloc(size, sizeof *d.half);
    d.ranges = pal_alloc(2 * size + 8, sizeof *d.ranges);
    d.start = pal_alloc(size + 1, sizeof *d.start);
    d.neighbour = pal_alloc(entries, sizeof *d.neighbour);
    Key *keys = pal_alloc(size, sizeof *keys);
    PalStatus status = PAL_OK;
    if (d.half == NULL || d.ranges == NULL || d.start == NULL || d.neighbour == NULL ||
        keys == NULL) {
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory to put %d equations in order",
                               pattern->size);
    } else {
        list_neighbours(pattern, &d);
        dissect(&d, pattern->size, keys);
    }
    pal_free(d.half);
    pal_free(d.ranges);
    pal_free(d.start);
    pal_free(d.neighbour);
    pal_free(keys);
    return status;
}
