// Cutting elements into blocks whose nodes fit the first-level cache.
#include "element/build.h"

#include "base/array.h"
#include "base/memory.h"
#include "element/order.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

// Enough blocks to share among threads, while each is long enough to pay for its start.
enum { BLOCK_COUNT_AIM = 32, BLOCK_LEAST = 128 };

typedef struct Builder {
    PalElements *elements;
    const PalElementsDef *def;
    int32_t *order;  // of the part at hand, element indices in it
    int32_t *stamp;  // per node: the last block that took it
    int32_t *uses;   // per node: blocks that have it
    PAL_ARRAY(PalBlock) blocks;
    PAL_ARRAY(int32_t) nodes;
    PAL_ARRAY(int32_t) numbers;
} Builder;

static bool order_part(Builder *builder, const PalElementPartDef *part)
{
    int32_t corner_count = part->type->corner_count;
    PalVec3 *centres = pal_alloc((size_t)part->element_count, sizeof *centres);
    if (centres == NULL)
        return false;
    for (int32_t e = 0; e < part->element_count; ++e) {
        PalVec3 sum = {0};
        for (int32_t a = 0; a < corner_count; ++a)
            sum = pal_vec3_add(
                sum, builder->def->nodes[part->connectivity[(int64_t)e * corner_count + a]]);
        centres[e] = pal_vec3_scale(1.0 / corner_count, sum);
    }
    bool done = pal_order_along_curve(centres, part->element_count, builder->order);
    pal_free(centres);
    return done;
}

// Adds an element's nodes to the block being cut; false when they do not fit any more.
static bool take_element(Builder *builder, const int32_t *corners, int32_t corner_count,
                         int32_t first_node)
{
    int32_t block = builder->blocks.count, fresh = 0;
    for (int32_t a = 0; a < corner_count; ++a)
        fresh += builder->stamp[corners[a]] != block;
    if (builder->nodes.count - first_node + fresh > PAL_BLOCK_NODES)
        return false;
    for (int32_t a = 0; a < corner_count; ++a)
        if (builder->stamp[corners[a]] != block) {
            builder->stamp[corners[a]] = block;
            builder->uses[corners[a]]++;
            builder->nodes.items[builder->nodes.count++] = corners[a];
        }
    return true;
}

// Lanes take elements far apart in the block, so that a batch rarely adds to a node twice.
static void number_lanes(Builder *builder, const PalBlock *block, int32_t begin, int32_t end)
{
    int32_t first_element = builder->elements->parts[block->part].first_element;
    for (int32_t b = 0; b < block->batch_count; ++b)
        for (int32_t l = 0; l < PAL_LANES; ++l) {
            int32_t at = begin + l * block->batch_count + b;
            builder->numbers.items[builder->numbers.count++] =
                at < end ? first_element + builder->order[at] : PAL_NONE;
        }
}

// Blocks start on cache lines of their own.
static size_t block_bytes(const PalElementType *type, int32_t batch_count)
{
    size_t bytes = (size_t)batch_count * type->batch_size;
    return (bytes + PAL_ALIGNMENT - 1) / PAL_ALIGNMENT * PAL_ALIGNMENT;
}

// One block from order[begin] on; returns where it ends, or PAL_NONE without memory.
static int32_t cut_block(Builder *builder, int32_t part_index, int32_t begin, int32_t limit)
{
    const PalElementPartDef *part = &builder->def->parts[part_index];
    int32_t corner_count = part->type->corner_count;
    PalBlock block = {.part = part_index,
                      .first_node = builder->nodes.count,
                      .first_number = builder->numbers.count};
    if (!pal_array_reserve(&builder->nodes, PAL_BLOCK_NODES))
        return PAL_NONE;
    int32_t end = begin;
    while (end < part->element_count && end - begin < limit &&
           take_element(builder, part->connectivity + (int64_t)builder->order[end] * corner_count,
                        corner_count, block.first_node))
        ++end;
    block.node_count = builder->nodes.count - block.first_node;
    block.batch_count = (end - begin + PAL_LANES - 1) / PAL_LANES;
    block.first_byte = builder->elements->batch_bytes;
    builder->elements->batch_bytes += block_bytes(part->type, block.batch_count);
    if (!pal_array_reserve(&builder->numbers, (int64_t)block.batch_count * PAL_LANES))
        return PAL_NONE;
    number_lanes(builder, &block, begin, end);
    return pal_array_push(&builder->blocks, block) ? end : PAL_NONE;
}

static PalStatus cut_part(Builder *builder, int32_t part_index)
{
    const PalElementPartDef *part = &builder->def->parts[part_index];
    if (!order_part(builder, part))
        return PAL_NO_MEMORY;
    int32_t limit = part->element_count / BLOCK_COUNT_AIM;
    limit = limit < BLOCK_LEAST ? BLOCK_LEAST : limit;
    for (int32_t begin = 0; begin < part->element_count;) {
        begin = cut_block(builder, part_index, begin, limit);
        if (begin == PAL_NONE)
            return PAL_NO_MEMORY;
    }
    return PAL_OK;
}

static int compare_nodes(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

// A block's own nodes first, then those it shares, each in ascending order; gives out slots.
static void sort_nodes(Builder *builder, PalBlock *block)
{
    int32_t *nodes = builder->nodes.items + block->first_node, kept[PAL_BLOCK_NODES];
    int32_t own = 0, shared = 0;
    for (int32_t n = 0; n < block->node_count; ++n)
        if (builder->uses[nodes[n]] == 1)
            nodes[own++] = nodes[n];
        else
            kept[shared++] = nodes[n];
    qsort(nodes, (size_t)own, sizeof *nodes, compare_nodes);
    qsort(kept, (size_t)shared, sizeof *kept, compare_nodes);
    memcpy(nodes + own, kept, (size_t)shared * sizeof *kept);
    block->own_count = own;
    block->first_slot = builder->elements->slot_count;
    builder->elements->slot_count += shared;
}

// For every node that is not one block's own, the slots that add up to its force.
static PalStatus list_shared(Builder *builder)
{
    PalElements *elements = builder->elements;
    int32_t *place = builder->stamp;
    for (int32_t n = 0; n < elements->node_count; ++n)
        elements->shared_count += builder->uses[n] != 1;
    elements->shared_nodes = pal_elements_take(elements, elements->shared_count, sizeof(int32_t));
    elements->shared_start =
        pal_elements_take(elements, (int64_t)elements->shared_count + 1, sizeof(int32_t));
    elements->shared_slots = pal_elements_take(elements, elements->slot_count, sizeof(int32_t));
    if (elements->shared_nodes == NULL || elements->shared_start == NULL ||
        elements->shared_slots == NULL)
        return PAL_NO_MEMORY;
    for (int32_t n = 0, s = 0; n < elements->node_count; ++n)
        if (builder->uses[n] != 1) {
            elements->shared_nodes[s] = n;
            elements->shared_start[s + 1] = elements->shared_start[s] + builder->uses[n];
            place[n] = elements->shared_start[s++];
        }
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &builder->blocks.items[b];
        for (int32_t n = block->own_count; n < block->node_count; ++n) {
            int32_t node = builder->nodes.items[block->first_node + n];
            elements->shared_slots[place[node]++] = block->first_slot + n - block->own_count;
        }
    }
    return PAL_OK;
}

static void *keep(PalElements *elements, const void *items, int32_t count, size_t size)
{
    void *copy = pal_elements_take(elements, count, size);
    if (copy != NULL && count > 0)
        memcpy(copy, items, (size_t)count * size);
    return copy;
}

static PalStatus build(Builder *builder)
{
    PalElements *elements = builder->elements;
    if (builder->order == NULL || builder->stamp == NULL || builder->uses == NULL)
        return PAL_NO_MEMORY;
    for (int32_t n = 0; n < elements->node_count; ++n)
        builder->stamp[n] = PAL_NONE;
    for (int32_t p = 0; p < elements->part_count; ++p)
        PAL_TRY(cut_part(builder, p));
    elements->block_count = builder->blocks.count;
    for (int32_t b = 0; b < elements->block_count; ++b)
        sort_nodes(builder, &builder->blocks.items[b]);
    PAL_TRY(list_shared(builder));
    elements->block_node_count = builder->nodes.count;
    elements->lane_count = builder->numbers.count;
    elements->blocks =
        keep(elements, builder->blocks.items, builder->blocks.count, sizeof(PalBlock));
    elements->block_nodes =
        keep(elements, builder->nodes.items, builder->nodes.count, sizeof(int32_t));
    elements->numbers =
        keep(elements, builder->numbers.items, builder->numbers.count, sizeof(int32_t));
    bool whole = elements->blocks != NULL && elements->block_nodes != NULL;
    return whole && elements->numbers != NULL ? PAL_OK : PAL_NO_MEMORY;
}

PalStatus pal_elements_build_blocks(PalElements *elements, const PalElementsDef *def)
{
    Builder builder = {.elements = elements, .def = def};
    builder.order = pal_alloc((size_t)elements->element_count, sizeof *builder.order);
    builder.stamp = pal_alloc((size_t)elements->node_count, sizeof *builder.stamp);
    builder.uses = pal_alloc((size_t)elements->node_count, sizeof *builder.uses);
    PalStatus status = build(&builder);
    pal_free(builder.order);
    pal_free(builder.stamp);
    pal_free(builder.uses);
    pal_array_clear(&builder.blocks);
    pal_array_clear(&builder.nodes);
    pal_array_clear(&builder.numbers);
    return status;
}
