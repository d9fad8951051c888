// Large displacements of one body: the forces of its sampled cells, and a tangent that follows them
// a little in each step.
#ifndef PAL_REDUCED_HAPTIC_BALANCE_H
#define PAL_REDUCED_HAPTIC_BALANCE_H

#include "reduced/subspace.h"

typedef struct PalHapticBalance {
    bool used;  // the body has sampled cells
    PalSubspace space;
    int32_t stride, mode_count;
    double reach;   // length of q of the largest loads that were given
    float *inner;   // forces g(q)
    bool inverted;  // a cell was inside out: g is that of the last good q
    // T with T' T = K(q)^-1 of a moment ago; lower triangle, rows of `stride`. Identity at rest.
    float *turn;
    bool turned;  // it is not the identity
    // ---- the next one, in the making
    int32_t phase, next;
    float *q;        // where
    float *tangent;  // K, then its factor: lower triangle
    float *inverse;
    float *product;  // 9 rows
} PalHapticBalance;

PalStatus pal_haptic_balance_init(PalHapticBalance *balance, const PalVademecum *book,
                                  PalError *error);
void pal_haptic_balance_clear(PalHapticBalance *balance);

// inner = g(q).
void pal_haptic_balance_forces(PalHapticBalance *balance, const float *q);
// Some of the work for the next tangent: about so many multiplications.
void pal_haptic_balance_follow(PalHapticBalance *balance, const float *q, int32_t operations);
// into = T x, or into = T' x. `into` is another array.
void pal_haptic_balance_turn(const PalHapticBalance *balance, const float *x, float *into);
void pal_haptic_balance_turn_back(const PalHapticBalance *balance, const float *x, float *into);

#endif
