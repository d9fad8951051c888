// Stiffness between nodes that no element joins, as contact makes it: blocks that come and go. The
// pattern of the matrix grows where a block needs it, within a step; it starts anew with each step,
// so that it depends on what happens in the step alone.
#ifndef PAL_ELEMENT_COUPLINGS_H
#define PAL_ELEMENT_COUPLINGS_H

#include "element/stiffness.h"

#define PAL_BLOCK_MOST 16  // nodes of a block

// From now on the matrix can have blocks.
PalStatus pal_couplings_create(PalStiffness *stiffness, PalError *error);
// Before the stiffness itself.
void pal_couplings_destroy(PalStiffness *stiffness);
size_t pal_couplings_bytes(const PalStiffness *stiffness);

// A step begins: what the pattern has beyond elements is given up when blocks are next joined.
void pal_couplings_begin(PalStiffness *stiffness);

// Lists a block: a symmetric matrix of 3 `count` rows, row by row, of components of different nodes
// in their order. Copied. False: no memory.
bool pal_couplings_add(PalStiffness *stiffness, int32_t count, const int32_t *nodes,
                       const double *matrix);

// Adds all blocks listed to the values that are there, and empties the list. `renewed`: the pattern
// is another one, and who has looked at it has to look again before this is called once more.
PalStatus pal_couplings_join(PalStiffness *stiffness, bool *renewed, PalError *error);

#endif
