// A directory of its own for what a test writes, removed at the end.
#ifndef PAL_TESTS_OUTPUT_PLACE_H
#define PAL_TESTS_OUTPUT_PLACE_H

#include "check.h"

#include "output/file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static void place_path(char path[64])
{
    strcpy(path, "palpate-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static PalDirectory place_open(char path[64])
{
    PalError error = {0};
    PalDirectory directory;
    place_path(path);
    check_ok(pal_directory_open(path, &directory, &error), &error);
    return directory;
}

static void place_remove(const char *path)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

// Files and directories inside, hidden ones too.
static inline int place_count(const char *path)
{
    int count = 0;
    DIR *listing = opendir(path);
    assert_non_null(listing);
    while (readdir(listing) != NULL)
        ++count;
    closedir(listing);
    return count - 2;
}

static inline bool place_has(const PalDirectory *directory, const char *name)
{
    return faccessat(directory->descriptor, name, F_OK, 0) == 0;
}

static inline void place_put(const PalDirectory *directory, const char *name, const char *content)
{
    PalError error = {0};
    check_ok(pal_file_replace(directory, name, content, strlen(content), PAL_FILE_PLAIN, &error),
             &error);
}

// The file's content as a string; the caller clears it.
static inline PalText place_get(const PalDirectory *directory, const char *name)
{
    PalError error = {0};
    PalText text = {0};
    bool found = false;
    check_ok(pal_file_read(directory, name, &text, &found, &error), &error);
    assert_true(found);
    pal_text_put(&text, "", 1);
    --text.length;
    return text;
}

#endif
