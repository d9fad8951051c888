// Side gradients of the patch of four triangles.   docs/theory/membranes.md, 1 and 2
//
// The derivatives at the middle of a side follow from two vectors that both its triangles know:
// the side itself, and the one between the corners on both sides of it. They are taken in the
// plane of these two, turned about the side into the plane of the triangle.
#include "element/patch.h"

#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>

// Below, the six nodes lie nearly on a conic: no quadratic, or almost any, goes through them.
#define LEAST_DETERMINANT 0.05
#define SMALL             1e-9  // nearer to each other, middles are the same but for rounding

static const int row[3] = {0, 1, 0}, column[3] = {0, 1, 1};

// Corner (i + 1) % 3 stands in for the node that is not there.
static bool ends_at(const PalElementPartDef *part, int32_t e, int side)
{
    const int32_t *nodes = part->connectivity + PAL_PATCH_NODES * (int64_t)e;
    return nodes[3 + side] == nodes[(side + 1) % 3];
}

PalVec3 pal_patch_across(const PalPatch *patch, const PalVec3 *x, int side)
{
    PalVec3 q = pal_vec3_sub(x[3 + side], x[side]), m = patch->mirrors[side];
    bool mirrored = pal_vec3_dot(m, m) > 0;
    return mirrored ? pal_vec3_scale(pal_vec3_dot(m, q), m) : q;
}

void pal_patch_weights(const PalPatch *patch, int side, int axis, double weights[6])
{
    for (int a = 0; a < 6; ++a)
        weights[a] = 0;
    weights[(side + 1) % 3] -= patch->c[side][0][axis];
    weights[(side + 2) % 3] += patch->c[side][0][axis];
    weights[side] -= patch->c[side][1][axis];
    weights[3 + side] += patch->c[side][1][axis];
}

// Of one side: q in the plane of the triangle has the same part along the side, and the rest of
// its length points away from corner i.
static void fill_side(const PalVec3 X[6], int i, PalPatch *patch)
{
    PalVec3 p = pal_vec3_sub(X[(i + 2) % 3], X[(i + 1) % 3]), q = pal_patch_across(patch, X, i);
    const PalVec3 *axes = patch->axes;
    double length = pal_vec3_length(p);
    PalVec3 along = pal_vec3_scale(1 / length, p), out = pal_vec3_cross(along, patch->normal);
    double c = pal_vec3_dot(q, along), rest = pal_vec3_dot(q, q) - c * c;
    PalVec3 flat = pal_vec3_scale(c, along);
    flat = pal_vec3_add_scaled(flat, sqrt(fmax(rest, 0)), out);
    double D[2][2] = {{pal_vec3_dot(p, axes[0]), pal_vec3_dot(flat, axes[0])},
                      {pal_vec3_dot(p, axes[1]), pal_vec3_dot(flat, axes[1])}};
    double determinant = D[0][0] * D[1][1] - D[0][1] * D[1][0];
    patch->c[i][0][0] = D[1][1] / determinant;
    patch->c[i][0][1] = -D[0][1] / determinant;
    patch->c[i][1][0] = -D[1][0] / determinant;
    patch->c[i][1][1] = D[0][0] / determinant;
    for (int a = 0; a < 2; ++a)
        patch->phi[i][a] =
            pal_vec3_add_scaled(pal_vec3_scale(patch->c[i][0][a], p), patch->c[i][1][a], q);
    for (int a = 0; a < 2; ++a)
        patch->g[i][a] = -length / (2 * patch->area) * pal_vec3_dot(out, axes[a]);
}

// The six nodes alone; mirrors are given.
static void fill_patch(const PalVec3 X[6], PalPatch *patch)
{
    PalVec3 first = pal_vec3_sub(X[1], X[0]);
    PalVec3 twice = pal_vec3_cross(first, pal_vec3_sub(X[2], X[0]));
    patch->area = pal_vec3_length(twice) / 2;
    if (!(patch->area > 0))
        return;
    patch->normal = pal_vec3_normalise(twice);
    patch->axes[0] = pal_vec3_normalise(first);
    patch->axes[1] = pal_vec3_cross(patch->normal, patch->axes[0]);
    for (int i = 0; i < 3; ++i)
        fill_side(X, i, patch);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) {
            int a = row[k], b = column[k];
            patch->h[k] = pal_vec3_add_scaled(patch->h[k], -patch->g[i][a], patch->phi[i][b]);
            patch->h[k] = pal_vec3_add_scaled(patch->h[k], -patch->g[i][b], patch->phi[i][a]);
        }
}

// ---- quadratics -----------------------------------------------------------------------------

// Second derivatives 11 22 12 of a field as weights of six nodes: by (2), and those of the
// quadratic that goes through all of them.
typedef struct Fit {
    PalPatch patch;
    PalMat3 more[3];     // [side]: what (3) adds to (2) for given second derivatives
    double exact[3][6];  // of the quadratic
    bool known;          // there is just one
} Fit;

// Along the side from its middle, and away from it, of a point.
static void beside_middle(const PalVec3 X[6], int side, PalVec3 point, double at[2])
{
    PalVec3 from = X[(side + 1) % 3], to = X[(side + 2) % 3];
    PalVec3 along = pal_vec3_normalise(pal_vec3_sub(to, from));
    PalVec3 off = pal_vec3_sub(point, pal_vec3_scale(0.5, pal_vec3_add(from, to)));
    at[0] = pal_vec3_dot(off, along);
    at[1] = pal_vec3_length(pal_vec3_add_scaled(off, -at[0], along));
}

// The side and what points away from it, in the patch's axes.
static void side_axes(const PalPatch *patch, const PalVec3 X[3], int side, double axes[2][2])
{
    PalVec3 p = pal_vec3_sub(X[(side + 2) % 3], X[(side + 1) % 3]);
    PalVec3 along = pal_vec3_normalise(p), out = pal_vec3_cross(along, patch->normal);
    for (int a = 0; a < 2; ++a) {
        axes[0][a] = pal_vec3_dot(along, patch->axes[a]);
        axes[1][a] = pal_vec3_dot(out, patch->axes[a]);
    }
}

// q . H . d with d from the middle of q to that of the side, unfolded, and what comes of it in h.
static void fill_more(Fit *fit, const PalVec3 X[6], int side)
{
    const PalPatch *patch = &fit->patch;
    double own[2], other[2], axes[2][2], q[2], d[2];
    beside_middle(X, side, X[side], own);
    beside_middle(X, side, X[3 + side], other);
    side_axes(patch, X, side, axes);
    for (int a = 0; a < 2; ++a) {
        q[a] = (other[0] - own[0]) * axes[0][a] + (other[1] + own[1]) * axes[1][a];
        d[a] = -(other[0] + own[0]) / 2 * axes[0][a] + (own[1] - other[1]) / 2 * axes[1][a];
    }
    if (d[0] * d[0] + d[1] * d[1] < SMALL * SMALL * (q[0] * q[0] + q[1] * q[1]))
        return;
    double part[3] = {q[0] * d[0], q[1] * d[1], q[0] * d[1] + q[1] * d[0]};
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            fit->more[side].m[k][l] =
                -part[l] * (patch->g[side][row[k]] * patch->c[side][1][column[k]] +
                            patch->g[side][column[k]] * patch->c[side][1][row[k]]);
}

static void plain_weights(const PalPatch *patch, double weights[3][6])
{
    for (int k = 0; k < 18; ++k)
        weights[k / 6][k % 6] = 0;
    for (int s = 0; s < 3; ++s) {
        double of[2][6];
        pal_patch_weights(patch, s, 0, of[0]);
        pal_patch_weights(patch, s, 1, of[1]);
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 6; ++a)
                weights[k][a] -=
                    patch->g[s][row[k]] * of[column[k]][a] + patch->g[s][column[k]] * of[row[k]][a];
    }
}

// H = h + more H, where all three neighbours are there.
static void solve_fit(Fit *fit)
{
    PalMat3 left = pal_mat3_identity(), inverse;
    double plain[3][6];
    for (int s = 0; s < 3; ++s)
        for (int k = 0; k < 9; ++k)
            left.m[k / 3][k % 3] -= fit->more[s].m[k / 3][k % 3];
    fit->known = fabs(pal_mat3_determinant(&left)) > LEAST_DETERMINANT;
    if (!fit->known)
        return;
    inverse = pal_mat3_inverse(&left);
    plain_weights(&fit->patch, plain);
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 6; ++a)
            fit->exact[k][a] = inverse.m[k][0] * plain[0][a] + inverse.m[k][1] * plain[1][a] +
                               inverse.m[k][2] * plain[2][a];
}

// Adds `by` times second derivatives in other axes, turned by R, to the wide weights.
static void add_wide(PalPatch *patch, const PalMat3 *by, double R[2][2], const Fit *fit,
                     const int *nodes)
{
    PalMat3 turn;
    for (int k = 0; k < 3; ++k) {
        const double *u = R[row[k]], *v = R[column[k]];
        turn.m[k][0] = u[0] * v[0];
        turn.m[k][1] = u[1] * v[1];
        turn.m[k][2] = u[0] * v[1] + u[1] * v[0];
    }
    PalMat3 all = pal_mat3_multiply(by, &turn);
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            for (int a = 0; a < 6; ++a)
                patch->wide[k][nodes[a]] += all.m[k][l] * fit->exact[l][a];
}

// Of the triangle across a side: its corners are the one across, then the ends of the side.
static bool fit_across(const int32_t *ids, const PalVec3 *X, int s, int nodes[6], Fit *fit)
{
    const int order[6] = {3 + s, (s + 2) % 3, (s + 1) % 3, s, 6 + 2 * s, 7 + 2 * s};
    PalVec3 Y[6];
    *fit = (Fit){0};
    for (int a = 0; a < 6; ++a) {
        nodes[a] = order[a];
        Y[a] = X[order[a]];
    }
    if (ids[6 + 2 * s] == ids[0] || ids[7 + 2 * s] == ids[0])
        return false;
    fill_patch(Y, &fit->patch);
    for (int i = 0; i < 3 && fit->patch.area > 0; ++i)
        fill_more(fit, Y, i);
    if (fit->patch.area > 0)
        solve_fit(fit);
    return fit->known;
}

// Axes of the triangle across to those of this one: both know the side, from opposite ends.
static void turn_across(const PalPatch *own, const PalVec3 *X, int s, const Fit *other,
                        double R[2][2])
{
    double here[2][2], there[2][2];
    const PalVec3 Y[3] = {X[3 + s], X[(s + 2) % 3], X[(s + 1) % 3]};
    side_axes(own, X, s, here);
    side_axes(&other->patch, Y, 0, there);
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
            R[a][b] = -(here[0][a] * there[0][b] + here[1][a] * there[1][b]);
}

// Wide weights of all sides: with the mean of the two quadratics of a side, or the one there is.
static void widen(const int32_t *ids, const PalVec3 *X, PalPatch *patch)
{
    static const int first[6] = {0, 1, 2, 3, 4, 5};
    Fit own = {.patch = *patch}, other;
    bool whole = !patch->mirrored;
    for (int s = 0; s < 3; ++s) {
        bool ends = ids[3 + s] == ids[(s + 1) % 3];
        whole = whole && !ends;
        if (!ends)
            fill_more(&own, X, s);
    }
    if (whole)
        solve_fit(&own);
    for (int s = 0; s < 3; ++s) {
        double same[2][2] = {{1, 0}, {0, 1}}, R[2][2];
        int nodes[6];
        if (ids[3 + s] == ids[(s + 1) % 3])
            continue;
        bool across = fit_across(ids, X, s, nodes, &other);
        PalMat3 by = own.more[s];
        for (int k = 0; k < 9 && own.known && across; ++k)
            by.m[k / 3][k % 3] /= 2;
        if (own.known)
            add_wide(patch, &by, same, &own, first);
        if (across) {
            turn_across(patch, X, s, &other, R);
            add_wide(patch, &by, R, &other, nodes);
        }
    }
}

// What they add at rest.
static void settle_wide(const PalVec3 *X, PalPatch *patch)
{
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < PAL_PATCH_NODES; ++a) {
            patch->is_wide = patch->is_wide || patch->wide[k][a] != 0;
            patch->h[k] = pal_vec3_add_scaled(patch->h[k], patch->wide[k][a], X[a]);
        }
}

double pal_patch_init(const PalElementPartDef *part, int32_t e, const PalVec3 X[PAL_PATCH_NODES],
                      PalPatch *patch)
{
    *patch = (PalPatch){0};
    for (int i = 0; i < 3; ++i) {
        PalVec3 m = part->mirrors != NULL ? part->mirrors[3 * (int64_t)e + i] : pal_vec3(0, 0, 0);
        bool given = ends_at(part, e, i) && pal_vec3_dot(m, m) > 0;
        patch->mirrors[i] = given ? pal_vec3_normalise(m) : pal_vec3(0, 0, 0);
        patch->mirrored = patch->mirrored || given;
    }
    fill_patch(X, patch);
    if (!(patch->area > 0))
        return patch->area;
    widen(part->connectivity + PAL_PATCH_NODES * (int64_t)e, X, patch);
    settle_wide(X, patch);
    return patch->area;
}

// Across the two other sides of the triangle across side i, if both are there and no corners.
static bool find_beyond(const PalMesh *mesh, const int32_t (*beside)[3], int32_t next,
                        const int32_t *corners, int32_t beyond[2])
{
    for (int k = 0; k < 2; ++k) {
        // sides follow each other as corners do; the first begins where the side ends
        int32_t there = beside[next / 3][(next % 3 + 1 + k) % 3];
        if (there == PAL_NONE)
            return false;
        beyond[k] = mesh->cells[3 * (int64_t)(there / 3) + there % 3];
        if (beyond[k] == corners[0] || beyond[k] == corners[1] || beyond[k] == corners[2])
            return false;
    }
    return true;
}

void pal_patch_nodes(const PalMesh *mesh, const int32_t (*beside)[3], int32_t cell,
                     int32_t nodes[PAL_PATCH_NODES])
{
    const int32_t *corners = mesh->cells + 3 * (int64_t)cell;
    PalVec3 X[PAL_PATCH_NODES];
    PalPatch patch;
    for (int i = 0; i < 3; ++i) {
        int32_t next = beside[cell][i];
        nodes[i] = corners[i];
        nodes[3 + i] = corners[(i + 1) % 3];
        nodes[6 + 2 * i] = nodes[7 + 2 * i] = corners[0];
        if (next == PAL_NONE)
            continue;
        nodes[3 + i] = mesh->cells[3 * (int64_t)(next / 3) + next % 3];
        int32_t beyond[2];
        if (find_beyond(mesh, beside, next, corners, beyond)) {
            nodes[6 + 2 * i] = beyond[0];
            nodes[7 + 2 * i] = beyond[1];
        }
    }
    for (int a = 0; a < PAL_PATCH_NODES; ++a)
        X[a] = mesh->nodes[nodes[a]];
    PalElementPartDef part = {.connectivity = nodes};
    pal_patch_init(&part, 0, X, &patch);
    for (int i = 6; i < PAL_PATCH_NODES; i += 2) {
        bool counts = false;
        for (int k = 0; k < 6; ++k)
            counts = counts || patch.wide[k / 2][i + k % 2] != 0;
        if (!counts)
            nodes[i] = nodes[i + 1] = corners[0];
    }
}

double pal_patch_bending(const PalMaterialDef *material, double thickness, double *poisson)
{
    double shear, bulk, young = material->bending_young;
    *poisson = material->bending_poisson;
    if (young == 0) {
        pal_material_moduli(material, &shear, &bulk);
        *poisson = material->incompressible ? 0.5 : (3 * bulk - 2 * shear) / (6 * bulk + 2 * shear);
        young = 2 * shear * (1 + *poisson);
    }
    return young * thickness * thickness * thickness / (12 * (1 - *poisson * *poisson));
}
