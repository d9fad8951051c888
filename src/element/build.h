// Steps of building PalElements. Each leaves PAL_NO_MEMORY or PAL_OK.
#ifndef PAL_ELEMENT_BUILD_H
#define PAL_ELEMENT_BUILD_H

#include "element/data.h"

// Memory that lives as long as the elements, counted in their bytes. NULL when there is none.
void *pal_elements_take(PalElements *elements, int64_t count, size_t size);

// Sorts the elements, cuts them into blocks, lists each block's nodes and who shares them.
// `order`: element numbers, block by block. On return numbers holds them lane by lane.
PalStatus pal_elements_build_blocks(PalElements *elements, const PalElementsDef *def);

// Geometry of every batch; refuses elements without volume.
PalStatus pal_elements_build_batches(PalElements *elements, const PalElementsDef *def,
                                     PalError *error);

// Which nodes have an averaged pressure in which part, and their reference volumes.
PalStatus pal_elements_build_pressures(PalElements *elements, const PalElementsDef *def);

// The matrix that smooths pressures, where a part does.
PalStatus pal_elements_build_smoothing(PalElements *elements);

// Rings around edges, where a part has them; refuses edges with hundreds of elements.
PalStatus pal_elements_build_rings(PalElements *elements, PalError *error);

#endif
