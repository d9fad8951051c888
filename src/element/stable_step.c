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
#include "math/mat3.h"

typedef struct Pass {
    PalElements *elements;
    const PalVec3 *displacement;
    const double *mass_factors;
    double *bounds;
} Pass;

// ---- averaged pressure ------------------------------------------------------------------

// dU/dJ and, by central differences, d2U/dJ2 at four volume ratios.
static void volumetric_of(const PalMaterialDef *material, PalLanes J, PalLanes *dU, PalLanes *d2U)
{
    PalLanes h = 1e-4 * J, above = J + h, below = J - h, high, low;
    material->law->volumetric(material->parameters, &J, NULL, dU);
    material->law->volumetric(material->parameters, &above, NULL, &high);
    material->law->volumetric(material->parameters, &below, NULL, &low);
    *d2U = (high - low) / (above - below);
}

// A += second cof F x cof F + first d cof F/dF
static void add_volumetric(const PalMat3 *F, double first, double second, double A[9][9])
{
    PalMat3 C = pal_mat3_cofactor(F);
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l < 9; ++l) {
            int i = k / 3, j = k % 3, p = l / 3, q = l % 3;
            A[k][l] += second * C.m[i][j] * C.m[p][q];
            if (i == p || j == q)
                continue;
            bool even = ((i + 1) % 3 == p) == ((j + 1) % 3 == q);
            A[k][l] += (even ? first : -first) * F->m[3 - i - p][3 - j - q];
        }
}

// The element's own volumetric part gives way to that of its corners: the mean of their
// pressures and of their d2U/dJ2.
static void average_volumetric(const PalElements *elements, const PalBlock *block, int32_t k,
                               const PalMat3 *F, double A[9][9])
{
    const PalMaterialDef *material = &elements->parts[block->part].material;
    const PalT4Batch *batch = &elements->t4[block->first_batch + k / PAL_LANES];
    const int32_t *pressure_of = elements->pressure_of + block->first_node;
    double own = pal_mat3_determinant(F), first = 0, second = 0;
    PalLanes J, dU, d2U;
    for (int a = 0; a < 4; ++a) {
        J[a] = elements->ratios[pressure_of[batch->corner[a][k % PAL_LANES] / 4]];
    }
    volumetric_of(material, J, &dU, &d2U);
    for (int a = 0; a < 4; ++a) {
        first += dU[a] / 4;
        second += d2U[a] / 4;
    }
    volumetric_of(material, (PalLanes){own, own, own, own}, &dU, &d2U);
    add_volumetric(F, first - dU[0], second - d2U[0], A);
}

// ---- hourglass --------------------------------------------------------------------------

// What the hourglass stiffness makes of the bound of a hexahedron: K = V B^T A B + k g^T g with
// patterns g. Both parts as squares of rectangular matrices give a two by two matrix of norms.
static double with_hourglass(const PalH8Batch *batch, int32_t l, const PalMat3 *G, double bound)
{
    double gamma[4][8] = {{0}}, widest = 0, mixed = 0;
    PalMat3 inverse = pal_mat3_inverse(G);
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
        mixed += pal_vec3_dot(b, pal_mat3_apply(&inverse, b));
    }
    double beta = batch->k[l] / batch->V[l] * widest;
    double cross = bound * batch->k[l] / batch->V[l] * mixed;
    return (bound + beta + sqrt((bound - beta) * (bound - beta) + 4 * cross)) / 2;
}

// ---- every element ----------------------------------------------------------------------

static PalMat3 lane_of(const PalLanesMat3 *matrix, int32_t l)
{
    PalMat3 one;
    for (int k = 0; k < 9; ++k)
        one.m[k / 3][k % 3] = matrix->m[k / 3][k % 3][l];
    return one;
}

static void general_bound(const PalElements *elements, const PalBlock *block, int32_t batch,
                          const PalLanesMat3 *F, const PalLanesMat3 *G, PalLanes *bound)
{
    const PalPart *part = &elements->parts[block->part];
    const PalMaterialLaw *law = part->material.law;
    PalLanes A[9][9];
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        PalMat3 one = lane_of(F, l);
        double tangent[9][9] = {{0}};
        (law->stiffest != NULL ? law->stiffest : law->tangent)(part->material.parameters, &one,
                                                               tangent);
        if (part->kind == PAL_ELEMENT_T4_ANP)
            average_volumetric(elements, block, batch * PAL_LANES + l, &one, tangent);
        for (int k = 0; k < 81; ++k)
            A[k / 9][k % 9][l] = tangent[k / 9][k % 9];
    }
    pal_kernels()->stiffness((const PalLanes(*)[9])A, G, bound);
}

static PalLanes mean_pressure(const PalT4Batch *batch, const PalLanes *displacement)
{
    PalLanes sum = {0};
    for (int a = 0; a < 4; ++a)
        for (int32_t l = 0; l < PAL_LANES; ++l)
            sum[l] += displacement[batch->corner[a][l] / 4][3];
    return 0.25 * sum;
}

// Eigenvalues of S for a batch of a block; see stiffness_body.h.
static void bound_batch(const PalElements *elements, const PalBlock *block, int32_t b,
                        const PalLanes *displacement, PalLanes *bound)
{
    const PalKernels *kernels = pal_kernels();
    const PalPart *part = &elements->parts[block->part];
    int32_t at = block->first_batch + b;
    PalLanesMat3 F, G;
    if (part->kind == PAL_ELEMENT_H8)
        kernels->h8_gradient(&elements->h8[at], displacement, &F, &G);
    else
        kernels->t4_gradient(&elements->t4[at], displacement, &F, &G);
    if (part->material.law != &pal_law_neo_hookean) {
        general_bound(elements, block, b, &F, &G, bound);
    } else if (part->kind == PAL_ELEMENT_T4_ANP) {
        PalLanes p = mean_pressure(&elements->t4[at], displacement);
        kernels->neo_hookean_stiffness(part->material.parameters, &F, &p, &G, bound);
    } else {
        kernels->neo_hookean_stiffness(part->material.parameters, &F, NULL, &G, bound);
    }
    for (int32_t l = 0; part->kind == PAL_ELEMENT_H8 && l < PAL_LANES; ++l) {
        PalMat3 metric = lane_of(&G, l);
        (*bound)[l] = with_hourglass(&elements->h8[at], l, &metric, (*bound)[l]);
    }
}

static void bound_block(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Pass *pass = context;
    PalElements *elements = pass->elements;
    const PalBlock *block = &elements->blocks[index];
    const PalPart *part = &elements->parts[block->part];
    double per_node = part->material.density / (part->kind == PAL_ELEMENT_H8 ? 8 : 4);
    PalLanes displacement[PAL_BLOCK_NODES];
    pal_block_gather(elements, block, pass->displacement, displacement);
    elements->block_sums[index] = INFINITY;
    elements->block_worst[index] = PAL_NONE;
    for (int32_t b = 0; b < block->batch_count; ++b) {
        PalLanes bound;
        bound_batch(elements, block, b, displacement, &bound);
        for (int32_t l = 0; l < PAL_LANES; ++l) {
            int32_t e = elements->numbers[block->first_number + b * PAL_LANES + l];
            if (e == PAL_NONE)
                continue;
            double factor = pass->mass_factors != NULL ? pass->mass_factors[e] : 1;
            double step = bound[l] >= 0 ? 2 * sqrt(factor * per_node / bound[l]) : 0;
            if (pass->bounds != NULL)
                pass->bounds[e] = step;
            double *least = &elements->block_sums[index];
            int32_t *worst = &elements->block_worst[index];
            if (step < *least || (step == *least && e < *worst)) {
                *least = step;
                *worst = e;
            }
        }
    }
}

double pal_elements_stable_step(PalElements *elements, const PalVec3 *displacement,
                                const double *mass_factors, int32_t thread_count, double *bounds,
                                int32_t *worst_element)
{
    Pass pass = {elements, displacement, mass_factors, bounds};
    pal_pressures_update(elements, displacement, NULL, NULL, thread_count);
    pal_parallel_for(thread_count, elements->block_count, bound_block, &pass);
    double least = INFINITY;
    int32_t worst = PAL_NONE;
    for (int32_t b = 0; b < elements->block_count; ++b) {
        int32_t e = elements->block_worst[b];
        double step = elements->block_sums[b];
        if (step < least || (step == least && e < worst)) {
            least = step;
            worst = e;
        }
    }
    if (worst_element != NULL)
        *worst_element = worst;
    return least;
}
