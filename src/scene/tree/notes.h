// What there is to say of a foreign model: "path:line: what, what was expected".
#ifndef PAL_SCENE_TREE_NOTES_H
#define PAL_SCENE_TREE_NOTES_H

#include "scene/tree/findings.h"

typedef struct PalNotes {
    const char *path;
    PalFindings *warnings;
    PalError *error;
} PalNotes;

// Returns PAL_BAD_INPUT. A line of 0 names the file alone, here and below.
PalStatus pal_notes_fail(const PalNotes *notes, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pal_notes_warn(const PalNotes *notes, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool pal_notes_can_warn(const PalNotes *notes);  // false: enough is enough
PalStatus pal_notes_no_memory(const PalNotes *notes);

#endif
