// Energies and stresses, for output: a batch at a time, as its row finds them.
#include "element/elements.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "element/pressures.h"
#include "element/rings.h"
#include "element/work.h"

#include <math.h>
#include <string.h>

typedef struct Pass {
    const PalElements *elements;
    PalElementScratch *scratch;
    const PalVec3 *displacement;
    const double *history;
    const PalElementFields *fields;
} Pass;

// ---- the sum of all energies ------------------------------------------------------------

static void add_block_energy(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    const PalBlock *block = &elements->blocks[index];
    PalLanes displacement[PAL_BLOCK_NODES];
    pal_block_gather(elements, block, pass->scratch->pressures, pass->displacement, displacement);
    const PalPart *part = &elements->parts[block->part];
    PalBlockEnergy whole = part->type->block_energy != NULL ? part->type->block_energy(part) : NULL;
    if (whole != NULL) {
        PalBlockWork work = {.part = part,
                             .batches = pal_block_data(elements, block, 0),
                             .batch_count = block->batch_count,
                             .displacement = displacement};
        pass->scratch->block_sums[index] = whole(&work);
        return;
    }
    double sum = 0;
    for (int32_t b = 0; b < block->batch_count; ++b) {
        PalBatch batch = pal_block_batch(elements, pass->scratch, block, b, displacement);
        PalLanes energy;
        batch.part->type->energy(&batch, &energy);
        for (int32_t l = 0; l < PAL_LANES; ++l)
            if (elements->numbers[block->first_number + b * PAL_LANES + l] != PAL_NONE)
                sum += energy[l];
    }
    pass->scratch->block_sums[index] = sum;
}

double pal_elements_energy(const PalElements *elements, PalElementScratch *scratch,
                           const PalVec3 *displacement)
{
    PAL_ASSERT(scratch->elements == elements);
    Pass pass = {.elements = elements, .scratch = scratch, .displacement = displacement};
    pal_pressures_update(elements, scratch, displacement, NULL, NULL);
    pal_rings_energies(elements, scratch, displacement);
    pal_parallel_for(scratch->thread_count, elements->block_count, add_block_energy, &pass);
    double sum = 0;
    for (int32_t b = 0; b < elements->block_count; ++b)
        sum += scratch->block_sums[b];
    return sum;
}

// ---- fields -----------------------------------------------------------------------------

static double von_mises(const double s[6])
{
    double x = s[0] - s[1], y = s[1] - s[2], z = s[2] - s[0];
    double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    return sqrt((x * x + y * y + z * z) / 2 + 3 * shear);
}

static void store_six(double (*to)[6], int32_t e, const PalLanes from[6], int32_t lane)
{
    for (int c = 0; to != NULL && c < 6; ++c)
        to[e][c] = from[c][lane];
}

static void store_thin_lane(const PalElementFields *fields, int32_t e, const PalBatchFields *found,
                            int32_t lane)
{
    if (fields->thickness != NULL)
        fields->thickness[e] = found->thickness[lane];
    store_six(fields->top, e, found->top, lane);
    store_six(fields->bottom, e, found->bottom, lane);
    store_six(fields->tension, e, found->tension, lane);
    store_six(fields->moment, e, found->moment, lane);
}

static void store_lane(const PalElementFields *fields, int32_t e, const PalBatchFields *found,
                       int32_t lane)
{
    double stress[6];
    for (int c = 0; c < 6; ++c)
        stress[c] = found->stress[c][lane];
    if (fields->energy_density != NULL)
        fields->energy_density[e] = found->energy[lane] / found->V[lane];
    if (fields->von_mises != NULL)
        fields->von_mises[e] = von_mises(stress);
    if (fields->stress != NULL)
        memcpy(fields->stress[e], stress, sizeof stress);
    for (int c = 0; fields->strain != NULL && c < 6; ++c)
        fields->strain[e][c] = found->strain[c][lane];
    if (fields->volume_ratio != NULL)
        fields->volume_ratio[e] = found->J[lane];
    store_thin_lane(fields, e, found, lane);
}

static void fill_block_fields(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    const PalBlock *block = &elements->blocks[index];
    const PalPart *part = &elements->parts[block->part];
    PalLanes displacement[PAL_BLOCK_NODES];
    pal_block_gather(elements, block, pass->scratch->pressures, pass->displacement, displacement);
    for (int32_t b = 0; b < block->batch_count; ++b) {
        const int32_t *numbers = elements->numbers + block->first_number + b * PAL_LANES;
        PalBatch batch = pal_block_batch(elements, pass->scratch, block, b, displacement);
        PalBatchFields found = {0};
        if (pass->history != NULL && part->history_batch > 0)
            batch.history = pass->history + block->first_history + (int64_t)b * part->history_batch;
        part->type->fields(&batch, &found);
        const int32_t *places = pass->fields->places;
        for (int32_t l = 0; l < PAL_LANES; ++l) {
            int32_t e = numbers[l] != PAL_NONE && places != NULL ? places[numbers[l]] : numbers[l];
            if (e != PAL_NONE)
                store_lane(pass->fields, e, &found, l);
        }
    }
}

void pal_elements_fields(const PalElements *elements, PalElementScratch *scratch,
                         const PalVec3 *displacement, const double *history,
                         const PalElementFields *fields)
{
    PAL_ASSERT(scratch->elements == elements);
    Pass pass = {elements, scratch, displacement, history, fields};
    for (int32_t p = 0; p < elements->part_count; ++p)
        pal_prony_prepare(&elements->parts[p].material, 0, &scratch->prony[p]);
    pal_pressures_update(elements, scratch, displacement, history, NULL);
    pal_rings_stresses(elements, scratch, displacement, history);
    pal_rings_energies(elements, scratch, displacement);
    pal_parallel_for(scratch->thread_count, elements->block_count, fill_block_fields, &pass);
}
