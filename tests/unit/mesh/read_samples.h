// Reading meshes from text, for the tests of the readers.
#ifndef PAL_TESTS_READ_SAMPLES_H
#define PAL_TESTS_READ_SAMPLES_H

#include "check.h"

#include <palpate/mesh_io.h>

static inline PalMesh *read_text(const char *path, const char *text, PalMeshWant want)
{
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_read_memory(text, strlen(text), path, want, &mesh, &error), &error);
    return mesh;
}

// The file is refused with exactly this line.
static inline void check_refused_bytes(const char *path, const void *data, size_t size,
                                       PalMeshWant want, const char *message)
{
    PalMesh *mesh = NULL;
    PalError error = {0};
    assert_int_equal(pal_mesh_read_memory(data, size, path, want, &mesh, &error), PAL_BAD_INPUT);
    assert_string_equal(error.text, message);
    assert_null(mesh);
}

static inline void check_refused(const char *path, const char *text, PalMeshWant want,
                                 const char *message)
{
    check_refused_bytes(path, text, strlen(text), want, message);
}

static inline void check_ints(const int32_t *actual, int32_t actual_count, const int32_t *expected,
                              int32_t expected_count)
{
    assert_int_equal(actual_count, expected_count);
    for (int32_t i = 0; i < expected_count; ++i)
        assert_int_equal(actual[i], expected[i]);
}

// The list of a group (nodes or cells) is the numbers given.
#define CHECK_LIST(group, list, ...)                                                               \
    do {                                                                                           \
        const int32_t check_list[] = {__VA_ARGS__};                                                \
        check_ints((group)->list##s, (group)->list##_count, check_list,                            \
                   (int32_t)(sizeof check_list / sizeof *check_list));                             \
    } while (0)

static inline const PalGroup *find_group(const PalMesh *mesh, const char *name)
{
    const PalGroup *group = pal_mesh_find_group(mesh, name);
    if (group == NULL)
        fail_msg("there is no group '%s'", name);
    return group;
}

// A growing buffer for binary files.
typedef struct Bytes {
    char data[4096];
    size_t size;
} Bytes;

static inline void put(Bytes *bytes, const void *data, size_t size)
{
    assert_true(bytes->size + size <= sizeof bytes->data);
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static inline void put_text(Bytes *bytes, const char *text)
{
    put(bytes, text, strlen(text));
}

// The low `size` bytes of a number, the first one first if `little`.
static inline void put_uint(Bytes *bytes, uint64_t value, size_t size, bool little)
{
    for (size_t i = 0; i < size; ++i) {
        char byte = (char)(value >> 8 * (little ? i : size - 1 - i));
        put(bytes, &byte, 1);
    }
}

static inline void put_double(Bytes *bytes, double value, bool little)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_uint(bytes, bits, 8, little);
}

static inline void put_float(Bytes *bytes, float value, bool little)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_uint(bytes, bits, 4, little);
}

#endif
