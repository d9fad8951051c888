// Arrays that callers hand over as a count and a pointer.
#ifndef PAL_BASE_COUNTED_H
#define PAL_BASE_COUNTED_H

#include <palpate/base.h>

// Refuses a count below 0, and one above 0 without an array.
PalStatus pal_check_counted(const char *what, int32_t count, const void *items, PalError *error);

#endif
