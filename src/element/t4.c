// The linear tetrahedron: one F in all of it.   docs/theory/elements.md, 1
#include "element/t4.h"

#include "element/geometry.h"
#include "element/kernels.h"
#include "math/vec3.h"

#include <stddef.h>
#include <string.h>

const int pal_t4_tetrahedra[1][4] = {{0, 1, 2, 3}};

double pal_t4_fill(const PalPart *part, const PalVec3 *corners, int32_t lane, void *data)
{
    (void)part;
    PalT4Batch *batch = data;
    PalVec3 gradients[4];
    double volume = pal_t4_geometry(corners, gradients);
    for (int a = 1; a < 4; ++a)
        for (int j = 0; j < 3; ++j)
            batch->g[a - 1][j][lane] = pal_vec3_at(gradients[a], j);
    batch->V[lane] = volume;
    return volume;
}

static PalSolid solid_of(const PalPart *part, const PalT4Batch *batch)
{
    static const double quarters[4] = {0.25, 0.25, 0.25, 0.25};
    return (PalSolid){.corner_count = 4,
                      .pressure_count = part->pressure_corners,
                      .weights = quarters,
                      .corner = batch->corner,
                      .g = batch->g,
                      .V = batch->V};
}

void pal_t4_mass(const PalPart *part, const void *batch, const PalLanes *factor,
                 PalLanes shares[PAL_CORNER_MAX])
{
    PalSolid solid = solid_of(part, batch);
    pal_solid_mass(part, &solid, factor, shares);
}

void pal_t4_ratio(const PalBatch *batch, PalLanes *J)
{
    PalSolid solid = solid_of(batch->part, batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    *J = now.J;
}

void pal_t4_energy(const PalBatch *batch, PalLanes *energy)
{
    PalSolid solid = solid_of(batch->part, batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    pal_solid_energy(batch, &solid, &now, energy);
}

void pal_t4_fields(const PalBatch *batch, PalBatchFields *fields)
{
    PalSolid solid = solid_of(batch->part, batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    pal_solid_fields(batch, &solid, &now, fields);
}

void pal_t4_bound(const PalBatch *batch, PalLanes *bound)
{
    PalSolid solid = solid_of(batch->part, batch->data);
    PalLanesMat3 F, R;
    pal_kernels()->t4_gradient(batch->data, batch->displacement, &F, &R);
    pal_solid_bound(batch, &solid, &F, &R, bound);
}

void pal_t4_tangent(const PalBatch *batch, PalLanes *K)
{
    PalSolid solid = solid_of(batch->part, batch->data);
    const int32_t n = 12 + solid.pressure_count;
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    pal_solid_tangent(batch, &solid, &now, n, K);
}

static PalBlockKernel force(const PalPart *part)
{
    const PalKernels *kernels = pal_kernels();
    return pal_kernels_are_neo_hookean(part) ? kernels->t4_neo_hookean : kernels->t4_general;
}

static bool force_tells_energy(const PalPart *part)
{
    return pal_kernels_are_neo_hookean(part);
}

static PalBlockEnergy block_energy(const PalPart *part)
{
    return pal_kernels_are_neo_hookean(part) ? pal_kernels()->t4_neo_hookean_energy : NULL;
}

const PalElementType pal_element_t4 = {
    .choice = {"t4", "Linear tetrahedron."},
    .traits = {.cell = PAL_CELL_TETRAHEDRON, .locks = true},
    .corner_count = 4,
    .batch_size = sizeof(PalT4Batch),
    .corner_offset = offsetof(PalT4Batch, corner),
    .measure = "volume",
    .tetrahedron_count = 1,
    .tetrahedra = pal_t4_tetrahedra,
    .geometry = pal_t4_geometry,
    .fill = pal_t4_fill,
    .mass = pal_t4_mass,
    .force = force,
    .force_tells_energy = force_tells_energy,
    .ratio = pal_t4_ratio,
    .energy = pal_t4_energy,
    .block_energy = block_energy,
    .fields = pal_t4_fields,
    .bound = pal_t4_bound,
    .tangent = pal_t4_tangent,
};
