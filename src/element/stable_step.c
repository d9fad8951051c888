// Largest stable step, element by element.   docs/theory/elements.md, 6
//
// No eigenvalue of the whole body exceeds the largest one of its elements (Irons). Central
// differences are stable below 2 / omega.
#include "element/elements.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "element/pressures.h"
#include "element/rings.h"
#include "element/work.h"

#include <math.h>

typedef struct Pass {
    const PalElements *elements;
    PalElementScratch *scratch;
    const PalVec3 *displacement;
    const double *mass_factors;
    double *bounds;
} Pass;

// The stiffest element of a block, per mass: omega^2 times density / corners.
typedef struct Worst {
    double stiffness;
    int32_t element;
} Worst;

static double step_of(const PalPart *part, double stiffness)
{
    const PalElementType *type = part->type;
    int32_t shares = type->bound_corners > 0 ? type->bound_corners : type->corner_count;
    return 2 * sqrt(part->material.density / shares / stiffness);
}

static void take_lane(const Pass *pass, const PalPart *part, int32_t e, double bound, Worst *worst)
{
    double stiffness = bound >= 0 ? bound : INFINITY;
    if (pass->mass_factors != NULL)
        stiffness /= pass->mass_factors[e];
    if (pass->bounds != NULL)
        pass->bounds[e] = step_of(part, stiffness);
    if (stiffness > worst->stiffness || (stiffness == worst->stiffness && e < worst->element))
        *worst = (Worst){stiffness, e};
}

static void bound_block(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElements *elements = pass->elements;
    PalElementScratch *scratch = pass->scratch;
    const PalBlock *block = &elements->blocks[index];
    const PalPart *part = &elements->parts[block->part];
    PalLanes displacement[PAL_BLOCK_NODES];
    pal_block_gather(elements, block, scratch->pressures, pass->displacement, displacement);
    Worst worst = {-1, PAL_NONE};
    for (int32_t b = 0; b < block->batch_count; ++b) {
        const int32_t *numbers = elements->numbers + block->first_number + b * PAL_LANES;
        PalBatch batch = pal_block_batch(elements, scratch, block, b, displacement);
        PalLanes bound;
        part->type->bound(&batch, &bound);
        for (int32_t l = 0; l < PAL_LANES; ++l)
            if (numbers[l] != PAL_NONE)
                take_lane(pass, part, numbers[l], bound[l], &worst);
    }
    scratch->block_sums[index] = step_of(part, worst.stiffness);
    scratch->block_worst[index] = worst.element;
}

double pal_elements_stable_step(const PalElements *elements, PalElementScratch *scratch,
                                const PalVec3 *displacement, const double *mass_factors,
                                double *bounds, int32_t *worst_element)
{
    PAL_ASSERT(scratch->elements == elements);
    Pass pass = {elements, scratch, displacement, mass_factors, bounds};
    pal_pressures_update(elements, scratch, displacement, NULL, NULL);
    pal_rings_bounds(elements, scratch, displacement);
    pal_parallel_for(scratch->thread_count, elements->block_count, bound_block, &pass);
    double least = INFINITY;
    int32_t worst = PAL_NONE;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        int32_t e = scratch->block_worst[b];
        double step = scratch->block_sums[b];
        if (step < least || (step == least && e < worst)) {
            least = step;
            worst = e;
        }
    }
    if (worst_element != NULL)
        *worst_element = worst;
    return least;
}
