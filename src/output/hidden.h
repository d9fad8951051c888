// Which bodies a picture should let one see through, because they hide others.
#ifndef PAL_OUTPUT_HIDDEN_H
#define PAL_OUTPUT_HIDDEN_H

#include "output/frame.h"

// Marks, per body, all that hides a soft body that can hardly be seen otherwise, from where
// pictures look.
PalStatus pal_hidden_find(const PalFrame *frame, bool *see_through, PalError *error);

#endif
