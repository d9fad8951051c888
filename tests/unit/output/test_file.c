#include "place.h"

#include <signal.h>
#include <sys/resource.h>

static void replaces_whole(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    place_put(&directory, "a.txt", "first");
    place_put(&directory, "a.txt", "second");
    PalText text = place_get(&directory, "a.txt");
    assert_string_equal(text.data, "second");
    assert_int_equal(place_count(path), 1);
    pal_text_clear(&text);
    pal_directory_close(&directory);
    place_remove(path);
}

// A limit on the size of files fails a write part of the way, as a full disk does.
static void full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    char path[64], large[100000];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    place_put(&directory, "a.txt", "old");
    memset(large, 'x', sizeof large);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 5000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    PalStatus status =
        pal_file_replace(&directory, "a.txt", large, sizeof large, PAL_FILE_PLAIN, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, PAL_IO_FAILED);
    assert_non_null(strstr(error.text, "/a.txt: cannot write: File too large"));
    PalText text = place_get(&directory, "a.txt");
    assert_string_equal(text.data, "old");
    assert_int_equal(place_count(path), 1);
    pal_text_clear(&text);
    pal_directory_close(&directory);
    place_remove(path);
}

static void full_device_is_named(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL)
        skip();
    assert_false(pal_file_write_all(fileno(full), "x", 1));
    fclose(full);
}

static void makes_parents(void **state)
{
    (void)state;
    char path[64], deep[128];
    PalError error = {0};
    place_path(path);
    PalDirectory directory;
    snprintf(deep, sizeof deep, "%s/one/two//three/", path);
    check_ok(pal_directory_open(deep, &directory, &error), &error);
    place_put(&directory, "a.txt", "here");
    pal_directory_close(&directory);
    snprintf(deep, sizeof deep, "%s/one/two/three/a.txt", path);
    assert_int_equal(access(deep, F_OK), 0);
    place_remove(path);
}

static void refuses_a_file_as_directory(void **state)
{
    (void)state;
    char path[64], name[128];
    PalDirectory outer = place_open(path), inner;
    place_put(&outer, "file", "x");
    PalError error = {0};
    snprintf(name, sizeof name, "%s/file", path);
    assert_int_equal(pal_directory_open(name, &inner, &error), PAL_IO_FAILED);
    assert_non_null(strstr(error.text, "/file: cannot open the directory: Not a directory"));
    error = (PalError){0};
    snprintf(name, sizeof name, "%s/file/below", path);
    assert_int_equal(pal_directory_open(name, &inner, &error), PAL_IO_FAILED);
    error = (PalError){0};
    assert_int_equal(pal_directory_make(&outer, "file", &error), PAL_IO_FAILED);
    error = (PalError){0};
    assert_int_equal(pal_directory_open("", &inner, &error), PAL_BAD_INPUT);
    pal_directory_close(&outer);
    place_remove(path);
}

static void refuses_what_cannot_be_written(void **state)
{
    (void)state;
    PalDirectory directory;
    PalError error = {0};
    assert_int_equal(pal_directory_open("/proc/palpate", &directory, &error), PAL_IO_FAILED);
    assert_non_null(strstr(error.text, "/proc/palpate: cannot create the directory: "));
    assert_null(strchr(error.text, '\n'));
}

static void absent_files_are_not_found(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    PalText text = {0};
    bool found = true;
    check_ok(pal_file_read(&directory, "none", &text, &found, &error), &error);
    assert_false(found);
    check_ok(pal_file_remove(&directory, "none", &error), &error);
    pal_text_clear(&text);
    pal_directory_close(&directory);
    place_remove(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(replaces_whole),
    cmocka_unit_test(full_disk_leaves_the_old_file),
    cmocka_unit_test(full_device_is_named),
    cmocka_unit_test(makes_parents),
    cmocka_unit_test(refuses_a_file_as_directory),
    cmocka_unit_test(refuses_what_cannot_be_written),
    cmocka_unit_test(absent_files_are_not_found),
};
CHECK_GROUP(tests, NULL, NULL)
