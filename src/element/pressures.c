// Averaged nodal pressure: which nodes have one, and how to find it.   docs/theory/elements.md, 4
//
// J_a = current over reference volume of the part's elements at node a, p_a = U'(J_a).
#include "element/pressures.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "element/build.h"
#include "element/smooth.h"
#include "element/work.h"
#include "math/lanes_math.h"
#include "math/vec3.h"

#include <string.h>

enum { CHUNK = 1024 };

typedef struct Pass {
    const PalElements *elements;
    PalElementScratch *scratch;
    double *volume_parts;
    const PalVec3 *displacement;  // NULL: none
    const double *before;
    double *after;
} Pass;

// One block's share of the volumes around its nodes.
static void add_up_block(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    const PalBlock *block = &elements->blocks[index];
    const PalPart *part = &elements->parts[block->part];
    if (part->pressure_corners == 0)
        return;
    PalLanes position[PAL_BLOCK_NODES];
    double volume[4 * PAL_BLOCK_NODES];
    pal_block_place(elements, block, NULL, pass->displacement, position);
    memset(volume, 0, 4 * (size_t)block->node_count * sizeof *volume);
    PalBlockWork work = {.batches = pal_block_data(elements, block, 0),
                         .batch_count = block->batch_count,
                         .position = position,
                         .volume = volume};
    part->type->volumes()(&work);
    for (int32_t n = 0; n < block->node_count; ++n)
        pass->volume_parts[block->first_node + n] = volume[4 * n];
}

static double volume_at(const Pass *pass, int32_t node)
{
    const PalElements *elements = pass->elements;
    double sum = 0;
    for (int32_t k = elements->pressure_start[node]; k < elements->pressure_start[node + 1]; ++k)
        sum += pass->volume_parts[elements->pressure_entries[k]];
    return sum;
}

static void find_pressures(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    const PalPressureChunk *chunk = &elements->pressure_chunks[index];
    const PalPart *part = &elements->parts[chunk->part];
    for (int32_t k = 0; k < chunk->count; k += PAL_LANES) {
        int32_t first = chunk->first + k;
        int32_t lanes = chunk->count - k < PAL_LANES ? chunk->count - k : PAL_LANES;
        PalLanes J = pal_lanes_all(1.0), p = {0};
        for (int32_t l = 0; l < lanes; ++l)
            J[l] = volume_at(pass, first + l) / elements->volumes[first + l];
        if (part->smoothing == 0)  // otherwise pressures are found later
            part->material.law->volumetric(part->material.parameters, &J, NULL, &p);
        for (int32_t l = 0; l < lanes; ++l) {
            pass->scratch->ratios[first + l] = J[l];
            pass->scratch->pressures[first + l] = p[l];
        }
    }
    if (part->pressure_history == 0 || pass->before == NULL || part->smoothing > 0)
        return;
    double *pressures = pass->scratch->pressures;
    for (int32_t n = chunk->first; n < chunk->first + chunk->count; ++n) {
        int64_t at = part->first_pressure_history +
                     (int64_t)(n - part->first_pressure) * part->pressure_history;
        pressures[n] = pal_prony_relax_pressure(&pass->scratch->prony[chunk->part], pressures[n],
                                                pass->before + at,
                                                pass->after != NULL ? pass->after + at : NULL);
    }
}

void pal_pressures_update(const PalElements *elements, PalElementScratch *scratch,
                          const PalVec3 *displacement, const double *before, double *after)
{
    if (elements->pressure_count == 0)
        return;
    Pass pass = {.elements = elements,
                 .scratch = scratch,
                 .volume_parts = scratch->volume_parts,
                 .displacement = displacement,
                 .before = before,
                 .after = after};
    pal_parallel_for(scratch->thread_count, elements->block_count, add_up_block, &pass);
    pal_parallel_for(scratch->thread_count, elements->pressure_chunk_count, find_pressures, &pass);
    pal_smooth_pressures(elements, scratch, before, after);
}

// ---- building ---------------------------------------------------------------------------

// Marks the nodes of a block that are corners with a pressure of one of its elements.
static void mark_corners(const PalElements *elements, const PalBlock *block, bool *has)
{
    const PalPart *part = &elements->parts[block->part];
    memset(has, 0, (size_t)block->node_count * sizeof *has);
    for (int32_t k = 0; k < block->batch_count * PAL_LANES; ++k) {
        if (elements->numbers[block->first_number + k] == PAL_NONE)
            continue;
        uint16_t(*corner)[PAL_LANES] =
            pal_batch_corners(part->type, pal_block_data(elements, block, k / PAL_LANES));
        for (int32_t a = 0; a < part->pressure_corners; ++a)
            has[corner[a][k % PAL_LANES] / 4] = true;
    }
}

// Numbers the nodes with a pressure of each part, in the order in which its blocks meet them.
static int32_t number_nodes(PalElements *elements, int32_t *number_of)
{
    int32_t count = 0, part_index = PAL_NONE;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        PalPart *part = &elements->parts[block->part];
        if (block->part != part_index) {
            part_index = block->part;
            part->first_pressure = count;
            for (int32_t n = 0; n < elements->node_count; ++n)
                number_of[n] = PAL_NONE;
        }
        bool has[PAL_BLOCK_NODES];
        mark_corners(elements, block, has);
        for (int32_t n = 0; n < block->node_count; ++n) {
            int32_t node = elements->block_nodes[block->first_node + n];
            if (has[n] && number_of[node] == PAL_NONE)
                number_of[node] = count++;
            elements->pressure_of[block->first_node + n] = has[n] ? number_of[node] : PAL_NONE;
        }
        part->pressure_count = count - part->first_pressure;
    }
    return count;
}

static void list_entries(PalElements *elements)
{
    int32_t *start = elements->pressure_start;
    for (int32_t n = 0; n < elements->block_node_count; ++n)
        if (elements->pressure_of[n] != PAL_NONE)
            start[elements->pressure_of[n] + 1]++;
    for (int32_t n = 0; n < elements->pressure_count; ++n)
        start[n + 1] += start[n];
    for (int32_t n = 0; n < elements->block_node_count; ++n)
        if (elements->pressure_of[n] != PAL_NONE)
            elements->pressure_entries[start[elements->pressure_of[n]]++] = n;
    for (int32_t n = elements->pressure_count; n > 0; --n)
        start[n] = start[n - 1];
    start[0] = 0;
}

static int32_t cut_chunks(const PalElements *elements, PalPressureChunk *chunks)
{
    int32_t count = 0;
    for (int32_t p = 0; p < elements->part_count; ++p) {
        const PalPart *part = &elements->parts[p];
        for (int32_t k = 0; k < part->pressure_count; k += CHUNK) {
            int32_t rest = part->pressure_count - k;
            if (chunks != NULL)
                chunks[count] =
                    (PalPressureChunk){p, part->first_pressure + k, rest < CHUNK ? rest : CHUNK};
            ++count;
        }
    }
    return count;
}

static bool take_arrays(PalElements *elements)
{
    int64_t count = elements->pressure_count, entries = elements->block_node_count;
    elements->pressure_start = pal_elements_take(elements, count + 1, sizeof(int32_t));
    elements->pressure_entries = pal_elements_take(elements, entries, sizeof(int32_t));
    elements->positions = pal_elements_take(elements, entries, sizeof(PalLanes));
    elements->volumes = pal_elements_take(elements, count, sizeof(double));
    elements->pressure_chunk_count = cut_chunks(elements, NULL);
    elements->pressure_chunks =
        pal_elements_take(elements, elements->pressure_chunk_count, sizeof(PalPressureChunk));
    return elements->pressure_start != NULL && elements->pressure_entries != NULL &&
           elements->positions != NULL && elements->volumes != NULL &&
           elements->pressure_chunks != NULL;
}

static void place_nodes(PalElements *elements, const PalBlock *block, const PalVec3 *nodes)
{
    PalVec3 base = nodes[elements->block_nodes[block->first_node]];
    for (int32_t n = block->first_node; n < block->first_node + block->node_count; ++n) {
        PalVec3 at = pal_vec3_sub(nodes[elements->block_nodes[n]], base);
        elements->positions[n] = (PalLanes){at.x, at.y, at.z, 0};
    }
}

// Reference volumes by the kernel itself: at rest the ratio is one to the last bit.
static PalStatus find_reference_volumes(PalElements *elements)
{
    double *volume_parts = pal_alloc((size_t)elements->block_node_count, sizeof *volume_parts);
    if (volume_parts == NULL)
        return PAL_NO_MEMORY;
    Pass pass = {.elements = elements, .volume_parts = volume_parts};
    for (int32_t b = 0; b < elements->block_count; ++b)
        add_up_block(&pass, b, 0);
    for (int32_t n = 0; n < elements->pressure_count; ++n)
        elements->volumes[n] = volume_at(&pass, n);
    pal_free(volume_parts);
    return PAL_OK;
}

static PalStatus build(PalElements *elements, const PalElementsDef *def, int32_t *number_of)
{
    elements->pressure_of =
        pal_elements_take(elements, elements->block_node_count, sizeof(int32_t));
    if (elements->pressure_of == NULL || number_of == NULL)
        return PAL_NO_MEMORY;
    elements->pressure_count = number_nodes(elements, number_of);
    if (!take_arrays(elements))
        return PAL_NO_MEMORY;
    cut_chunks(elements, elements->pressure_chunks);
    list_entries(elements);
    for (int32_t b = 0; b < elements->block_count; ++b)
        place_nodes(elements, &elements->blocks[b], def->nodes);
    return find_reference_volumes(elements);
}

PalStatus pal_elements_build_pressures(PalElements *elements, const PalElementsDef *def)
{
    bool wanted = false;
    for (int32_t p = 0; p < elements->part_count; ++p)
        wanted |= elements->parts[p].pressure_corners > 0;
    if (!wanted)
        return PAL_OK;
    int32_t *number_of = pal_alloc((size_t)elements->node_count, sizeof *number_of);
    PalStatus status = build(elements, def, number_of);
    pal_free(number_of);
    return status;
}
