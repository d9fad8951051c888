// Large displacements of one body: the forces of its sampled cells, and a tangent that follows them
// a little in each step.
#ifndef PAL_REDUCED_HAPTIC_BALANCE_H
#define PAL_REDUCED_HAPTIC_BALANCE_H

#include "reduced/subspace.h"

// Of the longest coefficients that were learnt: from there on the stiffness at rest takes the law's
// place, and here is their bound.
#define PAL_HAPTIC_LINEAR_FROM 1.2
#define PAL_HAPTIC_MODES_MOST  1.5

typedef struct PalHapticBalance {
    bool used;  // the body has sampled cells
    PalSubspace space;
    int32_t stride, mode_count;
    double reach;  // length of q of the largest loads that were given
    // q* = q0 - K^-1 g(q0): where the modes would come to without contact, as seen from q0
    float *star;
    bool switched;      // K^-1 is another one since the last step
    float *goal;        // the newest one: `star` follows within some steps, lest the force jumps
    float *pull;        // Phi' of the forces that corrections near contact add
    bool known;         // g was evaluated since rest
    double linear;      // 0 to 1: how much of the law the stiffness at rest stands in for
    bool beyond;        // farther than what was learnt: not corrected
    bool inverted;      // a cell was inside out at the last q0: q* is that of the one before
    float *at, *inner;  // q0 and g(q0)
    float *correction;  // of q*, the last one
    float part;         // of corrections that is taken
    // ---- the next ones, in the making
    int32_t next_cell;
    float *next_at, *next_inner;
    // T with T' T = K(q)^-1 of a moment ago; lower triangle, rows of `stride`. Identity at rest.
    float *turn;
    bool ready;      // there is one that is not the identity
    bool turned;     // and q is nearer to where it was made than to rest: it is used
    float *turn_at;  // q of that
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

// q* goes a part of its way to the newest one. `load` is Phi' of the forces of contact under which
// the modes have come to q.
void pal_haptic_balance_glide(PalHapticBalance *balance, const double *q, const float *load);
// Adds to the forces of corrections, as seen by the modes; NULL: there are none.
void pal_haptic_balance_push(PalHapticBalance *balance, const float *push);
// Without forces: q* is 0.
void pal_haptic_balance_rest(PalHapticBalance *balance);
// As it was when it was made: without a tangent, too.
void pal_haptic_balance_reset(PalHapticBalance *balance);
// Some of the work for the next q*, from the present q: about so many multiplications. Returns
// whether there is a new one.
bool pal_haptic_balance_advance(PalHapticBalance *balance, const float *q, int32_t operations);
// The same for the next tangent.
void pal_haptic_balance_follow(PalHapticBalance *balance, const float *q, int32_t operations);
// into = T x, or into = T' x. `into` is another array.
void pal_haptic_balance_turn(const PalHapticBalance *balance, const float *x, float *into);
void pal_haptic_balance_turn_back(const PalHapticBalance *balance, const float *x, float *into);

#endif
