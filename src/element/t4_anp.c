// The linear tetrahedron with averaged nodal pressure: it does not lock where tissue hardly changes
// volume.   docs/theory/elements.md, 4
#include "element/geometry.h"
#include "element/kernels.h"
#include "element/t4.h"

#include <stddef.h>

static PalStatus check(const PalElementPartDef *part, PalError *error)
{
    if (pal_law_splits(part->material->law))
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "element t4-anp averages the pressure, but the law %s has no volumetric "
                         "term of its own; use t4, or a law that has one",
                         pal_law_name(part->material->law));
}

static PalBlockKernel force(const PalPart *part)
{
    const PalKernels *kernels = pal_kernels();
    return pal_kernels_are_neo_hookean(part) ? kernels->anp_neo_hookean : kernels->anp_general;
}

static PalBlockKernel volumes(void)
{
    return pal_kernels()->anp_volume;
}

const PalElementType pal_element_t4_anp = {
    .choice = {"t4-anp", "Linear tetrahedron with averaged nodal pressure, for near-incompressible "
                         "tissue."},
    .traits = {.cell = PAL_CELL_TETRAHEDRON, .averages_pressure = true},
    .corner_count = 4,
    .pressure_corners = 4,
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
    .energy = pal_t4_energy,
    .fields = pal_t4_fields,
    .bound = pal_t4_bound,
    .tangent = pal_t4_tangent,
};
