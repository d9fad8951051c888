#include "element/stiffness.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "element/pressures.h"
#include "element/work.h"

#include <stdlib.h>
#include <string.h>

PalStatus pal_stiffness_check(const PalElements *elements, PalError *error)
{
    for (int32_t p = 0; p < elements->part_count; ++p)
        if (elements->parts[p].type->tangent == NULL)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "element %s has no tangent, which implicit methods need",
                                 elements->parts[p].type->choice.name);
    return PAL_OK;
}

// Numbers kept for a node of a block: three components and, where there are pressures, one more.
static int unknowns_of(const PalElements *elements, const PalBlock *block)
{
    return elements->parts[block->part].pressure_corners > 0 ? 4 : 3;
}

static int32_t row_of(const PalStiffness *s, const PalBlock *block, int32_t node, int unknown)
{
    int32_t at = block->first_node + node;
    int32_t pressure = unknown == 3 ? s->elements->pressure_of[at] : PAL_NONE;
    if (unknown == 3)
        return pressure != PAL_NONE ? s->free_count + pressure : PAL_NONE;
    return s->equation[3 * (int64_t)s->elements->block_nodes[at] + unknown];
}

// What a component of a node stands for: itself, or those of nodes that it follows.
typedef struct Terms {
    int32_t count, own;
    int axis;
    const int32_t *to;  // NULL: only its own row
    const double *weight;
} Terms;

static Terms follow(const PalStiffness *s, int32_t node, int axis)
{
    const PalFollowers *f = &s->followers;
    int32_t k = s->follower_of[node], first = f->start[k];
    return (Terms){f->start[k + 1] - first, PAL_NONE, axis, f->to + first, f->weight + first};
}

static bool follows(const PalStiffness *s, int32_t node)
{
    return s->follower_of != NULL && s->follower_of[node] != PAL_NONE;
}

static Terms terms_of(const PalStiffness *s, const PalBlock *block, int32_t node, int unknown)
{
    int32_t n = s->elements->block_nodes[block->first_node + node];
    if (unknown < 3 && follows(s, n))
        return follow(s, n, unknown);
    return (Terms){.count = 1, .own = row_of(s, block, node, unknown)};
}

static int32_t term_row(const PalStiffness *s, const Terms *terms, int32_t k)
{
    return terms->to == NULL ? terms->own : s->equation[3 * (int64_t)terms->to[k] + terms->axis];
}

static double term_weight(const Terms *terms, int32_t k)
{
    return terms->to == NULL ? 1 : terms->weight[k];
}

// ---- assembling -------------------------------------------------------------------------

typedef struct Pass {
    PalStiffness *stiffness;
    PalElementScratch *scratch;
    const PalVec3 *displacement;
    const double *history;
} Pass;

static int64_t find_pair(const PalStiffness *s, int32_t block, int32_t i, int32_t j)
{
    int64_t row = s->elements->blocks[block].first_node + block + i, k = s->row_first[row];
    while (s->pair_node[k] != j)
        ++k;
    PAL_ASSERT(k < s->row_first[row + 1]);
    return k;
}

// Adds one element's tangent to the pairs of its corners.
static void add_lane(PalStiffness *s, int32_t index, const uint16_t (*corner)[PAL_LANES],
                     int32_t lane, const PalLanes *K)
{
    const PalBlock *block = &s->elements->blocks[index];
    const PalPart *part = &s->elements->parts[block->part];
    const int32_t corners = part->type->corner_count, pressures = part->pressure_corners;
    const int size = unknowns_of(s->elements, block);
    const int32_t n = 3 * corners + pressures;
    double *parts = s->parts + s->pair_part[index];
    for (int32_t a = 0; a < corners; ++a)
        for (int32_t b = 0; b < corners; ++b) {
            int32_t i = corner[a][lane] / 4, j = corner[b][lane] / 4;
            if (i < j)
                continue;
            int64_t pair = find_pair(s, index, i, j) - s->block_first[index];
            double *to = parts + pair * size * size;
            const int rows = a < pressures ? 4 : 3, columns = b < pressures ? 4 : 3;
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < columns; ++c) {
                    int32_t row = r < 3 ? 3 * a + r : 3 * corners + a;
                    int32_t column = c < 3 ? 3 * b + c : 3 * corners + b;
                    to[r * size + c] += K[row * n + column][lane];
                }
        }
}

static void assemble_block(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    PalStiffness *s = pass->stiffness;
    const PalElements *elements = s->elements;
    const PalBlock *block = &elements->blocks[index];
    const PalPart *part = &elements->parts[block->part];
    PalLanes displacement[PAL_BLOCK_NODES], K[PAL_TANGENT_MAX];
    memset(s->parts + s->pair_part[index], 0,
           (size_t)(s->pair_part[index + 1] - s->pair_part[index]) * sizeof *s->parts);
    pal_block_gather(elements, block, pass->scratch->pressures, pass->displacement, displacement);
    for (int32_t b = 0; b < block->batch_count; ++b) {
        const int32_t *numbers = elements->numbers + block->first_number + b * PAL_LANES;
        PalBatch batch = pal_block_batch(elements, pass->scratch, block, b, displacement);
        if (part->history_batch > 0)
            batch.history = pass->history + block->first_history + (int64_t)b * part->history_batch;
        part->type->tangent(&batch, K);
        const uint16_t(*corner)[PAL_LANES] = (const uint16_t(*)[PAL_LANES])pal_batch_corners(
            part->type, pal_block_data(elements, block, b));
        for (int32_t l = 0; l < PAL_LANES; ++l)
            if (numbers[l] != PAL_NONE)
                add_lane(s, index, corner, l, K);
    }
}

void pal_stiffness_assemble(PalStiffness *s, PalElementScratch *scratch,
                            const PalVec3 *displacement, const PalStiffnessStep *step)
{
    const PalElements *elements = s->elements;
    PAL_ASSERT(scratch->elements == elements);
    for (int32_t p = 0; p < elements->part_count; ++p)
        pal_prony_prepare(&elements->parts[p].material, step->step, &scratch->prony[p]);
    pal_pressures_update(elements, scratch, displacement, step->before, step->after);
    Pass pass = {s, scratch, displacement, step->before};
    pal_parallel_for(scratch->thread_count, elements->block_count, assemble_block, &pass);
    memset(s->value, 0, (size_t)s->start[s->row_count] * sizeof *s->value);
    int64_t count = s->pair_part[elements->block_count];
    for (int64_t k = 0; k < count; ++k)
        if (s->target[k] != PAL_NONE)
            s->value[s->target[k]] += s->parts[k];
    for (int64_t k = 0; k < s->spread_count; ++k)
        s->value[s->spread_target[k]] += s->spread_weight[k] * s->parts[s->spread_number[k]];
    pal_stiffness_add_rings(s, scratch, displacement, step->before);
}

void pal_stiffness_add(PalStiffness *s, int64_t component, int64_t other, double value)
{
    Terms terms[2];
    int64_t given[2] = {component, other};
    for (int side = 0; side < 2; ++side) {
        int32_t node = (int32_t)(given[side] / 3);
        terms[side] = follows(s, node) ? follow(s, node, (int)(given[side] % 3))
                                       : (Terms){.count = 1, .own = s->equation[given[side]]};
    }
    for (int32_t i = 0; i < terms[0].count; ++i)
        for (int32_t j = 0; j < terms[1].count; ++j) {
            int32_t row = term_row(s, &terms[0], i), column = term_row(s, &terms[1], j);
            double weight = term_weight(&terms[0], i) * term_weight(&terms[1], j);
            if (row >= column && column != PAL_NONE)
                s->value[pal_stiffness_find(s, row, column)] += weight * value;
        }
}

int64_t pal_stiffness_find(const PalStiffness *s, int32_t row, int32_t column)
{
    int32_t high_row = row > column ? row : column, wanted = row > column ? column : row;
    int64_t low = s->start[high_row], high = s->start[high_row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (s->column[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    PAL_ASSERT(low < s->start[high_row + 1] && s->column[low] == wanted);
    return low;
}

PalSymmetric pal_stiffness_unknowns(const PalStiffness *s)
{
    return (PalSymmetric){s->unknown_count, s->start, s->column, s->value, s->places};
}

void pal_stiffness_move_held(const PalStiffness *s, const double *x, double *right)
{
    for (int32_t row = s->unknown_count; row < s->row_count; ++row)
        for (int64_t k = s->start[row]; k < s->start[row + 1]; ++k)
            if (s->column[k] < s->unknown_count)
                right[s->column[k]] -= s->value[k] * x[row - s->unknown_count];
}

// ---- building ---------------------------------------------------------------------------

static PalStatus number_rows(PalStiffness *s, const uint8_t *held, const PalVec3 *nodes)
{
    const PalElements *elements = s->elements;
    int64_t components = 3 * (int64_t)elements->node_count;
    s->equation = pal_alloc((size_t)components, sizeof *s->equation);
    if (s->equation == NULL)
        return PAL_NO_MEMORY;
    for (int64_t i = 0; i < components; ++i)
        s->equation[i] = PAL_NONE;
    for (int32_t n = 0; n < elements->block_node_count; ++n)
        for (int i = 0; i < 3 && !follows(s, elements->block_nodes[n]); ++i)
            s->equation[3 * (int64_t)elements->block_nodes[n] + i] = 0;
    for (int pass = 0; pass < 2; ++pass) {  // free ones, then held ones
        for (int64_t i = 0; i < components; ++i)
            if (s->equation[i] != PAL_NONE && (held[i / 3] >> i % 3 & 1) == pass)
                s->equation[i] = s->row_count++;
        if (pass == 0) {
            s->free_count = s->row_count;
            s->row_count = s->unknown_count = s->free_count + elements->pressure_count;
        }
    }
    s->component = pal_alloc((size_t)s->row_count, sizeof *s->component);
    s->places = pal_alloc((size_t)s->row_count, sizeof *s->places);
    if (s->component == NULL || s->places == NULL)
        return PAL_NO_MEMORY;
    for (int32_t r = 0; r < s->row_count; ++r)
        s->component[r] = PAL_NONE;
    for (int64_t i = 0; i < components; ++i)
        if (s->equation[i] != PAL_NONE) {
            s->component[s->equation[i]] = (int32_t)i;
            s->places[s->equation[i]] = nodes[i / 3];
        }
    for (int32_t n = 0; elements->pressure_of != NULL && n < elements->block_node_count; ++n)
        if (elements->pressure_of[n] != PAL_NONE)
            s->places[s->free_count + elements->pressure_of[n]] = nodes[elements->block_nodes[n]];
    return PAL_OK;
}

// Marks which nodes of a block an element couples, and counts or lists the pairs: each node with
// those up to itself.
static int64_t list_pairs(PalStiffness *s, int32_t index, bool *coupled, uint16_t *pairs)
{
    const PalElements *elements = s->elements;
    const PalBlock *block = &elements->blocks[index];
    const PalElementType *type = elements->parts[block->part].type;
    const int32_t count = block->node_count;
    memset(coupled, 0, (size_t)count * (size_t)count * sizeof *coupled);
    for (int32_t k = 0; k < block->batch_count * PAL_LANES; ++k) {
        if (elements->numbers[block->first_number + k] == PAL_NONE)
            continue;
        uint16_t(*corner)[PAL_LANES] =
            pal_batch_corners(type, pal_block_data(elements, block, k / PAL_LANES));
        for (int32_t a = 0; a < type->corner_count; ++a)
            for (int32_t b = 0; b < type->corner_count; ++b)
                coupled[corner[a][k % PAL_LANES] / 4 * count + corner[b][k % PAL_LANES] / 4] = true;
    }
    int64_t listed = 0;
    for (int32_t i = 0; i < count; ++i) {
        int64_t row = block->first_node + index + i;
        if (pairs != NULL)
            s->row_first[row] = s->block_first[index] + listed;
        for (int32_t j = 0; j <= i; ++j)
            if (coupled[i * count + j]) {
                if (pairs != NULL)
                    pairs[listed] = (uint16_t)j;
                ++listed;
            }
        if (pairs != NULL)
            s->row_first[row + 1] = s->block_first[index] + listed;
    }
    return listed;
}

static PalStatus find_pairs(PalStiffness *s)
{
    const PalElements *elements = s->elements;
    size_t blocks = (size_t)elements->block_count;
    bool *coupled = pal_alloc(PAL_BLOCK_NODES * PAL_BLOCK_NODES, sizeof *coupled);
    s->block_first = pal_alloc(blocks + 1, sizeof *s->block_first);
    s->pair_part = pal_alloc(blocks + 1, sizeof *s->pair_part);
    s->row_first = pal_alloc((size_t)elements->block_node_count + blocks + 1, sizeof *s->row_first);
    bool whole =
        coupled != NULL && s->block_first != NULL && s->pair_part != NULL && s->row_first != NULL;
    for (int32_t b = 0; whole && b < elements->block_count; ++b) {
        int64_t pairs = list_pairs(s, b, coupled, NULL);
        int size = unknowns_of(elements, &elements->blocks[b]);
        s->block_first[b + 1] = s->block_first[b] + pairs;
        s->pair_part[b + 1] = s->pair_part[b] + pairs * size * size;
    }
    if (whole) {
        s->pair_node = pal_alloc((size_t)s->block_first[blocks] + 1, sizeof *s->pair_node);
        s->parts = pal_alloc((size_t)s->pair_part[blocks], sizeof *s->parts);
        s->target = pal_alloc((size_t)s->pair_part[blocks], sizeof *s->target);
        whole = s->pair_node != NULL && s->parts != NULL && s->target != NULL;
    }
    for (int32_t b = 0; whole && b < elements->block_count; ++b)
        list_pairs(s, b, coupled, s->pair_node + s->block_first[b]);
    pal_free(coupled);
    return whole ? PAL_OK : PAL_NO_MEMORY;
}

// What to do with a number of a pair that goes to an entry, with a weight; `whole`: to this one
// only.
typedef void (*EntryVisitor)(PalStiffness *s, int64_t number, int32_t row, int32_t column,
                             double weight, bool whole);

// A number between two unknowns that may follow others. It stands for both triangles unless it is
// on the diagonal.
static void visit_number(PalStiffness *s, EntryVisitor visit, int64_t number, const Terms *a,
                         const Terms *b, bool diagonal)
{
    if (a->to == NULL && b->to == NULL) {
        visit(s, number, a->own, b->own, 1, true);
        return;
    }
    for (int32_t i = 0; i < a->count; ++i)
        for (int32_t j = 0; j < (diagonal ? i + 1 : b->count); ++j) {
            int32_t row = term_row(s, a, i), column = term_row(s, b, j);
            double weight = term_weight(a, i) * term_weight(b, j);
            visit(s, number, row, column, !diagonal && row == column ? 2 * weight : weight, false);
        }
}

// Nodes without a pressure have no row for one.
static bool is_there(const Terms *terms)
{
    return terms->to != NULL || terms->own != PAL_NONE;
}

static void visit_entries(PalStiffness *s, EntryVisitor visit)
{
    const PalElements *elements = s->elements;
    s->spread_count = 0;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        const int size = unknowns_of(elements, block);
        const bool smooths = elements->parts[block->part].smoothing > 0;
        for (int32_t i = 0; i < block->node_count; ++i) {
            int64_t row = block->first_node + b + i;
            for (int64_t k = s->row_first[row]; k < s->row_first[row + 1]; ++k)
                for (int e = 0; e < size * size; ++e) {
                    int32_t j = s->pair_node[k], r = e / size, c = e % size;
                    int64_t number = s->pair_part[b] + (k - s->block_first[b]) * size * size + e;
                    s->target[number] = PAL_NONE;
                    bool twice = i == j && r < c;  // the other triangle
                    // pressures meet themselves, and where they are smoothed each other
                    bool none = r == 3 && c == 3 && i != j && !smooths;
                    Terms at = terms_of(s, block, i, r), across = terms_of(s, block, j, c);
                    if (!twice && !none && is_there(&at) && is_there(&across))
                        visit_number(s, visit, number, &at, &across, i == j && r == c);
                }
        }
    }
}

// Components of two nodes of a ring.
typedef struct RingVisit {
    PalStiffness *stiffness;
    EntryVisitor visit;
} RingVisit;

static Terms node_terms(const PalStiffness *s, int32_t node, int axis)
{
    return follows(s, node) ? follow(s, node, axis)
                            : (Terms){.count = 1, .own = s->equation[3 * (int64_t)node + axis]};
}

static void visit_ring_pair(void *context, int32_t node, int32_t other)
{
    RingVisit *v = context;
    for (int e = 0; e < 9; ++e) {
        Terms a = node_terms(v->stiffness, node, e / 3);
        Terms b = node_terms(v->stiffness, other, e % 3);
        for (int32_t i = 0; i < a.count; ++i)
            for (int32_t j = 0; j < b.count; ++j)
                v->visit(v->stiffness, 0, term_row(v->stiffness, &a, i),
                         term_row(v->stiffness, &b, j), 1, true);
    }
}

static PalStatus visit_all(PalStiffness *s, EntryVisitor visit)
{
    RingVisit rings = {s, visit};
    visit_entries(s, visit);
    return pal_ring_pairs(s->elements, visit_ring_pair, &rings);
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void count_entry(PalStiffness *s, int64_t number, int32_t row, int32_t column, double weight,
                        bool whole)
{
    (void)number, (void)weight;
    ++s->start[larger(row, column) + 1];
    s->spread_count += !whole;
}

static void list_entry(PalStiffness *s, int64_t number, int32_t row, int32_t column, double weight,
                       bool whole)
{
    (void)number, (void)weight, (void)whole;
    s->column[s->start[larger(row, column)]++] = row < column ? row : column;
}

static void aim_entry(PalStiffness *s, int64_t number, int32_t row, int32_t column, double weight,
                      bool whole)
{
    int32_t target = (int32_t)pal_stiffness_find(s, row, column);
    if (whole) {
        s->target[number] = target;
        return;
    }
    s->spread_number[s->spread_count] = number;
    s->spread_target[s->spread_count] = target;
    s->spread_weight[s->spread_count++] = weight;
}

static int compare_columns(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

// Sorts the columns of each row and keeps one of each.
static void tidy_rows(PalStiffness *s)
{
    int64_t kept = 0, begin = 0;
    for (int32_t row = 0; row < s->row_count; ++row) {
        int64_t end = s->start[row], first = kept;  // list_entry has moved the starts on
        qsort(s->column + begin, (size_t)(end - begin), sizeof *s->column, compare_columns);
        for (int64_t k = begin; k < end; ++k)
            if (kept == first || s->column[kept - 1] != s->column[k])
                s->column[kept++] = s->column[k];
        begin = end;
        s->start[row] = first;
    }
    s->start[s->row_count] = kept;
}

static PalStatus find_pattern(PalStiffness *s)
{
    s->start = pal_alloc((size_t)s->row_count + 1, sizeof *s->start);
    if (s->start == NULL)
        return PAL_NO_MEMORY;
    PAL_TRY(visit_all(s, count_entry));
    size_t spread = (size_t)s->spread_count;
    s->spread_number = pal_alloc(spread, sizeof *s->spread_number);
    s->spread_target = pal_alloc(spread, sizeof *s->spread_target);
    s->spread_weight = pal_alloc(spread, sizeof *s->spread_weight);
    if (s->spread_number == NULL || s->spread_target == NULL || s->spread_weight == NULL)
        return PAL_NO_MEMORY;
    for (int32_t r = 0; r < s->row_count; ++r)
        s->start[r + 1] += s->start[r];
    if (s->start[s->row_count] > INT32_MAX)
        return PAL_NO_MEMORY;
    s->column = pal_alloc((size_t)s->start[s->row_count], sizeof *s->column);
    if (s->column == NULL)
        return PAL_NO_MEMORY;
    PAL_TRY(visit_all(s, list_entry));
    tidy_rows(s);
    s->value = pal_alloc((size_t)s->start[s->row_count], sizeof *s->value);
    if (s->value == NULL)
        return PAL_NO_MEMORY;
    visit_entries(s, aim_entry);
    return PAL_OK;
}

static PalStatus list_followers(PalStiffness *s, const PalFollowers *followers)
{
    if (followers == NULL || followers->count == 0)
        return PAL_OK;
    s->followers = *followers;
    s->follower_of = pal_alloc((size_t)s->elements->node_count, sizeof *s->follower_of);
    if (s->follower_of == NULL)
        return PAL_NO_MEMORY;
    for (int32_t n = 0; n < s->elements->node_count; ++n)
        s->follower_of[n] = PAL_NONE;
    for (int32_t k = 0; k < followers->count; ++k)
        s->follower_of[followers->node[k]] = k;
    return PAL_OK;
}

static PalStatus build(PalStiffness *s, const uint8_t *held, const PalVec3 *nodes)
{
    PAL_TRY(number_rows(s, held, nodes));
    PAL_TRY(find_pairs(s));
    PAL_TRY(find_pattern(s));
    return pal_stiffness_build_rings(s);
}

PalStatus pal_stiffness_create(const PalElements *elements, const uint8_t *held,
                               const PalVec3 *nodes, const PalFollowers *followers,
                               PalStiffness **result, PalError *error)
{
    *result = NULL;
    PAL_TRY(pal_stiffness_check(elements, error));
    PalStiffness *s = pal_alloc(1, sizeof *s);
    if (s != NULL)
        s->elements = elements;
    if (s == NULL || list_followers(s, followers) != PAL_OK || build(s, held, nodes) != PAL_OK) {
        pal_stiffness_destroy(s);
        return pal_error_set(error, PAL_NO_MEMORY,
                             "no memory for the stiffness of %d nodes: use a coarser mesh, or an "
                             "explicit method",
                             elements->node_count);
    }
    *result = s;
    return PAL_OK;
}

void pal_stiffness_destroy(PalStiffness *s)
{
    if (s == NULL)
        return;
    void *const all[] = {s->equation,    s->component,     s->places,        s->start,
                         s->column,      s->value,         s->row_first,     s->pair_node,
                         s->pair_part,   s->parts,         s->block_first,   s->target,
                         s->follower_of, s->spread_number, s->spread_target, s->spread_weight,
                         s->ring_patches};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        pal_free(all[k]);
    pal_free(s);
}

size_t pal_stiffness_bytes(const PalStiffness *s)
{
    size_t entries = (size_t)s->start[s->row_count], rows = (size_t)s->row_count;
    size_t numbers = (size_t)s->pair_part[s->elements->block_count];
    size_t spread = (size_t)s->spread_count;
    return entries * (sizeof *s->column + sizeof *s->value) +
           spread * (sizeof *s->spread_number + sizeof *s->spread_target + sizeof(double)) +
           numbers * (sizeof *s->parts + sizeof *s->target) +
           rows * (sizeof *s->start + sizeof *s->component + sizeof *s->places);
}
