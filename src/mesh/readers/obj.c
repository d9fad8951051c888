// Wavefront OBJ: v, f, g and o; all else is ignored.
#include "mesh/readers/raw.h"

#include <string.h>

typedef struct Obj {
    PalCursor *cursor;
    PalRawMesh *raw;
    PalInts corners;  // of the face being read
    PalInts groups;   // named by the last g
    int32_t object;   // group named by the last o
} Obj;

// Ends the words of a statement; a backslash at the end of a line continues it.
static bool at_statement_end(PalCursor *cursor)
{
    for (;;) {
        if (pal_cursor_at_line_end(cursor) || *cursor->at == '#')
            return true;
        if (*cursor->at != '\\')
            return false;
        PalCursor ahead = *cursor;
        ++ahead.at;
        if (!pal_cursor_at_line_end(&ahead))
            return false;
        pal_cursor_line(&ahead);
        *cursor = ahead;
    }
}

static PalStatus read_vertex(Obj *obj)
{
    PalCursor *cursor = obj->cursor;
    double x[3];
    const char *where = cursor->at;
    for (int32_t i = 0; i < 3; ++i) {
        if (at_statement_end(cursor))
            return pal_cursor_fail(cursor, cursor->at, "a vertex of %d numbers, expected 3", i);
        PAL_TRY(pal_cursor_double(cursor, &x[i], "a coordinate"));
    }
    return pal_raw_add_node(obj->raw, cursor, where, (PalVec3){x[0], x[1], x[2]});
}

// v, v/vt, v//vn or v/vt/vn; negative numbers count back from the last vertex.
static PalStatus read_corner(Obj *obj)
{
    PalCursor *cursor = obj->cursor;
    PalToken token = pal_cursor_token(cursor);
    const char *end = token.text + token.size;
    int64_t number;
    const char *after = pal_parse_int(token.text, end, &number);
    if (after == NULL || (after < end && *after != '/'))
        return pal_cursor_fail(cursor, token.text,
                               "'%s' is not a corner, expected v, v/vt or "
                               "v/vt/vn",
                               pal_token_quote(token).text);
    int64_t count = obj->raw->nodes.count;
    int64_t node = number < 0 ? count + number : number - 1;
    if (node < 0 || node >= count)
        return pal_cursor_fail(cursor, token.text, "vertex %lld, expected 1 to %lld or -1 to -%lld",
                               (long long)number, (long long)count, (long long)count);
    if (!pal_array_push(&obj->corners, (int32_t)node))
        return pal_cursor_no_memory(cursor);
    return PAL_OK;
}

static PalStatus read_face(Obj *obj)
{
    PalCursor *cursor = obj->cursor;
    PalRawMesh *raw = obj->raw;
    obj->corners.count = 0;
    const char *where = cursor->at;
    while (!at_statement_end(cursor))
        PAL_TRY(read_corner(obj));
    if (obj->corners.count < 3)
        return pal_cursor_fail(cursor, where, "a face of %d corners, expected 3 or more",
                               obj->corners.count);
    int32_t first = pal_raw_cell_count(raw, PAL_RAW_TRIANGLE);
    PAL_TRY(pal_raw_add_polygon(raw, cursor, obj->corners.items, obj->corners.count));
    int32_t last = pal_raw_cell_count(raw, PAL_RAW_TRIANGLE);
    PalMembers *members = &raw->members[PAL_RAW_TRIANGLE];
    for (int32_t t = first; t < last; ++t) {
        for (int32_t i = 0; i < obj->groups.count; ++i)
            PAL_TRY(pal_raw_join(members, cursor, obj->groups.items[i], t));
        if (obj->object != PAL_NONE)
            PAL_TRY(pal_raw_join(members, cursor, obj->object, t));
    }
    return PAL_OK;
}

static PalStatus read_groups(Obj *obj)
{
    enum { MOST = 64 };  // keeps triangles times groups from growing without bounds
    PalCursor *cursor = obj->cursor;
    obj->groups.count = 0;
    while (!at_statement_end(cursor)) {
        int32_t group;
        PalToken name = pal_cursor_token(cursor);
        PAL_TRY(pal_raw_group(obj->raw, cursor, name, &group));
        if (obj->groups.count == MOST)
            return pal_cursor_fail(cursor, name.text, "more than %d groups at once", MOST);
        if (!pal_array_push(&obj->groups, group))
            return pal_cursor_no_memory(cursor);
    }
    return PAL_OK;
}

static PalStatus read_statement(Obj *obj)
{
    PalCursor *cursor = obj->cursor;
    PalToken word = pal_cursor_token(cursor);
    if (pal_token_is(word, "v")) {
        PAL_TRY(read_vertex(obj));
    } else if (pal_token_is(word, "f") || pal_token_is(word, "fo")) {
        PAL_TRY(read_face(obj));
    } else if (pal_token_is(word, "g")) {
        PAL_TRY(read_groups(obj));
    } else if (pal_token_is(word, "o")) {
        PalToken name = pal_token_trim(pal_cursor_line(cursor));
        obj->object = PAL_NONE;
        return name.size == 0 ? PAL_OK : pal_raw_group(obj->raw, cursor, name, &obj->object);
    } else if (word.text[0] != '#') {
        if (pal_token_is(word, "l") || pal_token_is(word, "p") || pal_token_is(word, "usemtl") ||
            pal_token_is(word, "vt"))
            pal_raw_skip(obj->raw, "statements", word);
        while (!at_statement_end(cursor))  // may go on in the next line
            pal_cursor_token(cursor);
    }
    pal_cursor_line(cursor);
    return PAL_OK;
}

PalStatus pal_read_obj(PalCursor *cursor, PalRawMesh *raw)
{
    Obj obj = {.cursor = cursor, .raw = raw, .object = PAL_NONE};
    PalStatus status = PAL_OK;
    for (pal_cursor_skip_blanks(cursor); cursor->at < cursor->end && status == PAL_OK;
         pal_cursor_skip_blanks(cursor))
        status = read_statement(&obj);
    pal_array_clear(&obj.corners);
    pal_array_clear(&obj.groups);
    return status;
}
