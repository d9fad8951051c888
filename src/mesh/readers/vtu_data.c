#include "mesh/readers/vtu.h"

#include "base/memory.h"

#include <string.h>
#include <zlib.h>

typedef struct Decoder {
    const PalCursor *cursor;
    const char *name;
    const PalVtuFormat *format;
    PalVtuStream stream;
} Decoder;

static PalStatus fail(const Decoder *decoder, const char *what)
{
    return pal_cursor_fail(decoder->cursor, NULL, "the data of '%s' %s", decoder->name, what);
}

static int32_t base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : PAL_NONE;
}

// Four characters give up to three bytes. Padding may stand in the middle of the data, where
// one encoded piece ends and the next begins.
static bool decode_four(PalVtuStream *stream)
{
    uint32_t bits = 0;
    int32_t digits = 0, padding = 0;
    while (digits + padding < 4) {
        if (stream->at == stream->end)
            return false;
        char c = *stream->at++;
        if (pal_is_blank(c))
            continue;
        int32_t value = base64_value(c);
        padding += c == '=';
        if ((value == PAL_NONE && c != '=') || (value != PAL_NONE && padding > 0))
            return false;
        digits += value != PAL_NONE;
        bits = bits << 6 | (value == PAL_NONE ? 0U : (uint32_t)value);
    }
    if (padding > 2)
        return false;
    // the next byte to take is the last one
    stream->ready_count = 3 - padding;
    for (int32_t i = 0; i < stream->ready_count; ++i)
        stream->ready[stream->ready_count - 1 - i] = (uint8_t)(bits >> (16 - 8 * i));
    return true;
}

// The number of bytes the stream can still give, at most.
static size_t bytes_left(const PalVtuStream *stream)
{
    size_t left = (size_t)(stream->end - stream->at);
    return stream->base64 ? left / 4 * 3 + (size_t)stream->ready_count : left;
}

static bool take(PalVtuStream *stream, char *bytes, size_t size)
{
    if (size > bytes_left(stream))
        return false;
    if (!stream->base64) {
        if (size > 0)
            memcpy(bytes, stream->at, size);
        stream->at += size;
        return true;
    }
    for (size_t i = 0; i < size; ++i) {
        while (stream->ready_count == 0)
            if (!decode_four(stream))
                return false;
        bytes[i] = (char)stream->ready[--stream->ready_count];
    }
    return true;
}

static PalStatus take_header(Decoder *decoder, uint64_t *value)
{
    char bytes[8];
    size_t size = pal_number_size(decoder->format->header);
    if (!take(&decoder->stream, bytes, size))
        return fail(decoder, "ends within its header");
    *value = (uint64_t)pal_number_get_int(bytes, decoder->format->header, decoder->format->swap);
    return PAL_OK;
}

// Before any memory is asked for.
static PalStatus check_size(const Decoder *decoder, uint64_t size)
{
    if (size > decoder->stream.most)
        return pal_cursor_fail(
            decoder->cursor, NULL,
            "the data of '%s' has %llu bytes, expected at most %llu by the counts "
            "of its Piece",
            decoder->name, (unsigned long long)size, (unsigned long long)decoder->stream.most);
    if (decoder->format->compressed && size > decoder->stream.left)
        return pal_cursor_fail(decoder->cursor, NULL,
                               "the data up to '%s' decompresses to more than %d times the size of "
                               "the file, expected less",
                               decoder->name, PAL_VTU_EXPANSION_MAX);
    return PAL_OK;
}

static PalStatus decode_plain(Decoder *decoder, char **bytes, size_t *size)
{
    uint64_t count = 0;
    PAL_TRY(take_header(decoder, &count));
    if (count > bytes_left(&decoder->stream))
        return fail(decoder, "is shorter than its header says; the file is cut short or damaged");
    PAL_TRY(check_size(decoder, count));
    *size = (size_t)count;
    *bytes = pal_alloc(*size, 1);
    if (*bytes == NULL)
        return pal_cursor_no_memory(decoder->cursor);
    if (take(&decoder->stream, *bytes, *size))
        return PAL_OK;
    return fail(decoder, "is not base64, expected letters, digits, + and /");
}

static PalStatus inflate_block(const Decoder *decoder, const char *packed, uLong packed_size,
                               char *bytes, uLongf wanted)
{
    uLongf made = wanted;
    int answer = uncompress((Bytef *)bytes, &made, (const Bytef *)packed, packed_size);
    if (answer == Z_MEM_ERROR)
        return pal_cursor_no_memory(decoder->cursor);
    if (answer != Z_OK || made != wanted)
        return fail(decoder, "does not decompress; the file is damaged");
    return PAL_OK;
}

static PalStatus inflate_blocks(Decoder *decoder, const uint64_t head[3], const uint64_t *sizes,
                                char *bytes)
{
    uint64_t largest = 0;
    for (uint64_t b = 0; b < head[0]; ++b)
        largest = sizes[b] > largest ? sizes[b] : largest;
    char *packed = pal_alloc((size_t)largest, 1);
    if (packed == NULL)
        return pal_cursor_no_memory(decoder->cursor);
    PalStatus status = PAL_OK;
    for (uint64_t b = 0; b < head[0] && status == PAL_OK; ++b) {
        uint64_t wanted = b + 1 == head[0] && head[2] != 0 ? head[2] : head[1];
        if (take(&decoder->stream, packed, (size_t)sizes[b]))
            status = inflate_block(decoder, packed, (uLong)sizes[b], bytes, (uLongf)wanted);
        else
            status = fail(decoder, "ends within a block");
        bytes += wanted;
    }
    pal_free(packed);
    return status;
}

// Header: number of blocks, size of a block, size of the last one if it is another, then the
// compressed size of each.
static PalStatus decode_blocks(Decoder *decoder, char **bytes, size_t *size)
{
    enum { DEFLATE_MOST = 1032 };  // bytes that one compressed byte can become
    uint64_t head[3], packed = 0;
    for (int32_t i = 0; i < 3; ++i)
        PAL_TRY(take_header(decoder, &head[i]));
    uint64_t left = bytes_left(&decoder->stream);
    if (head[0] > left / pal_number_size(decoder->format->header))
        return fail(decoder, "has more blocks than bytes; the file is cut short or damaged");
    uint64_t *sizes = pal_alloc((size_t)head[0], sizeof *sizes);
    if (sizes == NULL)
        return pal_cursor_no_memory(decoder->cursor);
    PalStatus status = PAL_OK;
    for (uint64_t b = 0; b < head[0] && status == PAL_OK; ++b) {
        status = take_header(decoder, &sizes[b]);
        if (status == PAL_OK && sizes[b] > left - packed)
            status = fail(decoder, "is shorter than its blocks; the file is cut short or damaged");
        else if (status == PAL_OK)
            packed += sizes[b];
    }
    uint64_t most = DEFLATE_MOST * packed + 64, last = head[2] != 0 ? head[2] : head[1];
    if (status == PAL_OK && head[0] > 0 &&
        (last > most || last > head[1] || head[0] - 1 > (most - last) / (head[1] + (head[1] == 0))))
        status = fail(decoder, "has impossible block sizes; the file is damaged");
    *size = 0;
    if (status == PAL_OK && head[0] > 0)
        *size = (size_t)((head[0] - 1) * head[1] + last);
    if (status == PAL_OK)
        status = check_size(decoder, *size);
    if (status == PAL_OK && (*bytes = pal_alloc(*size, 1)) == NULL)
        status = pal_cursor_no_memory(decoder->cursor);
    if (status == PAL_OK)
        status = inflate_blocks(decoder, head, sizes, *bytes);
    pal_free(sizes);
    return status;
}

PalStatus pal_vtu_decode(const PalCursor *cursor, const char *name, const PalVtuFormat *format,
                         PalVtuStream stream, char **bytes, size_t *size)
{
    Decoder decoder = {.cursor = cursor, .name = name, .format = format, .stream = stream};
    *bytes = NULL;
    PalStatus status = format->compressed ? decode_blocks(&decoder, bytes, size)
                                          : decode_plain(&decoder, bytes, size);
    if (status != PAL_OK) {
        pal_free(*bytes);
        *bytes = NULL;
    }
    return status;
}
