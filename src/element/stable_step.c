// Largest stable step, element by element.   docs/theory/elements.md, 6
//
// No eigenvalue of the whole body exceeds the largest one of its elements (Irons). Central
// differences are stable below 2 / omega.
#include "element/elements.h"

#include "base/parallel.h"
#include "element/geometry.h"
#include "element/kernels.h"
#include "element/pressures.h"
#include "element/work.h"
#include "math/lanes_math.h"
#include "math/mat3.h"

typedef struct Pass {
    const PalElements *elements;
    PalElementScratch *scratch;
    const PalVec3 *displacement;
    const double *mass_factors;
    double *bounds;
} Pass;

// ---- stiffness of any law ---------------------------------------------------------------

// dU/dJ and, by central differences, d2U/dJ2.
static void volumetric_of(const PalMaterialDef *material, PalLanes J, PalLanes *dU, PalLanes *d2U)
{
    PalLanes h = 1e-4 * J, above = J + h, below = J - h, high, low;
    material->law->volumetric(material->parameters, &J, NULL, dU);
    material->law->volumetric(material->parameters, &above, NULL, &high);
    material->law->volumetric(material->parameters, &below, NULL, &low);
    *d2U = (high - low) / (above - below);
}

// Means over the corners where pressures are averaged: exactly for dU, from above for d2U.
static void mean_volumetric(const Pass *pass, const PalBlock *block, int32_t b, PalLanes *dU,
                            PalLanes *d2U)
{
    const PalElements *elements = pass->elements;
    const PalMaterialDef *material = &elements->parts[block->part].material;
    const PalT4Batch *batch = &elements->t4[block->first_batch + b];
    const int32_t *pressure_of = elements->pressure_of + block->first_node;
    *dU = *d2U = pal_lanes_all(0.0);
    for (int a = 0; a < 4; ++a) {
        PalLanes J, first, second;
        for (int32_t l = 0; l < PAL_LANES; ++l)
            J[l] = pass->scratch->ratios[pressure_of[batch->corner[a][l] / 4]];
        volumetric_of(material, J, &first, &second);
        *dU += 0.25 * first;
        *d2U += 0.25 * second;
    }
}

// A += second cof F x cof F + first d cof F/dF
static void add_volumetric(const PalLanesMat3 *F, PalLanes first, PalLanes second, PalLanes A[9][9])
{
    PalLanesMat3 C;
    pal_lanes_cofactor(F, &C);
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l < 9; ++l) {
            int i = k / 3, j = k % 3, p = l / 3, q = l % 3;
            A[k][l] += second * C.m[i][j] * C.m[p][q];
            if (i == p || j == q)
                continue;
            PalLanes rest = first * F->m[3 - i - p][3 - j - q];
            A[k][l] += ((i + 1) % 3 == p) == ((j + 1) % 3 == q) ? rest : -rest;
        }
}

// The distortional part by differences of the stress, a batch at a time: several times faster
// than derivatives one point at a time, and exact enough for the margin of the bound.
static void differentiate_stress(const PalMaterialDef *material, const PalLanesMat3 *F,
                                 PalLanes A[9][9])
{
    const double h = 0x1p-26;
    PalLanesMat3 P, moved, other = *F;
    material->law->stress(material->parameters, F, &P);
    for (int l = 0; l < 9; ++l) {
        other.m[l / 3][l % 3] += h;
        PalLanes change = other.m[l / 3][l % 3] - F->m[l / 3][l % 3];
        material->law->stress(material->parameters, &other, &moved);
        other.m[l / 3][l % 3] = F->m[l / 3][l % 3];
        for (int k = 0; k < 9; ++k)
            A[k][l] = (moved.m[k / 3][k % 3] - P.m[k / 3][k % 3]) / change;
    }
}

static PalMat3 lane_of(const PalLanesMat3 *matrix, int32_t l)
{
    PalMat3 one;
    for (int k = 0; k < 9; ++k)
        one.m[k / 3][k % 3] = matrix->m[k / 3][k % 3][l];
    return one;
}

// Laws whose tangent jumps have a stiffer one for bounds, point by point.
static void stiffest_of(const PalMaterialDef *material, const PalLanesMat3 *F, PalLanes A[9][9])
{
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        PalMat3 one = lane_of(F, l);
        double tangent[9][9] = {{0}};
        material->law->stiffest(material->parameters, &one, tangent);
        for (int k = 0; k < 81; ++k)
            A[k / 9][k % 9][l] = tangent[k / 9][k % 9];
    }
}

static void general_stiffness(const Pass *pass, const PalBlock *block, int32_t b,
                              const PalLanesMat3 *F, PalLanes A[9][9])
{
    const PalPart *part = &pass->elements->parts[block->part];
    const PalMaterialDef *material = &part->material;
    bool averaged = part->kind == PAL_ELEMENT_T4_ANP, whole = material->law->stiffest != NULL;
    PalLanes dU = {0}, d2U = {0}, own_dU = {0}, own_d2U = {0};
    PalLanesMat3 C;
    if (whole)
        stiffest_of(material, F, A);
    else
        differentiate_stress(material, F, A);
    if (material->law->volumetric == NULL || (whole && !averaged))
        return;
    pal_lanes_cofactor(F, &C);
    volumetric_of(material, pal_lanes_determinant(F, &C), &own_dU, &own_d2U);
    if (averaged)
        mean_volumetric(pass, block, b, &dU, &d2U);
    else
        dU = own_dU, d2U = own_d2U;
    add_volumetric(F, whole ? dU - own_dU : dU, whole ? d2U - own_d2U : d2U, A);
}

// ---- hourglass --------------------------------------------------------------------------

// What the hourglass stiffness makes of the bound of a hexahedron: K = V B^T A B + k g^T g with
// patterns g. Both parts as squares of rectangular matrices give a two by two matrix of norms.
static double with_hourglass(const PalH8Batch *batch, int32_t l, const PalMat3 *R, double bound)
{
    double gamma[4][8] = {{0}}, widest = 0, mixed = 0;
    PalMat3 inverse = pal_mat3_inverse(R);
    for (int m = 0; m < 4; ++m)
        for (int a = 1; a < 8; ++a) {
            gamma[m][a] = pal_hourglass[m][a];
            for (int j = 0; j < 3; ++j)
                gamma[m][a] -= batch->x[m][j][l] * batch->g[a - 1][j][l];
            gamma[m][0] -= gamma[m][a];
        }
    for (int m = 0; m < 4; ++m) {
        double row = 0, product[3] = {0};
        for (int n = 0; n < 4; ++n) {
            double sum = 0;
            for (int a = 0; a < 8; ++a)
                sum += gamma[m][a] * gamma[n][a];
            row += fabs(sum);
        }
        widest = fmax(widest, row);
        for (int a = 1; a < 8; ++a)
            for (int j = 0; j < 3; ++j)
                product[j] += batch->g[a - 1][j][l] * (gamma[m][a] - gamma[m][0]);
        PalVec3 b = pal_vec3(product[0], product[1], product[2]);
        b = pal_mat3_apply(&inverse, b);
        mixed += pal_vec3_dot(b, b);
    }
    double beta = batch->k[l] / batch->V[l] * widest;
    double cross = bound * batch->k[l] / batch->V[l] * mixed;
    return (bound + beta + sqrt((bound - beta) * (bound - beta) + 4 * cross)) / 2;
}

// ---- every element ----------------------------------------------------------------------

static PalLanes mean_pressure(const PalT4Batch *batch, const PalLanes *displacement)
{
    PalLanes sum = {0};
    for (int a = 0; a < 4; ++a)
        for (int32_t l = 0; l < PAL_LANES; ++l)
            sum[l] += displacement[batch->corner[a][l] / 4][3];
    return 0.25 * sum;
}

// Eigenvalues of S for a batch of a block; see stiffness_body.h.
static PalLanes bound_batch(const Pass *pass, const PalBlock *block, int32_t b,
                            const PalLanes *displacement)
{
    const PalElements *elements = pass->elements;
    const PalKernels *kernels = pal_kernels();
    const PalPart *part = &elements->parts[block->part];
    bool hexahedra = part->kind == PAL_ELEMENT_H8;
    int32_t at = block->first_batch + b;
    PalLanesMat3 F, R;
    PalLanes bound, p;
    if (hexahedra)
        kernels->h8_gradient(&elements->h8[at], displacement, &F, &R);
    else
        kernels->t4_gradient(&elements->t4[at], displacement, &F, &R);
    if (part->material.law == &pal_law_neo_hookean) {
        PalStiffnessWork work = {.parameters = part->material.parameters, .F = &F, .R = &R};
        if (part->kind == PAL_ELEMENT_T4_ANP) {
            p = mean_pressure(&elements->t4[at], displacement);
            work.pressure = &p;
        }
        kernels->neo_hookean_stiffness(&work, &bound);
    } else {
        PalLanes A[9][9];
        general_stiffness(pass, block, b, &F, A);
        kernels->stiffness((const PalLanes(*)[9])A, &R, &bound);
    }
    for (int32_t l = 0; hexahedra && l < PAL_LANES; ++l) {
        PalMat3 one = lane_of(&R, l);
        bound[l] = with_hourglass(&elements->h8[at], l, &one, bound[l]);
    }
    return bound;
}

// The stiffest element of a block, per mass: omega^2 times density / corners.
typedef struct Worst {
    double stiffness;
    int32_t element;
} Worst;

static double step_of(const PalPart *part, double stiffness)
{
    return 2 * sqrt(part->material.density / (part->kind == PAL_ELEMENT_H8 ? 8 : 4) / stiffness);
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
        PalLanes bound = bound_batch(pass, block, b, displacement);
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
    Pass pass = {elements, scratch, displacement, mass_factors, bounds};
    pal_pressures_update(elements, scratch, displacement, NULL, NULL);
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
