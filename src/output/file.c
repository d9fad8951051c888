#include "output/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define NAME_SIZE 256

// What stands at a name where a file or folder of the run should, in words; NULL: nothing odd.
static const char *oddity(const PalDirectory *directory, const char *name)
{
    struct stat info;
    char folder[NAME_SIZE];
    size_t length = strcspn(name, "/");
    if (name[length] == '/' && length < sizeof folder) {
        memcpy(folder, name, length);
        folder[length] = '\0';
        const char *odd = oddity(directory, folder);
        if (odd != NULL)
            return odd;
    }
    if (fstatat(directory->descriptor, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return NULL;
    if (S_ISLNK(info.st_mode))
        return "it is a symbolic link, expected a file or folder of the run";
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return "it is a pipe or a device, expected a file of the run";
    return NULL;
}

PalStatus pal_file_error(const PalDirectory *directory, const char *name, const char *doing,
                         PalError *error)
{
    int cause = errno;
    bool may_be_odd = cause == ELOOP || cause == ENOTDIR || cause == ENXIO || cause == EEXIST;
    const char *odd = may_be_odd ? oddity(directory, name) : NULL;
    return pal_error_set(error, PAL_IO_FAILED, "%s/%s: %s: %s", directory->path, name, doing,
                         odd != NULL ? odd : strerror(cause));
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
    if (mkdirat(directory->descriptor, name, 0777) == 0)
        return PAL_OK;
    if (errno == EEXIST && fstatat(directory->descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
        if (S_ISDIR(info.st_mode))
            return PAL_OK;
        errno = ENOTDIR;
    }
    return pal_file_error(directory, name, "cannot create the directory", error);
}

int pal_directory_open_inside(const PalDirectory *directory, const char *name)
{
    return openat(directory->descriptor, name,
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

// ---- where a name leads -------------------------------------------------------------------

// The folder that holds a file of the run, and the file's name in it. A folder inside is opened for
// it, so that no symbolic link in its place is followed.
typedef struct Spot {
    int folder;
    bool opened;
    const char *name;
} Spot;

// False: errno says why.
static bool spot_open(const PalDirectory *directory, const char *name, Spot *spot)
{
    char folder[NAME_SIZE];
    const char *slash = strchr(name, '/');
    *spot = (Spot){.folder = directory->descriptor, .name = name};
    if (slash == NULL)
        return true;
    if ((size_t)(slash - name) >= sizeof folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(folder, name, (size_t)(slash - name));
    folder[slash - name] = '\0';
    *spot = (Spot){pal_directory_open_inside(directory, folder), true, slash + 1};
    return spot->folder >= 0;
}

static void spot_close(const Spot *spot)
{
    int cause = errno;
    if (spot->opened && spot->folder >= 0)
        close(spot->folder);
    errno = cause;
}

// Opens a regular file or, to read it, a folder, and nothing else; without O_NONBLOCK a named pipe
// would wait for its other end.
static int open_at(const Spot *spot, int flags)
{
    int descriptor =
        openat(spot->folder, spot->name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    struct stat info;
    if (descriptor < 0)
        return descriptor;
    bool known = fstat(descriptor, &info) == 0;
    if (known && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
        return descriptor;
    int cause = known ? ENXIO : errno;
    close(descriptor);
    errno = cause;
    return -1;
}

int pal_file_open(const PalDirectory *directory, const char *name, int flags)
{
    Spot spot;
    int descriptor = spot_open(directory, name, &spot) ? open_at(&spot, flags) : -1;
    spot_close(&spot);
    return descriptor;
}

// ---- writing ------------------------------------------------------------------------------

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

// Whatever stands at the name of a part is from a run that was killed, or not ours: it goes.
static int open_part(const Spot *spot, char part[NAME_SIZE])
{
    if (snprintf(part, NAME_SIZE, "%s.part", spot->name) >= NAME_SIZE) {
        errno = ENAMETOOLONG;
        return -1;
    }
    Spot there = {.folder = spot->folder, .name = part};
    int descriptor = open_at(&there, O_WRONLY | O_CREAT | O_EXCL);
    if (descriptor >= 0 || errno != EEXIST || unlinkat(there.folder, part, 0) != 0)
        return descriptor;
    return open_at(&there, O_WRONLY | O_CREAT | O_EXCL);
}

// False: errno says why, and nothing has changed.
static bool write_part(const Spot *spot, PalFileCare care, PalFileFill *fill, void *context)
{
    char part[NAME_SIZE];
    int descriptor = open_part(spot, part);
    if (descriptor < 0)
        return false;
    bool good = fill(context, descriptor) && (care == PAL_FILE_PLAIN || sync_to_disk(descriptor));
    int cause = errno;
    if (close(descriptor) != 0 && good) {
        good = false;
        cause = errno;
    }
    if (good && renameat(spot->folder, part, spot->folder, spot->name) != 0) {
        good = false;
        cause = errno;
    }
    if (!good) {
        unlinkat(spot->folder, part, 0);
        errno = cause;
    } else if (care == PAL_FILE_SYNCED) {
        sync_to_disk(spot->folder);
    }
    return good;
}

PalStatus pal_file_replace_with(const PalDirectory *directory, const char *name, PalFileCare care,
                                PalFileFill *fill, void *context, PalError *error)
{
    Spot spot;
    PalFileCare taken = directory->hasty ? PAL_FILE_PLAIN : care;
    bool good = spot_open(directory, name, &spot) && write_part(&spot, taken, fill, context);
    spot_close(&spot);
    return good ? PAL_OK : pal_file_error(directory, name, "cannot write", error);
}

typedef struct Content {
    int32_t count;
    const PalPiece *pieces;
} Content;

// In one call where the system takes all of it; what it leaves is written piece by piece.
static bool put_content(void *context, int descriptor)
{
    enum { TOGETHER = 4 };
    const Content *content = context;
    struct iovec parts[TOGETHER];
    int count = content->count < TOGETHER ? content->count : TOGETHER;
    for (int i = 0; i < count; ++i) {  // which are not changed, though iovec knows no const
        memcpy(&parts[i].iov_base, &content->pieces[i].data, sizeof parts[i].iov_base);
        parts[i].iov_len = content->pieces[i].size;
    }
    ssize_t taken = writev(descriptor, parts, count);
    if (taken < 0 && errno != EINTR && errno != EINVAL)
        return false;
    size_t done = taken > 0 ? (size_t)taken : 0;
    bool good = true;
    for (int32_t i = 0; good && i < content->count; ++i) {
        const PalPiece *piece = &content->pieces[i];
        size_t skipped = done < piece->size ? done : piece->size;
        good = pal_file_write_all(descriptor, (const char *)piece->data + skipped,
                                  piece->size - skipped);
        done -= skipped;
    }
    return good;
}

PalStatus pal_file_replace_pieces(const PalDirectory *directory, const char *name,
                                  int32_t piece_count, const PalPiece *pieces, PalFileCare care,
                                  PalError *error)
{
    Content content = {piece_count, pieces};
    return pal_file_replace_with(directory, name, care, put_content, &content, error);
}

PalStatus pal_file_replace(const PalDirectory *directory, const char *name, const void *data,
                           size_t size, PalFileCare care, PalError *error)
{
    return pal_file_replace_pieces(directory, name, 1, &(PalPiece){data, size}, care, error);
}

PalStatus pal_file_sync(const PalDirectory *directory, const char *name, PalError *error)
{
    if (directory->hasty)
        return PAL_OK;
    int descriptor = pal_file_open(directory, name, O_RDONLY);
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

// ---- reading ------------------------------------------------------------------------------

bool pal_file_read_at(int descriptor, void *data, size_t size, uint64_t place)
{
    char *bytes = data;
    while (size > 0) {
        ssize_t got = pread(descriptor, bytes, size < 1 << 30 ? size : 1 << 30, (off_t)place);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            if (got == 0)
                errno = EIO;  // shorter than it was a moment ago
            return false;
        }
        bytes += got;
        size -= (size_t)got;
        place += (uint64_t)got;
    }
    return true;
}

// `most` bytes from the front or, where it is negative, -most bytes from the back; fewer where
// there are no more.
static PalStatus read_part(const PalDirectory *directory, const char *name, int64_t most,
                           PalText *text, bool *found, PalError *error)
{
    pal_text_reset(text);
    *found = false;
    int descriptor = pal_file_open(directory, name, O_RDONLY);
    if (descriptor < 0)
        return errno == ENOENT ? PAL_OK : pal_file_error(directory, name, "cannot read", error);
    *found = true;
    struct stat info;
    PalStatus status = PAL_OK;
    if (fstat(descriptor, &info) != 0) {
        status = pal_file_error(directory, name, "cannot read", error);
    } else {
        int64_t whole = info.st_size, size = most < 0 ? -most : most;
        size = size < whole ? size : whole;
        char *room = pal_text_extend(text, (size_t)size);
        if (text->no_memory)
            status = pal_error_set(error, PAL_NO_MEMORY, "%s/%s: no memory", directory->path, name);
        else if (!pal_file_read_at(descriptor, room, (size_t)size,
                                   most < 0 ? (uint64_t)(whole - size) : 0))
            status = pal_file_error(directory, name, "cannot read", error);
    }
    close(descriptor);
    return status;
}

PalStatus pal_file_read(const PalDirectory *directory, const char *name, PalText *text, bool *found,
                        PalError *error)
{
    return read_part(directory, name, INT64_MAX, text, found, error);
}

PalStatus pal_file_read_front(const PalDirectory *directory, const char *name, int64_t most,
                              PalText *text, bool *found, PalError *error)
{
    return read_part(directory, name, most, text, found, error);
}

PalStatus pal_file_read_back(const PalDirectory *directory, const char *name, int64_t most,
                             PalText *text, bool *found, PalError *error)
{
    return read_part(directory, name, -most, text, found, error);
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
