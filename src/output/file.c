#include "output/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 256

PalStatus pal_file_error(const PalDirectory *directory, const char *name, const char *doing,
                         PalError *error)
{
    int cause = errno;
    return pal_error_set(error, PAL_IO_FAILED, "%s/%s: %s: %s", directory->path, name, doing,
                         strerror(cause));
}

static PalStatus make_parents(char *path, PalError *error)
{
    for (char *c = path + 1;; ++c) {
        if (*c != '/' && *c != '\0')
            continue;
        char kept = *c;
        *c = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return pal_error_set(error, PAL_IO_FAILED, "%s: cannot create the directory: %s", path,
                                 strerror(errno));
        *c = kept;
        if (kept == '\0')
            return PAL_OK;
    }
}

PalStatus pal_directory_open(const char *path, PalDirectory *directory, PalError *error)
{
    *directory = (PalDirectory){.descriptor = -1};
    if (path == NULL || path[0] == '\0')
        return pal_error_set(error, PAL_BAD_INPUT, "the run directory has no name");
    directory->path = pal_copy_text(path);
    if (directory->path == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    PalStatus status = make_parents(directory->path, error);
    if (status == PAL_OK) {
        directory->descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory->descriptor < 0)
            status = pal_error_set(error, PAL_IO_FAILED, "%s: cannot open the directory: %s", path,
                                   strerror(errno));
    }
    if (status != PAL_OK)
        pal_directory_close(directory);
    return status;
}

void pal_directory_close(PalDirectory *directory)
{
    if (directory->descriptor >= 0)
        close(directory->descriptor);
    pal_free(directory->path);
    *directory = (PalDirectory){.descriptor = -1};
}

PalStatus pal_directory_make(const PalDirectory *directory, const char *name, PalError *error)
{
    struct stat info;
    if (mkdirat(directory->descriptor, name, 0777) != 0) {
        if (errno != EEXIST)
            return pal_file_error(directory, name, "cannot create the directory", error);
        if (fstatat(directory->descriptor, name, &info, 0) == 0 && !S_ISDIR(info.st_mode)) {
            errno = ENOTDIR;
            return pal_file_error(directory, name, "cannot create the directory", error);
        }
    }
    return PAL_OK;
}

bool pal_file_write_all(int descriptor, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size < 1 << 30 ? size : 1 << 30);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            if (written == 0)
                errno = ENOSPC;
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

// Some file systems cannot sync; that is no reason to fail.
static bool sync_to_disk(int descriptor)
{
    return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS;
}

static bool write_pieces(int descriptor, int32_t count, const PalPiece *pieces)
{
    bool good = true;
    for (int32_t i = 0; good && i < count; ++i)
        good = pal_file_write_all(descriptor, pieces[i].data, pieces[i].size);
    return good;
}

PalStatus pal_file_replace_pieces(const PalDirectory *directory, const char *name,
                                  int32_t piece_count, const PalPiece *pieces, PalFileCare care,
                                  PalError *error)
{
    char part[NAME_SIZE];
    snprintf(part, sizeof part, "%s.part", name);
    int descriptor =
        openat(directory->descriptor, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return pal_file_error(directory, name, "cannot write", error);
    bool good = write_pieces(descriptor, piece_count, pieces) &&
                (care == PAL_FILE_PLAIN || sync_to_disk(descriptor));
    int cause = errno;
    if (close(descriptor) != 0 && good) {
        good = false;
        cause = errno;
    }
    if (good && renameat(directory->descriptor, part, directory->descriptor, name) != 0) {
        good = false;
        cause = errno;
    }
    if (!good) {
        unlinkat(directory->descriptor, part, 0);
        errno = cause;
        return pal_file_error(directory, name, "cannot write", error);
    }
    if (care == PAL_FILE_SYNCED)
        sync_to_disk(directory->descriptor);
    return PAL_OK;
}

PalStatus pal_file_replace(const PalDirectory *directory, const char *name, const void *data,
                           size_t size, PalFileCare care, PalError *error)
{
    return pal_file_replace_pieces(directory, name, 1, &(PalPiece){data, size}, care, error);
}

PalStatus pal_file_sync(const PalDirectory *directory, const char *name, PalError *error)
{
    int descriptor = openat(directory->descriptor, name, O_RDONLY | O_CLOEXEC);
    bool good = descriptor >= 0 && sync_to_disk(descriptor);
    PalStatus status = good ? PAL_OK : pal_file_error(directory, name, "cannot write", error);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

PalStatus pal_file_replace_text(const PalDirectory *directory, const char *name,
                                const PalText *text, PalFileCare care, PalError *error)
{
    if (text->no_memory)
        return pal_error_set(error, PAL_NO_MEMORY, "%s/%s: no memory", directory->path, name);
    return pal_file_replace(directory, name, text->data, text->length, care, error);
}

PalStatus pal_file_read(const PalDirectory *directory, const char *name, PalText *text, bool *found,
                        PalError *error)
{
    pal_text_reset(text);
    *found = false;
    int descriptor = openat(directory->descriptor, name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == ENOENT ? PAL_OK : pal_file_error(directory, name, "cannot read", error);
    *found = true;
    PalStatus status = PAL_OK;
    for (;;) {
        enum { CHUNK = 1 << 18 };
        char *room = pal_text_extend(text, CHUNK);
        if (room == NULL) {
            status = pal_error_set(error, PAL_NO_MEMORY, "%s/%s: no memory", directory->path, name);
            break;
        }
        ssize_t got = read(descriptor, room, CHUNK);
        text->length -= CHUNK - (size_t)(got > 0 ? got : 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = pal_file_error(directory, name, "cannot read", error);
        if (got <= 0)
            break;
    }
    close(descriptor);
    return status;
}

PalStatus pal_file_remove(const PalDirectory *directory, const char *name, PalError *error)
{
    char part[NAME_SIZE];
    snprintf(part, sizeof part, "%s.part", name);
    if ((unlinkat(directory->descriptor, name, 0) != 0 && errno != ENOENT) ||
        (unlinkat(directory->descriptor, part, 0) != 0 && errno != ENOENT))
        return pal_file_error(directory, name, "cannot remove an older run's file", error);
    return PAL_OK;
}
