// A file being written: whole or not at all. A failure is remembered and told at the end.
#ifndef PAL_MESH_WRITERS_SINK_H
#define PAL_MESH_WRITERS_SINK_H

#include <palpate/base.h>

typedef struct PalSink {
    int file;
    const char *path;
    char *part;  // the name while it is incomplete
    char *buffer;
    size_t used;
    int cause;         // errno of the first failure; 0: none
    uint8_t carry[3];  // of base64, not yet a group of three
    int carried;
} PalSink;

// Opens path.part. On failure nothing is to be closed.
PalStatus pal_sink_open(PalSink *sink, const char *path, PalError *error);

// With `keep`, path.part becomes path; otherwise, or on failure, it is removed and an older file
// of that name is untouched.
PalStatus pal_sink_close(PalSink *sink, bool keep, PalError *error);

void pal_sink_put(PalSink *sink, const void *data, size_t size);
void pal_sink_text(PalSink *sink, const char *text);
void pal_sink_print(PalSink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pal_sink_int(PalSink *sink, int64_t value);

// The shortest digits that read back as the same number, with a point in any locale.
void pal_sink_number(PalSink *sink, double value);

// Bytes of a number of the host, in the order asked for.
void pal_sink_binary(PalSink *sink, const void *value, size_t size, bool big_endian);

// Base64 runs on until its end is asked for.
void pal_sink_base64(PalSink *sink, const void *data, size_t size);
void pal_sink_base64_end(PalSink *sink);

#endif
