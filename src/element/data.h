// What PalElements and PalElementScratch hold. Private to src/element.
#ifndef PAL_ELEMENT_DATA_H
#define PAL_ELEMENT_DATA_H

#include "element/type.h"

// Elements of one part that lie together, and their nodes: first those no other block has.
typedef struct PalBlock {
    int32_t part;
    int32_t batch_count;
    size_t first_byte;     // of `batches`
    int32_t first_number;  // of `numbers`, PAL_LANES per batch
    int32_t first_node, node_count, own_count;
    int32_t first_slot;  // of the nodes shared with other blocks
    int64_t first_history;
} PalBlock;

// A run of pressure nodes, or of rings, of one part: the length of a task.
typedef struct PalPressureChunk {
    int32_t part, first, count;
} PalPressureChunk;

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
    // shape functions. One node, `ring_own`, has minus the sum of the others' and is not listed.
    int32_t ring_count, ring_chunk_count;
    PalPressureChunk *ring_chunks;
    int32_t (*ring_of)[6][PAL_LANES];  // per batch of elements; NULL: no part has any
    int32_t *ring_start, *ring_own, *ring_node;
    PalLanes *ring_gradient;
    double *ring_volume;

    int64_t history_count;
    bool remembers;  // a part relaxes: forces need the history
    size_t bytes;
};

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
    PalRings rings;
    int32_t *inverted_counts, *first_inverted;  // per block, of the last evaluation
    double *block_sums;                         // per block, for energies and steps
    int32_t *block_worst;
    bool wants_energy;  // of the next forces
    bool knows_energy;  // of the last ones
    double energy;
};

#endif
