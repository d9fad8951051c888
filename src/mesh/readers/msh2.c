#include "mesh/readers/msh.h"

static PalStatus read_count(PalMsh *msh, int32_t *count, size_t size, const char *what)
{
    PalCursor *cursor = msh->cursor;
    int64_t value;
    pal_cursor_skip_blanks(cursor);
    const char *where = cursor->at;
    PAL_TRY(pal_cursor_int(cursor, &value, what));
    if (msh->binary)
        pal_cursor_line(cursor);
    PAL_TRY(pal_cursor_check_count(cursor, where, value, size, what));
    *count = (int32_t)value;
    return PAL_OK;
}

PalStatus pal_msh2_nodes(PalMsh *msh)
{
    PalCursor *cursor = msh->cursor;
    int32_t count;
    PAL_TRY(read_count(msh, &count, msh->binary ? 28 : 8, "the number of nodes"));
    for (int32_t n = 0; n < count; ++n) {
        int64_t id;
        PalVec3 x;
        if (msh->binary) {
            const char *bytes;
            PAL_TRY(pal_cursor_bytes(cursor, 28, &bytes, "a node"));
            id = pal_number_get_int(bytes, PAL_NUMBER_INT32, cursor->swap);
            x.x = pal_number_get_double(bytes + 4, PAL_NUMBER_FLOAT64, cursor->swap);
            x.y = pal_number_get_double(bytes + 12, PAL_NUMBER_FLOAT64, cursor->swap);
            x.z = pal_number_get_double(bytes + 20, PAL_NUMBER_FLOAT64, cursor->swap);
            PAL_TRY(pal_id_map_add(&msh->nodes, cursor, id, bytes));
            PAL_TRY(pal_raw_add_node(msh->raw, cursor, bytes, x));
            continue;
        }
        pal_cursor_skip_blanks(cursor);
        const char *where = cursor->at;
        PAL_TRY(pal_cursor_int(cursor, &id, "the number of a node"));
        PAL_TRY(pal_cursor_double(cursor, &x.x, "the x of a node"));
        PAL_TRY(pal_cursor_double(cursor, &x.y, "the y of a node"));
        PAL_TRY(pal_cursor_double(cursor, &x.z, "the z of a node"));
        PAL_TRY(pal_id_map_add(&msh->nodes, cursor, id, where));
        PAL_TRY(pal_raw_add_node(msh->raw, cursor, where, x));
    }
    return PAL_OK;
}

static PalStatus add_element(PalMsh *msh, const PalMshType *type, const int64_t *ids,
                             int64_t physical, const char *where)
{
    int32_t cell, group;
    PAL_TRY(pal_msh_add_cell(msh, type, ids, where, &cell));
    if (physical == 0)
        return PAL_OK;
    PAL_TRY(pal_msh_group(msh, type->dimension, physical < 0 ? -physical : physical, &group));
    for (int32_t k = 0; k < type->piece_count; ++k)
        PAL_TRY(pal_raw_join(&msh->raw->members[type->kind], msh->cursor, group, cell + k));
    return PAL_OK;
}

static PalStatus read_text_element(PalMsh *msh)
{
    PalCursor *cursor = msh->cursor;
    int64_t number, type_number, tag_count, physical = 0, ids[PAL_MSH_NODE_MAX];
    pal_cursor_skip_blanks(cursor);
    const char *where = cursor->at;
    PAL_TRY(pal_cursor_int(cursor, &number, "the number of an element"));
    PAL_TRY(pal_cursor_int(cursor, &type_number, "the type of an element"));
    PalMshType type;
    if (!pal_msh_type(type_number, &type) || type.kind == PAL_RAW_OTHER) {
        pal_msh_note_unfit(msh, where, type_number);
        pal_cursor_line(cursor);
        return PAL_OK;
    }
    PAL_TRY(pal_cursor_int(cursor, &tag_count, "the number of tags of an element"));
    for (int64_t i = 0; i < tag_count; ++i) {
        int64_t tag;
        PAL_TRY(pal_cursor_int(cursor, &tag, "a tag of an element"));
        physical = i == 0 ? tag : physical;
    }
    for (int32_t a = 0; a < type.node_count; ++a)
        PAL_TRY(pal_cursor_int(cursor, &ids[a], "a corner of an element"));
    return add_element(msh, &type, ids, physical, where);
}

// A header and the elements that share it. Returns how many in *count.
static PalStatus read_binary_block(PalMsh *msh, int64_t *count)
{
    PalCursor *cursor = msh->cursor;
    int64_t type_number, tag_count, ids[PAL_MSH_NODE_MAX];
    const char *where = cursor->at, *bytes;
    PAL_TRY(pal_cursor_get_int(cursor, PAL_NUMBER_INT32, &type_number, "an element type"));
    PAL_TRY(pal_cursor_get_int(cursor, PAL_NUMBER_INT32, count, "a number of elements"));
    PAL_TRY(pal_cursor_get_int(cursor, PAL_NUMBER_INT32, &tag_count, "a number of tags"));
    PalMshType type;
    if (!pal_msh_type(type_number, &type) || type.node_count == 0)
        return pal_cursor_fail(cursor, where,
                               "element type %lld, expected one with a fixed number of nodes",
                               (long long)type_number);
    PAL_TRY(pal_cursor_check_count(cursor, where, tag_count, 4, "the number of tags"));
    size_t size = 4 * (1 + (size_t)tag_count + (size_t)type.node_count);
    PAL_TRY(pal_cursor_check_count(cursor, where, *count, size, "a number of elements"));
    if (type.kind == PAL_RAW_OTHER) {
        pal_msh_note_unfit(msh, where, type_number);
        return pal_cursor_bytes(cursor, (size_t)*count * size, &bytes, "elements");
    }
    for (int64_t e = 0; e < *count; ++e) {
        PAL_TRY(pal_cursor_bytes(cursor, size, &bytes, "an element"));
        int64_t physical = 0;
        if (tag_count > 0)
            physical = pal_number_get_int(bytes + 4, PAL_NUMBER_INT32, cursor->swap);
        const char *corners = bytes + 4 * (1 + (size_t)tag_count);
        for (int32_t a = 0; a < type.node_count; ++a)
            ids[a] = pal_number_get_int(corners + 4 * a, PAL_NUMBER_INT32, cursor->swap);
        PAL_TRY(add_element(msh, &type, ids, physical, bytes));
    }
    return PAL_OK;
}

PalStatus pal_msh2_elements(PalMsh *msh)
{
    int32_t count;
    PAL_TRY(read_count(msh, &count, msh->binary ? 8 : 6, "the number of elements"));
    if (!msh->binary) {
        for (int32_t e = 0; e < count; ++e)
            PAL_TRY(read_text_element(msh));
        return PAL_OK;
    }
    for (int64_t e = 0; e < count;) {
        int64_t part;
        const char *where = msh->cursor->at;
        PAL_TRY(read_binary_block(msh, &part));
        if (part == 0 || part > count - e)
            return pal_cursor_fail(msh->cursor, where,
                                   "a block of %lld elements, expected 1 to %lld", (long long)part,
                                   (long long)(count - e));
        e += part;
    }
    return PAL_OK;
}
