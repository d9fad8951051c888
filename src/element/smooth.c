// docs/theory/elements.md, 9: Newton's method, its equations by conjugate gradients. Chunks of
// nodes are added up in their order, so that the bits do not depend on the number of threads.
#include "element/smooth.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "element/build.h"
#include "element/layouts.h"
#include "element/work.h"
#include "math/lanes_math.h"

#include <math.h>
#include <string.h>

#define STRENGTH 3.0
#define ROUNDING 3e-16  // of volumes
enum { NEWTON_MOST = 20, GRADIENTS_MOST = 1000 };

double pal_smoothing_of(const PalMaterialDef *material)
{
    double shear, bulk;
    pal_material_moduli(material, &shear, &bulk);
    return STRENGTH / (20 * shear);
}

// ---- solving ----------------------------------------------------------------------------

typedef struct Solve {
    const PalElements *elements;
    PalElementScratch *scratch;
    const double *before;
    double *after;
    double *target;     // v_a / V_a
    double *give;       // dJ/dp at each node, times V_a
    double *scale;      // one over the diagonal of the matrix
    double *residual;   // V_a (target - J) - S p
    double *direction;  // of the search
    double *product;    // of the matrix with the direction
    double *change;     // of p
    double step, turn;  // alpha and beta of conjugate gradients
    bool first;         // turn of Newton's method
} Solve;

static const PalPart *part_of(const Solve *s, int32_t index)
{
    return &s->elements->parts[s->elements->pressure_chunks[index].part];
}

// V_a, which `volumes` has 24 times.
static double volume_of(const Solve *s, int32_t n)
{
    return s->elements->volumes[n] / 24;
}

PAL_LANES_INLINE double smooth_at(const PalElements *elements, const double *x, int32_t n)
{
    // four sums side by side, as one would wait for itself
    const int32_t *column = elements->smooth_column, end = elements->smooth_start[n + 1];
    const double *value = elements->smooth_value;
    double sum[4] = {elements->smooth_diagonal[n] * x[n], 0, 0, 0};
    int32_t k = elements->smooth_start[n];
    for (; k + 4 <= end; k += 4)
        for (int i = 0; i < 4; ++i)
            sum[i] += value[k + i] * x[column[k + i]];
    for (; k < end; ++k)
        sum[0] += value[k] * x[column[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Adds up what the chunks have left.
static double add_up(const Solve *s, const double *chunk_sums)
{
    double sum = 0;
    for (int32_t c = 0; c < s->elements->pressure_chunk_count; ++c)
        sum += chunk_sums[c];
    return sum;
}

// Runs a task over the chunks that are solved for, and adds up what they leave.
static double over_chunks(Solve *s, PalTask task)
{
    const int32_t count = s->elements->pressure_chunk_count;
    pal_parallel_for(s->scratch->thread_count, count, task, s);
    return add_up(s, s->scratch->chunk_sums);
}

// Nodes of a chunk: first, and one past the last.
static int32_t chunk_first(const Solve *s, int32_t index)
{
    return s->elements->pressure_chunks[index].first;
}

static int32_t chunk_end(const Solve *s, int32_t index)
{
    return chunk_first(s, index) + s->elements->pressure_chunks[index].count;
}

// Where in the history a node of a part begins.
static int64_t history_at(const PalPart *part, int32_t n)
{
    return part->first_pressure_history +
           (int64_t)(n - part->first_pressure) * part->pressure_history;
}

// The sum is the square of what may be left of the residual. J of the start: what the last three
// evaluations let expect, or as if nothing were smoothed.
static void begin_chunk(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Solve *s = context;
    const PalPart *part = part_of(s, index);
    double *J = s->scratch->ratios, sum = 0;
    s->scratch->chunk_sums[index] = 0;
    if (part->smoothing == 0)
        return;
    for (int32_t n = chunk_first(s, index); n < chunk_end(s, index); ++n) {
        s->target[n] = J[n];
        double V = volume_of(s, n), off = s->scratch->smooth_tolerance * (J[n] - 1);
        sum += V * V * (off * off + ROUNDING * ROUNDING);
        if (s->before == NULL)
            continue;
        const double *last =
            s->before + history_at(part, n) + part->pressure_history - PAL_SMOOTH_HISTORY;
        J[n] = 1 + 3 * (last[0] - last[1]) + last[2];
    }
    s->scratch->chunk_sums[index] = sum;
}

// d2U/dJ2 by differences: wrong by about 1e-8, which costs Newton's method nothing.
static PalLanes curvature(const PalMaterialDef *material, PalLanes J)
{
    PalLanes h = 1e-4 * J, near = J + h, far = J - h, more, less;
    material->law->volumetric(material->parameters, &near, NULL, &more);
    material->law->volumetric(material->parameters, &far, NULL, &less);
    return (more - less) / (near - far);
}

// The volume ratios of up to PAL_LANES nodes.
static PalLanes ratios_at(const Solve *s, int32_t first, int32_t lanes)
{
    PalLanes J = pal_lanes_all(1.0);
    for (int32_t l = 0; l < lanes; ++l)
        J[l] = s->scratch->ratios[first + l];
    return J;
}

static int32_t lanes_from(const PalPressureChunk *chunk, int32_t k)
{
    return chunk->count - k < PAL_LANES ? chunk->count - k : PAL_LANES;
}

// V dJ/dp of a chunk's nodes, and p at first.
static void bend_chunk(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Solve *s = context;
    const PalPart *part = part_of(s, index);
    const PalPressureChunk *chunk = &s->elements->pressure_chunks[index];
    s->scratch->chunk_sums[index] = 0;
    for (int32_t k = 0; part->smoothing > 0 && k < chunk->count; k += PAL_LANES) {
        const int32_t first = chunk->first + k, lanes = lanes_from(chunk, k);
        PalLanes J = ratios_at(s, first, lanes), p = {0};
        PalLanes stiff = curvature(&part->material, J);
        if (s->first)
            part->material.law->volumetric(part->material.parameters, &J, NULL, &p);
        for (int32_t l = 0; l < lanes; ++l) {
            int32_t n = first + l;
            s->give[n] = volume_of(s, n) / stiff[l];
            s->scale[n] = 1 / (s->give[n] + s->elements->smooth_diagonal[n]);
            if (s->first)
                s->scratch->pressures[n] = p[l];
        }
    }
}

// z = r over the diagonal.
PAL_LANES_INLINE double scaled(const Solve *s, int32_t n)
{
    return s->residual[n] * s->scale[n];
}

// The sums are those of `advance`.
PAL_CLONES static void find_residual(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Solve *s = context;
    double sum = 0, weight = 0;
    if (part_of(s, index)->smoothing > 0)
        for (int32_t n = chunk_first(s, index); n < chunk_end(s, index); ++n) {
            double r = volume_of(s, n) * (s->target[n] - s->scratch->ratios[n]) -
                       smooth_at(s->elements, s->scratch->pressures, n);
            s->residual[n] = r;
            s->direction[n] = s->change[n] = 0;
            sum += r * r;
            weight += r * scaled(s, n);
        }
    s->scratch->chunk_sums[index] = sum;
    s->scratch->chunk_weights[index] = weight;
}

PAL_CLONES static void turn_direction(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Solve *s = context;
    s->scratch->chunk_sums[index] = 0;
    if (part_of(s, index)->smoothing > 0)
        for (int32_t n = chunk_first(s, index); n < chunk_end(s, index); ++n) {
            s->direction[n] = scaled(s, n) + s->turn * s->direction[n];
        }
}

PAL_CLONES static void multiply(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Solve *s = context;
    double sum = 0;
    if (part_of(s, index)->smoothing > 0)
        for (int32_t n = chunk_first(s, index); n < chunk_end(s, index); ++n) {
            s->product[n] = s->give[n] * s->direction[n] + smooth_at(s->elements, s->direction, n);
            sum += s->product[n] * s->direction[n];
        }
    s->scratch->chunk_sums[index] = sum;
}

// Goes along the direction; the sums are r . r of what is left and r . z, with z = r over the
// diagonal.
PAL_CLONES static void advance(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Solve *s = context;
    double sum = 0, weight = 0;
    if (part_of(s, index)->smoothing > 0)
        for (int32_t n = chunk_first(s, index); n < chunk_end(s, index); ++n) {
            s->change[n] += s->step * s->direction[n];
            s->residual[n] -= s->step * s->product[n];
            sum += s->residual[n] * s->residual[n];
            weight += s->residual[n] * scaled(s, n);
        }
    s->scratch->chunk_sums[index] = sum;
    s->scratch->chunk_weights[index] = weight;
}

// J follows p, and p follows J. The sum bounds what that adds to the square of the residual beyond
// what conjugate gradients have left: S times what p is off the straight line. Nothing where U is
// quadratic, so that no residual needs to be found again.
static void take_change(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Solve *s = context;
    const PalPart *part = part_of(s, index);
    const PalPressureChunk *chunk = &s->elements->pressure_chunks[index];
    double sum = 0;
    for (int32_t k = 0; part->smoothing > 0 && k < chunk->count; k += PAL_LANES) {
        const int32_t first = chunk->first + k, lanes = lanes_from(chunk, k);
        PalLanes J = ratios_at(s, first, lanes), p;
        for (int32_t l = 0; l < lanes; ++l) {
            int32_t n = first + l;
            double next = J[l] + s->change[n] * s->give[n] / volume_of(s, n);
            s->scratch->ratios[n] = J[l] = next > 0.1 * J[l] ? next : 0.1 * J[l];
        }
        part->material.law->volumetric(part->material.parameters, &J, NULL, &p);
        for (int32_t l = 0; l < lanes; ++l) {
            int32_t n = first + l;
            double off = p[l] - s->scratch->pressures[n] - s->change[n];
            off *= 2 * (s->give[n] + s->elements->smooth_diagonal[n]);
            sum += off * off;
            s->scratch->pressures[n] = p[l];
        }
    }
    s->scratch->chunk_sums[index] = sum;
}

static double conjugate_gradients(Solve *s, double square, double enough)
{
    double weight = add_up(s, s->scratch->chunk_weights), before = 0;
    for (int k = 0; k < GRADIENTS_MOST && square > enough && weight > 0; ++k) {
        s->turn = k > 0 ? weight / before : 0;
        over_chunks(s, turn_direction);
        s->step = weight / over_chunks(s, multiply);
        square = over_chunks(s, advance);
        before = weight;
        weight = add_up(s, s->scratch->chunk_weights);
    }
    return square;
}

// Relaxes the pressures, and keeps what the next evaluation starts from.
static void end_chunk(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Solve *s = context;
    const PalPart *part = part_of(s, index);
    const int32_t terms = part->pressure_history - PAL_SMOOTH_HISTORY;
    const PalProny *prony = &s->scratch->prony[s->elements->pressure_chunks[index].part];
    if (part->smoothing == 0 || s->before == NULL)
        return;
    for (int32_t n = chunk_first(s, index); n < chunk_end(s, index); ++n) {
        int64_t at = history_at(part, n);
        double last[2] = {s->before[at + terms], s->before[at + terms + 1]};
        double *p = &s->scratch->pressures[n];
        if (terms > 0)
            *p = pal_prony_relax_pressure(prony, *p, s->before + at,
                                          s->after != NULL ? s->after + at : NULL);
        if (s->after == NULL || !prony->moves)
            continue;
        s->after[at + terms] = s->scratch->ratios[n] - 1;
        s->after[at + terms + 1] = last[0];
        s->after[at + terms + 2] = last[1];
    }
}

void pal_smooth_pressures(const PalElements *elements, PalElementScratch *scratch,
                          const double *before, double *after)
{
    if (elements->smooth_start == NULL)
        return;
    Solve s = {.elements = elements,
               .scratch = scratch,
               .before = before,
               .after = after,
               .target = scratch->smooth_work[0],
               .give = scratch->smooth_work[1],
               .residual = scratch->smooth_work[2],
               .direction = scratch->smooth_work[3],
               .product = scratch->smooth_work[4],
               .change = scratch->smooth_work[5],
               .scale = scratch->smooth_work[6]};
    double enough = over_chunks(&s, begin_chunk), before_that = INFINITY;
    for (int k = 0; k < NEWTON_MOST; ++k) {
        s.first = k == 0;
        over_chunks(&s, bend_chunk);
        double square = over_chunks(&s, find_residual);
        if (!(square > enough) || !(square < 0.25 * before_that))
            break;  // found, or as near as rounding lets it come
        before_that = square;
        square = conjugate_gradients(&s, square, 0.25 * enough);
        if (4 * over_chunks(&s, take_change) + square <= enough && !scratch->precise)
            break;
    }
    pal_parallel_for(scratch->thread_count, elements->pressure_chunk_count, end_chunk, &s);
}

// ---- building ---------------------------------------------------------------------------

// What to do with a pair of pressure nodes of an element, and with a node alone.
typedef void (*PairVisitor)(PalElements *elements, int32_t a, int32_t b, double share);

static void visit_pairs(PalElements *elements, PairVisitor visit)
{
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        const PalPart *part = &elements->parts[block->part];
        const int32_t *pressure_of = elements->pressure_of + block->first_node;
        for (int32_t k = 0; part->smoothing > 0 && k < block->batch_count * PAL_LANES; ++k) {
            if (elements->numbers[block->first_number + k] == PAL_NONE)
                continue;
            const PalT4Batch *batch = pal_block_data(elements, block, k / PAL_LANES);
            double share = part->smoothing * batch->V[k % PAL_LANES];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    visit(elements, pressure_of[batch->corner[i][k % PAL_LANES] / 4],
                          pressure_of[batch->corner[j][k % PAL_LANES] / 4], share);
        }
    }
}

static void count_pair(PalElements *elements, int32_t a, int32_t b, double share)
{
    (void)share;
    elements->smooth_start[a + 1] += a != b;
}

// Rows have room for a neighbour once per element they share; columns that are not taken yet are
// PAL_NONE.
static void add_pair(PalElements *elements, int32_t a, int32_t b, double share)
{
    if (a == b) {
        elements->smooth_diagonal[a] += 0.75 * share;
        return;
    }
    int32_t k = elements->smooth_start[a];
    while (elements->smooth_column[k] != b && elements->smooth_column[k] != PAL_NONE)
        ++k;
    elements->smooth_column[k] = b;
    elements->smooth_value[k] -= 0.25 * share;
}

// Drops the room that is left in the rows.
static void tidy_rows(PalElements *elements)
{
    int32_t kept = 0;
    for (int32_t n = 0; n < elements->pressure_count; ++n) {
        int32_t begin = elements->smooth_start[n], end = elements->smooth_start[n + 1];
        elements->smooth_start[n] = kept;
        for (int32_t k = begin; k < end && elements->smooth_column[k] != PAL_NONE; ++k, ++kept) {
            elements->smooth_column[kept] = elements->smooth_column[k];
            elements->smooth_value[kept] = elements->smooth_value[k];
        }
    }
    elements->smooth_start[elements->pressure_count] = kept;
}

// What is kept moves to memory of that length.
static PalStatus shrink_rows(PalElements *elements)
{
    const int32_t kept = elements->smooth_start[elements->pressure_count];
    int32_t *column = elements->smooth_column;
    double *value = elements->smooth_value;
    elements->smooth_column = pal_elements_take(elements, kept, sizeof *column);
    elements->smooth_value = pal_elements_take(elements, kept, sizeof *value);
    bool whole = elements->smooth_column != NULL && elements->smooth_value != NULL;
    if (whole) {
        memcpy(elements->smooth_column, column, (size_t)kept * sizeof *column);
        memcpy(elements->smooth_value, value, (size_t)kept * sizeof *value);
    }
    pal_free(column);
    pal_free(value);
    return whole ? PAL_OK : PAL_NO_MEMORY;
}

PalStatus pal_elements_build_smoothing(PalElements *elements)
{
    bool wanted = false;
    for (int32_t p = 0; p < elements->part_count; ++p)
        wanted |= elements->parts[p].smoothing > 0;
    if (!wanted)
        return PAL_OK;
    const int64_t count = elements->pressure_count;
    elements->smooth_start = pal_elements_take(elements, count + 1, sizeof(int32_t));
    elements->smooth_diagonal = pal_elements_take(elements, count, sizeof(double));
    if (elements->smooth_start == NULL || elements->smooth_diagonal == NULL)
        return PAL_NO_MEMORY;
    visit_pairs(elements, count_pair);
    int64_t total = 0;
    for (int64_t n = 0; n < count; ++n)
        total += elements->smooth_start[n + 1];
    if (total > INT32_MAX)
        return PAL_NO_MEMORY;
    for (int64_t n = 0; n < count; ++n)
        elements->smooth_start[n + 1] += elements->smooth_start[n];
    elements->smooth_column = pal_alloc((size_t)total, sizeof(int32_t));
    elements->smooth_value = pal_alloc((size_t)total, sizeof(double));
    if (elements->smooth_column == NULL || elements->smooth_value == NULL)
        return PAL_NO_MEMORY;
    for (int64_t k = 0; k < total; ++k)
        elements->smooth_column[k] = PAL_NONE;
    visit_pairs(elements, add_pair);
    tidy_rows(elements);
    return shrink_rows(elements);
}
