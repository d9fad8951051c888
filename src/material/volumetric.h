// Volumetric energies, for a batch and for one point.   docs/theory/materials.md, 3
#ifndef PAL_MATERIAL_VOLUMETRIC_H
#define PAL_MATERIAL_VOLUMETRIC_H

#include "math/lanes_math.h"

#include <stddef.h>

// U = K/2 (J - 1)^2: finite at J = 0.
PAL_LANES_INLINE PalLanes pal_quadratic_pressure(double K, PalLanes J)
{
    return K * (J - 1.0);
}

PAL_LANES_INLINE void pal_quadratic_volumetric(double K, const PalLanes *J, PalLanes *U,
                                               PalLanes *dU)
{
    if (U != NULL)
        *U = 0.5 * K * (*J - 1.0) * (*J - 1.0);
    if (dU != NULL)
        *dU = pal_quadratic_pressure(K, *J);
}

// U = K/4 (J^2 - 1 - 2 ln J): convex, infinite at J = 0.
PAL_LANES_INLINE PalLanes pal_barrier_pressure(double K, PalLanes J)
{
    return 0.5 * K * (J - 1.0 / J);
}

PAL_LANES_INLINE void pal_barrier_volumetric(double K, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    if (U != NULL)
        *U = 0.25 * K * ((*J - 1.0) * (*J + 1.0) - 2.0 * pal_lanes_log(*J));
    if (dU != NULL)
        *dU = pal_barrier_pressure(K, *J);
}

// First and second derivative at one point.
typedef struct PalVolumetricPoint {
    double first, second;
} PalVolumetricPoint;

static inline PalVolumetricPoint pal_quadratic_point(double K, double J)
{
    return (PalVolumetricPoint){K * (J - 1), K};
}

static inline PalVolumetricPoint pal_barrier_point(double K, double J)
{
    return (PalVolumetricPoint){K / 2 * (J - 1 / J), K / 2 * (1 + 1 / (J * J))};
}

#endif
