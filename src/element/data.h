// What PalElements and PalElementScratch hold. Private to src/element.
#ifndef PAL_ELEMENT_DATA_H
#define PAL_ELEMENT_DATA_H

#include "base/parallel.h"
#include "element/type.h"

// Elements of one part that lie together, and their nodes: first those no other block has.
// Slots of nodes are fetched so much before they are needed; there are as many behind the last.
#define PAL_RING_SLOTS_AHEAD 24

typedef struct PalBlock {
    int32_t part;
    int32_t batch_count;
    size_t first_byte;     // of `batches`
    int32_t first_number;  // of `numbers`, PAL_LANES per batch
    int32_t first_node, node_count, own_count;
    int32_t first_slot;  // of the nodes shared with other blocks
    int64_t first_history;
} PalBlock;

// A run of pressure nodes of one part: the length of a task.
typedef struct PalPressureChunk {
    int32_t part, first, count;
} PalPressureChunk;

// A run of rings of one part, from the first lane of a batch on, and their nodes.
typedef struct PalRingChunk {
    int32_t part, first, count;
    int32_t first_node, node_count;  // of `ring_chunk_nodes`
} PalRingChunk;

struct PalElements {
    int32_t node_count, element_count, part_count, block_count;
    PalPart *parts;
    PalBlock *blocks;
    size_t batch_bytes;
    char *batches;  // block after block, each in the layout of its part's row
    int32_t lane_count;
    int32_t *numbers;  // element number per lane; PAL_NONE in padding
    int32_t block_node_count;
    int32_t *block_nodes;  // model node of each block's nodes

    // Nodes of several blocks, or of none: the sum of their slots, in the scratch, is the force.
    int32_t shared_count, slot_count;
    int32_t *shared_nodes, *shared_start, *shared_slots;

    // Averaged pressures: nodes that have one, once per part; per block node its place among them.
    int32_t pressure_count, pressure_chunk_count;
    PalPressureChunk *pressure_chunks;
    int32_t *pressure_of;                        // per block node; NULL: no part has any
    int32_t *pressure_start, *pressure_entries;  // block nodes of each pressure node
    double *volumes;                             // at each pressure node, in the reference shape
    PalLanes *positions;                         // per block node, from the block's first node
    // Smoothing of pressures: the matrix S of smooth.h by rows of pressure nodes, without its
    // diagonal, which stands apart. NULL: no part smooths.
    int32_t *smooth_start, *smooth_column;
    double *smooth_value, *smooth_diagonal;
    // Rings of elements around edges: the nodes of each, and the means of the gradients of their
    // shape functions. One node, its own, has minus the sum of the others' and is no member. Rings
    // of about the same size are side by side in batches; shorter ones have members without a
    // node, which have no gradient.
    int32_t ring_count, ring_chunk_count;
    PalRingChunk *ring_chunks;
    int32_t (*ring_of)[6][PAL_LANES];  // per batch of elements; NULL: no part has any
    int32_t *ring_size;                // per ring: its nodes; 0: a lane without a ring
    int32_t *ring_own;                 // per ring
    double *ring_volume;               // per ring
    int32_t *ring_start;               // per batch: its first member
    int32_t (*ring_node)[PAL_LANES];   // per member
    PalLanes (*ring_gradient)[3];      // per member
    // The same nodes by four times their place among those of the chunk.
    uint16_t (*ring_base)[PAL_LANES];    // per batch: own
    uint16_t (*ring_corner)[PAL_LANES];  // per member
    int32_t ring_chunk_node_count;
    int32_t *ring_chunk_nodes;
    int32_t *ring_slot_start, *ring_slots;  // per node: its places among ring_chunk_nodes

    int64_t history_count;
    bool remembers;  // a part relaxes: forces need the history
    size_t bytes;
};

// What forces are found from, and where they go.
typedef struct PalForcePass {
    const PalElements *elements;
    PalElementScratch *scratch;
    const PalVec3 *displacement;
    double *history;
    PalVec3 *force;
} PalForcePass;

// Forces that helpers find while something else may still move nodes (force.c).
typedef struct PalAhead {
    bool allowed;
    int32_t *block_start, *block_list;  // per node: the blocks that have it
    bool *done;                         // per block
    int32_t *list;                      // blocks to do
    int32_t count;
    bool begun;  // since the last forces: some blocks are done
    PalForcePass pass;
    PalLoop loop;
} PalAhead;

struct PalElementScratch {
    const PalElements *elements;  // that it fits
    int32_t thread_count;
    char *memory;          // all of what follows
    PalProny *prony;       // per part, of the step being taken
    PalLanes *slots;       // forces at nodes that blocks share
    double *volume_parts;  // averaged pressures, per block node: its block's share of the volume
    double *pressures, *ratios;          // at each pressure node, now
    double *smooth_work[7];              // per pressure node; all or none
    double *chunk_sums, *chunk_weights;  // per chunk of pressure nodes
    double smooth_tolerance;
    bool precise;  // the residual of smoothing is looked at again
    PalRings rings;
    PalLanes *ring_forces;                      // per node of a chunk of rings
    int32_t *inverted_counts, *first_inverted;  // per block, of the last evaluation
    double *block_sums;                         // per block, for energies and steps
    int32_t *block_worst;
    bool wants_energy;  // of the next forces
    bool knows_energy;  // of the last ones
    double energy;
    PalAhead ahead;
};

#endif
