// A list of different names, found quickly.
#ifndef PAL_MESH_READERS_NAMES_H
#define PAL_MESH_READERS_NAMES_H

#include "base/array.h"
#include "mesh/readers/cursor.h"

enum { PAL_NAMES_MAX = 16384 };

typedef struct PalNames {
    PAL_ARRAY(char *) list;
    int32_t *slots;  // hash table of index + 1; NULL while the list is empty
    uint32_t slot_count;
} PalNames;

// The index of a name, PAL_NONE if it is not there. With `any_case`, ASCII letters of either
// case are the same; a table must be used with one of the two only.
int32_t pal_names_find(const PalNames *names, PalToken name, bool any_case);

// The same, and adds the name if it is new. Characters that would break a line become '_'.
// PAL_NONE: no memory, or PAL_NAMES_MAX names already.
int32_t pal_names_add(PalNames *names, PalToken name, bool any_case);

void pal_names_clear(PalNames *names);

#endif
