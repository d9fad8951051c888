#include "output/writer.h"

#include "base/memory.h"
#include "base/timer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct PalWriter {
    PalWriterDef def;
    bool threaded;  // otherwise there is no thread to be had, and whoever sends a frame writes it
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;

    // The frame on its way: the thread's own while it is busy, the caller's otherwise.
    PalText frame, contacts;
    double time;

    // Under the mutex.
    bool busy, stopping;
    PalText rows;   // wait to be written, after the frame
    PalText taken;  // rows being written, by whoever is busy
    int64_t frame_count, history_bytes;
    PalError failure;  // PAL_OK: none
};

// ---- writing ----------------------------------------------------------------------------

// A file of a series, completed by what all of them have, and its entry in the collection.
static PalStatus write_file(const PalWriter *writer, const PalSeries *series, const PalText *text,
                            const PalVtuPacked *packed, PalError *error)
{
    char name[PAL_FRAME_NAME_SIZE];
    pal_frame_name(series, writer->frame_count, name);
    const PalPiece pieces[] = {
        {text->data, text->length},
        {packed->bytes.data, packed->bytes.length},
        {pal_vtu_tail, strlen(pal_vtu_tail)},
    };
    PAL_TRY(pal_file_replace_pieces(writer->def.directory, name, 3, pieces, PAL_FILE_PLAIN, error));
    return pal_pvd_add(writer->def.directory, series, writer->frame_count, writer->time, error);
}

static PalStatus write_frame(const PalWriter *writer, PalError *error)
{
    const PalFrameFile *file = writer->def.file;
    PAL_TRY(write_file(writer, &pal_frame_series, &writer->frame, &file->packed, error));
    return writer->def.touches ? write_file(writer, &pal_contact_series, &writer->contacts,
                                            &file->packed_labels, error)
                               : PAL_OK;
}

// A row that does not fit on the disk is removed again.
static PalStatus append(PalWriter *writer, const PalText *rows, PalError *error)
{
    if (rows->no_memory)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a row of history");
    if (pal_file_write_all(writer->def.history, rows->data, rows->length)) {
        writer->history_bytes += (int64_t)rows->length;
        return PAL_OK;
    }
    int cause = errno;
    bool cut = ftruncate(writer->def.history, (off_t)writer->history_bytes) == 0;
    errno = cause;
    return pal_file_error(writer->def.directory, "history.csv",
                          cut ? "cannot write" : "ends in an unfinished row, cannot write", error);
}

// Takes the rows that wait. False: there are none, and what was handed over is done with.
static bool take_rows(PalWriter *writer, const PalError *error)
{
    pthread_mutex_lock(&writer->mutex);
    bool some = error->status == PAL_OK && (writer->rows.length > 0 || writer->rows.no_memory);
    if (some) {
        PalText empty = writer->taken;
        writer->taken = writer->rows;
        writer->rows = empty;
        pal_text_reset(&writer->rows);
    } else {
        writer->failure = *error;
        writer->busy = false;
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->mutex);
    return some;
}

static void write_all(PalWriter *writer)
{
    PalError error = {0};
    bool counted = false;
    write_frame(writer, &error);
    while (take_rows(writer, &error)) {
        append(writer, &writer->taken, &error);
        if (error.status == PAL_OK && !counted) {  // the frame's own row came first
            ++writer->frame_count;
            counted = true;
        }
    }
}

static void *work(void *context)
{
    PalWriter *writer = context;
    pthread_mutex_lock(&writer->mutex);
    while (writer->busy || !writer->stopping) {
        if (!writer->busy) {
            pthread_cond_wait(&writer->changed, &writer->mutex);
            continue;
        }
        pthread_mutex_unlock(&writer->mutex);
        write_all(writer);
        pthread_mutex_lock(&writer->mutex);
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

// ---- the caller's side ------------------------------------------------------------------

PalStatus pal_writer_create(const PalWriterDef *def, PalWriter **writer, PalError *error)
{
    PalWriter *made = pal_alloc(1, sizeof *made);
    *writer = made;
    if (made == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the output");
    made->def = *def;
    made->frame_count = def->frame_count;
    made->history_bytes = def->history_bytes;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    sigset_t all, before;  // signals are for the threads of the program
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    made->threaded = pthread_create(&made->thread, NULL, work, made) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return PAL_OK;
}

void pal_writer_destroy(PalWriter *writer)
{
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->mutex);
    writer->stopping = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
    if (writer->threaded)
        pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->mutex);
    pal_text_clear(&writer->frame);
    pal_text_clear(&writer->contacts);
    pal_text_clear(&writer->rows);
    pal_text_clear(&writer->taken);
    pal_free(writer);
}

PalStatus pal_writer_wait(PalWriter *writer, PalError *error)
{
    pthread_mutex_lock(&writer->mutex);
    while (writer->busy)
        pthread_cond_wait(&writer->changed, &writer->mutex);
    PalError failure = writer->failure;
    pthread_mutex_unlock(&writer->mutex);
    return failure.status == PAL_OK ? PAL_OK
                                    : pal_error_set(error, failure.status, "%s", failure.text);
}

PalText *pal_writer_frame(PalWriter *writer)
{
    pal_text_reset(&writer->frame);
    return &writer->frame;
}

PalText *pal_writer_contacts(PalWriter *writer)
{
    pal_text_reset(&writer->contacts);
    return &writer->contacts;
}

void pal_writer_send(PalWriter *writer, double time, const PalText *row)
{
    pthread_mutex_lock(&writer->mutex);
    writer->time = time;
    pal_text_reset(&writer->rows);
    pal_text_put(&writer->rows, row->data, row->length);
    writer->busy = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
    if (!writer->threaded)
        write_all(writer);
}

PalStatus pal_writer_row(PalWriter *writer, const PalText *row, PalError *error)
{
    pthread_mutex_lock(&writer->mutex);
    PalError failure = writer->failure;
    bool later = writer->busy;
    if (later)
        pal_text_put(&writer->rows, row->data, row->length);
    pthread_mutex_unlock(&writer->mutex);
    if (failure.status != PAL_OK)
        return pal_error_set(error, failure.status, "%s", failure.text);
    if (later)
        return PAL_OK;
    PalStatus status = append(writer, row, &failure);
    if (status != PAL_OK)
        writer->failure = failure;
    return status == PAL_OK ? PAL_OK : pal_error_set(error, status, "%s", failure.text);
}

int64_t pal_writer_frame_count(const PalWriter *writer)
{
    return writer->frame_count;
}

int64_t pal_writer_history_bytes(const PalWriter *writer)
{
    return writer->history_bytes;
}

double pal_writer_cpu_seconds(const PalWriter *writer)
{
    return writer != NULL && writer->threaded ? pal_timer_thread_seconds(writer->thread) : 0;
}
