// Parts of the rows of thin bodies that stand in files of their own.
#ifndef PAL_ELEMENT_SHELL_H
#define PAL_ELEMENT_SHELL_H

#include "element/layouts.h"

// What the state of a thin batch takes.
typedef struct PalShellWork {
    const PalPart *part;
    const PalProny *prony;
    const PalLanes *displacement;
    const double *before;  // history; NULL: nothing relaxes
    double *after;         // NULL: it stands
    double poisson;        // against bending
} PalShellWork;

typedef struct PalShellKernels {
    PalBlockKernel ebst_neo_hookean, ebst_invariant, ebst_principal, ebst_general;
    PalBlockKernel membrane_neo_hookean, membrane_invariant, membrane_principal, membrane_general;
    void (*now)(const PalShellWork *work, const PalShellBatch *batch, PalShellNow *now);
    // Derivatives of S after C - I, for bounds.
    void (*tangent)(const PalPart *part, const PalShellNow *now, PalLanes D[3][3]);
    // The same relaxed, and to many digits, for tangents.
    void (*slopes)(const PalShellWork *work, const PalShellNow *now, PalLanes D[3][3]);
} PalShellKernels;

extern const PalShellKernels pal_shell_kernels_plain;
#if defined(__x86_64__)
extern const PalShellKernels pal_shell_kernels_avx2;
#endif

// The best one that the machine has.
const PalShellKernels *pal_shell_kernels(void);

// Whether nothing relaxes, and invariants or principal stretches tell the stress.
bool pal_shell_is_quick(const PalPart *part);

// The plain twin: plain positions, one point, the thickness by bisection.
void pal_shell_reference(const PalElementPartDef *part, int32_t e, const PalVec3 *X,
                         const PalVec3 *u, PalVec3 *forces, double *energy);

// Numbers of history that a batch has at most: stresses and pressures, then moments.
#define PAL_SHELL_HISTORY_MAX (4 * (PAL_PRONY_MAX + 1) * 6 * PAL_LANES)

// K = - df/du of a batch. A corner that is there twice has its numbers at the first place.
void pal_shell_tangent(const PalBatch *batch, PalLanes *K);

// A bound of the largest eigenvalue of the stiffness, over the volume.
void pal_shell_bound(const PalBatch *batch, PalLanes *bound);

#endif
