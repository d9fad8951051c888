// What a step's contacts come to, for whoever asks: points in one order, and sums of each pair.
#ifndef PAL_CONTACT_TELL_H
#define PAL_CONTACT_TELL_H

#include "contact/response/response.h"

PalStatus pal_contact_tell_create(PalContact *contact, PalError *error);

// After a response: orders each point's objects, leaves out points that carry nothing, and brings
// report and pairs up to date.
void pal_contact_tell(PalContact *contact, const PalContactStep *step);

// Another friction of a pair, as told and as looked up for candidates that are found from now on.
void pal_contact_put_friction(PalContact *contact, int32_t pair_index, double friction);

#endif
