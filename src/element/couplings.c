#include "element/couplings.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/memory.h"
#include "element/data.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_SLOTS = 1024 };

// What all blocks have between two nodes, of which the first has the higher number.
typedef struct Pair {
    int32_t nodes[2];
    double values[9];
} Pair;

typedef struct PalCouplings {
    bool fresh;  // the pattern is to start from the elements' own
    int64_t *start;
    int32_t *column;  // of the elements alone
    int32_t *target;  // as in PalStiffness, for that pattern
    int32_t *spread_target;
    int64_t *old_start;  // of the pattern before this one: somebody may still look at it
    int32_t *old_column;
    PAL_ARRAY(Pair) pairs;
    int32_t *slots;            // 1 + number of a pair, by its nodes; 0: free
    uint32_t slot_mask;        // a power of two less 1; there are twice as many slots as pairs
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
    pal_array_clear(&c->pairs);
    pal_array_clear(&c->keys);
    void *const all[] = {c->start,     c->column,     c->target, c->spread_target,
                         c->old_start, c->old_column, c->slots};
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
           (size_t)c->pairs.capacity * sizeof(Pair) +
           (c->slots != NULL ? (size_t)c->slot_mask + 1 : 0) * sizeof *c->slots;
}

// ---- blocks -----------------------------------------------------------------------------

static void forget_pairs(PalCouplings *c)
{
    c->pairs.count = 0;
    if (c->slots != NULL)
        memset(c->slots, 0, ((size_t)c->slot_mask + 1) * sizeof *c->slots);
}

void pal_couplings_begin(PalStiffness *s)
{
    s->couplings->fresh = true;
    forget_pairs(s->couplings);
}

// Where a pair is or belongs.
static uint32_t slot_of(const PalCouplings *c, int32_t high, int32_t low)
{
    uint64_t mixed = ((uint64_t)(uint32_t)high << 32 | (uint32_t)low) * 0x9e3779b97f4a7c15u;
    uint32_t slot = (uint32_t)(mixed >> 32) & c->slot_mask;
    while (c->slots[slot] != 0) {
        const Pair *pair = &c->pairs.items[c->slots[slot] - 1];
        if (pair->nodes[0] == high && pair->nodes[1] == low)
            break;
        slot = (slot + 1) & c->slot_mask;
    }
    return slot;
}

static bool widen_slots(PalCouplings *c)
{
    uint32_t count = c->slots != NULL ? 2 * (c->slot_mask + 1) : FEWEST_SLOTS;
    int32_t *slots = pal_alloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    pal_free(c->slots);
    c->slots = slots;
    c->slot_mask = count - 1;
    for (int32_t p = 0; p < c->pairs.count; ++p)
        c->slots[slot_of(c, c->pairs.items[p].nodes[0], c->pairs.items[p].nodes[1])] = p + 1;
    return true;
}

static Pair *find_pair(PalCouplings *c, int32_t high, int32_t low)
{
    if ((c->slots == NULL || 2 * (uint32_t)c->pairs.count >= c->slot_mask) && !widen_slots(c))
        return NULL;
    uint32_t slot = slot_of(c, high, low);
    if (c->slots[slot] == 0) {
        Pair made = {.nodes = {high, low}};
        if (!pal_array_push(&c->pairs, made))
            return NULL;
        c->slots[slot] = c->pairs.count;
    }
    return &c->pairs.items[c->slots[slot] - 1];
}

bool pal_couplings_add(PalStiffness *s, int32_t count, const int32_t *nodes, const double *matrix)
{
    PAL_ASSERT(count >= 0 && count <= PAL_BLOCK_MOST);
    int32_t stride = 3 * count;
    for (int32_t a = 0; a < count; ++a)
        for (int32_t b = 0; b <= a; ++b) {
            int32_t high = nodes[a] >= nodes[b] ? a : b, low = a + b - high;
            Pair *pair = find_pair(s->couplings, nodes[high], nodes[low]);
            if (pair == NULL)
                return false;
            for (int e = 0; e < 9; ++e)
                pair->values[e] += matrix[(3 * high + e / 3) * stride + 3 * low + e % 3];
        }
    return true;
}

// ---- entries ----------------------------------------------------------------------------

// A node as rows of the matrix: itself, or those it follows.
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

// Entries of one row for the three components of a node.
typedef struct Three {
    int32_t row;
    int32_t columns[3];  // PAL_NONE: there is none at or below the diagonal
    double values[3];
} Three;

// What to do with them. False: no memory.
typedef bool (*EntryVisitor)(PalStiffness *s, const Three *three);

// Components of two nodes. `same`: they are those of one node alone, whose block is symmetric;
// otherwise the block stands for itself and what is on the other side of the diagonal.
static bool visit_nodes(PalStiffness *s, const int32_t nodes[2], const double values[9], bool same,
                        EntryVisitor visit)
{
    const int32_t *rows = s->equation + 3 * (int64_t)nodes[0];
    const int32_t *columns = s->equation + 3 * (int64_t)nodes[1];
    bool good = true;
    for (int i = 0; i < 3 && good; ++i) {
        Three three = {.row = rows[i], .columns = {PAL_NONE, PAL_NONE, PAL_NONE}};
        bool any = false;
        for (int j = 0; j < 3 && good; ++j) {
            double value = values[3 * i + j];
            if (rows[i] == PAL_NONE || columns[j] == PAL_NONE || (same && columns[j] > rows[i]))
                continue;
            if (columns[j] > rows[i]) {
                Three turned = {columns[j], {rows[i], PAL_NONE, PAL_NONE}, {value, 0, 0}};
                good = visit(s, &turned);
                continue;
            }
            three.columns[j] = columns[j];
            three.values[j] = columns[j] == rows[i] && !same ? 2 * value : value;
            any = true;
        }
        if (any && good)
            good = visit(s, &three);
    }
    return good;
}

static bool visit_pairs(PalStiffness *s, EntryVisitor visit)
{
    const PalCouplings *c = s->couplings;
    bool good = true;
    for (int32_t i = 0; i < c->pairs.count && good; ++i) {
        const Pair *pair = &c->pairs.items[i];
        Terms p = terms_of(s, &pair->nodes[0]), q = terms_of(s, &pair->nodes[1]);
        bool same = pair->nodes[0] == pair->nodes[1];
        for (int32_t k = 0; k < p.count && good; ++k)
            for (int32_t l = 0; l < q.count && good; ++l) {
                int32_t nodes[2] = {p.to[k], q.to[l]};
                double values[9];
                if (same && nodes[0] < nodes[1])
                    continue;  // the other way round it comes as well
                for (int e = 0; e < 9; ++e)
                    values[e] = p.weight[k] * q.weight[l] * pair->values[e];
                good = visit_nodes(s, nodes, values, same && k == l, visit);
            }
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

// The same of three at once: neighbours in a row are next to each other.
static void find_three(const int64_t *start, const int32_t *columns, const Three *three,
                       int64_t places[3])
{
    int64_t last = PAL_NONE;
    for (int j = 0; j < 3; ++j) {
        int32_t column = three->columns[j];
        places[j] = PAL_NONE;
        if (column == PAL_NONE)
            continue;
        bool next =
            last != PAL_NONE && last + 1 < start[three->row + 1] && columns[last + 1] == column;
        places[j] = next ? last + 1 : find(start, columns, three->row, column);
        last = places[j];
    }
}

static bool list_missing(PalStiffness *s, const Three *three)
{
    PalCouplings *c = s->couplings;
    int64_t places[3];
    bool good = true;
    find_three(c->fresh ? c->start : s->start, c->fresh ? c->column : s->column, three, places);
    for (int j = 0; j < 3 && good; ++j)
        if (three->columns[j] != PAL_NONE && places[j] == PAL_NONE) {
            uint64_t key =
                (uint64_t)three->row * (uint64_t)s->row_count + (uint64_t)three->columns[j];
            good = pal_array_push(&c->keys, key);
        }
    return good;
}

static bool add_values(PalStiffness *s, const Three *three)
{
    int64_t places[3];
    find_three(s->start, s->column, three, places);
    for (int j = 0; j < 3; ++j)
        if (three->columns[j] != PAL_NONE)
            s->value[places[j]] += three->values[j];
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
    if (!visit_pairs(s, list_missing))
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
    visit_pairs(s, add_values);
    forget_pairs(c);
    return PAL_OK;
}
