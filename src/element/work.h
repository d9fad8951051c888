// Moving a block's nodes in and out of its own memory, and looking at its batches.
#ifndef PAL_ELEMENT_WORK_H
#define PAL_ELEMENT_WORK_H

#include "element/data.h"

#include <string.h>

// Displacements of a block's nodes; the fourth number is the node's pressure where it has one.
static inline void pal_block_gather(const PalElements *elements, const PalBlock *block,
                                    const double *pressures, const PalVec3 *displacement,
                                    PalLanes *gathered)
{
    const int32_t *nodes = elements->block_nodes + block->first_node;
    bool averaged = elements->parts[block->part].pressure_corners > 0;
    const int32_t *pressure_of = averaged ? elements->pressure_of + block->first_node : NULL;
    for (int32_t n = 0; n < block->node_count; ++n) {
        PalVec3 u = displacement[nodes[n]];
        bool has = averaged && pressure_of[n] != PAL_NONE;
        gathered[n] = (PalLanes){u.x, u.y, u.z, has ? pressures[pressure_of[n]] : 0};
    }
}

// Where a block's nodes are, seen from its first one: equal displacements give the reference
// positions to the last bit, and rounding does not grow with the distance from the origin. The
// fourth number is the node's pressure; `pressures` NULL: 0. `displacement` NULL: none.
static inline void pal_block_place(const PalElements *elements, const PalBlock *block,
                                   const double *pressures, const PalVec3 *displacement,
                                   PalLanes *position)
{
    const PalLanes *reference = elements->positions + block->first_node;
    const int32_t *nodes = elements->block_nodes + block->first_node;
    const int32_t *pressure_of = elements->pressure_of + block->first_node;
    if (displacement == NULL) {
        memcpy(position, reference, (size_t)block->node_count * sizeof *position);
        return;
    }
    PalVec3 base = displacement[nodes[0]];
    for (int32_t n = 0; n < block->node_count; ++n) {
        PalVec3 u = displacement[nodes[n]];
        bool has = pressures != NULL && pressure_of[n] != PAL_NONE;
        position[n] = reference[n] + (PalLanes){u.x - base.x, u.y - base.y, u.z - base.z,
                                                has ? pressures[pressure_of[n]] : 0};
    }
}

// The b-th batch of a block, in the row's own layout.
static inline void *pal_block_data(const PalElements *elements, const PalBlock *block, int32_t b)
{
    size_t size = elements->parts[block->part].type->batch_size;
    return elements->batches + block->first_byte + (size_t)b * size;
}

// Where the row keeps the places of the corners among the block's nodes, four times each.
static inline uint16_t (*pal_batch_corners(const PalElementType *type, void *data))[PAL_LANES]
{
    return (uint16_t(*)[PAL_LANES])((char *)data + type->corner_offset);
}

// The b-th batch of a block whose displacements have been gathered, without history.
static inline PalBatch pal_block_batch(const PalElements *elements,
                                       const PalElementScratch *scratch, const PalBlock *block,
                                       int32_t b, const PalLanes *gathered)
{
    PalBatch batch = {.part = &elements->parts[block->part],
                      .data = pal_block_data(elements, block, b),
                      .displacement = gathered,
                      .prony = &scratch->prony[block->part]};
    if (elements->pressure_of != NULL) {
        batch.pressure_of = elements->pressure_of + block->first_node;
        batch.ratios = scratch->ratios;
    }
    if (elements->ring_of != NULL) {
        batch.rings = &scratch->rings;
        batch.ring_of =
            (const int32_t(*)[PAL_LANES])elements->ring_of[block->first_number / PAL_LANES + b];
    }
    return batch;
}

#endif
