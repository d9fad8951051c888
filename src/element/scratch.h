// Memory of an evaluation.
#ifndef PAL_ELEMENT_SCRATCH_H
#define PAL_ELEMENT_SCRATCH_H

#include "element/elements.h"

// Bytes a scratch for these elements holds.
size_t pal_element_scratch_bytes(const PalElements *elements);

#endif
