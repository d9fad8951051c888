// The plain twin of the kernels of thin bodies.   docs/theory/membranes.md, 1-4
#include "element/patch.h"
#include "element/shell.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const int row[3] = {0, 1, 0}, column[3] = {0, 1, 1};

// W and P for F = [f0 f2 0; 0 f1 0; 0 0 stretch].
static double evaluate(const PalMaterialDef *material, const double f[3], double stretch,
                       PalMat3 *P)
{
    PalMat3 F = {{{f[0], f[2], 0}, {0, f[1], 0}, {0, 0, stretch}}};
    double W;
    pal_material_evaluate(material, &F, &W, P, NULL);
    return W;
}

// Halves an interval around the stretch at which P_33 changes its sign.
static double find_stretch(const PalMaterialDef *material, const double f[3])
{
    if (material->incompressible)
        return 1 / (f[0] * f[1]);
    double low = 1, high = 1;
    PalMat3 P;
    for (int k = 0; k < 60 && (evaluate(material, f, low, &P), P.m[2][2] > 0); ++k)
        low /= 1.2;
    for (int k = 0; k < 60 && (evaluate(material, f, high, &P), P.m[2][2] < 0); ++k)
        high *= 1.2;
    for (int k = 0; k < 100; ++k) {
        double middle = (low + high) / 2;
        evaluate(material, f, middle, &P);
        if (P.m[2][2] > 0)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

// Energy per volume and second Piola-Kirchhoff stress for C: 11 22 12.
static double plane_stress(const PalMaterialDef *material, const double C[3], double S[3])
{
    double f[3] = {sqrt(C[0]), 0, C[2] / sqrt(C[0])};
    f[1] = sqrt(C[1] - f[2] * f[2]);
    double stretch = find_stretch(material, f);
    PalMat3 P;
    double W = evaluate(material, f, stretch, &P);
    if (material->incompressible) {
        double p = -P.m[2][2] / (f[0] * f[1]);
        P.m[0][0] += p * f[1] * stretch;
        P.m[1][1] += p * f[0] * stretch;
        P.m[1][0] -= p * f[2] * stretch;
    }
    S[2] = P.m[1][0] / f[1];
    S[1] = P.m[1][1] / f[1];
    S[0] = (P.m[0][0] - f[2] * S[2]) / f[0];
    return W;
}

// Nodes receive minus the derivative `push` of the energy after phi_axis of a side.
static void push_side(const PalPatch *patch, int side, int axis, PalVec3 push, PalVec3 *forces)
{
    PalVec3 p = pal_vec3_scale(patch->c[side][0][axis], push);
    PalVec3 q = pal_vec3_scale(patch->c[side][1][axis], push), m = patch->mirrors[side];
    if (pal_vec3_dot(m, m) > 0)
        q = pal_vec3_scale(pal_vec3_dot(m, q), m);
    int from = (side + 1) % 3, to = (side + 2) % 3;
    forces[to] = pal_vec3_sub(forces[to], p);
    forces[from] = pal_vec3_add(forces[from], p);
    forces[3 + side] = pal_vec3_sub(forces[3 + side], q);
    forces[side] = pal_vec3_add(forces[side], q);
}

static void stretch(const PalElementPartDef *part, const PalPatch *patch, PalVec3 phi[3][2],
                    PalVec3 *forces, double *energy)
{
    double C[3] = {0}, S[3], volume = patch->area * part->thickness;
    for (int s = 0; s < 3; ++s)
        for (int k = 0; k < 3; ++k)
            C[k] += pal_vec3_dot(phi[s][row[k]], phi[s][column[k]]) / 3;
    *energy += volume * plane_stress(part->material, C, S);
    for (int s = 0; s < 3; ++s) {
        PalVec3 first = pal_vec3_add_scaled(pal_vec3_scale(S[0], phi[s][0]), S[2], phi[s][1]);
        PalVec3 second = pal_vec3_add_scaled(pal_vec3_scale(S[2], phi[s][0]), S[1], phi[s][1]);
        push_side(patch, s, 0, pal_vec3_scale(volume / 3, first), forces);
        push_side(patch, s, 1, pal_vec3_scale(volume / 3, second), forces);
    }
}

static void bend(const PalElementPartDef *part, const PalPatch *patch, const PalVec3 *x,
                 PalVec3 phi[3][2], PalVec3 *forces, double *energy)
{
    PalVec3 first = pal_vec3_sub(x[1], x[0]), second = pal_vec3_sub(x[2], x[0]);
    PalVec3 twice = pal_vec3_cross(first, second), t = pal_vec3_normalise(twice);
    double square = pal_vec3_dot(twice, twice), poisson, change[3];
    double D = pal_patch_bending(part->material, part->thickness, &poisson) * patch->area;
    PalVec3 h[3] = {{0}}, turned = {0};
    for (int k = 0; k < 3; ++k) {
        for (int s = 0; s < 3; ++s) {
            h[k] = pal_vec3_add_scaled(h[k], -patch->g[s][row[k]], phi[s][column[k]]);
            h[k] = pal_vec3_add_scaled(h[k], -patch->g[s][column[k]], phi[s][row[k]]);
        }
        for (int a = 0; a < PAL_PATCH_NODES; ++a)
            h[k] = pal_vec3_add_scaled(h[k], patch->wide[k][a], x[a]);
        change[k] = pal_vec3_dot(t, h[k]) - pal_vec3_dot(patch->normal, patch->h[k]);
    }
    double m[3] = {D * (change[0] + poisson * change[1]), D * (change[1] + poisson * change[0]),
                   D * (1 - poisson) * change[2]};
    *energy += (m[0] * change[0] + m[1] * change[1]) / 2 + m[2] * change[2];
    for (int s = 0; s < 3; ++s)
        for (int a = 0; a < 2; ++a) {
            double along = m[a] * patch->g[s][a] + m[2] * patch->g[s][1 - a];
            push_side(patch, s, a, pal_vec3_scale(-2 * along, t), forces);
        }
    for (int a = 0; a < PAL_PATCH_NODES; ++a) {
        double along = m[0] * patch->wide[0][a] + m[1] * patch->wide[1][a];
        along += 2 * m[2] * patch->wide[2][a];
        forces[a] = pal_vec3_add_scaled(forces[a], -along, t);
    }
    for (int k = 0; k < 3; ++k)
        turned = pal_vec3_add_scaled(turned, k < 2 ? m[k] : 2 * m[k], h[k]);
    // t turns by minus the dual edges times t . (change of the edges)
    double f = pal_vec3_dot(turned, pal_vec3_cross(second, twice)) / square;
    double g = pal_vec3_dot(turned, pal_vec3_cross(twice, first)) / square;
    forces[0] = pal_vec3_add_scaled(forces[0], -(f + g), t);
    forces[1] = pal_vec3_add_scaled(forces[1], f, t);
    forces[2] = pal_vec3_add_scaled(forces[2], g, t);
}

void pal_shell_reference(const PalElementPartDef *part, int32_t e, const PalVec3 *X,
                         const PalVec3 *u, PalVec3 *forces, double *energy)
{
    PalPatch patch;
    PalVec3 x[PAL_PATCH_NODES], phi[3][2];
    pal_patch_init(part, e, X, &patch);
    for (int a = 0; a < PAL_PATCH_NODES; ++a)
        x[a] = pal_vec3_add(X[a], u[a]);
    for (int s = 0; s < 3; ++s)
        for (int a = 0; a < 2; ++a) {
            PalVec3 p = pal_vec3_sub(x[(s + 2) % 3], x[(s + 1) % 3]);
            phi[s][a] = pal_vec3_add_scaled(pal_vec3_scale(patch.c[s][0][a], p), patch.c[s][1][a],
                                            pal_patch_across(&patch, x, s));
        }
    stretch(part, &patch, phi, forces, energy);
    if (part->type->traits.bends)
        bend(part, &patch, x, phi, forces, energy);
}
