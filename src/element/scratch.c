#include "element/scratch.h"

#include "base/assert.h"
#include "base/memory.h"
#include "element/data.h"

// The next `count` items of one piece of memory, on cache lines of their own.
static void *place(char *memory, size_t *used, int64_t count, size_t size)
{
    void *items = memory != NULL ? memory + *used : NULL;
    size_t bytes = (size_t)count * size;
    *used += (bytes + PAL_ALIGNMENT - 1) / PAL_ALIGNMENT * PAL_ALIGNMENT;
    return items;
}

// Cuts memory into the arrays of a scratch and returns the bytes they take. NULL: only counts.
static size_t lay_out(const PalElements *elements, char *memory, PalElementScratch *scratch)
{
    int64_t blocks = elements->block_count, pressures = elements->pressure_count;
    int64_t shares = pressures > 0 ? elements->block_node_count : 0;
    size_t used = 0;
    scratch->memory = memory;
    scratch->prony = place(memory, &used, elements->part_count, sizeof *scratch->prony);
    scratch->slots = place(memory, &used, elements->slot_count, sizeof *scratch->slots);
    scratch->volume_parts = place(memory, &used, shares, sizeof *scratch->volume_parts);
    scratch->pressures = place(memory, &used, pressures, sizeof *scratch->pressures);
    scratch->ratios = place(memory, &used, pressures, sizeof *scratch->ratios);
    int64_t smoothed = elements->smooth_start != NULL ? pressures : 0;
    for (int k = 0; k < 7; ++k)
        scratch->smooth_work[k] = place(memory, &used, smoothed, sizeof *scratch->smooth_work[k]);
    int64_t rings = elements->ring_count;
    scratch->ring_forces =
        place(memory, &used, elements->ring_chunk_node_count, sizeof *scratch->ring_forces);
    scratch->rings.stress = place(memory, &used, rings, sizeof *scratch->rings.stress);
    scratch->rings.energy = place(memory, &used, rings, sizeof(double));
    scratch->rings.stiffest = place(memory, &used, rings, sizeof(double));
    scratch->chunk_sums =
        place(memory, &used, elements->pressure_chunk_count, sizeof *scratch->chunk_sums);
    scratch->chunk_weights =
        place(memory, &used, elements->pressure_chunk_count, sizeof *scratch->chunk_weights);
    scratch->inverted_counts = place(memory, &used, blocks, sizeof *scratch->inverted_counts);
    scratch->first_inverted = place(memory, &used, blocks, sizeof *scratch->first_inverted);
    scratch->block_sums = place(memory, &used, blocks, sizeof *scratch->block_sums);
    scratch->block_worst = place(memory, &used, blocks, sizeof *scratch->block_worst);
    return used;
}

size_t pal_element_scratch_bytes(const PalElements *elements)
{
    PalElementScratch none = {0};
    return sizeof none + lay_out(elements, NULL, &none);
}

PalStatus pal_element_scratch_create(const PalElements *elements, PalElementScratch **result,
                                     PalError *error)
{
    PalElementScratch *scratch = pal_alloc(1, sizeof *scratch);
    size_t bytes = pal_element_scratch_bytes(elements) - sizeof *scratch;
    char *memory = pal_alloc(bytes, 1);
    *result = NULL;
    if (scratch == NULL || memory == NULL) {
        pal_free(scratch);
        pal_free(memory);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to evaluate the elements");
    }
    scratch->elements = elements;
    scratch->thread_count = 1;
    scratch->smooth_tolerance = 1e-6;
    lay_out(elements, memory, scratch);
    *result = scratch;
    return PAL_OK;
}

void pal_element_scratch_set_precise(PalElementScratch *scratch)
{
    scratch->smooth_tolerance = 1e-13;
    scratch->precise = true;
}

void pal_element_scratch_destroy(PalElementScratch *scratch)
{
    if (scratch == NULL)
        return;
    pal_free(scratch->ahead.block_start);
    pal_free(scratch->ahead.block_list);
    pal_free(scratch->ahead.done);
    pal_free(scratch->ahead.list);
    pal_free(scratch->memory);
    pal_free(scratch);
}

void pal_element_scratch_set_threads(PalElementScratch *scratch, int32_t thread_count)
{
    PAL_ASSERT(thread_count >= 1);
    scratch->thread_count = thread_count;
}

// ---- ahead ------------------------------------------------------------------------------

// Which blocks each node is in. Counts stand two places on, and move up as lists are filled.
static void list_blocks(const PalElements *elements, PalAhead *ahead)
{
    int32_t *start = ahead->block_start;
    for (int32_t k = 0; k < elements->block_node_count; ++k)
        ++start[elements->block_nodes[k] + 2];
    for (int32_t n = 0; n < elements->node_count; ++n)
        start[n + 2] += start[n + 1];
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        for (int32_t k = 0; k < block->node_count; ++k)
            ahead->block_list[start[elements->block_nodes[block->first_node + k] + 1]++] = b;
    }
}

PalStatus pal_element_scratch_allow_ahead(PalElementScratch *scratch, PalError *error)
{
    const PalElements *elements = scratch->elements;
    PalAhead *ahead = &scratch->ahead;
    if (ahead->allowed || elements->pressure_count > 0 || elements->ring_count > 0 ||
        elements->remembers)
        return PAL_OK;
    size_t nodes = (size_t)elements->node_count, blocks = (size_t)elements->block_count;
    ahead->block_start = pal_alloc(nodes + 2, sizeof *ahead->block_start);
    ahead->block_list = pal_alloc((size_t)elements->block_node_count, sizeof *ahead->block_list);
    ahead->done = pal_alloc(blocks, sizeof *ahead->done);
    ahead->list = pal_alloc(blocks, sizeof *ahead->list);
    if (ahead->block_start == NULL || ahead->block_list == NULL || ahead->done == NULL ||
        ahead->list == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to evaluate the elements");
    ahead->allowed = true;
    list_blocks(elements, ahead);
    return PAL_OK;
}
