// PLY, text and binary of either byte order. Of all elements, the x y z of "vertex" and the list
// of corners of "face" are used.
#include "mesh/readers/raw.h"

#include <string.h>

typedef enum Use {
    UNUSED,
    X,
    Y,
    Z,
    CORNERS,
} Use;

typedef struct Property {
    PalNumberType type;
    PalNumberType count_type;
    bool list;
    Use use;
} Property;

typedef struct Element {
    bool vertices, faces;
    int64_t count;
    const char *where;
    int32_t first, end;  // properties
} Element;

typedef struct Ply {
    PalCursor *cursor;
    PalRawMesh *raw;
    bool binary;
    PAL_ARRAY(Element) elements;
    PAL_ARRAY(Property) properties;
    PalLongs corners;                // of all faces: how many, and which
    PAL_ARRAY(const char *) places;  // of all faces
    PalInts face;
} Ply;

static PalStatus find_type(Ply *ply, PalNumberType *type)
{
    static const struct {
        const char *name;
        PalNumberType type;
    } types[] = {
        {"char", PAL_NUMBER_INT8},      {"int8", PAL_NUMBER_INT8},
        {"uchar", PAL_NUMBER_UINT8},    {"uint8", PAL_NUMBER_UINT8},
        {"short", PAL_NUMBER_INT16},    {"int16", PAL_NUMBER_INT16},
        {"ushort", PAL_NUMBER_UINT16},  {"uint16", PAL_NUMBER_UINT16},
        {"int", PAL_NUMBER_INT32},      {"int32", PAL_NUMBER_INT32},
        {"uint", PAL_NUMBER_UINT32},    {"uint32", PAL_NUMBER_UINT32},
        {"int64", PAL_NUMBER_INT64},    {"uint64", PAL_NUMBER_UINT64},
        {"float", PAL_NUMBER_FLOAT32},  {"float32", PAL_NUMBER_FLOAT32},
        {"double", PAL_NUMBER_FLOAT64}, {"float64", PAL_NUMBER_FLOAT64},
    };
    PalToken name = pal_cursor_token(ply->cursor);
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        if (!pal_token_is(name, types[i].name))
            continue;
        *type = types[i].type;
        return PAL_OK;
    }
    return pal_cursor_fail(ply->cursor, name.text, "type '%s', expected one such as float or int",
                           pal_token_quote(name).text);
}

static PalStatus read_format(Ply *ply)
{
    PalCursor *cursor = ply->cursor;
    PalToken format = pal_cursor_token(cursor);
    bool big = pal_token_is(format, "binary_big_endian");
    ply->binary = big || pal_token_is(format, "binary_little_endian");
    if (!ply->binary && !pal_token_is(format, "ascii"))
        return pal_cursor_fail(cursor, format.text,
                               "format '%s', expected ascii, binary_little_endian or "
                               "binary_big_endian",
                               pal_token_quote(format).text);
    cursor->swap = big == pal_host_is_little_endian();
    return PAL_OK;
}

static PalStatus read_element(Ply *ply)
{
    PalCursor *cursor = ply->cursor;
    PalToken name = pal_cursor_token(cursor);
    Element element = {.where = name.text,
                       .first = ply->properties.count,
                       .end = ply->properties.count,
                       .vertices = pal_token_is(name, "vertex"),
                       .faces = pal_token_is(name, "face")};
    PAL_TRY(pal_cursor_int(cursor, &element.count, "the number of elements"));
    return pal_array_push(&ply->elements, element) ? PAL_OK : pal_cursor_no_memory(cursor);
}

static PalStatus read_property(Ply *ply, const char *where)
{
    PalCursor *cursor = ply->cursor;
    if (ply->elements.count == 0)
        return pal_cursor_fail(cursor, where, "a property, expected an element before it");
    Element *element = &ply->elements.items[ply->elements.count - 1];
    Property property = {.use = UNUSED};
    PalCursor ahead = *cursor;
    if (pal_token_is(pal_cursor_token(&ahead), "list")) {
        *cursor = ahead;
        property.list = true;
        PAL_TRY(find_type(ply, &property.count_type));
        if (pal_number_is_real(property.count_type))
            return pal_cursor_fail(cursor, where,
                                   "a list whose length is a real number, expected a whole number");
    }
    PAL_TRY(find_type(ply, &property.type));
    PalToken name = pal_cursor_token(cursor);
    if (element->vertices && !property.list && name.size == 1 && *name.text >= 'x' &&
        *name.text <= 'z')
        property.use = (Use)(X + (*name.text - 'x'));
    bool corners = pal_token_is(name, "vertex_indices") || pal_token_is(name, "vertex_index");
    if (element->faces && property.list && corners) {
        if (pal_number_is_real(property.type))
            return pal_cursor_fail(cursor, where,
                                   "corners that are real numbers, expected whole numbers");
        property.use = CORNERS;
    }
    if (property.use == UNUSED)
        pal_raw_skip(ply->raw, "the property", name);
    if (!pal_array_push(&ply->properties, property))
        return pal_cursor_no_memory(cursor);
    element->end = ply->properties.count;
    return PAL_OK;
}

static PalStatus read_head(Ply *ply)
{
    PalCursor *cursor = ply->cursor;
    PalToken word = pal_cursor_token(cursor);
    if (!pal_token_is(word, "ply"))
        return pal_cursor_fail(cursor, word.text, "'%s', expected 'ply'",
                               pal_token_quote(word).text);
    for (;;) {
        pal_cursor_skip_blanks(cursor);
        word = pal_cursor_token(cursor);
        if (pal_token_is(word, "format"))
            PAL_TRY(read_format(ply));
        else if (pal_token_is(word, "element"))
            PAL_TRY(read_element(ply));
        else if (pal_token_is(word, "property"))
            PAL_TRY(read_property(ply, word.text));
        else if (pal_token_is(word, "end_header"))
            break;
        else if (!pal_token_is(word, "comment") && !pal_token_is(word, "obj_info"))
            return pal_cursor_fail(cursor, word.text,
                                   "'%s' in the header, expected element, property or end_header",
                                   pal_token_quote(word).text);
        pal_cursor_line(cursor);
    }
    pal_cursor_line(cursor);
    cursor->binary = ply->binary;
    return PAL_OK;
}

static PalStatus get_int(Ply *ply, PalNumberType type, int64_t *value, const char *what)
{
    if (ply->binary)
        return pal_cursor_get_int(ply->cursor, type, value, what);
    return pal_cursor_int(ply->cursor, value, what);
}

static PalStatus get_double(Ply *ply, PalNumberType type, double *value)
{
    if (!ply->binary)
        return pal_cursor_double(ply->cursor, value, "a number");
    const char *bytes;
    PAL_TRY(pal_cursor_bytes(ply->cursor, pal_number_size(type), &bytes, "a number"));
    *value = pal_number_get_double(bytes, type, ply->cursor->swap);
    return PAL_OK;
}

// Faces may come before vertices, so their corners are kept until the end.
static PalStatus read_list(Ply *ply, const Property *property)
{
    PalCursor *cursor = ply->cursor;
    int64_t count, value;
    if (!ply->binary)
        pal_cursor_skip_blanks(cursor);
    const char *where = cursor->at;
    PAL_TRY(get_int(ply, property->count_type, &count, "the length of a list"));
    size_t size = ply->binary ? pal_number_size(property->type) : 2;
    PAL_TRY(pal_cursor_check_count(cursor, where, count, size, "the length of a list"));
    bool keep = property->use == CORNERS;
    if (keep &&
        (!pal_array_reserve(&ply->corners, count + 1) || !pal_array_push(&ply->places, where)))
        return pal_cursor_no_memory(cursor);
    if (keep)
        ply->corners.items[ply->corners.count++] = count;
    if (!keep && ply->binary) {
        const char *bytes;
        return pal_cursor_bytes(cursor, (size_t)count * size, &bytes, "a list");
    }
    for (int64_t i = 0; i < count; ++i) {
        if (!keep) {
            pal_cursor_token(cursor);
            continue;
        }
        PAL_TRY(get_int(ply, property->type, &value, "a corner of a face"));
        ply->corners.items[ply->corners.count++] = value;
    }
    return PAL_OK;
}

static PalStatus read_instance(Ply *ply, const Element *element)
{
    PalCursor *cursor = ply->cursor;
    double x[5] = {0};
    if (!ply->binary)
        pal_cursor_skip_blanks(cursor);
    const char *where = cursor->at;
    for (int32_t p = element->first; p < element->end; ++p) {
        const Property *property = &ply->properties.items[p];
        if (property->list)
            PAL_TRY(read_list(ply, property));
        else
            PAL_TRY(get_double(ply, property->type, &x[property->use]));
    }
    if (!element->vertices)
        return PAL_OK;
    return pal_raw_add_node(ply->raw, cursor, where, (PalVec3){x[X], x[Y], x[Z]});
}

static PalStatus check_element(const Ply *ply, const Element *element)
{
    int32_t uses[5] = {0};
    size_t size = 0;
    for (int32_t p = element->first; p < element->end; ++p) {
        const Property *property = &ply->properties.items[p];
        ++uses[property->use];
        PalNumberType type = property->list ? property->count_type : property->type;
        size += ply->binary ? pal_number_size(type) : 2;
    }
    if (element->vertices && (uses[X] != 1 || uses[Y] != 1 || uses[Z] != 1))
        return pal_cursor_fail(ply->cursor, element->where,
                               "vertices without coordinates, expected the properties x, y and z");
    if (element->faces && uses[CORNERS] != 1)
        return pal_cursor_fail(ply->cursor, element->where,
                               "faces without corners, expected one list vertex_indices");
    return pal_cursor_check_count(ply->cursor, element->where, element->count, size,
                                  "the number of elements");
}

static PalStatus add_faces(Ply *ply)
{
    const PalLongs *list = &ply->corners;
    int32_t face = 0;
    for (int32_t i = 0; i < list->count; ++face) {
        int64_t count = list->items[i++];
        ply->face.count = 0;
        if (count < 3)
            return pal_cursor_fail(ply->cursor, ply->places.items[face],
                                   "face %d has %lld corners, expected 3 or more", face,
                                   (long long)count);
        if (!pal_array_reserve(&ply->face, count))
            return pal_cursor_no_memory(ply->cursor);
        for (int64_t a = 0; a < count; ++a, ++i) {
            if (list->items[i] < 0 || list->items[i] >= ply->raw->nodes.count)
                return pal_cursor_fail(ply->cursor, ply->places.items[face],
                                       "face %d has the corner %lld, expected 0 to %d", face,
                                       (long long)list->items[i], ply->raw->nodes.count - 1);
            ply->face.items[ply->face.count++] = (int32_t)list->items[i];
        }
        PAL_TRY(pal_raw_add_polygon(ply->raw, ply->cursor, ply->face.items, ply->face.count));
    }
    return PAL_OK;
}

static PalStatus read_all(Ply *ply)
{
    PAL_TRY(read_head(ply));
    for (int32_t i = 0; i < ply->elements.count; ++i) {
        const Element *element = &ply->elements.items[i];
        PAL_TRY(check_element(ply, element));
        if (element->first == element->end)
            continue;
        for (int64_t k = 0; k < element->count; ++k)
            PAL_TRY(read_instance(ply, element));
    }
    return add_faces(ply);
}

PalStatus pal_read_ply(PalCursor *cursor, PalRawMesh *raw)
{
    Ply ply = {.cursor = cursor, .raw = raw};
    PalStatus status = read_all(&ply);
    pal_array_clear(&ply.elements);
    pal_array_clear(&ply.properties);
    pal_array_clear(&ply.corners);
    pal_array_clear(&ply.places);
    pal_array_clear(&ply.face);
    return status;
}
