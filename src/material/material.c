#include "material/law.h"

#include "math/lanes_math.h"

#include <string.h>

PalMaterialDef pal_material_def_default(void)
{
    return (PalMaterialDef){.law = &pal_law_neo_hookean, .parameters = {1, 10}, .density = 1};
}

static PalStatus check_parameter(const PalLawParameter *parameter, double value, PalError *error)
{
    if (!isfinite(value))
        return pal_error_set(error, PAL_BAD_INPUT, "material: %s must be a finite number",
                             parameter->name);
    if (value < parameter->lowest || (parameter->above_lowest && value <= parameter->lowest))
        return pal_error_set(
            error, PAL_BAD_INPUT, "material: %s is %g, but must be %s %g", parameter->name, value,
            parameter->above_lowest ? "greater than" : "at least", parameter->lowest);
    return PAL_OK;
}

static PalStatus check_relaxation(const char *list, int32_t count, const PalPronyTerm *terms,
                                  PalError *error)
{
    if (count < 0 || count > PAL_PRONY_MAX)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "material: %d %s relaxation terms, but at most %d are possible",
                             (int)count, list, PAL_PRONY_MAX);
    double sum = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (!(terms[k].weight > 0 && terms[k].weight < 1))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "material: weight of a %s relaxation term is %g, but must be "
                                 "between 0 and 1",
                                 list, terms[k].weight);
        if (!(terms[k].time > 0 && isfinite(terms[k].time)))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "material: time of a %s relaxation term is %g, but must be "
                                 "greater than 0",
                                 list, terms[k].time);
        sum += terms[k].weight;
    }
    if (sum >= 1)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "material: weights of the %s relaxation terms add up to %g, but must "
                             "stay below 1",
                             list, sum);
    return PAL_OK;
}

PalStatus pal_material_validate(const PalMaterialDef *def, PalError *error)
{
    const PalMaterialLaw *law = def->law;
    if (law == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "material: no law chosen");
    for (int32_t k = 0; k < law->parameter_count; ++k)
        PAL_TRY(check_parameter(&law->parameters[k], def->parameters[k], error));
    if (!(def->density > 0 && isfinite(def->density)))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "material: density is %g, but must be greater than 0", def->density);
    PAL_TRY(check_relaxation("isochoric", def->isochoric_count, def->isochoric, error));
    PAL_TRY(check_relaxation("volumetric", def->volumetric_count, def->volumetric, error));
    if (law->volumetric == NULL && def->volumetric_count > 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "material: law %s has no volumetric part of its own, so it takes no "
                             "volumetric relaxation terms",
                             law->name);
    if (!(def->bending_young >= 0 && isfinite(def->bending_young)))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "material: Young's modulus against bending is %g, but must be greater "
                             "than 0",
                             def->bending_young);
    if (!(def->bending_poisson > -1 && def->bending_poisson <= 0.5))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "material: Poisson's ratio against bending is %g, but must be between "
                             "-1 and 0.5",
                             def->bending_poisson);
    return law->check != NULL ? law->check(def->parameters, error) : PAL_OK;
}

void pal_material_moduli(const PalMaterialDef *def, double *shear, double *bulk)
{
    double not_wanted[2];
    def->law->moduli(def->parameters, shear != NULL ? shear : &not_wanted[0],
                     bulk != NULL ? bulk : &not_wanted[1]);
}

PalStatus pal_moduli_from_young(double young, double poisson, double *shear, double *bulk,
                                PalError *error)
{
    if (!(young > 0 && isfinite(young)))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "Young's modulus is %g, but must be greater than 0", young);
    if (!(poisson > -1 && poisson < 0.5))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "Poisson's ratio is %g, but must be between -1 and 0.5", poisson);
    *shear = young / (2 * (1 + poisson));
    *bulk = young / (3 * (1 - 2 * poisson));
    if (!isfinite(*shear) || !isfinite(*bulk))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "Young's modulus %g and Poisson's ratio %.17g make a shear modulus of "
                             "%g and a bulk modulus of %g, expected finite ones",
                             young, poisson, *shear, *bulk);
    return PAL_OK;
}

void pal_material_evaluate(const PalMaterialDef *def, const PalMat3 *F, double *W, PalMat3 *P,
                           double A[9][9])
{
    const PalMaterialLaw *law = def->law;
    PalLanesMat3 batch, stress;
    PalLanes J, energy, volumetric = {0};
    for (int k = 0; k < 9; ++k)
        batch.m[k / 3][k % 3] = pal_lanes_all(F->m[k / 3][k % 3]);
    law->total(def->parameters, &batch, &stress, &J);
    if (W != NULL) {
        law->energy(def->parameters, &batch, &energy);
        if (law->volumetric != NULL)
            law->volumetric(def->parameters, &J, &volumetric, NULL);
        *W = energy[0] + volumetric[0];
    }
    for (int k = 0; P != NULL && k < 9; ++k)
        P->m[k / 3][k % 3] = stress.m[k / 3][k % 3][0];
    if (A != NULL) {
        memset(A, 0, 9 * sizeof A[0]);
        law->tangent(def->parameters, F, A);
    }
}
