// What the points of an element make together of the stiffest of them, for bounds of the step.
// docs/theory/elements.md, 8
#ifndef PAL_ELEMENT_SPREAD_H
#define PAL_ELEMENT_SPREAD_H

#include <palpate/math.h>

enum { PAL_SPREAD_POINTS = 8, PAL_SPREAD_NODES = 10 };

typedef struct PalSpread {
    int point_count, node_count;
    double V[PAL_SPREAD_POINTS];    // volumes of the points, > 0
    double mass[PAL_SPREAD_NODES];  // parts of the element's mass
    PalVec3 gradients[PAL_SPREAD_POINTS][PAL_SPREAD_NODES];
} PalSpread;

// L, the lower triangle 00 10 11 20 21 22 with L L^T = the mean over the points of
// sum_a grad N_a x grad N_a / m_a; returns a bound of the largest eigenvalue of
// Gamma_qr = sqrt(V_q V_r) / V sum_a 1/m_a L^-1 grad N_a(q) x grad N_a(r) L^-T.
double pal_spread(const PalSpread *spread, double L[6]);

#endif
