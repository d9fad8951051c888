// docs/theory/elements.md, 9
#include "element/rings.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "element/build.h"
#include "element/kernels.h"
#include "element/solid.h"
#include "element/work.h"

#include <string.h>

typedef struct Pass {
    const PalElements *elements;
    PalElementScratch *scratch;
    const PalVec3 *displacement;
    const double *before;
    double *after;
} Pass;

int32_t pal_ring_batch_count(const PalPart *part)
{
    return part->rings ? (part->ring_count + PAL_LANES - 1) / PAL_LANES : 0;
}

const double *pal_ring_history(const PalPart *part, int32_t ring, const double *history)
{
    int32_t batch = (ring - part->first_ring) / PAL_LANES;
    return history != NULL && part->ring_history > 0
               ? history + part->first_ring_history + (int64_t)batch * part->ring_history
               : NULL;
}

PalRingRows pal_ring_rows(const PalElements *elements)
{
    return (PalRingRows){elements->ring_start, elements->ring_own, elements->ring_node,
                         elements->ring_gradient};
}

// ---- evaluating -------------------------------------------------------------------------

static const PalPart *part_of(const Pass *pass, int32_t index)
{
    return &pass->elements->parts[pass->elements->ring_chunks[index].part];
}

static int32_t lanes_from(const PalPressureChunk *chunk, int32_t k)
{
    return chunk->count - k < PAL_LANES ? chunk->count - k : PAL_LANES;
}

static void update_chunk(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    const PalPressureChunk *chunk = &elements->ring_chunks[index];
    const PalPart *part = part_of(pass, index);
    const PalKernels *kernels = pal_kernels();
    const PalProny *prony = &pass->scratch->prony[chunk->part];
    PalRings *rings = &pass->scratch->rings;
    const PalRingRows rows = pal_ring_rows(elements);
    for (int32_t k = 0; k < chunk->count; k += PAL_LANES) {
        const int32_t first = chunk->first + k, lanes = lanes_from(chunk, k);
        const double *before = pal_ring_history(part, first, pass->before);
        PalLanesMat3 F, P;
        kernels->ring_gradients(&rows, pass->displacement, first, lanes, &F);
        part->material.law->stress(part->material.parameters, &F, &P);
        if (before != NULL) {
            double *after = pass->after != NULL ? pass->after + (before - pass->before) : NULL;
            pal_prony_relax(prony, &F, NULL, before, after, &P);
        }
        kernels->ring_rows(&P, 1.0 / 6.0, lanes, rings->stress + first);
    }
}

void pal_rings_update(const PalElements *elements, PalElementScratch *scratch,
                      const PalVec3 *displacement, const double *before, double *after)
{
    if (elements->ring_count == 0)
        return;
    Pass pass = {elements, scratch, displacement, before, after};
    pal_parallel_for(scratch->thread_count, elements->ring_chunk_count, update_chunk, &pass);
}

// F of a batch of a chunk.
static void deform(const Pass *pass, const PalPressureChunk *chunk, int32_t k, PalLanesMat3 *F)
{
    const PalRingRows rows = pal_ring_rows(pass->elements);
    pal_kernels()->ring_gradients(&rows, pass->displacement, chunk->first + k, lanes_from(chunk, k),
                                  F);
}

static void find_energies(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalPressureChunk *chunk = &pass->elements->ring_chunks[index];
    const PalPart *part = part_of(pass, index);
    PalRings *rings = &pass->scratch->rings;
    for (int32_t k = 0; k < chunk->count; k += PAL_LANES) {
        PalLanesMat3 F;
        PalLanes D;
        deform(pass, chunk, k, &F);
        part->material.law->energy(part->material.parameters, &F, &D);
        for (int32_t l = 0; l < lanes_from(chunk, k); ++l)
            rings->energy[chunk->first + k + l] = D[l];
    }
}

void pal_rings_energies(const PalElements *elements, PalElementScratch *scratch,
                        const PalVec3 *displacement)
{
    if (elements->ring_count == 0)
        return;
    Pass pass = {.elements = elements, .scratch = scratch, .displacement = displacement};
    pal_parallel_for(scratch->thread_count, elements->ring_chunk_count, find_energies, &pass);
}

static void find_bounds(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalPressureChunk *chunk = &pass->elements->ring_chunks[index];
    const PalPart *part = part_of(pass, index);
    PalRings *rings = &pass->scratch->rings;
    for (int32_t k = 0; k < chunk->count; k += PAL_LANES) {
        PalLanesMat3 F;
        PalLanes bound;
        deform(pass, chunk, k, &F);
        pal_solid_distortion_bound(part, &F, &bound);
        for (int32_t l = 0; l < lanes_from(chunk, k); ++l)
            rings->stiffest[chunk->first + k + l] = bound[l];
    }
}

void pal_rings_bounds(const PalElements *elements, PalElementScratch *scratch,
                      const PalVec3 *displacement)
{
    if (elements->ring_count == 0)
        return;
    Pass pass = {.elements = elements, .scratch = scratch, .displacement = displacement};
    pal_parallel_for(scratch->thread_count, elements->ring_chunk_count, find_bounds, &pass);
}

// ---- building ---------------------------------------------------------------------------

enum { CHUNK = 1024 };

static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Edges of a part by their lower node, while they are found. Rows have room for each element's.
typedef struct Edges {
    int32_t *start;  // per node
    int32_t *other;  // PAL_NONE: not taken yet
    int32_t *ring;
} Edges;

// An element at work: which batch and lane, and its nodes in the model.
typedef struct Lane {
    int32_t batch, lane;
    const PalT4Batch *data;
    int32_t node[4];
} Lane;

typedef void (*LaneVisitor)(PalElements *elements, Edges *edges, const Lane *lane);

// All elements of a part that has rings, in their order.
static void visit_lanes(PalElements *elements, int32_t part, Edges *edges, LaneVisitor visit)
{
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        const int32_t *nodes = elements->block_nodes + block->first_node;
        for (int32_t k = 0; block->part == part && k < block->batch_count * PAL_LANES; ++k) {
            if (elements->numbers[block->first_number + k] == PAL_NONE)
                continue;
            Lane lane = {.batch = block->first_number / PAL_LANES + k / PAL_LANES,
                         .lane = k % PAL_LANES,
                         .data = pal_block_data(elements, block, k / PAL_LANES)};
            for (int a = 0; a < 4; ++a)
                lane.node[a] = nodes[lane.data->corner[a][lane.lane] / 4];
            visit(elements, edges, &lane);
        }
    }
}

static void find_ends(const Lane *lane, int k, int32_t *low, int32_t *high)
{
    int32_t a = lane->node[ends[k][0]], b = lane->node[ends[k][1]];
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

static void count_edges(PalElements *elements, Edges *edges, const Lane *lane)
{
    (void)elements;
    for (int k = 0; k < 6; ++k) {
        int32_t low, high;
        find_ends(lane, k, &low, &high);
        ++edges->start[low + 1];
    }
}

static void number_edges(PalElements *elements, Edges *edges, const Lane *lane)
{
    for (int k = 0; k < 6; ++k) {
        int32_t low, high;
        find_ends(lane, k, &low, &high);
        int32_t at = edges->start[low];
        while (edges->other[at] != high && edges->other[at] != PAL_NONE)
            ++at;
        if (edges->other[at] == PAL_NONE) {
            edges->other[at] = high;
            edges->ring[at] = elements->ring_count++;
        }
        elements->ring_of[lane->batch][k][lane->lane] = edges->ring[at];
    }
}

static PalStatus find_edges(PalElements *elements, int32_t part)
{
    Edges edges = {0};
    PalStatus status = PAL_NO_MEMORY;
    edges.start = pal_alloc((size_t)elements->node_count + 1, sizeof *edges.start);
    if (edges.start != NULL) {
        visit_lanes(elements, part, &edges, count_edges);
        for (int32_t n = 0; n < elements->node_count; ++n)
            edges.start[n + 1] += edges.start[n];
        size_t room = (size_t)edges.start[elements->node_count];
        edges.other = pal_alloc(room, sizeof *edges.other);
        edges.ring = pal_alloc(room, sizeof *edges.ring);
        if (edges.other != NULL && edges.ring != NULL) {
            for (size_t k = 0; k < room; ++k)
                edges.other[k] = PAL_NONE;
            visit_lanes(elements, part, &edges, number_edges);
            status = PAL_OK;
        }
    }
    pal_free(edges.start);
    pal_free(edges.other);
    pal_free(edges.ring);
    return status;
}

// Lanes without an element get the first ring of the part.
static void fill_lanes(PalElements *elements, int32_t part)
{
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        for (int32_t k = 0; block->part == part && k < block->batch_count * PAL_LANES; ++k)
            for (int e = 0; e < 6; ++e)
                if (elements->numbers[block->first_number + k] == PAL_NONE)
                    elements->ring_of[block->first_number / PAL_LANES + k / PAL_LANES][e]
                                     [k % PAL_LANES] = elements->parts[part].first_ring;
    }
}

static void count_nodes(PalElements *elements, Edges *edges, const Lane *lane)
{
    (void)edges;
    for (int k = 0; k < 6; ++k) {
        int32_t low, high, ring = elements->ring_of[lane->batch][k][lane->lane];
        find_ends(lane, k, &low, &high);
        elements->ring_own[ring] = low;
        elements->ring_start[ring + 1] += 3;
    }
}

static void add_gradients(PalElements *elements, Edges *edges, const Lane *lane)
{
    (void)edges;
    const double V = lane->data->V[lane->lane];
    PalLanes g[4] = {{0}};
    for (int a = 1; a < 4; ++a) {
        const PalLanes *from = lane->data->g[a - 1];
        g[a] = (PalLanes){from[0][lane->lane], from[1][lane->lane], from[2][lane->lane], 0};
        g[0] -= g[a];
    }
    for (int k = 0; k < 6; ++k) {
        int32_t ring = elements->ring_of[lane->batch][k][lane->lane];
        elements->ring_volume[ring] += V / 6;
        for (int a = 0; a < 4; ++a) {
            int32_t at = elements->ring_start[ring];
            if (lane->node[a] == elements->ring_own[ring])
                continue;
            while (elements->ring_node[at] != lane->node[a] && elements->ring_node[at] != PAL_NONE)
                ++at;
            elements->ring_node[at] = lane->node[a];
            elements->ring_gradient[at] += V / 6 * g[a];
        }
    }
}

// Drops the room that is left, and makes means of sums.
static void tidy_rings(PalElements *elements)
{
    int32_t kept = 0;
    for (int32_t r = 0; r < elements->ring_count; ++r) {
        int32_t begin = elements->ring_start[r], end = elements->ring_start[r + 1];
        elements->ring_start[r] = kept;
        for (int32_t k = begin; k < end && elements->ring_node[k] != PAL_NONE; ++k, ++kept) {
            elements->ring_node[kept] = elements->ring_node[k];
            elements->ring_gradient[kept] = elements->ring_gradient[k] / elements->ring_volume[r];
        }
    }
    elements->ring_start[elements->ring_count] = kept;
}

// What is kept moves to memory of that length.
static PalStatus shrink_rings(PalElements *elements)
{
    const int32_t kept = elements->ring_start[elements->ring_count];
    int32_t *node = elements->ring_node;
    PalLanes *gradient = elements->ring_gradient;
    elements->ring_node = pal_elements_take(elements, kept, sizeof *node);
    elements->ring_gradient = pal_elements_take(elements, kept, sizeof *gradient);
    bool whole = elements->ring_node != NULL && elements->ring_gradient != NULL;
    if (whole) {
        memcpy(elements->ring_node, node, (size_t)kept * sizeof *node);
        memcpy(elements->ring_gradient, gradient, (size_t)kept * sizeof *gradient);
    }
    pal_free(node);
    pal_free(gradient);
    return whole ? PAL_OK : PAL_NO_MEMORY;
}

static int32_t cut_chunks(const PalElements *elements, PalPressureChunk *chunks)
{
    int32_t count = 0;
    for (int32_t p = 0; p < elements->part_count; ++p) {
        const PalPart *part = &elements->parts[p];
        for (int32_t k = 0; k < part->ring_count; k += CHUNK, ++count) {
            int32_t rest = part->ring_count - k;
            if (chunks != NULL)
                chunks[count] =
                    (PalPressureChunk){p, part->first_ring + k, rest < CHUNK ? rest : CHUNK};
        }
    }
    return count;
}

static PalStatus number_rings(PalElements *elements)
{
    for (int32_t p = 0; p < elements->part_count; ++p) {
        PalPart *part = &elements->parts[p];
        part->first_ring = elements->ring_count;
        if (!part->rings)
            continue;
        PAL_TRY(find_edges(elements, p));
        part->ring_count = elements->ring_count - part->first_ring;
        fill_lanes(elements, p);
    }
    return PAL_OK;
}

static PalStatus gather_rings(PalElements *elements)
{
    const int64_t count = elements->ring_count;
    elements->ring_start = pal_elements_take(elements, count + 1, sizeof(int32_t));
    elements->ring_own = pal_elements_take(elements, count, sizeof(int32_t));
    elements->ring_volume = pal_elements_take(elements, count, sizeof(double));
    if (elements->ring_start == NULL || elements->ring_own == NULL || elements->ring_volume == NULL)
        return PAL_NO_MEMORY;
    for (int32_t p = 0; p < elements->part_count; ++p)
        if (elements->parts[p].rings)
            visit_lanes(elements, p, NULL, count_nodes);
    for (int64_t r = 0; r < count; ++r)
        elements->ring_start[r + 1] += elements->ring_start[r];
    const int32_t room = elements->ring_start[count];
    elements->ring_node = pal_alloc((size_t)room, sizeof(int32_t));
    elements->ring_gradient = pal_alloc((size_t)room, sizeof(PalLanes));
    if (elements->ring_node == NULL || elements->ring_gradient == NULL)
        return PAL_NO_MEMORY;
    for (int32_t k = 0; k < room; ++k)
        elements->ring_node[k] = PAL_NONE;
    for (int32_t p = 0; p < elements->part_count; ++p)
        if (elements->parts[p].rings)
            visit_lanes(elements, p, NULL, add_gradients);
    tidy_rings(elements);
    return shrink_rings(elements);
}

PalStatus pal_elements_build_rings(PalElements *elements)
{
    bool wanted = false;
    for (int32_t p = 0; p < elements->part_count; ++p)
        wanted |= elements->parts[p].rings;
    if (!wanted)
        return PAL_OK;
    elements->ring_of =
        pal_elements_take(elements, elements->lane_count / PAL_LANES, sizeof *elements->ring_of);
    if (elements->ring_of == NULL)
        return PAL_NO_MEMORY;
    PAL_TRY(number_rings(elements));
    elements->ring_chunk_count = cut_chunks(elements, NULL);
    elements->ring_chunks =
        pal_elements_take(elements, elements->ring_chunk_count, sizeof *elements->ring_chunks);
    if (elements->ring_chunks == NULL)
        return PAL_NO_MEMORY;
    cut_chunks(elements, elements->ring_chunks);
    return gather_rings(elements);
}
