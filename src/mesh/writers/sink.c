#include "mesh/writers/sink.h"

#include "base/memory.h"
#include "mesh/readers/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 18 };

static PalStatus fail(const PalSink *sink, int cause, PalError *error)
{
    return pal_error_set(error, PAL_IO_FAILED, "%s: cannot be written: %s", sink->path,
                         strerror(cause));
}

PalStatus pal_sink_open(PalSink *sink, const char *path, PalError *error)
{
    *sink = (PalSink){.file = -1, .path = path};
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return pal_error_set(error, PAL_BAD_INPUT, "%s: not a regular file, expected a file name",
                             path);
    size_t size = strlen(path) + sizeof ".part";
    sink->part = pal_alloc(size, 1);
    sink->buffer = pal_alloc(BUFFER_SIZE, 1);
    PalStatus status = PAL_OK;
    if (sink->part == NULL || sink->buffer == NULL) {
        status = pal_error_set(error, PAL_NO_MEMORY, "%s: not enough memory to write it", path);
    } else {
        snprintf(sink->part, size, "%s.part", path);
        sink->file = open(sink->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (sink->file < 0)
            status = fail(sink, errno, error);
    }
    if (status != PAL_OK) {
        pal_free(sink->part);
        pal_free(sink->buffer);
    }
    return status;
}

static void flush(PalSink *sink)
{
    for (size_t done = 0; done < sink->used && sink->cause == 0;) {
        ssize_t count = write(sink->file, sink->buffer + done, sink->used - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            sink->cause = count == 0 ? ENOSPC : errno;
        else
            done += (size_t)count;
    }
    sink->used = 0;
}

PalStatus pal_sink_close(PalSink *sink, bool keep, PalError *error)
{
    if (keep)
        flush(sink);
    if (close(sink->file) != 0 && sink->cause == 0)
        sink->cause = errno;
    if (keep && sink->cause == 0 && rename(sink->part, sink->path) != 0)
        sink->cause = errno;
    PalStatus status = PAL_OK;
    if (keep && sink->cause != 0)
        status = fail(sink, sink->cause, error);
    if (!keep || sink->cause != 0)
        unlink(sink->part);
    pal_free(sink->part);
    pal_free(sink->buffer);
    *sink = (PalSink){.file = -1};
    return status;
}

void pal_sink_put(PalSink *sink, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0) {
        size_t room = BUFFER_SIZE - sink->used, part = size < room ? size : room;
        memcpy(sink->buffer + sink->used, bytes, part);
        sink->used += part;
        bytes += part;
        size -= part;
        if (sink->used == BUFFER_SIZE)
            flush(sink);
    }
}

void pal_sink_text(PalSink *sink, const char *text)
{
    pal_sink_put(sink, text, strlen(text));
}

void pal_sink_print(PalSink *sink, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        pal_sink_put(sink, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void pal_sink_int(PalSink *sink, int64_t value)
{
    char text[24];
    size_t at = sizeof text;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        text[--at] = '-';
    pal_sink_put(sink, text + at, sizeof text - at);
}

void pal_sink_number(PalSink *sink, double value)
{
    char text[40], plain[40];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        size_t used = 0;
        bool point = false;
        for (const char *c = text; *c != '\0'; ++c) {
            bool known = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
            if (known)
                plain[used++] = *c;
            else if (!point)  // the locale's point may have several bytes
                plain[used++] = '.';
            point = !known;
        }
        plain[used] = '\0';
        double back;
        const char *end = pal_parse_double(plain, plain + used, &back);
        if (digits == 17 || (end == plain + used && back == value))
            break;
    }
    pal_sink_text(sink, plain);
}

void pal_sink_binary(PalSink *sink, const void *value, size_t size, bool big_endian)
{
    if (big_endian != pal_host_is_little_endian()) {
        pal_sink_put(sink, value, size);
        return;
    }
    const uint8_t *bytes = value;
    uint8_t turned[8];
    for (size_t i = 0; i < size; ++i)
        turned[i] = bytes[size - 1 - i];
    pal_sink_put(sink, turned, size);
}

static void put_three(PalSink *sink, const uint8_t *b, int count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char four[4] = {
        digits[b[0] >> 2],
        digits[(b[0] & 3) << 4 | b[1] >> 4],
        count > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=',
        count > 2 ? digits[b[2] & 63] : '=',
    };
    pal_sink_put(sink, four, sizeof four);
}

void pal_sink_base64(PalSink *sink, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; ++i) {
        sink->carry[sink->carried++] = bytes[i];
        if (sink->carried == 3) {
            put_three(sink, sink->carry, 3);
            sink->carried = 0;
        }
    }
}

void pal_sink_base64_end(PalSink *sink)
{
    if (sink->carried > 0) {
        memset(sink->carry + sink->carried, 0, (size_t)(3 - sink->carried));
        put_three(sink, sink->carry, sink->carried);
    }
    sink->carried = 0;
}
