// Few rows: W as a matrix. Without friction, block principal pivoting (Judice and Pires 1994)
// mostly finds the rows that carry force in a few rounds; where it does not, and with friction,
// sweeps of Gauss-Seidel and direct solutions of the rows that are between their bounds do, in
// turn. Many rows: sweeps over J itself, with directions that are conjugate as long as the bounds
// let them (nonsmooth conjugate gradients).
#include "math/lanes.h"
#include "reduced/haptic_lanes.h"
#include "reduced/haptic_rows.h"

#include <math.h>
#include <string.h>

#define ROUNDS       32     // of direct solutions
#define PIVOTS       12     // of these without friction
#define CHANCES      3      // rounds in which as many rows may be wrong as before
#define LITTLE       1e-6F  // of the largest force: not wrong
#define READY_SWEEPS 10     // after one whose factor was ready

static float clip(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

static void sum_forces(PalHapticRows *rows, const float *force)
{
    memset(rows->sum, 0, (size_t)rows->width * sizeof(float));
    pal_rows_add(rows->modes, force, rows->row_count, rows->width, rows->sum);
}

void pal_haptic_rows_sum(PalHapticRows *rows)
{
    if (!rows->summed)
        sum_forces(rows, rows->force);
    rows->summed = true;
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

// Forces that balance the rows in `active`, whose factor is known, in `right`; the others keep
// theirs.
PAL_CLONES static void solve_beside(PalHapticRows *rows)
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
}

// Balances the rows in `active`, as far as their bounds let them.
static void balance_active(PalHapticRows *rows)
{
    solve_beside(rows);
    for (int32_t i = 0; i < rows->active_count; ++i) {
        int32_t row = rows->active[i];
        rows->force[row] = clip((float)rows->right[i], rows->low[row], rows->high[row]);
    }
}

// Rows between their bounds balance exactly, or go on the way to that until the first comes to its
// bound: what is solved for gets better in any case, so that no set of rows comes twice. True:
// they balance.
static bool polish(PalHapticRows *rows)
{
    rows->active_count = 0;
    for (int32_t row = 0; row < rows->row_count; ++row)
        if (rows->force[row] > rows->low[row] && rows->force[row] < rows->high[row])
            rows->active[rows->active_count++] = row;
    rows->factored = factor_active(rows, rows->active_count);
    if (!rows->factored)
        return false;
    solve_beside(rows);
    double part = 1;
    int32_t first = PAL_NONE;
    for (int32_t i = 0; i < rows->active_count; ++i) {
        int32_t row = rows->active[i];
        double old = (double)rows->force[row], way = rows->right[i] - old;
        double most = way < 0 ? (double)rows->low[row] - old : (double)rows->high[row] - old;
        if (fabs(way) * part > fabs(most)) {
            part = most / way;
            first = row;
        }
    }
    for (int32_t i = 0; i < rows->active_count; ++i) {
        int32_t row = rows->active[i];
        double old = (double)rows->force[row], now = old + part * (rows->right[i] - old);
        rows->force[row] = clip((float)now, rows->low[row], rows->high[row]);
        if (row == first)
            rows->force[row] = rows->right[i] < old ? rows->low[row] : rows->high[row];
    }
    return first == PAL_NONE;
}

static bool is_late(const PalHapticRows *rows)
{
    return rows->late != NULL && rows->late(rows->context);
}

// All rows push without a bound, as those of normals, or not at all.
static bool is_open(const PalHapticRows *rows)
{
    for (int32_t row = 0; row < rows->row_count; ++row)
        if (rows->low[row] < 0 || (rows->high[row] > 0 && rows->high[row] < INFINITY))
            return false;
    return true;
}

// Solves for the rows in `active` alone; the others have no force.
static bool solve_active(PalHapticRows *rows)
{
    rows->factored = factor_active(rows, rows->active_count);
    if (!rows->factored)
        return false;
    for (int32_t i = 0; i < rows->active_count; ++i)
        rows->right[i] = -(double)rows->gap[rows->active[i]];
    substitute(rows, rows->active_count);
    memset(rows->force, 0, (size_t)rows->row_count * sizeof *rows->force);
    for (int32_t i = 0; i < rows->active_count; ++i)
        rows->force[rows->active[i]] = (float)rows->right[i];
    return true;
}

// Lists rows that pull, and rows without force that would overlap.
PAL_CLONES static int32_t list_wrong(PalHapticRows *rows)
{
    int32_t n = rows->row_count, line = pal_haptic_line(n), count = 0;
    float most = 0;
    for (int32_t row = 0; row < n; ++row)
        most = fmaxf(most, fabsf(rows->force[row]));
    for (int32_t row = 0; row < n; ++row) {
        float little = LITTLE * most, now = rows->force[row];
        if (now == 0) {
            const float *values = rows->matrix + (int64_t)row * line;
            now = (rows->gap[row] + pal_lanes_dot(values, rows->force, line)) / rows->diagonal[row];
        }
        if (now < -little && rows->high[row] > 0)
            rows->wrong[count++] = row;
    }
    return count;
}

// All rows that are wrong change sides at once, as long as they get fewer. True: none is wrong.
static bool pivot(PalHapticRows *rows)
{
    int32_t n = rows->row_count, fewest = n + 1, chances = CHANCES, wrong = n;
    for (int32_t row = 0; row < n; ++row)
        rows->touched[row] = rows->force[row] > 0;
    for (int round = 0; round < PIVOTS && wrong > 0 && chances > 0; ++round) {
        rows->active_count = 0;
        for (int32_t row = 0; row < n; ++row)
            if (rows->touched[row])
                rows->active[rows->active_count++] = row;
        if (!solve_active(rows))
            return false;
        wrong = list_wrong(rows);
        chances = wrong < fewest ? CHANCES : chances - 1;
        fewest = wrong < fewest ? wrong : fewest;
        for (int32_t i = 0; i < wrong; ++i)
            rows->touched[rows->wrong[i]] = !rows->touched[rows->wrong[i]];
        if (round > 0 && is_late(rows))
            break;
    }
    for (int32_t row = 0; row < n; ++row)
        rows->force[row] = fmaxf(rows->force[row], 0);
    return wrong == 0;
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
    if (is_open(rows) && pivot(rows)) {
        rows->change = 0;
        return;
    }
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
    if (is_open(rows) && pivot(rows))
        return;
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
        rows->summed = true;
    } else {
        begin_matrix(rows);
        if (rows->factored)
            solve_ready(rows, sweeps, tolerance);
        else
            solve_matrix(rows, sweeps, tolerance);
        rows->summed = false;  // it is not needed to hand forces over
    }
}
