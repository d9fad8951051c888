// HDF5 file format specification, version 2 of superblock and object headers: links and
// attributes are messages in the header of their object, the numbers of a set lie in one piece.
#include "base/assert.h"
#include "output/h5_format.h"

#include <string.h>

static void put_number(PalText *text, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)(value >> (8 * i));
    pal_text_put(text, bytes, size);
}

// ---- messages ---------------------------------------------------------------------------

static void put_message(PalText *text, H5Message type, size_t size)
{
    put_number(text, type, 1);
    put_number(text, size, 2);
    put_number(text, 0, 1);  // flags
}

static void put_attribute(PalText *text, const PalH5Attribute *attribute)
{
    unsigned char type[H5_TYPE_MAX];
    bool is_text = attribute->kind == PAL_H5_TEXT;
    size_t name_size = strlen(attribute->name) + 1;
    size_t size = is_text ? strlen(attribute->value) + 1 : 8;
    size_t type_size = pal_h5_type(attribute->kind, size, type);
    put_message(text, H5_ATTRIBUTE,
                H5_ATTRIBUTE_HEAD + name_size + type_size + H5_SCALAR_SIZE + size);
    put_number(text, 3, 1);  // version
    put_number(text, 0, 1);
    put_number(text, name_size, 2);
    put_number(text, type_size, 2);
    put_number(text, H5_SCALAR_SIZE, 2);
    put_number(text, 0, 1);  // the name is ASCII
    pal_text_put(text, attribute->name, name_size);
    pal_text_put(text, type, type_size);
    put_number(text, 2, H5_SCALAR_SIZE);  // version 2, no dimension, a scalar
    pal_text_put(text, attribute->value, size);
}

static void put_link(PalText *text, const char *name, uint64_t address)
{
    size_t length = strlen(name);
    put_message(text, H5_LINK, 3 + length + 8);
    put_number(text, 1, 1);  // version
    put_number(text, 0, 1);  // a hard link, its name's length in one byte
    put_number(text, length, 1);
    pal_text_put(text, name, length);
    put_number(text, address, 8);
}

// ---- objects ----------------------------------------------------------------------------

// Returns where the header begins, for end_object.
static size_t begin_object(PalText *text)
{
    size_t begin = text->length;
    pal_text_add(text, "OHDR");
    put_number(text, 2, 1);  // version
    put_number(text, 2, 1);  // the size below takes four bytes
    put_number(text, 0, 4);
    return begin;
}

static void end_object(PalText *text, size_t begin)
{
    if (text->no_memory)
        return;
    size_t size = text->length - begin - H5_OBJECT_HEAD;
    for (size_t i = 0; i < 4; ++i)
        text->data[begin + 6 + i] = (char)(unsigned char)(size >> (8 * i));
    put_number(text, pal_h5_sum(text->data + begin, text->length - begin), 4);
}

static void put_set(PalText *text, const PalH5Set *set, uint64_t address)
{
    uint64_t bytes = (uint64_t)set->count * pal_h5_number_size(set->kind);
    size_t begin = begin_object(text);
    put_message(text, H5_SPACE, 12);
    put_number(text, 0x01000102, 4);  // version 2, one dimension, no largest one, simple
    put_number(text, (uint64_t)set->count, 8);
    unsigned char type[H5_TYPE_MAX];
    size_t type_size = pal_h5_type(set->kind, pal_h5_number_size(set->kind), type);
    put_message(text, H5_TYPE, type_size);
    pal_text_put(text, type, type_size);
    put_message(text, H5_FILL, 2);
    put_number(text, 0x0a03, 2);  // version 3, allocated late, written where it is set
    put_message(text, H5_LAYOUT, 18);
    put_number(text, 0x0103, 2);  // version 3, in one piece
    put_number(text, bytes > 0 ? address : H5_NOWHERE, 8);
    put_number(text, bytes, 8);
    end_object(text, begin);
}

static void begin_group(PalText *text)
{
    put_message(text, H5_LINKS, 18);
    put_number(text, 0, 2);
    put_number(text, H5_NOWHERE, 8);
    put_number(text, H5_NOWHERE, 8);
    put_message(text, H5_GROUP, 2);
    put_number(text, 0, 2);
}

static void put_attributes(PalText *text, const PalH5Group *group)
{
    for (int32_t i = 0; i < group->attribute_count; ++i)
        put_attribute(text, &group->attributes[i]);
}

// As many bytes as put_set adds.
static uint64_t set_size(PalH5Kind kind)
{
    unsigned char type[H5_TYPE_MAX];
    return H5_OBJECT_HEAD + 4 * H5_MESSAGE_HEAD + 12 +
           pal_h5_type(kind, pal_h5_number_size(kind), type) + 2 + 18 + 4;
}

// The sets first, then the group that links to them. Returns the group's address.
static uint64_t put_group(PalText *text, size_t start, const PalH5Group *group, uint64_t *data)
{
    uint64_t set = text->length - start;
    for (int32_t i = 0; i < group->set_count; ++i) {
        put_set(text, &group->sets[i], *data);
        *data += pal_h5_set_bytes(group->sets[i].kind, group->sets[i].count);
    }
    uint64_t address = text->length - start;
    size_t begin = begin_object(text);
    begin_group(text);
    put_attributes(text, group);
    for (int32_t i = 0; i < group->set_count; ++i) {
        put_link(text, group->sets[i].name, set);
        set += set_size(group->sets[i].kind);
    }
    end_object(text, begin);
    return address;
}

// ---- the head ---------------------------------------------------------------------------

// What stands at the front of the head but is known at its end only.
typedef struct Known {
    uint64_t root, data, end;  // addresses of the root and of the data's first and last byte
} Known;

static void put_superblock(PalText *text, uint64_t base, const Known *known)
{
    size_t begin = text->length;
    pal_text_put(text, pal_h5_signature, sizeof pal_h5_signature);
    put_number(text, 0x00080802, 4);  // version 2, addresses and lengths of 8 bytes, closed
    put_number(text, base, 8);
    put_number(text, H5_NOWHERE, 8);  // no extension
    put_number(text, base + known->end, 8);
    put_number(text, known->root, 8);
    if (!text->no_memory)
        put_number(text, pal_h5_sum(text->data + begin, text->length - begin), 4);
}

static Known put_all(PalText *text, uint64_t base, const PalH5Group *root, int32_t group_count,
                     const PalH5Group *groups, const Known *known)
{
    uint64_t addresses[H5_GROUPS_MAX] = {0};
    size_t start = text->length;
    Known found = {.end = known->data};
    PAL_ASSERT(group_count <= H5_GROUPS_MAX);
    put_superblock(text, base, known);
    for (int32_t g = 0; g < group_count; ++g)
        addresses[g] = put_group(text, start, &groups[g], &found.end);
    found.root = text->length - start;
    size_t begin = begin_object(text);
    begin_group(text);
    put_attributes(text, root);
    for (int32_t g = 0; g < group_count; ++g)
        put_link(text, groups[g].name, addresses[g]);
    end_object(text, begin);
    put_number(text, 0, (8 - (text->length - start) % 8) % 8);  // numbers lie on multiples of 8
    found.data = text->length - start;
    return found;
}

void pal_h5_put_head(PalText *text, uint64_t base, const PalH5Group *root, int32_t group_count,
                     const PalH5Group *groups)
{
    size_t start = text->length;
    Known known = {0};
    // Lengths do not depend on what is known: the first two times find it.
    for (int i = 0; i < 3; ++i) {
        text->length = start;
        known = put_all(text, base, root, group_count, groups, &known);
    }
}
