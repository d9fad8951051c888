// An order in which near elements come near each other.
#ifndef PAL_ELEMENT_ORDER_H
#define PAL_ELEMENT_ORDER_H

#include <palpate/base.h>
#include <palpate/math.h>

// Fills order[0 .. count) with 0 .. count - 1 along a Hilbert curve through the points.
// False when there is no memory.
bool pal_order_along_curve(const PalVec3 *points, int32_t count, int32_t *order);

#endif
