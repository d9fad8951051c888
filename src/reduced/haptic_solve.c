// Few rows: W as a matrix, sweeps of Gauss-Seidel, and the equations of the rows that are between
// their bounds solved directly. Many rows: sweeps over J itself, with directions that are
// conjugate as long as the bounds let them (nonsmooth conjugate gradients).
#include "reduced/haptic_lanes.h"
#include "reduced/haptic_rows.h"

#include <math.h>
#include <string.h>

#define ROUNDS 8  // of direct solutions

static float clip(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

static void sum_forces(PalHapticRows *rows, const float *force, float *const sum[2], float moved[6])
{
    for (int s = 0; s < 2; ++s) {
        memset(sum[s], 0, (size_t)rows->width[s] * sizeof(float));
        if (rows->width[s] > 0)
            pal_rows_add(rows->modes[s], force, rows->row_count, rows->width[s], sum[s]);
    }
    for (int k = 0; k < 6; ++k) {
        moved[k] = 0;
        for (int32_t row = 0; row < rows->row_count; ++row)
            moved[k] += rows->wrench[row][k] * force[row];
    }
}

static void fill_matrix(PalHapticRows *rows)
{
    int32_t n = rows->row_count;
    for (int32_t row = 0; row < n; ++row) {
        float *line = rows->matrix + (int64_t)row * n;
        memset(line, 0, (size_t)n * sizeof *line);
        for (int s = 0; s < 2; ++s) {
            int32_t width = rows->width[s];
            if (width == 0)
                continue;
            pal_rows_dot(rows->modes[s], row + 1, width, rows->modes[s] + (int64_t)row * width,
                         rows->direction);
            for (int32_t other = 0; other <= row; ++other)
                line[other] += rows->direction[other];
        }
        for (int32_t other = 0; other <= row; ++other)
            for (int k = 0; k < 6; ++k)
                line[other] += rows->wrench[row][k] * rows->wrench[other][k];
        for (int32_t i = rows->near_start[row]; i < rows->near_start[row + 1]; ++i)
            if (rows->near_row[i] <= row)
                line[rows->near_row[i]] += rows->near_value[i];
        line[row] = rows->diagonal[row];
    }
    for (int32_t row = 0; row < n; ++row)
        for (int32_t other = row + 1; other < n; ++other)
            rows->matrix[(int64_t)row * n + other] = rows->matrix[(int64_t)other * n + row];
}

static double rate_of(const PalHapticRows *rows, int32_t row, const float *force)
{
    const float *line = rows->matrix + (int64_t)row * rows->row_count;
    double sum = (double)rows->gap[row];
    for (int32_t other = 0; other < rows->row_count; ++other)
        sum += (double)line[other] * (double)force[other];
    return sum;
}

static double sweep_matrix(PalHapticRows *rows)
{
    double change = 0, most = 0;
    for (int32_t row = 0; row < rows->row_count; ++row) {
        double rate = rate_of(rows, row, rows->force);
        float old = rows->force[row];
        float now = clip((float)((double)old - rate / (double)rows->diagonal[row]), rows->low[row],
                         rows->high[row]);
        rows->force[row] = now;
        change = fmax(change, fabs((double)now - (double)old));
        most = fmax(most, fabs((double)now));
    }
    return most > 0 ? change / most : 0;
}

// Cholesky's factor of the rows in `active`, and the solution in `right`. False: not definite.
static bool solve_active(PalHapticRows *rows, int32_t count)
{
    double *factor = rows->factor, *x = rows->right;
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = 0; j <= i; ++j) {
            double sum =
                (double)rows->matrix[(int64_t)rows->active[i] * rows->row_count + rows->active[j]];
            for (int32_t k = 0; k < j; ++k)
                sum -= factor[i * count + k] * factor[j * count + k];
            if (i == j && !(sum > 0))
                return false;
            factor[i * count + j] = i == j ? sqrt(sum) : sum / factor[j * count + j];
        }
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t k = 0; k < i; ++k)
            x[i] -= factor[i * count + k] * x[k];
        x[i] /= factor[i * count + i];
    }
    for (int32_t i = count; i-- > 0;) {
        for (int32_t k = i + 1; k < count; ++k)
            x[i] -= factor[k * count + i] * x[k];
        x[i] /= factor[i * count + i];
    }
    return true;
}

// One round: rows between their bounds balance exactly, the others stay. True: nothing to change.
static bool polish(PalHapticRows *rows)
{
    int32_t n = rows->row_count, count = 0;
    for (int32_t row = 0; row < n; ++row) {
        float force = rows->force[row];
        bool between = force > rows->low[row] && force < rows->high[row];
        rows->direction[row] = between ? 0 : force;
        if (between)
            rows->active[count++] = row;
    }
    for (int32_t i = 0; i < count; ++i)
        rows->right[i] = -rate_of(rows, rows->active[i], rows->direction);
    if (count == 0 || !solve_active(rows, count))
        return count == 0;
    bool inside = true;
    for (int32_t i = 0; i < count; ++i) {
        int32_t row = rows->active[i];
        float now = clip((float)rows->right[i], rows->low[row], rows->high[row]);
        inside = inside && (double)now == (double)(float)rows->right[i];
        rows->force[row] = now;
    }
    return inside;
}

static void solve_matrix(PalHapticRows *rows, int32_t sweeps, double tolerance)
{
    fill_matrix(rows);
    rows->sweeps = 0;
    rows->change = 1;
    for (int round = 0; round < ROUNDS && rows->change > tolerance; ++round) {
        for (int i = 0; i < 3 && rows->change > tolerance && rows->sweeps < sweeps; ++i) {
            rows->change = sweep_matrix(rows);
            ++rows->sweeps;
        }
        if (rows->change > tolerance)
            polish(rows);
    }
    while (rows->change > tolerance && rows->sweeps < sweeps) {
        rows->change = sweep_matrix(rows);
        ++rows->sweeps;
    }
}

// ---- many rows ----------------------------------------------------------------------------

static float change_of_gap(const PalHapticRows *rows, int32_t row)
{
    float sum = rows->gap[row];
    for (int s = 0; s < 2; ++s) {
        float part = 0;
        if (rows->width[s] > 0)
            pal_rows_dot(rows->modes[s] + (int64_t)row * rows->width[s], 1, rows->width[s],
                         rows->sum[s], &part);
        sum += part;
    }
    for (int k = 0; k < 6; ++k)
        sum += rows->wrench[row][k] * rows->moved[k];
    for (int32_t i = rows->near_start[row]; i < rows->near_start[row + 1]; ++i)
        sum += rows->near_value[i] * rows->force[rows->near_row[i]];
    return sum;
}

static double sweep(PalHapticRows *rows)
{
    float change = 0, most = 0;
    for (int32_t row = 0; row < rows->row_count; ++row) {
        float rate = change_of_gap(rows, row), old = rows->force[row];
        float now = clip(old - rate / rows->diagonal[row], rows->low[row], rows->high[row]);
        float step = now - old;
        change = fmaxf(change, fabsf(step));
        most = fmaxf(most, fabsf(now));
        if (step == 0)
            continue;
        rows->force[row] = now;
        for (int s = 0; s < 2; ++s)
            if (rows->width[s] > 0)
                pal_rows_add(rows->modes[s] + (int64_t)row * rows->width[s], &step, 1,
                             rows->width[s], rows->sum[s]);
        for (int k = 0; k < 6; ++k)
            rows->moved[k] += rows->wrench[row][k] * step;
    }
    return most > 0 ? (double)change / (double)most : 0;
}

// Sweeps with memory (Silcowitz, Niebe and Erleben 2010): what a sweep changes is a gradient.
static void solve_sweeps(PalHapticRows *rows, int32_t sweeps, double tolerance)
{
    int32_t n = rows->row_count;
    float *before = rows->residual, *direction = rows->direction;
    double last = 0;
    memset(direction, 0, (size_t)n * sizeof *direction);
    sum_forces(rows, rows->force, rows->sum, rows->moved);
    rows->change = 1;
    for (rows->sweeps = 0; rows->sweeps < sweeps && rows->change > tolerance; ++rows->sweeps) {
        memcpy(before, rows->force, (size_t)n * sizeof *before);
        rows->change = sweep(rows);
        double now = 0;
        for (int32_t row = 0; row < n; ++row) {
            double step = (double)rows->force[row] - (double)before[row];
            now += step * step;
        }
        double share = last > 0 ? now / last : 0;
        last = now;
        if (rows->sweeps == 0 || share > 1 || rows->sweeps + 1 == sweeps) {
            for (int32_t row = 0; row < n; ++row)
                direction[row] = rows->force[row] - before[row];
            continue;
        }
        for (int32_t row = 0; row < n; ++row) {
            float step = rows->force[row] - before[row];
            float moved = clip(rows->force[row] + (float)share * direction[row], rows->low[row],
                               rows->high[row]);
            direction[row] = (float)share * direction[row] + step;
            rows->force[row] = moved;
        }
        sum_forces(rows, rows->force, rows->sum, rows->moved);
    }
}

void pal_haptic_rows_solve(PalHapticRows *rows, int32_t sweeps, double tolerance)
{
    for (int32_t row = 0; row < rows->row_count; ++row)
        rows->force[row] = clip(rows->force[row], rows->low[row], rows->high[row]);
    if (rows->row_count <= PAL_HAPTIC_DENSE)
        solve_matrix(rows, sweeps, tolerance);
    else
        solve_sweeps(rows, sweeps, tolerance);
    sum_forces(rows, rows->force, rows->sum, rows->moved);
}
