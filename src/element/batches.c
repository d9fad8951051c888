// Reference geometry of every element, laid out for the kernels.   docs/theory/elements.md, 1 and 5
#include "element/build.h"

#include "base/assert.h"
#include "base/memory.h"
#include "element/work.h"

typedef struct Filler {
    PalElements *elements;
    const PalElementsDef *def;
    int32_t *local;  // per model node: its index in the block at hand
    PalError *error;
} Filler;

static PalStatus fill_lane(const Filler *filler, const PalBlock *block, int32_t number,
                           int32_t lane, void *data)
{
    const PalPart *part = &filler->elements->parts[block->part];
    const PalElementType *type = part->type;
    int32_t e = number - part->first_element;
    const int32_t *corners =
        filler->def->parts[block->part].connectivity + (int64_t)e * type->corner_count;
    PalVec3 X[PAL_CORNER_MAX];
    for (int32_t a = 0; a < type->corner_count; ++a) {
        PAL_ASSERT(filler->local[corners[a]] < block->node_count);
        X[a] = filler->def->nodes[corners[a]];
        pal_batch_corners(type, data)[a][lane] = (uint16_t)(4 * filler->local[corners[a]]);
    }
    double measure = type->fill_from != NULL
                         ? type->fill_from(&filler->def->parts[block->part], e, X, lane, data)
                         : type->fill(part, X, lane, data);
    if (measure > 0)
        return PAL_OK;
    return pal_error_set(filler->error, PAL_BAD_INPUT,
                         "element %d has the %s %g, but it must be greater than 0 (negative: "
                         "its corners are listed inside out)",
                         (int)number, type->measure, measure);
}

static PalStatus fill(const Filler *filler)
{
    const PalElements *elements = filler->elements;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        for (int32_t n = 0; n < block->node_count; ++n)
            filler->local[elements->block_nodes[block->first_node + n]] = n;
        for (int32_t k = 0; k < block->batch_count * PAL_LANES; ++k) {
            int32_t number = elements->numbers[block->first_number + k];
            void *data = pal_block_data(elements, block, k / PAL_LANES);
            if (number != PAL_NONE)
                PAL_TRY(fill_lane(filler, block, number, k % PAL_LANES, data));
        }
    }
    return PAL_OK;
}

PalStatus pal_elements_build_batches(PalElements *elements, const PalElementsDef *def,
                                     PalError *error)
{
    elements->batches = pal_elements_take(elements, (int64_t)elements->batch_bytes, 1);
    Filler filler = {.elements = elements, .def = def, .error = error};
    filler.local = pal_alloc((size_t)elements->node_count, sizeof *filler.local);
    bool whole = elements->batches != NULL && filler.local != NULL;
    PalStatus status = whole ? fill(&filler) : PAL_NO_MEMORY;
    pal_free(filler.local);
    return status;
}
