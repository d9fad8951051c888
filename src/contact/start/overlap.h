// Overlaps at the start of a run, as segmented anatomy has them: told, and removed where shallow.
#ifndef PAL_CONTACT_OVERLAP_H
#define PAL_CONTACT_OVERLAP_H

#include "contact/start/moved.h"

// Refuses with PAL_BAD_INPUT what is too deep, or would spoil elements, and names it.
PalStatus pal_overlaps_remove(const PalContactDef *def, const PalModel *model, PalMoved *moved,
                              PalError *error);

#endif
