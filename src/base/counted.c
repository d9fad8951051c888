#include "base/counted.h"

PalStatus pal_check_counted(const char *what, int32_t count, const void *items, PalError *error)
{
    if (count < 0)
        return pal_error_set(error, PAL_BAD_INPUT, "the number of %s is %d, expected 0 or more",
                             what, (int)count);
    if (count > 0 && items == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "the number of %s is %d, but the list is NULL",
                             what, (int)count);
    return PAL_OK;
}
