// docs/theory/elements.md, 9
#include "element/nodal.h"

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

int32_t pal_nodal_batch_count(const PalPart *part)
{
    return part->nodal > 0 ? (part->pressure_count + PAL_LANES - 1) / PAL_LANES : 0;
}

const double *pal_nodal_history(const PalPart *part, int32_t node, const double *history)
{
    int32_t batch = (node - part->first_pressure) / PAL_LANES;
    return history != NULL && part->nodal_history > 0
               ? history + part->first_nodal_history + (int64_t)batch * part->nodal_history
               : NULL;
}

// ---- evaluating -------------------------------------------------------------------------

static const PalPart *part_of(const Pass *pass, int32_t index)
{
    return &pass->elements->parts[pass->elements->pressure_chunks[index].part];
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
    const PalPressureChunk *chunk = &elements->pressure_chunks[index];
    const PalPart *part = part_of(pass, index);
    const PalKernels *kernels = pal_kernels();
    const PalProny *prony = &pass->scratch->prony[chunk->part];
    PalNodal *nodal = &pass->scratch->nodal;
    PalNodalRows rows = {elements->smooth_start, elements->nodal_own, elements->nodal_node,
                         elements->nodal_gradient};
    for (int32_t k = 0; part->nodal > 0 && k < chunk->count; k += PAL_LANES) {
        const int32_t first = chunk->first + k, lanes = lanes_from(chunk, k);
        const double *before = pal_nodal_history(part, first, pass->before);
        PalLanesMat3 *F = &nodal->F[pal_nodal_batch(part, first)], P;
        kernels->nodal_gradients(&rows, pass->displacement, first, lanes, F);
        part->material.law->stress(part->material.parameters, F, &P);
        if (before != NULL) {
            double *after = pass->after != NULL ? pass->after + (before - pass->before) : NULL;
            pal_prony_relax(prony, F, NULL, before, after, &P);
        }
        kernels->nodal_rows(&P, 0.25 * part->nodal, lanes, nodal->stress + first);
    }
}

void pal_nodal_update(const PalElements *elements, PalElementScratch *scratch,
                      const PalVec3 *displacement, const double *before, double *after)
{
    if (elements->nodal_own == NULL)
        return;
    Pass pass = {elements, scratch, displacement, before, after};
    pal_parallel_for(scratch->thread_count, elements->pressure_chunk_count, update_chunk, &pass);
}

static void find_energies(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalPressureChunk *chunk = &pass->elements->pressure_chunks[index];
    const PalPart *part = part_of(pass, index);
    PalNodal *nodal = &pass->scratch->nodal;
    for (int32_t k = 0; part->nodal > 0 && k < chunk->count; k += PAL_LANES) {
        PalLanes D;
        part->material.law->energy(part->material.parameters,
                                   &nodal->F[pal_nodal_batch(part, chunk->first + k)], &D);
        for (int32_t l = 0; l < lanes_from(chunk, k); ++l)
            nodal->energy[chunk->first + k + l] = D[l];
    }
}

void pal_nodal_energies(const PalElements *elements, PalElementScratch *scratch)
{
    if (elements->nodal_own == NULL)
        return;
    Pass pass = {.elements = elements, .scratch = scratch};
    pal_parallel_for(scratch->thread_count, elements->pressure_chunk_count, find_energies, &pass);
}

static void find_bounds(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalPressureChunk *chunk = &pass->elements->pressure_chunks[index];
    const PalPart *part = part_of(pass, index);
    PalNodal *nodal = &pass->scratch->nodal;
    for (int32_t k = 0; part->nodal > 0 && k < chunk->count; k += PAL_LANES) {
        PalLanes bound;
        pal_solid_distortion_bound(part, &nodal->F[pal_nodal_batch(part, chunk->first + k)],
                                   &bound);
        for (int32_t l = 0; l < lanes_from(chunk, k); ++l)
            nodal->stiffest[chunk->first + k + l] = bound[l];
    }
}

void pal_nodal_bounds(const PalElements *elements, PalElementScratch *scratch)
{
    if (elements->nodal_own == NULL)
        return;
    Pass pass = {.elements = elements, .scratch = scratch};
    pal_parallel_for(scratch->thread_count, elements->pressure_chunk_count, find_bounds, &pass);
}

// ---- building ---------------------------------------------------------------------------

static int32_t entry_of(const PalElements *elements, int32_t row, int32_t column)
{
    int32_t k = elements->smooth_start[row];
    while (elements->smooth_column[k] != column)
        ++k;
    return k;
}

// An element adds V grad N of its other corners to the row of each.
static void add_lane(PalElements *elements, const int32_t *pressure_of, const PalT4Batch *batch,
                     int32_t lane)
{
    PalLanes g[4] = {{0}};
    for (int a = 1; a < 4; ++a) {
        g[a] = (PalLanes){batch->g[a - 1][0][lane], batch->g[a - 1][1][lane],
                          batch->g[a - 1][2][lane], 0};
        g[0] -= g[a];
    }
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
            int32_t row = pressure_of[batch->corner[a][lane] / 4];
            int32_t column = pressure_of[batch->corner[b][lane] / 4];
            if (a != b)
                elements->nodal_gradient[entry_of(elements, row, column)] += batch->V[lane] * g[b];
        }
}

static void add_gradients(PalElements *elements, double *volumes)
{
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        const int32_t *pressure_of = elements->pressure_of + block->first_node;
        bool wanted = elements->parts[block->part].nodal > 0;
        for (int32_t k = 0; wanted && k < block->batch_count * PAL_LANES; ++k) {
            if (elements->numbers[block->first_number + k] == PAL_NONE)
                continue;
            const PalT4Batch *batch = pal_block_data(elements, block, k / PAL_LANES);
            add_lane(elements, pressure_of, batch, k % PAL_LANES);
            for (int a = 0; a < 4; ++a)
                volumes[pressure_of[batch->corner[a][k % PAL_LANES] / 4]] +=
                    batch->V[k % PAL_LANES];
        }
    }
}

// The model's node of each node with a pressure, and of each entry.
static void list_nodes(PalElements *elements)
{
    for (int32_t n = 0; n < elements->block_node_count; ++n)
        if (elements->pressure_of[n] != PAL_NONE)
            elements->nodal_own[elements->pressure_of[n]] = elements->block_nodes[n];
    for (int32_t k = 0; k < elements->smooth_start[elements->pressure_count]; ++k)
        elements->nodal_node[k] = elements->nodal_own[elements->smooth_column[k]];
}

PalStatus pal_elements_build_nodal(PalElements *elements)
{
    for (int32_t p = 0; p < elements->part_count; ++p) {
        elements->parts[p].first_nodal_batch = elements->nodal_batch_count;
        elements->nodal_batch_count += pal_nodal_batch_count(&elements->parts[p]);
    }
    if (elements->nodal_batch_count == 0)
        return PAL_OK;
    const int64_t count = elements->pressure_count, entries = elements->smooth_start[count];
    double *volumes = pal_alloc((size_t)count, sizeof *volumes);
    elements->nodal_own = pal_elements_take(elements, count, sizeof(int32_t));
    elements->nodal_node = pal_elements_take(elements, entries, sizeof(int32_t));
    elements->nodal_gradient = pal_elements_take(elements, entries, sizeof(PalLanes));
    bool whole = volumes != NULL && elements->nodal_own != NULL && elements->nodal_node != NULL &&
                 elements->nodal_gradient != NULL;
    if (whole) {
        list_nodes(elements);
        add_gradients(elements, volumes);
        for (int32_t n = 0; n < count; ++n)
            for (int32_t k = elements->smooth_start[n]; k < elements->smooth_start[n + 1]; ++k)
                elements->nodal_gradient[k] /= volumes[n];
    }
    pal_free(volumes);
    return whole ? PAL_OK : PAL_NO_MEMORY;
}
