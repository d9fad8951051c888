#include "output/rundir.h"

#include "output/checkpoint.h"
#include "output/history.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const PalSeries pal_frame_series = {"frames", "vtu", "run.pvd"};
const PalSeries pal_contact_series = {"contacts", "vtp", "contacts.pvd"};

char *pal_frame_name(const PalSeries *series, int64_t frame_index, char name[PAL_FRAME_NAME_SIZE])
{
    snprintf(name, PAL_FRAME_NAME_SIZE, "%s/%06" PRId64 ".%s", series->folder, frame_index,
             series->extension);
    return name;
}

// ---- removing ---------------------------------------------------------------------------

// The number in "000012.vtu" or "000012.vtu.part", or PAL_NONE for a name of another form.
static int64_t frame_number(const PalSeries *series, const char *name, bool *unfinished)
{
    size_t digits = strspn(name, "0123456789"), length = strlen(series->extension);
    const char *rest = name + digits;
    bool named = rest[0] == '.' && strncmp(rest + 1, series->extension, length) == 0;
    *unfinished = named && strcmp(rest + 1 + length, ".part") == 0;
    if (digits < 6 || digits > 18 || !named || (!*unfinished && rest[1 + length] != '\0'))
        return PAL_NONE;
    return strtoll(name, NULL, 10);
}

static PalStatus remove_frames(const PalDirectory *directory, const PalSeries *series, int64_t from,
                               PalError *error)
{
    int descriptor = pal_directory_open_inside(directory, series->folder);
    DIR *listing = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (listing == NULL) {
        bool absent = descriptor < 0 && errno == ENOENT;
        if (descriptor >= 0)
            close(descriptor);
        return absent ? PAL_OK : pal_file_error(directory, series->folder, "cannot list", error);
    }
    PalStatus status = PAL_OK;
    errno = 0;
    for (const struct dirent *entry; status == PAL_OK && (entry = readdir(listing)) != NULL;) {
        bool unfinished = false;
        int64_t number = frame_number(series, entry->d_name, &unfinished);
        bool doomed = number != PAL_NONE && (unfinished || number >= from);
        if (doomed && unlinkat(dirfd(listing), entry->d_name, 0) != 0)
            status =
                pal_file_error(directory, series->folder, "cannot remove an older frame", error);
        errno = 0;
    }
    if (status == PAL_OK && errno != 0)  // readdir's own
        status = pal_file_error(directory, series->folder, "cannot list", error);
    closedir(listing);
    return status;
}

static PalStatus remove_all(const PalDirectory *directory, size_t count, const char *const *names,
                            PalError *error)
{
    for (size_t i = 0; i < count; ++i)
        PAL_TRY(pal_file_remove(directory, names[i], error));
    return PAL_OK;
}

PalStatus pal_rundir_clear(const PalDirectory *directory, PalError *error)
{
    // Without its checkpoint, a half-cleared directory can only be started anew.
    static const char *const names[] = {PAL_CHECKPOINT_NAME, "summary.json", "report.html",
                                        "picture.png",       "run.pvd",      "history.csv",
                                        "scene.yaml",        "contacts.pvd"};
    PAL_TRY(remove_all(directory, sizeof names / sizeof names[0], names, error));
    PAL_TRY(remove_frames(directory, &pal_frame_series, 0, error));
    PAL_TRY(remove_frames(directory, &pal_contact_series, 0, error));
    // A run without contact leaves no empty folder of an earlier one; others' files keep it.
    unlinkat(directory->descriptor, pal_contact_series.folder, AT_REMOVEDIR);
    return PAL_OK;
}

PalStatus pal_series_check(const PalDirectory *directory, const PalSeries *series,
                           int64_t frame_count, PalError *error)
{
    char name[PAL_FRAME_NAME_SIZE];
    for (int64_t i = 0; i < frame_count; ++i) {
        int descriptor = pal_file_open(directory, pal_frame_name(series, i, name), O_RDONLY);
        if (descriptor < 0 && errno != ENOENT)
            return pal_file_error(directory, name, "cannot be opened", error);
        if (descriptor < 0)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "%s/%s: this frame is missing, so the run cannot be resumed",
                                 directory->path, name);
        close(descriptor);
    }
    return PAL_OK;
}

PalStatus pal_rundir_cut(const PalDirectory *directory, int64_t frame_count, PalError *error)
{
    static const char *const names[] = {"summary.json", "report.html", "picture.png"};
    PAL_TRY(remove_all(directory, sizeof names / sizeof names[0], names, error));
    PAL_TRY(remove_frames(directory, &pal_frame_series, frame_count, error));
    return remove_frames(directory, &pal_contact_series, frame_count, error);
}

// ---- collections --------------------------------------------------------------------------

static const char pvd_head[] = "<?xml version=\"1.0\"?>\n"
                               "<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n";
static const char pvd_tail[] = "</Collection>\n</VTKFile>\n";

static void put_entry(PalText *text, const PalSeries *series, int64_t frame_index, const char *time,
                      size_t time_length)
{
    char name[PAL_FRAME_NAME_SIZE];
    pal_text_print(text, "<DataSet timestep=\"%.*s\" part=\"0\" file=\"%s\"/>\n", (int)time_length,
                   time, pal_frame_name(series, frame_index, name));
}

PalStatus pal_pvd_write(const PalDirectory *directory, const PalSeries *series,
                        const PalText *history, int64_t frame_count, PalError *error)
{
    PalText text = {0};
    pal_text_add(&text, pvd_head);
    size_t place = 0;
    PalStatus status = PAL_OK;
    for (int64_t i = 0; i < frame_count && status == PAL_OK; ++i) {
        size_t start, length;
        if (!pal_history_next_frame(history, &place, &start, &length))
            status = pal_error_set(error, PAL_BAD_INPUT, "%s/history.csv: fewer rows than frames",
                                   directory->path);
        else
            put_entry(&text, series, i, history->data + start, length);
    }
    pal_text_add(&text, pvd_tail);
    if (status == PAL_OK)
        status = pal_file_replace_text(directory, series->collection, &text, PAL_FILE_PLAIN, error);
    pal_text_clear(&text);
    return status;
}

enum { COLLECTION_MAX = 1 << 30 };  // bytes; what is longer is not ours

static bool pvd_is_whole(const PalText *text)
{
    size_t tail = sizeof pvd_tail - 1;
    return text->length >= tail && memcmp(text->data + text->length - tail, pvd_tail, tail) == 0;
}

// Reads a collection; one that was removed or changed meanwhile is made again from the history.
static PalStatus read_pvd(const PalDirectory *directory, const PalSeries *series,
                          int64_t frame_count, PalText *text, PalError *error)
{
    bool found = false;
    PAL_TRY(
        pal_file_read_front(directory, series->collection, COLLECTION_MAX, text, &found, error));
    if (pvd_is_whole(text))
        return PAL_OK;
    PAL_TRY(pal_file_read(directory, "history.csv", text, &found, error));
    PAL_TRY(pal_pvd_write(directory, series, text, frame_count, error));
    return pal_file_read(directory, series->collection, text, &found, error);
}

enum { TAIL = sizeof pvd_tail - 1 };

// After a write that found no room. Should this fail too, the file is made again from the history.
static bool restore_tail(int descriptor, off_t size)
{
    return pwrite(descriptor, pvd_tail, TAIL, size - TAIL) == TAIL &&
           ftruncate(descriptor, size) == 0;
}

// Writes an entry and the tail over the tail, at once: the file is whole at any moment. False: the
// file is not as it should be, or there was no room.
static bool write_over_tail(int descriptor, const PalText *entry)
{
    char tail[TAIL];
    struct stat info;
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < TAIL ||
        entry->no_memory || pread(descriptor, tail, TAIL, info.st_size - TAIL) != TAIL ||
        memcmp(tail, pvd_tail, TAIL) != 0)
        return false;
    ssize_t written = pwrite(descriptor, entry->data, entry->length, info.st_size - TAIL);
    bool whole = written == (ssize_t)entry->length;
    if (!whole)
        restore_tail(descriptor, info.st_size);
    return whole;
}

static bool add_in_place(const PalDirectory *directory, const PalSeries *series,
                         int64_t frame_index, double time)
{
    int descriptor = openat(directory->descriptor, series->collection,
                            O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    PalText entry = {0};
    char number[PAL_NUMBER_SIZE];
    pal_number_format(time, number);
    put_entry(&entry, series, frame_index, number, strlen(number));
    pal_text_add(&entry, pvd_tail);
    bool done = write_over_tail(descriptor, &entry);
    pal_text_clear(&entry);
    close(descriptor);  // what it says comes too late: the entry must not be added again
    return done;
}

PalStatus pal_pvd_add(const PalDirectory *directory, const PalSeries *series, int64_t frame_index,
                      double time, PalError *error)
{
    if (add_in_place(directory, series, frame_index, time))
        return PAL_OK;
    PalText text = {0};
    PalStatus status = read_pvd(directory, series, frame_index, &text, error);
    if (status == PAL_OK) {
        char number[PAL_NUMBER_SIZE];
        text.length -= sizeof pvd_tail - 1;
        pal_number_format(time, number);
        put_entry(&text, series, frame_index, number, strlen(number));
        pal_text_add(&text, pvd_tail);
        status = pal_file_replace_text(directory, series->collection, &text, PAL_FILE_PLAIN, error);
    }
    pal_text_clear(&text);
    return status;
}
