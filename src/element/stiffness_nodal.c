// Tangents of the distortion that nodes feel.   docs/theory/elements.md, 9
#include "element/stiffness.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "element/nodal.h"
#include "element/solid.h"
#include "element/work.h"

#include <string.h>

enum { GROUP = 16 * PAL_LANES };

// Nodes of a patch: the one in the middle, and its neighbours.
static int32_t patch_size(const PalElements *elements, int32_t row)
{
    return 1 + elements->smooth_start[row + 1] - elements->smooth_start[row];
}

// Member k as a row of its own; the last one is that in the middle.
static int32_t member_row(const PalElements *elements, int32_t row, int32_t k)
{
    return k + 1 < patch_size(elements, row)
               ? elements->smooth_column[elements->smooth_start[row] + k]
               : row;
}

static int32_t member_node(const PalElements *elements, int32_t row, int32_t k)
{
    return elements->nodal_own[member_row(elements, row, k)];
}

// Numbers of the lower triangle of pairs of members, nine each.
static int64_t patch_numbers(const PalElements *elements, int32_t row)
{
    int64_t size = patch_size(elements, row);
    return 9 * size * (size + 1) / 2;
}

// ---- the pattern ------------------------------------------------------------------------

PalStatus pal_nodal_pairs(const PalElements *elements, PalNodalPair call, void *context)
{
    if (elements->nodal_own == NULL)
        return PAL_OK;
    int32_t *met = pal_alloc((size_t)elements->node_count, sizeof *met);
    if (met == NULL)
        return PAL_NO_MEMORY;
    for (int32_t n = 0; n < elements->node_count; ++n)
        met[n] = PAL_NONE;
    for (int32_t row = 0; row < elements->pressure_count; ++row) {
        const int32_t node = elements->nodal_own[row], size = patch_size(elements, row);
        for (int32_t k = 0; size > 1 && k < size; ++k) {
            int32_t middle = member_row(elements, row, k);
            for (int32_t m = 0; m < patch_size(elements, middle); ++m) {
                int32_t other = member_node(elements, middle, m);
                if (other > node || met[other] == row)
                    continue;
                met[other] = row;
                call(context, node, other);
            }
        }
    }
    pal_free(met);
    return PAL_OK;
}

PalStatus pal_stiffness_build_nodal(PalStiffness *s)
{
    const PalElements *elements = s->elements;
    int64_t most = 0;
    if (elements->nodal_own == NULL)
        return PAL_OK;
    for (int32_t c = 0; c < elements->pressure_chunk_count; ++c) {
        const PalPressureChunk *chunk = &elements->pressure_chunks[c];
        for (int32_t k = 0; k < chunk->count; k += GROUP) {
            int64_t sum = 0;
            for (int32_t n = k; n < chunk->count && n < k + GROUP; ++n)
                sum += patch_numbers(elements, chunk->first + n);
            most = sum > most ? sum : most;
        }
    }
    s->nodal_patches = pal_alloc((size_t)most, sizeof *s->nodal_patches);
    return s->nodal_patches != NULL ? PAL_OK : PAL_NO_MEMORY;
}

// ---- adding -----------------------------------------------------------------------------

typedef struct Group {
    PalStiffness *stiffness;
    PalElementScratch *scratch;
    const PalPart *part;
    const double *history;
    int32_t part_index, first, count;  // rows
    int64_t begin[GROUP];              // of their patches
} Group;

// Gradients of all members; that in the middle has minus the sum of the others.
static void member_gradient(const PalElements *elements, int32_t row, int32_t k, double g[3])
{
    const int32_t first = elements->smooth_start[row], others = patch_size(elements, row) - 1;
    g[0] = g[1] = g[2] = 0;
    for (int32_t m = k < others ? k : 0; m < (k < others ? k + 1 : others); ++m)
        for (int j = 0; j < 3; ++j)
            g[j] += (k < others ? 1 : -1) * elements->nodal_gradient[first + m][j];
}

// K_bc = n V B_b^T A B_c of one node.
static void fill_patch(const Group *group, int32_t row, const PalLanes A[9][9], int32_t lane,
                       double *numbers)
{
    const PalElements *elements = group->stiffness->elements;
    const int32_t size = patch_size(elements, row);
    const double V = group->part->nodal * elements->volumes[row] / 24;
    for (int32_t b = 0; b < size; ++b) {
        double g[3], T[3][9];  // T[i]: n V dP/du of component i of b
        member_gradient(elements, row, b, g);
        for (int i = 0; i < 3; ++i)
            for (int r = 0; r < 9; ++r)
                T[i][r] = V * (A[r][3 * i][lane] * g[0] + A[r][3 * i + 1][lane] * g[1] +
                               A[r][3 * i + 2][lane] * g[2]);
        for (int32_t c = 0; c <= b; ++c, numbers += 9) {
            double h[3];
            member_gradient(elements, row, c, h);
            for (int e = 0; e < 9; ++e) {
                int i = e / 3, j = e % 3;
                numbers[e] = T[i][3 * j] * h[0] + T[i][3 * j + 1] * h[1] + T[i][3 * j + 2] * h[2];
            }
        }
    }
}

static void fill_batch(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Group *group = context;
    const int32_t begin = index * PAL_LANES, row = group->first + begin;
    const PalLanesMat3 *F = &group->scratch->nodal.F[pal_nodal_batch(group->part, row)];
    PalLanes A[9][9];
    pal_solid_distortion_tangent(group->part, &group->scratch->prony[group->part_index],
                                 pal_nodal_history(group->part, row, group->history), F, A);
    for (int32_t l = 0; l < PAL_LANES && begin + l < group->count; ++l)
        fill_patch(group, row + l, (const PalLanes(*)[9])A, l,
                   group->stiffness->nodal_patches + group->begin[begin + l]);
}

static bool follows(const PalStiffness *s, int32_t node)
{
    return s->follower_of != NULL && s->follower_of[node] != PAL_NONE;
}

// Nine numbers between components of two nodes that follow no others.
static void add_pair(PalStiffness *s, int32_t b, int32_t c, const double *numbers)
{
    int64_t at = -1;
    for (int e = 0; e < 9; ++e) {
        if (b == c && e % 3 > e / 3)
            continue;
        int32_t row = s->equation[3 * (int64_t)b + e / 3];
        int32_t column = s->equation[3 * (int64_t)c + e % 3];
        bool next = e % 3 > 0 && at >= 0 && row > column && at + 1 < s->start[row + 1] &&
                    at >= s->start[row] && s->column[at + 1] == column;
        at = next ? at + 1 : pal_stiffness_find(s, row, column);
        s->value[at] += numbers[e];
    }
}

static void add_patch(PalStiffness *s, int32_t row, const double *numbers)
{
    const PalElements *elements = s->elements;
    const int32_t size = patch_size(elements, row);
    for (int32_t b = 0; b < size; ++b)
        for (int32_t c = 0; c <= b; ++c, numbers += 9) {
            int32_t node = member_node(elements, row, b), other = member_node(elements, row, c);
            if (!follows(s, node) && !follows(s, other)) {
                add_pair(s, node, other, numbers);
                continue;
            }
            for (int e = 0; e < 9; ++e) {
                int64_t one = 3 * (int64_t)node + e / 3, two = 3 * (int64_t)other + e % 3;
                pal_stiffness_add(s, one, two, numbers[e]);
                if (b != c)
                    pal_stiffness_add(s, two, one, numbers[e]);
            }
        }
}

static void add_group(Group *group)
{
    const PalElements *elements = group->stiffness->elements;
    int64_t begin = 0;
    for (int32_t k = 0; k < group->count; ++k) {
        group->begin[k] = begin;
        begin += patch_numbers(elements, group->first + k);
    }
    pal_parallel_for(group->scratch->thread_count, (group->count + PAL_LANES - 1) / PAL_LANES,
                     fill_batch, group);
    for (int32_t k = 0; k < group->count; ++k)
        add_patch(group->stiffness, group->first + k,
                  group->stiffness->nodal_patches + group->begin[k]);
}

void pal_stiffness_add_nodal(PalStiffness *s, PalElementScratch *scratch, const double *history)
{
    const PalElements *elements = s->elements;
    for (int32_t c = 0; elements->nodal_own != NULL && c < elements->pressure_chunk_count; ++c) {
        const PalPressureChunk *chunk = &elements->pressure_chunks[c];
        Group group = {.stiffness = s, .scratch = scratch, .history = history};
        group.part_index = chunk->part;
        group.part = &elements->parts[chunk->part];
        for (int32_t k = 0; group.part->nodal > 0 && k < chunk->count; k += GROUP) {
            group.first = chunk->first + k;
            group.count = chunk->count - k < GROUP ? chunk->count - k : GROUP;
            add_group(&group);
        }
    }
}
