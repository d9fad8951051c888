// Energies and stresses, for output: one element at a time, with the definitions of the forces.
#include "element/elements.h"

#include "base/parallel.h"
#include "element/build.h"
#include "element/geometry.h"
#include "element/pressures.h"
#include "element/work.h"
#include "math/lanes_math.h"
#include "math/mat3.h"

#include <string.h>

typedef struct Pass {
    const PalElements *elements;
    PalElementScratch *scratch;
    const PalVec3 *displacement;
    const double *history;
    const PalElementFields *fields;
} Pass;

// A block's batches one after the other: deformation gradients, and the block's nodes.
typedef struct Cursor {
    const PalElements *elements;
    const PalElementScratch *scratch;
    const PalBlock *block;
    const PalPart *part;
    PalLanes displacement[PAL_BLOCK_NODES];
} Cursor;

static void open_block(Cursor *cursor, const Pass *pass, int32_t index)
{
    const PalElements *elements = pass->elements;
    cursor->elements = elements;
    cursor->scratch = pass->scratch;
    cursor->block = &elements->blocks[index];
    cursor->part = &elements->parts[cursor->block->part];
    pal_block_gather(elements, cursor->block, pass->scratch->pressures, pass->displacement,
                     cursor->displacement);
}

static void gradients_of(const Cursor *cursor, int32_t batch, PalLanesMat3 *F, PalLanes *J)
{
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        PalMat3 one = pal_block_gradient(cursor->elements, cursor->block, batch * PAL_LANES + l,
                                         cursor->displacement);
        for (int k = 0; k < 9; ++k)
            F->m[k / 3][k % 3][l] = one.m[k / 3][k % 3];
        (*J)[l] = pal_mat3_determinant(&one);
    }
}

// t4-anp: node a of each lane's element, its place among the block's nodes.
static int32_t node_of(const Cursor *cursor, int32_t batch, int a, int32_t lane)
{
    return cursor->elements->t4[cursor->block->first_batch + batch].corner[a][lane] / 4;
}

// U per reference volume: of J, or the mean of the corners' where pressures are averaged.
static PalLanes volumetric_energy(const Cursor *cursor, int32_t batch, PalLanes J)
{
    const PalMaterialDef *material = &cursor->part->material;
    PalLanes U = {0};
    if (material->law->volumetric == NULL)
        return U;
    if (cursor->part->kind != PAL_ELEMENT_T4_ANP) {
        material->law->volumetric(material->parameters, &J, &U, NULL);
        return U;
    }
    const int32_t *pressure_of = cursor->elements->pressure_of + cursor->block->first_node;
    for (int a = 0; a < 4; ++a) {
        PalLanes ratio, one;
        for (int32_t l = 0; l < PAL_LANES; ++l)
            ratio[l] = cursor->scratch->ratios[pressure_of[node_of(cursor, batch, a, l)]];
        material->law->volumetric(material->parameters, &ratio, &one, NULL);
        U += 0.25 * one;
    }
    return U;
}

// Energy of the hourglass patterns, k/2 sum |q_m|^2, per element of a batch of hexahedra.
static PalLanes hourglass_energy(const Cursor *cursor, int32_t batch_index, const PalLanesMat3 *F)
{
    PalLanes energy = {0};
    if (cursor->part->kind != PAL_ELEMENT_H8)
        return energy;
    const PalH8Batch *batch = &cursor->elements->h8[cursor->block->first_batch + batch_index];
    for (int32_t l = 0; l < PAL_LANES; ++l)
        for (int m = 0; m < 4; ++m)
            for (int i = 0; i < 3; ++i) {
                double q = 0, base = cursor->displacement[batch->corner[0][l] / 4][i];
                for (int a = 1; a < 8; ++a)
                    q += pal_hourglass[m][a] *
                         (cursor->displacement[batch->corner[a][l] / 4][i] - base);
                for (int j = 0; j < 3; ++j)
                    q -= (F->m[i][j][l] - (i == j)) * batch->x[m][j][l];
                energy[l] += batch->k[l] * q * q / 2;
            }
    return energy;
}

static PalLanes volumes_of(const Cursor *cursor, int32_t batch)
{
    int32_t at = cursor->block->first_batch + batch;
    return cursor->part->kind == PAL_ELEMENT_H8 ? cursor->elements->h8[at].V
                                                : cursor->elements->t4[at].V;
}

// Strain energy per element of a batch; what relaxation will leave of it.
static PalLanes energy_of(const Cursor *cursor, int32_t batch, const PalLanesMat3 *F, PalLanes J)
{
    const PalMaterialDef *material = &cursor->part->material;
    double isochoric, volumetric;
    PalLanes D;
    pal_prony_long_term(material, &isochoric, &volumetric);
    material->law->energy(material->parameters, F, &D);
    PalLanes density = isochoric * D + volumetric * volumetric_energy(cursor, batch, J);
    return density * volumes_of(cursor, batch) + hourglass_energy(cursor, batch, F);
}

// ---- the sum of all energies ------------------------------------------------------------

static void add_block_energy(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    Cursor cursor;
    open_block(&cursor, pass, index);
    double sum = 0;
    for (int32_t b = 0; b < cursor.block->batch_count; ++b) {
        PalLanesMat3 F;
        PalLanes J;
        gradients_of(&cursor, b, &F, &J);
        PalLanes energy = energy_of(&cursor, b, &F, J);
        for (int32_t l = 0; l < PAL_LANES; ++l)
            if (pass->elements->numbers[cursor.block->first_number + b * PAL_LANES + l] != PAL_NONE)
                sum += energy[l];
    }
    pass->scratch->block_sums[index] = sum;
}

double pal_elements_energy(const PalElements *elements, PalElementScratch *scratch,
                           const PalVec3 *displacement)
{
    Pass pass = {.elements = elements, .scratch = scratch, .displacement = displacement};
    pal_pressures_update(elements, scratch, displacement, NULL, NULL);
    pal_parallel_for(scratch->thread_count, elements->block_count, add_block_energy, &pass);
    double sum = 0;
    for (int32_t b = 0; b < elements->block_count; ++b)
        sum += scratch->block_sums[b];
    return sum;
}

// ---- fields -----------------------------------------------------------------------------

static PalLanes averaged_pressure(const Cursor *cursor, int32_t batch)
{
    PalLanes sum = {0};
    for (int a = 0; a < 4; ++a)
        for (int32_t l = 0; l < PAL_LANES; ++l)
            sum[l] += cursor->displacement[node_of(cursor, batch, a, l)][3];
    return 0.25 * sum;
}

// P of a batch, as in the kernels; the history, if any, stands.
static void stress_of(const Cursor *cursor, int32_t batch, const double *history,
                      const PalLanesMat3 *F, PalLanesMat3 *P)
{
    const PalPart *part = cursor->part;
    const PalMaterialLaw *law = part->material.law;
    bool averaged = part->kind == PAL_ELEMENT_T4_ANP, relaxes = part->history_batch > 0;
    PalLanesMat3 C;
    PalLanes pressure = {0};
    pal_lanes_cofactor(F, &C);
    law->stress(part->material.parameters, F, P);
    if (averaged) {
        pressure = averaged_pressure(cursor, batch);
    } else if (law->volumetric != NULL) {
        PalLanes J = pal_lanes_determinant(F, &C);
        law->volumetric(part->material.parameters, &J, NULL, &pressure);
    }
    if (relaxes && history != NULL) {
        bool split = !averaged && law->volumetric != NULL;
        const double *before =
            history + cursor->block->first_history + (int64_t)batch * part->history_batch;
        pal_prony_relax(&cursor->scratch->prony[cursor->block->part], F, split ? &pressure : NULL,
                        before, NULL, P);
        if (split)
            return;
    }
    for (int k = 0; k < 9; ++k)
        P->m[k / 3][k % 3] += pressure * C.m[k / 3][k % 3];
}

// Cauchy stress P F^T / J in the order xx yy zz xy yz zx.
static void cauchy_stress(const PalLanesMat3 *F, const PalLanesMat3 *P, double J, int32_t lane,
                          double stress[6])
{
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    for (int c = 0; c < 6; ++c) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
            sum += P->m[row[c]][k][lane] * F->m[column[c]][k][lane];
        stress[c] = sum / J;
    }
}

static double von_mises(const double s[6])
{
    double x = s[0] - s[1], y = s[1] - s[2], z = s[2] - s[0];
    double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    return sqrt((x * x + y * y + z * z) / 2 + 3 * shear);
}

static void fill_block_fields(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    const PalElementFields *fields = pass->fields;
    Cursor cursor;
    open_block(&cursor, pass, index);
    for (int32_t b = 0; b < cursor.block->batch_count; ++b) {
        PalLanesMat3 F, P;
        PalLanes J, V = volumes_of(&cursor, b);
        gradients_of(&cursor, b, &F, &J);
        PalLanes energy = energy_of(&cursor, b, &F, J);
        stress_of(&cursor, b, pass->history, &F, &P);
        for (int32_t l = 0; l < PAL_LANES; ++l) {
            int32_t e = pass->elements->numbers[cursor.block->first_number + b * PAL_LANES + l];
            if (e == PAL_NONE)
                continue;
            double stress[6];
            cauchy_stress(&F, &P, J[l], l, stress);
            if (fields->energy_density != NULL)
                fields->energy_density[e] = energy[l] / V[l];
            if (fields->von_mises != NULL)
                fields->von_mises[e] = von_mises(stress);
            if (fields->stress != NULL)
                memcpy(fields->stress[e], stress, sizeof stress);
            if (fields->volume_ratio != NULL)
                fields->volume_ratio[e] = J[l];
        }
    }
}

void pal_elements_fields(const PalElements *elements, PalElementScratch *scratch,
                         const PalVec3 *displacement, const double *history,
                         const PalElementFields *fields)
{
    Pass pass = {elements, scratch, displacement, history, fields};
    for (int32_t p = 0; p < elements->part_count; ++p)
        pal_prony_prepare(&elements->parts[p].material, 0, &scratch->prony[p]);
    pal_pressures_update(elements, scratch, displacement, history, NULL);
    pal_parallel_for(scratch->thread_count, elements->block_count, fill_block_fields, &pass);
}
