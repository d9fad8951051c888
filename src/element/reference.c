// docs/theory/elements.md, 1, 4 and 5
#include "element/reference.h"

#include "base/memory.h"
#include "element/geometry.h"
#include "element/type.h"
#include "material/law.h"
#include "math/mat3.h"

#include <string.h>

// One element: geometry and displacements of its corners, gradient of the deformation.
typedef struct Element {
    int corner_count;
    const int32_t *nodes;
    PalVec3 X[PAL_CORNER_MAX], u[PAL_CORNER_MAX], gradients[PAL_CORNER_MAX];
    double V;
    PalMat3 F;
} Element;

typedef struct Twin {
    const PalElementsDef *def;
    const PalVec3 *displacement;
    PalVec3 *force;
    double energy;
    double *volumes, *reference_volumes;  // averaged pressures, per node
} Twin;

static void describe(const Twin *twin, const PalElementPartDef *part, int32_t e, Element *element)
{
    element->corner_count = part->type->corner_count;
    element->nodes = part->connectivity + (int64_t)e * element->corner_count;
    for (int a = 0; a < element->corner_count; ++a) {
        element->X[a] = twin->def->nodes[element->nodes[a]];
        element->u[a] = twin->displacement[element->nodes[a]];
    }
    element->V = part->type->geometry(element->X, element->gradients);
    element->F = pal_mat3_identity();
    for (int a = 0; a < element->corner_count; ++a)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                element->F.m[i][j] +=
                    pal_vec3_at(element->u[a], i) * pal_vec3_at(element->gradients[a], j);
}

static void subtract_force(Twin *twin, const Element *element, int a, PalVec3 f)
{
    PalVec3 *force = &twin->force[element->nodes[a]];
    *force = pal_vec3_sub(*force, f);
}

// gamma_ma = h_ma - sum_b h_mb X_b . grad N_a, f_a = k gamma_ma sum_b gamma_mb u_b
static void add_hourglass(Twin *twin, const PalElementPartDef *part, const Element *element)
{
    double shear, bulk, squares = 0;
    pal_material_moduli(part->material, &shear, &bulk);
    for (int a = 0; a < 8; ++a)
        squares += pal_vec3_dot(element->gradients[a], element->gradients[a]);
    double young = 9 * bulk * shear / (3 * bulk + shear);
    double k = part->hourglass * element->V * young * squares / 8;
    for (int m = 0; m < 4; ++m) {
        double gamma[8];
        PalVec3 x = {0}, q = {0};
        for (int a = 0; a < 8; ++a)
            x = pal_vec3_add_scaled(x, pal_hourglass[m][a], element->X[a]);
        for (int a = 0; a < 8; ++a) {
            gamma[a] = pal_hourglass[m][a] - pal_vec3_dot(x, element->gradients[a]);
            q = pal_vec3_add_scaled(q, gamma[a], element->u[a]);
        }
        for (int a = 0; a < 8; ++a)
            subtract_force(twin, element, a, pal_vec3_scale(k * gamma[a], q));
        twin->energy += k / 2 * pal_vec3_dot(q, q);
    }
}

static void volumetric(const PalElementPartDef *part, double ratio, double *U, double *p)
{
    PalLanes J = {ratio, ratio, ratio, ratio}, energy, pressure;
    part->material->law->volumetric(part->material->parameters, &J, &energy, &pressure);
    *U = energy[0];
    *p = pressure[0];
}

// Replaces the law's pressure by the mean of the corners' pressures.
static void average_pressure(Twin *twin, const PalElementPartDef *part, const Element *element,
                             PalMat3 *P)
{
    double own, mean = 0, U;
    PalMat3 C = pal_mat3_cofactor(&element->F);
    volumetric(part, pal_mat3_determinant(&element->F), &U, &own);
    twin->energy -= element->V * U;
    for (int a = 0; a < 4; ++a) {
        int32_t n = element->nodes[a];
        double p;
        volumetric(part, twin->volumes[n] / twin->reference_volumes[n], &U, &p);
        twin->energy += element->V / 4 * U;
        mean += p / 4;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P->m[i][j] += (mean - own) * C.m[i][j];
}

static void add_element(Twin *twin, const PalElementPartDef *part, int32_t e)
{
    Element element;
    PalMat3 P;
    double W;
    describe(twin, part, e, &element);
    pal_material_evaluate(part->material, &element.F, &W, &P, NULL);
    twin->energy += element.V * W;
    if (part->type->traits.averages_pressure)
        average_pressure(twin, part, &element, &P);
    for (int a = 0; a < element.corner_count; ++a)
        subtract_force(twin, &element, a,
                       pal_vec3_scale(element.V, pal_mat3_apply(&P, element.gradients[a])));
    if (part->type->traits.has_hourglass)
        add_hourglass(twin, part, &element);
}

static void add_volumes(Twin *twin, const PalElementPartDef *part)
{
    size_t bytes = (size_t)twin->def->node_count * sizeof(double);
    memset(twin->volumes, 0, bytes);
    memset(twin->reference_volumes, 0, bytes);
    for (int32_t e = 0; e < part->element_count; ++e) {
        Element element;
        describe(twin, part, e, &element);
        for (int a = 0; a < 4; ++a) {
            twin->volumes[element.nodes[a]] += element.V * pal_mat3_determinant(&element.F);
            twin->reference_volumes[element.nodes[a]] += element.V;
        }
    }
}

bool pal_elements_force_ref(const PalElementsDef *def, const PalVec3 *displacement, PalVec3 *force,
                            double *energy)
{
    Twin twin = {.def = def, .displacement = displacement, .force = force};
    twin.volumes = pal_alloc((size_t)def->node_count, sizeof(double));
    twin.reference_volumes = pal_alloc((size_t)def->node_count, sizeof(double));
    bool whole = twin.volumes != NULL && twin.reference_volumes != NULL;
    memset(force, 0, (size_t)def->node_count * sizeof *force);
    for (int32_t p = 0; whole && p < def->part_count; ++p) {
        if (def->parts[p].type->traits.averages_pressure)
            add_volumes(&twin, &def->parts[p]);
        for (int32_t e = 0; e < def->parts[p].element_count; ++e)
            add_element(&twin, &def->parts[p], e);
    }
    pal_free(twin.volumes);
    pal_free(twin.reference_volumes);
    if (energy != NULL)
        *energy = twin.energy;
    return whole;
}
