#include "output/h5_format.h"

#include <string.h>

const unsigned char pal_h5_signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

static bool is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

size_t pal_h5_type(PalH5Kind kind, size_t size, unsigned char bytes[H5_TYPE_MAX])
{
    // version and class, then which byte comes first, signs and paddings
    static const unsigned char heads[][4] = {
        [PAL_H5_REAL] = {0x11, 0x20, 63, 0},     [PAL_H5_INTEGER] = {0x10, 0x08, 0, 0},
        [PAL_H5_TEXT] = {0x13, 0, 0, 0},         [PAL_H5_REAL32] = {0x11, 0x20, 31, 0},
        [PAL_H5_INTEGER32] = {0x10, 0x08, 0, 0},
    };
    // of bits: the first, all; those of exponent and mantissa, and the bias
    static const unsigned char bits[][12] = {
        [PAL_H5_REAL] = {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 0x03, 0, 0},
        [PAL_H5_INTEGER] = {0, 0, 64, 0},
        [PAL_H5_REAL32] = {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0},
        [PAL_H5_INTEGER32] = {0, 0, 32, 0},
    };
    static const size_t bit_sizes[] = {[PAL_H5_REAL] = 12,
                                       [PAL_H5_INTEGER] = 4,
                                       [PAL_H5_TEXT] = 0,
                                       [PAL_H5_REAL32] = 12,
                                       [PAL_H5_INTEGER32] = 4};
    memcpy(bytes, heads[kind], 4);
    if (kind != PAL_H5_TEXT && is_big_endian())
        bytes[1] |= 1;
    for (size_t i = 0; i < 4; ++i)
        bytes[4 + i] = (unsigned char)(size >> (8 * i));
    if (bit_sizes[kind] > 0)
        memcpy(bytes + 8, bits[kind], bit_sizes[kind]);
    return 8 + bit_sizes[kind];
}

size_t pal_h5_number_size(PalH5Kind kind)
{
    return kind == PAL_H5_REAL32 || kind == PAL_H5_INTEGER32 ? 4 : 8;
}

uint64_t pal_h5_set_bytes(PalH5Kind kind, int64_t count)
{
    return ((uint64_t)count * pal_h5_number_size(kind) + 7) / 8 * 8;
}

static uint32_t turn(uint32_t value, int by)
{
    return value << by | value >> (32 - by);
}

// Of up to 12 bytes, what is missing counts as zero.
static void add_words(uint32_t w[3], const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < 12; ++i)
        w[i / 4] += (uint32_t)bytes[i] << (8 * (i % 4));
}

static void mix(uint32_t w[3])
{
    static const int turns[] = {4, 6, 8, 16, 19, 4};
    for (int i = 0; i < 6; ++i) {
        uint32_t *a = &w[i % 3], *b = &w[(i + 1) % 3], *c = &w[(i + 2) % 3];
        *a -= *c;
        *a ^= turn(*c, turns[i]);
        *c += *b;
    }
}

static void finish(uint32_t w[3])
{
    static const int turns[] = {14, 11, 25, 16, 4, 14, 24};
    for (int i = 0; i < 7; ++i) {
        uint32_t *to = &w[(i + 2) % 3], *from = &w[(i + 1) % 3];
        *to ^= *from;
        *to -= turn(*from, turns[i]);
    }
}

uint32_t pal_h5_sum(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint32_t start = 0xdeadbeef + (uint32_t)size, w[3] = {start, start, start};
    if (size == 0)
        return w[2];
    for (; size > 12; size -= 12, bytes += 12) {
        add_words(w, bytes, 12);
        mix(w);
    }
    add_words(w, bytes, size);
    finish(w);
    return w[2];
}
