// Forces of one block of elements. Compiled for several instruction sets; the best one that the
// machine has is taken.
#ifndef PAL_ELEMENT_KERNELS_H
#define PAL_ELEMENT_KERNELS_H

#include "element/layouts.h"

// What the stiffness of a neo-Hookean batch takes. `pressure` NULL: the law's own; `second`, the
// derivative of the pressure, NULL: likewise, or the bulk modulus where there is a pressure.
typedef struct PalStiffnessWork {
    const double *parameters;
    const PalLanesMat3 *F, *R;
    const PalLanes *pressure, *second;
} PalStiffnessWork;

typedef struct PalKernels {
    PalBlockKernel t4_neo_hookean, t4_general;
    PalBlockKernel anp_volume;  // current volumes of the elements around each node
    PalBlockKernel anp_neo_hookean, anp_general;
    PalBlockKernel mixed;  // of any law: what volumes do; rings feel the distortion
    PalBlockKernel h8_plain, h8_bend, h8_full;
    void (*h8_control)(const PalPart *part, const PalH8Batch *batch, const PalLanes *displacement,
                       PalH8Bend *bend);
    PalBlockKernel t10_neo_hookean, t10_general, t10_volume;
    PalBlockEnergy t4_neo_hookean_energy;
    // F of a batch and its determinant, for output.
    void (*deform)(const PalSolid *solid, const PalLanes *displacement, PalDeformed *now);
    // Forces of the rings of a chunk.
    PalRingKernel rings_neo_hookean, rings_general;
    // F of a batch of rings, the identity in lanes without one.
    void (*ring_gradients)(const PalRingRows *rows, const PalVec3 *displacement, int32_t batch,
                           PalLanesMat3 *F);
    // F of a batch, and R with R R^T = sum_a grad N_a x grad N_a.
    void (*t4_gradient)(const PalT4Batch *batch, const PalLanes *displacement, PalLanesMat3 *F,
                        PalLanesMat3 *R);
    void (*h8_gradient)(const PalH8Batch *batch, const PalLanes *displacement, PalLanesMat3 *F,
                        PalLanesMat3 *R);
    // Gradients at point q of the corners from the second on.
    void (*t10_gradients)(const PalT10Batch *batch, int q, PalLanes g[9][3]);
    // Bound of the eigenvalues of (I x R)^T A (I x R): for any A, and for the neo-Hookean law.
    void (*stiffness)(const PalLanes A[9][9], const PalLanesMat3 *R, PalLanes *bound);
    void (*neo_hookean_stiffness)(const PalStiffnessWork *work, PalLanes *bound);
} PalKernels;

extern const PalKernels pal_kernels_plain;
#if defined(__x86_64__)
extern const PalKernels pal_kernels_avx2;
#endif

const PalKernels *pal_kernels(void);

// Whether the kernels made for the neo-Hookean law can be taken.
bool pal_kernels_are_neo_hookean(const PalPart *part);

#endif
