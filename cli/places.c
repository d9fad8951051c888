// Where the program is, and what lies around it.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *pal_cli_join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

bool pal_cli_is_same_file(const char *path, const char *other)
{
    struct stat one, two;
    return path != NULL && other != NULL && stat(path, &one) == 0 && stat(other, &two) == 0 &&
           one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

bool pal_cli_is_directory(const char *path)
{
    struct stat kind;
    return path != NULL && stat(path, &kind) == 0 && S_ISDIR(kind.st_mode);
}

// The folder of the running program.
static bool program_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    if (length <= 0 || (size_t)length >= size - 1)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

char *pal_cli_find_upwards(const char *relative)
{
    enum { LEVELS = 4 };  // build/<preset>/ and a folder or two more
    char folder[4096];
    if (!program_folder(folder, sizeof folder))
        return NULL;
    for (int level = 0; level < LEVELS; level++) {
        char *path = pal_cli_join(folder, relative);
        if (path == NULL || access(path, F_OK) == 0)
            return path;
        free(path);
        char *slash = strrchr(folder, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
    }
    return NULL;
}

char *pal_cli_scenes_folder(void)
{
    char *installed = pal_cli_find_upwards("share/palpate/scenes");
    return installed != NULL ? installed : pal_cli_find_upwards("scenes");
}
