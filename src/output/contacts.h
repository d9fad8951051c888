// Where bodies touch, as a VTK file of points (VTP) per output time.
#ifndef PAL_OUTPUT_CONTACTS_H
#define PAL_OUTPUT_CONTACTS_H

#include "output/frame.h"

// The contacts that carry force, added to the text as a file. The frame tells time and names.
PalStatus pal_contacts_encode(const PalFrame *frame, const PalContactPoint *points, int32_t count,
                              PalText *text, PalError *error);

#endif
