// Cells that stand for all: positive weights w such that  sum w_e Phi' f_e = sum Phi' f_e  in the
// shapes learnt (energy-conserving sampling and weighting, Farhat et al. 2014), found by
// non-negative least squares (Lawson and Hanson), several cells at a time.
// docs/theory/vademecum.md, 4
#include "reduced/build.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "element/geometry.h"
#include "material/law.h"
#include "math/mat3.h"
#include "reduced/dense.h"

#include <math.h>
#include <string.h>

enum { STATES = 72, BATCH = 8 };

#define SMALL 1e-4  // of states that show the stiffness at rest

typedef struct Sampling {
    PalBuild *build;
    const PalBodyDef *body;
    int32_t cell_count, row_count, state_count;
    double *states;    // coefficients q of each
    double *scale;     // of the forces of each
    double *sums;      // and these forces
    int32_t *bucket;   // per state and mode: the row it is added to
    float *sign;       // and with which sign
    float *columns;    // per cell: row_count numbers
    double *gradient;  // per worker: 9 rows of modes
    // ---- least squares
    double *wanted, *left;  // right side, and what is left of it
    double *pull;           // per cell
    int32_t chosen_count;
    int32_t *chosen;
    bool *is_chosen;
    double *weight, *solution, *gram, *factor;
} Sampling;

static void clear(Sampling *s)
{
    void *lists[] = {s->sums,     s->states,   s->scale, s->bucket, s->sign,   s->columns,
                     s->gradient, s->wanted,   s->left,  s->pull,   s->chosen, s->is_chosen,
                     s->weight,   s->solution, s->gram,  s->factor};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        pal_free(lists[i]);
}

// ---- states -----------------------------------------------------------------------------

static void project(const PalBuild *build, const double *u, double *q)
{
    const PalTruth *truth = build->truth;
    pal_truth_stiffness(truth, u, truth->internal);
    for (int32_t k = 0; k < build->mode_count; ++k)
        q[k] = pal_truth_dot(truth, build->modes + (int64_t)k * truth->size, truth->internal);
}

// Some of the shapes learnt, evenly, and small ones at random.
static void choose_states(Sampling *s)
{
    const PalBuild *build = s->build;
    int32_t all = build->shot_count * PAL_BUILD_LEVELS, small = STATES / 3;
    int32_t large = STATES - small < all ? STATES - small : all;
    uint64_t seed = 5;
    double size = 0;
    for (int32_t i = 0; i < large; ++i) {
        int32_t pick = (int32_t)((int64_t)i * all / large);
        const PalShot *shot = &build->shots[pick / PAL_BUILD_LEVELS];
        int32_t level = pick % PAL_BUILD_LEVELS;
        level = level < shot->found ? level : shot->found - 1;
        double *q = s->states + (int64_t)s->state_count++ * build->mode_count;
        project(build, shot->u + (int64_t)level * build->truth->size, q);
        for (int32_t k = 0; k < build->mode_count; ++k)
            size = fabs(q[k]) > size ? fabs(q[k]) : size;
    }
    for (int32_t i = 0; i < small; ++i) {
        double *q = s->states + (int64_t)s->state_count++ * build->mode_count;
        for (int32_t k = 0; k < build->mode_count; ++k)
            q[k] = SMALL * size * (2 * pal_build_random(&seed) - 1);
    }
}

// ---- columns ----------------------------------------------------------------------------

static double cell_gradient(const Sampling *s, int32_t cell, double *rows)
{
    const PalBuild *build = s->build;
    const PalModel *model = build->truth->model;
    const int32_t *corner = model->bodies[0].mesh->cells + 4 * (int64_t)cell;
    PalVec3 corners[4], gradients[4];
    int32_t modes = build->mode_count;
    int64_t size = build->truth->size;
    for (int a = 0; a < 4; ++a)
        corners[a] = model->nodes[corner[a]];
    double volume = pal_t4_geometry(corners, gradients);
    memset(rows, 0, 9 * (size_t)modes * sizeof *rows);
    for (int a = 0; a < 4; ++a)
        for (int i = 0; i < 3; ++i) {
            int32_t row = build->row[3 * build->node[corner[a]] + i];
            for (int32_t k = 0; row != PAL_NONE && k < modes; ++k) {
                double u = build->modes[k * size + row];
                for (int j = 0; j < 3; ++j)
                    rows[(3 * i + j) * modes + k] += u * pal_vec3_at(gradients[a], j);
            }
        }
    return volume;
}

// Reduced forces of one cell in one state, times its scale.
static bool cell_force(const Sampling *s, int32_t cell, const double *rows, double volume,
                       int32_t state, double *force)
{
    const PalBuild *build = s->build;
    const PalMaterialDef *material = &s->body->materials[build->truth->model->cell_material[cell]];
    int32_t modes = build->mode_count;
    const double *q = s->states + (int64_t)state * modes;
    PalMat3 F, P;
    for (int a = 0; a < 9; ++a) {
        double sum = a % 4 == 0 ? 1 : 0;
        for (int32_t k = 0; k < modes; ++k)
            sum += rows[a * modes + k] * q[k];
        F.m[a / 3][a % 3] = sum;
    }
    if (!(pal_mat3_determinant(&F) > 0))
        return false;
    material->law->total_ref(material->parameters, &F, &P);
    memset(force, 0, (size_t)modes * sizeof *force);
    for (int a = 0; a < 9; ++a)
        for (int32_t k = 0; k < modes; ++k)
            force[k] += volume * P.m[a / 3][a % 3] * rows[a * modes + k];
    return true;
}

static void fill_column(void *context, int32_t cell, int32_t worker)
{
    Sampling *s = context;
    int32_t modes = s->build->mode_count;
    double *rows = s->gradient + (int64_t)worker * 10 * modes, *force = rows + 9 * (int64_t)modes;
    double volume = cell_gradient(s, cell, rows);
    float *column = s->columns + (int64_t)cell * s->row_count;
    memset(column, 0, (size_t)s->row_count * sizeof *column);
    for (int32_t t = 0; t < s->state_count; ++t) {
        if (s->scale[t] == 0 || !cell_force(s, cell, rows, volume, t, force))
            continue;
        for (int32_t k = 0; k < modes; ++k) {
            int64_t place = (int64_t)t * modes + k;
            column[s->bucket[place]] += s->sign[place] * (float)(s->scale[t] * force[k]);
        }
    }
}

// Forces of each state count as much as those of any other. States in which a cell is inside out
// count nothing.
static void find_scales(Sampling *s)
{
    int32_t modes = s->build->mode_count;
    double *rows = s->gradient, *force = rows + 9 * (int64_t)modes;
    for (int32_t t = 0; t < s->state_count; ++t)
        s->scale[t] = 1;
    for (int32_t c = 0; c < s->cell_count; ++c) {
        double volume = cell_gradient(s, c, rows);
        for (int32_t t = 0; t < s->state_count; ++t) {
            if (s->scale[t] == 0 || !cell_force(s, c, rows, volume, t, force)) {
                s->scale[t] = 0;
                continue;
            }
            for (int32_t k = 0; k < modes; ++k)
                s->sums[(int64_t)t * modes + k] += force[k];
        }
    }
    for (int32_t t = 0; t < s->state_count; ++t) {
        double square = 0;
        for (int32_t k = 0; k < modes; ++k)
            square += s->sums[(int64_t)t * modes + k] * s->sums[(int64_t)t * modes + k];
        s->scale[t] = s->scale[t] > 0 && square > 0 ? 1 / sqrt(square) : 0;
    }
}

static void find_buckets(Sampling *s)
{
    uint64_t seed = 9;
    int64_t count = (int64_t)s->state_count * s->build->mode_count;
    for (int64_t i = 0; i < count; ++i) {
        s->bucket[i] = (int32_t)(pal_build_random(&seed) * s->row_count);
        s->sign[i] = pal_build_random(&seed) < 0.5 ? -1 : 1;
    }
}

// ---- non-negative least squares ---------------------------------------------------------

static double dot(const float *a, const float *b, int32_t count)
{
    double sums[4] = {0};
    int32_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; ++k)
            sums[k] += (double)a[i + k] * (double)b[i + k];
    for (; i < count; ++i)
        sums[0] += (double)a[i] * (double)b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void find_pull(void *context, int32_t cell, int32_t worker)
{
    (void)worker;
    Sampling *s = context;
    const float *column = s->columns + (int64_t)cell * s->row_count;
    double sum = 0;
    for (int32_t r = 0; r < s->row_count; ++r)
        sum += (double)column[r] * s->left[r];
    s->pull[cell] =
        s->is_chosen[cell] ? -1 : sum / (1e-30 + sqrt(dot(column, column, s->row_count)));
}

static double find_left(Sampling *s)
{
    double square = 0;
    memcpy(s->left, s->wanted, (size_t)s->row_count * sizeof *s->left);
    for (int32_t i = 0; i < s->chosen_count; ++i) {
        const float *column = s->columns + (int64_t)s->chosen[i] * s->row_count;
        for (int32_t r = 0; r < s->row_count; ++r)
            s->left[r] -= s->weight[i] * (double)column[r];
    }
    for (int32_t r = 0; r < s->row_count; ++r)
        square += s->left[r] * s->left[r];
    return sqrt(square);
}

static bool choose_more(Sampling *s, int32_t room)
{
    bool any = false;
    pal_parallel_for(s->build->def->thread_count, s->cell_count, find_pull, s);
    for (int b = 0; b < BATCH && s->chosen_count < room; ++b) {
        int32_t best = 0;
        for (int32_t c = 1; c < s->cell_count; ++c)
            if (s->pull[c] > s->pull[best])
                best = c;
        if (!(s->pull[best] > 0))
            break;
        int32_t i = s->chosen_count++;
        const float *column = s->columns + (int64_t)best * s->row_count;
        s->chosen[i] = best;
        s->is_chosen[best] = true;
        s->weight[i] = 0;
        s->pull[best] = -1;
        for (int32_t j = 0; j <= i; ++j)
            s->gram[(int64_t)i * room + j] =
                dot(column, s->columns + (int64_t)s->chosen[j] * s->row_count, s->row_count);
        any = true;
    }
    return any;
}

static void drop(Sampling *s, int32_t i, int32_t room)
{
    s->is_chosen[s->chosen[i]] = false;
    int32_t last = --s->chosen_count;
    for (int32_t k = i; k < last; ++k) {
        s->chosen[k] = s->chosen[k + 1];
        s->weight[k] = s->weight[k + 1];
        for (int32_t j = 0; j <= k; ++j)
            s->gram[(int64_t)k * room + j] = s->gram[(int64_t)(k + 1) * room + j + (j >= i)];
    }
}

// Cells that were just chosen and would be negative leave at once: with those chosen before them
// nothing has changed yet. Several at a time is what Lawson and Hanson do not foresee.
static bool drop_refused(Sampling *s, int32_t room)
{
    bool any = false;
    for (int32_t i = s->chosen_count - 1; i >= 0; --i)
        if (s->weight[i] == 0 && s->solution[i] <= 0) {
            drop(s, i, room);
            any = true;
        }
    return any;
}

// Least squares on the chosen cells; those that would be negative leave. False: singular.
static bool fit(Sampling *s, int32_t room)
{
    for (;;) {
        int32_t count = s->chosen_count;
        for (int32_t i = 0; i < count; ++i) {
            memcpy(s->factor + (int64_t)i * room, s->gram + (int64_t)i * room,
                   (size_t)(i + 1) * sizeof *s->factor);
            s->factor[(int64_t)i * room + i] *= 1 + 1e-7;
            const float *column = s->columns + (int64_t)s->chosen[i] * s->row_count;
            double sum = 0;
            for (int32_t r = 0; r < s->row_count; ++r)
                sum += (double)column[r] * s->wanted[r];
            s->solution[i] = sum;
        }
        if (!pal_dense_factor(s->factor, count, room))
            return false;
        pal_dense_solve(s->factor, count, room, s->solution);
        if (drop_refused(s, room))
            continue;
        double step = 1;
        for (int32_t i = 0; i < count; ++i)
            if (s->solution[i] <= 0) {
                double most = s->weight[i] / (s->weight[i] - s->solution[i]);
                step = most < step ? most : step;
            }
        for (int32_t i = 0; i < count; ++i)
            s->weight[i] += step * (s->solution[i] - s->weight[i]);
        if (step == 1)
            return true;
        for (int32_t i = count - 1; i >= 0; --i)
            if (s->weight[i] <= 1e-9)
                drop(s, i, room);
    }
}

static PalStatus choose(Sampling *s, int32_t room, double tolerance, double *reached,
                        PalError *error)
{
    memset(s->wanted, 0, (size_t)s->row_count * sizeof *s->wanted);
    for (int32_t c = 0; c < s->cell_count; ++c)
        for (int32_t r = 0; r < s->row_count; ++r)
            s->wanted[r] += (double)s->columns[(int64_t)c * s->row_count + r];
    double whole = find_left(s), left = whole;
    // cells that leave may come back: the number of rounds is bounded
    for (int round = 0; round < 400 && left > tolerance * whole; ++round) {
        PAL_TRY(pal_build_tell(s->build, "choosing cells", s->chosen_count, room, error));
        if (s->chosen_count + BATCH > room || !choose_more(s, room) || !fit(s, room))
            break;
        left = find_left(s);
    }
    // those of a round that was not finished
    for (int32_t i = s->chosen_count - 1; i >= 0; --i)
        if (!((float)s->weight[i] > 0))
            drop(s, i, room);
    *reached = whole > 0 ? left / whole : 0;
    return PAL_OK;
}

// ---- all of it --------------------------------------------------------------------------

static PalStatus make(PalBuild *build, Sampling *s, int32_t room, PalError *error)
{
    size_t modes = (size_t)build->mode_count, cells = (size_t)s->cell_count;
    size_t rows = (size_t)s->row_count, most = (size_t)room;
    size_t threads = (size_t)build->def->thread_count;
    s->states = pal_alloc(STATES * modes, sizeof *s->states);
    s->scale = pal_alloc(STATES, sizeof *s->scale);
    s->sums = pal_alloc(STATES * modes, sizeof *s->sums);
    s->bucket = pal_alloc(STATES * modes, sizeof *s->bucket);
    s->sign = pal_alloc(STATES * modes, sizeof *s->sign);
    s->columns = pal_alloc(cells * rows, sizeof *s->columns);
    s->gradient = pal_alloc(threads * 10 * modes, sizeof *s->gradient);
    s->wanted = pal_alloc(rows, sizeof *s->wanted);
    s->left = pal_alloc(rows, sizeof *s->left);
    s->pull = pal_alloc(cells, sizeof *s->pull);
    s->chosen = pal_alloc(most, sizeof *s->chosen);
    s->is_chosen = pal_alloc(cells, sizeof *s->is_chosen);
    s->weight = pal_alloc(most, sizeof *s->weight);
    s->solution = pal_alloc(most, sizeof *s->solution);
    s->gram = pal_alloc(most * most, sizeof *s->gram);
    s->factor = pal_alloc(most * most, sizeof *s->factor);
    if (s->states == NULL || s->sums == NULL || s->scale == NULL || s->bucket == NULL ||
        s->sign == NULL || s->columns == NULL || s->gradient == NULL || s->wanted == NULL ||
        s->left == NULL || s->pull == NULL || s->chosen == NULL || s->is_chosen == NULL ||
        s->weight == NULL || s->solution == NULL || s->gram == NULL || s->factor == NULL)
        return pal_build_no_memory(error);
    choose_states(s);
    find_scales(s);
    find_buckets(s);
    pal_parallel_for(build->def->thread_count, s->cell_count, fill_column, s);
    return PAL_OK;
}

static PalStatus take_cells(PalBuild *build, const Sampling *s, bool all, PalError *error)
{
    build->sample_count = all ? s->cell_count : s->chosen_count;
    build->sample_cell = pal_alloc((size_t)build->sample_count, sizeof *build->sample_cell);
    build->sample_weight = pal_alloc((size_t)build->sample_count, sizeof *build->sample_weight);
    if (build->sample_cell == NULL || build->sample_weight == NULL)
        return pal_build_no_memory(error);
    for (int32_t i = 0; i < build->sample_count; ++i) {
        build->sample_cell[i] = all ? i : s->chosen[i];
        build->sample_weight[i] = all ? 1 : s->weight[i];
    }
    return PAL_OK;
}

PalStatus pal_build_cells(PalBuild *build, PalError *error)
{
    const PalModelDef *def = build->def->model;
    Sampling s = {.build = build,
                  .body = &def->bodies[build->def->body_index],
                  .cell_count = build->truth->model->cell_count};
    int32_t room = 8 * build->mode_count + 64;
    room = room < s.cell_count ? room : s.cell_count;
    s.row_count = 2 * room < 2400 ? 2 * room : 2400;
    double tolerance = 0.2 * build->def->tolerance, reached = 1;
    PalStatus status = make(build, &s, room, error);
    if (status == PAL_OK)
        status = choose(&s, room, tolerance, &reached, error);
    // where nearly all would be needed, all are exact
    bool all = reached > tolerance && 2 * room > s.cell_count;
    if (status == PAL_OK)
        status = take_cells(build, &s, all || 3 * s.chosen_count > 2 * s.cell_count, error);
    clear(&s);
    return status;
}
