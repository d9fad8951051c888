// What PalElements and PalElementScratch hold. Private to src/element.
#ifndef PAL_ELEMENT_DATA_H
#define PAL_ELEMENT_DATA_H

#include "element/elements.h"
#include "material/law.h"
#include "material/prony.h"

// A block's nodes fit the first-level cache together with their forces: 32 + 32 bytes each.
#define PAL_BLOCK_NODES 384

// PAL_LANES tetrahedra. Gradients of the shape functions of corners 1, 2, 3 in the reference
// shape; that of corner 0 is minus their sum. Padding has no volume and no gradients.
typedef struct PalT4Batch {
    PalLanes g[3][3];  // [corner - 1][axis]
    PalLanes V;
    uint16_t corner[4][PAL_LANES];  // four times the index among the block's nodes
} PalT4Batch;

// PAL_LANES hexahedra. g: mean gradients of corners 1 to 7. k, x: hourglass stiffness, and what
// makes the hourglass patterns blind to linear fields.
typedef struct PalH8Batch {
    PalLanes g[7][3];
    PalLanes V;
    PalLanes k;
    PalLanes x[4][3];
    uint16_t corner[8][PAL_LANES];
} PalH8Batch;

// Elements of one part that lie together, and their nodes: first those no other block has.
typedef struct PalBlock {
    int32_t part;
    int32_t first_batch, batch_count;  // in t4 or h8, by the part's kind
    int32_t first_number;              // of `numbers`, PAL_LANES per batch
    int32_t first_node, node_count, own_count;
    int32_t first_slot;  // of the nodes shared with other blocks
    int64_t first_history;
} PalBlock;

typedef struct PalPart {
    PalElementKind kind;
    PalMaterialDef material;
    int32_t first_element, element_count;
    double hourglass;
    int32_t history_batch;  // numbers of history per batch; 0: its stress does not relax
    int32_t first_pressure, pressure_count;  // t4-anp: nodes with a pressure
    int32_t pressure_history;                // numbers of history per such node
    int64_t first_pressure_history;
} PalPart;

// A run of pressure nodes of one part, the length of a task.
typedef struct PalPressureChunk {
    int32_t part, first, count;
} PalPressureChunk;

struct PalElements {
    int32_t node_count, element_count, part_count, block_count;
    PalPart *parts;
    PalBlock *blocks;
    int32_t t4_count, h8_count;  // batches
    PalT4Batch *t4;
    PalH8Batch *h8;
    int32_t lane_count;
    int32_t *numbers;  // element number per lane; PAL_NONE in padding
    int32_t block_node_count;
    int32_t *block_nodes;  // model node of each block's nodes

    // Nodes of several blocks, or of none: the sum of their slots, in the scratch, is the force.
    int32_t shared_count, slot_count;
    int32_t *shared_nodes, *shared_start, *shared_slots;

    // t4-anp: nodes with a pressure, once per part; per block node its place among them.
    int32_t pressure_count, pressure_chunk_count;
    PalPressureChunk *pressure_chunks;
    int32_t *pressure_of;                        // per block node
    int32_t *pressure_start, *pressure_entries;  // block nodes of each pressure node
    double *volumes;                             // at each pressure node, in the reference shape
    PalLanes *positions;                         // per block node, from the block's first node

    int64_t history_count;
    size_t bytes;
};

struct PalElementScratch {
    int32_t thread_count;
    char *memory;                // all of what follows
    PalProny *prony;             // per part, of the step being taken
    PalLanes *slots;             // forces at nodes that blocks share
    double *volume_parts;        // t4-anp, per block node: its block's share of the current volume
    double *pressures, *ratios;  // at each pressure node, now
    int32_t *inverted_counts, *first_inverted;  // per block, of the last evaluation
    double *block_sums;                         // per block, for energies and steps
    int32_t *block_worst;
};

#endif
