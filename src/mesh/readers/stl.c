// STL, text and binary. Equal corners are merged. Triangles that lose a corner by that are lines;
// those that lie along an edge of another triangle are left out, and the others come last.
#include "base/memory.h"
#include "mesh/cells.h"
#include "mesh/readers/raw.h"

#include <string.h>

// A triangle with a corner twice.
typedef struct Line {
    int32_t corners[3], group;
} Line;

typedef struct Stl {
    PalCursor *cursor;
    PalRawMesh *raw;
    uint32_t *slots;  // hash table of nodes: index + 1
    uint32_t slot_count;
    PAL_ARRAY(Line) lines;
} Stl;

enum { HEAD = 84, RECORD = 50 };

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBU;
    return bits ^ bits >> 31;
}

static uint32_t slot_of(const Stl *stl, PalVec3 x)
{
    const double values[3] = {x.x, x.y, x.z};
    uint64_t hash = 0;
    for (int32_t i = 0; i < 3; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = mix(hash + 0x9E3779B97F4A7C15U + bits);
    }
    uint32_t s = (uint32_t)hash & (stl->slot_count - 1);
    while (stl->slots[s] != 0) {
        PalVec3 y = stl->raw->nodes.items[stl->slots[s] - 1];
        if (x.x == y.x && x.y == y.y && x.z == y.z)
            break;
        s = (s + 1) & (stl->slot_count - 1);
    }
    return s;
}

static PalStatus grow(Stl *stl)
{
    if (2 * (uint64_t)stl->raw->nodes.count < stl->slot_count)
        return PAL_OK;
    pal_free(stl->slots);
    stl->slot_count = stl->slot_count == 0 ? 256 : 4 * stl->slot_count;
    stl->slots = stl->slot_count == 0 ? NULL : pal_alloc(stl->slot_count, sizeof *stl->slots);
    if (stl->slots == NULL)
        return pal_cursor_no_memory(stl->cursor);
    for (int32_t n = 0; n < stl->raw->nodes.count; ++n)
        stl->slots[slot_of(stl, stl->raw->nodes.items[n])] = (uint32_t)n + 1;
    return PAL_OK;
}

static PalStatus add_corner(Stl *stl, const char *where, PalVec3 x, int32_t *node)
{
    // -0 and 0 are one place
    x = (PalVec3){x.x + 0.0, x.y + 0.0, x.z + 0.0};
    PAL_TRY(grow(stl));
    uint32_t s = slot_of(stl, x);
    if (stl->slots[s] == 0) {
        PAL_TRY(pal_raw_add_node(stl->raw, stl->cursor, where, x));
        stl->slots[s] = (uint32_t)stl->raw->nodes.count;
    }
    *node = (int32_t)stl->slots[s] - 1;
    return PAL_OK;
}

static PalStatus add_cell(Stl *stl, const int32_t corners[3], int32_t group)
{
    int32_t cell = pal_raw_cell_count(stl->raw, PAL_RAW_TRIANGLE);
    PAL_TRY(pal_raw_add_cell(stl->raw, stl->cursor, PAL_RAW_TRIANGLE, corners));
    if (group == PAL_NONE)
        return PAL_OK;
    return pal_raw_join(&stl->raw->members[PAL_RAW_TRIANGLE], stl->cursor, group, cell);
}

static PalStatus add_triangle(Stl *stl, const int32_t corners[3], int32_t group)
{
    if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
        return add_cell(stl, corners, group);
    Line line = {{corners[0], corners[1], corners[2]}, group};
    return pal_array_push(&stl->lines, line) ? PAL_OK : pal_cursor_no_memory(stl->cursor);
}

// The ends of a line, ascending. Of a point both are the same.
static void ends_of(const int32_t corners[3], int32_t ends[2])
{
    ends[0] = corners[0];
    ends[1] = corners[1] != corners[0] ? corners[1] : corners[2];
    pal_row_sort(ends, 2);
}

// Lines that lie along no edge, and points at no corner, are part of the surface: each once.
// `rows` are the edges of the triangles, each corner twice, then the lines.
static PalStatus add_lines_among(Stl *stl, int32_t (*rows)[2], int32_t *order)
{
    const PalInts *corners = &stl->raw->corners[PAL_RAW_TRIANGLE];
    int32_t sides = corners->count, known = 2 * sides, count = known + stl->lines.count;
    for (int32_t i = 0; i < sides; ++i) {
        int32_t from = corners->items[i], to = corners->items[i % 3 == 2 ? i - 2 : i + 1];
        rows[2 * i][0] = from;
        rows[2 * i][1] = to;
        pal_row_sort(rows[2 * i], 2);
        rows[2 * i + 1][0] = rows[2 * i + 1][1] = from;
    }
    for (int32_t i = 0; i < stl->lines.count; ++i)
        ends_of(stl->lines.items[i].corners, rows[known + i]);
    if (!pal_rows_order(&rows[0][0], count, 2, order))
        return pal_cursor_no_memory(stl->cursor);
    for (int32_t i = 0; i < count; ++i) {
        bool first = i == 0 || !pal_rows_equal(rows[order[i]], rows[order[i - 1]], 2);
        if (first && order[i] >= known) {
            const Line *line = &stl->lines.items[order[i] - known];
            PAL_TRY(add_cell(stl, line->corners, line->group));
        }
    }
    return PAL_OK;
}

static PalStatus add_lines(Stl *stl)
{
    int64_t count = 2 * (int64_t)stl->raw->corners[PAL_RAW_TRIANGLE].count + stl->lines.count;
    if (stl->lines.count == 0)
        return PAL_OK;
    if (count > INT32_MAX)
        return pal_cursor_no_memory(stl->cursor);
    int32_t(*rows)[2] = pal_alloc((size_t)count, sizeof *rows);
    int32_t *order = pal_alloc((size_t)count, sizeof *order);
    PalStatus status = rows != NULL && order != NULL ? add_lines_among(stl, rows, order)
                                                     : pal_cursor_no_memory(stl->cursor);
    pal_free(rows);
    pal_free(order);
    return status;
}

static PalStatus read_binary(Stl *stl)
{
    PalCursor *cursor = stl->cursor;
    const char *bytes;
    int64_t count;
    cursor->binary = true;
    cursor->swap = !pal_host_is_little_endian();
    PAL_TRY(pal_cursor_bytes(cursor, HEAD - 4, &bytes, "the head of a binary STL file"));
    PAL_TRY(pal_cursor_get_int(cursor, PAL_NUMBER_UINT32, &count, "the number of triangles"));
    uint64_t left = pal_cursor_left(cursor);
    if ((uint64_t)count * RECORD != left)
        return pal_cursor_fail(cursor, NULL,
                               "neither text nor binary STL: %lld triangles after the head need "
                               "%lld bytes, but %llu are there",
                               (long long)count, (long long)count * RECORD,
                               (unsigned long long)left);
    for (int64_t t = 0; t < count; ++t) {
        int32_t corners[3];
        PAL_TRY(pal_cursor_bytes(cursor, RECORD, &bytes, "a triangle"));
        for (int32_t a = 0; a < 3; ++a) {
            const char *at = bytes + 12 * (a + 1);
            PalVec3 x = {pal_number_get_double(at, PAL_NUMBER_FLOAT32, cursor->swap),
                         pal_number_get_double(at + 4, PAL_NUMBER_FLOAT32, cursor->swap),
                         pal_number_get_double(at + 8, PAL_NUMBER_FLOAT32, cursor->swap)};
            PAL_TRY(add_corner(stl, at, x, &corners[a]));
        }
        PAL_TRY(add_triangle(stl, corners, PAL_NONE));
    }
    return PAL_OK;
}

static PalStatus expect(Stl *stl, const char *word)
{
    pal_cursor_skip_blanks(stl->cursor);
    PalToken token = pal_cursor_token(stl->cursor);
    if (pal_token_is_like(token, word))
        return PAL_OK;
    return pal_cursor_fail(stl->cursor, token.text, "'%s', expected '%s'",
                           pal_token_quote(token).text, word);
}

// Behind the word "facet".
static PalStatus read_facet(Stl *stl, int32_t group)
{
    PalCursor *cursor = stl->cursor;
    int32_t corners[3];
    PAL_TRY(expect(stl, "normal"));
    // exporters write nan for normals of thin triangles, and normals are not used
    for (int32_t i = 0; i < 3; ++i)
        pal_cursor_token(cursor);
    PAL_TRY(expect(stl, "outer"));
    PAL_TRY(expect(stl, "loop"));
    for (int32_t a = 0; a < 3; ++a) {
        PalVec3 x;
        PAL_TRY(expect(stl, "vertex"));
        pal_cursor_skip_blanks(cursor);
        const char *where = cursor->at;
        PAL_TRY(pal_cursor_double(cursor, &x.x, "the x of a corner"));
        PAL_TRY(pal_cursor_double(cursor, &x.y, "the y of a corner"));
        PAL_TRY(pal_cursor_double(cursor, &x.z, "the z of a corner"));
        PAL_TRY(add_corner(stl, where, x, &corners[a]));
    }
    PAL_TRY(expect(stl, "endloop"));
    PAL_TRY(expect(stl, "endfacet"));
    return add_triangle(stl, corners, group);
}

static PalStatus read_text(Stl *stl)
{
    PalCursor *cursor = stl->cursor;
    for (pal_cursor_skip_blanks(cursor); cursor->at < cursor->end; pal_cursor_skip_blanks(cursor)) {
        PAL_TRY(expect(stl, "solid"));
        PalToken name = pal_token_trim(pal_cursor_line(cursor));
        int32_t group = PAL_NONE;
        if (name.size > 0)
            PAL_TRY(pal_raw_group(stl->raw, cursor, name, &group));
        for (;;) {
            pal_cursor_skip_blanks(cursor);
            PalToken word = pal_cursor_token(cursor);
            if (pal_token_is_like(word, "endsolid"))
                break;
            if (!pal_token_is_like(word, "facet"))
                return pal_cursor_fail(cursor, word.text, "'%s', expected 'facet' or 'endsolid'",
                                       pal_token_quote(word).text);
            PAL_TRY(read_facet(stl, group));
        }
        pal_cursor_line(cursor);
    }
    return PAL_OK;
}

// Binary files may begin with "solid" too, so the size decides first.
bool pal_stl_is_binary(const PalCursor *cursor)
{
    uint64_t size = (uint64_t)(cursor->end - cursor->begin);
    if (size < HEAD)
        return false;
    int64_t count = pal_number_get_int(cursor->begin + HEAD - 4, PAL_NUMBER_UINT32,
                                       !pal_host_is_little_endian());
    return HEAD + (uint64_t)count * RECORD == size;
}

PalStatus pal_read_stl(PalCursor *cursor, PalRawMesh *raw)
{
    Stl stl = {.cursor = cursor, .raw = raw};
    PalCursor ahead = *cursor;
    bool text = pal_token_is_like(pal_cursor_token(&ahead), "solid");
    // text has no byte 0
    text = text && memchr(cursor->begin, '\0', (size_t)(cursor->end - cursor->begin)) == NULL;
    bool binary = pal_stl_is_binary(cursor) || (!text && pal_cursor_left(cursor) >= HEAD);
    PalStatus status = binary ? read_binary(&stl) : read_text(&stl);
    if (status == PAL_OK)
        status = add_lines(&stl);
    pal_array_clear(&stl.lines);
    pal_free(stl.slots);
    return status;
}
