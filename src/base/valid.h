// What validate functions are made of.
#ifndef PAL_BASE_VALID_H
#define PAL_BASE_VALID_H

#include <palpate/base.h>

// Leaves the function unless the condition holds, saying what is broken in which thing, and at
// which index.
#define PAL_HOLDS(condition, error, thing, what, index)                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return pal_error_set(error, PAL_BAD_INPUT, "the %s broken: %s (%lld)", thing, what,    \
                                 (long long)(index));                                              \
    } while (0)

#endif
