#include "material/law.h"

#include <string.h>

const PalMaterialLaw *const pal_laws[] = {
    &pal_law_neo_hookean,         &pal_law_st_venant_kirchhoff,
    &pal_law_mooney_rivlin,       &pal_law_polynomial,
    &pal_law_arruda_boyce,        &pal_law_ogden,
    &pal_law_veronda_westmann,    &pal_law_transversely_isotropic,
    &pal_law_fibre_reinforced,    &pal_law_compressible_neo_hookean,
    &pal_law_fibre_mooney_rivlin,
};
const int32_t pal_laws_count = (int32_t)(sizeof pal_laws / sizeof pal_laws[0]);

int32_t pal_law_count(void)
{
    return pal_laws_count;
}

const PalMaterialLaw *pal_law_at(int32_t index)
{
    return index >= 0 && index < pal_laws_count ? pal_laws[index] : NULL;
}

const PalMaterialLaw *pal_law_find(const char *name)
{
    for (int32_t l = 0; name != NULL && l < pal_laws_count; ++l)
        if (strcmp(pal_laws[l]->name, name) == 0)
            return pal_laws[l];
    return NULL;
}

const char *pal_law_name(const PalMaterialLaw *law)
{
    return law->name;
}

const char *pal_law_summary(const PalMaterialLaw *law)
{
    return law->summary;
}

int32_t pal_law_parameter_count(const PalMaterialLaw *law)
{
    return law->parameter_count;
}

const PalLawParameter *pal_law_parameter(const PalMaterialLaw *law, int32_t index)
{
    return index >= 0 && index < law->parameter_count ? &law->parameters[index] : NULL;
}

int32_t pal_law_parameter_index(const PalMaterialLaw *law, const char *name)
{
    for (int32_t k = 0; name != NULL && k < law->parameter_count; ++k)
        if (strcmp(law->parameters[k].name, name) == 0)
            return k;
    return PAL_NONE;
}

size_t pal_law_vector_stem(const PalMaterialLaw *law, int32_t index)
{
    if (index < 0 || index >= pal_law_parameter_count(law) - 2)
        return 0;
    const char *name = pal_law_parameter(law, index)->name;
    size_t length = strlen(name);
    if (length < 3)
        return 0;
    for (int i = 0; i < 3; ++i) {
        const char *other = pal_law_parameter(law, index + i)->name;
        if (strlen(other) != length || strncmp(other, name, length - 2) != 0 ||
            other[length - 2] != '-' || other[length - 1] != "xyz"[i])
            return 0;
    }
    return length - 2;
}

bool pal_law_splits(const PalMaterialLaw *law)
{
    return law->volumetric != NULL;
}

PalStatus pal_law_check_half_shear(double c10_and_c01, PalError *error)
{
    if (c10_and_c01 > 0)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "material: c10 + c01 is %g, but must be greater than 0 (it is half the "
                         "shear modulus)",
                         c10_and_c01);
}

PalStatus pal_law_check_bulk(double bulk, const double *more, PalError *error)
{
    if (bulk + more[0] + more[1] > 0)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "material: bulk is 0, but must be greater than 0, or bulk-log or "
                         "bulk-quadratic instead");
}
