// The head may hold anything: every length is compared with what is left before it is used.
#include "output/h5_format.h"

#include <string.h>

// A stretch of the head.
typedef struct Bytes {
    const unsigned char *at;
    uint64_t size;
} Bytes;

static uint64_t number_at(const unsigned char *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

// Takes a number off the front. The caller knows that it is there.
static uint64_t take(Bytes *bytes, size_t size)
{
    uint64_t value = number_at(bytes->at, size);
    bytes->at += size;
    bytes->size -= size;
    return value;
}

PalH5Place pal_h5_root(const PalH5 *h5)
{
    enum { SUM_AT = H5_SUPERBLOCK_SIZE - 4, ROOT_AT = SUM_AT - 8, VERSION_AT = 8 };
    const unsigned char *head = h5->head;
    if (h5->head_size < H5_SUPERBLOCK_SIZE || h5->head_size > h5->size ||
        memcmp(head, pal_h5_signature, sizeof pal_h5_signature) != 0 ||
        number_at(head + VERSION_AT, 4) != 0x00080802 ||
        number_at(head + SUM_AT, 4) != pal_h5_sum(head, SUM_AT))
        return 0;
    return number_at(head + ROOT_AT, 8);
}

// The messages of an object; none when its header is not sound.
static Bytes messages(const PalH5 *h5, PalH5Place object)
{
    Bytes none = {NULL, 0};
    if (object < H5_SUPERBLOCK_SIZE || object > h5->head_size ||
        h5->head_size - object < H5_OBJECT_HEAD + 4)
        return none;
    const unsigned char *head = h5->head + object;
    uint64_t size = number_at(head + 6, 4);
    if (memcmp(head, "OHDR\2\2", 6) != 0 || size > h5->head_size - object - H5_OBJECT_HEAD - 4)
        return none;
    if (number_at(head + H5_OBJECT_HEAD + size, 4) != pal_h5_sum(head, H5_OBJECT_HEAD + size))
        return none;
    return (Bytes){head + H5_OBJECT_HEAD, size};
}

// The next message of a type. False: none is left.
static bool next(Bytes *left, H5Message type, Bytes *message)
{
    while (left->size >= H5_MESSAGE_HEAD) {
        uint64_t found = take(left, 1), size = take(left, 2);
        take(left, 1);  // flags
        if (size > left->size)
            return false;
        *message = (Bytes){left->at, size};
        left->at += size;
        left->size -= size;
        if (found == (uint64_t)type)
            return true;
    }
    return false;
}

static bool is_named(Bytes *bytes, uint64_t size, const char *name)
{
    if (size > bytes->size || size != strlen(name) || memcmp(bytes->at, name, (size_t)size) != 0)
        return false;
    bytes->at += size;
    bytes->size -= size;
    return true;
}

PalH5Place pal_h5_find(const PalH5 *h5, PalH5Place group, const char *name)
{
    Bytes left = messages(h5, group), link;
    while (next(&left, H5_LINK, &link)) {
        if (link.size < 3 || take(&link, 2) != 0x0001)
            continue;
        if (is_named(&link, take(&link, 1), name) && link.size == 8)
            return take(&link, 8);
    }
    return 0;
}

// Takes the type off the front if it is the one for values of that size.
static bool is_of(Bytes *bytes, uint64_t type_size, PalH5Kind kind, size_t size)
{
    unsigned char type[H5_TYPE_MAX];
    if (type_size != pal_h5_type(kind, size, type) || type_size > bytes->size ||
        memcmp(bytes->at, type, (size_t)type_size) != 0)
        return false;
    bytes->at += type_size;
    bytes->size -= type_size;
    return true;
}

bool pal_h5_get(const PalH5 *h5, PalH5Place object, const char *name, PalH5Kind kind, void *value,
                size_t size)
{
    Bytes left = messages(h5, object), attribute;
    while (next(&left, H5_ATTRIBUTE, &attribute)) {
        if (attribute.size < H5_ATTRIBUTE_HEAD || take(&attribute, 2) != 0x0003)
            continue;
        uint64_t name_size = take(&attribute, 2), type_size = take(&attribute, 2);
        uint64_t space_size = take(&attribute, 2);
        take(&attribute, 1);  // ASCII or not
        if (name_size == 0 || !is_named(&attribute, name_size - 1, name) || attribute.size == 0)
            continue;
        take(&attribute, 1);  // the name's end mark
        if (!is_of(&attribute, type_size, kind, size) || space_size != H5_SCALAR_SIZE ||
            attribute.size != H5_SCALAR_SIZE + size || take(&attribute, H5_SCALAR_SIZE) != 2)
            return false;
        memcpy(value, attribute.at, size);
        return kind != PAL_H5_TEXT || ((const char *)value)[size - 1] == '\0';
    }
    return false;
}

static bool first(const PalH5 *h5, PalH5Place object, H5Message type, Bytes *message)
{
    Bytes left = messages(h5, object);
    return next(&left, type, message);
}

bool pal_h5_set(const PalH5 *h5, PalH5Place set, PalH5Kind kind, int64_t *count, uint64_t *data)
{
    Bytes space, type, layout;
    if (!first(h5, set, H5_SPACE, &space) || !first(h5, set, H5_TYPE, &type) ||
        !first(h5, set, H5_LAYOUT, &layout) || space.size != 12 || layout.size != 18 ||
        !is_of(&type, type.size, kind, pal_h5_number_size(kind)))
        return false;
    if (take(&space, 4) != 0x01000102 || take(&layout, 2) != 0x0103)
        return false;
    uint64_t entries = take(&space, 8), address = take(&layout, 8), size = take(&layout, 8);
    uint64_t each = pal_h5_number_size(kind);
    if (size % each != 0 || entries != size / each)
        return false;
    *count = (int64_t)entries;
    *data = size > 0 ? address : h5->head_size;
    return *data >= h5->head_size && *data <= h5->size && size <= h5->size - *data;
}
