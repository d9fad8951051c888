// Few rows: W as a matrix, sweeps of Gauss-Seidel, and the equations of the rows that are between
// their bounds solved directly. Many rows: sweeps over J itself, with directions that are
// conjugate as long as the bounds let them (nonsmooth conjugate gradients).
#include "math/lanes.h"
#include "reduced/haptic_lanes.h"
#include "reduced/haptic_rows.h"

#include <math.h>
#include <string.h>

#define ROUNDS 8  // of direct solutions

static float clip(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

static void sum_forces(PalHapticRows *rows, const float *force)
{
    memset(rows->sum, 0, (size_t)rows->width * sizeof(float));
    pal_rows_add(rows->modes, force, rows->row_count, rows->width, rows->sum);
}

// Lines of the matrix are filled up with zeros to a multiple of 8.
static int32_t line_of(int32_t count)
{
    return (count + 7) & ~7;
}

void pal_haptic_rows_fill(PalHapticRows *rows)
{
    int32_t n = rows->row_count, line = line_of(n);
    if (n > PAL_HAPTIC_DENSE)
        return;
    memset(rows->matrix, 0, (size_t)n * (size_t)line * sizeof(float));
    pal_rows_gram(rows->modes, n, rows->width, rows->matrix, line);
    for (int32_t row = 0; row < n; ++row) {
        float *values = rows->matrix + (int64_t)row * line;
        for (int32_t i = rows->near_start[row]; i < rows->near_start[row + 1]; ++i)
            values[rows->near_row[i]] += rows->near_value[i];
        values[row] = rows->diagonal[row];
    }
    for (int32_t row = 0; row < n; ++row)
        for (int32_t other = row + 1; other < n; ++other)
            rows->matrix[(int64_t)row * line + other] = rows->matrix[(int64_t)other * line + row];
}

PAL_CLONES static double sweep_matrix(PalHapticRows *rows)
{
    int32_t n = rows->row_count, line = line_of(n);
    float change = 0, most = 0;
    for (int32_t row = 0; row < n; ++row) {
        float old = rows->force[row];
        float rate =
            rows->gap[row] + pal_lanes_dot(rows->matrix + (int64_t)row * line, rows->force, line);
        float now = clip(old - rate / rows->diagonal[row], rows->low[row], rows->high[row]);
        rows->force[row] = now;
        change = fmaxf(change, fabsf(now - old));
        most = fmaxf(most, fabsf(now));
    }
    return most > 0 ? (double)change / (double)most : 0;
}

// sum - a . b
PAL_CLONES static double less(double sum, const double *a, const double *b, int32_t count)
{
    typedef double Four __attribute__((vector_size(32)));
    Four first = {0}, second = {0};
    int32_t k = 0;
    for (; k + 8 <= count; k += 8) {
        Four x[2], y[2];
        memcpy(x, a + k, sizeof x);
        memcpy(y, b + k, sizeof y);
        first += x[0] * y[0];
        second += x[1] * y[1];
    }
    first += second;
    sum -= (first[0] + first[1]) + (first[2] + first[3]);
    for (; k < count; ++k)
        sum -= a[k] * b[k];
    return sum;
}

// Cholesky's factor of the rows in `active`, and the solution in `right`. False: not definite.
static bool solve_active(PalHapticRows *rows, int32_t count)
{
    double *factor = rows->factor, *x = rows->right;
    int32_t line = line_of(rows->row_count);
    for (int32_t i = 0; i < count; ++i) {
        double *own = factor + (int64_t)i * count;
        const float *values = rows->matrix + (int64_t)rows->active[i] * line;
        for (int32_t j = 0; j <= i; ++j) {
            const double *other = factor + (int64_t)j * count;
            double sum = less((double)values[rows->active[j]], own, other, j);
            if (i == j && !(sum > 0))
                return false;
            own[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    }
    for (int32_t i = 0; i < count; ++i)
        x[i] = less(x[i], factor + (int64_t)i * count, x, i) / factor[(int64_t)i * count + i];
    for (int32_t i = count; i-- > 0;) {
        x[i] /= factor[(int64_t)i * count + i];
        for (int32_t k = 0; k < i; ++k)
            x[k] -= factor[(int64_t)i * count + k] * x[i];
    }
    return true;
}

static double rate_of(const PalHapticRows *rows, int32_t row, const float *force)
{
    const float *values = rows->matrix + (int64_t)row * line_of(rows->row_count);
    double sum = (double)rows->gap[row];
    for (int32_t other = 0; other < rows->row_count; ++other)
        sum += (double)values[other] * (double)force[other];
    return sum;
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

static bool is_late(const PalHapticRows *rows)
{
    return rows->late != NULL && rows->late(rows->context);
}

static void solve_matrix(PalHapticRows *rows, int32_t sweeps, double tolerance)
{
    for (int32_t row = rows->row_count; row < line_of(rows->row_count); ++row)
        rows->force[row] = 0;
    rows->sweeps = 0;
    rows->change = 1;
    for (int round = 0; round < ROUNDS && rows->change > tolerance; ++round) {
        for (int i = 0; i < 3 && rows->change > tolerance && rows->sweeps < sweeps; ++i) {
            rows->change = sweep_matrix(rows);
            ++rows->sweeps;
        }
        if (is_late(rows))
            return;
        if (rows->change > tolerance)
            polish(rows);
    }
    while (rows->change > tolerance && rows->sweeps < sweeps) {
        rows->change = sweep_matrix(rows);
        ++rows->sweeps;
    }
}

// ---- many rows ----------------------------------------------------------------------------

PAL_CLONES static double sweep(PalHapticRows *rows)
{
    float change = 0, most = 0;
    int32_t width = rows->width;
    for (int32_t row = 0; row < rows->row_count; ++row) {
        const float *j = rows->modes + (int64_t)row * width;
        float old = rows->force[row];
        float rate = rows->gap[row] + pal_lanes_dot(j, rows->sum, width);
        float local = rows->beyond[row] * old;
        for (int32_t i = rows->full_start[row]; i < rows->full_start[row + 1]; ++i)
            local += rows->full_value[i] * rows->force[rows->full_row[i]];
        float now =
            clip(old - (rate + local) / rows->diagonal[row], rows->low[row], rows->high[row]);
        float step = now - old;
        change = fmaxf(change, fabsf(step));
        most = fmaxf(most, fabsf(now));
        if (step == 0)
            continue;
        rows->force[row] = now;
        pal_lanes_add(j, step, rows->sum, width);
    }
    return most > 0 ? (double)change / (double)most : 0;
}

// Sweeps with memory (Silcowitz, Niebe and Erleben 2010): what a sweep changes is a gradient.
static void solve_sweeps(PalHapticRows *rows, int32_t sweeps, double tolerance, bool plain)
{
    int32_t n = rows->row_count;
    float *before = rows->residual, *direction = rows->direction;
    double last = 0;
    memset(direction, 0, (size_t)n * sizeof *direction);
    if (!rows->summed)
        sum_forces(rows, rows->force);
    rows->change = 1;
    for (rows->sweeps = 0; rows->sweeps < sweeps && rows->change > tolerance; ++rows->sweeps) {
        if (rows->sweeps > 0 && is_late(rows))
            return;
        memcpy(before, rows->force, (size_t)n * sizeof *before);
        rows->change = sweep(rows);
        double now = 0;
        for (int32_t row = 0; row < n; ++row) {
            double step = (double)rows->force[row] - (double)before[row];
            now += step * step;
        }
        double share = last > 0 ? now / last : 0;
        last = now;
        if (plain || rows->sweeps == 0 || share > 1 || rows->sweeps + 1 == sweeps) {
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
        sum_forces(rows, rows->force);
    }
}

void pal_haptic_rows_solve(PalHapticRows *rows, int32_t sweeps, double tolerance, bool plain)
{
    for (int32_t row = 0; row < rows->row_count; ++row)
        rows->force[row] = clip(rows->force[row], rows->low[row], rows->high[row]);
    if (rows->row_count > PAL_HAPTIC_DENSE) {
        solve_sweeps(rows, sweeps, tolerance, plain);
    } else {
        solve_matrix(rows, sweeps, tolerance);
        sum_forces(rows, rows->force);
    }
    rows->summed = true;
}
