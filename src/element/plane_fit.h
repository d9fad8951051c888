// How thick a thin body is where nothing presses on it, nearly: a start for the search of kernels.
#ifndef PAL_ELEMENT_PLANE_FIT_H
#define PAL_ELEMENT_PLANE_FIT_H

#include <palpate/material.h>

// Of s = (e_11 + e_22) / 2 and q = ((e_11 - e_22) / 2)^2 + e_12^2, with e = C - I in the plane.
#define PAL_PLANE_MEAN  0.2   // the polynomials hold for |s| below,
#define PAL_PLANE_SHEAR 0.03  // and q below

enum { PAL_PLANE_TERMS = 11, PAL_PLANE_SLOPES = 4 };

// Powers of s and q: s to s^5, then q times 1 to s^3, then q^2 times 1 and s.
typedef struct PalPlaneFit {
    bool known;
    double square[PAL_PLANE_TERMS];  // of the stretch across the plane, less 1
    double volume[PAL_PLANE_TERMS];  // its ratio, less 1
    double slope[PAL_PLANE_SLOPES];  // of S_33 after that square: 1, s, s^2, q
} PalPlaneFit;

// Not known where the law has no such stretch for some strain up to these, or is incompressible.
void pal_plane_fit(const PalMaterialDef *material, PalPlaneFit *fit);

#endif
