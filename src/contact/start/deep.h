// Overlaps that are deep for the mesh but shallow for the bodies.
#ifndef PAL_CONTACT_START_DEEP_H
#define PAL_CONTACT_START_DEEP_H

#include "contact/start/apart.h"

// Lets bodies give way smoothly, far into their insides, and keeps their volumes, until
// little is left of the overlaps. `apart` is wide and has been looked at; it is up to
// date afterwards.
PalStatus pal_deep_part(PalApart *apart, PalError *error);

#endif
