// What there is to say of a foreign model: "path:line: what, what was expected".
#ifndef PAL_SCENE_TREE_NOTES_H
#define PAL_SCENE_TREE_NOTES_H

#include "scene/tree/import.h"

typedef struct PalNotes {
    const char *path;
    PalFindings *warnings;
    PalError *error;
    bool lenient;               // what decides the answer may be left out
    PalFindings *losses;        // what was
    const PalSources *sources;  // of a text joined of several files; NULL: all is in `path`
} PalNotes;

// Those of an import.
PalNotes pal_import_notes(PalSceneImport *import, const char *path, PalError *error);

// Returns PAL_BAD_INPUT. A line of 0 names the file alone, here and below.
PalStatus pal_notes_fail(const PalNotes *notes, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pal_notes_warn(const PalNotes *notes, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// What is worth telling and no reason to stop, however strict.
void pal_notes_tell(const PalNotes *notes, int32_t line, const char *what);
// Something that decides the answer and has no counterpart here: PAL_BAD_INPUT. A lenient reader
// warns of it, lists it among the losses and goes on: PAL_OK.
PalStatus pal_notes_lose(const PalNotes *notes, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// "file:line", kept in the tree; NULL: no memory.
const char *pal_notes_place(const PalNotes *notes, int32_t line, PalTree *tree);
bool pal_notes_can_warn(const PalNotes *notes);  // false: enough is enough
PalStatus pal_notes_no_memory(const PalNotes *notes);

#endif
