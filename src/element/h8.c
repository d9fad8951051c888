// The hexahedron with mean gradients, one F, and a stiffness against the hourglass patterns that F
// does not see.   docs/theory/elements.md, 5
#include "base/choice.h"
#include "element/geometry.h"
#include "element/kernels.h"
#include "element/solid.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <stddef.h>

const int pal_h8_tetrahedra[8][4] = {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7},
                                     {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}};

#define EVEN 1e-13  // of an edge: what a parallelepiped may have of hourglass patterns by rounding

static const PalChoice controls[] = {
    [PAL_HOURGLASS_BENDING] = {"bending", "One layer of cells bends and twists as a beam does."},
    [PAL_HOURGLASS_PLAIN] = {"plain", "All modes alike, by the number hourglass, as in NiftySim."},
    [PAL_HOURGLASS_NONE] = {"f-bar",
                            "No hourglass modes: eight integration points a cell, which share "
                            "the mean of their changes of volume (F-bar)."},
};

PAL_CHOICE_ARRAY(hourglass_control, PalHourglassControl, controls)

static PalStatus check(const PalElementPartDef *part, PalError *error)
{
    if (part->hourglass >= 0 && isfinite(part->hourglass))
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "hourglass stiffness is %g, but must be at least 0",
                         part->hourglass);
}

static bool bends(const PalPart *part)
{
    return part->hourglass_control == PAL_HOURGLASS_BENDING;
}

// A layer that is bent has no stress across, and a pattern's factor along the third edge has the
// mean square 1/3. Patterns do not relax: where the material does, they are as stiff as it ends.
static void prepare(PalPart *part)
{
    double shear, bulk, isochoric, volumetric;
    pal_material_moduli(&part->material, &shear, &bulk);
    pal_prony_long_term(&part->material, &isochoric, &volumetric);
    shear *= fmax(isochoric, 0.01);  // something has to be left
    bulk *= fmax(volumetric, 0.01);
    double young = 9 * bulk * shear / (3 * bulk + shear), poisson = young / (2 * shear) - 1;
    part->bending = (PalHourglassModuli){.bend = young / (1 - poisson * poisson) / 3,
                                         .poisson = poisson,
                                         .shear = shear / 3,
                                         .last = part->hourglass * young};
}

// k = hourglass V E sum |grad N_a|^2 / 8 with Young's modulus E, which stays finite where lambda
// does not: lambda + 2 mu would lock near-incompressible tissue. x_m = sum_a h_ma X_a.
static void fill_plain(const PalPart *part, const PalVec3 X[8], const PalVec3 gradients[8],
                       PalH8Batch *batch, int32_t lane)
{
    double shear, bulk, squares = 0;
    pal_material_moduli(&part->material, &shear, &bulk);
    for (int a = 0; a < 8; ++a)
        squares += pal_vec3_dot(gradients[a], gradients[a]);
    double young = 9 * bulk * shear / (3 * bulk + shear);
    batch->k[lane] = part->hourglass * batch->V[lane] * young * squares / 8;
    for (int m = 0; m < 4; ++m)
        for (int j = 0; j < 3; ++j)
            for (int a = 1; a < 8; ++a)
                batch->x[m][j][lane] +=
                    pal_hourglass[m][a] * (pal_vec3_at(X[a], j) - pal_vec3_at(X[0], j));
}

// x_mi are the patterns of the reference shape, sum_a h_ma X_a, along its edges.
static void fill_bending(const PalVec3 X[8], PalH8Batch *batch, int32_t lane)
{
    static const int beyond[3][4] = {{1, 2, 5, 6}, {2, 3, 6, 7}, {4, 5, 6, 7}};
    PalMat3 edges = {0};  // in columns
    double lengths[3];
    for (int j = 0; j < 3; ++j) {
        PalVec3 sum = pal_vec3(0, 0, 0);
        for (int a = 1; a < 8; ++a) {
            bool far = false;
            for (int k = 0; k < 4; ++k)
                far = far || beyond[j][k] == a;
            sum = pal_vec3_add_scaled(sum, far ? 1 : -1, pal_vec3_sub(X[a], X[0]));
        }
        lengths[j] = pal_vec3_length(sum);
        for (int i = 0; i < 3; ++i)
            batch->edge[j][i][lane] = edges.m[i][j] = pal_vec3_at(sum, i);
    }
    for (int j = 0; j < 3; ++j)
        batch->ratio[j][lane] = lengths[j] / lengths[(j + 1) % 3];
    PalMat3 dual = pal_mat3_inverse(&edges);
    bool even = true;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            batch->dual[j][i][lane] = dual.m[j][i];
    for (int m = 0; m < 4; ++m) {
        PalVec3 x = pal_vec3(0, 0, 0);
        for (int a = 1; a < 8; ++a)
            x = pal_vec3_add_scaled(x, pal_hourglass[m][a], pal_vec3_sub(X[a], X[0]));
        x = pal_mat3_apply(&dual, x);
        for (int j = 0; j < 3; ++j) {
            batch->x[m][j][lane] = pal_vec3_at(x, j);
            even = even && fabs(pal_vec3_at(x, j)) < EVEN;
        }
    }
    for (int m = 0; m < 4 && even; ++m)
        for (int j = 0; j < 3; ++j)
            batch->x[m][j][lane] = 0;
    batch->uneven += !even;
}

static double fill(const PalPart *part, const PalVec3 *corners, int32_t lane, void *data)
{
    PalH8Batch *batch = data;
    PalVec3 gradients[8];
    double volume = pal_h8_geometry(corners, gradients);
    for (int a = 1; a < 8; ++a)
        for (int j = 0; j < 3; ++j)
            batch->g[a - 1][j][lane] = pal_vec3_at(gradients[a], j);
    batch->V[lane] = volume;
    if (bends(part))
        fill_bending(corners, batch, lane);
    else
        fill_plain(part, corners, gradients, batch, lane);
    return volume;
}

static PalSolid solid_of(const PalH8Batch *batch)
{
    return (PalSolid){.corner_count = 8, .corner = batch->corner, .g = batch->g, .V = batch->V};
}

static void mass(const PalPart *part, const void *batch, const PalLanes *factor,
                 PalLanes shares[PAL_CORNER_MAX])
{
    PalSolid solid = solid_of(batch);
    pal_solid_mass(part, &solid, factor, shares);
}

static PalBlockKernel force(const PalPart *part)
{
    return bends(part) ? pal_kernels()->h8_bend : pal_kernels()->h8_plain;
}

static void ratio(const PalBatch *batch, PalLanes *J)
{
    PalSolid solid = solid_of(batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    *J = now.J;
}

// Energy of the hourglass patterns, k/2 sum |q_m|^2 with the plain control.
static PalLanes plain_energy(const PalBatch *at, const PalLanesMat3 *F)
{
    const PalH8Batch *batch = at->data;
    PalLanes sum = {0};
    for (int32_t l = 0; l < PAL_LANES; ++l)
        for (int m = 0; m < 4; ++m)
            for (int i = 0; i < 3; ++i) {
                double q = 0, base = at->displacement[batch->corner[0][l] / 4][i];
                for (int a = 1; a < 8; ++a)
                    q +=
                        pal_hourglass[m][a] * (at->displacement[batch->corner[a][l] / 4][i] - base);
                for (int j = 0; j < 3; ++j)
                    q -= (F->m[i][j][l] - (i == j)) * batch->x[m][j][l];
                sum[l] += batch->k[l] * q * q / 2;
            }
    return sum;
}

static PalLanes hourglass_energy(const PalBatch *at, const PalLanesMat3 *F)
{
    PalH8Bend bend;
    if (!bends(at->part))
        return plain_energy(at, F);
    pal_kernels()->h8_control(at->part, at->data, at->displacement, &bend);
    return bend.energy;
}

static void energy(const PalBatch *batch, PalLanes *result)
{
    PalSolid solid = solid_of(batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    pal_solid_energy(batch, &solid, &now, result);
    *result += hourglass_energy(batch, &now.F);
}

static void fields(const PalBatch *batch, PalBatchFields *result)
{
    PalSolid solid = solid_of(batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    pal_solid_fields(batch, &solid, &now, result);
    result->energy += hourglass_energy(batch, &now.F);
}

// One lane of the control of hourglass patterns: K = V B^T A B + gamma^T D gamma.
typedef struct Control {
    double gamma[4][8];
    double stiffness;  // |D|, over V
    double more;       // what the rest of its second derivative can add, over V
} Control;

static void describe_plain(const PalH8Batch *batch, int32_t l, Control *control)
{
    for (int m = 0; m < 4; ++m)
        for (int a = 1; a < 8; ++a) {
            control->gamma[m][a] = pal_hourglass[m][a];
            for (int j = 0; j < 3; ++j)
                control->gamma[m][a] -= batch->x[m][j][l] * batch->g[a - 1][j][l];
            control->gamma[m][0] -= control->gamma[m][a];
        }
    control->stiffness = batch->k[l] / batch->V[l];
}

// Stresses of the patterns for strains e, per volume.
static void stresses_of(const PalHourglassModuli *k, const double r[3], double e[4][3],
                        double s[4][3])
{
    double w[3];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        s[j][i] = k->bend * (e[j][i] + k->poisson * e[i][j]);
        s[i][j] = k->bend * (e[i][j] + k->poisson * e[j][i]);
        w[i] = k->shear * (r[i] * e[i][i] + e[j][j] / r[i]);
    }
    for (int i = 0; i < 3; ++i) {
        s[i][i] = r[i] * w[i] + w[(i + 2) % 3] / r[(i + 2) % 3];
        s[3][i] = k->last * e[3][i];
    }
}

// The largest sum of a row of D / V, twelve by twelve.
static double bending_norm(const PalPart *part, const double r[3], const PalMat3 *dual)
{
    double rows[12] = {0}, most = 0;
    for (int c = 0; c < 12; ++c) {  // a unit amount of pattern c / 3 along axis c % 3
        double e[4][3] = {{0}}, s[4][3];
        for (int j = 0; j < 3; ++j)
            e[c / 3][j] = dual->m[j][c % 3];
        stresses_of(&part->bending, r, e, s);
        for (int n = 0; n < 12; ++n) {
            double f = 0;
            for (int j = 0; j < 3; ++j)
                f += s[n / 3][j] * dual->m[j][n % 3];
            rows[n] += fabs(f);
        }
    }
    for (int n = 0; n < 12; ++n)
        most = fmax(most, rows[n]);
    return most;
}

// Signs of the corners on either side of each edge.
static const double side[3][8] = {
    {-1, 1, 1, -1, -1, 1, 1, -1}, {-1, -1, 1, 1, -1, -1, 1, 1}, {-1, -1, -1, -1, 1, 1, 1, 1}};

static void bending_gamma(const PalH8Batch *batch, const PalH8Bend *bend, int32_t l,
                          double gamma[4][8])
{
    for (int m = 0; m < 4; ++m)
        for (int a = 0; a < 8; ++a) {
            gamma[m][a] = pal_hourglass[m][a];
            for (int j = 0; j < 3; ++j)
                gamma[m][a] -= (batch->x[m][j][l] + bend->strain[m][j][l]) * side[j][a];
        }
}

// With strains e and dual edges d of the moment, d(e_mj) = d_j . sum_a gamma_ma du_a exactly; what
// is left are 2 f_m . dc_j d(e_mj), with edges c that change by at most sqrt(8) |du|.
static void describe_bending(const PalBatch *at, const PalH8Bend *bend, int32_t l, Control *control)
{
    const PalH8Batch *batch = at->data;
    PalMat3 dual;
    double r[3], forces = 0, size = 0, squares = 0;
    for (int j = 0; j < 3; ++j) {
        r[j] = batch->ratio[j][l];
        for (int i = 0; i < 3; ++i) {
            dual.m[j][i] = bend->dual[j][i][l];
            size += dual.m[j][i] * dual.m[j][i];
        }
    }
    bending_gamma(batch, bend, l, control->gamma);
    for (int m = 0; m < 4; ++m) {
        for (int a = 0; a < 8; ++a)
            squares += control->gamma[m][a] * control->gamma[m][a];
        for (int i = 0; i < 3; ++i)
            forces += bend->force[m][i][l] * bend->force[m][i][l];
    }
    control->stiffness = bending_norm(at->part, r, &dual);
    control->more = 2 * sqrt(8 * forces * size * squares) / batch->V[l];
}

// What the hourglass stiffness makes of the bound of a hexahedron: K = V B^T A B + gamma^T D gamma.
// Both parts as squares of rectangular matrices give a two by two matrix of norms.
static double with_hourglass(const PalH8Batch *batch, int32_t l, const PalMat3 *R,
                             const Control *control, double bound)
{
    double widest = 0, mixed = 0;
    const double(*gamma)[8] = control->gamma;
    PalMat3 inverse = pal_mat3_inverse(R);
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
    double beta = control->stiffness * widest, cross = bound * control->stiffness * mixed;
    return (bound + beta + sqrt((bound - beta) * (bound - beta) + 4 * cross)) / 2 + control->more;
}

static void bound(const PalBatch *batch, PalLanes *result)
{
    PalSolid solid = solid_of(batch->data);
    PalLanesMat3 F, R;
    pal_kernels()->h8_gradient(batch->data, batch->displacement, &F, &R);
    pal_solid_bound(batch, &solid, &F, &R, result);
    PalH8Bend bend;
    if (bends(batch->part))
        pal_kernels()->h8_control(batch->part, batch->data, batch->displacement, &bend);
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        PalMat3 one = pal_solid_lane(&R, l);
        Control control = {0};
        if (bends(batch->part))
            describe_bending(batch, &bend, l, &control);
        else
            describe_plain(batch->data, l, &control);
        (*result)[l] = with_hourglass(batch->data, l, &one, &control, (*result)[l]);
    }
}

// What the plain control adds: k sum_m gamma_ma gamma_mb on each axis.
static void add_plain(const PalH8Batch *batch, PalLanes *K)
{
    for (int m = 0; m < 4; ++m) {
        PalLanes gamma[8] = {{0}};
        for (int a = 1; a < 8; ++a) {
            for (int j = 0; j < 3; ++j)
                gamma[a] -= batch->x[m][j] * batch->g[a - 1][j];
            gamma[a] += pal_hourglass[m][a];
            gamma[0] -= gamma[a];
        }
        for (int a = 0; a < 8; ++a)
            for (int b = 0; b < 8; ++b)
                for (int i = 0; i < 3; ++i)
                    K[(3 * a + i) * 24 + 3 * b + i] += batch->k * gamma[a] * gamma[b];
    }
}

// What the strains of patterns add by themselves: forces of all patterns for a unit amount of one,
// shared out to corners on both sides.
static void add_bending_stiffness(const PalBatch *at, int32_t l, const double d[3][3],
                                  const double gamma[4][8], PalLanes *K)
{
    const PalH8Batch *batch = at->data;
    const double r[3] = {batch->ratio[0][l], batch->ratio[1][l], batch->ratio[2][l]};
    for (int c = 0; c < 12; ++c) {
        double e[4][3] = {{0}}, s[4][3], shared[24] = {0};
        for (int j = 0; j < 3; ++j)
            e[c / 3][j] = d[j][c % 3];
        stresses_of(&at->part->bending, r, e, s);
        for (int m = 0; m < 4; ++m)
            for (int i = 0; i < 3; ++i) {
                double f =
                    batch->V[l] * (s[m][0] * d[0][i] + s[m][1] * d[1][i] + s[m][2] * d[2][i]);
                for (int a = 0; a < 8; ++a)
                    shared[3 * a + i] += gamma[m][a] * f;
            }
        for (int row = 0; row < 24; ++row)
            for (int b = 0; b < 8; ++b)
                K[row * 24 + 3 * b + c % 3][l] += gamma[c / 3][b] * shared[row];
    }
}

// With forces f_m of the patterns, edges c_k and their duals d_k, d(gamma_ma) = - side_ka d(e_mk)
// and d(f_m) = - V C de d - sum_k (f_m . dc_k) d_k.
static void add_bending(const PalBatch *at, PalLanes *K)
{
    const PalH8Batch *batch = at->data;
    PalH8Bend bend;
    pal_kernels()->h8_control(at->part, batch, at->displacement, &bend);
    for (int32_t l = 0; l < PAL_LANES; ++l) {
        double gamma[4][8], d[3][3], pull[24] = {0}, turn[24] = {0};
        if (batch->V[l] == 0)
            continue;
        bending_gamma(batch, &bend, l, gamma);
        for (int k = 0; k < 9; ++k)
            d[k / 3][k % 3] = bend.dual[k / 3][k % 3][l];
        add_bending_stiffness(at, l, (const double(*)[3])d, (const double(*)[8])gamma, K);
        for (int a = 0; a < 8; ++a)
            for (int i = 0; i < 3; ++i) {
                for (int m = 0; m < 4; ++m)
                    pull[3 * a + i] += bend.force[m][i][l] * gamma[m][a];
                for (int k = 0; k < 3; ++k)
                    turn[3 * a + i] += d[k][i] * side[k][a];
            }
        for (int a = 0; a < 8; ++a)
            for (int b = 0; b < 8; ++b)
                for (int k = 0; k < 9; ++k)
                    K[(3 * a + k / 3) * 24 + 3 * b + k % 3][l] +=
                        pull[3 * b + k / 3] * turn[3 * a + k % 3] +
                        pull[3 * a + k % 3] * turn[3 * b + k / 3];
    }
}

static void tangent(const PalBatch *batch, PalLanes *K)
{
    PalSolid solid = solid_of(batch->data);
    PalDeformed now;
    pal_kernels()->deform(&solid, batch->displacement, &now);
    for (int k = 0; k < 24 * 24; ++k)
        K[k] = (PalLanes){0};
    pal_solid_tangent(batch, &solid, &now, 24, K);
    if (bends(batch->part))
        add_bending(batch, K);
    else
        add_plain(batch->data, K);
}

const PalElementType pal_element_h8 = {
    .choice = {"h8",
               "Hexahedron with one integration point and hourglass control, or with eight points "
               "(hourglass-control: f-bar)."},
    .traits = {.cell = PAL_CELL_HEXAHEDRON, .has_hourglass = true},
    .corner_count = 8,
    .batch_size = sizeof(PalH8Batch),
    .corner_offset = offsetof(PalH8Batch, corner),
    .measure = "volume",
    .tetrahedron_count = 8,
    .tetrahedra = pal_h8_tetrahedra,
    .check = check,
    .prepare = prepare,
    .geometry = pal_h8_geometry,
    .fill = fill,
    .mass = mass,
    .force = force,
    .ratio = ratio,
    .energy = energy,
    .fields = fields,
    .bound = bound,
    .tangent = tangent,
};
