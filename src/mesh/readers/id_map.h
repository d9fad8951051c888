// From the numbers a file gives its nodes or elements to indices.
#ifndef PAL_MESH_READERS_ID_MAP_H
#define PAL_MESH_READERS_ID_MAP_H

#include "mesh/readers/raw.h"

typedef struct PalIdEntry {
    int64_t id;
    int32_t index;
} PalIdEntry;

typedef struct PalIdMap {
    PAL_ARRAY(PalIdEntry) entries;   // in file order, then sorted by id if `table` is NULL
    PAL_ARRAY(const char *) places;  // where each index was defined
    int64_t lowest;
    uint64_t span;
    int32_t *table;  // index + 1 of lowest + i, 0 for none; made when the ids lie close together
} PalIdMap;

// Notes that the next index is called `id`.
PalStatus pal_id_map_add(PalIdMap *map, const PalCursor *cursor, int64_t id, const char *where);

// To be called once, after the last add. Refuses repeated ids: `what` is "node" or "element".
PalStatus pal_id_map_build(PalIdMap *map, const PalCursor *cursor, const char *what);

int32_t pal_id_map_find(const PalIdMap *map, int64_t id);  // PAL_NONE: there is none

void pal_id_map_clear(PalIdMap *map);

#endif
