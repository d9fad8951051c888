// Moving a block's nodes in and out of its own memory.
#ifndef PAL_ELEMENT_WORK_H
#define PAL_ELEMENT_WORK_H

#include "element/data.h"

// Displacements of a block's nodes; the fourth number is the node's pressure where it has one.
static inline void pal_block_gather(const PalElements *elements, const PalBlock *block,
                                    const double *pressures, const PalVec3 *displacement,
                                    PalLanes *gathered)
{
    const int32_t *nodes = elements->block_nodes + block->first_node;
    bool averaged = elements->parts[block->part].kind == PAL_ELEMENT_T4_ANP;
    const int32_t *pressure_of = averaged ? elements->pressure_of + block->first_node : NULL;
    for (int32_t n = 0; n < block->node_count; ++n) {
        PalVec3 u = displacement[nodes[n]];
        gathered[n] = (PalLanes){u.x, u.y, u.z, averaged ? pressures[pressure_of[n]] : 0};
    }
}

// F of the block's k-th element, counted lane by lane.
PalMat3 pal_block_gradient(const PalElements *elements, const PalBlock *block, int32_t k,
                           const PalLanes *displacement);

#endif
