// docs/theory/elements.md, 9
#include "element/rings.h"

#include "base/parallel.h"
#include "element/kernels.h"
#include "element/solid.h"

#include <string.h>

typedef struct Pass {
    const PalElements *elements;
    PalElementScratch *scratch;
    const PalVec3 *displacement;
    const double *before;
    double *after;
    PalVec3 *force;
} Pass;

// Fills something in for a batch of rings that has this F.
typedef void (*BatchVisitor)(const Pass *pass, const PalRingChunk *chunk, int32_t first,
                             const PalLanesMat3 *F);

typedef struct Visit {
    const Pass *pass;
    BatchVisitor visit;
} Visit;

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
    return (PalRingRows){elements->ring_start, elements->ring_own,
                         (const int32_t(*)[PAL_LANES])elements->ring_node,
                         (const PalLanes(*)[3])elements->ring_gradient};
}

// ---- forces -----------------------------------------------------------------------------

static void push_chunk(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    const PalRingChunk *chunk = &elements->ring_chunks[index];
    const PalPart *part = &elements->parts[chunk->part];
    const int32_t first = chunk->first / PAL_LANES;
    const int32_t *nodes = elements->ring_chunk_nodes + chunk->first_node;
    PalLanes displacement[PAL_BLOCK_NODES], force[PAL_BLOCK_NODES];
    for (int32_t n = 0; n < chunk->node_count; ++n) {
        PalVec3 u = pass->displacement[nodes[n]];
        displacement[n] = (PalLanes){u.x, u.y, u.z, 0};
    }
    memset(force, 0, (size_t)chunk->node_count * sizeof *force);
    PalRingWork work = {.part = part,
                        .prony = &pass->scratch->prony[chunk->part],
                        .batch_count = (chunk->count + PAL_LANES - 1) / PAL_LANES,
                        .start = elements->ring_start + first,
                        .base = (const uint16_t(*)[PAL_LANES])elements->ring_base + first,
                        .corner = (const uint16_t(*)[PAL_LANES])elements->ring_corner,
                        .gradient = (const PalLanes(*)[3])elements->ring_gradient,
                        .volume = (const PalLanes *)(const void *)elements->ring_volume + first,
                        .displacement = displacement,
                        .force = force};
    work.before = pal_ring_history(part, chunk->first, pass->before);
    if (work.before != NULL && pass->after != NULL)
        work.after = pass->after + (work.before - pass->before);
    const PalKernels *kernels = pal_kernels();
    bool plain = pal_kernels_are_neo_hookean(part) && part->ring_history == 0;
    (plain ? kernels->rings_neo_hookean : kernels->rings_general)(&work);
    memcpy(pass->scratch->ring_forces + chunk->first_node, force,
           (size_t)chunk->node_count * sizeof *force);
}

void pal_rings_push(const PalElements *elements, PalElementScratch *scratch,
                    const PalVec3 *displacement, double *history)
{
    if (elements->ring_count == 0)
        return;
    Pass pass = {elements, scratch, displacement, history, history, NULL};
    pal_parallel_for(scratch->thread_count, elements->ring_chunk_count, push_chunk, &pass);
}

enum { NODES = 2048 };  // of a task

static void add_nodes(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    const int32_t first = index * NODES, rest = elements->node_count - first;
    const int32_t *start = elements->ring_slot_start;
    for (int32_t n = first; n < first + (rest < NODES ? rest : NODES); ++n) {
        PalLanes sum = {0};
        __builtin_prefetch(
            &pass->scratch->ring_forces[elements->ring_slots[start[n] + PAL_RING_SLOTS_AHEAD]]);
        for (int32_t k = start[n]; k < start[n + 1]; ++k)
            sum += pass->scratch->ring_forces[elements->ring_slots[k]];
        pass->force[n].x += sum[0];
        pass->force[n].y += sum[1];
        pass->force[n].z += sum[2];
    }
}

void pal_rings_add_forces(const PalElements *elements, PalElementScratch *scratch, PalVec3 *force)
{
    if (elements->ring_count == 0)
        return;
    Pass pass = {.elements = elements, .scratch = scratch, .force = force};
    pal_parallel_for(scratch->thread_count, (elements->node_count + NODES - 1) / NODES, add_nodes,
                     &pass);
}

// ---- what is asked less often -----------------------------------------------------------

static void visit_chunk(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Visit *visit = context;
    const PalElements *elements = visit->pass->elements;
    const PalRingChunk *chunk = &elements->ring_chunks[index];
    const PalRingRows rows = pal_ring_rows(elements);
    for (int32_t k = 0; k < chunk->count; k += PAL_LANES) {
        const int32_t first = chunk->first + k;
        PalLanesMat3 F;
        pal_kernels()->ring_gradients(&rows, visit->pass->displacement, first / PAL_LANES, &F);
        visit->visit(visit->pass, chunk, first, &F);
    }
}

static void visit_batches(const Pass *pass, BatchVisitor visitor)
{
    Visit visit = {pass, visitor};
    pal_parallel_for(pass->scratch->thread_count, pass->elements->ring_chunk_count, visit_chunk,
                     &visit);
}

static void find_stress(const Pass *pass, const PalRingChunk *chunk, int32_t first,
                        const PalLanesMat3 *F)
{
    const PalPart *part = &pass->elements->parts[chunk->part];
    const double *before = pal_ring_history(part, first, pass->before);
    PalLanesMat3 P;
    part->material.law->stress(part->material.parameters, F, &P);
    if (before != NULL)
        pal_prony_relax(&pass->scratch->prony[chunk->part], F, NULL, before, NULL, &P);
    for (int32_t l = 0; l < PAL_LANES; ++l)
        for (int k = 0; k < 9; ++k)
            pass->scratch->rings.stress[first + l][k] = P.m[k / 3][k % 3][l] / 6;
}

void pal_rings_stresses(const PalElements *elements, PalElementScratch *scratch,
                        const PalVec3 *displacement, const double *history)
{
    Pass pass = {
        .elements = elements, .scratch = scratch, .displacement = displacement, .before = history};
    visit_batches(&pass, find_stress);
}

static void find_energies(const Pass *pass, const PalRingChunk *chunk, int32_t first,
                          const PalLanesMat3 *F)
{
    const PalMaterialDef *material = &pass->elements->parts[chunk->part].material;
    PalLanes D;
    material->law->energy(material->parameters, F, &D);
    for (int32_t l = 0; l < PAL_LANES; ++l)
        pass->scratch->rings.energy[first + l] = D[l];
}

void pal_rings_energies(const PalElements *elements, PalElementScratch *scratch,
                        const PalVec3 *displacement)
{
    Pass pass = {.elements = elements, .scratch = scratch, .displacement = displacement};
    visit_batches(&pass, find_energies);
}

static void find_bounds(const Pass *pass, const PalRingChunk *chunk, int32_t first,
                        const PalLanesMat3 *F)
{
    PalLanes bound;
    pal_solid_distortion_bound(&pass->elements->parts[chunk->part], F, &bound);
    for (int32_t l = 0; l < PAL_LANES; ++l)
        pass->scratch->rings.stiffest[first + l] = bound[l];
}

void pal_rings_bounds(const PalElements *elements, PalElementScratch *scratch,
                      const PalVec3 *displacement)
{
    Pass pass = {.elements = elements, .scratch = scratch, .displacement = displacement};
    visit_batches(&pass, find_bounds);
}
