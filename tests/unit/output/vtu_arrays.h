// Reads arrays of our VTU and VTP files back, as numbers.
#ifndef PAL_TESTS_OUTPUT_VTU_ARRAYS_H
#define PAL_TESTS_OUTPUT_VTU_ARRAYS_H

#include "check.h"

#include "output/text.h"

#include <zlib.h>

typedef struct VtuArray {
    int64_t count;  // of numbers, not of tuples
    double *values;
} VtuArray;

static const char *vtu_attribute(const char *tag, const char *key)
{
    const char *at = strstr(tag, key), *end = strchr(tag, '>');
    assert_true(at != NULL && end != NULL && at < end);
    return at + strlen(key);
}

// All blocks of an array; the caller frees them.
static unsigned char *vtu_unpack(const char *data, size_t *size)
{
    uint64_t head[3], packed;
    memcpy(head, data, sizeof head);
    *size = head[0] == 0 ? 0 : (head[0] - 1) * head[1] + (head[2] > 0 ? head[2] : head[1]);
    unsigned char *bytes = malloc(*size + 1);
    size_t in = 8 * (3 + head[0]), done = 0;
    for (uint64_t b = 0; b < head[0]; ++b) {
        uLongf room = (uLongf)(*size - done);
        memcpy(&packed, data + 8 * (3 + b), sizeof packed);
        assert_int_equal(uncompress(bytes + done, &room, (const Bytef *)data + in, packed), Z_OK);
        in += packed;
        done += room;
    }
    assert_int_equal(done, *size);
    return bytes;
}

static double vtu_number(const unsigned char *bytes, size_t i, const char *type)
{
    if (strncmp(type, "Float64", 7) == 0) {
        double value;
        memcpy(&value, bytes + 8 * i, sizeof value);
        return value;
    }
    if (strncmp(type, "Float32", 7) == 0) {
        float value;
        memcpy(&value, bytes + 4 * i, sizeof value);
        return (double)value;
    }
    if (strncmp(type, "Int64", 5) == 0) {
        int64_t value;
        memcpy(&value, bytes + 8 * i, sizeof value);
        return (double)value;
    }
    if (strncmp(type, "Int32", 5) == 0) {
        int32_t value;
        memcpy(&value, bytes + 4 * i, sizeof value);
        return value;
    }
    if (strncmp(type, "UInt16", 6) == 0)
        return bytes[2 * i] + 256 * bytes[2 * i + 1];
    assert_true(strncmp(type, "UInt8", 5) == 0);
    return bytes[i];
}

// The numbers of an array by its name; the caller frees them.
static VtuArray vtu_read(const PalText *text, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "Name=\"%s\"", name);
    const char *at = strstr(text->data, key), *data = strstr(text->data, "encoding=\"raw\">\n_");
    if (at == NULL || data == NULL)
        fail_msg("there is no array %s", name);
    while (*at != '<')
        --at;
    const char *type = vtu_attribute(at, "type=\"");
    long offset = strtol(vtu_attribute(at, "offset=\""), NULL, 10);
    size_t width = strncmp(type, "Float64", 7) == 0 || strncmp(type, "Int64", 5) == 0 ? 8
                   : strncmp(type, "UInt16", 6) == 0                                  ? 2
                   : strncmp(type, "UInt8", 5) == 0                                   ? 1
                                                                                      : 4;
    size_t size;
    unsigned char *bytes = vtu_unpack(data + strlen("encoding=\"raw\">\n_") + offset, &size);
    VtuArray array = {(int64_t)(size / width), malloc(size / width * sizeof(double) + 1)};
    for (int64_t i = 0; i < array.count; ++i)
        array.values[i] = vtu_number(bytes, (size_t)i, type);
    free(bytes);
    return array;
}

#endif
