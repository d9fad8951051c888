#include "reduced/haptic_rows.h"

#include "base/assert.h"
#include "base/memory.h"
#include "reduced/haptic_lanes.h"
#include <string.h>

#define NEAR_PER_ROW 96
#define SOFTER       1e-3F  // rows in the same place would have no single solution
#define TOUCHES      4      // of a row at most, on one body

static bool room_for_body(PalHapticRows *rows, int s, const PalHapticBody *body)
{
    size_t many = (size_t)rows->row_max, width = (size_t)body->stride;
    rows->width[s] = body->stride;
    rows->modes[s] = pal_alloc(many * width + 1, sizeof(float));
    rows->sum[s] = pal_alloc(width + 8, sizeof(float));
    rows->sum_of_direction[s] = pal_alloc(width + 8, sizeof(float));
    rows->touches[s] = pal_alloc((size_t)rows->touch_max, sizeof(PalHapticTouch));
    rows->touch_of_node[s] = pal_alloc((size_t)body->node_count, sizeof(int32_t));
    if (rows->modes[s] == NULL || rows->sum[s] == NULL || rows->sum_of_direction[s] == NULL ||
        rows->touches[s] == NULL || rows->touch_of_node[s] == NULL)
        return false;
    for (int32_t n = 0; n < body->node_count; ++n)
        rows->touch_of_node[s][n] = PAL_NONE;
    return true;
}

PalStatus pal_haptic_rows_init(PalHapticRows *rows, int32_t row_max,
                               const PalHapticBody *const bodies[2], PalError *error)
{
    size_t many = (size_t)row_max;
    size_t dense = row_max < PAL_HAPTIC_DENSE ? many : PAL_HAPTIC_DENSE;
    *rows = (PalHapticRows){
        .row_max = row_max,
        .touch_max = TOUCHES * row_max,
        .near_max = NEAR_PER_ROW * row_max,
        .wrench = pal_alloc(many, 6 * sizeof(float)),
        .gap = pal_alloc(many, sizeof(float)),
        .low = pal_alloc(many, sizeof(float)),
        .high = pal_alloc(many, sizeof(float)),
        .force = pal_alloc(many, sizeof(float)),
        .diagonal = pal_alloc(many, sizeof(float)),
        .near_start = pal_alloc(many + 1, sizeof(int32_t)),
        .near_row = pal_alloc(NEAR_PER_ROW * many, sizeof(int32_t)),
        .near_value = pal_alloc(NEAR_PER_ROW * many, sizeof(float)),
        .matrix = pal_alloc(dense * dense, sizeof(float)),
        .factor = pal_alloc(dense * dense, sizeof(double)),
        .right = pal_alloc(dense, sizeof(double)),
        .active = pal_alloc(many, sizeof(int32_t)),
        .direction = pal_alloc(many, sizeof(float)),
        .residual = pal_alloc(many, sizeof(float)),
    };
    bool enough = rows->wrench != NULL && rows->gap != NULL && rows->low != NULL &&
                  rows->high != NULL && rows->force != NULL && rows->diagonal != NULL &&
                  rows->near_start != NULL && rows->near_row != NULL && rows->near_value != NULL &&
                  rows->matrix != NULL && rows->factor != NULL && rows->right != NULL &&
                  rows->active != NULL && rows->direction != NULL && rows->residual != NULL;
    for (int s = 0; s < 2; ++s)
        enough = enough && room_for_body(rows, s, bodies[s]);
    return enough ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for contacts");
}

void pal_haptic_rows_clear(PalHapticRows *rows)
{
    void *const all[] = {rows->wrench,     rows->gap,       rows->low,        rows->high,
                         rows->force,      rows->diagonal,  rows->near_start, rows->near_row,
                         rows->near_value, rows->matrix,    rows->factor,     rows->right,
                         rows->active,     rows->direction, rows->residual};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        pal_free(all[i]);
    for (int s = 0; s < 2; ++s) {
        pal_free(rows->modes[s]);
        pal_free(rows->sum[s]);
        pal_free(rows->sum_of_direction[s]);
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
    rows->near_full = false;
}

void pal_haptic_rows_touch(PalHapticRows *rows, int32_t body, int32_t row, int32_t node,
                           PalVec3 direction)
{
    PAL_ASSERT(rows->touch_count[body] < rows->touch_max);
    int32_t touch = rows->touch_count[body]++;
    rows->touches[body][touch] = (PalHapticTouch){
        .node = node,
        .row = row,
        .next = rows->touch_of_node[body][node],
        .direction = {(float)direction.x, (float)direction.y, (float)direction.z},
    };
    rows->touch_of_node[body][node] = touch;
}

// Adds what one touch does to the rows that touch near nodes; `into` has a number per row.
static void spread_touch(const PalHapticRows *rows, int32_t s, const PalVademecum *book,
                         const PalHapticTouch *touch, float *into)
{
    const float *d = touch->direction;
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
        for (; other != PAL_NONE; other = rows->touches[s][other].next) {
            const PalHapticTouch *there = &rows->touches[s][other];
            into[there->row] +=
                x * there->direction[0] + y * there->direction[1] + z * there->direction[2];
        }
    }
}

// Touches of one body are listed row after row; `first` is where those of the row begin.
static int32_t spread_row(const PalHapticRows *rows, int32_t s, const PalHapticBody *body,
                          int32_t row, int32_t first)
{
    const PalHapticTouch *touches = rows->touches[s];
    int32_t t = first;
    for (; t < rows->touch_count[s] && touches[t].row == row; ++t)
        if (body->book != NULL && body->book->size.local_count > 0)
            spread_touch(rows, s, body->book, &touches[t], rows->residual);
    return t;
}

static float own_modes(const PalHapticRows *rows, int32_t row)
{
    float sum = 0;
    for (int s = 0; s < 2; ++s) {
        if (rows->width[s] == 0)
            continue;
        const float *j = rows->modes[s] + (int64_t)row * rows->width[s];
        float part;
        pal_rows_dot(j, 1, rows->width[s], j, &part);
        sum += part;
    }
    for (int k = 0; k < 6; ++k)
        sum += rows->wrench[row][k] * rows->wrench[row][k];
    return sum;
}

void pal_haptic_rows_couple(PalHapticRows *rows, const PalHapticBody *const bodies[2], bool local)
{
    int32_t first[2] = {0, 0}, filled = 0;
    float *sums = rows->residual;
    memset(sums, 0, (size_t)rows->row_count * sizeof *sums);
    for (int32_t row = 0; row < rows->row_count; ++row) {
        for (int32_t s = 0; s < 2; ++s)
            first[s] = spread_row(rows, s, bodies[s], row, first[s]);
        rows->near_start[row] = filled;
        float own = own_modes(rows, row) + sums[row];
        rows->diagonal[row] = own > 0 ? own * (1 + SOFTER) : 1.0F;
        for (int32_t other = 0; other < rows->row_count; ++other) {
            if (sums[other] == 0)
                continue;
            if (filled == rows->near_max)
                rows->near_full = true;
            else if (local || other == row) {
                rows->near_row[filled] = other;
                rows->near_value[filled++] = sums[other];
            }
            sums[other] = 0;
        }
    }
    rows->near_start[rows->row_count] = filled;
}
