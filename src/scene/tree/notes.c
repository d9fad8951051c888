#include "scene/tree/notes.h"

#include <stdarg.h>
#include <stdio.h>

enum { WARNING_MAX = 100 };

static void locate(const PalNotes *notes, int32_t line, char *text, size_t size)
{
    if (line > 0)
        snprintf(text, size, "%s:%d", notes->path, (int)line);
    else
        snprintf(text, size, "%s", notes->path);
}

PalStatus pal_notes_fail(const PalNotes *notes, int32_t line, const char *format, ...)
{
    char where[512], what[sizeof notes->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    locate(notes, line, where, sizeof where);
    return pal_error_set(notes->error, PAL_BAD_INPUT, "%s: %s", where, what);
}

bool pal_notes_can_warn(const PalNotes *notes)
{
    return notes->warnings->list.count <= WARNING_MAX;
}

void pal_notes_warn(const PalNotes *notes, int32_t line, const char *format, ...)
{
    char where[256], what[400];
    if (notes->warnings->list.count == WARNING_MAX)
        pal_findings_add(notes->warnings, PAL_FINDING_WARNING, "%s: further warnings left out",
                         notes->path);
    if (!pal_notes_can_warn(notes))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    locate(notes, line, where, sizeof where);
    pal_findings_add(notes->warnings, PAL_FINDING_WARNING, "%s: %s", where, what);
}

PalStatus pal_notes_no_memory(const PalNotes *notes)
{
    return pal_error_set(notes->error, PAL_NO_MEMORY, "%s: no memory left to read the model",
                         notes->path);
}
