#include "scene/tree/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WARNING_MAX = 100 };

static void locate(const PalNotes *notes, int32_t line, char *text, size_t size)
{
    int64_t number = line;
    const char *path = line > 0 ? pal_source_of(notes->sources, notes->path, &number) : NULL;
    if (path != NULL)
        snprintf(text, size, "%s:%lld", path, (long long)number);
    else
        snprintf(text, size, "%s", notes->path);
}

PalNotes pal_import_notes(PalSceneImport *import, const char *path, PalError *error)
{
    return (PalNotes){path, &import->warnings, error, import->lenient, &import->losses, NULL};
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

PalStatus pal_notes_lose(const PalNotes *notes, int32_t line, const char *format, ...)
{
    char where[256], what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (!notes->lenient)
        return pal_notes_fail(notes, line, "%s; --lenient runs without it", what);
    pal_notes_warn(notes, line, "%s", what);
    locate(notes, line, where, sizeof where);
    if (notes->losses->list.count < WARNING_MAX)
        pal_findings_add(notes->losses, PAL_FINDING_WARNING, "%s: %s", where, what);
    else if (notes->losses->list.count == WARNING_MAX)
        pal_findings_add(notes->losses, PAL_FINDING_WARNING, "%s: further losses left out",
                         notes->path);
    return notes->losses->failed ? pal_notes_no_memory(notes) : PAL_OK;
}

const char *pal_notes_place(const PalNotes *notes, int32_t line, PalTree *tree)
{
    char where[512];
    locate(notes, line, where, sizeof where);
    return pal_tree_text(tree, where, strlen(where));
}

bool pal_notes_can_warn(const PalNotes *notes)
{
    return notes->warnings->list.count <= WARNING_MAX;
}

void pal_notes_tell(const PalNotes *notes, int32_t line, const char *what)
{
    char where[256];
    locate(notes, line, where, sizeof where);
    if (pal_notes_can_warn(notes))
        pal_findings_add(notes->warnings, PAL_FINDING_NOTE, "%s: %s", where, what);
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
