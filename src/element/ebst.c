// Thin bodies of triangles without rotations: each bends by what the three around it do.
// docs/theory/membranes.md
#include "element/patch.h"
#include "element/shell.h"
#include "math/lanes_math.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <stddef.h>

static PalStatus check(const PalElementPartDef *part, PalError *error)
{
    if (!(part->thickness > 0) || !isfinite(part->thickness))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "thickness is %g, but must be greater than 0 for element %s",
                             part->thickness, part->type->choice.name);
    const PalMaterialLaw *law = part->material->law;
    for (int32_t k = 0; k < law->parameter_count; ++k)
        if (pal_law_vector_stem(law, k) > 0)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "law %s has fibres, which element %s cannot follow; expected an "
                                 "isotropic law",
                                 law->name, part->type->choice.name);
    return PAL_OK;
}

static int32_t history(const PalMaterialDef *material)
{
    int32_t stress = material->incompressible ? pal_prony_isochoric_history_count(material)
                                              : pal_prony_history_count(material);
    return stress + (material->isochoric_count > 0 ? 3 * (material->isochoric_count + 1) : 0);
}

static double fill_from(const PalElementPartDef *part, int32_t e, const PalVec3 *X, int32_t lane,
                        void *data)
{
    PalShellBatch *batch = data;
    PalPatch patch;
    double poisson, area = pal_patch_init(part, e, X, &patch);
    for (int k = 0; k < 12; ++k)
        batch->c[k / 4][k / 2 % 2][k % 2][lane] = patch.c[k / 4][k / 2 % 2][k % 2];
    for (int s = 0; s < 3; ++s)
        for (int i = 0; i < 3; ++i) {
            for (int a = 0; a < 2; ++a)
                batch->phi[s][a][i][lane] = pal_vec3_at(patch.phi[s][a], i);
            batch->mirror[s][i][lane] = pal_vec3_at(patch.mirrors[s], i);
            batch->h[s][i][lane] = pal_vec3_at(patch.h[s], i);
        }
    for (int s = 0; s < 3; ++s)
        for (int a = 0; a < 2; ++a)
            batch->g[s][a][lane] = patch.g[s][a];
    for (int i = 0; i < 3; ++i) {
        batch->normal[i][lane] = pal_vec3_at(patch.normal, i);
        for (int a = 0; a < 2; ++a)
            batch->edge[a][i][lane] = pal_vec3_at(pal_vec3_sub(X[1 + a], X[0]), i);
    }
    batch->A[lane] = area;
    batch->V[lane] = area * part->thickness;
    batch->bend[lane] = area * pal_patch_bending(part->material, part->thickness, &poisson);
    if (patch.mirrored)
        batch->mirrored = pal_lanes_all(1.0);
    if (patch.is_wide)
        batch->is_wide = pal_lanes_all(1.0);
    for (int k = 0; k < 3; ++k)
        for (int a = 1; a < PAL_PATCH_NODES; ++a)
            batch->wide[k][a - 1][lane] = patch.wide[k][a];
    return area;
}

static void prepare(PalPart *part)
{
    pal_plane_fit(&part->material, &part->plane);
}

// A third of the triangle at each of its corners.
static void mass(const PalPart *part, const void *data, const PalLanes *factor,
                 PalLanes shares[PAL_CORNER_MAX])
{
    const PalShellBatch *batch = data;
    for (int a = 0; a < PAL_PATCH_NODES; ++a)
        shares[a] = a < 3 ? *factor * part->material.density * batch->V / 3.0 : pal_lanes_all(0.0);
}

static void bound_mass(const PalPart *part, const void *data, const PalLanes *factor,
                       PalLanes shares[PAL_CORNER_MAX])
{
    const PalShellBatch *batch = data;
    for (int a = 0; a < PAL_PATCH_NODES; ++a) {
        PalLanes share = *factor * part->material.density * batch->V / 6.0;
        for (int32_t l = 0; l < PAL_LANES; ++l)  // those that stand in get nothing
            shares[a][l] = a < 6 || batch->corner[a][l] != batch->corner[0][l] ? share[l] : 0;
    }
}

static PalBlockKernel ebst_force(const PalPart *part)
{
    const PalShellKernels *kernels = pal_shell_kernels();
    if (!pal_shell_is_quick(part))
        return kernels->ebst_general;
    if (part->material.law->plane != NULL)
        return kernels->ebst_principal;
    return part->material.law == &pal_law_neo_hookean ? kernels->ebst_neo_hookean
                                                      : kernels->ebst_invariant;
}

static PalBlockKernel membrane_force(const PalPart *part)
{
    const PalShellKernels *kernels = pal_shell_kernels();
    if (!pal_shell_is_quick(part))
        return kernels->membrane_general;
    if (part->material.law->plane != NULL)
        return kernels->membrane_principal;
    return part->material.law == &pal_law_neo_hookean ? kernels->membrane_neo_hookean
                                                      : kernels->membrane_invariant;
}

static void find_now(const PalBatch *batch, const double *memory, PalShellNow *now)
{
    PalShellWork work = {.part = batch->part,
                         .prony = batch->prony,
                         .displacement = batch->displacement,
                         .before = batch->part->history_batch > 0 ? memory : NULL};
    pal_patch_bending(&batch->part->material, batch->part->thickness, &work.poisson);
    pal_shell_kernels()->now(&work, batch->data, now);
}

// F = [f0 f2; 0 f1] in axes of the deformed plane.
static void factor_plane(const PalShellNow *now, PalLanes f[3])
{
    f[0] = pal_lanes_sqrt(1.0 + now->e[0]);
    f[2] = now->e[2] / f[0];
    f[1] = pal_lanes_sqrt(1.0 + now->e[1] - f[2] * f[2]);
}

static void ratio(const PalBatch *batch, PalLanes *J)
{
    PalShellNow now;
    PalLanes f[3];
    find_now(batch, NULL, &now);
    factor_plane(&now, f);
    *J = f[0] * f[1] * now.stretch;
}

// ---- energy ---------------------------------------------------------------------------------

static void energy_of(const PalBatch *at, const PalShellNow *now, PalLanes *energy)
{
    const PalShellBatch *batch = at->data;
    const PalMaterialDef *material = &at->part->material;
    PalLanes f[3], D, U = {0}, bending = {0};
    double isochoric, volumetric, poisson;
    factor_plane(now, f);
    PalLanesMat3 F = {{{f[0], f[2], {0}}, {{0}, f[1], {0}}, {{0}, {0}, now->stretch}}};
    PalLanes J = f[0] * f[1] * now->stretch;
    pal_prony_long_term(material, &isochoric, &volumetric);
    material->law->energy(material->parameters, &F, &D);
    if (material->law->volumetric != NULL && !material->incompressible)
        material->law->volumetric(material->parameters, &J, &U, NULL);
    pal_patch_bending(material, at->part->thickness, &poisson);
    const PalLanes *x = now->bend;
    bending = x[0] * x[0] + x[1] * x[1] + 2.0 * poisson * x[0] * x[1] +
              2.0 * (1.0 - poisson) * x[2] * x[2];
    *energy = batch->V * (isochoric * D + volumetric * U) + isochoric * 0.5 * batch->bend * bending;
}

static void energy(const PalBatch *batch, PalLanes *result)
{
    PalShellNow now;
    find_now(batch, NULL, &now);
    energy_of(batch, &now, result);
}

// ---- fields ---------------------------------------------------------------------------------

static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};

// v_a v_b^T T_ab as xx yy zz xy yz zx.
static void spread(const PalLanes v[2][3], const PalLanes T[3], PalLanes factor, PalLanes six[6])
{
    for (int c = 0; c < 6; ++c) {
        int i = row[c], j = column[c];
        six[c] = factor * (T[0] * v[0][i] * v[0][j] + T[1] * v[1][i] * v[1][j] +
                           T[2] * (v[0][i] * v[1][j] + v[1][i] * v[0][j]));
    }
}

// The columns of F in space: the first along the edge's first axis as it is now.
static void columns_of(const PalShellNow *now, const PalLanes f[3], PalLanes v[2][3])
{
    PalLanes mean[3], across[3], length = {0};
    const PalLanes *n = now->normal;
    for (int i = 0; i < 3; ++i)
        mean[i] = now->phi[0][0][i] + now->phi[1][0][i] + now->phi[2][0][i];
    PalLanes out = mean[0] * n[0] + mean[1] * n[1] + mean[2] * n[2];
    for (int i = 0; i < 3; ++i) {
        mean[i] -= out * n[i];
        length += mean[i] * mean[i];
    }
    length = pal_lanes_sqrt(length);
    for (int i = 0; i < 3; ++i)
        mean[i] /= length;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        across[i] = n[j] * mean[k] - n[k] * mean[j];
        v[0][i] = f[0] * mean[i];
        v[1][i] = f[2] * mean[i] + f[1] * across[i];
    }
}

// Green's strain in the axes of the body at rest.
static void strain_of(const PalBatch *at, const PalShellNow *now, PalLanes strain[6])
{
    const PalShellBatch *batch = at->data;
    PalLanes v[2][3], length = {0}, E[3] = {0.5 * now->e[0], 0.5 * now->e[1], 0.5 * now->e[2]};
    for (int i = 0; i < 3; ++i)
        length += batch->edge[0][i] * batch->edge[0][i];
    length = pal_lanes_sqrt(length);
    for (int i = 0; i < 3; ++i)
        v[0][i] = batch->edge[0][i] / length;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        v[1][i] = batch->normal[j] * v[0][k] - batch->normal[k] * v[0][j];
    }
    spread((const PalLanes(*)[3])v, E, pal_lanes_all(1.0), strain);
    for (int c = 0; c < 6; ++c)
        strain[c] += 0.5 * (now->stretch * now->stretch - 1.0) * batch->normal[row[c]] *
                     batch->normal[column[c]];
}

static void fields(const PalBatch *at, PalBatchFields *result)
{
    const PalShellBatch *batch = at->data;
    PalShellNow now;
    PalLanes f[3], v[2][3], outer[2][3], m[3];
    find_now(at, at->history, &now);
    energy_of(at, &now, &result->energy);
    factor_plane(&now, f);
    columns_of(&now, f, v);
    double h = at->part->thickness;
    result->V = batch->V;
    result->J = f[0] * f[1] * now.stretch;
    result->thickness = h * now.stretch;
    for (int k = 0; k < 3; ++k) {
        m[k] = now.moment[k] / batch->A;
        outer[0][k] = now.S[k] - 6.0 / (h * h) * m[k];  // curved towards the normal, the top is
        outer[1][k] = now.S[k] + 6.0 / (h * h) * m[k];  // pressed together
    }
    const PalLanes(*columns)[3] = (const PalLanes(*)[3])v;
    spread(columns, now.S, 1.0 / result->J, result->stress);
    spread(columns, outer[0], 1.0 / result->J, result->top);
    spread(columns, outer[1], 1.0 / result->J, result->bottom);
    spread(columns, now.S, h * now.stretch / result->J, result->tension);
    spread(columns, m, pal_lanes_all(1.0), result->moment);
    strain_of(at, &now, result->strain);
}

const PalElementType pal_element_ebst = {
    .choice = {"ebst", "Shell of triangles: stretches and bends. Needs a thickness."},
    .traits = {.cell = PAL_CELL_TRIANGLE, .is_thin = true, .bends = true},
    .corner_count = PAL_PATCH_NODES,
    .bound_corners = 6,
    .batch_size = sizeof(PalShellBatch),
    .corner_offset = offsetof(PalShellBatch, corner),
    .measure = "area",
    .check = check,
    .prepare = prepare,
    .fill_from = fill_from,
    .history = history,
    .reference = pal_shell_reference,
    .mass = mass,
    .bound_mass = bound_mass,
    .force = ebst_force,
    .ratio = ratio,
    .energy = energy,
    .fields = fields,
    .bound = pal_shell_bound,
    .tangent = pal_shell_tangent,
};

const PalElementType pal_element_membrane = {
    .choice = {"membrane", "Like ebst, but without stiffness against bending. Needs a thickness."},
    .traits = {.cell = PAL_CELL_TRIANGLE, .is_thin = true},
    .corner_count = PAL_PATCH_NODES,
    .bound_corners = 6,
    .batch_size = sizeof(PalShellBatch),
    .corner_offset = offsetof(PalShellBatch, corner),
    .measure = "area",
    .check = check,
    .prepare = prepare,
    .fill_from = fill_from,
    .history = history,
    .reference = pal_shell_reference,
    .mass = mass,
    .bound_mass = bound_mass,
    .force = membrane_force,
    .ratio = ratio,
    .energy = energy,
    .fields = fields,
    .bound = pal_shell_bound,
    .tangent = pal_shell_tangent,
};
