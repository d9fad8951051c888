// The linear tetrahedron whose distortion is felt by rings around edges, and whose nodal pressures
// are smoothed: it bends, does not lock where tissue can hardly change its volume, and its
// pressures do not oscillate.   docs/theory/elements.md, 9
#include "element/geometry.h"
#include "element/kernels.h"
#include "element/t4.h"

#include <stddef.h>

static PalStatus check(const PalElementPartDef *part, PalError *error)
{
    if (pal_law_splits(part->material->law))
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "element mixed has pressures of its own, but the law %s has no volumetric "
                         "term; use t10 or t4, or a law that has one",
                         pal_law_name(part->material->law));
}

static PalBlockKernel force(const PalPart *part)
{
    (void)part;
    return pal_kernels()->mixed;
}

static PalBlockKernel volumes(void)
{
    return pal_kernels()->anp_volume;
}

// What smoothing stores: s V / 2 (sum p_a^2 - (sum p_a)^2 / 4), with the pressures of the law; what
// relaxation leaves of it.
static PalLanes smoothing_energy(const PalBatch *batch)
{
    const PalT4Batch *data = batch->data;
    const PalMaterialDef *material = &batch->part->material;
    double isochoric, volumetric;
    PalLanes sum = {0}, squares = {0};
    for (int a = 0; a < 4; ++a) {
        PalLanes J, p;
        for (int32_t l = 0; l < PAL_LANES; ++l)
            J[l] = pal_batch_ratio(batch, data->corner[a][l] / 4);
        material->law->volumetric(material->parameters, &J, NULL, &p);
        sum += p;
        squares += p * p;
    }
    pal_prony_long_term(material, &isochoric, &volumetric);
    return 0.5 * volumetric * batch->part->smoothing * data->V * (squares - 0.25 * sum * sum);
}

static void energy(const PalBatch *batch, PalLanes *result)
{
    pal_t4_energy(batch, result);
    *result += smoothing_energy(batch);
}

static void fields(const PalBatch *batch, PalBatchFields *result)
{
    pal_t4_fields(batch, result);
    result->energy += smoothing_energy(batch);
}

static void tangent(const PalBatch *batch, PalLanes *K)
{
    const PalT4Batch *data = batch->data;
    const double left = 1 - pal_prony_pressure_now(batch->prony);
    PalLanes share = batch->part->smoothing / left * data->V;
    pal_t4_tangent(batch, K);
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            K[(12 + a) * 16 + 12 + b] -= a == b ? 0.75 * share : -0.25 * share;
}

const PalElementType pal_element_mixed = {
    .choice = {"mixed", "Linear tetrahedron with distortion around edges and smoothed nodal "
                        "pressures: bends, and does not lock where tissue is confined."},
    .traits = {.cell = PAL_CELL_TETRAHEDRON, .averages_pressure = true},
    .corner_count = 4,
    .pressure_corners = 4,
    .smooths = true,
    .rings = true,
    .batch_size = sizeof(PalT4Batch),
    .corner_offset = offsetof(PalT4Batch, corner),
    .measure = "volume",
    .tetrahedron_count = 1,
    .tetrahedra = pal_t4_tetrahedra,
    .check = check,
    .geometry = pal_t4_geometry,
    .fill = pal_t4_fill,
    .mass = pal_t4_mass,
    .force = force,
    .volumes = volumes,
    .ratio = pal_t4_ratio,
    .energy = energy,
    .fields = fields,
    .bound = pal_t4_bound,
    .tangent = tangent,
};
