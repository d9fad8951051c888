#include <palpate/base.h>

#include <stdarg.h>
#include <stdio.h>

PalStatus pal_error_set(PalError *error, PalStatus status, const char *format, ...)
{
    if (error == NULL || error->status != PAL_OK)
        return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

const char *pal_status_name(PalStatus status)
{
    static const char *const names[] = {
        "ok",          "bad input", "no memory", "input or output failed", "simulation failed",
        "interrupted",
    };
    bool known = (int)status >= 0 && (size_t)status < sizeof names / sizeof *names;
    return known ? names[status] : "unknown";
}

const char *pal_version(void)
{
    return PAL_VERSION;
}
