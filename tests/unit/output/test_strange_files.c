// A run directory from elsewhere: symbolic links and pipes in the place of files.
#include "place.h"

#include "output/checkpoint.h"
#include "output/rundir.h"

#include <fcntl.h>

// A run directory, and beside it something of somebody else's.
typedef struct Strange {
    char run[64], other[64];
    PalDirectory inside, outside;
} Strange;

static Strange strange_open(void)
{
    Strange strange;
    strange.inside = place_open(strange.run);
    strange.outside = place_open(strange.other);
    place_put(&strange.outside, "treasure", "mine");
    return strange;
}

// The other directory holds what it held.
static void strange_close(Strange *strange)
{
    PalText text = place_get(&strange->outside, "treasure");
    assert_string_equal(text.data, "mine");
    assert_int_equal(place_count(strange->other), 1);
    pal_text_clear(&text);
    pal_directory_close(&strange->inside);
    pal_directory_close(&strange->outside);
    place_remove(strange->run);
    place_remove(strange->other);
}

// In the run directory, a link to something in the other one.
static void link_to(const Strange *strange, const char *target, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "../%s/%s", strange->other, target);
    assert_int_equal(symlinkat(path, strange->inside.descriptor, name), 0);
}

static void check_error(const PalError *error, const char *words)
{
    assert_int_equal(error->status, PAL_IO_FAILED);
    if (strstr(error->text, words) == NULL)
        fail_msg("expected \"%s\" in \"%s\"", words, error->text);
    assert_null(strchr(error->text, '\n'));
}

static void links_are_not_opened(void **state)
{
    (void)state;
    Strange strange = strange_open();
    link_to(&strange, "treasure", "log.txt");
    static const int ways[] = {O_RDONLY, O_WRONLY | O_CREAT | O_APPEND, O_WRONLY | O_TRUNC};
    for (int i = 0; i < 3; ++i)
        assert_int_equal(pal_file_open(&strange.inside, "log.txt", ways[i]), -1);
    PalError error = {0};
    PalText text = {0};
    bool found = false;
    pal_file_read(&strange.inside, "log.txt", &text, &found, &error);
    check_error(&error, "/log.txt: cannot read: it is a symbolic link");
    pal_text_clear(&text);
    strange_close(&strange);
}

// A file that is replaced takes the link's place; a link in the part's place is no way out.
static void replacing_replaces_the_link(void **state)
{
    (void)state;
    Strange strange = strange_open();
    link_to(&strange, "treasure", "run.pvd");
    link_to(&strange, "treasure", "run.pvd.part");
    link_to(&strange, "new", "scene.yaml.part");
    place_put(&strange.inside, "run.pvd", "ours");
    place_put(&strange.inside, "scene.yaml", "ours");
    PalText text = place_get(&strange.inside, "run.pvd");
    assert_string_equal(text.data, "ours");
    assert_int_equal(place_count(strange.run), 2);
    pal_text_clear(&text);
    strange_close(&strange);
}

static void a_folder_that_is_a_link_is_refused(void **state)
{
    (void)state;
    Strange strange = strange_open();
    link_to(&strange, "", "frames");
    PalError error = {0};
    pal_directory_make(&strange.inside, "frames", &error);
    check_error(&error, "/frames: cannot create the directory: it is a symbolic link");
    error = (PalError){0};
    pal_file_replace(&strange.inside, "frames/000000.vtu", "x", 1, PAL_FILE_PLAIN, &error);
    check_error(&error, "/frames/000000.vtu: cannot write: it is a symbolic link");
    error = (PalError){0};
    pal_file_sync(&strange.inside, "frames", &error);
    check_error(&error, "it is a symbolic link");
    place_put(&strange.outside, "000007.vtu", "a frame of another run");
    error = (PalError){0};
    pal_rundir_clear(&strange.inside, &error);
    check_error(&error, "/frames: cannot list: it is a symbolic link");
    error = (PalError){0};
    pal_rundir_cut(&strange.inside, 0, &error);
    check_error(&error, "it is a symbolic link");
    assert_true(place_has(&strange.outside, "000007.vtu"));
    error = (PalError){0};
    pal_series_check(&strange.inside, &pal_frame_series, 8, &error);
    check_error(&error, "it is a symbolic link");
    check_ok(pal_file_remove(&strange.outside, "000007.vtu", &error), &error);
    strange_close(&strange);
}

// Nobody writes to the pipe, and nobody reads from it: no call may wait.
static void pipes_are_refused_at_once(void **state)
{
    (void)state;
    Strange strange = strange_open();
    PalError error = {0};
    PalCheckpoint checkpoint = {0};
    bool found = false;
    assert_int_equal(mkfifoat(strange.inside.descriptor, PAL_CHECKPOINT_NAME, 0666), 0);
    assert_int_equal(mkfifoat(strange.inside.descriptor, "log.txt", 0666), 0);
    pal_checkpoint_read(&strange.inside, &checkpoint, &found, &error);
    check_error(&error, "/checkpoint.h5: cannot read: it is a pipe or a device");
    assert_int_equal(pal_file_open(&strange.inside, "log.txt", O_WRONLY | O_APPEND), -1);
    // with a reader, opening would succeed
    char path[128];
    snprintf(path, sizeof path, "%s/log.txt", strange.run);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(pal_file_open(&strange.inside, "log.txt", O_WRONLY | O_APPEND), -1);
    close(reader);
    strange_close(&strange);
}

// A file of three gigabytes that takes no room on the disk.
static void long_files_are_read_in_part(void **state)
{
    (void)state;
    Strange strange = strange_open();
    PalError error = {0};
    PalText text = {0};
    bool found = false;
    int file = pal_file_open(&strange.inside, "log.txt", O_WRONLY | O_CREAT);
    assert_int_equal(ftruncate(file, (off_t)3 << 30), 0);
    assert_int_equal(pwrite(file, "end", 3, ((off_t)3 << 30) - 3), 3);
    close(file);
    check_ok(pal_file_read_back(&strange.inside, "log.txt", 10, &text, &found, &error), &error);
    assert_int_equal(text.length, 10);
    assert_memory_equal(text.data + 7, "end", 3);
    check_ok(pal_file_read_front(&strange.inside, "log.txt", 10, &text, &found, &error), &error);
    assert_int_equal(text.length, 10);
    assert_int_equal(text.data[9], 0);
    PalCheckpoint checkpoint = {0};
    assert_int_equal(
        renameat(strange.inside.descriptor, "log.txt", strange.inside.descriptor, "checkpoint.h5"),
        0);
    assert_int_equal(pal_checkpoint_read(&strange.inside, &checkpoint, &found, &error),
                     PAL_BAD_INPUT);
    pal_text_clear(&text);
    strange_close(&strange);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(links_are_not_opened),
    cmocka_unit_test(replacing_replaces_the_link),
    cmocka_unit_test(a_folder_that_is_a_link_is_refused),
    cmocka_unit_test(pipes_are_refused_at_once),
    cmocka_unit_test(long_files_are_read_in_part),
};
CHECK_GROUP(tests, NULL, NULL)
