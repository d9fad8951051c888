// VTK's XML files of unstructured grids and polygons. https://docs.vtk.org, "VTK XML formats"
//
// Appended data is no XML, so it is cut out before the rest is read as such.
#include "mesh/readers/vtu.h"
#include "base/memory.h"
#include "mesh/readers/markup.h"
#include "mesh/readers/vtk.h"

#include <string.h>

enum { DEPTH_MAX = 32 };

typedef enum Section {
    NOWHERE,
    POINTS,
    CELLS,
    VERTS,
    LINES,
    STRIPS,
    POLYS,
    POINT_DATA,
    CELL_DATA,
} Section;

static const char *const section_names[] = {"",       "Points", "Cells",     "Verts",   "Lines",
                                            "Strips", "Polys",  "PointData", "CellData"};

// The DataArray that is being read.
typedef struct Array {
    char name[256];
    PalNumberType type;
    int64_t components;
    bool text;
    bool appended;
    int64_t offset;
    int64_t line;
    int32_t depth;  // text of elements inside it is no data
    bool wanted;
} Array;

typedef struct Vtu {
    PalCursor *cursor;
    PalRawMesh *raw;
    PalMarkup *markup;
    bool has_grid, poly_data, has_points;
    int32_t piece_count;              // those that hold anything
    int64_t point_count, cell_count;  // of the piece, by its attributes
    uint64_t decoded;                 // bytes of the numbers that have been decompressed
    int64_t cells_line;
    PalVtuFormat format;
    PalVtuStream appended;
    Section section;
    Array array;
    PAL_ARRAY(char) content;             // of the array
    PalLongs connectivity, ends, types;  // of the section
    PalVtkGrid grid;
} Vtu;

static PalToken attribute(const Vtu *vtu, const char *name)
{
    return pal_markup_attribute(vtu->markup, name);
}

static int64_t int_attribute(const Vtu *vtu, const char *name, int64_t otherwise)
{
    PalToken token = pal_token_trim(attribute(vtu, name));
    int64_t value;
    const char *after = pal_parse_int(token.text, token.text + token.size, &value);
    return after != NULL && after == token.text + token.size ? value : otherwise;
}

// A cursor whose messages name a line of the XML.
static PalCursor at_line(const Vtu *vtu, int64_t line)
{
    PalCursor cursor = *vtu->cursor;
    cursor.begin = cursor.at = cursor.end = "";
    cursor.first_line = line;
    cursor.binary = false;
    return cursor;
}

static PalStatus start_file(Vtu *vtu)
{
    PalCursor here = at_line(vtu, vtu->markup->line);
    PalToken type = attribute(vtu, "type");
    vtu->poly_data = pal_token_is(type, "PolyData");
    if (!vtu->poly_data && !pal_token_is(type, "UnstructuredGrid"))
        return pal_cursor_fail(&here, here.at,
                               "VTKFile of type '%s', expected UnstructuredGrid or PolyData",
                               pal_token_quote(type).text);
    PalToken order = attribute(vtu, "byte_order");
    bool little = !pal_token_is(order, "BigEndian");
    vtu->format.swap = order.size > 0 && little != pal_host_is_little_endian();
    PalToken header = attribute(vtu, "header_type");
    vtu->format.header = pal_token_is(header, "UInt64") ? PAL_NUMBER_UINT64 : PAL_NUMBER_UINT32;
    PalToken compressor = attribute(vtu, "compressor");
    vtu->format.compressed = compressor.size > 0;
    if (vtu->format.compressed && !pal_token_is(compressor, "vtkZLibDataCompressor"))
        return pal_cursor_fail(&here, here.at,
                               "compressed by %s, expected vtkZLibDataCompressor or none",
                               pal_token_quote(compressor).text);
    vtu->has_grid = true;
    return PAL_OK;
}

static PalStatus start_piece(Vtu *vtu)
{
    PalCursor here = at_line(vtu, vtu->markup->line);
    vtu->cell_count = int_attribute(vtu, "NumberOfCells", PAL_NONE);
    int64_t points = vtu->point_count = int_attribute(vtu, "NumberOfPoints", PAL_NONE);
    if (points < 0 || (vtu->cell_count < 0 && !vtu->poly_data))
        return pal_cursor_fail(&here, here.at,
                               "a Piece without its counts, expected NumberOfPoints and "
                               "NumberOfCells");
    if (points > 0 && ++vtu->piece_count > 1)
        return pal_cursor_fail(&here, here.at,
                               "a second Piece, expected one: the pieces would not be connected; "
                               "merge them first");
    return PAL_OK;
}

static bool find_type(PalToken name, PalNumberType *type)
{
    static const char *const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int32_t i = 0; i < 10; ++i) {
        if (!pal_token_is(name, names[i]))
            continue;
        *type = (PalNumberType)i;
        return true;
    }
    return false;
}

static void copy_name(PalToken name, char *buffer, size_t size)
{
    size_t kept = name.size < size - 1 ? name.size : size - 1;
    memcpy(buffer, name.text, kept);
    buffer[kept] = '\0';
}

static bool is_wanted(const Vtu *vtu)
{
    const Array *array = &vtu->array;
    bool label = array->components == 1 && !pal_number_is_real(array->type) && array->name[0] != 0;
    switch (vtu->section) {
    case NOWHERE:
        return false;
    case POINTS:
        return true;
    case POINT_DATA:
    case CELL_DATA:
        return label;
    default:
        return strcmp(array->name, "connectivity") == 0 || strcmp(array->name, "offsets") == 0 ||
               strcmp(array->name, "types") == 0;
    }
}

static PalStatus start_array(Vtu *vtu)
{
    Array *array = &vtu->array;
    *array = (Array){.line = vtu->markup->line, .depth = vtu->markup->depth};
    vtu->content.count = 0;
    copy_name(attribute(vtu, "Name"), array->name, sizeof array->name);
    PalToken type = attribute(vtu, "type"), format = attribute(vtu, "format");
    bool known = find_type(type, &array->type);
    array->components = int_attribute(vtu, "NumberOfComponents", 1);
    array->wanted = is_wanted(vtu);
    bool needed = vtu->section != POINT_DATA && vtu->section != CELL_DATA;
    PalCursor here = at_line(vtu, array->line);
    if (!known) {
        if (array->wanted && needed)
            return pal_cursor_fail(&here, here.at, "values of type '%s', expected Float64 or such",
                                   pal_token_quote(type).text);
        array->wanted = false;
    }
    if (!array->wanted && (vtu->section == POINT_DATA || vtu->section == CELL_DATA))
        pal_raw_skip(vtu->raw, "the array", (PalToken){array->name, strlen(array->name)});
    if (!array->wanted)
        return PAL_OK;
    array->text = pal_token_is(format, "ascii");
    array->appended = pal_token_is(format, "appended");
    array->offset = int_attribute(vtu, "offset", PAL_NONE);
    if (!array->text && !array->appended && !pal_token_is(format, "binary"))
        return pal_cursor_fail(&here, here.at, "format '%s', expected ascii, binary or appended",
                               pal_token_quote(format).text);
    if (array->appended && vtu->appended.at == NULL)
        return pal_cursor_fail(&here, here.at, "appended data, but no AppendedData is there");
    if (array->appended &&
        (array->offset < 0 || array->offset > vtu->appended.end - vtu->appended.at))
        return pal_cursor_fail(&here, here.at,
                               "an offset of %lld, expected 0 to %lld, the size of the appended "
                               "data",
                               (long long)array->offset,
                               (long long)(vtu->appended.end - vtu->appended.at));
    return PAL_OK;
}

// Where the values go: whole numbers to a list, coordinates to the nodes.
typedef struct Sink {
    PalLongs *longs;
    double x[3];
    int32_t filled;
} Sink;

static PalStatus put_double(Vtu *vtu, Sink *sink, const PalCursor *cursor, const char *where,
                            double value)
{
    sink->x[sink->filled++] = value;
    if (sink->filled < 3)
        return PAL_OK;
    sink->filled = 0;
    return pal_raw_add_node(vtu->raw, cursor, where, (PalVec3){sink->x[0], sink->x[1], sink->x[2]});
}

static PalStatus take_text(Vtu *vtu, Sink *sink)
{
    PalCursor cursor = at_line(vtu, vtu->array.line);
    if (vtu->content.count > 0) {
        cursor.begin = cursor.at = vtu->content.items;
        cursor.end = cursor.begin + vtu->content.count;
    }
    for (pal_cursor_skip_blanks(&cursor); cursor.at < cursor.end; pal_cursor_skip_blanks(&cursor)) {
        const char *where = cursor.at;
        if (sink->longs == NULL) {
            double value;
            PAL_TRY(pal_cursor_double(&cursor, &value, "a coordinate"));
            PAL_TRY(put_double(vtu, sink, &cursor, where, value));
            continue;
        }
        int64_t value;
        PAL_TRY(pal_cursor_int(&cursor, &value, "a whole number"));
        if (!pal_array_push(sink->longs, value))
            return pal_cursor_no_memory(&cursor);
    }
    return PAL_OK;
}

static PalStatus take_bytes(Vtu *vtu, Sink *sink, const char *bytes, size_t size)
{
    PalNumberType type = vtu->array.type;
    size_t width = pal_number_size(type), count = size / width;
    PalCursor here = at_line(vtu, vtu->array.line);
    if (count > INT32_MAX || size % width != 0)
        return pal_cursor_fail(&here, here.at, "%zu bytes of data, expected a multiple of %zu",
                               size, width);
    if (sink->longs != NULL && !pal_array_reserve(sink->longs, (int64_t)count))
        return pal_cursor_no_memory(&here);
    for (size_t i = 0; i < count; ++i) {
        const char *at = bytes + i * width;
        if (sink->longs == NULL)
            PAL_TRY(put_double(vtu, sink, &here, here.at,
                               pal_number_get_double(at, type, vtu->format.swap)));
        else
            sink->longs->items[sink->longs->count++] =
                pal_number_get_int(at, type, vtu->format.swap);
    }
    return PAL_OK;
}

// Bytes that the array that has just ended may have. How many corners there are the Piece does not
// say, nor do all files of polygons say how many of those there are.
static uint64_t most_bytes(const Vtu *vtu)
{
    const Array *array = &vtu->array;
    uint64_t width = pal_number_size(array->type);
    bool of_points = vtu->section == POINTS || vtu->section == POINT_DATA;
    bool of_cells = !vtu->poly_data && (vtu->section == CELL_DATA || vtu->section == CELLS) &&
                    array->name[0] != 'c';
    int64_t count = of_points ? vtu->point_count : of_cells ? vtu->cell_count : INT32_MAX;
    if (count > INT32_MAX)
        count = INT32_MAX;
    return (uint64_t)count * width * (vtu->section == POINTS ? 3 : 1);
}

static uint64_t bytes_left(const Vtu *vtu)
{
    uint64_t width = pal_number_size(vtu->array.type);
    uint64_t file = (uint64_t)(vtu->cursor->end - vtu->cursor->begin);
    uint64_t all = PAL_VTU_FREE + PAL_VTU_EXPANSION_MAX * file;
    return all > vtu->decoded ? (all - vtu->decoded) / 8 * width : 0;
}

// The values of the array that has just ended.
static PalStatus take_values(Vtu *vtu, PalLongs *longs)
{
    Sink sink = {.longs = longs};
    if (vtu->array.text) {
        PAL_TRY(take_text(vtu, &sink));
    } else {
        PalVtuStream stream = {.at = "", .base64 = true};
        if (vtu->array.appended) {
            stream = vtu->appended;
            stream.at += vtu->array.offset;
        } else if (vtu->content.count > 0) {
            stream.at = vtu->content.items;
        }
        stream.end = vtu->array.appended ? stream.end : stream.at + vtu->content.count;
        stream.most = most_bytes(vtu);
        stream.left = bytes_left(vtu);
        char *bytes;
        size_t size;
        PAL_TRY(pal_vtu_decode(vtu->cursor, vtu->array.name, &vtu->format, stream, &bytes, &size));
        vtu->decoded += vtu->format.compressed ? size / pal_number_size(vtu->array.type) * 8 : 0;
        PalStatus status = take_bytes(vtu, &sink, bytes, size);
        pal_free(bytes);
        PAL_TRY(status);
    }
    PalCursor here = at_line(vtu, vtu->array.line);
    if (sink.filled != 0)
        return pal_cursor_fail(&here, here.at, "the coordinates end within a point");
    return PAL_OK;
}

static PalStatus end_array(Vtu *vtu)
{
    Array *array = &vtu->array;
    PalCursor here = at_line(vtu, array->line);
    if (!array->wanted)
        return PAL_OK;
    array->wanted = false;
    if (vtu->section == POINTS) {
        if (vtu->has_points || array->components != 3)
            return pal_cursor_fail(&here, here.at,
                                   "expected one array of points with 3 components");
        vtu->has_points = true;
        return take_values(vtu, NULL);
    }
    if (vtu->section == POINT_DATA || vtu->section == CELL_DATA) {
        PalLongs values = {0};
        PalStatus status = take_values(vtu, &values);
        if (status == PAL_OK)
            status = pal_vtk_add_labels(&vtu->grid, vtu->cursor,
                                        (PalToken){array->name, strlen(array->name)},
                                        vtu->section == POINT_DATA, &values);
        pal_array_clear(&values);
        return status;
    }
    PalLongs *list = array->name[0] == 'c'   ? &vtu->connectivity
                     : array->name[0] == 'o' ? &vtu->ends
                                             : &vtu->types;
    if (list->count > 0)
        return pal_cursor_fail(&here, here.at, "a second array '%s', expected one", array->name);
    return take_values(vtu, list);
}

// Adds the cells of a section to the grid.
static PalStatus end_section(Vtu *vtu)
{
    static const int64_t poly_types[] = {[VERTS] = PAL_VTK_POLY_VERTEX,
                                         [LINES] = PAL_VTK_POLY_LINE,
                                         [STRIPS] = PAL_VTK_STRIP,
                                         [POLYS] = PAL_VTK_POLYGON};
    PalVtkGrid *grid = &vtu->grid;
    PalCursor here = at_line(vtu, vtu->markup->line);
    int32_t count = vtu->ends.count, base = grid->connectivity.count;
    if (vtu->section == CELLS && (vtu->types.count != count || vtu->cell_count != count))
        return pal_cursor_fail(&here, here.at,
                               "%d types and %d offsets, expected %lld of each as NumberOfCells "
                               "says",
                               vtu->types.count, count, (long long)vtu->cell_count);
    if (!pal_array_reserve(&grid->types, count) || !pal_array_reserve(&grid->ends, count) ||
        !pal_array_reserve(&grid->connectivity, vtu->connectivity.count))
        return pal_cursor_no_memory(&here);
    for (int32_t c = 0; c < count; ++c) {
        int64_t end = vtu->ends.items[c];
        if (end < 0 || end > vtu->connectivity.count)
            return pal_cursor_fail(&here, here.at, "an offset of %lld, expected 0 to %d",
                                   (long long)end, vtu->connectivity.count);
        grid->ends.items[grid->ends.count++] = base + end;
        grid->types.items[grid->types.count++] =
            vtu->section == CELLS ? vtu->types.items[c] : poly_types[vtu->section];
    }
    for (int32_t i = 0; i < vtu->connectivity.count; ++i)
        grid->connectivity.items[grid->connectivity.count++] = vtu->connectivity.items[i];
    vtu->connectivity.count = vtu->ends.count = vtu->types.count = 0;
    return PAL_OK;
}

static Section find_section(const Vtu *vtu, PalToken name)
{
    for (Section s = POINTS; s <= CELL_DATA; ++s) {
        bool poly = s >= VERTS && s <= POLYS;
        if (pal_token_is(name, section_names[s]) && (s != CELLS || !vtu->poly_data) &&
            (!poly || vtu->poly_data))
            return s;
    }
    return NOWHERE;
}

static void start_section(Vtu *vtu, Section section)
{
    vtu->section = section;
    if (section >= CELLS && section <= POLYS && vtu->cells_line == 0)
        vtu->cells_line = vtu->markup->line;
}

static PalStatus start_element(Vtu *vtu)
{
    PalToken name = vtu->markup->name;
    PalCursor here = at_line(vtu, vtu->markup->line);
    if (vtu->markup->depth > DEPTH_MAX)
        return pal_cursor_fail(&here, here.at, "elements nested deeper than %d", DEPTH_MAX);
    if (vtu->markup->depth == 1 && !pal_token_is(name, "VTKFile"))
        return pal_cursor_fail(&here, here.at, "element <%s>, expected <VTKFile>",
                               pal_token_quote(name).text);
    if (vtu->markup->depth == 1)
        return start_file(vtu);
    if (pal_token_is(name, "Piece"))
        return start_piece(vtu);
    if (pal_token_is(name, "DataArray"))
        return start_array(vtu);
    if (find_section(vtu, name) != NOWHERE)
        start_section(vtu, find_section(vtu, name));
    return PAL_OK;
}

static PalStatus end_element(Vtu *vtu)
{
    PalToken name = vtu->markup->name;
    if (pal_token_is(name, "DataArray"))
        return end_array(vtu);
    if (vtu->section == NOWHERE || !pal_token_is(name, section_names[vtu->section]))
        return PAL_OK;
    PalStatus status = PAL_OK;
    if (vtu->section >= CELLS && vtu->section <= POLYS)
        status = end_section(vtu);
    vtu->section = NOWHERE;
    return status;
}

static PalStatus add_text(Vtu *vtu)
{
    PalToken text = vtu->markup->text;
    if (!vtu->array.wanted || vtu->array.appended || text.size == 0 ||
        vtu->markup->depth != vtu->array.depth)
        return PAL_OK;
    if (text.size > INT32_MAX || !pal_array_reserve(&vtu->content, (int64_t)text.size))
        return pal_cursor_no_memory(vtu->cursor);
    memcpy(vtu->content.items + vtu->content.count, text.text, text.size);
    vtu->content.count += (int32_t)text.size;
    return PAL_OK;
}

static const char *find_text(const char *at, const char *end, const char *text)
{
    size_t size = strlen(text);
    for (; (size_t)(end - at) >= size; ++at) {
        at = memchr(at, text[0], (size_t)(end - at) - size + 1);
        if (at == NULL)
            return NULL;
        if (memcmp(at, text, size) == 0)
            return at;
    }
    return NULL;
}

// Finds appended data: from behind its underscore to the last closing tag. The XML without it is
// [begin, *cut) and [*rest, end).
static PalStatus cut_appended(Vtu *vtu, const char **cut, const char **rest)
{
    static const char closing[] = "</AppendedData";
    const char *begin = vtu->cursor->begin, *end = vtu->cursor->end;
    *cut = *rest = end;
    const char *tag = find_text(begin, end, "<AppendedData");
    if (tag == NULL)
        return PAL_OK;
    const char *close = memchr(tag, '>', (size_t)(end - tag));
    const char *data = close == NULL ? NULL : memchr(close, '_', (size_t)(end - close));
    const char *last = end - (sizeof closing - 1);
    while (data != NULL && last > data && memcmp(last, closing, sizeof closing - 1) != 0)
        --last;
    if (data == NULL || last <= data)
        return pal_cursor_fail(vtu->cursor, tag,
                               "AppendedData without an end, expected _, the data and "
                               "</AppendedData>; the file is cut short");
    *cut = close + 1;
    *rest = last;
    vtu->appended.at = data + 1;
    vtu->appended.end = last;
    vtu->appended.base64 = find_text(tag, close, "base64") != NULL;
    return PAL_OK;
}

static PalStatus take_piece(Vtu *vtu)
{
    PalCursor here = at_line(vtu, vtu->markup->line);
    switch (vtu->markup->kind) {
    case PAL_MARKUP_OPEN:
        return start_element(vtu);
    case PAL_MARKUP_CLOSE:
        return end_element(vtu);
    case PAL_MARKUP_TEXT:
        return add_text(vtu);
    case PAL_MARKUP_DOCUMENT_TYPE:
        return pal_cursor_fail(&here, here.at, "a <!DOCTYPE, expected none in a VTK file");
    default:
        return PAL_OK;
    }
}

static PalStatus parse_xml(Vtu *vtu, const char *text, size_t size)
{
    PalMarkup markup;
    vtu->markup = &markup;
    PalStatus status = pal_markup_init(&markup, text, size), taken = PAL_OK;
    while (status == PAL_OK && taken == PAL_OK) {
        status = pal_markup_next(&markup);
        if (status == PAL_OK && markup.kind == PAL_MARKUP_FINISH)
            break;
        if (status == PAL_OK)
            taken = take_piece(vtu);
    }
    PalCursor here = at_line(vtu, markup.trouble_line);
    if (status == PAL_NO_MEMORY)
        status = pal_cursor_no_memory(vtu->cursor);
    else if (status != PAL_OK)
        status = pal_cursor_fail(&here, here.at, "not well-formed XML: %s", markup.trouble);
    pal_markup_clear(&markup);
    vtu->markup = NULL;
    return taken != PAL_OK ? taken : status;
}

static PalStatus parse_parts(Vtu *vtu)
{
    const char *cut, *rest, *begin = vtu->cursor->begin;
    PAL_TRY(cut_appended(vtu, &cut, &rest));
    size_t head = (size_t)(cut - begin), tail = (size_t)(vtu->cursor->end - rest);
    if (tail == 0)
        return parse_xml(vtu, begin, head);
    char *text = pal_alloc(head + tail, 1);
    if (text == NULL)
        return pal_cursor_no_memory(vtu->cursor);
    memcpy(text, begin, head);
    memcpy(text + head, rest, tail);
    PalStatus status = parse_xml(vtu, text, head + tail);
    pal_free(text);
    return status;
}

static PalStatus read_all(Vtu *vtu)
{
    PAL_TRY(parse_parts(vtu));
    PalCursor cells = at_line(vtu, vtu->cells_line);
    vtu->grid.where = vtu->cells_line > 0 ? cells.at : NULL;
    return pal_vtk_finish(&vtu->grid, vtu->raw, &cells);
}

PalStatus pal_read_vtu(PalCursor *cursor, PalRawMesh *raw)
{
    Vtu vtu = {.cursor = cursor, .raw = raw};
    PalStatus status = read_all(&vtu);
    pal_array_clear(&vtu.content);
    pal_array_clear(&vtu.connectivity);
    pal_array_clear(&vtu.ends);
    pal_array_clear(&vtu.types);
    pal_vtk_clear(&vtu.grid);
    return status;
}
