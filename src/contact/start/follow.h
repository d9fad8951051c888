// Nodes within bodies follow their surface.
#ifndef PAL_CONTACT_FOLLOW_H
#define PAL_CONTACT_FOLLOW_H

#include "contact/start/moved.h"
#include "contact/surface/surface.h"

// All nodes of the model, surfaces moved from surface->end to surface->start. PAL_BAD_INPUT where
// elements would be spoilt, with the separation named where it is wide.
PalStatus pal_follow(const PalModel *model, const PalContactSurface *surface, double separation,
                     PalMoved *moved, PalError *error);

#endif
