// Side gradients of the patch of four triangles.   docs/theory/membranes.md, 1 and 2
//
// The derivatives at the middle of a side follow from two vectors that both its triangles know:
// the side itself, and the one between the corners on both sides of it. They are taken in the
// plane of these two, turned about the side into the plane of the triangle.
#include "element/patch.h"

#include "math/vec3.h"

#include <math.h>

// Corner (i + 1) % 3 stands in for the node that is not there.
static bool ends_at(const PalElementPartDef *part, int32_t e, int side)
{
    const int32_t *nodes = part->connectivity + 6 * (int64_t)e;
    return nodes[3 + side] == nodes[(side + 1) % 3];
}

PalVec3 pal_patch_across(const PalPatch *patch, const PalVec3 x[6], int side)
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
static void fill_side(const PalVec3 X[6], const PalVec3 axes[2], int i, PalPatch *patch)
{
    PalVec3 p = pal_vec3_sub(X[(i + 2) % 3], X[(i + 1) % 3]), q = pal_patch_across(patch, X, i);
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

double pal_patch_init(const PalElementPartDef *part, int32_t e, const PalVec3 X[6], PalPatch *patch)
{
    PalVec3 first = pal_vec3_sub(X[1], X[0]);
    PalVec3 twice = pal_vec3_cross(first, pal_vec3_sub(X[2], X[0]));
    *patch = (PalPatch){.area = pal_vec3_length(twice) / 2};
    if (!(patch->area > 0))
        return patch->area;
    patch->normal = pal_vec3_normalise(twice);
    PalVec3 axes[2] = {pal_vec3_normalise(first)};
    axes[1] = pal_vec3_cross(patch->normal, axes[0]);
    for (int i = 0; i < 3; ++i) {
        PalVec3 m = part->mirrors != NULL ? part->mirrors[3 * (int64_t)e + i] : pal_vec3(0, 0, 0);
        bool given = ends_at(part, e, i) && pal_vec3_dot(m, m) > 0;
        patch->mirrors[i] = given ? pal_vec3_normalise(m) : pal_vec3(0, 0, 0);
        patch->mirrored = patch->mirrored || given;
        fill_side(X, axes, i, patch);
    }
    static const int row[3] = {0, 1, 0}, column[3] = {0, 1, 1};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) {
            int a = row[k], b = column[k];
            patch->h[k] = pal_vec3_add_scaled(patch->h[k], -patch->g[i][a], patch->phi[i][b]);
            patch->h[k] = pal_vec3_add_scaled(patch->h[k], -patch->g[i][b], patch->phi[i][a]);
        }
    return patch->area;
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
