// MSH 2.2 and 4.1: the header, the sections, physical names. https://gmsh.info/doc, "MSH file
// format"
#include "mesh/readers/msh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_tags(const void *left, const void *right)
{
    const PalMshTag *a = left, *b = right;
    if (a->dimension != b->dimension)
        return a->dimension < b->dimension ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

void pal_msh_tags_sort(PalMshTags *tags)
{
    if (tags->count > 1)
        qsort(tags->items, (size_t)tags->count, sizeof *tags->items, compare_tags);
}

int32_t pal_msh_tags_find(const PalMshTags *tags, int64_t dimension, int64_t tag)
{
    const PalMshTag wanted = {dimension, tag, PAL_NONE};
    int32_t low = 0, high = tags->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (compare_tags(&tags->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found =
        low < tags->count && tags->items[low].dimension == dimension && tags->items[low].tag == tag;
    return found ? low : tags->count;
}

PalStatus pal_msh_group(PalMsh *msh, int64_t dimension, int64_t tag, int32_t *group)
{
    int32_t i = pal_msh_tags_find(&msh->names, dimension, tag);
    if (i < msh->names.count) {
        *group = msh->names.items[i].group;
        return PAL_OK;
    }
    char name[48];
    snprintf(name, sizeof name, "physical-%lld", (long long)tag);
    return pal_raw_group(msh->raw, msh->cursor, (PalToken){name, strlen(name)}, group);
}

PalStatus pal_msh_add_cell(PalMsh *msh, const PalMshType *type, const int64_t *ids,
                           const char *where, int32_t *cell)
{
    int32_t nodes[PAL_MSH_NODE_MAX];
    for (int32_t a = 0; a < type->node_count; ++a) {
        nodes[a] = pal_id_map_find(&msh->nodes, ids[a]);
        if (nodes[a] == PAL_NONE)
            return pal_cursor_fail(msh->cursor, where,
                                   "an element has the corner %lld, expected the number of a node "
                                   "in $Nodes",
                                   (long long)ids[a]);
    }
    if (type->kind == PAL_RAW_QUADRATIC_TETRAHEDRON) {  // Gmsh's edges 23 and 13 are ours 13 and 23
        int32_t kept = nodes[8];
        nodes[8] = nodes[9];
        nodes[9] = kept;
    }
    PalInts *list = &msh->raw->corners[type->kind];
    const int32_t first = list->count, width = pal_raw_corner_count(type->kind);
    if (type->piece_count > 1)
        PAL_TRY(pal_raw_add_divided(msh->raw, msh->cursor, type->kind, nodes));
    else
        PAL_TRY(pal_raw_add_cell(msh->raw, msh->cursor, type->kind, nodes));
    const int32_t size = list->count - first;
    *cell = first / width;
    if (first >= size && memcmp(list->items + first - size, list->items + first,
                                (size_t)size * sizeof *nodes) == 0) {
        list->count = first;
        *cell -= type->piece_count;
    }
    return PAL_OK;
}

static PalStatus read_physical_names(PalMsh *msh)
{
    PalCursor *cursor = msh->cursor;
    int32_t count;
    PAL_TRY(pal_cursor_count(cursor, &count, 3, "the number of physical names"));
    for (int32_t i = 0; i < count; ++i) {
        PalMshTag entry;
        PAL_TRY(pal_cursor_int(cursor, &entry.dimension, "the dimension of a physical name"));
        PAL_TRY(pal_cursor_int(cursor, &entry.tag, "the tag of a physical name"));
        PalToken name = pal_token_trim(pal_cursor_line(cursor));
        if (name.size < 2 || name.text[0] != '"' || name.text[name.size - 1] != '"')
            return pal_cursor_fail(cursor, name.text, "'%s', expected a name in double quotes",
                                   pal_token_quote(name).text);
        name.text += 1;
        name.size -= 2;
        if (name.size == 0)
            continue;
        PAL_TRY(pal_raw_group(msh->raw, cursor, name, &entry.group));
        if (!pal_array_push(&msh->names, entry))
            return pal_cursor_no_memory(cursor);
    }
    pal_msh_tags_sort(&msh->names);
    return PAL_OK;
}

static PalStatus read_format(PalMsh *msh, int32_t *version)
{
    PalCursor *cursor = msh->cursor;
    double number;
    int64_t file_type, data_size;
    pal_cursor_skip_blanks(cursor);
    const char *where = cursor->at;
    PAL_TRY(pal_cursor_double(cursor, &number, "the version of the format"));
    PAL_TRY(pal_cursor_int(cursor, &file_type, "the file type, 0 or 1"));
    PAL_TRY(pal_cursor_int(cursor, &data_size, "the size of numbers"));
    bool old = number >= 2 && number < 3;
    if (!old && !(number > 4.05 && number < 4.15))
        return pal_cursor_fail(cursor, where, "MSH version %g, expected 2.2 or 4.1", number);
    if (file_type != 0 && file_type != 1)
        return pal_cursor_fail(cursor, where, "file type %lld, expected 0 (text) or 1 (binary)",
                               (long long)file_type);
    if (data_size != 8 && (old || data_size != 4))
        return pal_cursor_fail(cursor, where, "numbers of %lld bytes, expected 8",
                               (long long)data_size);
    *version = old ? 2 : 4;
    msh->binary = file_type == 1;
    msh->long_sizes = data_size == 8;
    if (!msh->binary)
        return PAL_OK;
    cursor->binary = true;
    pal_cursor_line(cursor);
    const char *one;
    PAL_TRY(pal_cursor_bytes(cursor, 4, &one, "the byte-order mark"));
    cursor->swap = pal_number_get_int(one, PAL_NUMBER_INT32, false) != 1;
    if (pal_number_get_int(one, PAL_NUMBER_INT32, cursor->swap) != 1)
        return pal_cursor_fail(cursor, one, "no byte-order mark, expected the number 1");
    return PAL_OK;
}

// Behind the line that ends a section.
static PalStatus skip_section(PalCursor *cursor, PalToken name)
{
    const char *where = name.text;
    for (; cursor->at < cursor->end; ++cursor->at) {
        cursor->at = memchr(cursor->at, '$', pal_cursor_left(cursor));
        if (cursor->at == NULL)
            break;
        if (pal_cursor_left(cursor) >= 4 + name.size && memcmp(cursor->at, "$End", 4) == 0 &&
            memcmp(cursor->at + 4, name.text, name.size) == 0) {
            pal_cursor_line(cursor);
            return PAL_OK;
        }
    }
    cursor->at = cursor->end;
    return pal_cursor_fail(cursor, where, "the section $%s has no end, expected $End%s",
                           pal_token_quote(name).text, pal_token_quote(name).text);
}

static PalStatus end_section(PalCursor *cursor, PalToken name)
{
    pal_cursor_skip_blanks(cursor);
    const char *where = cursor->at;
    PalToken end = pal_cursor_token(cursor);
    if (end.size == name.size + 4 && memcmp(end.text, "$End", 4) == 0 &&
        memcmp(end.text + 4, name.text, name.size) == 0)
        return PAL_OK;
    return pal_cursor_fail(cursor, where, "'%s', expected $End%s", pal_token_quote(end).text,
                           pal_token_quote(name).text);
}

static PalStatus read_section(PalMsh *msh, int32_t version, PalToken name)
{
    PalCursor *cursor = msh->cursor;
    if (pal_token_is(name, "PhysicalNames")) {
        PAL_TRY(read_physical_names(msh));
    } else if (pal_token_is(name, "Entities") && version == 4) {
        PAL_TRY(pal_msh4_entities(msh, false));
    } else if (pal_token_is(name, "PartitionedEntities") && version == 4) {
        PAL_TRY(pal_msh4_entities(msh, true));
    } else if (pal_token_is(name, "Nodes")) {
        if (msh->has_nodes)
            return pal_cursor_fail(cursor, name.text, "a second $Nodes, expected one");
        msh->has_nodes = true;
        PAL_TRY(version == 2 ? pal_msh2_nodes(msh) : pal_msh4_nodes(msh));
        PAL_TRY(pal_id_map_build(&msh->nodes, cursor, "node"));
    } else if (pal_token_is(name, "Elements")) {
        if (!msh->has_nodes)
            return pal_cursor_fail(cursor, name.text, "$Elements, expected $Nodes before it");
        PAL_TRY(version == 2 ? pal_msh2_elements(msh) : pal_msh4_elements(msh));
    } else {
        if (!pal_token_is(name, "Comments") && !pal_token_is(name, "Periodic"))
            pal_raw_skip(msh->raw, "the section", name);
        return skip_section(cursor, name);
    }
    return end_section(cursor, name);
}

static PalStatus read_sections(PalMsh *msh)
{
    PalCursor *cursor = msh->cursor;
    int32_t version = 0;
    for (;;) {
        pal_cursor_skip_blanks(cursor);
        const char *where = cursor->at;
        if (cursor->at == cursor->end && version != 0)
            return PAL_OK;
        PalToken name = pal_token_trim(pal_cursor_line(cursor));
        if (name.size < 2 || name.text[0] != '$')
            return pal_cursor_fail(cursor, where, "'%s', expected a section such as $%s",
                                   pal_token_quote(name).text,
                                   version == 0 ? "MeshFormat" : "Nodes");
        name.text += 1;
        name.size -= 1;
        if (version != 0) {
            PAL_TRY(read_section(msh, version, name));
        } else if (pal_token_is(name, "MeshFormat")) {
            PAL_TRY(read_format(msh, &version));
            PAL_TRY(end_section(cursor, name));
        } else if (pal_token_is(name, "NOD")) {
            return pal_cursor_fail(cursor, where, "MSH version 1, expected 2.2 or 4.1");
        } else {
            PAL_TRY(skip_section(cursor, name));
        }
    }
}

PalStatus pal_read_msh(PalCursor *cursor, PalRawMesh *raw)
{
    PalMsh msh = {.cursor = cursor, .raw = raw};
    PalStatus status = read_sections(&msh);
    pal_id_map_clear(&msh.nodes);
    pal_array_clear(&msh.names);
    pal_array_clear(&msh.entities);
    return status;
}
