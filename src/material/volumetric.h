// Volumetric energies, for a batch and for one point.   docs/theory/materials.md, 3
#ifndef PAL_MATERIAL_VOLUMETRIC_H
#define PAL_MATERIAL_VOLUMETRIC_H

#include "math/lanes_math.h"

#include <math.h>
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

// Terms that a law has besides its own where they are asked for: K[0]/2 (ln J)^2 + K[1]/2 (J -
// 1)^2. Their moduli are most often 0.
PAL_LANES_INLINE bool pal_has_more_volume(const double *K)
{
    return K[0] != 0 || K[1] != 0;
}

PAL_LANES_INLINE PalLanes pal_more_pressure(const double *K, PalLanes J)
{
    return K[0] * pal_lanes_log(J) / J + pal_quadratic_pressure(K[1], J);
}

PAL_LANES_INLINE void pal_add_more_volume(const double *K, const PalLanes *J, PalLanes *U,
                                          PalLanes *dU)
{
    PalLanes log = pal_lanes_log(*J);
    if (U != NULL)
        *U += 0.5 * K[0] * log * log + 0.5 * K[1] * (*J - 1.0) * (*J - 1.0);
    if (dU != NULL)
        *dU += pal_more_pressure(K, *J);
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

static inline PalVolumetricPoint pal_log_point(double K, double J)
{
    return (PalVolumetricPoint){K * log(J) / J, K * (1 - log(J)) / (J * J)};
}

// The barrier with K and the further terms.
static inline PalVolumetricPoint pal_three_terms_point(double K, const double *more, double J)
{
    PalVolumetricPoint a = pal_barrier_point(K, J), b = pal_log_point(more[0], J);
    PalVolumetricPoint c = pal_quadratic_point(more[1], J);
    return (PalVolumetricPoint){a.first + b.first + c.first, a.second + b.second + c.second};
}

#endif
