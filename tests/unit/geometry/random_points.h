// Repeatable random points for the tests of geometry.
#ifndef PAL_TESTS_RANDOM_POINTS_H
#define PAL_TESTS_RANDOM_POINTS_H

#include "math/vec3.h"

#include <stdint.h>

static inline uint64_t random_bits(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// From [0, 1).
static inline double random_unit(uint64_t *seed)
{
    return (double)(random_bits(seed) >> 11) * 0x1p-53;
}

static inline double random_signed(uint64_t *seed)
{
    return 2 * random_unit(seed) - 1;
}

static inline int random_integer(int least, int most, uint64_t *seed)
{
    return least + (int)(random_bits(seed) % (uint64_t)(most - least + 1));
}

static inline PalVec3 random_point(uint64_t *seed)
{
    double x = random_signed(seed), y = random_signed(seed);
    return (PalVec3){x, y, random_signed(seed)};
}

static inline PalVec3 random_grid_point(int most, uint64_t *seed)
{
    int x = random_integer(-most, most, seed), y = random_integer(-most, most, seed);
    return (PalVec3){x, y, random_integer(-most, most, seed)};
}

#endif
