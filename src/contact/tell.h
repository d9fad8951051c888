// What a step's contacts come to, for whoever asks: points in one order, and sums of each pair.
#ifndef PAL_CONTACT_TELL_H
#define PAL_CONTACT_TELL_H

#include "contact/response/response.h"

PalStatus pal_contact_tell_create(PalContact *contact, PalError *error);

// After a response: orders each point's objects, leaves out points that carry nothing, and brings
// report and pairs up to date.
PalStatus pal_contact_tell(PalContact *contact, const PalContactStep *step, PalError *error);

// The report of two objects; PAL_NONE: they are not listed, and have not touched.
int32_t pal_contact_find_pair(const PalContact *contact, int32_t a, int32_t b);
// One for two that have none. PAL_NONE: no memory.
int32_t pal_contact_add_pair(PalContact *contact, int32_t a, int32_t b, double friction);
// Only those listed are left.
void pal_contact_forget_pairs(PalContact *contact);

// Another friction of a pair, as told and as looked up for candidates that are found from now on.
// False: no memory.
bool pal_contact_put_friction(PalContact *contact, int32_t pair_index, double friction);

#endif
