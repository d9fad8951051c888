// Internal forces: blocks in any order, each into memory of its own, then the shared nodes, each
// the sum of its blocks in a fixed order.   docs/theory/elements.md, 2
#include "element/elements.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "element/pressures.h"
#include "element/rings.h"
#include "element/work.h"

#include <string.h>

enum { CHUNK = 1024 };

typedef PalForcePass Pass;

// Rare, so it may be slow: which elements of the block are inverted, or no numbers at all.
static void count_inverted(const Pass *pass, int32_t index)
{
    const PalElements *elements = pass->elements;
    PalElementScratch *scratch = pass->scratch;
    const PalBlock *block = &elements->blocks[index];
    PalLanes J = {0}, displacement[PAL_BLOCK_NODES];
    pal_block_gather(elements, block, scratch->pressures, pass->displacement, displacement);
    for (int32_t k = 0; k < block->batch_count * PAL_LANES; ++k) {
        int32_t number = elements->numbers[block->first_number + k];
        if (k % PAL_LANES == 0) {
            PalBatch batch = pal_block_batch(elements, scratch, block, k / PAL_LANES, displacement);
            batch.part->type->ratio(&batch, &J);
        }
        if (number == PAL_NONE || J[k % PAL_LANES] > 0)
            continue;
        int32_t first = scratch->first_inverted[index];
        scratch->inverted_counts[index]++;
        scratch->first_inverted[index] = first == PAL_NONE || number < first ? number : first;
    }
}

static void run_block(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    PalElementScratch *scratch = pass->scratch;
    const PalBlock *block = &elements->blocks[index];
    const PalPart *part = &elements->parts[block->part];
    const int32_t *nodes = elements->block_nodes + block->first_node;
    PalLanes displacement[PAL_BLOCK_NODES], force[PAL_BLOCK_NODES];
    if (part->rings)
        pal_block_place(elements, block, scratch->pressures, pass->displacement, displacement);
    else
        pal_block_gather(elements, block, scratch->pressures, pass->displacement, displacement);
    memset(force, 0, (size_t)block->node_count * sizeof *force);
    PalBlockWork work = {.part = part,
                         .prony = &scratch->prony[block->part],
                         .batches = pal_block_data(elements, block, 0),
                         .batch_count = block->batch_count,
                         .displacement = displacement,
                         .position = displacement,
                         .force = force};
    if (scratch->knows_energy)
        work.energy = &scratch->block_sums[index];
    if (part->history_batch > 0)
        work.history = pass->history + block->first_history;
    scratch->inverted_counts[index] = 0;
    scratch->first_inverted[index] = PAL_NONE;
    if (!part->type->force(part)(&work))
        count_inverted(pass, index);
    for (int32_t n = 0; n < block->own_count; ++n)
        pass->force[nodes[n]] = (PalVec3){force[n][0], force[n][1], force[n][2]};
    memcpy(scratch->slots + block->first_slot, force + block->own_count,
           (size_t)(block->node_count - block->own_count) * sizeof *force);
}

static void add_shared(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    int32_t begin = index * CHUNK, rest = elements->shared_count - begin;
    int32_t end = begin + (rest < CHUNK ? rest : CHUNK);
    for (int32_t s = begin; s < end; ++s) {
        PalLanes sum = {0};
        for (int32_t k = elements->shared_start[s]; k < elements->shared_start[s + 1]; ++k)
            sum += pass->scratch->slots[elements->shared_slots[k]];
        pass->force[elements->shared_nodes[s]] = (PalVec3){sum[0], sum[1], sum[2]};
    }
}

static PalElementTrouble find_trouble(const PalElements *elements, const PalElementScratch *scratch)
{
    PalElementTrouble trouble = {0, PAL_NONE};
    for (int32_t b = 0; b < elements->block_count; ++b) {
        int32_t first = scratch->first_inverted[b];
        trouble.inverted_count += scratch->inverted_counts[b];
        if (first != PAL_NONE &&
            (trouble.first_inverted == PAL_NONE || first < trouble.first_inverted))
            trouble.first_inverted = first;
    }
    return trouble;
}

static bool all_tell_energy(const PalElements *elements)
{
    for (int32_t p = 0; p < elements->part_count; ++p) {
        const PalElementType *type = elements->parts[p].type;
        if (type->force_tells_energy == NULL || !type->force_tells_energy(&elements->parts[p]))
            return false;
    }
    return true;
}

void pal_elements_want_energy(PalElementScratch *scratch)
{
    scratch->wants_energy = true;
}

bool pal_elements_told_energy(const PalElementScratch *scratch, double *energy)
{
    *energy = scratch->energy;
    return scratch->knows_energy;
}

// ---- ahead ------------------------------------------------------------------------------

static void run_listed(void *context, int32_t index, int32_t worker)
{
    const Pass *pass = context;
    run_block(context, pass->scratch->ahead.list[index], worker);
}

static void set_done(PalAhead *ahead, const PalNodeList *nodes, bool done)
{
    for (int32_t i = 0; i < nodes->count; ++i) {
        int32_t n = nodes->nodes[i];
        for (int32_t k = ahead->block_start[n]; k < ahead->block_start[n + 1]; ++k)
            ahead->done[ahead->block_list[k]] = done;
    }
}

// Lists the blocks that are done, or those that are not.
static void list_blocks(const PalElements *elements, PalAhead *ahead, bool done)
{
    ahead->count = 0;
    for (int32_t b = 0; b < elements->block_count; ++b)
        if (ahead->done[b] == done)
            ahead->list[ahead->count++] = b;
}

static void prepare(const PalElements *elements, PalElementScratch *scratch, double step)
{
    for (int32_t p = 0; p < elements->part_count; ++p)
        pal_prony_prepare(&elements->parts[p].material, step, &scratch->prony[p]);
}

bool pal_elements_begin_force(PalElementScratch *scratch, const PalVec3 *displacement, double step,
                              const PalNodeList *unsure, PalVec3 *force)
{
    const PalElements *elements = scratch->elements;
    PalAhead *ahead = &scratch->ahead;
    if (!ahead->allowed || scratch->thread_count < 2)
        return false;
    memset(ahead->done, true, (size_t)elements->block_count * sizeof *ahead->done);
    set_done(ahead, unsure, false);
    list_blocks(elements, ahead, true);
    prepare(elements, scratch, step);
    scratch->knows_energy = false;
    ahead->pass = (Pass){elements, scratch, displacement, NULL, force};
    ahead->begun = true;
    pal_parallel_begin(scratch->thread_count, ahead->count, run_listed, &ahead->pass, &ahead->loop);
    return true;
}

void pal_elements_end_force(PalElementScratch *scratch, const PalNodeList *moved)
{
    PAL_ASSERT(scratch->ahead.begun);
    pal_parallel_end(&scratch->ahead.loop);
    set_done(&scratch->ahead, moved, false);
}

// Blocks that are not done yet. Those done ahead have not told their energy.
static void run_blocks(const PalElements *elements, PalElementScratch *scratch, Pass *pass)
{
    PalAhead *ahead = &scratch->ahead;
    bool some = ahead->begun && !scratch->knows_energy;
    ahead->begun = false;
    if (some)
        list_blocks(elements, ahead, false);
    pal_parallel_for(scratch->thread_count, some ? ahead->count : elements->block_count,
                     some ? run_listed : run_block, pass);
}

PalElementTrouble pal_elements_force(const PalElements *elements, PalElementScratch *scratch,
                                     const PalVec3 *displacement, double step, double *history,
                                     PalVec3 *force)
{
    PAL_ASSERT(scratch->elements == elements);
    PAL_ASSERT(history != NULL || !elements->remembers);
    prepare(elements, scratch, step);
    pal_pressures_update(elements, scratch, displacement, history, history);
    pal_rings_push(elements, scratch, displacement, history);
    Pass pass = {elements, scratch, displacement, history, force};
    scratch->knows_energy = scratch->wants_energy && all_tell_energy(elements);
    run_blocks(elements, scratch, &pass);
    scratch->wants_energy = false;
    scratch->energy = 0;
    for (int32_t b = 0; scratch->knows_energy && b < elements->block_count; ++b)
        scratch->energy += scratch->block_sums[b];
    int32_t chunk_count = (elements->shared_count + CHUNK - 1) / CHUNK;
    pal_parallel_for(scratch->thread_count, chunk_count, add_shared, &pass);
    pal_rings_add_forces(elements, scratch, force);
    return find_trouble(elements, scratch);
}
