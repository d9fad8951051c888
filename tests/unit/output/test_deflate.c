// Streams of the deflate for pictures are read back by zlib, and are hardly longer than zlib's.
#include "check.h"
#include "output/deflate.h"

#include <stdlib.h>
#include <zlib.h>

enum { MOST = 300000 };

// What zlib reads of the stream is what was packed; returns the stream's length.
static size_t check_back(const unsigned char *data, size_t size, size_t stride)
{
    static unsigned char back[MOST];
    PalText text = {0};
    uLongf length = sizeof back;
    pal_deflate(data, size, stride, &text);
    assert_false(text.no_memory);
    assert_int_equal(
        uncompress(back, &length, (const unsigned char *)text.data, (uLong)text.length), Z_OK);
    assert_int_equal(length, size);
    assert_memory_equal(back, data, size);
    size_t packed = text.length;
    pal_text_clear(&text);
    return packed;
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
    cmocka_unit_test(test_one_value),
    cmocka_unit_test(test_random_runs),
    cmocka_unit_test(test_long_codes),
    cmocka_unit_test(test_noise_does_not_grow),
};

CHECK_GROUP(tests, NULL, NULL)
