// Skins of smooth bodies that are near each other before a run.
#ifndef PAL_CONTACT_START_FIT_SKIN_H
#define PAL_CONTACT_START_FIT_SKIN_H

#include "contact/response/response.h"

// Makes skins so thin that none is pressed at the start: what is laid side by side stays there.
PalStatus pal_fit_skin(PalContact *contact, PalError *error);

#endif
