// One element or lane at a time, with the definitions of the kernels: for output, and for bounds of
// the step.   docs/theory/elements.md, 1, 4 and 6
#include "element/solid.h"

#include "element/kernels.h"
#include "material/volumetric.h"
#include "math/lanes_math.h"

void pal_solid_mass(const PalPart *part, const PalSolid *solid, const PalLanes *factor,
                    PalLanes shares[PAL_CORNER_MAX])
{
    PalLanes share = *factor * part->material.density * solid->V / (double)solid->corner_count;
    for (int32_t a = 0; a < solid->corner_count; ++a)
        shares[a] = share;
}

// Place among the block's nodes.
static int32_t node_of(const PalSolid *solid, int32_t a, int32_t lane)
{
    return solid->corner[a][lane] / 4;
}

// ---- energy -----------------------------------------------------------------------------

// Volume ratio at corner a.
static PalLanes ratio_at(const PalBatch *batch, const PalSolid *solid, int32_t a)
{
    PalLanes ratio;
    for (int32_t l = 0; l < PAL_LANES; ++l)
        ratio[l] = pal_batch_ratio(batch, node_of(solid, a, l));
    return ratio;
}

// U per reference volume: of J, or the mean of the corners' where pressures are averaged.
static PalLanes volumetric_energy(const PalBatch *batch, const PalSolid *solid, PalLanes J)
{
    const PalMaterialDef *material = &batch->part->material;
    PalLanes U = {0};
    if (material->law->volumetric == NULL)
        return U;
    if (solid->pressure_count == 0) {
        if (solid->ratio != NULL)
            J = *solid->ratio;
        material->law->volumetric(material->parameters, &J, &U, NULL);
        return U;
    }
    for (int32_t a = 0; a < solid->pressure_count; ++a) {
        PalLanes ratio = ratio_at(batch, solid, a), one;
        material->law->volumetric(material->parameters, &ratio, &one, NULL);
        U += solid->weights[a] * one;
    }
    return U;
}

// Mean over the rings around an element's edges.
static PalLanes ring_mean(const PalBatch *batch, const double *values)
{
    PalLanes sum = {0};
    for (int k = 0; k < 6; ++k)
        for (int32_t l = 0; l < PAL_LANES; ++l)
            sum[l] += values[batch->ring_of[k][l]] / 6;
    return sum;
}

void pal_solid_energy(const PalBatch *batch, const PalSolid *solid, const PalDeformed *now,
                      PalLanes *energy)
{
    const PalMaterialDef *material = &batch->part->material;
    double isochoric, volumetric;
    PalLanes D;
    pal_prony_long_term(material, &isochoric, &volumetric);
    material->law->energy(material->parameters, &now->F, &D);
    if (batch->part->rings)
        D = ring_mean(batch, batch->rings->energy);
    PalLanes density = isochoric * D + volumetric * volumetric_energy(batch, solid, now->J);
    if (batch->part->rings && pal_any_collapses(now->J))
        density += pal_collapse_energy(batch->part->guard, now->J);
    *energy = density * solid->V;
}

// ---- stress -----------------------------------------------------------------------------

static PalLanes averaged_pressure(const PalBatch *batch, const PalSolid *solid)
{
    PalLanes sum = {0};
    for (int32_t a = 0; a < solid->pressure_count; ++a)
        for (int32_t l = 0; l < PAL_LANES; ++l)
            sum[l] += solid->weights[a] * batch->displacement[node_of(solid, a, l)][3];
    return sum;
}

// What rings share out.
static void gather_rings(const PalBatch *batch, PalLanesMat3 *P)
{
    *P = (PalLanesMat3){0};
    for (int e = 0; e < 6 * PAL_LANES; ++e) {
        const int32_t l = e % PAL_LANES;
        const double *stress = batch->rings->stress[batch->ring_of[e / PAL_LANES][l]];
        for (int k = 0; k < 9; ++k)
            P->m[k / 3][k % 3][l] += stress[k];
    }
}

// P of a batch, as in the kernels; the history, if any, stands.
static void stress_of(const PalBatch *batch, const PalSolid *solid, const PalLanesMat3 *F,
                      PalLanesMat3 *P)
{
    const PalPart *part = batch->part;
    const PalMaterialLaw *law = part->material.law;
    bool averaged = solid->pressure_count > 0 || solid->pressure != NULL;
    bool relaxes = part->history_batch > 0;
    PalLanesMat3 C;
    PalLanes pressure = {0};
    pal_lanes_cofactor(F, &C);
    law->stress(part->material.parameters, F, P);
    if (averaged) {
        pressure = solid->pressure != NULL ? *solid->pressure : averaged_pressure(batch, solid);
    } else if (law->volumetric != NULL) {
        PalLanes J = pal_lanes_determinant(F, &C);
        law->volumetric(part->material.parameters, &J, NULL, &pressure);
    }
    if (relaxes && batch->history != NULL) {
        bool split = !averaged && law->volumetric != NULL;
        pal_prony_relax(batch->prony, F, split ? &pressure : NULL, batch->history, NULL, P);
        if (split)
            return;
    }
    if (part->rings) {
        gather_rings(batch, P);
        pal_add_collapse(part->guard, pal_lanes_determinant(F, &C), &pressure);
    }
    for (int k = 0; k < 9; ++k)
        P->m[k / 3][k % 3] += pressure * C.m[k / 3][k % 3];
}

// Cauchy stress P F^T / J and Green-Lagrange strain (F^T F - I) / 2, as xx yy zz xy yz zx.
void pal_solid_fields(const PalBatch *batch, const PalSolid *solid, const PalDeformed *now,
                      PalBatchFields *fields)
{
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    PalLanesMat3 P;
    pal_solid_energy(batch, solid, now, &fields->energy);
    stress_of(batch, solid, &now->F, &P);
    fields->V = solid->V;
    fields->J = now->J;
    for (int c = 0; c < 6; ++c) {
        PalLanes sum = {0};
        for (int k = 0; k < 3; ++k)
            sum += 0.5 * (P.m[row[c]][k] * now->F.m[column[c]][k] +
                          P.m[column[c]][k] * now->F.m[row[c]][k]);
        fields->stress[c] = sum / now->J;
        PalLanes product = {0};
        for (int k = 0; k < 3; ++k)
            product += now->F.m[k][row[c]] * now->F.m[k][column[c]];
        fields->strain[c] = 0.5 * (product - (row[c] == column[c] ? 1.0 : 0.0));
    }
}

void pal_solid_add_fields(const PalBatchFields *point, PalLanes part, PalBatchFields *fields)
{
    fields->energy += point->energy;
    fields->J += part * point->J;
    for (int c = 0; c < 6; ++c) {
        fields->stress[c] += part * point->stress[c];
        fields->strain[c] += part * point->strain[c];
    }
}

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
static void mean_volumetric(const PalBatch *batch, const PalSolid *solid, PalLanes *dU,
                            PalLanes *d2U)
{
    *dU = *d2U = pal_lanes_all(0.0);
    if (solid->ratio != NULL)
        volumetric_of(&batch->part->material, *solid->ratio, dU, d2U);
    for (int32_t a = 0; a < solid->pressure_count; ++a) {
        PalLanes first, second;
        volumetric_of(&batch->part->material, ratio_at(batch, solid, a), &first, &second);
        *dU += solid->weights[a] * first;
        *d2U += solid->weights[a] * second;
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

// Laws whose tangent jumps have a stiffer one for bounds, point by point.
static void stiffest_of(const PalMaterialDef *material, const PalLanesMat3 *F, PalLanes A[9][9])
{
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        PalMat3 one = pal_solid_lane(F, l);
        double tangent[9][9] = {{0}};
        material->law->stiffest(material->parameters, &one, tangent);
        for (int k = 0; k < 81; ++k)
            A[k / 9][k % 9][l] = tangent[k / 9][k % 9];
    }
}

static void general_stiffness(const PalBatch *batch, const PalSolid *solid, const PalLanesMat3 *F,
                              PalLanes A[9][9])
{
    const PalMaterialDef *material = &batch->part->material;
    bool averaged = solid->pressure_count > 0 || solid->ratio != NULL;
    bool whole = material->law->stiffest != NULL;
    PalLanes dU = {0}, d2U = {0}, own_dU = {0}, own_d2U = {0};
    PalLanesMat3 C;
    if (whole)
        stiffest_of(material, F, A);
    else
        differentiate_stress(material, F, A);
    const double left = batch->part->rings ? 0 : 1;  // of the distortion
    for (int k = 0; left < 1 && k < 81; ++k)
        A[k / 9][k % 9] = pal_lanes_all(0.0);
    if (material->law->volumetric == NULL || (whole && !averaged))
        return;
    pal_lanes_cofactor(F, &C);
    volumetric_of(material, pal_lanes_determinant(F, &C), &own_dU, &own_d2U);
    if (averaged)
        mean_volumetric(batch, solid, &dU, &d2U);
    else
        dU = own_dU, d2U = own_d2U;
    if (batch->part->rings)
        pal_solid_guard(batch->part, F, &dU, &d2U);
    add_volumetric(F, whole ? dU - left * own_dU : dU, whole ? d2U - left * own_d2U : d2U, A);
}

static void bound_any_law(const PalBatch *batch, const PalSolid *solid, const PalLanesMat3 *F,
                          const PalLanesMat3 *R, PalLanes *bound)
{
    PalLanes A[9][9];
    general_stiffness(batch, solid, F, A);
    pal_kernels()->stiffness((const PalLanes(*)[9])A, R, bound);
}

static bool any_corner_collapses(const PalBatch *batch, const PalSolid *solid)
{
    bool any = false;
    for (int32_t a = 0; a < solid->pressure_count; ++a)
        any = any || pal_any_collapses(ratio_at(batch, solid, a));
    return any;
}

static void bound_neo_hookean(const PalBatch *batch, const PalSolid *solid, const PalLanesMat3 *F,
                              const PalLanesMat3 *R, PalLanes *bound)
{
    const double *given = batch->part->material.parameters;
    const double parameters[2] = {batch->part->rings ? 0 : given[0], given[1]};
    PalStiffnessWork work = {.parameters = parameters, .F = F, .R = R};
    PalLanes pressure, own, second;
    if (solid->pressure_count > 0) {
        pressure = averaged_pressure(batch, solid);
        work.pressure = &pressure;
    }
    if (solid->ratio != NULL) {
        mean_volumetric(batch, solid, &pressure, &second);
        work.pressure = &pressure;
        work.second = &second;
    }
    if (solid->pressure_count > 0 && any_corner_collapses(batch, solid)) {
        mean_volumetric(batch, solid, &own, &second);
        work.second = &second;
    }
    pal_kernels()->neo_hookean_stiffness(&work, bound);
}

// The largest sum of a row of R R^T: no eigenvalue is greater.
static PalLanes largest_row(const PalLanesMat3 *R)
{
    PalLanes largest = {0};
    for (int i = 0; i < 3; ++i) {
        PalLanes sum = {0};
        for (int j = 0; j < 3; ++j) {
            PalLanes g = {0};
            for (int k = 0; k < 3; ++k)
                g += R->m[i][k] * R->m[j][k];
            sum += pal_lanes_select((PalLanesInt)(g > 0.0), g, -g);
        }
        largest = pal_lanes_select((PalLanesInt)(sum > largest), sum, largest);
    }
    return largest;
}

void pal_solid_bound(const PalBatch *batch, const PalSolid *solid, const PalLanesMat3 *F,
                     const PalLanesMat3 *R, PalLanes *bound)
{
    PalLanesMat3 C;
    pal_lanes_cofactor(F, &C);
    bool guarded = batch->part->rings && pal_any_collapses(pal_lanes_determinant(F, &C));
    if (batch->part->material.law == &pal_law_neo_hookean && !guarded)
        bound_neo_hookean(batch, solid, F, R, bound);
    else
        bound_any_law(batch, solid, F, R, bound);
    if (batch->part->rings)
        *bound += largest_row(R) * ring_mean(batch, batch->rings->stiffest);
}

void pal_solid_distortion_bound(const PalPart *part, const PalLanesMat3 *F, PalLanes *bound)
{
    const PalMaterialDef *material = &part->material;
    PalLanesMat3 one = {0};
    PalLanes none = {0}, A[9][9], own_dU, own_d2U;
    for (int i = 0; i < 3; ++i)
        one.m[i][i] = pal_lanes_all(1.0);
    if (material->law == &pal_law_neo_hookean) {
        PalStiffnessWork work = {material->parameters, F, &one, &none, &none};
        pal_kernels()->neo_hookean_stiffness(&work, bound);
        return;
    }
    if (material->law->stiffest != NULL) {
        PalLanesMat3 C;
        pal_lanes_cofactor(F, &C);
        stiffest_of(material, F, A);
        volumetric_of(material, pal_lanes_determinant(F, &C), &own_dU, &own_d2U);
        add_volumetric(F, -own_dU, -own_d2U, A);
    } else {
        differentiate_stress(material, F, A);
    }
    pal_kernels()->stiffness((const PalLanes(*)[9])A, &one, bound);
}
