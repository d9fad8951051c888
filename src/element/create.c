// Making elements: checks, parts, history; and what is asked of them as a whole.
#include "element/elements.h"

#include "base/assert.h"
#include "base/memory.h"
#include "element/build.h"
#include "element/rings.h"
#include "element/scratch.h"
#include "element/smooth.h"
#include "element/work.h"
#include "math/vec3.h"

void *pal_elements_take(PalElements *elements, int64_t count, size_t size)
{
    void *memory = pal_alloc((size_t)count, size);
    if (memory != NULL)
        elements->bytes += (size_t)count * size;
    return memory;
}

static PalStatus check_connectivity(const PalElementsDef *def, const PalElementPartDef *part,
                                    int32_t first_element, PalError *error)
{
    int64_t corner_count = part->type->corner_count;
    for (int64_t k = 0; k < part->element_count * corner_count; ++k)
        if (part->connectivity[k] < 0 || part->connectivity[k] >= def->node_count)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "element %d refers to node %d, but there are %d nodes",
                                 (int)(first_element + k / corner_count),
                                 (int)part->connectivity[k], (int)def->node_count);
    return PAL_OK;
}

static PalStatus check_part(const PalElementsDef *def, const PalElementPartDef *part,
                            int32_t first_element, PalError *error)
{
    PAL_TRY(pal_material_validate(part->material, error));
    PAL_ASSERT(part->type != NULL && part->type->corner_count <= PAL_CORNER_MAX);
    if (part->type->check != NULL)
        PAL_TRY(part->type->check(part, error));
    return check_connectivity(def, part, first_element, error);
}

static PalStatus check(const PalElementsDef *def, PalError *error)
{
    int64_t count = 0;
    for (int32_t n = 0; n < def->node_count; ++n)
        if (!pal_vec3_is_finite(def->nodes[n]))
            return pal_error_set(error, PAL_BAD_INPUT, "node %d has a position that is not finite",
                                 (int)n);
    for (int32_t p = 0; p < def->part_count; ++p) {
        PAL_TRY(check_part(def, &def->parts[p], (int32_t)count, error));
        count += def->parts[p].element_count;
        // Lanes are counted in 32 bits, padding included.
        if (count > INT32_MAX / 2)
            return pal_error_set(error, PAL_BAD_INPUT, "too many elements: at most %d are possible",
                                 INT32_MAX / 2);
    }
    return PAL_OK;
}

bool pal_element_has_pressures(const PalElementType *type, const PalMaterialDef *material)
{
    double shear, bulk;
    if (type->pressure_corners == 0 || !pal_law_splits(material->law))
        return false;
    pal_material_moduli(material, &shear, &bulk);
    return bulk > type->pressures_above * shear;
}

static void describe_part(PalElements *elements, int32_t index, const PalElementPartDef *def)
{
    PalPart *part = &elements->parts[index];
    part->type = def->type;
    part->material = *def->material;
    part->first_element = elements->element_count;
    part->element_count = def->element_count;
    part->hourglass = def->hourglass;
    part->hourglass_control = def->hourglass_control;
    if (def->type->prepare != NULL)
        def->type->prepare(part);
    part->thickness = def->thickness;
    bool averaged = pal_element_has_pressures(def->type, def->material);
    part->pressure_corners = averaged ? def->type->pressure_corners : 0;
    part->history_batch = PAL_LANES * (averaged ? pal_prony_isochoric_history_count(def->material)
                                                : pal_prony_history_count(def->material));
    if (def->type->point_count > 1)
        part->history_batch *= def->type->point_count;
    if (def->type->history != NULL)
        part->history_batch = PAL_LANES * def->type->history(def->material);
    part->pressure_history = averaged ? pal_prony_pressure_history_count(def->material) : 0;
    if (averaged && def->type->smooths) {
        part->smoothing = pal_smoothing_of(def->material);
        part->pressure_history += PAL_SMOOTH_HISTORY;
    }
    part->rings = averaged && def->type->rings;
    if (part->rings) {
        double shear, bulk;
        pal_material_moduli(def->material, &shear, &bulk);
        part->guard = PAL_GUARD * (shear + bulk);
        part->ring_history = PAL_LANES * pal_prony_isochoric_history_count(def->material);
        part->history_batch = 0;
    }
    elements->remembers |= part->history_batch > 0 || part->ring_history > 0 ||
                           part->pressure_history > (part->smoothing > 0 ? PAL_SMOOTH_HISTORY : 0);
    elements->element_count += def->element_count;
}

static void lay_out_history(PalElements *elements)
{
    int64_t count = 0;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        PalBlock *block = &elements->blocks[b];
        block->first_history = count;
        count += (int64_t)block->batch_count * elements->parts[block->part].history_batch;
    }
    for (int32_t p = 0; p < elements->part_count; ++p) {
        PalPart *part = &elements->parts[p];
        part->first_pressure_history = count;
        count += (int64_t)part->pressure_count * part->pressure_history;
        part->first_ring_history = count;
        count += (int64_t)pal_ring_batch_count(part) * part->ring_history;
    }
    elements->history_count = count;
}

static PalStatus build(PalElements *elements, const PalElementsDef *def, PalError *error)
{
    elements->parts = pal_elements_take(elements, def->part_count, sizeof *elements->parts);
    if (elements->parts == NULL)
        return PAL_NO_MEMORY;
    elements->node_count = def->node_count;
    elements->part_count = def->part_count;
    for (int32_t p = 0; p < def->part_count; ++p)
        describe_part(elements, p, &def->parts[p]);
    PAL_TRY(pal_elements_build_blocks(elements, def));
    PAL_TRY(pal_elements_build_batches(elements, def, error));
    PAL_TRY(pal_elements_build_pressures(elements, def));
    PAL_TRY(pal_elements_build_smoothing(elements));
    PAL_TRY(pal_elements_build_rings(elements, error));
    lay_out_history(elements);
    return PAL_OK;
}

PalStatus pal_elements_create(const PalElementsDef *def, PalElements **result, PalError *error)
{
    *result = NULL;
    PAL_TRY(check(def, error));
    PalElements *elements = pal_alloc(1, sizeof *elements);
    PalStatus status = PAL_NO_MEMORY;
    if (elements != NULL) {
        elements->bytes = sizeof *elements;
        status = build(elements, def, error);
    }
    if (status != PAL_OK) {
        pal_elements_destroy(elements);
        return status == PAL_NO_MEMORY ? pal_error_set(error, status, "no memory for the elements")
                                       : status;
    }
    PAL_ASSERT(pal_elements_validate(elements, NULL) != PAL_BAD_INPUT);
    *result = elements;
    return PAL_OK;
}

void pal_elements_destroy(PalElements *elements)
{
    if (elements == NULL)
        return;
    void *const owned[] = {
        elements->parts,         elements->blocks,           elements->batches,
        elements->numbers,       elements->block_nodes,      elements->shared_nodes,
        elements->shared_start,  elements->shared_slots,     elements->pressure_chunks,
        elements->pressure_of,   elements->pressure_start,   elements->pressure_entries,
        elements->volumes,       elements->positions,        elements->smooth_start,
        elements->smooth_column, elements->smooth_value,     elements->smooth_diagonal,
        elements->ring_chunks,   elements->ring_of,          elements->ring_start,
        elements->ring_own,      elements->ring_node,        elements->ring_gradient,
        elements->ring_volume,   elements->ring_size,        elements->ring_base,
        elements->ring_corner,   elements->ring_chunk_nodes, elements->ring_slot_start,
        elements->ring_slots,
    };
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
        pal_free(owned[k]);
    pal_free(elements);
}

int32_t pal_elements_count(const PalElements *elements)
{
    return elements->element_count;
}

size_t pal_elements_bytes(const PalElements *elements)
{
    return elements->bytes + pal_element_scratch_bytes(elements);
}

int64_t pal_elements_history_count(const PalElements *elements)
{
    return elements->history_count;
}

bool pal_elements_relax(const PalElements *elements)
{
    return elements->remembers;
}

static void add_block_mass(const PalElements *elements, const PalBlock *block,
                           const double *factors, bool for_bound, double *node_mass)
{
    const PalPart *part = &elements->parts[block->part];
    const int32_t *nodes = elements->block_nodes + block->first_node;
    const int32_t corner_count = part->type->corner_count;
    for (int32_t b = 0; b < block->batch_count; ++b) {
        const int32_t *numbers = elements->numbers + block->first_number + b * PAL_LANES;
        void *data = pal_block_data(elements, block, b);
        uint16_t(*corner)[PAL_LANES] = pal_batch_corners(part->type, data);
        PalLanes factor, shares[PAL_CORNER_MAX];
        for (int32_t l = 0; l < PAL_LANES; ++l)
            factor[l] = factors != NULL && numbers[l] != PAL_NONE ? factors[numbers[l]] : 1;
        if (for_bound && part->type->bound_mass != NULL)
            part->type->bound_mass(part, data, &factor, shares);
        else
            part->type->mass(part, data, &factor, shares);
        for (int32_t l = 0; l < PAL_LANES; ++l) {
            if (numbers[l] == PAL_NONE)
                continue;
            for (int32_t a = 0; a < corner_count; ++a)
                node_mass[nodes[corner[a][l] / 4]] += shares[a][l];
        }
    }
}

void pal_elements_add_mass(const PalElements *elements, const double *factors, double *node_mass)
{
    for (int32_t b = 0; b < elements->block_count; ++b)
        add_block_mass(elements, &elements->blocks[b], factors, false, node_mass);
}

void pal_elements_add_bound_mass(const PalElements *elements, const double *factors,
                                 double *node_mass)
{
    for (int32_t b = 0; b < elements->block_count; ++b)
        add_block_mass(elements, &elements->blocks[b], factors, true, node_mass);
}
