#include "mesh/readers/raw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int32_t pal_raw_corner_count(PalRawKind kind)
{
    static const int32_t counts[] = {1, 2, 3, 4, 4, 8, 10};
    return counts[kind];
}

PalCellKind pal_raw_solid(PalRawKind kind)
{
    return kind == PAL_RAW_TETRAHEDRON  ? PAL_CELL_TETRAHEDRON
           : kind == PAL_RAW_HEXAHEDRON ? PAL_CELL_HEXAHEDRON
                                        : PAL_CELL_QUADRATIC_TETRAHEDRON;
}

int32_t pal_raw_cell_count(const PalRawMesh *raw, PalRawKind kind)
{
    return raw->corners[kind].count / pal_raw_corner_count(kind);
}

void pal_raw_clear(PalRawMesh *raw)
{
    pal_array_clear(&raw->nodes);
    for (int32_t k = 0; k < PAL_RAW_KIND_COUNT; ++k) {
        pal_array_clear(&raw->corners[k]);
        pal_array_clear(&raw->members[k]);
    }
    pal_array_clear(&raw->node_members);
    pal_array_clear(&raw->facets);
    pal_array_clear(&raw->facet_members);
    pal_names_clear(&raw->groups);
    pal_names_clear(&raw->skipped);
}

PalStatus pal_raw_add_node(PalRawMesh *raw, const PalCursor *cursor, const char *where,
                           PalVec3 position)
{
    if (!isfinite(position.x) || !isfinite(position.y) || !isfinite(position.z))
        return pal_cursor_fail(cursor, where,
                               "coordinates %g %g %g of node %d, expected finite numbers",
                               position.x, position.y, position.z, raw->nodes.count);
    return pal_array_push(&raw->nodes, position) ? PAL_OK : pal_cursor_no_memory(cursor);
}

PalStatus pal_raw_add_cell(PalRawMesh *raw, const PalCursor *cursor, PalRawKind kind,
                           const int32_t *corners)
{
    int32_t count = pal_raw_corner_count(kind);
    PalInts *list = &raw->corners[kind];
    if (!pal_array_reserve(list, count))
        return pal_cursor_no_memory(cursor);
    for (int32_t a = 0; a < count; ++a)
        list->items[list->count++] = corners[a];
    return PAL_OK;
}

PalStatus pal_raw_add_polygon(PalRawMesh *raw, const PalCursor *cursor, const int32_t *corners,
                              int32_t count)
{
    for (int32_t a = 2; a < count; ++a) {
        const int32_t triangle[3] = {corners[0], corners[a - 1], corners[a]};
        PAL_TRY(pal_raw_add_cell(raw, cursor, PAL_RAW_TRIANGLE, triangle));
    }
    return PAL_OK;
}

PalStatus pal_raw_add_divided(PalRawMesh *raw, const PalCursor *cursor, PalRawKind kind,
                              const int32_t *nodes)
{
    static const int8_t triangles[4][3] = {{0, 3, 5}, {1, 4, 3}, {2, 5, 4}, {3, 4, 5}};
    static const int8_t lines[2][3] = {{0, 2, 0}, {2, 1, 0}};
    for (int32_t k = 0; k < PAL_RAW_PIECES(kind); ++k) {
        const int8_t *at = kind == PAL_RAW_TRIANGLE ? triangles[k] : lines[k];
        const int32_t piece[3] = {nodes[at[0]], nodes[at[1]], nodes[at[2]]};
        PAL_TRY(pal_raw_add_cell(raw, cursor, kind, piece));
    }
    return PAL_OK;
}

void pal_raw_note_unfit(PalRawMesh *raw, const PalCursor *cursor, const char *where,
                        int32_t dimension, bool high_order, const char *name)
{
    PalUnfit *unfit = &raw->unfit[dimension];
    if (unfit->name[0] != '\0')
        return;
    unfit->cursor = *cursor;
    unfit->where = where;
    unfit->high_order = high_order;
    snprintf(unfit->name, sizeof unfit->name, "%s", name);
}

void pal_raw_skip(PalRawMesh *raw, const char *what, PalToken name)
{
    enum { MOST = 64 };
    char text[96];
    if (raw->skipped.list.count == MOST)
        return;
    snprintf(text, sizeof text, "%s %s", what, pal_token_quote(name).text);
    pal_names_add(&raw->skipped, (PalToken){text, strlen(text)}, false);
}

PalStatus pal_raw_group(PalRawMesh *raw, const PalCursor *cursor, PalToken name, int32_t *group)
{
    *group = pal_names_add(&raw->groups, name, false);
    if (*group != PAL_NONE)
        return PAL_OK;
    if (raw->groups.list.count == PAL_NAMES_MAX)
        return pal_cursor_fail(cursor, NULL, "holds more than %d groups, expected fewer",
                               PAL_NAMES_MAX);
    return pal_cursor_no_memory(cursor);
}

PalStatus pal_raw_join(PalMembers *members, const PalCursor *cursor, int32_t group, int32_t item)
{
    PalMember member = {group, item};
    return pal_array_push(members, member) ? PAL_OK : pal_cursor_no_memory(cursor);
}
