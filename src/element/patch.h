// A triangle and the three around it at rest: what rotation-free shells are made with.
#ifndef PAL_ELEMENT_PATCH_H
#define PAL_ELEMENT_PATCH_H

#include "element/elements.h"

enum { PAL_PATCH_NODES = 12 };

// Axes 0 and 1 lie in the triangle, the first along its edge from corner 0 to corner 1. Side i is
// opposite to corner i; p_i is its edge from corner i + 1 to i + 2, q_i leads from corner i across
// it. A field's derivatives at the middle of the side are phi_a = c[i][0][a] p_i + c[i][1][a] q_i.
typedef struct PalPatch {
    double area;
    double c[3][2][2];
    PalVec3 phi[3][2];  // of the positions
    double g[3][2];     // gradients of the area coordinates
    PalVec3 normal, axes[2];
    PalVec3 h[3];        // second derivatives of the positions: 11 22 12
    PalVec3 mirrors[3];  // unit normals; 0: none
    bool mirrored;
    // What is added to second derivatives, per node: where neighbours are no parallelograms.
    double wide[3][PAL_PATCH_NODES];
    bool is_wide;
} PalPatch;

// The nodes of a triangle's patch. 0 to 2 are its corners, 3 + i is across side i, or corner
// (i + 1) % 3 where the surface ends there. The triangle across side i has two more sides: 6 + 2 i
// is across the one that begins at corner i + 1, 7 + 2 i across the one that ends at corner i + 2;
// both are corner 0 where they are not needed, or one is not there. `beside` is that of
// pal_mesh_beside.
void pal_patch_nodes(const PalMesh *mesh, const int32_t (*beside)[3], int32_t cell,
                     int32_t nodes[PAL_PATCH_NODES]);

// Of element e of a part. Returns the area.
double pal_patch_init(const PalElementPartDef *part, int32_t e, const PalVec3 X[PAL_PATCH_NODES],
                      PalPatch *patch);

// q_i of a field given at the nodes.
PalVec3 pal_patch_across(const PalPatch *patch, const PalVec3 *x, int side);

// How much phi_a of a side changes with the field at each of the first six, mirrors left aside.
void pal_patch_weights(const PalPatch *patch, int side, int axis, double weights[6]);

// Plane stiffness E h^3 / (12 (1 - nu^2)), and nu, against bending.
double pal_patch_bending(const PalMaterialDef *material, double thickness, double *poisson);

#endif
