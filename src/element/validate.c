// Whether blocks, shared nodes and pressures are what every evaluation takes them for.
#include "element/elements.h"
#include "element/rings.h"

#include "base/memory.h"
#include "base/valid.h"
#include "element/work.h"

typedef struct Check {
    const PalElements *elements;
    int32_t *uses;   // per node: blocks that have it
    uint8_t *taken;  // per element: met already
    PalError *error;
} Check;

#define HOLDS(condition, what, index)                                                              \
    PAL_HOLDS(condition, check->error, "elements are", what, index)

// Blocks follow each other without a gap in every list.
static PalStatus check_places(const Check *check)
{
    const PalElements *elements = check->elements;
    int32_t node = 0, number = 0, slot = 0;
    int64_t history = 0;
    size_t byte = 0;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        HOLDS(block->part >= 0 && block->part < elements->part_count, "a block's part", b);
        const PalPart *part = &elements->parts[block->part];
        HOLDS(block->batch_count > 0, "a block has no batches", b);
        HOLDS(block->node_count > 0 && block->node_count <= PAL_BLOCK_NODES, "a block's nodes", b);
        HOLDS(block->own_count >= 0 && block->own_count <= block->node_count, "own nodes", b);
        HOLDS(block->first_node == node && block->first_number == number, "a block's place", b);
        HOLDS(block->first_slot == slot && block->first_history == history, "a block's place", b);
        HOLDS(block->first_byte >= byte && block->first_byte % PAL_ALIGNMENT == 0,
              "a block's batches", b);
        node += block->node_count;
        number += block->batch_count * PAL_LANES;
        slot += block->node_count - block->own_count;
        history += (int64_t)block->batch_count * part->history_batch;
        byte = block->first_byte + (size_t)block->batch_count * part->type->batch_size;
    }
    HOLDS(node == elements->block_node_count && number == elements->lane_count, "lists end", node);
    HOLDS(slot == elements->slot_count && byte <= elements->batch_bytes, "slots end", slot);
    for (int32_t p = 0; p < elements->part_count; ++p) {
        const PalPart *part = &elements->parts[p];
        HOLDS(part->first_pressure_history == history, "a part's history", p);
        history += (int64_t)part->pressure_count * part->pressure_history;
        HOLDS(!part->rings || part->first_ring_history == history, "history of a part's rings", p);
        history += (int64_t)pal_ring_batch_count(part) * part->ring_history;
    }
    HOLDS(history == elements->history_count, "history ends", 0);
    return PAL_OK;
}

// Own nodes and shared ones ascend, and are nodes.
static PalStatus check_nodes(const Check *check, const PalBlock *block, int32_t b)
{
    const int32_t *nodes = check->elements->block_nodes + block->first_node;
    for (int32_t n = 0; n < block->node_count; ++n) {
        HOLDS(nodes[n] >= 0 && nodes[n] < check->elements->node_count, "no such node", nodes[n]);
        HOLDS(n == 0 || n == block->own_count || nodes[n] > nodes[n - 1], "order of nodes", b);
        check->uses[nodes[n]]++;
    }
    return PAL_OK;
}

// Each lane is an element of the block's part that no other has, with corners in the block; or
// none.
static PalStatus check_lanes(const Check *check, const PalBlock *block, int32_t b)
{
    const PalElements *elements = check->elements;
    const PalPart *part = &elements->parts[block->part];
    for (int32_t k = 0; k < block->batch_count * PAL_LANES; ++k) {
        int32_t e = elements->numbers[block->first_number + k];
        uint16_t(*corner)[PAL_LANES] =
            pal_batch_corners(part->type, pal_block_data(elements, block, k / PAL_LANES));
        for (int32_t a = 0; a < part->type->corner_count; ++a)
            HOLDS(corner[a][k % PAL_LANES] % 4 == 0 &&
                      corner[a][k % PAL_LANES] < 4 * block->node_count,
                  "a corner is not in its block", b);
        if (e == PAL_NONE)
            continue;
        HOLDS(e >= part->first_element && e < part->first_element + part->element_count,
              "an element is not of its block's part", e);
        for (int32_t a = 0; a < part->pressure_corners; ++a)
            HOLDS(elements->pressure_of[block->first_node + corner[a][k % PAL_LANES] / 4] !=
                      PAL_NONE,
                  "a corner has no pressure", e);
        HOLDS(!check->taken[e], "an element is there twice", e);
        check->taken[e] = true;
    }
    return PAL_OK;
}

// Nodes of one block are its own; all others are listed, with a slot for each block that has them.
static PalStatus check_shared(const Check *check)
{
    const PalElements *elements = check->elements;
    int32_t s = 0;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        for (int32_t n = 0; n < block->node_count; ++n)
            HOLDS((check->uses[elements->block_nodes[block->first_node + n]] == 1) ==
                      (n < block->own_count),
                  "a node is its block's own or not", b);
    }
    for (int32_t n = 0; n < elements->node_count; ++n) {
        if (check->uses[n] == 1)
            continue;
        HOLDS(s < elements->shared_count && elements->shared_nodes[s] == n, "a shared node", n);
        HOLDS(elements->shared_start[s + 1] - elements->shared_start[s] == check->uses[n],
              "slots of a shared node", n);
        ++s;
    }
    HOLDS(s == elements->shared_count, "shared nodes end", s);
    HOLDS(elements->shared_start[0] == 0 && elements->shared_start[s] == elements->slot_count,
          "slots of shared nodes", s);
    return PAL_OK;
}

// Each slot is where a block puts the force at the node that adds it up.
static PalStatus check_slots(const Check *check)
{
    const PalElements *elements = check->elements;
    for (int32_t s = 0; s < elements->shared_count; ++s) {
        int32_t b = 0;
        for (int32_t k = elements->shared_start[s]; k < elements->shared_start[s + 1]; ++k) {
            int32_t slot = elements->shared_slots[k];
            HOLDS(slot >= 0 && slot < elements->slot_count, "no such slot", slot);
            while (b + 1 < elements->block_count && elements->blocks[b + 1].first_slot <= slot)
                ++b;  // slots of a node ascend, as blocks do
            const PalBlock *block = &elements->blocks[b];
            int32_t n = block->first_node + block->own_count + slot - block->first_slot;
            HOLDS(slot >= block->first_slot && n < block->first_node + block->node_count &&
                      elements->block_nodes[n] == elements->shared_nodes[s],
                  "a slot is of another node", slot);
        }
    }
    return PAL_OK;
}

// Every node of a part that averages has one pressure in it, which lists it; no other node has.
static PalStatus check_pressures(const Check *check)
{
    const PalElements *elements = check->elements;
    const int32_t *start = elements->pressure_start;
    HOLDS(elements->pressure_count == 0 || start[0] == 0, "pressures begin", 0);
    for (int32_t b = 0; elements->pressure_of != NULL && b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        const PalPart *part = &elements->parts[block->part];
        for (int32_t n = block->first_node; n < block->first_node + block->node_count; ++n) {
            int32_t p = elements->pressure_of[n];
            if (part->pressure_corners == 0)
                HOLDS(p == PAL_NONE, "a pressure where there is none", n);
            if (p == PAL_NONE)
                continue;
            HOLDS(p >= part->first_pressure && p < part->first_pressure + part->pressure_count,
                  "a pressure is not of its part", n);
            int32_t k = start[p];
            while (k < start[p + 1] && elements->pressure_entries[k] != n)
                ++k;
            HOLDS(k < start[p + 1], "a pressure does not list its node", p);
            HOLDS(elements->block_nodes[n] ==
                      elements->block_nodes[elements->pressure_entries[start[p]]],
                  "a pressure of two nodes", p);
            HOLDS(elements->volumes[p] > 0, "a pressure's volume", p);
        }
    }
    for (int32_t c = 0, next = 0; c < elements->pressure_chunk_count; ++c) {
        const PalPressureChunk *chunk = &elements->pressure_chunks[c];
        HOLDS(chunk->first == next && chunk->count > 0, "a chunk of pressures", c);
        next += chunk->count;
        HOLDS(c + 1 < elements->pressure_chunk_count || next == elements->pressure_count,
              "chunks of pressures end", next);
    }
    return PAL_OK;
}

// The nodes of a ring, and where they are among those of its chunk.
static PalStatus check_ring(const Check *check, const PalRingChunk *chunk, int32_t r)
{
    const PalElements *elements = check->elements;
    const int32_t batch = r / PAL_LANES, l = r % PAL_LANES, first = elements->ring_start[batch];
    const int32_t *nodes = elements->ring_chunk_nodes + chunk->first_node;
    HOLDS(elements->ring_size[r] >= 4 && elements->ring_volume[r] > 0, "a ring's volume", r);
    HOLDS(elements->ring_size[r] - 1 <= elements->ring_start[batch + 1] - first, "a ring's size",
          r);
    for (int32_t k = -1; k < elements->ring_size[r] - 1; ++k) {
        int32_t node = k < 0 ? elements->ring_own[r] : elements->ring_node[first + k][l];
        int32_t place = k < 0 ? elements->ring_base[batch][l] : elements->ring_corner[first + k][l];
        HOLDS(node >= 0 && node < elements->node_count && place / 4 < chunk->node_count &&
                  nodes[place / 4] == node && (k < 0 || node != elements->ring_own[r]),
              "no such node of a ring", r);
    }
    return PAL_OK;
}

// Rings have nodes, and elements have rings of their part.
static PalStatus check_rings(const Check *check)
{
    const PalElements *elements = check->elements;
    for (int32_t c = 0; c < elements->ring_chunk_count; ++c) {
        const PalRingChunk *chunk = &elements->ring_chunks[c];
        HOLDS(chunk->first % PAL_LANES == 0 && chunk->node_count <= PAL_BLOCK_NODES,
              "a chunk of rings", c);
        for (int32_t k = 0; k < chunk->count; ++k)
            PAL_TRY(check_ring(check, chunk, chunk->first + k));
    }
    for (int32_t b = 0; elements->ring_of != NULL && b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        const PalPart *part = &elements->parts[block->part];
        for (int32_t k = 0; part->rings && k < 6 * PAL_LANES * block->batch_count; ++k) {
            int32_t batch = block->first_number / PAL_LANES + k / (6 * PAL_LANES);
            int32_t ring = elements->ring_of[batch][k / PAL_LANES % 6][k % PAL_LANES];
            HOLDS(ring >= part->first_ring && ring < part->first_ring + part->ring_count,
                  "no such ring", b);
        }
    }
    return PAL_OK;
}

static PalStatus check_all(const Check *check)
{
    const PalElements *elements = check->elements;
    PAL_TRY(check_places(check));
    for (int32_t b = 0; b < elements->block_count; ++b) {
        PAL_TRY(check_nodes(check, &elements->blocks[b], b));
        PAL_TRY(check_lanes(check, &elements->blocks[b], b));
    }
    for (int32_t e = 0; e < elements->element_count; ++e)
        HOLDS(check->taken[e], "an element is in no block", e);
    PAL_TRY(check_shared(check));
    PAL_TRY(check_slots(check));
    PAL_TRY(check_pressures(check));
    return check_rings(check);
}

PalStatus pal_elements_validate(const PalElements *elements, PalError *error)
{
    Check check = {.elements = elements, .error = error};
    check.uses = pal_alloc((size_t)elements->node_count, sizeof *check.uses);
    check.taken = pal_alloc((size_t)elements->element_count, sizeof *check.taken);
    PalStatus status = check.uses != NULL && check.taken != NULL
                           ? check_all(&check)
                           : pal_error_set(error, PAL_NO_MEMORY, "no memory to check the elements");
    pal_free(check.uses);
    pal_free(check.taken);
    return status;
}
