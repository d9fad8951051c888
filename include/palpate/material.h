// Materials: which laws there are, what parameters they take, and a definition to fill in.
#ifndef PALPATE_MATERIAL_H
#define PALPATE_MATERIAL_H

#include <palpate/base.h>
#include <palpate/math.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

#define PAL_LAW_PARAMETER_MAX 16
#define PAL_PRONY_MAX         8

typedef struct PalMaterialLaw PalMaterialLaw;

// One parameter of a law, by the name a scene uses for it.
typedef struct PalLawParameter {
    const char *name;
    const char *meaning;  // with its unit: "initial shear modulus, pressure"
    double lowest;        // smallest value allowed; -INFINITY: any
    bool above_lowest;    // `lowest` itself is refused
    bool optional;        // `standard` is taken when it is absent
    double standard;
} PalLawParameter;

int32_t pal_law_count(void);
const PalMaterialLaw *pal_law_at(int32_t index);
const PalMaterialLaw *pal_law_find(const char *name);  // NULL: no such law
const char *pal_law_name(const PalMaterialLaw *law);
const char *pal_law_summary(const PalMaterialLaw *law);
int32_t pal_law_parameter_count(const PalMaterialLaw *law);
const PalLawParameter *pal_law_parameter(const PalMaterialLaw *law, int32_t index);
int32_t pal_law_parameter_index(const PalMaterialLaw *law, const char *name);  // or PAL_NONE

// Three parameters NAME-x, NAME-y, NAME-z are one vector NAME in a scene: the length of NAME when
// the parameter at `index` is the first of such three; 0 otherwise.
size_t pal_law_vector_stem(const PalMaterialLaw *law, int32_t index);

// True when W = distortion(F) + U(J): what averaged nodal pressure (t4-anp) needs.
bool pal_law_splits(const PalMaterialLaw *law);

// One term of a relaxation function g(t) = 1 - sum w + sum w exp(-t / time).
typedef struct PalPronyTerm {
    double weight;  // in (0, 1); the weights of one list add up to less than 1
    double time;    // relaxation time, > 0
} PalPronyTerm;

typedef struct PalMaterialDef {
    const PalMaterialLaw *law;
    double parameters[PAL_LAW_PARAMETER_MAX];  // instantaneous, in the law's own order
    double density;                            // mass per reference volume, > 0
    int32_t isochoric_count, volumetric_count;
    PalPronyTerm isochoric[PAL_PRONY_MAX];   // relaxes the distortional stress
    PalPronyTerm volumetric[PAL_PRONY_MAX];  // relaxes the pressure
    bool incompressible;  // thin bodies only: the volume stays exactly, whatever the law says of it
    // Thin bodies that bend: moduli against bending; 0: those of the law at small strain.
    double bending_young, bending_poisson;
} PalMaterialDef;

// Neo-Hookean, shear 1, bulk 10, density 1, no relaxation.
PalMaterialDef pal_material_def_default(void);
PalStatus pal_material_validate(const PalMaterialDef *def, PalError *error);

// Moduli at small strain, before any relaxation; with fibres, of the stiffest distortion. Or NULL.
void pal_material_moduli(const PalMaterialDef *def, double *shear, double *bulk);

// Shear and bulk modulus from Young's modulus and Poisson's ratio, which must be in (-1, 0.5).
PalStatus pal_moduli_from_young(double young, double poisson, double *shear, double *bulk,
                                PalError *error);

// The law at one point, for tests and for your own programs: strain-energy density, first
// Piola-Kirchhoff stress P = dW/dF, and A = dP/dF with rows and columns 3 i + j. NULL: not wanted.
void pal_material_evaluate(const PalMaterialDef *def, const PalMat3 *F, double *W, PalMat3 *P,
                           double A[9][9]);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
