// Materials with parameters of their own and deformation gradients, from a seed.
#ifndef PAL_TESTS_RANDOM_MATERIAL_H
#define PAL_TESTS_RANDOM_MATERIAL_H

#include "material/law.h"
#include "math/lanes_math.h"
#include "math/mat3.h"

#include <string.h>

// In [low, high).
static inline double random_between(double low, double high, uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

// I plus entries within +-size, with det F well above 0.
static inline PalMat3 random_gradient(double size, uint64_t *seed)
{
    PalMat3 F;
    do {
        F = pal_mat3_identity();
        for (int k = 0; k < 9; ++k)
            F.m[k / 3][k % 3] += random_between(-size, size, seed);
    } while (pal_mat3_determinant(&F) < 0.3);
    return F;
}

static inline PalLanesMat3 broadcast(const PalMat3 *a)
{
    PalLanesMat3 batch;
    for (int k = 0; k < 9; ++k)
        batch.m[k / 3][k % 3] = pal_lanes_all(a->m[k / 3][k % 3]);
    return batch;
}

// Parameters of ordinary size for every law, by what their names mean.
static inline PalMaterialDef random_material(const PalMaterialLaw *law, uint64_t *seed)
{
    PalMaterialDef def = {.law = law, .density = 1};
    for (int32_t k = 0; k < law->parameter_count; ++k) {
        const char *name = law->parameters[k].name;
        double low = 0.5, high = 2;
        if (strcmp(name, "bulk") == 0)
            low = 5, high = 20;
        else if (strncmp(name, "direction", 9) == 0)
            low = 0.2, high = 1;
        else if (strncmp(name, "alpha", 5) == 0)
            low = 1.5, high = 6;
        else if (strcmp(name, "limit-stretch") == 0)
            low = 1.5, high = 4;
        else if (strcmp(name, "straight-stretch") == 0)
            low = 1.02, high = 1.3;
        def.parameters[k] = random_between(low, high, seed);
    }
    return def;
}

#endif
