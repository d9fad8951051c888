// Few rows: W as a matrix, sweeps of Gauss-Seidel, and the equations of the rows that are between
// their bounds solved directly. Many rows: sweeps over J itself, with directions that are
// conjugate as long as the bounds let them (nonsmooth conjugate gradients).
#include "math/lanes.h"
#include "reduced/haptic_lanes.h"
#include "reduced/haptic_rows.h"

#include <math.h>
#include <string.h>

#define ROUNDS       8   // of direct solutions
#define READY_SWEEPS 10  // after one whose factor was ready

static float clip(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

static void sum_forces(PalHapticRows *rows, const float *force)
{
    memset(rows->sum, 0, (size_t)rows->width * sizeof(float));
    pal_rows_add(rows->modes, force, rows->row_count, rows->width, rows->sum);
}

PAL_CLONES static double sweep_matrix(PalHapticRows *rows)
{
    int32_t n = rows->row_count, line = pal_haptic_line(n);
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

typedef double Four __attribute__((vector_size(32)));

static inline Four four(const double *from)
{
    Four value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline double four_sum(Four a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

// own . other[j], j of four rows that are `count` apart, over `size` numbers: a multiple of 4.
static inline void four_dots(const double *own, const double *other, int32_t count, int32_t size,
                             double sums[4])
{
    const double *b = other + count, *c = b + count, *d = c + count;
    Four sa = {0}, sb = {0}, sc = {0}, sd = {0};
    for (int32_t k = 0; k < size; k += 4) {
        Four x = four(own + k);
        sa += x * four(other + k), sb += x * four(b + k);
        sc += x * four(c + k), sd += x * four(d + k);
    }
    sums[0] = four_sum(sa), sums[1] = four_sum(sb), sums[2] = four_sum(sc), sums[3] = four_sum(sd);
}

// Lines of the factor are filled up to a multiple of 4.
static int32_t factor_line(int32_t count)
{
    return (count + 3) & ~3;
}

// Cholesky's factor of the rows in `active`, four columns at a time. False: not definite.
PAL_CLONES static bool factor_active(PalHapticRows *rows, int32_t count)
{
    int32_t line = pal_haptic_line(rows->row_count), pitch = factor_line(count);
    double *factor = rows->factor;
    for (int32_t i = 0; i < count; ++i) {
        double *own = factor + (int64_t)i * pitch;
        const float *values = rows->matrix + (int64_t)rows->active[i] * line;
        for (int32_t first = 0; first <= i; first += 4) {
            double sums[4];
            const double *others = factor + (int64_t)first * pitch;
            four_dots(own, others, pitch, first, sums);
            for (int32_t j = first; j < first + 4 && j <= i; ++j) {
                const double *other = factor + (int64_t)j * pitch;
                double sum = (double)values[rows->active[j]] - sums[j - first];
                for (int32_t k = first; k < j; ++k)
                    sum -= own[k] * other[k];
                if (i == j && !(sum > 0))
                    return false;
                own[j] = i == j ? sqrt(sum) : sum / other[j];
            }
        }
    }
    return true;
}

// Forward and back, in `right`.
PAL_CLONES static void substitute(PalHapticRows *rows, int32_t count)
{
    int32_t pitch = factor_line(count);
    double *x = rows->right;
    for (int32_t i = 0; i < count; ++i) {
        const double *own = rows->factor + (int64_t)i * pitch;
        Four sum = {0};
        int32_t k = 0;
        for (; k + 4 <= i; k += 4)
            sum += four(own + k) * four(x + k);
        double left = x[i] - four_sum(sum);
        for (; k < i; ++k)
            left -= own[k] * x[k];
        x[i] = left / own[i];
    }
    for (int32_t i = count; i-- > 0;) {
        const double *own = rows->factor + (int64_t)i * pitch;
        double value = x[i] /= own[i];
        int32_t k = 0;
        for (; k + 4 <= i; k += 4) {
            Four less = four(x + k) - four(own + k) * value;
            memcpy(x + k, &less, sizeof less);
        }
        for (; k < i; ++k)
            x[k] -= own[k] * value;
    }
}

// Balances the rows in `active`, whose factor is known; the others keep their force. True: all
// are between their bounds.
PAL_CLONES static bool balance_active(PalHapticRows *rows)
{
    int32_t n = rows->row_count, line = pal_haptic_line(n);
    float *others = rows->direction;  // forces of those that are not active
    memcpy(others, rows->force, (size_t)n * sizeof *others);
    memset(others + n, 0, (size_t)(line - n) * sizeof *others);
    for (int32_t i = 0; i < rows->active_count; ++i)
        others[rows->active[i]] = 0;
    for (int32_t i = 0; i < rows->active_count; ++i) {
        int32_t row = rows->active[i];
        const float *values = rows->matrix + (int64_t)row * line;
        rows->right[i] = -(double)(rows->gap[row] + pal_lanes_dot(values, others, line));
    }
    substitute(rows, rows->active_count);
    bool inside = true;
    for (int32_t i = 0; i < rows->active_count; ++i) {
        int32_t row = rows->active[i];
        float now = clip((float)rows->right[i], rows->low[row], rows->high[row]);
        inside = inside && (double)now == (double)(float)rows->right[i];
        rows->force[row] = now;
    }
    return inside;
}

// Rows between their bounds balance exactly. True: nothing to change.
static bool polish(PalHapticRows *rows)
{
    rows->active_count = 0;
    for (int32_t row = 0; row < rows->row_count; ++row)
        if (rows->force[row] > rows->low[row] && rows->force[row] < rows->high[row])
            rows->active[rows->active_count++] = row;
    rows->factored = factor_active(rows, rows->active_count);
    return rows->factored && balance_active(rows);
}

static bool is_late(const PalHapticRows *rows)
{
    return rows->late != NULL && rows->late(rows->context);
}

static void sweep_some(PalHapticRows *rows, int32_t count, double tolerance)
{
    for (int32_t i = 0; i < count && rows->change > tolerance; ++i) {
        rows->change = sweep_matrix(rows);
        ++rows->sweeps;
    }
}

// Sweeps find out which rows carry force, and these are balanced directly, in turn.
static void solve_matrix(PalHapticRows *rows, int32_t sweeps, double tolerance)
{
    for (int round = 0; round < ROUNDS && rows->change > tolerance; ++round) {
        sweep_some(rows, 3, tolerance);
        if (is_late(rows))
            return;
        if (rows->change > tolerance)
            polish(rows);
    }
    sweep_some(rows, sweeps - rows->sweeps, tolerance);
}

static void begin_matrix(PalHapticRows *rows)
{
    for (int32_t row = rows->row_count; row < pal_haptic_line(rows->row_count); ++row)
        rows->force[row] = 0;
    for (int32_t row = 0; row < rows->row_count; ++row)
        rows->force[row] = clip(rows->force[row], rows->low[row], rows->high[row]);
    rows->sweeps = 0;
    rows->change = 1;
}

// With the factor of rows that were expected to carry force, sweeps are few.
static void solve_ready(PalHapticRows *rows, int32_t sweeps, double tolerance)
{
    balance_active(rows);
    sweep_some(rows, rows->row_count <= PAL_HAPTIC_FEW ? 3 : READY_SWEEPS, tolerance);
    if (rows->change > tolerance && rows->row_count <= PAL_HAPTIC_FEW)
        solve_matrix(rows, sweeps, tolerance);
}

void pal_haptic_rows_expect(PalHapticRows *rows, double tolerance)
{
    if (rows->row_count == 0 || rows->row_count > PAL_HAPTIC_DENSE)
        return;
    begin_matrix(rows);
    for (int round = 0; round < ROUNDS; ++round) {
        rows->change = 1;
        sweep_some(rows, 2, 0);
        if (is_late(rows))
            break;
        bool same = rows->change <= tolerance;
        if (polish(rows) && same)
            break;
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
    if (rows->row_count > PAL_HAPTIC_DENSE) {
        for (int32_t row = 0; row < rows->row_count; ++row)
            rows->force[row] = clip(rows->force[row], rows->low[row], rows->high[row]);
        solve_sweeps(rows, sweeps, tolerance, plain);
    } else {
        begin_matrix(rows);
        if (rows->factored)
            solve_ready(rows, sweeps, tolerance);
        else
            solve_matrix(rows, sweeps, tolerance);
        sum_forces(rows, rows->force);
    }
    rows->summed = true;
}
