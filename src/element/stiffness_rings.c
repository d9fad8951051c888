// Tangents of the distortion that rings feel.   docs/theory/elements.md, 9
#include "element/stiffness.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "element/kernels.h"
#include "element/rings.h"
#include "element/solid.h"
#include "element/work.h"

#include <string.h>

enum { GROUP = 16 * PAL_LANES };

// Nodes of a ring.
static int32_t ring_size(const PalElements *elements, int32_t ring)
{
    return elements->ring_size[ring];
}

// Node k; the last one is the ring's own, which is no member.
static int32_t member(const PalElements *elements, int32_t ring, int32_t k)
{
    return k + 1 < ring_size(elements, ring)
               ? elements->ring_node[elements->ring_start[ring / PAL_LANES] + k][ring % PAL_LANES]
               : elements->ring_own[ring];
}

// Numbers of the lower triangle of pairs of members, nine each.
static int64_t ring_numbers(const PalElements *elements, int32_t ring)
{
    int64_t size = ring_size(elements, ring);
    return 9 * size * (size + 1) / 2;
}

// ---- the pattern ------------------------------------------------------------------------

// Rings of each node: `start` has node_count + 1 numbers.
static int32_t *list_rings(const PalElements *elements, int64_t *start)
{
    for (int32_t r = 0; r < elements->ring_count; ++r)
        for (int32_t k = 0; k < ring_size(elements, r); ++k)
            ++start[member(elements, r, k) + 1];
    for (int32_t n = 0; n < elements->node_count; ++n)
        start[n + 1] += start[n];
    int32_t *rings = pal_alloc((size_t)start[elements->node_count], sizeof *rings);
    if (rings == NULL)
        return NULL;
    for (int32_t r = 0; r < elements->ring_count; ++r)
        for (int32_t k = 0; k < ring_size(elements, r); ++k)
            rings[start[member(elements, r, k)]++] = r;
    for (int32_t n = elements->node_count; n > 0; --n)
        start[n] = start[n - 1];
    start[0] = 0;
    return rings;
}

static void call_for_node(const PalElements *elements, int32_t node, int32_t ring, int32_t *met,
                          PalRingPair call, void *context)
{
    for (int32_t k = 0; k < ring_size(elements, ring); ++k) {
        int32_t other = member(elements, ring, k);
        if (other > node || met[other] == node)
            continue;
        met[other] = node;
        call(context, node, other);
    }
}

PalStatus pal_ring_pairs(const PalElements *elements, PalRingPair call, void *context)
{
    if (elements->ring_count == 0)
        return PAL_OK;
    int64_t *start = pal_alloc((size_t)elements->node_count + 1, sizeof *start);
    int32_t *met = pal_alloc((size_t)elements->node_count, sizeof *met);
    int32_t *rings = start != NULL ? list_rings(elements, start) : NULL;
    for (int32_t n = 0; met != NULL && n < elements->node_count; ++n)
        met[n] = PAL_NONE;
    for (int32_t n = 0; met != NULL && rings != NULL && n < elements->node_count; ++n)
        for (int64_t k = start[n]; k < start[n + 1]; ++k)
            call_for_node(elements, n, rings[k], met, call, context);
    PalStatus status = met != NULL && rings != NULL ? PAL_OK : PAL_NO_MEMORY;
    pal_free(start);
    pal_free(met);
    pal_free(rings);
    return status;
}

PalStatus pal_stiffness_build_rings(PalStiffness *s)
{
    const PalElements *elements = s->elements;
    int64_t most = 0;
    if (elements->ring_count == 0)
        return PAL_OK;
    for (int32_t c = 0; c < elements->ring_chunk_count; ++c) {
        const PalRingChunk *chunk = &elements->ring_chunks[c];
        for (int32_t k = 0; k < chunk->count; k += GROUP) {
            int64_t sum = 0;
            for (int32_t n = k; n < chunk->count && n < k + GROUP; ++n)
                sum += ring_numbers(elements, chunk->first + n);
            most = sum > most ? sum : most;
        }
    }
    s->ring_patches = pal_alloc((size_t)most, sizeof *s->ring_patches);
    return s->ring_patches != NULL ? PAL_OK : PAL_NO_MEMORY;
}

// ---- adding -----------------------------------------------------------------------------

typedef struct Group {
    PalStiffness *stiffness;
    PalElementScratch *scratch;
    const PalPart *part;
    const PalVec3 *displacement;
    const double *history;
    int32_t part_index, first, count;  // rows
    int64_t begin[GROUP];              // of their patches
} Group;

// Gradients of all members; the last has minus the sum of the others.
static void member_gradient(const PalElements *elements, int32_t row, int32_t k, double g[3])
{
    const int32_t first = elements->ring_start[row / PAL_LANES], lane = row % PAL_LANES;
    const int32_t others = ring_size(elements, row) - 1;
    g[0] = g[1] = g[2] = 0;
    for (int32_t m = k < others ? k : 0; m < (k < others ? k + 1 : others); ++m)
        for (int j = 0; j < 3; ++j)
            g[j] += (k < others ? 1 : -1) * elements->ring_gradient[first + m][j][lane];
}

// K_bc = V B_b^T A B_c of one ring.
static void fill_ring(const Group *group, int32_t row, const PalLanes A[9][9], int32_t lane,
                      double *numbers)
{
    const PalElements *elements = group->stiffness->elements;
    const int32_t size = ring_size(elements, row);
    const double V = elements->ring_volume[row];
    for (int32_t b = 0; b < size; ++b) {
        double g[3], T[3][9];  // T[i]: V dP/du of component i of b
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
    const PalRingRows rows = pal_ring_rows(group->stiffness->elements);
    PalLanesMat3 F;
    pal_kernels()->ring_gradients(&rows, group->displacement, row / PAL_LANES, &F);
    PalLanes A[9][9];
    pal_solid_distortion_tangent(group->part, &group->scratch->prony[group->part_index],
                                 pal_ring_history(group->part, row, group->history), &F, A);
    for (int32_t l = 0; l < PAL_LANES && begin + l < group->count; ++l)
        fill_ring(group, row + l, (const PalLanes(*)[9])A, l,
                  group->stiffness->ring_patches + group->begin[begin + l]);
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

static void add_ring(PalStiffness *s, int32_t row, const double *numbers)
{
    const PalElements *elements = s->elements;
    const int32_t size = ring_size(elements, row);
    for (int32_t b = 0; b < size; ++b)
        for (int32_t c = 0; c <= b; ++c, numbers += 9) {
            int32_t node = member(elements, row, b), other = member(elements, row, c);
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
        begin += ring_numbers(elements, group->first + k);
    }
    pal_parallel_for(group->scratch->thread_count, (group->count + PAL_LANES - 1) / PAL_LANES,
                     fill_batch, group);
    for (int32_t k = 0; k < group->count; ++k)
        add_ring(group->stiffness, group->first + k,
                 group->stiffness->ring_patches + group->begin[k]);
}

void pal_stiffness_add_rings(PalStiffness *s, PalElementScratch *scratch,
                             const PalVec3 *displacement, const double *history)
{
    const PalElements *elements = s->elements;
    for (int32_t c = 0; c < elements->ring_chunk_count; ++c) {
        const PalRingChunk *chunk = &elements->ring_chunks[c];
        Group group = {
            .stiffness = s, .scratch = scratch, .displacement = displacement, .history = history};
        group.part_index = chunk->part;
        group.part = &elements->parts[chunk->part];
        for (int32_t k = 0; k < chunk->count; k += GROUP) {
            group.first = chunk->first + k;
            group.count = chunk->count - k < GROUP ? chunk->count - k : GROUP;
            add_group(&group);
        }
    }
}
