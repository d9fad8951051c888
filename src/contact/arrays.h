// Contact in a checkpoint: what carried force, and what the response keeps for the next step.
#ifndef PAL_CONTACT_ARRAYS_H
#define PAL_CONTACT_ARRAYS_H

#include "contact/response/response.h"
#include <palpate/sim.h>

#define PAL_CONTACT_ARRAY_MAX 6

// Copies of what must be kept, valid until the next call; how many, PAL_NONE: no memory.
int32_t pal_contact_arrays(PalContact *contact, PalNamedArray arrays[PAL_CONTACT_ARRAY_MAX]);

// Takes over what was put into the arrays.
PalStatus pal_contact_arrays_restored(PalContact *contact, PalError *error);
void pal_contact_arrays_destroy(PalContactArrays *arrays);

#endif
