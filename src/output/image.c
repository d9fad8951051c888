#include "output/image.h"

#include "base/memory.h"
#include "output/deflate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

bool pal_image_init(PalImage *image, int32_t width, int32_t height)
{
    *image = (PalImage){.width = width, .height = height};
    image->pixels = pal_alloc((size_t)width * (size_t)height, sizeof *image->pixels);
    return image->pixels != NULL;
}

void pal_image_clear(PalImage *image)
{
    pal_free(image->pixels);
    *image = (PalImage){0};
}

// ---- colours ----------------------------------------------------------------------------

// Samples of viridis: even steps look even, also in grey and to colour-blind eyes. Its darkest
// fifth is left out, so that light and shade can still be seen where values are low.
const PalColour pal_colour_stops[PAL_COLOUR_STOP_COUNT] = {
    {64, 71, 136},  {57, 86, 140},  {51, 99, 141},  {45, 112, 142}, {40, 125, 142}, {35, 138, 141},
    {31, 150, 139}, {32, 163, 135}, {41, 175, 127}, {60, 187, 117}, {85, 198, 103}, {115, 208, 85},
    {149, 216, 64}, {184, 222, 41}, {220, 227, 25}, {253, 231, 37},
};

PalColour pal_colour_mix(PalColour a, PalColour b, double share)
{
    return (PalColour){
        .r = (uint8_t)lround(a.r + share * (b.r - a.r)),
        .g = (uint8_t)lround(a.g + share * (b.g - a.g)),
        .b = (uint8_t)lround(a.b + share * (b.b - a.b)),
    };
}

PalColour pal_colour_map(double value)
{
    double place = fmin(fmax(value, 0), 1) * (PAL_COLOUR_STOP_COUNT - 1);
    int stop = place >= PAL_COLOUR_STOP_COUNT - 1 ? PAL_COLOUR_STOP_COUNT - 2 : (int)place;
    return pal_colour_mix(pal_colour_stops[stop], pal_colour_stops[stop + 1], place - stop);
}

// ---- PNG --------------------------------------------------------------------------------

static void put_big_endian(PalText *text, uint32_t value)
{
    unsigned char bytes[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16),
                              (unsigned char)(value >> 8), (unsigned char)value};
    pal_text_put(text, bytes, sizeof bytes);
}

static void put_chunk(PalText *text, const char *kind, const void *data, size_t size)
{
    put_big_endian(text, (uint32_t)size);
    pal_text_put(text, kind, 4);
    pal_text_put(text, data, size);
    uLong sum = crc32(0, (const Bytef *)kind, 4);
    if (size > 0)
        sum = crc32(sum, data, (uInt)size);
    put_big_endian(text, (uint32_t)sum);
}

// Each row as differences from the row above (filter 2): even areas become zeros.
static void filter_rows(const PalImage *image, unsigned char *out)
{
    size_t row_size = 3 * (size_t)image->width;
    const unsigned char *bytes = (const unsigned char *)image->pixels;
    for (int32_t y = 0; y < image->height; ++y) {
        *out++ = y > 0 ? 2 : 0;
        const unsigned char *row = bytes + (size_t)y * row_size;
        const unsigned char *above = y > 0 ? row - row_size : NULL;
        for (size_t i = 0; i < row_size; ++i)
            out[i] = (unsigned char)(above != NULL ? row[i] - above[i] : row[i]);
        out += row_size;
    }
}

PalStatus pal_image_encode(const PalImage *image, PalText *text, PalError *error)
{
    size_t size = (3 * (size_t)image->width + 1) * (size_t)image->height;
    unsigned char *filtered = pal_alloc(size, 1);
    PalText head = {0}, packed = {0};
    bool good = filtered != NULL;
    if (good) {
        filter_rows(image, filtered);
        pal_deflate(filtered, size, PAL_DEFLATE_TUPLES, 3, &packed);
        put_big_endian(&head, (uint32_t)image->width);
        put_big_endian(&head, (uint32_t)image->height);
        pal_text_put(&head, "\x08\x02\0\0\0", 5);  // 8 bits, RGB
        pal_text_put(text, "\x89PNG\r\n\x1a\n", 8);
        put_chunk(text, "IHDR", head.data, head.length);
        put_chunk(text, "IDAT", packed.data, packed.length);
        put_chunk(text, "IEND", NULL, 0);
        good = !head.no_memory && !packed.no_memory && !text->no_memory;
    }
    pal_text_clear(&head);
    pal_text_clear(&packed);
    pal_free(filtered);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
}
