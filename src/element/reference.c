// docs/theory/elements.md, 1, 4 and 5
#include "element/reference.h"

#include "base/memory.h"
#include "element/geometry.h"
#include "element/smooth.h"
#include "element/type.h"
#include "material/law.h"
#include "material/volumetric.h"
#include "math/components.h"
#include "math/lanes_math.h"
#include "math/mat3.h"

#include <string.h>

// One element at one point: geometry and displacements of its corners, gradient of the deformation.
typedef struct Element {
    int corner_count;
    const int32_t *nodes;
    PalVec3 X[PAL_CORNER_MAX], u[PAL_CORNER_MAX], gradients[PAL_CORNER_MAX];
    double V;
    double weights[PAL_PRESSURE_MAX];  // of the pressures at the corners
    PalMat3 F;
} Element;

typedef struct Twin {
    const PalElementsDef *def;
    const PalVec3 *displacement;
    PalVec3 *force;
    double energy;
    double *volumes, *reference_volumes;  // averaged pressures, per node
    double *smoothing;                    // node_count squared: S of smooth.h
    PalMat3 *rings;                       // node_count squared, by edges: F, then P, see rings.h
    double *ring_volumes;                 // the same
} Twin;

static int32_t point_count(const PalElementPartDef *part)
{
    return part->type->point != NULL ? part->type->point_count : 1;
}

// Whether pressures at corners take the place of the law's own.
static bool averages(const PalElementPartDef *part)
{
    return pal_element_has_pressures(part->type, part->material);
}

static void describe(const Twin *twin, const PalElementPartDef *part, int32_t e, int32_t q,
                     Element *element)
{
    element->corner_count = part->type->corner_count;
    element->nodes = part->connectivity + (int64_t)e * element->corner_count;
    for (int a = 0; a < element->corner_count; ++a) {
        element->X[a] = twin->def->nodes[element->nodes[a]];
        element->u[a] = twin->displacement[element->nodes[a]];
    }
    for (int c = 0; c < part->type->pressure_corners; ++c)
        element->weights[c] = 1.0 / part->type->pressure_corners;
    element->V = part->type->point != NULL
                     ? part->type->point(element->X, q, element->gradients, element->weights)
                     : part->type->geometry(element->X, element->gradients);
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
static void add_plain_hourglass(Twin *twin, const PalElementPartDef *part, const Element *element)
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

// Half the sum over patterns of stress times strain, for strains e_mi along the edges i.
static double bending_energy(const PalElementPartDef *part, const double lengths[3], double e[4][3])
{
    double shear, bulk, isochoric, volumetric, W = 0;
    pal_material_moduli(part->material, &shear, &bulk);
    pal_prony_long_term(part->material, &isochoric, &volumetric);
    shear *= fmax(isochoric, 0.01);  // something has to be left
    bulk *= fmax(volumetric, 0.01);
    double young = 9 * bulk * shear / (3 * bulk + shear), poisson = young / (2 * shear) - 1;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        double one = e[j][i], other = e[i][j];
        double twist = lengths[i] / lengths[j] * e[i][i] + lengths[j] / lengths[i] * e[j][j];
        W += young / (1 - poisson * poisson) / 6 *
                 (one * one + other * other + 2 * poisson * one * other) +
             shear / 6 * twist * twist + part->hourglass * young / 2 * e[3][i] * e[3][i];
    }
    return W;
}

// Patterns of the corners' places: the edges and the hourglass patterns, as columns and vectors.
static void find_patterns(const PalVec3 x[8], PalMat3 *edges, PalVec3 q[4])
{
    *edges = (PalMat3){0};
    for (int a = 0; a < 8; ++a) {
        bool beyond[3] = {a % 4 == 1 || a % 4 == 2, a % 4 >= 2, a >= 4};
        for (int i = 0; i < 9; ++i)
            edges->m[i / 3][i % 3] += (beyond[i % 3] ? 1 : -1) * pal_vec3_at(x[a], i / 3);
        for (int m = 0; m < 4; ++m)
            q[m] =
                pal_vec3_add_scaled(a == 0 ? pal_vec3(0, 0, 0) : q[m], pal_hourglass[m][a], x[a]);
    }
}

// The energy with the corners displaced by u.
static double bent_energy(const PalElementPartDef *part, const Element *element, const PalVec3 u[8])
{
    PalMat3 before, now;
    PalVec3 x[8], q_before[4], q[4];
    double lengths[3], e[4][3];
    for (int a = 0; a < 8; ++a)
        x[a] = pal_vec3_add(element->X[a], u[a]);
    find_patterns(element->X, &before, q_before);
    find_patterns(x, &now, q);
    PalMat3 dual_before = pal_mat3_inverse(&before), dual = pal_mat3_inverse(&now);
    for (int i = 0; i < 3; ++i)
        lengths[i] = pal_vec3_length(pal_vec3(before.m[0][i], before.m[1][i], before.m[2][i]));
    for (int m = 0; m < 4; ++m) {
        PalVec3 strain =
            pal_vec3_sub(pal_mat3_apply(&dual, q[m]), pal_mat3_apply(&dual_before, q_before[m]));
        for (int i = 0; i < 3; ++i)
            e[m][i] = pal_vec3_at(strain, i);
    }
    return element->V * bending_energy(part, lengths, e);
}

// Forces are differences of the energy, of the sixth order.
static void add_bending_hourglass(Twin *twin, const PalElementPartDef *part, const Element *element)
{
    static const double weights[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
    double size = cbrt(element->V);
    for (int a = 0; a < 8; ++a) {
        PalVec3 f = {0};
        for (int i = 0; i < 3; ++i)
            for (int k = 1; k <= 3; ++k) {
                double h = 2e-3 * size;
                PalVec3 u[8];
                memcpy(u, element->u, sizeof u);
                pal_vec3_put(&u[a], i, pal_vec3_at(u[a], i) + k * h);
                double high = bent_energy(part, element, u);
                pal_vec3_put(&u[a], i, pal_vec3_at(u[a], i) - 2 * k * h);
                double low = bent_energy(part, element, u);
                pal_vec3_put(&f, i, pal_vec3_at(f, i) + weights[k - 1] * (high - low) / h);
            }
        subtract_force(twin, element, a, f);
    }
    twin->energy += bent_energy(part, element, element->u);
}

static void volumetric(const PalElementPartDef *part, double ratio, double *U, double *p)
{
    PalLanes J = {ratio, ratio, ratio, ratio}, energy, pressure;
    part->material->law->volumetric(part->material->parameters, &J, &energy, &pressure);
    *U = energy[0];
    *p = pressure[0];
}

// Replaces the law's pressure by a mean of the corners' pressures.
static void average_pressure(Twin *twin, const PalElementPartDef *part, const Element *element,
                             PalMat3 *P)
{
    double own, mean = 0, U;
    PalMat3 C = pal_mat3_cofactor(&element->F);
    volumetric(part, pal_mat3_determinant(&element->F), &U, &own);
    twin->energy -= element->V * U;
    for (int a = 0; a < part->type->pressure_corners; ++a) {
        int32_t n = element->nodes[a];
        double p;
        volumetric(part, twin->volumes[n] / twin->reference_volumes[n], &U, &p);
        twin->energy += element->V * element->weights[a] * U;
        mean += element->weights[a] * p;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P->m[i][j] += (mean - own) * C.m[i][j];
}

// Energy and stress without the law's own volumetric part.
static void distort(const PalElementPartDef *part, const PalMat3 *F, double *D, PalMat3 *P)
{
    double U, p;
    PalMat3 C = pal_mat3_cofactor(F);
    pal_material_evaluate(part->material, F, D, P, NULL);
    volumetric(part, pal_mat3_determinant(F), &U, &p);
    *D -= U;
    for (int k = 0; k < 9; ++k)
        P->m[k / 3][k % 3] -= p * C.m[k / 3][k % 3];
}

// The ring of an element around edge k.
static size_t ring_at(const Twin *twin, const Element *element, int k)
{
    static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    int32_t a = element->nodes[ends[k][0]], b = element->nodes[ends[k][1]];
    size_t low = (size_t)(a < b ? a : b), high = (size_t)(a < b ? b : a);
    return low * (size_t)twin->def->node_count + high;
}

// F of each ring, the energy that it feels, and P in place of F.
static void feel_in_rings(Twin *twin, const PalElementPartDef *part)
{
    const size_t count = (size_t)twin->def->node_count * (size_t)twin->def->node_count;
    memset(twin->rings, 0, count * sizeof *twin->rings);
    memset(twin->ring_volumes, 0, count * sizeof *twin->ring_volumes);
    for (int32_t e = 0; e < part->element_count; ++e) {
        Element element;
        describe(twin, part, e, 0, &element);
        for (int k = 0; k < 6; ++k) {
            size_t r = ring_at(twin, &element, k);
            twin->ring_volumes[r] += element.V / 6;
            for (int i = 0; i < 9; ++i)
                twin->rings[r].m[i / 3][i % 3] += element.V / 6 * element.F.m[i / 3][i % 3];
        }
    }
    for (size_t r = 0; r < count; ++r) {
        PalMat3 F = twin->rings[r];
        double V = twin->ring_volumes[r], D;
        if (V == 0)
            continue;
        for (int i = 0; i < 9; ++i)
            F.m[i / 3][i % 3] /= V;
        distort(part, &F, &D, &twin->rings[r]);
        twin->energy += V * D;
    }
}

// Leaves the distortion of an element to the rings around its edges.
static void hand_over(Twin *twin, const PalElementPartDef *part, const Element *element, PalMat3 *P)
{
    PalMat3 own, C = pal_mat3_cofactor(&element->F);
    double D, J = pal_mat3_determinant(&element->F), shear, bulk;
    pal_material_moduli(part->material, &shear, &bulk);
    double guard = PAL_GUARD * (shear + bulk);
    double collapse = pal_quadratic_point(guard, J).first - guard * (J - 1);
    PalLanes all = pal_lanes_all(J);
    distort(part, &element->F, &D, &own);
    twin->energy -= element->V * D;
    if (pal_any_collapses(all))
        twin->energy += element->V * pal_collapse_energy(guard, all)[0];
    for (int i = 0; i < 9; ++i) {
        P->m[i / 3][i % 3] += collapse * C.m[i / 3][i % 3] - own.m[i / 3][i % 3];
        for (int k = 0; k < 6; ++k)
            P->m[i / 3][i % 3] += twin->rings[ring_at(twin, element, k)].m[i / 3][i % 3] / 6;
    }
}

static void add_element(Twin *twin, const PalElementPartDef *part, int32_t e, int32_t q)
{
    Element element;
    PalMat3 P;
    double W;
    describe(twin, part, e, q, &element);
    pal_material_evaluate(part->material, &element.F, &W, &P, NULL);
    twin->energy += element.V * W;
    if (averages(part))
        average_pressure(twin, part, &element, &P);
    if (averages(part) && part->type->rings)
        hand_over(twin, part, &element, &P);
    for (int a = 0; a < element.corner_count; ++a)
        subtract_force(twin, &element, a,
                       pal_vec3_scale(element.V, pal_mat3_apply(&P, element.gradients[a])));
    if (part->type->traits.has_hourglass && part->hourglass_control == PAL_HOURGLASS_PLAIN)
        add_plain_hourglass(twin, part, &element);
    else if (part->type->traits.has_hourglass)
        add_bending_hourglass(twin, part, &element);
}

static void add_volumes(Twin *twin, const PalElementPartDef *part)
{
    size_t bytes = (size_t)twin->def->node_count * sizeof(double);
    memset(twin->volumes, 0, bytes);
    memset(twin->reference_volumes, 0, bytes);
    for (int32_t k = 0; k < part->element_count * point_count(part); ++k) {
        Element element;
        describe(twin, part, k / point_count(part), k % point_count(part), &element);
        for (int a = 0; a < part->type->pressure_corners; ++a) {
            double V = element.V * element.weights[a];
            twin->volumes[element.nodes[a]] += V * pal_mat3_determinant(&element.F);
            twin->reference_volumes[element.nodes[a]] += V;
        }
    }
}

// Solves A x = x by Gauss's elimination; A is positive.
static void eliminate(double *A, double *x, int32_t count)
{
    for (int32_t k = 0; k < count; ++k)
        for (int32_t r = k + 1; r < count; ++r) {
            double factor = A[r * count + k] / A[k * count + k];
            for (int32_t c = k; factor != 0 && c < count; ++c)
                A[r * count + c] -= factor * A[k * count + c];
            x[r] -= factor * x[k];
        }
    for (int32_t k = count - 1; k >= 0; --k) {
        for (int32_t c = k + 1; c < count; ++c)
            x[k] -= A[k * count + c] * x[c];
        x[k] /= A[k * count + k];
    }
}

// One turn of Newton's method for V_a J_a + sum_b S_ab U'(J_b) = v_a.
static void correct(Twin *twin, const PalElementPartDef *part, const double *target,
                    double *pressure)
{
    const int32_t count = twin->def->node_count;
    const size_t squares = (size_t)count * (size_t)count;
    double *S = twin->smoothing, *A = S + squares + 2 * (size_t)count, *x = A + squares, U;
    double *J = twin->volumes, *give = x + count;
    memcpy(A, S, squares * sizeof *A);
    for (int32_t n = 0; n < count; ++n) {
        double V = twin->reference_volumes[n], high, low;
        volumetric(part, J[n] + 1e-5, &U, &high);
        volumetric(part, J[n] - 1e-5, &U, &low);
        give[n] = V * 2e-5 / (high - low);
        A[n * count + n] += V > 0 ? give[n] : 1;
        x[n] = target[n] - V * J[n];
        for (int32_t m = 0; m < count; ++m)
            x[n] -= S[n * count + m] * pressure[m];
    }
    eliminate(A, x, count);
    for (int32_t n = 0; n < count; ++n) {
        if (twin->reference_volumes[n] > 0)
            J[n] += x[n] * give[n] / twin->reference_volumes[n];
        volumetric(part, J[n], &U, &pressure[n]);
    }
}

// S, and then J_a, which leaves V_a J_a in place of v_a. Adds the energy of smoothing.
static void smooth(Twin *twin, const PalElementPartDef *part)
{
    const int32_t count = twin->def->node_count;
    const double share = pal_smoothing_of(part->material);
    double *S = twin->smoothing, *J = twin->volumes, U;
    memset(S, 0, (size_t)count * (size_t)count * sizeof *S);
    for (int32_t e = 0; e < part->element_count; ++e) {
        Element element;
        describe(twin, part, e, 0, &element);
        for (int k = 0; k < 16; ++k)
            S[element.nodes[k / 4] * count + element.nodes[k % 4]] +=
                share * element.V * (k / 4 == k % 4 ? 0.75 : -0.25);
    }
    double *target = S + (size_t)count * (size_t)count, *pressure = target + count;
    for (int32_t n = 0; n < count; ++n) {
        double V = twin->reference_volumes[n];
        target[n] = J[n];
        J[n] = V > 0 ? target[n] / V : 1;
        volumetric(part, J[n], &U, &pressure[n]);
    }
    for (int turn = 0; turn < 12; ++turn)
        correct(twin, part, target, pressure);
    for (int32_t n = 0; n < count; ++n)
        for (int32_t m = 0; m < count; ++m)
            twin->energy += S[n * count + m] * pressure[n] * pressure[m] / 2;
    for (int32_t n = 0; n < count; ++n)
        J[n] *= twin->reference_volumes[n];
}

// Rows that have a twin of their own.
static void add_own(Twin *twin, const PalElementPartDef *part)
{
    int32_t count = part->type->corner_count;
    for (int32_t e = 0; e < part->element_count; ++e) {
        const int32_t *nodes = part->connectivity + (int64_t)e * count;
        PalVec3 X[PAL_CORNER_MAX], u[PAL_CORNER_MAX], f[PAL_CORNER_MAX] = {{0}};
        for (int32_t a = 0; a < count; ++a) {
            X[a] = twin->def->nodes[nodes[a]];
            u[a] = twin->displacement[nodes[a]];
        }
        part->type->reference(part, e, X, u, f, &twin->energy);
        for (int32_t a = 0; a < count; ++a)
            twin->force[nodes[a]] = pal_vec3_add(twin->force[nodes[a]], f[a]);
    }
}

bool pal_elements_force_ref(const PalElementsDef *def, const PalVec3 *displacement, PalVec3 *force,
                            double *energy)
{
    Twin twin = {.def = def, .displacement = displacement, .force = force};
    twin.volumes = pal_alloc((size_t)def->node_count, sizeof(double));
    twin.reference_volumes = pal_alloc((size_t)def->node_count, sizeof(double));
    bool smooths = false;
    for (int32_t p = 0; p < def->part_count; ++p)
        smooths = smooths || def->parts[p].type->smooths;
    size_t count = smooths ? (size_t)def->node_count : 0;
    twin.smoothing = pal_alloc(2 * count * (count + 2), sizeof(double));
    twin.rings = pal_alloc(count * count, sizeof *twin.rings);
    twin.ring_volumes = pal_alloc(count * count, sizeof *twin.ring_volumes);
    bool whole = twin.volumes != NULL && twin.reference_volumes != NULL && twin.smoothing != NULL &&
                 twin.rings != NULL && twin.ring_volumes != NULL;
    memset(force, 0, (size_t)def->node_count * sizeof *force);
    for (int32_t p = 0; whole && p < def->part_count; ++p) {
        if (def->parts[p].type->reference != NULL) {
            add_own(&twin, &def->parts[p]);
            continue;
        }
        if (averages(&def->parts[p]))
            add_volumes(&twin, &def->parts[p]);
        if (averages(&def->parts[p]) && def->parts[p].type->smooths)
            smooth(&twin, &def->parts[p]);
        if (averages(&def->parts[p]) && def->parts[p].type->rings)
            feel_in_rings(&twin, &def->parts[p]);
        int32_t points = point_count(&def->parts[p]);
        for (int32_t k = 0; k < def->parts[p].element_count * points; ++k)
            add_element(&twin, &def->parts[p], k / points, k % points);
    }
    pal_free(twin.volumes);
    pal_free(twin.reference_volumes);
    pal_free(twin.smoothing);
    pal_free(twin.rings);
    pal_free(twin.ring_volumes);
    if (energy != NULL)
        *energy = twin.energy;
    return whole;
}
