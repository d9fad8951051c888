#include "element/couplings.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/memory.h"
#include "element/data.h"

#include <stdlib.h>
#include <string.h>

// A block listed.
typedef struct Block {
    int32_t count, first_node;
    int32_t first_value;
} Block;

typedef struct PalCouplings {
    bool fresh;  // the pattern is to start from the elements' own
    int64_t *start;
    int32_t *column;  // of the elements alone
    int32_t *target;  // as in PalStiffness, for that pattern
    int32_t *spread_target;
    int64_t *old_start;  // of the pattern before this one: somebody may still look at it
    int32_t *old_column;
    PAL_ARRAY(Block) blocks;
    PAL_ARRAY(int32_t) nodes;
    PAL_ARRAY(double) values;
    PAL_ARRAY(uint64_t) keys;  // entries that are missing: row * row_count + column
} PalCouplings;

static PalStatus no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for the stiffness of contact");
}

PalStatus pal_couplings_create(PalStiffness *s, PalError *error)
{
    if (s->couplings != NULL)
        return PAL_OK;
    PalCouplings *c = s->couplings = pal_alloc(1, sizeof *c);
    if (c == NULL)
        return no_memory(error);
    size_t numbers = (size_t)s->pair_part[s->elements->block_count];
    size_t entries = (size_t)s->start[s->row_count];
    c->start = pal_copy(s->start, (size_t)s->row_count + 1, sizeof *c->start);
    c->column = pal_copy(s->column, entries, sizeof *c->column);
    c->target = pal_copy(s->target, numbers, sizeof *c->target);
    c->spread_target =
        pal_copy(s->spread_target, (size_t)s->spread_count, sizeof *c->spread_target);
    return c->start != NULL && c->column != NULL && c->target != NULL && c->spread_target != NULL
               ? PAL_OK
               : no_memory(error);
}

void pal_couplings_destroy(PalStiffness *s)
{
    PalCouplings *c = s->couplings;
    if (c == NULL)
        return;
    pal_array_clear(&c->blocks);
    pal_array_clear(&c->nodes);
    pal_array_clear(&c->values);
    pal_array_clear(&c->keys);
    void *const all[] = {c->start,         c->column,    c->target,
                         c->spread_target, c->old_start, c->old_column};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        pal_free(all[k]);
    pal_free(c);
    s->couplings = NULL;
}

size_t pal_couplings_bytes(const PalStiffness *s)
{
    const PalCouplings *c = s->couplings;
    if (c == NULL)
        return 0;
    size_t entries = (size_t)c->start[s->row_count];
    return entries * sizeof *c->column +
           (size_t)s->pair_part[s->elements->block_count] * sizeof *c->target +
           (size_t)c->values.capacity * sizeof(double);
}

void pal_couplings_begin(PalStiffness *s)
{
    s->couplings->fresh = true;
    s->couplings->blocks.count = s->couplings->nodes.count = s->couplings->values.count = 0;
}

bool pal_couplings_add(PalStiffness *s, int32_t count, const int32_t *nodes, const double *matrix)
{
    PalCouplings *c = s->couplings;
    PAL_ASSERT(count >= 0 && count <= PAL_BLOCK_MOST);
    Block block = {count, c->nodes.count, c->values.count};
    int32_t numbers = 9 * count * count;
    if (!pal_array_push(&c->blocks, block) || !pal_array_reserve(&c->nodes, count) ||
        !pal_array_reserve(&c->values, numbers))
        return false;
    for (int32_t k = 0; k < count; ++k)
        c->nodes.items[c->nodes.count++] = nodes[k];
    for (int32_t k = 0; k < numbers; ++k)
        c->values.items[c->values.count++] = matrix[k];
    return true;
}

// ---- entries ----------------------------------------------------------------------------

// A node of a block as rows of the matrix: itself, or those it follows.
typedef struct Terms {
    int32_t count;
    const int32_t *to;
    const double *weight;
} Terms;

static Terms terms_of(const PalStiffness *s, const int32_t *node)
{
    static const double whole = 1;
    int32_t follower = s->follower_of != NULL ? s->follower_of[*node] : PAL_NONE;
    if (follower == PAL_NONE)
        return (Terms){1, node, &whole};
    const PalFollowers *f = &s->followers;
    int32_t first = f->start[follower];
    return (Terms){f->start[follower + 1] - first, f->to + first, f->weight + first};
}

// What to do with an entry at or below the diagonal. False: no memory.
typedef bool (*EntryVisitor)(PalStiffness *s, int32_t row, int32_t column, double value);

static bool visit_pair(PalStiffness *s, const int32_t *a, const int32_t *b, const double *values,
                       int32_t stride, EntryVisitor visit)
{
    Terms p = terms_of(s, a), q = terms_of(s, b);
    bool good = true;
    for (int32_t k = 0; k < p.count; ++k)
        for (int32_t l = 0; l < q.count; ++l)
            for (int e = 0; e < 9 && good; ++e) {
                int32_t row = s->equation[3 * (int64_t)p.to[k] + e / 3];
                int32_t column = s->equation[3 * (int64_t)q.to[l] + e % 3];
                double value = p.weight[k] * q.weight[l] * values[e / 3 * stride + e % 3];
                if (row != PAL_NONE && column != PAL_NONE && row >= column)
                    good = visit(s, row, column, value);
            }
    return good;
}

static bool visit_blocks(PalStiffness *s, EntryVisitor visit)
{
    const PalCouplings *c = s->couplings;
    bool good = true;
    for (int32_t i = 0; i < c->blocks.count && good; ++i) {
        Block block = c->blocks.items[i];
        const int32_t *nodes = c->nodes.items + block.first_node;
        const double *values = c->values.items + block.first_value;
        int32_t stride = 3 * block.count;
        for (int32_t a = 0; a < block.count && good; ++a)
            for (int32_t b = 0; b < block.count && good; ++b)
                good = visit_pair(s, &nodes[a], &nodes[b], values + 3 * a * stride + 3 * b, stride,
                                  visit);
    }
    return good;
}

// Place of an entry in a pattern; PAL_NONE: it is not there.
static int64_t find(const int64_t *start, const int32_t *columns, int32_t row, int32_t column)
{
    int64_t low = start[row], high = start[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < start[row + 1] && columns[low] == column ? low : PAL_NONE;
}

static bool list_missing(PalStiffness *s, int32_t row, int32_t column, double value)
{
    (void)value;
    PalCouplings *c = s->couplings;
    const int64_t *start = c->fresh ? c->start : s->start;
    const int32_t *columns = c->fresh ? c->column : s->column;
    if (find(start, columns, row, column) != PAL_NONE)
        return true;
    uint64_t key = (uint64_t)row * (uint64_t)s->row_count + (uint64_t)column;
    if (c->keys.count > 0 && c->keys.items[c->keys.count - 1] == key)
        return true;
    return pal_array_push(&c->keys, key);
}

static bool add_value(PalStiffness *s, int32_t row, int32_t column, double value)
{
    s->value[find(s->start, s->column, row, column)] += value;
    return true;
}

// ---- the pattern ------------------------------------------------------------------------

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void sort_keys(PalCouplings *c)
{
    int32_t kept = 0;
    if (c->keys.count > 1)
        qsort(c->keys.items, (size_t)c->keys.count, sizeof *c->keys.items, compare_keys);
    for (int32_t k = 0; k < c->keys.count; ++k)
        if (kept == 0 || c->keys.items[kept - 1] != c->keys.items[k])
            c->keys.items[kept++] = c->keys.items[k];
    c->keys.count = kept;
}

typedef struct Pattern {
    int64_t *start;
    int32_t *column;
} Pattern;

// The pattern that is there, or that of elements, and the entries that it lacks.
static bool make_pattern(const PalStiffness *s, Pattern *made)
{
    const PalCouplings *c = s->couplings;
    const int64_t *start = c->fresh ? c->start : s->start;
    const int32_t *column = c->fresh ? c->column : s->column;
    size_t entries = (size_t)start[s->row_count] + (size_t)c->keys.count;
    made->start = pal_alloc((size_t)s->row_count + 1, sizeof *made->start);
    made->column = pal_alloc(entries, sizeof *made->column);
    if (made->start == NULL || made->column == NULL || entries > INT32_MAX)
        return false;
    int64_t next = 0;
    int32_t key = 0;
    for (int32_t row = 0; row < s->row_count; ++row) {
        uint64_t first = (uint64_t)row * (uint64_t)s->row_count;
        made->start[row] = next;
        for (int64_t k = start[row]; k < start[row + 1]; ++k) {
            uint64_t here = first + (uint64_t)column[k];
            while (key < c->keys.count && c->keys.items[key] < here)
                made->column[next++] = (int32_t)(c->keys.items[key++] - first);
            made->column[next++] = column[k];
        }
    }
    PAL_ASSERT(key == c->keys.count && next == (int64_t)entries);  // the diagonal ends each row
    made->start[s->row_count] = next;
    return true;
}

static bool is_same(const PalStiffness *s, const Pattern *pattern)
{
    size_t rows = (size_t)s->row_count + 1;
    return memcmp(s->start, pattern->start, rows * sizeof *s->start) == 0 &&
           memcmp(s->column, pattern->column, (size_t)s->start[s->row_count] * sizeof *s->column) ==
               0;
}

// Where the entries of elements are now.
static int32_t *map_base(const PalStiffness *s, const Pattern *pattern)
{
    const PalCouplings *c = s->couplings;
    int32_t *place = pal_alloc((size_t)c->start[s->row_count] + 1, sizeof *place);
    for (int32_t row = 0; place != NULL && row < s->row_count; ++row) {
        int64_t at = pattern->start[row];
        for (int64_t k = c->start[row]; k < c->start[row + 1]; ++k) {
            while (pattern->column[at] != c->column[k])
                ++at;
            place[k] = (int32_t)at;
        }
    }
    return place;
}

// Takes over a pattern, with the values of elements that are there; others are 0.
static bool use_pattern(PalStiffness *s, Pattern *pattern)
{
    PalCouplings *c = s->couplings;
    int32_t *place = map_base(s, pattern);
    double *value = pal_alloc((size_t)pattern->start[s->row_count], sizeof *value);
    if (place == NULL || value == NULL) {
        pal_free(place);
        pal_free(value);
        return false;
    }
    for (int32_t row = 0; row < s->row_count; ++row)
        for (int64_t k = c->start[row]; k < c->start[row + 1]; ++k)
            value[place[k]] = s->value[find(s->start, s->column, row, c->column[k])];
    int64_t numbers = s->pair_part[s->elements->block_count];
    for (int64_t k = 0; k < numbers; ++k)
        s->target[k] = c->target[k] == PAL_NONE ? PAL_NONE : place[c->target[k]];
    for (int64_t k = 0; k < s->spread_count; ++k)
        s->spread_target[k] = place[c->spread_target[k]];
    pal_free(c->old_start);
    pal_free(c->old_column);
    c->old_start = s->start;
    c->old_column = s->column;
    pal_free(s->value);
    pal_free(place);
    s->start = pattern->start;
    s->column = pattern->column;
    s->value = value;
    return true;
}

PalStatus pal_couplings_join(PalStiffness *s, bool *renewed, PalError *error)
{
    PalCouplings *c = s->couplings;
    c->keys.count = 0;
    *renewed = false;
    if (!visit_blocks(s, list_missing))
        return no_memory(error);
    sort_keys(c);
    if (c->keys.count > 0 || c->fresh) {
        Pattern made = {NULL, NULL};
        bool good = make_pattern(s, &made);
        *renewed = good && !is_same(s, &made);
        if (*renewed)
            good = use_pattern(s, &made);
        if (!good || !*renewed) {
            pal_free(made.start);
            pal_free(made.column);
        }
        if (!good)
            return no_memory(error);
        c->fresh = false;
    }
    visit_blocks(s, add_value);
    c->blocks.count = c->nodes.count = c->values.count = 0;
    return PAL_OK;
}
