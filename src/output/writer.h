// The thread that writes frames and history. It computes nothing: a file is made before it is
// handed over, and files and rows are written in the order in which they came. One frame is on its
// way at a time; whoever brings the next one waits.
#ifndef PAL_OUTPUT_WRITER_H
#define PAL_OUTPUT_WRITER_H

#include "output/frame_file.h"
#include "output/rundir.h"

typedef struct PalWriter PalWriter;

typedef struct PalWriterDef {
    const PalDirectory *directory;  // borrowed, as the rest is
    const PalFrameFile *file;       // whose packed arrays complete each frame
    int history;                    // descriptor of history.csv, at its end
    int64_t history_bytes;          // how much of it counts already
    int64_t frame_count;            // frames that are there already
    bool touches;                   // there are files of contact, too
} PalWriterDef;

PalStatus pal_writer_create(const PalWriterDef *def, PalWriter **writer, PalError *error);
void pal_writer_destroy(PalWriter *writer);  // what was handed over is written first

// Waits until all is written, and tells the first failure there ever was. After one, nothing
// more is written.
PalStatus pal_writer_wait(PalWriter *writer, PalError *error);

// The next frame: texts to fill, after waiting; then they are handed over, with the frame's row.
PalText *pal_writer_frame(PalWriter *writer);
PalText *pal_writer_contacts(PalWriter *writer);
void pal_writer_send(PalWriter *writer, double time, const PalText *row);

// A row of history without a frame.
PalStatus pal_writer_row(PalWriter *writer, const PalText *row, PalError *error);

// After waiting: frames and bytes of history that are there whole.
int64_t pal_writer_frame_count(const PalWriter *writer);
int64_t pal_writer_history_bytes(const PalWriter *writer);

// What the writer's thread has used of a processor so far. NULL or without a thread: nothing.
double pal_writer_cpu_seconds(const PalWriter *writer);

#endif
