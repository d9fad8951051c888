// Nodes within bodies follow their surface.
#ifndef PAL_CONTACT_FOLLOW_H
#define PAL_CONTACT_FOLLOW_H

#include "contact/start/apart.h"
#include "contact/start/moved.h"

// All nodes of the model: those of surfaces moved from `end` to `start`, those within by the smooth
// moves and as their surface is moved beyond these. PAL_BAD_INPUT where elements would be spoilt,
// with the separation named where it is wide.
PalStatus pal_follow(const PalApart *apart, PalMoved *moved, PalError *error);

#endif
