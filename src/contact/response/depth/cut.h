// Cuts the cells of a body so that no edge, face or cell inside it has all its corners on the
// boundary.
#ifndef PAL_CONTACT_RESPONSE_DEPTH_CUT_H
#define PAL_CONTACT_RESPONSE_DEPTH_CUT_H

#include "contact/response/depth/cells.h"
#include <palpate/model.h>

// Fills points (without depths) and cells (without clips). PAL_NO_MEMORY otherwise.
PalStatus pal_depth_cut(const PalBody *body, PalDepthField *field);

#endif
