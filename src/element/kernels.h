// Forces of one block of elements. Compiled for several instruction sets; the best one that the
// machine has is taken.
#ifndef PAL_ELEMENT_KERNELS_H
#define PAL_ELEMENT_KERNELS_H

#include "element/data.h"

// A block at work, in memory that stays in the first-level cache.
typedef struct PalBlockWork {
    const PalPart *part;
    const PalProny *prony;  // of the step being taken
    const PalT4Batch *t4;
    const PalH8Batch *h8;
    int32_t batch_count;
    const PalLanes *displacement;  // x, y, z, and for t4-anp the node's pressure
    const PalLanes *position;      // t4-anp volumes: where the nodes are
    PalLanes *force;               // added to; the fourth number means nothing
    double *volume;                // t4-anp volumes: added to, at four times the node
    double *history;               // of the block; advances as `prony` says
} PalBlockWork;

// Returns whether every element has a positive volume ratio.
typedef bool (*PalBlockKernel)(const PalBlockWork *work);

// What the stiffness of a neo-Hookean batch takes. `pressure` NULL: the law's own.
typedef struct PalStiffnessWork {
    const double *parameters;
    const PalLanesMat3 *F, *R;
    const PalLanes *pressure;
} PalStiffnessWork;

typedef struct PalKernels {
    PalBlockKernel t4_neo_hookean, t4_general;
    PalBlockKernel anp_volume;  // current volumes of the elements around each node
    PalBlockKernel anp_neo_hookean, anp_general;
    PalBlockKernel h8;
    // F of a batch, and R with R R^T = sum_a grad N_a x grad N_a.
    void (*t4_gradient)(const PalT4Batch *batch, const PalLanes *displacement, PalLanesMat3 *F,
                        PalLanesMat3 *R);
    void (*h8_gradient)(const PalH8Batch *batch, const PalLanes *displacement, PalLanesMat3 *F,
                        PalLanesMat3 *R);
    // Bound of the eigenvalues of (I x R)^T A (I x R): for any A, and for the neo-Hookean law.
    void (*stiffness)(const PalLanes A[9][9], const PalLanesMat3 *R, PalLanes *bound);
    void (*neo_hookean_stiffness)(const PalStiffnessWork *work, PalLanes *bound);
} PalKernels;

extern const PalKernels pal_kernels_plain;
#if defined(__x86_64__)
extern const PalKernels pal_kernels_avx2;
#endif

const PalKernels *pal_kernels(void);

#endif
