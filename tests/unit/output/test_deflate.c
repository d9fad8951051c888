// Streams of our own deflate are read back by zlib, and are hardly longer than zlib's.
#include "check.h"
#include "output/deflate.h"

#include <stdlib.h>
#include <zlib.h>

enum { MOST = 300000 };

// What zlib reads of the stream is what was packed; returns the stream's length.
static size_t check_back_how(const unsigned char *data, size_t size, PalDeflateHow how,
                             size_t stride)
{
    static unsigned char back[MOST];
    PalText text = {0};
    uLongf length = sizeof back;
    pal_deflate(data, size, how, stride, &text);
    assert_false(text.no_memory);
    assert_int_equal(
        uncompress(back, &length, (const unsigned char *)text.data, (uLong)text.length), Z_OK);
    assert_int_equal(length, size);
    assert_memory_equal(back, data, size);
    size_t packed = text.length;
    pal_text_clear(&text);
    return packed;
}

// In all ways; returns the length for pictures.
static size_t check_back(const unsigned char *data, size_t size, size_t stride)
{
    check_back_how(data, size, PAL_DEFLATE_BYTES, stride);
    check_back_how(data, size, PAL_DEFLATE_MATCHES, stride);
    return check_back_how(data, size, PAL_DEFLATE_TUPLES, stride);
}

static size_t zlib_length(const unsigned char *data, size_t size)
{
    static unsigned char out[MOST + 1000];
    uLongf length = sizeof out;
    assert_int_equal(compress2(out, &length, data, (uLong)size, 1), Z_OK);
    return length;
}

// Numbers that count: two bytes or more are those of the number before.
static void test_counting(void **state)
{
    (void)state;
    static int32_t numbers[MOST / 4];
    static int64_t wide[MOST / 8];
    for (int32_t i = 0; i < MOST / 4; ++i)
        numbers[i] = 4 * i + 4;
    for (int32_t i = 0; i < MOST / 8; ++i)
        wide[i] = INT64_C(8) * i + 8;
    const unsigned char *data = (const unsigned char *)numbers;
    size_t length = check_back_how(data, MOST, PAL_DEFLATE_BYTES, 4);
    assert_true((double)length < 1.1 * (double)zlib_length(data, MOST));
    assert_true(length < check_back_how(data, MOST, PAL_DEFLATE_TUPLES, 4) / 2);
    data = (const unsigned char *)wide;
    assert_true(check_back_how(data, MOST, PAL_DEFLATE_BYTES, 8) < MOST / 6);
}

// Corners of cells: pairs of numbers come back, near and far, and so do runs of them.
static void test_corners(void **state)
{
    (void)state;
    enum { COUNT = MOST / 2 };
    static uint16_t corners[COUNT];
    for (int32_t i = 0, cube = 0; i + 20 <= COUNT; i += 20, ++cube)
        for (int k = 0; k < 20; ++k)  // five tetrahedra
            corners[i + k] = (uint16_t)(cube % 3000 + (k * 7 % 8) % 2 + 21 * (k * 5 % 8 / 4));
    const unsigned char *data = (const unsigned char *)corners;
    size_t length = check_back_how(data, MOST, PAL_DEFLATE_MATCHES, 2);
    assert_true((double)length < 1.2 * (double)zlib_length(data, MOST));
    assert_true(length < check_back_how(data, MOST, PAL_DEFLATE_TUPLES, 2) / 2);
}

static void test_one_value(void **state)
{
    (void)state;
    static unsigned char data[MOST];
    const size_t sizes[] = {1, 2, 3, 4, 5, 6, 255, 256, 257, 1000, 65536, 65537, MOST};
    for (size_t stride = 1; stride <= 4; ++stride)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
            check_back(data, sizes[i], stride);
    assert_true(check_back(data, MOST, 3) < 2500);
}

static void test_random_runs(void **state)
{
    (void)state;
    static unsigned char data[MOST];
    uint32_t random = 1;
    for (size_t stride = 1; stride <= 4; ++stride)
        for (size_t i = 0; i < MOST;) {
            random = random * 1664525u + 1013904223u;
            size_t run = stride * (1 + (random >> 8) % 400);
            for (size_t k = 0; k < run && i < MOST; ++k, ++i)
                data[i] = (unsigned char)(k < stride || i < stride ? random >> (k % 4 * 8)
                                                                   : data[i - stride]);
            if (i == MOST)
                check_back(data, MOST, stride);
        }
}

// Counts like Fibonacci's numbers would have codes of more than 15 bits.
static void test_long_codes(void **state)
{
    (void)state;
    static unsigned char data[MOST];
    size_t size = 0;
    size_t a = 1, b = 1;
    for (int s = 0; size + a < 65536; ++s) {
        for (size_t k = 0; k < a; ++k)
            data[size++] = (unsigned char)s;
        size_t next = a + b;
        a = b, b = next;
    }
    // no runs: neighbours of one value are put apart
    for (size_t i = 0; i < size; ++i) {
        size_t j = i * 7919 % size;
        unsigned char kept = data[i];
        data[i] = data[j], data[j] = kept;
    }
    check_back(data, size, 1);
    check_back(data, size, 3);
}

static void test_noise_does_not_grow(void **state)
{
    (void)state;
    static unsigned char data[MOST];
    uint32_t random = 7;
    for (size_t i = 0; i < MOST; ++i) {
        random = random * 1664525u + 1013904223u;
        data[i] = (unsigned char)(random >> 24);
    }
    assert_true((double)check_back(data, MOST, 3) < 1.01 * MOST);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_counting),   cmocka_unit_test(test_corners),
    cmocka_unit_test(test_one_value),  cmocka_unit_test(test_random_runs),
    cmocka_unit_test(test_long_codes), cmocka_unit_test(test_noise_does_not_grow),
};

CHECK_GROUP(tests, NULL, NULL)
