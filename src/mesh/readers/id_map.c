#include "mesh/readers/id_map.h"

#include "base/memory.h"

#include <stdlib.h>

PalStatus pal_id_map_add(PalIdMap *map, const PalCursor *cursor, int64_t id, const char *where)
{
    PalIdEntry entry = {id, map->entries.count};
    bool added = pal_array_push(&map->entries, entry) && pal_array_push(&map->places, where);
    return added ? PAL_OK : pal_cursor_no_memory(cursor);
}

static PalStatus refuse_repeat(const PalIdMap *map, const PalCursor *cursor, int32_t index,
                               const char *what, int64_t id)
{
    return pal_cursor_fail(cursor, map->places.items[index],
                           "%s %lld is defined a second time, expected each number once", what,
                           (long long)id);
}

static PalStatus fill_table(PalIdMap *map, const PalCursor *cursor, const char *what)
{
    for (int32_t i = 0; i < map->entries.count; ++i) {
        int32_t *slot = &map->table[map->entries.items[i].id - map->lowest];
        if (*slot != 0)
            return refuse_repeat(map, cursor, i, what, map->entries.items[i].id);
        *slot = i + 1;
    }
    return PAL_OK;
}

// By id; equal ids in file order.
static int compare(const void *left, const void *right)
{
    const PalIdEntry *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

PalStatus pal_id_map_build(PalIdMap *map, const PalCursor *cursor, const char *what)
{
    int32_t count = map->entries.count;
    if (count == 0)
        return PAL_OK;
    int64_t lowest = map->entries.items[0].id, highest = lowest;
    for (int32_t i = 1; i < count; ++i) {
        int64_t id = map->entries.items[i].id;
        lowest = id < lowest ? id : lowest;
        highest = id > highest ? id : highest;
    }
    uint64_t span = (uint64_t)highest - (uint64_t)lowest;
    if (span < 8 * (uint64_t)count + 1024) {
        map->lowest = lowest;
        map->span = span + 1;
        map->table = pal_alloc((size_t)map->span, sizeof *map->table);
        if (map->table == NULL)
            return pal_cursor_no_memory(cursor);
        return fill_table(map, cursor, what);
    }
    qsort(map->entries.items, (size_t)count, sizeof *map->entries.items, compare);
    for (int32_t i = 1; i < count; ++i)
        if (map->entries.items[i].id == map->entries.items[i - 1].id)
            return refuse_repeat(map, cursor, map->entries.items[i].index, what,
                                 map->entries.items[i].id);
    return PAL_OK;
}

int32_t pal_id_map_find(const PalIdMap *map, int64_t id)
{
    if (map->table != NULL) {
        uint64_t offset = (uint64_t)id - (uint64_t)map->lowest;
        return offset < map->span ? map->table[offset] - 1 : PAL_NONE;
    }
    int32_t low = 0, high = map->entries.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (map->entries.items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < map->entries.count && map->entries.items[low].id == id;
    return found ? map->entries.items[low].index : PAL_NONE;
}

void pal_id_map_clear(PalIdMap *map)
{
    pal_array_clear(&map->entries);
    pal_array_clear(&map->places);
    pal_free(map->table);
    map->table = NULL;
}
