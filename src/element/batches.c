// Reference geometry of every element, laid out for the kernels.   docs/theory/elements.md, 1 and 5
#include "element/build.h"

#include "base/memory.h"
#include "element/geometry.h"
#include "math/vec3.h"

typedef struct Filler {
    PalElements *elements;
    const PalElementsDef *def;
    int32_t *local;  // per model node: its index in the block at hand
    PalError *error;
} Filler;

static const int32_t *corners_of(const Filler *filler, const PalBlock *block, int32_t number)
{
    const PalElementPartDef *part = &filler->def->parts[block->part];
    int32_t e = number - filler->elements->parts[block->part].first_element;
    return part->connectivity + (int64_t)e * pal_element_corner_count(part->kind);
}

static PalStatus check_volume(double volume, int32_t number, PalError *error)
{
    if (volume > 0)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "element %d has the volume %g, but it must be greater than 0 (negative: "
                         "its corners are listed inside out)",
                         (int)number, volume);
}

static PalStatus fill_t4(const Filler *filler, const PalBlock *block, int32_t batch_index,
                         int32_t lane)
{
    int32_t number =
        filler->elements->numbers[block->first_number + batch_index * PAL_LANES + lane];
    if (number == PAL_NONE)
        return PAL_OK;
    PalT4Batch *batch = &filler->elements->t4[block->first_batch + batch_index];
    const int32_t *corners = corners_of(filler, block, number);
    PalVec3 X[4], gradients[4];
    for (int a = 0; a < 4; ++a) {
        X[a] = filler->def->nodes[corners[a]];
        batch->corner[a][lane] = (uint16_t)(4 * filler->local[corners[a]]);
    }
    double volume = pal_t4_geometry(X, gradients);
    for (int a = 1; a < 4; ++a)
        for (int j = 0; j < 3; ++j)
            batch->g[a - 1][j][lane] = pal_vec3_at(gradients[a], j);
    batch->V[lane] = volume;
    return check_volume(volume, number, filler->error);
}

// k = hourglass V E sum |grad N_a|^2 / 8 with Young's modulus E, which stays finite where lambda
// does not: lambda + 2 mu would lock near-incompressible tissue. x_m = sum_a h_ma X_a.
static void fill_hourglass(const PalPart *part, const PalVec3 X[8], const PalVec3 gradients[8],
                           PalH8Batch *batch, int32_t lane)
{
    double shear, bulk, squares = 0;
    pal_material_moduli(&part->material, &shear, &bulk);
    for (int a = 0; a < 8; ++a)
        squares += pal_vec3_dot(gradients[a], gradients[a]);
    double young = 9 * bulk * shear / (3 * bulk + shear);
    batch->k[lane] = part->hourglass * batch->V[lane] * young * squares / 8;
    for (int m = 0; m < 4; ++m)
        for (int j = 0; j < 3; ++j)
            for (int a = 1; a < 8; ++a)
                batch->x[m][j][lane] +=
                    pal_hourglass[m][a] * (pal_vec3_at(X[a], j) - pal_vec3_at(X[0], j));
}

static PalStatus fill_h8(const Filler *filler, const PalBlock *block, int32_t batch_index,
                         int32_t lane)
{
    int32_t number =
        filler->elements->numbers[block->first_number + batch_index * PAL_LANES + lane];
    if (number == PAL_NONE)
        return PAL_OK;
    PalH8Batch *batch = &filler->elements->h8[block->first_batch + batch_index];
    const int32_t *corners = corners_of(filler, block, number);
    PalVec3 X[8], gradients[8];
    for (int a = 0; a < 8; ++a) {
        X[a] = filler->def->nodes[corners[a]];
        batch->corner[a][lane] = (uint16_t)(4 * filler->local[corners[a]]);
    }
    double volume = pal_h8_geometry(X, gradients);
    for (int a = 1; a < 8; ++a)
        for (int j = 0; j < 3; ++j)
            batch->g[a - 1][j][lane] = pal_vec3_at(gradients[a], j);
    batch->V[lane] = volume;
    fill_hourglass(&filler->elements->parts[block->part], X, gradients, batch, lane);
    return check_volume(volume, number, filler->error);
}

static PalStatus fill(const Filler *filler)
{
    const PalElements *elements = filler->elements;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        const PalBlock *block = &elements->blocks[b];
        bool hexahedra = elements->parts[block->part].kind == PAL_ELEMENT_H8;
        for (int32_t n = 0; n < block->node_count; ++n)
            filler->local[elements->block_nodes[block->first_node + n]] = n;
        for (int32_t k = 0; k < block->batch_count; ++k)
            for (int32_t l = 0; l < PAL_LANES; ++l)
                PAL_TRY((hexahedra ? fill_h8 : fill_t4)(filler, block, k, l));
    }
    return PAL_OK;
}

PalStatus pal_elements_build_batches(PalElements *elements, const PalElementsDef *def,
                                     PalError *error)
{
    elements->t4 = pal_elements_take(elements, elements->t4_count, sizeof *elements->t4);
    elements->h8 = pal_elements_take(elements, elements->h8_count, sizeof *elements->h8);
    Filler filler = {.elements = elements, .def = def, .error = error};
    filler.local = pal_alloc((size_t)elements->node_count, sizeof *filler.local);
    bool whole = elements->t4 != NULL && elements->h8 != NULL && filler.local != NULL;
    PalStatus status = whole ? fill(&filler) : PAL_NO_MEMORY;
    pal_free(filler.local);
    return status;
}
