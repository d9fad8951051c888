// Vectors of lanes in kernels of thin bodies and their tangents. Each file that includes this has
// copies for its own instruction set.
#ifndef PAL_ELEMENT_SHELL_VECTORS_H
#define PAL_ELEMENT_SHELL_VECTORS_H

#include "math/lanes_math.h"

static inline __attribute__((always_inline)) PalLanes pal_shell_dot(const PalLanes a[3],
                                                                    const PalLanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline __attribute__((always_inline)) void pal_shell_cross(const PalLanes a[3],
                                                                  const PalLanes b[3],
                                                                  PalLanes c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// What lies along a mirror is left, where there is one.
static inline __attribute__((always_inline)) void pal_shell_reflect(const PalLanes mirror[3],
                                                                    PalLanes v[3])
{
    PalLanes along = pal_shell_dot(mirror, v);
    PalLanesInt real = (PalLanesInt)(pal_shell_dot(mirror, mirror) > 0.0);
    for (int i = 0; i < 3; ++i)
        v[i] = pal_lanes_select(real, along * mirror[i], v[i]);
}

#endif
