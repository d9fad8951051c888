// Edges behind which a thin body goes on as in a mirror.   docs/theory/membranes.md
#include "element/work.h"

#include "element/layouts.h"

static void visit_lane(const PalElements *elements, const PalBlock *block,
                       const PalShellBatch *batch, int32_t lane, PalEdgeVisitor visitor)
{
    const int32_t *nodes = elements->block_nodes + block->first_node;
    for (int s = 0; s < 3; ++s) {
        const PalLanes *mirror = batch->mirror[s];
        if (mirror[0][lane] == 0 && mirror[1][lane] == 0 && mirror[2][lane] == 0)
            continue;
        visitor.call(visitor.context, nodes[batch->corner[(s + 1) % 3][lane] / 4],
                     nodes[batch->corner[(s + 2) % 3][lane] / 4]);
    }
}

void pal_elements_clamped_edges(const PalElements *elements, PalEdgeVisitor visitor)
{
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        if (!elements->parts[block->part].type->traits.bends)
            continue;
        for (int32_t k = 0; k < block->batch_count * PAL_LANES; ++k)
            if (elements->numbers[block->first_number + k] != PAL_NONE)
                visit_lane(elements, block, pal_block_data(elements, block, k / PAL_LANES),
                           k % PAL_LANES, visitor);
    }
}
