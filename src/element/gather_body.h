// Getting batches in and out of a block's nodes, as text: included once per instruction set.
#ifndef PAL_ELEMENT_GATHER_BODY_H
#define PAL_ELEMENT_GATHER_BODY_H

#include "element/layouts.h"
#include "math/lanes_math.h"

#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

INLINE const PalLanes *node_at(const PalLanes *nodes, uint16_t offset)
{
    return (const PalLanes *)((const char *)nodes + (size_t)offset * sizeof(double));
}

INLINE PalLanes *force_at(PalLanes *nodes, uint16_t offset)
{
    return (PalLanes *)((char *)nodes + (size_t)offset * sizeof(double));
}

// Four nodes' numbers to four lanes of x, y, z and of the fourth number.
INLINE void to_lanes(const PalLanes r[4], PalLanes c[4])
{
    PalLanes xz01 = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
    PalLanes yw01 = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    PalLanes xz23 = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
    PalLanes yw23 = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    c[0] = __builtin_shufflevector(xz01, xz23, 0, 1, 4, 5);
    c[1] = __builtin_shufflevector(yw01, yw23, 0, 1, 4, 5);
    c[2] = __builtin_shufflevector(xz01, xz23, 2, 3, 6, 7);
    c[3] = __builtin_shufflevector(yw01, yw23, 2, 3, 6, 7);
}

// Differences of a nodal quantity: row a - 1 is corner a minus corner 0.
INLINE void load_edges(const PalLanes *nodes, const uint16_t corner[][PAL_LANES], int corner_count,
                       PalLanes edges[][4])
{
    PalLanes base[PAL_LANES];
    for (int l = 0; l < PAL_LANES; ++l)
        base[l] = *node_at(nodes, corner[0][l]);
    for (int a = 1; a < corner_count; ++a) {
        PalLanes row[PAL_LANES];
        for (int l = 0; l < PAL_LANES; ++l)
            row[l] = *node_at(nodes, corner[a][l]) - base[l];
        to_lanes(row, edges[a - 1]);
    }
}

// Adds a corner's force of each lane; the lanes' nodes may coincide, so one after the other.
INLINE void add_force(PalLanes *force, const uint16_t corner[PAL_LANES], const PalLanes f[3],
                      PalLanes row[PAL_LANES])
{
    PalLanes xy02 = __builtin_shufflevector(f[0], f[1], 0, 4, 2, 6);
    PalLanes xy13 = __builtin_shufflevector(f[0], f[1], 1, 5, 3, 7);
    PalLanes zz02 = __builtin_shufflevector(f[2], f[2], 0, 0, 2, 2);
    PalLanes zz13 = __builtin_shufflevector(f[2], f[2], 1, 1, 3, 3);
    row[0] = __builtin_shufflevector(xy02, zz02, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(xy13, zz13, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(xy02, zz02, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(xy13, zz13, 2, 3, 6, 7);
    for (int l = 0; l < PAL_LANES; ++l)
        *force_at(force, corner[l]) += row[l];
}

INLINE bool none_set(PalLanesInt mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) == 0;
}

#endif
