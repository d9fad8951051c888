// What a material law provides. One file and one row of pal_laws[] each.
#ifndef PAL_MATERIAL_LAW_H
#define PAL_MATERIAL_LAW_H

#include "math/lanes.h"
#include <palpate/material.h>

// Of an isotropic stress: P = a F + b cof F + c F C, that is S = a I + b J C^-1 + c C.
typedef struct PalStressFactors {
    PalLanes a, b, c;
} PalStressFactors;

// Of C.
typedef struct PalLawInvariants {
    PalLanes I1, I2, J;
} PalLawInvariants;

// W(F) = D(F) + U(J): D holds everything but the volumetric term. Where a law has no such
// split (St Venant-Kirchhoff), D is all of W and `volumetric` is NULL.
struct PalMaterialLaw {
    const char *name;
    const char *summary;
    int32_t parameter_count;
    const PalLawParameter *parameters;
    // Relations between parameters; the range of each has been checked already. May be NULL.
    PalStatus (*check)(const double *parameters, PalError *error);
    // Moduli at small strain.
    void (*moduli)(const double *parameters, double *shear, double *bulk);
    // A batch: D per lane.
    void (*energy)(const double *parameters, const PalLanesMat3 *F, PalLanes *D);
    // A batch: P = dD/dF.
    void (*stress)(const double *parameters, const PalLanesMat3 *F, PalLanesMat3 *P);
    // A batch: U and its first derivative (the pressure, positive in tension). Either may be NULL.
    void (*volumetric)(const double *parameters, const PalLanes *J, PalLanes *U, PalLanes *dU);
    // A batch, in one go: P = dW/dF of all of W (distortion and pressure), and J = det F.
    void (*total)(const double *parameters, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J);
    // A batch: the stress of all of W as invariants tell it. NULL: they do not.
    void (*factors)(const double *parameters, const PalLawInvariants *of, PalStressFactors *s);
    // A batch in plane stress, where principal stretches tell the stress: of the squares of two of
    // them and about that of the third, the third that leaves no stress across, or the one that
    // keeps the volume, and principal values of S. NULL: they do not.
    void (*plane)(const double *parameters, bool keeps_volume, const PalLanes squares[2],
                  PalLanes *third, PalLanes S[2]);
    // One point, the plain twin of `total`.
    void (*total_ref)(const double *parameters, const PalMat3 *F, PalMat3 *P);
    // One point: A += d2W/dF2 of all of W, rows and columns 3 i + j.
    void (*tangent)(const double *parameters, const PalMat3 *F, double A[9][9]);
    // The same for bounds of the stable step, where the tangent may jump in the next step: the
    // stiffer side. NULL: the tangent.
    void (*stiffest)(const double *parameters, const PalMat3 *F, double A[9][9]);
};

// For laws of two invariants: the sum of their factors at rest.
PalStatus pal_law_check_half_shear(double c10_and_c01, PalError *error);
// For laws of three volumetric terms: one of their moduli is above 0.
PalStatus pal_law_check_bulk(double bulk, const double *more, PalError *error);

// Every law, in the order they are listed to the user.
extern const PalMaterialLaw *const pal_laws[];
extern const int32_t pal_laws_count;

extern const PalMaterialLaw pal_law_neo_hookean;
extern const PalMaterialLaw pal_law_st_venant_kirchhoff;
extern const PalMaterialLaw pal_law_mooney_rivlin;
extern const PalMaterialLaw pal_law_polynomial;
extern const PalMaterialLaw pal_law_arruda_boyce;
extern const PalMaterialLaw pal_law_ogden;
extern const PalMaterialLaw pal_law_veronda_westmann;
extern const PalMaterialLaw pal_law_transversely_isotropic;
extern const PalMaterialLaw pal_law_fibre_reinforced;
extern const PalMaterialLaw pal_law_compressible_neo_hookean;
extern const PalMaterialLaw pal_law_fibre_mooney_rivlin;

#endif
