#include "place.h"

#include "base/hash.h"
#include "output/checkpoint.h"

enum { COUNT = 300 };

typedef struct Data {
    double reals[COUNT];
    int64_t integers[3];
    PalNamedArray arrays[3];
    PalCheckpoint checkpoint;
} Data;

static void fill(Data *data, uint64_t scene)
{
    *data = (Data){.integers = {1, -2, INT64_MAX}};
    for (int i = 0; i < COUNT; ++i)
        data->reals[i] = sin(i) / 3;
    data->arrays[0] =
        (PalNamedArray){"displacement", data->reals, COUNT, PAL_ARRAY_DOUBLE, NULL, NULL};
    data->arrays[1] = (PalNamedArray){"counts", data->integers, 3, PAL_ARRAY_INT64, NULL, NULL};
    data->arrays[2] = (PalNamedArray){"nothing", data->reals, 0, PAL_ARRAY_DOUBLE, NULL, NULL};
    data->checkpoint = (PalCheckpoint){
        .scene = scene,
        .array_count = 3,
        .arrays = data->arrays,
    };
    // each number of the record is another one; as a double it is tiny, and still comes back
    for (int64_t i = 0; i < (int64_t)(sizeof(PalRunRecord) / sizeof i); ++i) {
        int64_t number = i + 1;
        memcpy((char *)&data->checkpoint.record + (size_t)i * sizeof i, &number, sizeof number);
    }
}

static void blank(Data *data, uint64_t scene)
{
    fill(data, scene);
    memset(data->reals, 0, sizeof data->reals);
    memset(data->integers, 0, sizeof data->integers);
    data->checkpoint.record = (PalRunRecord){0};
}

static void comes_back(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    Data written, read;
    fill(&written, 5);
    check_ok(pal_checkpoint_write(&directory, &written.checkpoint, &error), &error);
    assert_int_equal(place_count(path), 1);
    blank(&read, 5);
    bool found = false;
    check_ok(pal_checkpoint_read(&directory, &read.checkpoint, &found, &error), &error);
    assert_true(found);
    assert_memory_equal(read.reals, written.reals, sizeof read.reals);
    assert_memory_equal(read.integers, written.integers, sizeof read.integers);
    assert_memory_equal(&read.checkpoint.record, &written.checkpoint.record,
                        sizeof read.checkpoint.record);
    pal_directory_close(&directory);
    place_remove(path);
}

static void *make_room(void *owner, int64_t count)
{
    Data *data = owner;
    return count <= COUNT ? data->reals : NULL;
}

// An array whose length is not known before it is read.
static void any_length_comes_back(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    Data written, read;
    bool found = false;
    for (int64_t count = 0; count <= COUNT; count += COUNT / 2) {
        fill(&written, 5);
        written.arrays[0].count = count;
        check_ok(pal_checkpoint_write(&directory, &written.checkpoint, &error), &error);
        blank(&read, 5);
        read.arrays[0] = (PalNamedArray){
            .name = "displacement", .count = 7, .resize = make_room, .owner = &read};
        check_ok(pal_checkpoint_read(&directory, &read.checkpoint, &found, &error), &error);
        assert_memory_equal(read.reals, written.reals, (size_t)count * sizeof *read.reals);
        for (int64_t i = count; i < COUNT; ++i)
            assert_true(read.reals[i] == 0);
    }
    // Of another kind it does not fit, whatever its length; nor is there memory for all.
    read.arrays[0].kind = PAL_ARRAY_INT64;
    assert_int_equal(pal_checkpoint_read(&directory, &read.checkpoint, &found, &error),
                     PAL_BAD_INPUT);
    double many[COUNT + 1] = {0};
    written.arrays[0].data = many;
    written.arrays[0].count = COUNT + 1;
    error = (PalError){0};
    check_ok(pal_checkpoint_write(&directory, &written.checkpoint, &error), &error);
    blank(&read, 5);
    read.arrays[0] =
        (PalNamedArray){.name = "displacement", .count = 7, .resize = make_room, .owner = &read};
    assert_int_equal(pal_checkpoint_read(&directory, &read.checkpoint, &found, &error),
                     PAL_NO_MEMORY);
    assert_non_null(strstr(error.text, "no memory"));
    pal_directory_close(&directory);
    place_remove(path);
}

// Reads what stands in the directory and expects to be refused, with nothing filled in.
static void check_refused(const PalDirectory *directory, Data *data, const char *why)
{
    PalError error = {0};
    bool found = false;
    assert_int_equal(pal_checkpoint_read(directory, &data->checkpoint, &found, &error),
                     PAL_BAD_INPUT);
    if (strstr(error.text, why) == NULL)
        fail_msg("expected \"%s\" in \"%s\"", why, error.text);
    assert_null(strchr(error.text, '\n'));
    for (int i = 0; i < COUNT; ++i)
        assert_true(data->reals[i] == 0);
}

static void another_scene_is_refused(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    Data data;
    fill(&data, 5);
    check_ok(pal_checkpoint_write(&directory, &data.checkpoint, &error), &error);
    blank(&data, 6);
    check_refused(&directory, &data, "belongs to another scene");
    blank(&data, 5);
    data.arrays[0].count = COUNT - 1;
    check_refused(&directory, &data, "does not fit");
    blank(&data, 5);
    data.arrays[0].kind = PAL_ARRAY_INT64;
    check_refused(&directory, &data, "does not fit");
    blank(&data, 5);
    data.arrays[1].name = "other";
    check_refused(&directory, &data, "does not fit");
    pal_directory_close(&directory);
    place_remove(path);
}

static void damage_is_seen(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    Data data;
    fill(&data, 5);
    check_ok(pal_checkpoint_write(&directory, &data.checkpoint, &error), &error);
    PalText whole = place_get(&directory, PAL_CHECKPOINT_NAME);
    for (size_t length = 0; length < whole.length; length += 97) {
        check_ok(pal_file_replace(&directory, PAL_CHECKPOINT_NAME, whole.data, length,
                                  PAL_FILE_PLAIN, &error),
                 &error);
        blank(&data, 5);
        check_refused(&directory, &data, length <= 512 ? "not a checkpoint" : "damaged");
    }
    for (size_t place = 0; place < whole.length; place += 61) {
        whole.data[place] ^= 0x10;
        check_ok(pal_file_replace(&directory, PAL_CHECKPOINT_NAME, whole.data, whole.length,
                                  PAL_FILE_PLAIN, &error),
                 &error);
        blank(&data, 5);
        check_refused(&directory, &data, PAL_CHECKPOINT_NAME ": ");
        whole.data[place] ^= 0x10;
    }
    pal_text_clear(&whole);
    pal_directory_close(&directory);
    place_remove(path);
}

// Bytes that carry the right sum but are no HDF5.
static void noise_with_a_good_sum_is_refused(void **state)
{
    (void)state;
    char path[64], bytes[4096], head[512] = {0};
    PalDirectory directory = place_open(path);
    Data data;
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (char)(i * 7919 % 251);
    snprintf(head, sizeof head, "palpate checkpoint %d %zu %016llx\n", PAL_CHECKPOINT_FORMAT,
             sizeof bytes - sizeof head,
             (unsigned long long)pal_hash_words(PAL_HASH_START, bytes + sizeof head,
                                                sizeof bytes - sizeof head));
    memcpy(bytes, head, sizeof head);
    PalError error = {0};
    check_ok(pal_file_replace(&directory, PAL_CHECKPOINT_NAME, bytes, sizeof bytes, PAL_FILE_PLAIN,
                              &error),
             &error);
    blank(&data, 5);
    check_refused(&directory, &data, "damaged");
    pal_directory_close(&directory);
    place_remove(path);
}

static void absent_is_not_found(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    Data data;
    blank(&data, 5);
    bool found = true;
    check_ok(pal_checkpoint_read(&directory, &data.checkpoint, &found, &error), &error);
    assert_false(found);
    pal_directory_close(&directory);
    place_remove(path);
}

// Older or newer: the message says so, not that the file is damaged.
static void other_formats_are_refused(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    Data data;
    fill(&data, 5);
    check_ok(pal_checkpoint_write(&directory, &data.checkpoint, &error), &error);
    PalText whole = place_get(&directory, PAL_CHECKPOINT_NAME);
    char *number = whole.data + strlen("palpate checkpoint ");
    for (int change = -1; change <= 1; change += 2) {
        *number = (char)('0' + PAL_CHECKPOINT_FORMAT + change);
        check_ok(pal_file_replace(&directory, PAL_CHECKPOINT_NAME, whole.data, whole.length,
                                  PAL_FILE_PLAIN, &error),
                 &error);
        blank(&data, 5);
        check_refused(&directory, &data, "another version");
    }
    pal_text_clear(&whole);
    pal_directory_close(&directory);
    place_remove(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(comes_back),
    cmocka_unit_test(any_length_comes_back),
    cmocka_unit_test(another_scene_is_refused),
    cmocka_unit_test(damage_is_seen),
    cmocka_unit_test(other_formats_are_refused),
    cmocka_unit_test(noise_with_a_good_sum_is_refused),
    cmocka_unit_test(absent_is_not_found),
};
CHECK_GROUP(tests, NULL, NULL)
