// VTK legacy files, versions 1 to 5. https://docs.vtk.org, "VTK File Formats", simple legacy
// formats
#include "mesh/readers/vtk.h"

#include <string.h>

typedef struct Legacy {
    PalCursor *cursor;
    PalRawMesh *raw;
    PalVtkGrid grid;
    bool binary;
    bool poly_data;
    bool has_points, has_cells;
    bool on_points;  // which data section we are in
    int32_t tuples;  // of that section; PAL_NONE outside
} Legacy;

// How the values of an array are stored.
typedef struct Storage {
    PalNumberType type;
    bool bits, strings;
} Storage;

static PalStatus read_type(Legacy *vtk, Storage *storage)
{
    static const struct {
        const char *name;
        PalNumberType type;
    } types[] = {
        {"unsigned_char", PAL_NUMBER_UINT8}, {"char", PAL_NUMBER_INT8},
        {"signed_char", PAL_NUMBER_INT8},    {"unsigned_short", PAL_NUMBER_UINT16},
        {"short", PAL_NUMBER_INT16},         {"unsigned_int", PAL_NUMBER_UINT32},
        {"int", PAL_NUMBER_INT32},           {"unsigned_long", PAL_NUMBER_UINT64},
        {"long", PAL_NUMBER_INT64},          {"float", PAL_NUMBER_FLOAT32},
        {"double", PAL_NUMBER_FLOAT64},      {"vtkIdType", PAL_NUMBER_INT32},
        {"vtktypeint64", PAL_NUMBER_INT64},  {"vtktypeuint64", PAL_NUMBER_UINT64},
        {"vtktypeint32", PAL_NUMBER_INT32},  {"vtktypeuint32", PAL_NUMBER_UINT32},
        {"vtktypeint16", PAL_NUMBER_INT16},  {"vtktypeuint16", PAL_NUMBER_UINT16},
        {"vtktypeint8", PAL_NUMBER_INT8},    {"vtktypeuint8", PAL_NUMBER_UINT8},
    };
    pal_cursor_skip_blanks(vtk->cursor);
    PalToken name = pal_cursor_token(vtk->cursor);
    *storage = (Storage){.type = PAL_NUMBER_UINT8};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        if (!pal_token_is_like(name, types[i].name))
            continue;
        storage->type = types[i].type;
        return PAL_OK;
    }
    storage->bits = pal_token_is_like(name, "bit");
    storage->strings = pal_token_is_like(name, "string") || pal_token_is_like(name, "utf8_string");
    if (storage->bits || storage->strings)
        return PAL_OK;
    return pal_cursor_fail(vtk->cursor, name.text, "'%s', expected a type such as float or int",
                           pal_token_quote(name).text);
}

// Ends the line of a keyword: the values begin behind it.
static void end_keyword(Legacy *vtk)
{
    if (vtk->binary)
        pal_cursor_line(vtk->cursor);
}

static PalStatus read_longs(Legacy *vtk, PalNumberType type, int64_t count, PalLongs *list)
{
    PalCursor *cursor = vtk->cursor;
    size_t size = vtk->binary ? pal_number_size(type) : 2;
    PAL_TRY(pal_cursor_check_count(cursor, cursor->at, count, size, "the number of values"));
    if (!pal_array_reserve(list, count))
        return pal_cursor_no_memory(cursor);
    for (int64_t i = 0; i < count; ++i) {
        int64_t *value = &list->items[list->count];
        if (vtk->binary)
            PAL_TRY(pal_cursor_get_int(cursor, type, value, "values"));
        else
            PAL_TRY(pal_cursor_int(cursor, value, "a whole number"));
        ++list->count;
    }
    return PAL_OK;
}

// A text in a binary file: its length comes first, in 1, 2, 4 or 8 bytes as the top two bits say.
static PalStatus skip_binary_text(PalCursor *cursor)
{
    const char *bytes;
    PAL_TRY(pal_cursor_bytes(cursor, 1, &bytes, "a text"));
    uint8_t first = (uint8_t)*bytes;
    uint64_t length = first & 0x3F;
    static const size_t more[] = {7, 3, 1, 0};
    PAL_TRY(pal_cursor_bytes(cursor, more[first >> 6], &bytes, "a text"));
    for (size_t i = 0; i < more[first >> 6]; ++i)
        length = length << 8 | (uint8_t)bytes[i];
    return pal_cursor_bytes(cursor, length, &bytes, "a text");
}

static PalStatus skip_values(Legacy *vtk, Storage storage, int64_t count)
{
    PalCursor *cursor = vtk->cursor;
    const char *bytes;
    if (vtk->binary && storage.bits)
        return pal_cursor_bytes(cursor, (size_t)(count + 7) / 8, &bytes, "bits");
    size_t size = vtk->binary || storage.strings ? pal_number_size(storage.type) : 2;
    PAL_TRY(pal_cursor_check_count(cursor, cursor->at, count, size, "the number of values"));
    if (vtk->binary && !storage.strings)
        return pal_cursor_bytes(cursor, (size_t)count * size, &bytes, "values");
    if (storage.strings && !vtk->binary)
        pal_cursor_line(cursor);
    for (int64_t i = 0; i < count; ++i) {
        if (storage.strings && vtk->binary)
            PAL_TRY(skip_binary_text(cursor));
        else if (storage.strings)
            pal_cursor_line(cursor);
        else
            pal_cursor_token(cursor);
    }
    return PAL_OK;
}

static PalStatus read_points(Legacy *vtk)
{
    PalCursor *cursor = vtk->cursor;
    int64_t count;
    Storage storage;
    pal_cursor_skip_blanks(cursor);
    const char *where = cursor->at;
    PAL_TRY(pal_cursor_int(cursor, &count, "the number of points"));
    PAL_TRY(read_type(vtk, &storage));
    if (storage.bits || storage.strings || vtk->has_points)
        return pal_cursor_fail(cursor, where, "expected POINTS once, with a type such as float");
    vtk->has_points = true;
    end_keyword(vtk);
    size_t size = pal_number_size(storage.type);
    PAL_TRY(pal_cursor_check_count(cursor, where, count, vtk->binary ? 3 * size : 6,
                                   "the number of points"));
    for (int64_t n = 0; n < count; ++n) {
        double x[3];
        if (!vtk->binary)
            pal_cursor_skip_blanks(cursor);
        const char *at = cursor->at;
        for (int32_t i = 0; i < 3; ++i) {
            if (!vtk->binary) {
                PAL_TRY(pal_cursor_double(cursor, &x[i], "a coordinate"));
                continue;
            }
            const char *bytes;
            PAL_TRY(pal_cursor_bytes(cursor, size, &bytes, "points"));
            x[i] = pal_number_get_double(bytes, storage.type, cursor->swap);
        }
        PAL_TRY(pal_raw_add_node(vtk->raw, cursor, at, (PalVec3){x[0], x[1], x[2]}));
    }
    return PAL_OK;
}

// The layout of version 5: offsets, of which the first is 0, and connectivity.
static PalStatus read_offsets(Legacy *vtk, int64_t offset_count, int64_t size)
{
    PalVtkGrid *grid = &vtk->grid;
    Storage storage;
    PalToken word = pal_cursor_token(vtk->cursor);
    PAL_TRY(read_type(vtk, &storage));
    end_keyword(vtk);
    int32_t first = grid->ends.count;
    int64_t base = grid->connectivity.count;
    PAL_TRY(read_longs(vtk, storage.type, offset_count, &grid->ends));
    if (offset_count > 0) {
        // ends are what the offsets behind the first one are
        --grid->ends.count;
        for (int32_t i = first; i < grid->ends.count; ++i) {
            int64_t end = grid->ends.items[i + 1];
            if (end < 0 || end > size)
                return pal_cursor_fail(vtk->cursor, word.text,
                                       "an offset of %lld, expected 0 to %lld", (long long)end,
                                       (long long)size);
            grid->ends.items[i] = base + end;
        }
    }
    pal_cursor_skip_blanks(vtk->cursor);
    word = pal_cursor_token(vtk->cursor);
    if (!pal_token_is_like(word, "CONNECTIVITY"))
        return pal_cursor_fail(vtk->cursor, word.text, "'%s', expected CONNECTIVITY",
                               pal_token_quote(word).text);
    PAL_TRY(read_type(vtk, &storage));
    end_keyword(vtk);
    return read_longs(vtk, storage.type, size, &grid->connectivity);
}

// The layout before version 5: each cell is its number of points and the points. Unpacked in
// place: the counts are taken out.
static PalStatus read_counted(Legacy *vtk, const char *where, int64_t cell_count, int64_t size)
{
    PalVtkGrid *grid = &vtk->grid;
    PalLongs *list = &grid->connectivity;
    int32_t from = list->count;
    PAL_TRY(read_longs(vtk, PAL_NUMBER_INT32, size, list));
    int32_t end = list->count, to = from;
    for (int64_t c = 0; c < cell_count; ++c) {
        if (from == end || list->items[from] < 0 || list->items[from] > end - from - 1)
            return pal_cursor_fail(vtk->cursor, where,
                                   "the %lld numbers end within cell %lld of %lld", (long long)size,
                                   (long long)c, (long long)cell_count);
        int32_t points = (int32_t)list->items[from++];
        memmove(list->items + to, list->items + from, (size_t)points * sizeof *list->items);
        from += points;
        to += points;
        if (!pal_array_push(&grid->ends, (int64_t)to))
            return pal_cursor_no_memory(vtk->cursor);
    }
    list->count = to;
    return PAL_OK;
}

static bool next_is(const Legacy *vtk, const char *word)
{
    PalCursor ahead = *vtk->cursor;
    return pal_token_is_like(pal_cursor_token(&ahead), word);
}

// `type` is what the cells of a POLYDATA section are; 0 leaves it to CELL_TYPES.
static PalStatus read_cells(Legacy *vtk, int64_t type)
{
    PalCursor *cursor = vtk->cursor;
    int64_t count, size;
    pal_cursor_skip_blanks(cursor);
    const char *where = cursor->at;
    PAL_TRY(pal_cursor_int(cursor, &count, "the number of cells"));
    PAL_TRY(pal_cursor_int(cursor, &size, "the size of the list of cells"));
    if (type == 0 && vtk->has_cells)
        return pal_cursor_fail(cursor, where, "a second CELLS, expected one");
    vtk->has_cells = true;
    if (vtk->grid.where == NULL)
        vtk->grid.where = where;
    end_keyword(vtk);
    PAL_TRY(
        pal_cursor_check_count(cursor, where, count, vtk->binary ? 4 : 2, "the number of cells"));
    PAL_TRY(pal_cursor_check_count(cursor, where, size, vtk->binary ? 4 : 2,
                                   "the size of the list of cells"));
    int32_t before = vtk->grid.ends.count;
    if (next_is(vtk, "OFFSETS"))
        PAL_TRY(read_offsets(vtk, count, size));
    else
        PAL_TRY(read_counted(vtk, where, count, size));
    for (int32_t c = before; type != 0 && c < vtk->grid.ends.count; ++c)
        if (!pal_array_push(&vtk->grid.types, type))
            return pal_cursor_no_memory(cursor);
    return PAL_OK;
}

static PalStatus read_cell_types(Legacy *vtk)
{
    int64_t count;
    PAL_TRY(pal_cursor_int(vtk->cursor, &count, "the number of cell types"));
    if (vtk->grid.types.count > 0)
        return pal_cursor_fail(vtk->cursor, vtk->cursor->at, "a second CELL_TYPES, expected one");
    end_keyword(vtk);
    return read_longs(vtk, PAL_NUMBER_INT32, count, &vtk->grid.types);
}

static int32_t hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : PAL_NONE;
}

// Names have what would end a word written as %20.
static PalToken decode_name(PalToken name, char *buffer, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < name.size && used < size; ++i) {
        char c = name.text[i];
        if (c == '%' && i + 2 < name.size) {
            int32_t high = hex_digit(name.text[i + 1]), low = hex_digit(name.text[i + 2]);
            if (high != PAL_NONE && low != PAL_NONE) {
                c = (char)(high * 16 + low);
                i += 2;
            }
        }
        buffer[used++] = c;
    }
    return (PalToken){buffer, used};
}

// The values of an array: kept if they can be labels of the cells or points.
static PalStatus read_array(Legacy *vtk, PalToken name, Storage storage, int64_t components,
                            int64_t tuples)
{
    if (components < 0 || tuples < 0 || (components > 0 && tuples > INT64_MAX / 8 / components))
        return pal_cursor_fail(vtk->cursor, name.text,
                               "%lld by %lld values are more than a file can hold, expected fewer",
                               (long long)components, (long long)tuples);
    bool whole = !storage.bits && !storage.strings && !pal_number_is_real(storage.type);
    if (!whole || components != 1 || tuples != vtk->tuples || name.size == 0) {
        if (name.size > 0)
            pal_raw_skip(vtk->raw, "the array", name);
        return skip_values(vtk, storage, components * tuples);
    }
    PalLongs values = {0};
    char buffer[256];
    PalStatus status = read_longs(vtk, storage.type, tuples, &values);
    if (status == PAL_OK)
        status =
            pal_vtk_add_labels(&vtk->grid, vtk->cursor, decode_name(name, buffer, sizeof buffer),
                               vtk->on_points, &values);
    pal_array_clear(&values);
    return status;
}

// METADATA goes on to the next empty line.
static void skip_metadata(Legacy *vtk)
{
    pal_cursor_line(vtk->cursor);
    while (vtk->cursor->at < vtk->cursor->end)
        if (pal_token_trim(pal_cursor_line(vtk->cursor)).size == 0)
            return;
}

static PalStatus read_field(Legacy *vtk)
{
    PalCursor *cursor = vtk->cursor;
    int64_t count;
    pal_cursor_token(cursor);
    PAL_TRY(pal_cursor_int(cursor, &count, "the number of arrays of a field"));
    for (int64_t i = 0; i < count; ++i) {
        if (next_is(vtk, "METADATA")) {
            pal_cursor_token(cursor);
            skip_metadata(vtk);
        }
        int64_t components, tuples;
        Storage storage;
        PalToken name = pal_cursor_token(cursor);
        PAL_TRY(pal_cursor_int(cursor, &components, "the number of components of an array"));
        PAL_TRY(pal_cursor_int(cursor, &tuples, "the number of tuples of an array"));
        PAL_TRY(read_type(vtk, &storage));
        end_keyword(vtk);
        PAL_TRY(read_array(vtk, name, storage, components, tuples));
    }
    return PAL_OK;
}

static PalStatus read_scalars(Legacy *vtk)
{
    PalCursor *cursor = vtk->cursor;
    int64_t components = 1;
    Storage storage;
    PalToken name = pal_cursor_token(cursor);
    PAL_TRY(read_type(vtk, &storage));
    if (!pal_cursor_at_line_end(cursor))
        PAL_TRY(pal_cursor_int(cursor, &components, "the number of components"));
    pal_cursor_line(cursor);
    if (next_is(vtk, "LOOKUP_TABLE")) {
        pal_cursor_token(cursor);
        pal_cursor_token(cursor);
        end_keyword(vtk);
    }
    return read_array(vtk, name, storage, components, vtk->tuples);
}

// Attributes with a fixed number of components, or one that stands before the type.
static PalStatus read_attribute(Legacy *vtk, int64_t components)
{
    Storage storage;
    PalToken name = pal_cursor_token(vtk->cursor);
    if (components == 0)
        PAL_TRY(pal_cursor_int(vtk->cursor, &components, "the number of components"));
    PAL_TRY(read_type(vtk, &storage));
    end_keyword(vtk);
    return read_array(vtk, name, storage, components, vtk->tuples);
}

// Colours are bytes in binary files and reals in text.
static PalStatus skip_colours(Legacy *vtk, bool table)
{
    int64_t count;
    PalToken name = pal_cursor_token(vtk->cursor);
    PAL_TRY(pal_cursor_int(vtk->cursor, &count, "the number of colour values"));
    end_keyword(vtk);
    Storage storage = {.type = vtk->binary ? PAL_NUMBER_UINT8 : PAL_NUMBER_FLOAT32};
    name.size = 0;
    return read_array(vtk, name, storage, count, table ? 4 : vtk->tuples);
}

static PalStatus start_data(Legacy *vtk, bool on_points)
{
    int64_t tuples;
    int32_t expected = on_points ? vtk->raw->nodes.count : vtk->grid.ends.count;
    pal_cursor_skip_blanks(vtk->cursor);
    const char *where = vtk->cursor->at;
    PAL_TRY(pal_cursor_int(vtk->cursor, &tuples, "the number of tuples"));
    if (tuples != expected)
        return pal_cursor_fail(vtk->cursor, where, "data for %lld %s, expected %d",
                               (long long)tuples, on_points ? "points" : "cells", expected);
    vtk->on_points = on_points;
    vtk->tuples = expected;
    return PAL_OK;
}

static PalStatus read_data_keyword(Legacy *vtk, PalToken word)
{
    static const struct {
        const char *word;
        int64_t components;
    } attributes[] = {
        {"VECTORS", 3},    {"NORMALS", 3},      {"TENSORS", 9},    {"TENSORS6", 6},
        {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}, {"TEXTURE_COORDINATES", 0},
    };
    if (vtk->tuples != PAL_NONE && pal_token_is_like(word, "SCALARS"))
        return read_scalars(vtk);
    if (vtk->tuples != PAL_NONE && pal_token_is_like(word, "COLOR_SCALARS"))
        return skip_colours(vtk, false);
    if (pal_token_is_like(word, "LOOKUP_TABLE"))
        return skip_colours(vtk, true);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i)
        if (vtk->tuples != PAL_NONE && pal_token_is_like(word, attributes[i].word))
            return read_attribute(vtk, attributes[i].components);
    return pal_cursor_fail(vtk->cursor, word.text, "'%s', expected a keyword such as %s",
                           pal_token_quote(word).text, vtk->has_points ? "CELL_DATA" : "POINTS");
}

static PalStatus read_keyword(Legacy *vtk, PalToken word)
{
    static const struct {
        const char *word;
        int64_t type;
    } poly[] = {{"VERTICES", PAL_VTK_POLY_VERTEX},
                {"LINES", PAL_VTK_POLY_LINE},
                {"POLYGONS", PAL_VTK_POLYGON},
                {"TRIANGLE_STRIPS", PAL_VTK_STRIP}};
    for (size_t i = 0; vtk->poly_data && i < 4; ++i)
        if (pal_token_is_like(word, poly[i].word))
            return read_cells(vtk, poly[i].type);
    if (pal_token_is_like(word, "POINTS"))
        return read_points(vtk);
    if (pal_token_is_like(word, "CELLS") && !vtk->poly_data)
        return read_cells(vtk, 0);
    if (pal_token_is_like(word, "CELL_TYPES") && !vtk->poly_data)
        return read_cell_types(vtk);
    if (pal_token_is_like(word, "CELL_DATA") || pal_token_is_like(word, "POINT_DATA"))
        return start_data(vtk, pal_token_is_like(word, "POINT_DATA"));
    if (pal_token_is_like(word, "FIELD"))
        return read_field(vtk);
    if (pal_token_is_like(word, "METADATA")) {
        skip_metadata(vtk);
        return PAL_OK;
    }
    return read_data_keyword(vtk, word);
}

static PalStatus read_head(Legacy *vtk)
{
    static const char magic[] = "# vtk DataFile";
    PalCursor *cursor = vtk->cursor;
    PalToken line = pal_cursor_line(cursor);
    if (line.size < strlen(magic) || memcmp(line.text, magic, strlen(magic)) != 0)
        return pal_cursor_fail(cursor, line.text, "'%s', expected # vtk DataFile Version",
                               pal_token_quote(line).text);
    pal_cursor_line(cursor);
    PalToken word = pal_token_trim(pal_cursor_line(cursor));
    vtk->binary = pal_token_is_like(word, "BINARY");
    if (!vtk->binary && !pal_token_is_like(word, "ASCII"))
        return pal_cursor_fail(cursor, word.text, "'%s', expected ASCII or BINARY",
                               pal_token_quote(word).text);
    cursor->binary = vtk->binary;
    cursor->swap = pal_host_is_little_endian();
    pal_cursor_skip_blanks(cursor);
    word = pal_cursor_token(cursor);
    PalToken kind = pal_cursor_token(cursor);
    vtk->poly_data = pal_token_is_like(kind, "POLYDATA");
    if (!pal_token_is_like(word, "DATASET") ||
        (!vtk->poly_data && !pal_token_is_like(kind, "UNSTRUCTURED_GRID")))
        return pal_cursor_fail(cursor, word.text,
                               "'%s %s', expected DATASET UNSTRUCTURED_GRID or POLYDATA",
                               pal_token_quote(word).text, pal_token_quote(kind).text);
    return PAL_OK;
}

static PalStatus read_all(Legacy *vtk)
{
    PAL_TRY(read_head(vtk));
    for (;;) {
        pal_cursor_skip_blanks(vtk->cursor);
        PalToken word = pal_cursor_token(vtk->cursor);
        if (word.size == 0)
            break;
        PAL_TRY(read_keyword(vtk, word));
    }
    return pal_vtk_finish(&vtk->grid, vtk->raw, vtk->cursor);
}

PalStatus pal_read_vtk_legacy(PalCursor *cursor, PalRawMesh *raw)
{
    Legacy vtk = {.cursor = cursor, .raw = raw, .tuples = PAL_NONE};
    PalStatus status = read_all(&vtk);
    pal_vtk_clear(&vtk.grid);
    return status;
}
