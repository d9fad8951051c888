#include "reduced/haptic_rows.h"

#include "base/assert.h"
#include "base/memory.h"
#include "reduced/haptic_lanes.h"
#include <float.h>
#include <string.h>

#define NEAR_PER_ROW 64
#define WEAK         0.01F  // of the geometric mean of two rows' own compliance
#define TOUCHES      4      // of a row at most, on one body

static bool room_for_body(PalHapticRows *rows, int s, const PalHapticBody *body)
{
    rows->body_width[s] = body->stride;
    rows->touches[s] = pal_alloc((size_t)rows->touch_max, sizeof(PalHapticTouch));
    rows->touch_of_node[s] = pal_alloc((size_t)body->node_count, sizeof(int32_t));
    if (rows->touches[s] == NULL || rows->touch_of_node[s] == NULL)
        return false;
    for (int32_t n = 0; n < body->node_count; ++n)
        rows->touch_of_node[s][n] = PAL_NONE;
    return true;
}

PalStatus pal_haptic_rows_init(PalHapticRows *rows, int32_t row_max,
                               const PalHapticBody *const bodies[2], PalError *error)
{
    size_t many = (size_t)row_max;
    size_t width = (size_t)bodies[0]->stride + (size_t)bodies[1]->stride + 8;
    size_t dense = row_max < PAL_HAPTIC_DENSE ? (many + 7) & ~(size_t)7 : PAL_HAPTIC_DENSE;
    *rows = (PalHapticRows){
        .row_max = row_max,
        .touch_max = TOUCHES * row_max,
        .near_max = NEAR_PER_ROW * row_max,
        .width = (int32_t)width,
        .first = {0, bodies[0]->stride, (int32_t)width - 8},
        .modes = pal_alloc(many * width, sizeof(float)),
        .sum = pal_alloc(width, sizeof(float)),
        .push = pal_alloc(many, 6 * sizeof(float)),
        .gap = pal_alloc(many, sizeof(float)),
        .gap_made = pal_alloc(many, sizeof(float)),
        .low = pal_alloc(many, sizeof(float)),
        .high = pal_alloc(many, sizeof(float)),
        .force = pal_alloc(many + 8, sizeof(float)),
        .soft = pal_alloc(many, sizeof(float)),
        .diagonal = pal_alloc(many, sizeof(float)),
        .near_start = pal_alloc(many + 1, sizeof(int32_t)),
        .near_row = pal_alloc(NEAR_PER_ROW * many, sizeof(int32_t)),
        .near_value = pal_alloc(NEAR_PER_ROW * many, sizeof(float)),
        .full_start = pal_alloc(many + 1, sizeof(int32_t)),
        .full_row = pal_alloc(2 * NEAR_PER_ROW * many, sizeof(int32_t)),
        .full_value = pal_alloc(2 * NEAR_PER_ROW * many, sizeof(float)),
        .beyond = pal_alloc(many, sizeof(float)),
        .matrix = pal_alloc(dense * dense, sizeof(float)),
        .factor = pal_alloc(dense * dense, sizeof(double)),
        .right = pal_alloc(dense, sizeof(double)),
        .active = pal_alloc(many, sizeof(int32_t)),
        .touched = pal_alloc(many, sizeof(int32_t)),
        .wrong = pal_alloc(many, sizeof(int32_t)),
        .direction = pal_alloc(many + 8, sizeof(float)),
        .residual = pal_alloc(many, sizeof(float)),
    };
    bool enough = rows->modes != NULL && rows->sum != NULL && rows->push != NULL &&
                  rows->gap != NULL && rows->gap_made != NULL && rows->low != NULL &&
                  rows->high != NULL && rows->force != NULL && rows->diagonal != NULL &&
                  rows->near_start != NULL && rows->near_row != NULL && rows->near_value != NULL &&
                  rows->matrix != NULL && rows->factor != NULL && rows->right != NULL &&
                  rows->active != NULL && rows->touched != NULL && rows->direction != NULL &&
                  rows->residual != NULL && rows->full_start != NULL && rows->full_row != NULL &&
                  rows->full_value != NULL && rows->beyond != NULL && rows->wrong != NULL &&
                  rows->soft != NULL;
    for (int s = 0; s < 2; ++s)
        enough = enough && room_for_body(rows, s, bodies[s]);
    return enough ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for contacts");
}

void pal_haptic_rows_clear(PalHapticRows *rows)
{
    void *const all[] = {
        rows->modes,      rows->sum,        rows->push,      rows->gap,      rows->gap_made,
        rows->low,        rows->high,       rows->force,     rows->diagonal, rows->near_row,
        rows->near_start, rows->near_value, rows->matrix,    rows->factor,   rows->right,
        rows->active,     rows->touched,    rows->direction, rows->residual, rows->full_start,
        rows->full_row,   rows->full_value, rows->beyond,    rows->wrong,    rows->soft};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        pal_free(all[i]);
    for (int s = 0; s < 2; ++s) {
        pal_free(rows->touches[s]);
        pal_free(rows->touch_of_node[s]);
    }
}

void pal_haptic_rows_reset(PalHapticRows *rows)
{
    for (int s = 0; s < 2; ++s) {
        for (int32_t t = 0; t < rows->touch_count[s]; ++t)
            rows->touch_of_node[s][rows->touches[s][t].node] = PAL_NONE;
        rows->touch_count[s] = 0;
    }
    rows->row_count = 0;
    rows->summed = rows->factored = false;
}

void pal_haptic_rows_touch(PalHapticRows *rows, int32_t body, int32_t row, int32_t node,
                           PalVec3 direction)
{
    PAL_ASSERT(rows->touch_count[body] < rows->touch_max);
    rows->touches[body][rows->touch_count[body]++] = (PalHapticTouch){
        .node = node,
        .row = row,
        .next = PAL_NONE,
        .direction = {(float)direction.x, (float)direction.y, (float)direction.z},
    };
}

// A number per row, and which rows have one.
typedef struct Spread {
    float *sums;
    int32_t *touched, count;
} Spread;

// Adds what one touch does to the rows that touch near nodes, of those that are linked by now.
static void spread_touch(const PalHapticRows *rows, int32_t s, const PalVademecum *book,
                         const PalHapticTouch *touch, Spread *spread)
{
    const float *d = touch->direction;
    const PalHapticTouch *touches = rows->touches[s];
    for (int32_t i = book->local_start[touch->node]; i < book->local_start[touch->node + 1]; ++i) {
        if (book->local_node[i] >= book->size.surface_count)
            break;  // nodes inside come last
        int32_t other = rows->touch_of_node[s][book->local_node[i]];
        if (other == PAL_NONE)
            continue;
        const float *b = book->local_block + (int64_t)9 * i;
        float x = d[0] * b[0] + d[1] * b[3] + d[2] * b[6];
        float y = d[0] * b[1] + d[1] * b[4] + d[2] * b[7];
        float z = d[0] * b[2] + d[1] * b[5] + d[2] * b[8];
        for (; other != PAL_NONE; other = touches[other].next) {
            const PalHapticTouch *there = &touches[other];
            float *sum = &spread->sums[there->row];
            if (*sum == 0)
                spread->touched[spread->count++] = there->row;
            *sum += x * there->direction[0] + y * there->direction[1] + z * there->direction[2];
            if (*sum == 0)
                *sum = FLT_MIN;  // it is listed
        }
    }
}

// Links the touches of one row, and adds what they do to it and to the rows before. Touches are
// listed row after row; `first` is the row's first one.
static int32_t spread_row(PalHapticRows *rows, int32_t s, const PalHapticBody *body, int32_t first,
                          Spread *spread)
{
    PalHapticTouch *touches = rows->touches[s];
    int32_t row = touches[first].row, end = first;
    for (; end < rows->touch_count[s] && touches[end].row == row; ++end) {
        touches[end].next = rows->touch_of_node[s][touches[end].node];
        rows->touch_of_node[s][touches[end].node] = end;
    }
    for (int32_t t = first; t < end && body->book != NULL && body->book->size.local_count > 0; ++t)
        spread_touch(rows, s, body->book, &touches[t], spread);
    return end;
}

// One row's couplings with those before. Weak ones are left out: they act by the forces of the last
// step.
static void list_row(PalHapticRows *rows, int32_t row, Spread *spread, int32_t *filled)
{
    for (int32_t i = 0; i < spread->count; ++i) {
        int32_t other = spread->touched[i];
        float value = spread->sums[other];
        spread->sums[other] = 0;
        if (other == row)
            continue;
        float weak = WEAK * WEAK * rows->diagonal[row] * rows->diagonal[other];
        if (*filled == rows->near_max || value * value < weak) {
            rows->gap_made[row] += value * rows->force[other];
            rows->gap_made[other] += value * rows->force[row];
            continue;
        }
        rows->near_row[*filled] = other;
        rows->near_value[(*filled)++] = value;
    }
}

// From couplings with rows before to those with all others.
static void mirror(PalHapticRows *rows)
{
    int32_t n = rows->row_count, *start = rows->full_start;
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (int32_t row = 0; row < n; ++row)
        for (int32_t i = rows->near_start[row]; i < rows->near_start[row + 1]; ++i) {
            ++start[row + 1];
            ++start[rows->near_row[i] + 1];
        }
    for (int32_t row = 0; row < n; ++row)
        start[row + 1] += start[row];
    for (int32_t row = 0; row < n; ++row)
        rows->touched[row] = start[row];
    for (int32_t row = 0; row < n; ++row)
        for (int32_t i = rows->near_start[row]; i < rows->near_start[row + 1]; ++i) {
            int32_t other = rows->near_row[i];
            rows->full_row[rows->touched[row]] = other;
            rows->full_value[rows->touched[row]++] = rows->near_value[i];
            rows->full_row[rows->touched[other]] = row;
            rows->full_value[rows->touched[other]++] = rows->near_value[i];
        }
}

static void list_all(PalHapticRows *rows, const PalHapticBody *const bodies[2])
{
    int32_t first[2] = {0, 0}, filled = 0;
    Spread spread = {.sums = rows->residual, .touched = rows->touched};
    memset(spread.sums, 0, (size_t)rows->row_count * sizeof *spread.sums);
    for (int32_t row = 0; row < rows->row_count; ++row) {
        const float *j = rows->modes + (int64_t)row * rows->width;
        spread.count = 0;
        for (int32_t s = 0; s < 2; ++s)
            if (first[s] < rows->touch_count[s] && rows->touches[s][first[s]].row == row)
                first[s] = spread_row(rows, s, bodies[s], first[s], &spread);
        rows->near_start[row] = filled;
        float own;
        pal_rows_dot(j, 1, rows->width, j, &own);
        float whole = own + spread.sums[row];
        rows->diagonal[row] = whole > 0 ? whole * (1 + PAL_HAPTIC_SOFTER + rows->soft[row]) : 1.0F;
        rows->beyond[row] = rows->diagonal[row] - own;
        if (!(whole > 0))  // both places are held: no force parts them
            rows->low[row] = rows->high[row] = rows->force[row] = 0;
        list_row(rows, row, &spread, &filled);
    }
    rows->near_start[rows->row_count] = filled;
    mirror(rows);
}

// ---- few rows: node by node into the matrix ------------------------------------------------

// What two nodes do to each other's rows. `twice`: they are different nodes, and each of a row's
// two touches moves the other.
static void couple_nodes(PalHapticRows *rows, int32_t s, const float *block, int32_t at,
                         int32_t other)
{
    const PalHapticTouch *touches = rows->touches[s];
    int32_t line = pal_haptic_line(rows->row_count);
    bool twice = touches[at].node != touches[other].node;
    for (int32_t i = at; i != PAL_NONE; i = touches[i].next) {
        const float *d = touches[i].direction;
        int32_t row = touches[i].row;
        float x = d[0] * block[0] + d[1] * block[3] + d[2] * block[6];
        float y = d[0] * block[1] + d[1] * block[4] + d[2] * block[7];
        float z = d[0] * block[2] + d[1] * block[5] + d[2] * block[8];
        for (int32_t j = other; j != PAL_NONE; j = touches[j].next) {
            const float *e = touches[j].direction;
            float value = x * e[0] + y * e[1] + z * e[2];
            int32_t column = touches[j].row;
            if (column < row)
                rows->matrix[(int64_t)row * line + column] += value;
            else if (column == row)
                rows->beyond[row] += twice ? 2 * value : value;
            else if (twice)
                rows->matrix[(int64_t)column * line + row] += value;
        }
    }
}

// Links touches by nodes; each pair of nodes is met from the one that was linked later.
static void couple_body(PalHapticRows *rows, int32_t s, const PalVademecum *book)
{
    PalHapticTouch *touches = rows->touches[s];
    int32_t *first = rows->touch_of_node[s];
    for (int32_t t = 0; t < rows->touch_count[s]; ++t) {
        touches[t].next = first[touches[t].node];
        first[touches[t].node] = t;
    }
    if (book == NULL || book->size.local_count == 0)
        return;
    for (int32_t t = 0; t < rows->touch_count[s]; ++t) {
        int32_t node = touches[t].node;
        if (first[node] != t)
            continue;
        for (int32_t i = book->local_start[node]; i < book->local_start[node + 1]; ++i) {
            int32_t near = book->local_node[i];
            if (near > node)
                break;  // they ascend
            if (first[near] != PAL_NONE)
                couple_nodes(rows, s, book->local_block + (int64_t)9 * i, t, first[near]);
        }
    }
}

static void fill_matrix(PalHapticRows *rows, const PalHapticBody *const bodies[2])
{
    int32_t n = rows->row_count, line = pal_haptic_line(n);
    memset(rows->matrix, 0, (size_t)n * (size_t)line * sizeof(float));
    memset(rows->beyond, 0, (size_t)n * sizeof(float));
    pal_rows_gram(rows->modes, n, rows->width, rows->matrix, line);
    for (int32_t s = 0; s < 2; ++s)
        couple_body(rows, s, bodies[s]->book);
    for (int32_t row = 0; row < n; ++row) {
        float *own = &rows->matrix[(int64_t)row * line + row];
        *own += rows->beyond[row];
        if (!(*own > 0)) {  // both places are held: no force parts them
            rows->low[row] = rows->high[row] = rows->force[row] = 0;
            *own = 1;
        } else {
            *own *= 1 + PAL_HAPTIC_SOFTER + rows->soft[row];
        }
        rows->diagonal[row] = *own;
    }
    for (int32_t row = 0; row < n; ++row)
        for (int32_t other = row + 1; other < n; ++other)
            rows->matrix[(int64_t)row * line + other] = rows->matrix[(int64_t)other * line + row];
}

void pal_haptic_rows_couple(PalHapticRows *rows, const PalHapticBody *const bodies[2])
{
    if (rows->row_count <= PAL_HAPTIC_DENSE)
        fill_matrix(rows, bodies);
    else
        list_all(rows, bodies);
}

void pal_haptic_rows_shift(PalHapticRows *rows, const double moved[6])
{
    for (int32_t row = 0; row < rows->row_count; ++row) {
        double way = 0;
        for (int k = 0; k < 6; ++k)
            way += (double)rows->push[row][k] * moved[k];
        rows->gap[row] = (float)((double)rows->gap_made[row] + way);
    }
}
