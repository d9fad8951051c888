// Where bodies touch, as a VTK file of points (VTP) per output time.
#ifndef PAL_OUTPUT_CONTACTS_H
#define PAL_OUTPUT_CONTACTS_H

#include "output/frame_file.h"

// The contacts that carry force, added to the text as the beginning of a file, which the frames'
// packed labels complete. The frame tells time and names.
PalStatus pal_contacts_encode(const PalFrameFile *file, const PalContactPoint *points,
                              int32_t count, PalText *text, PalError *error);

#endif
