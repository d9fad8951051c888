// g = sum V w B' P(I + B q) over the sampled cells. The tangent K = sum V w B' A B is summed cell
// by cell, factored row by row and inverted row by row, some of it in each step, and used when it
// is complete: any T gives the same balance in the end, a good one gives it sooner.
#include "reduced/haptic_balance.h"

#include "base/memory.h"
#include "material/law.h"
#include "math/mat3.h"
#include "reduced/haptic_lanes.h"
#include <math.h>
#include <string.h>

#define GLIDE       0.15F  // of the way to the newest q*, in a step
#define STIFFER     0.1    // than the law by this part, and the stiffness at rest takes its place
#define MOSTLY_LAW  0.3    // beyond, the tangent at rest is the better one
#define LEAST_PIVOT 0.05   // softer than this part of what it was at rest: no tangent to go by

enum { PHASE_START, PHASE_SUM, PHASE_FACTOR, PHASE_INVERT };

static double longest_of(const PalVademecum *book)
{
    double most = 0;
    int64_t loads =
        (int64_t)book->size.site_count * book->size.direction_count * book->size.level_count;
    for (int64_t i = 0; i < loads && book->coefficient != NULL; ++i) {
        const float *row = book->coefficient + i * book->size.stride;
        double sum = 0;
        for (int32_t k = 0; k < book->size.mode_count; ++k)
            sum += (double)row[k] * (double)row[k];
        most = fmax(most, sqrt(sum));
    }
    return most;
}

static void reset_turn(PalHapticBalance *balance)
{
    size_t stride = (size_t)balance->stride;
    memset(balance->turn, 0, stride * stride * sizeof(float));
    for (size_t k = 0; k < stride; ++k)
        balance->turn[k * stride + k] = 1;
    balance->turned = false;
}

PalStatus pal_haptic_balance_init(PalHapticBalance *balance, const PalVademecum *book,
                                  PalError *error)
{
    *balance = (PalHapticBalance){0};
    if (book == NULL || book->size.sample_count == 0 || book->size.mode_count == 0)
        return PAL_OK;
    size_t stride = (size_t)book->size.stride;
    balance->used = true;
    balance->stride = book->size.stride;
    balance->mode_count = book->size.mode_count;
    balance->reach = fmax(book->facts.reach, longest_of(book));
    balance->star = pal_alloc(stride, sizeof(float));
    balance->goal = pal_alloc(stride, sizeof(float));
    balance->pull = pal_alloc(stride, sizeof(float));
    balance->at = pal_alloc(stride, sizeof(float));
    balance->inner = pal_alloc(stride, sizeof(float));
    balance->next_at = pal_alloc(stride, sizeof(float));
    balance->next_inner = pal_alloc(stride, sizeof(float));
    balance->turn = pal_alloc(stride * stride, sizeof(float));
    balance->q = pal_alloc(stride, sizeof(float));
    balance->turn_at = pal_alloc(stride, sizeof(float));
    balance->correction = pal_alloc(stride, sizeof(float));
    balance->tangent = pal_alloc(stride * stride, sizeof(float));
    balance->inverse = pal_alloc(stride * stride, sizeof(float));
    balance->product = pal_alloc(9 * stride, sizeof(float));
    if (balance->inner == NULL || balance->turn == NULL || balance->q == NULL ||
        balance->tangent == NULL || balance->inverse == NULL || balance->product == NULL ||
        balance->star == NULL || balance->at == NULL || balance->pull == NULL ||
        balance->goal == NULL || balance->turn_at == NULL || balance->correction == NULL ||
        balance->next_at == NULL || balance->next_inner == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a tangent");
    reset_turn(balance);
    balance->part = 1;
    return pal_subspace_init(book, &balance->space, error);
}

void pal_haptic_balance_clear(PalHapticBalance *balance)
{
    if (balance->used)
        pal_subspace_clear(&balance->space);
    pal_free(balance->star);
    pal_free(balance->goal);
    pal_free(balance->pull);
    pal_free(balance->at);
    pal_free(balance->inner);
    pal_free(balance->next_at);
    pal_free(balance->next_inner);
    pal_free(balance->turn);
    pal_free(balance->q);
    pal_free(balance->turn_at);
    pal_free(balance->correction);
    pal_free(balance->tangent);
    pal_free(balance->inverse);
    pal_free(balance->product);
    *balance = (PalHapticBalance){0};
}

static bool deform(const PalHapticBalance *balance, int32_t cell, const float *q, PalMat3 *F)
{
    float sums[9];
    pal_rows_dot(balance->space.rows + (int64_t)cell * 9 * balance->stride, 9, balance->stride, q,
                 sums);
    for (int a = 0; a < 9; ++a)
        F->m[a / 3][a % 3] = (double)sums[a] + (a % 4 == 0 ? 1 : 0);
    return pal_mat3_determinant(F) > 0;
}

static bool add_forces(PalHapticBalance *balance, int32_t s)
{
    const PalSubspace *space = &balance->space;
    const PalMaterialDef *material = space->material[s];
    PalMat3 F, P;
    if (!deform(balance, s, balance->next_at, &F))
        return false;
    material->law->total_ref(material->parameters, &F, &P);
    float parts[9];
    for (int a = 0; a < 9; ++a)
        parts[a] = (float)(space->volume[s] * P.m[a / 3][a % 3]);
    pal_rows_add(space->rows + (int64_t)s * 9 * balance->stride, parts, 9, balance->stride,
                 balance->next_inner);
    return true;
}

static bool is_nearer(const PalHapticBalance *balance, const float *q)
{
    float to_rest = 0, to_tangent = 0;
    for (int32_t k = 0; k < balance->mode_count; ++k) {
        float step = q[k] - balance->turn_at[k];
        to_rest += q[k] * q[k];
        to_tangent += step * step;
    }
    return to_tangent < to_rest;
}

// A tangent of a moment ago overshoots where the body has become stiffer: when corrections turn to
// and fro, only a part of them is taken.
static float part_of(PalHapticBalance *balance, const float *newton, bool same)
{
    float along = 0;
    for (int32_t k = 0; k < balance->mode_count; ++k) {
        float correction = newton[k] - balance->goal[k];
        along += correction * balance->correction[k];
        balance->correction[k] = correction;
    }
    if (!same || !balance->known)
        return balance->part = 1;
    balance->part *= along < 0 ? 0.5F : 1.25F;
    balance->part = balance->part > 1 ? 1 : balance->part < 0.1F ? 0.1F : balance->part;
    return balance->part;
}

// into = K^-1 force
static void soften(PalHapticBalance *balance, const float *force, float *into)
{
    if (!balance->turned) {
        memcpy(into, force, (size_t)balance->stride * sizeof(float));
        return;
    }
    pal_haptic_balance_turn(balance, force, balance->product);
    pal_haptic_balance_turn_back(balance, balance->product, into);
}

void pal_haptic_balance_push(PalHapticBalance *balance, const float *push)
{
    float *change = balance->product + (int64_t)2 * balance->stride;
    float *moved = balance->product + balance->stride;
    if (!balance->used)
        return;
    for (int32_t k = 0; k < balance->stride; ++k) {
        change[k] = push != NULL ? push[k] : -balance->pull[k];
        balance->pull[k] += change[k];
    }
    soften(balance, change, moved);
    for (int32_t k = 0; k < balance->stride; ++k) {
        balance->star[k] += moved[k];
        balance->goal[k] += moved[k];
    }
}

// With another K^-1, q* is another one for the same q and forces.
void pal_haptic_balance_glide(PalHapticBalance *balance, const double *q, const float *load)
{
    if (balance->switched) {
        float *moved = balance->product + balance->stride;
        soften(balance, load, moved);
        for (int32_t k = 0; k < balance->stride; ++k)
            balance->star[k] = k < balance->mode_count ? (float)q[k] - moved[k] : 0;
        balance->switched = false;
    }
    for (int32_t k = 0; k < balance->stride; ++k)
        balance->star[k] += GLIDE * (balance->goal[k] - balance->star[k]);
}

static double step_up(double way)
{
    way = fmin(1, fmax(0, way));
    return way * way * (3 - 2 * way);
}

// The law is not known far beyond what was learnt. Toward the bound of coefficients, where the
// stiffness at rest is all there is, that takes the law's place by and by, where it is the stiffer
// one: so nothing jumps there, and the way back is the way there. Where it is the softer one forces
// would fall on the way, and neither way were the other.
static double linear_part(const PalHapticBalance *balance)
{
    const double from = PAL_HAPTIC_LINEAR_FROM, to = PAL_HAPTIC_MODES_MOST;
    double square = 0, work = 0;
    for (int32_t k = 0; k < balance->mode_count; ++k) {
        square += (double)balance->at[k] * (double)balance->at[k];
        work += (double)balance->at[k] * (double)balance->inner[k];
    }
    if (!(square > 0))
        return 0;
    return step_up((sqrt(square) / balance->reach - from) / (to - from)) *
           step_up((1 - work / square) / STIFFER);
}

static void find_star(PalHapticBalance *balance, bool same)
{
    float *newton = balance->product + balance->stride;
    balance->linear = linear_part(balance);
    bool turned = balance->ready && is_nearer(balance, balance->at) && balance->linear < MOSTLY_LAW;
    balance->switched = balance->switched || turned != balance->turned || (turned && !same);
    same = same && turned == balance->turned;
    balance->turned = turned;
    float *left = balance->product + (int64_t)2 * balance->stride;
    for (int32_t k = 0; k < balance->stride; ++k)
        left[k] = (float)(1 - balance->linear) * balance->inner[k] +
                  (float)balance->linear * balance->at[k] - balance->pull[k];
    soften(balance, left, newton);
    for (int32_t k = 0; k < balance->stride; ++k)
        newton[k] = balance->at[k] - newton[k];
    float part = part_of(balance, newton, same);
    for (int32_t k = 0; k < balance->stride; ++k)
        balance->goal[k] += part * (newton[k] - balance->goal[k]);
    balance->known = true;
}

void pal_haptic_balance_rest(PalHapticBalance *balance)
{
    if (!balance->used)
        return;
    memset(balance->star, 0, (size_t)balance->stride * sizeof(float));
    memset(balance->goal, 0, (size_t)balance->stride * sizeof(float));
    memset(balance->pull, 0, (size_t)balance->stride * sizeof(float));
    balance->known = balance->turned = balance->inverted = false;
    balance->linear = 0;
    balance->next_cell = 0;
    balance->part = 1;
}

void pal_haptic_balance_reset(PalHapticBalance *balance)
{
    balance->beyond = false;
    if (!balance->used)
        return;
    pal_haptic_balance_rest(balance);
    memset(balance->correction, 0, (size_t)balance->stride * sizeof(float));
    balance->ready = balance->switched = false;
    balance->phase = PHASE_START;
}

bool pal_haptic_balance_advance(PalHapticBalance *balance, const float *q, int32_t operations)
{
    size_t bytes = (size_t)balance->stride * sizeof(float);
    int32_t count = balance->space.book->size.sample_count;
    if (balance->next_cell == 0) {
        memcpy(balance->next_at, q, bytes);
        memset(balance->next_inner, 0, bytes);
    }
    for (int32_t done = 0; done < operations && balance->next_cell < count;
         done += 18 * balance->stride)
        if (!add_forces(balance, balance->next_cell++)) {
            balance->inverted = true;
            balance->next_cell = 0;
            return false;
        }
    if (balance->next_cell < count)
        return false;
    balance->next_cell = 0;
    balance->inverted = false;
    memcpy(balance->at, balance->next_at, bytes);
    memcpy(balance->inner, balance->next_inner, bytes);
    find_star(balance, true);
    return true;
}

static bool add_cell(PalHapticBalance *balance, int32_t s)
{
    const PalSubspace *space = &balance->space;
    const PalMaterialDef *material = space->material[s];
    int32_t stride = balance->stride;
    const float *rows = space->rows + (int64_t)s * 9 * stride;
    PalMat3 F;
    double A[9][9] = {{0}};
    if (!deform(balance, s, balance->q, &F))
        return false;
    material->law->tangent(material->parameters, &F, A);
    memset(balance->product, 0, (size_t)stride * 9 * sizeof(float));
    for (int a = 0; a < 9; ++a) {
        float factors[9];
        for (int b = 0; b < 9; ++b)
            factors[b] = (float)(space->volume[s] * A[a][b]);
        pal_rows_add(rows, factors, 9, stride, balance->product + (int64_t)a * stride);
    }
    for (int32_t i = 0; i < balance->mode_count; ++i) {
        float factors[9];
        for (int a = 0; a < 9; ++a)
            factors[a] = rows[(int64_t)a * stride + i];
        const float *by[9];
        for (int a = 0; a < 9; ++a)
            by[a] = balance->product + (int64_t)a * stride;
        pal_rows_accumulate(by, factors, 9, (i + 8) & ~7, balance->tangent + (int64_t)i * stride);
    }
    return true;
}

// Row i of Cholesky's factor. False: not definite.
static bool factor_row(PalHapticBalance *balance, int32_t i)
{
    int32_t stride = balance->stride;
    float *row = balance->tangent + (int64_t)i * stride;
    for (int32_t j = 0; j <= i; ++j) {
        const float *other = balance->tangent + (int64_t)j * stride;
        double sum = (double)row[j];
        for (int32_t k = 0; k < j; ++k)
            sum -= (double)row[k] * (double)other[k];
        if (j == i && !(sum > LEAST_PIVOT))
            return false;
        row[j] = (float)(j == i ? sqrt(sum) : sum / (double)other[j]);
    }
    for (int32_t k = i + 1; k < stride; ++k)
        row[k] = 0;
    return true;
}

// Row i of its inverse, from the rows above.
static void invert_row(PalHapticBalance *balance, int32_t i)
{
    int32_t stride = balance->stride;
    const float *row = balance->tangent + (int64_t)i * stride;
    float *into = balance->inverse + (int64_t)i * stride;
    float scale = 1 / row[i];
    memset(into, 0, (size_t)stride * sizeof *into);
    pal_rows_add(balance->inverse, row, i, stride, into);
    for (int32_t k = 0; k < i; ++k)
        into[k] *= -scale;
    into[i] = scale;
}

static void begin(PalHapticBalance *balance, const float *q)
{
    size_t stride = (size_t)balance->stride;
    memcpy(balance->q, q, stride * sizeof(float));
    memset(balance->tangent, 0, stride * stride * sizeof(float));
    balance->phase = PHASE_SUM;
    balance->next = 0;
}

static void finish(PalHapticBalance *balance)
{
    float *old = balance->turn;
    balance->turn = balance->inverse;
    balance->inverse = old;
    memcpy(balance->turn_at, balance->q, (size_t)balance->stride * sizeof(float));
    balance->ready = true;
    balance->phase = PHASE_START;
    if (balance->known)
        find_star(balance, false);
}

void pal_haptic_balance_follow(PalHapticBalance *balance, const float *q, int32_t operations)
{
    int32_t r = balance->mode_count, done = 0;
    if (balance->phase == PHASE_START)
        begin(balance, q);
    while (done < operations && balance->phase != PHASE_START) {
        bool sound = true;
        int32_t i = balance->next++, end = r;
        if (balance->phase == PHASE_SUM) {
            sound = add_cell(balance, i);
            done += 81 * r + 5 * r * r;
            end = balance->space.book->size.sample_count;
        } else if (balance->phase == PHASE_FACTOR) {
            sound = factor_row(balance, i);
            done += 2 * i * i;
        } else {
            invert_row(balance, i);
            done += i * r;
        }
        if (!sound)
            balance->phase = PHASE_START;  // the old one stays
        else if (balance->next == end && balance->phase == PHASE_INVERT)
            finish(balance);
        else if (balance->next == end) {
            ++balance->phase;
            balance->next = 0;
        }
    }
}

void pal_haptic_balance_turn(const PalHapticBalance *balance, const float *x, float *into)
{
    memset(into, 0, (size_t)balance->stride * sizeof *into);
    pal_rows_dot(balance->turn, balance->mode_count, balance->stride, x, into);
}

void pal_haptic_balance_turn_back(const PalHapticBalance *balance, const float *x, float *into)
{
    memset(into, 0, (size_t)balance->stride * sizeof *into);
    pal_rows_add(balance->turn, x, balance->mode_count, balance->stride, into);
}
