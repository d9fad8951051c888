// Volumetric energies, for a batch and for one point.   docs/theory/materials.md, 3
#ifndef PAL_MATERIAL_VOLUMETRIC_H
#define PAL_MATERIAL_VOLUMETRIC_H

#include "math/lanes_math.h"

#include <math.h>
#include <stddef.h>

// The volume ratio below which the quadratic energy gets a barrier on top, and how strong it is.
#define PAL_COLLAPSE          0.1
#define PAL_COLLAPSE_STRENGTH 0.09

// K/2 q B(J / s) with s and q as above, B(x) = - (1 - x)^2 ln x below x = 1: it joins with two
// continuous derivatives, and is infinite at J = 0.
PAL_LANES_INLINE bool pal_any_collapses(PalLanes J)
{
    PalLanesInt below = (PalLanesInt)(J < PAL_COLLAPSE);
    return (below[0] | below[1] | below[2] | below[3]) != 0;
}

PAL_LANES_INLINE PalLanes pal_collapse_energy(double K, PalLanes J)
{
    PalLanes x = J * (1 / PAL_COLLAPSE), rest = 1.0 - x;
    PalLanes B = -rest * rest * pal_lanes_log(x);
    return pal_lanes_select((PalLanesInt)(x < 1.0), 0.5 * K * PAL_COLLAPSE_STRENGTH * B,
                            pal_lanes_all(0.0));
}

PAL_LANES_INLINE PalLanes pal_collapse_pressure(double K, PalLanes J)
{
    PalLanes x = J * (1 / PAL_COLLAPSE), rest = 1.0 - x;
    PalLanes first = 2.0 * rest * pal_lanes_log(x) - rest * rest / x;
    return pal_lanes_select((PalLanesInt)(x < 1.0),
                            0.5 * K * (PAL_COLLAPSE_STRENGTH / PAL_COLLAPSE) * first,
                            pal_lanes_all(0.0));
}

PAL_LANES_INLINE PalLanes pal_collapse_stiffness(double K, PalLanes J)
{
    PalLanes x = J * (1 / PAL_COLLAPSE), ratio = (1.0 - x) / x;
    PalLanes second = -2.0 * pal_lanes_log(x) + ratio * (4.0 + ratio);
    const double factor = 0.5 * K * PAL_COLLAPSE_STRENGTH / (PAL_COLLAPSE * PAL_COLLAPSE);
    return pal_lanes_select((PalLanesInt)(x < 1.0), factor * second, pal_lanes_all(0.0));
}

// U = K/2 (J - 1)^2, which would be finite at J = 0, and the barrier.
PAL_LANES_INLINE PalLanes pal_quadratic_pressure(double K, PalLanes J)
{
    return K * (J - 1.0);
}

// Adds the barrier's pressure to a sum that has the other one already.
PAL_LANES_INLINE void pal_add_collapse(double K, PalLanes J, PalLanes *pressure)
{
    if (__builtin_expect(pal_any_collapses(J), 0))
        *pressure += pal_collapse_pressure(K, J);
}

PAL_LANES_INLINE void pal_quadratic_volumetric(double K, const PalLanes *J, PalLanes *U,
                                               PalLanes *dU)
{
    if (U != NULL)
        *U = 0.5 * K * (*J - 1.0) * (*J - 1.0);
    if (U != NULL && pal_any_collapses(*J))
        *U += pal_collapse_energy(K, *J);
    if (dU != NULL) {
        *dU = pal_quadratic_pressure(K, *J);
        pal_add_collapse(K, *J, dU);
    }
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
    return K[0] * pal_lanes_log(J) / J + K[1] * (J - 1.0);
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
    PalVolumetricPoint point = {K * (J - 1), K};
    double x = J / PAL_COLLAPSE, rest = 1 - x;
    if (x < 1) {
        double factor = K / 2 * PAL_COLLAPSE_STRENGTH / PAL_COLLAPSE;
        point.first += factor * (2 * rest * log(x) - rest * rest / x);
        point.second +=
            factor / PAL_COLLAPSE * (-2 * log(x) + 4 * rest / x + rest * rest / (x * x));
    }
    return point;
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
    return (PalVolumetricPoint){a.first + b.first + more[1] * (J - 1),
                                a.second + b.second + more[1]};
}

#endif
