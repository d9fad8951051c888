// Stress relaxation: a material with Prony terms remembers.   docs/theory/materials.md, 5
//
// On the second Piola-Kirchhoff stress, S = S_dist + S_vol - sum D_k with
// D_k' = (w_k S_part - D_k) / t_k, integrated exactly for stresses linear within a step.
// A sudden strain meets the law's own stiffness; in the end 1 - sum w of it is left.
//
// A batch's history is PAL_LANES numbers side by side for each of pal_prony_history_count():
// per isochoric term 6 numbers D_k, then 6 of the last S_dist; the same for volumetric terms and
// S_vol. No terms, no numbers. It starts as zeros: at rest. No alignment needed.
#ifndef PAL_MATERIAL_PRONY_H
#define PAL_MATERIAL_PRONY_H

#include "math/lanes.h"
#include <palpate/material.h>

// Factors of one term for one length of step: D <- decay D + now S + before S_last.
typedef struct PalPronyFactors {
    double decay, now, before;
} PalPronyFactors;

typedef struct PalProny {
    bool moves;  // the step is longer than 0
    int32_t isochoric_count, volumetric_count;
    PalPronyFactors isochoric[PAL_PRONY_MAX], volumetric[PAL_PRONY_MAX];
} PalProny;

// Numbers of history per lane; distortion alone (averaged pressure); per node (its pressure).
int32_t pal_prony_history_count(const PalMaterialDef *def);
int32_t pal_prony_isochoric_history_count(const PalMaterialDef *def);
int32_t pal_prony_pressure_history_count(const PalMaterialDef *def);

// Parts of the distortional and volumetric energy (and stress) left after a long time: 1 - sum w.
void pal_prony_long_term(const PalMaterialDef *def, double *isochoric, double *volumetric);

// Factors for a step of this length, once per step and material; 0: the history stands still.
void pal_prony_prepare(const PalMaterialDef *def, double step, PalProny *prony);

// P holds dD/dF and leaves as the relaxed total, `pressure` cof F included. `pressure` NULL:
// only the distortion, with the isochoric part of the history. The history advances from
// `before` into `after`, which may be the same; `after` NULL or a step of 0: it stands, and
// nothing is written. A lane with det F <= 0 keeps its last stresses in the history.
void pal_prony_relax(const PalProny *prony, const PalLanesMat3 *F, const PalLanes *pressure,
                     const double *before, double *after, PalLanesMat3 *P);

// The same for one number, a pressure averaged to a node: returns it relaxed.
double pal_prony_relax_pressure(const PalProny *prony, double pressure, const double *before,
                                double *after);

// What a tangent needs of a step: S = (1 - isochoric) S_dist + (1 - volumetric) S_vol - H, with H
// from `before` alone. `split`: the history has a volumetric part.
typedef struct PalPronyTangent {
    double isochoric, volumetric;
    PalLanes H[6];  // xx yy zz xy yz zx
} PalPronyTangent;
void pal_prony_tangent(const PalProny *prony, bool split, const double *before,
                       PalPronyTangent *tangent);
// Part of a pressure averaged to a node that relaxes at once in a step.
double pal_prony_pressure_now(const PalProny *prony);

#endif
