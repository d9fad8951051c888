// The grammar is the same in text and binary files; only the way a number is stored differs.
#include "mesh/readers/msh.h"

static PalStatus read_int(PalMsh *msh, int64_t *value, const char *what)
{
    if (msh->binary)
        return pal_cursor_get_int(msh->cursor, PAL_NUMBER_INT32, value, what);
    return pal_cursor_int(msh->cursor, value, what);
}

static PalNumberType size_type(const PalMsh *msh)
{
    return msh->long_sizes ? PAL_NUMBER_UINT64 : PAL_NUMBER_UINT32;
}

static PalStatus read_size(PalMsh *msh, int64_t *value, const char *what)
{
    if (msh->binary)
        return pal_cursor_get_int(msh->cursor, size_type(msh), value, what);
    return pal_cursor_int(msh->cursor, value, what);
}

// A count of things with `ints`, `sizes` and `doubles` numbers each.
static PalStatus read_count(PalMsh *msh, int32_t *count, const size_t numbers[3], const char *what)
{
    if (!msh->binary)
        pal_cursor_skip_blanks(msh->cursor);
    const char *where = msh->cursor->at;
    int64_t value;
    PAL_TRY(read_size(msh, &value, what));
    size_t size = 2 * (numbers[0] + numbers[1] + numbers[2]);
    if (msh->binary)
        size = 4 * numbers[0] + (msh->long_sizes ? 8 : 4) * numbers[1] + 8 * numbers[2];
    PAL_TRY(pal_cursor_check_count(msh->cursor, where, value, size, what));
    *count = (int32_t)value;
    return PAL_OK;
}

static PalStatus skip_doubles(PalMsh *msh, int32_t count)
{
    const char *bytes;
    double value;
    if (msh->binary)
        return pal_cursor_bytes(msh->cursor, 8 * (size_t)count, &bytes, "an entity");
    for (int32_t i = 0; i < count; ++i)
        PAL_TRY(pal_cursor_double(msh->cursor, &value, "a coordinate of an entity"));
    return PAL_OK;
}

static PalStatus skip_int_list(PalMsh *msh, const char *what)
{
    int32_t count;
    int64_t value;
    PAL_TRY(read_count(msh, &count, (const size_t[]){1, 0, 0}, what));
    for (int32_t i = 0; i < count; ++i)
        PAL_TRY(read_int(msh, &value, what));
    return PAL_OK;
}

static PalStatus read_entity(PalMsh *msh, int64_t dimension, bool partitioned)
{
    int64_t tag, parent;
    PAL_TRY(read_int(msh, &tag, "the tag of an entity"));
    if (partitioned) {
        PAL_TRY(read_int(msh, &parent, "the dimension of a parent entity"));
        PAL_TRY(read_int(msh, &parent, "the tag of a parent entity"));
        PAL_TRY(skip_int_list(msh, "the partitions of an entity"));
    }
    PAL_TRY(skip_doubles(msh, dimension == 0 ? 3 : 6));
    int32_t count;
    PAL_TRY(read_count(msh, &count, (const size_t[]){1, 0, 0}, "the number of physical tags"));
    for (int32_t i = 0; i < count; ++i) {
        int64_t physical;
        PAL_TRY(read_int(msh, &physical, "a physical tag"));
        if (physical == 0)
            continue;  // names nothing, as in version 2
        PalMshTag member = {dimension, tag, PAL_NONE};
        // a negative tag means the reversed entity
        PAL_TRY(pal_msh_group(msh, dimension, physical < 0 ? -physical : physical, &member.group));
        if (!pal_array_push(&msh->entities, member))
            return pal_cursor_no_memory(msh->cursor);
    }
    return dimension == 0 ? PAL_OK : skip_int_list(msh, "the boundary of an entity");
}

PalStatus pal_msh4_entities(PalMsh *msh, bool partitioned)
{
    int32_t counts[4], ghost_count;
    int64_t value;
    if (partitioned) {
        PAL_TRY(read_size(msh, &value, "the number of partitions"));
        PAL_TRY(read_count(msh, &ghost_count, (const size_t[]){2, 0, 0}, "the number of ghosts"));
        for (int64_t i = 0; i < 2 * (int64_t)ghost_count; ++i)
            PAL_TRY(read_int(msh, &value, "a ghost entity"));
    }
    for (int32_t d = 0; d < 4; ++d)
        PAL_TRY(read_count(msh, &counts[d], (const size_t[]){1, 1, 3}, "the number of entities"));
    for (int32_t d = 0; d < 4; ++d)
        for (int32_t i = 0; i < counts[d]; ++i)
            PAL_TRY(read_entity(msh, d, partitioned));
    pal_msh_tags_sort(&msh->entities);
    return PAL_OK;
}

static PalStatus read_position(PalMsh *msh, int32_t parameters)
{
    PalCursor *cursor = msh->cursor;
    const char *where;
    PalVec3 x;
    if (msh->binary) {
        PAL_TRY(pal_cursor_bytes(cursor, 8 * (3 + (size_t)parameters), &where, "a node"));
        x.x = pal_number_get_double(where, PAL_NUMBER_FLOAT64, cursor->swap);
        x.y = pal_number_get_double(where + 8, PAL_NUMBER_FLOAT64, cursor->swap);
        x.z = pal_number_get_double(where + 16, PAL_NUMBER_FLOAT64, cursor->swap);
        return pal_raw_add_node(msh->raw, cursor, where, x);
    }
    pal_cursor_skip_blanks(cursor);
    where = cursor->at;
    PAL_TRY(pal_cursor_double(cursor, &x.x, "the x of a node"));
    PAL_TRY(pal_cursor_double(cursor, &x.y, "the y of a node"));
    PAL_TRY(pal_cursor_double(cursor, &x.z, "the z of a node"));
    PAL_TRY(skip_doubles(msh, parameters));
    return pal_raw_add_node(msh->raw, cursor, where, x);
}

static PalStatus read_node_block(PalMsh *msh)
{
    int64_t dimension, tag, parametric, id;
    int32_t count;
    if (!msh->binary)
        pal_cursor_skip_blanks(msh->cursor);
    const char *block = msh->cursor->at;
    PAL_TRY(read_int(msh, &dimension, "the dimension of a block of nodes"));
    PAL_TRY(read_int(msh, &tag, "the entity of a block of nodes"));
    PAL_TRY(read_int(msh, &parametric, "whether a block of nodes is parametric"));
    if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1)
        return pal_cursor_fail(msh->cursor, block,
                               "a block of nodes of dimension %lld, parametric %lld; expected "
                               "0 to 3 and 0 or 1",
                               (long long)dimension, (long long)parametric);
    PAL_TRY(read_count(msh, &count, (const size_t[]){0, 1, 3}, "the number of nodes of a block"));
    for (int32_t n = 0; n < count; ++n) {
        if (!msh->binary)
            pal_cursor_skip_blanks(msh->cursor);
        const char *where = msh->cursor->at;
        PAL_TRY(read_size(msh, &id, "the number of a node"));
        PAL_TRY(pal_id_map_add(&msh->nodes, msh->cursor, id, where));
    }
    for (int32_t n = 0; n < count; ++n)
        PAL_TRY(read_position(msh, parametric == 1 ? (int32_t)dimension : 0));
    return PAL_OK;
}

// Number of blocks, and three numbers that say nothing new.
static PalStatus read_section_head(PalMsh *msh, int32_t *block_count)
{
    int64_t value;
    PAL_TRY(read_count(msh, block_count, (const size_t[]){3, 1, 0}, "the number of blocks"));
    for (int32_t i = 0; i < 3; ++i)
        PAL_TRY(read_size(msh, &value, "the total, lowest and highest number"));
    return PAL_OK;
}

PalStatus pal_msh4_nodes(PalMsh *msh)
{
    int32_t block_count;
    PAL_TRY(read_section_head(msh, &block_count));
    for (int32_t i = 0; i < block_count; ++i)
        PAL_TRY(read_node_block(msh));
    return PAL_OK;
}

static PalStatus skip_elements(PalMsh *msh, const PalMshType *type, int32_t count)
{
    PalCursor *cursor = msh->cursor;
    if (msh->binary) {
        size_t size = (1 + (size_t)type->node_count) * pal_number_size(size_type(msh));
        const char *bytes;
        return pal_cursor_bytes(cursor, (size_t)count * size, &bytes, "elements");
    }
    for (int32_t e = 0; e < count; ++e) {
        pal_cursor_skip_blanks(cursor);
        pal_cursor_line(cursor);
    }
    return PAL_OK;
}

// The physical groups of an entity: entities.items[first] .. items[last - 1].
static PalStatus find_groups(const PalMsh *msh, int64_t dimension, int64_t entity, int32_t *first,
                             int32_t *last)
{
    enum { MOST = 256 };  // keeps elements times groups from growing without bounds
    const PalMshTags *tags = &msh->entities;
    *first = *last = pal_msh_tags_find(tags, dimension, entity);
    while (*last < tags->count && tags->items[*last].dimension == dimension &&
           tags->items[*last].tag == entity)
        ++*last;
    if (*last - *first > MOST)
        return pal_cursor_fail(msh->cursor, NULL,
                               "an entity has %d physical groups, expected at most %d",
                               *last - *first, MOST);
    return PAL_OK;
}

static PalStatus read_elements(PalMsh *msh, const PalMshType *type, int32_t count, int64_t entity)
{
    int32_t first, last;
    PAL_TRY(find_groups(msh, type->dimension, entity, &first, &last));
    PalMembers *members = &msh->raw->members[type->kind];
    for (int32_t e = 0; e < count; ++e) {
        int64_t number, ids[PAL_MSH_NODE_MAX];
        int32_t cell;
        if (!msh->binary)
            pal_cursor_skip_blanks(msh->cursor);
        const char *where = msh->cursor->at;
        PAL_TRY(read_size(msh, &number, "the number of an element"));
        for (int32_t a = 0; a < type->node_count; ++a)
            PAL_TRY(read_size(msh, &ids[a], "a corner of an element"));
        PAL_TRY(pal_msh_add_cell(msh, type, ids, where, &cell));
        for (int32_t i = first; i < last; ++i)
            for (int32_t k = 0; k < type->piece_count; ++k)
                PAL_TRY(pal_raw_join(members, msh->cursor, msh->entities.items[i].group, cell + k));
    }
    return PAL_OK;
}

PalStatus pal_msh4_elements(PalMsh *msh)
{
    int32_t block_count, count;
    PAL_TRY(read_section_head(msh, &block_count));
    for (int32_t i = 0; i < block_count; ++i) {
        int64_t dimension, entity, number;
        if (!msh->binary)
            pal_cursor_skip_blanks(msh->cursor);
        const char *where = msh->cursor->at;
        PAL_TRY(read_int(msh, &dimension, "the dimension of a block of elements"));
        PAL_TRY(read_int(msh, &entity, "the entity of a block of elements"));
        PAL_TRY(read_int(msh, &number, "the type of a block of elements"));
        PalMshType type = {.kind = PAL_RAW_OTHER};
        bool known = pal_msh_type(number, &type);
        if (msh->binary && (!known || type.node_count == 0))
            return pal_cursor_fail(msh->cursor, where,
                                   "element type %lld, expected one with a fixed number of nodes",
                                   (long long)number);
        const size_t numbers[3] = {0, 1 + (size_t)type.node_count, 0};
        PAL_TRY(read_count(msh, &count, numbers, "the number of elements of a block"));
        if (type.kind != PAL_RAW_OTHER) {
            PAL_TRY(read_elements(msh, &type, count, entity));
            continue;
        }
        if (count > 0)
            pal_msh_note_unfit(msh, where, number);
        PAL_TRY(skip_elements(msh, &type, count));
    }
    return PAL_OK;
}
