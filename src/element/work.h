// Moving a block's nodes in and out of its own memory.
#ifndef PAL_ELEMENT_WORK_H
#define PAL_ELEMENT_WORK_H

#include "element/data.h"

#include <string.h>

// Displacements of a block's nodes, the fourth number zero; NULL: all zero.
static inline void pal_block_gather(const PalElements *elements, const PalBlock *block,
                                    const PalVec3 *displacement, PalLanes *gathered)
{
    const int32_t *nodes = elements->block_nodes + block->first_node;
    if (displacement == NULL) {
        memset(gathered, 0, (size_t)block->node_count * sizeof *gathered);
        return;
    }
    for (int32_t n = 0; n < block->node_count; ++n) {
        PalVec3 u = displacement[nodes[n]];
        gathered[n] = (PalLanes){u.x, u.y, u.z, 0};
    }
}

// The same with the node's pressure as fourth number, where the block has averaged pressures.
static inline void pal_block_gather_all(const PalElements *elements, const PalBlock *block,
                                        const PalVec3 *displacement, PalLanes *gathered)
{
    if (elements->parts[block->part].kind != PAL_ELEMENT_T4_ANP) {
        pal_block_gather(elements, block, displacement, gathered);
        return;
    }
    const int32_t *nodes = elements->block_nodes + block->first_node;
    const int32_t *pressure_of = elements->pressure_of + block->first_node;
    for (int32_t n = 0; n < block->node_count; ++n) {
        PalVec3 u = displacement[nodes[n]];
        gathered[n] = (PalLanes){u.x, u.y, u.z, elements->pressures[pressure_of[n]]};
    }
}

// F of the block's k-th element, counted lane by lane.
PalMat3 pal_block_gradient(const PalElements *elements, const PalBlock *block, int32_t k,
                           const PalLanes *displacement);

#endif
