#include "check.h"

#include "base/utf8.h"

static void tells_characters_from_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int length;
    } cases[] = {
        {"a", 1},
        {"\xc3\xa9", 2},
        {"\xe2\x80\xa8", 3},
        {"\xf0\x9f\x98\x80", 4},
        {"\x80", 0},
        {"\xc0\x80", 0},
        {"\xc3", 0},
        {"\xc3z", 0},
        {"\xff", 0},
        {"\xe0\x80\x80", 0},
        {"\xed\xa0\x80", 0},
        {"\xf4\x90\x80\x80", 0},
        {"\xe2\x80", 0},
        {"\xf0\x9f\x98", 0},
        {"\xf0\x80\x80\x80", 0},
        {"\xf5\x80\x80\x80", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_int_equal(pal_utf8_length(cases[i].text, PAL_UTF8_MAX), cases[i].length);
}

static void looks_no_further_than_told(void **state)
{
    (void)state;
    assert_int_equal(pal_utf8_length("\xc3\xa9", 1), 0);
    assert_int_equal(pal_utf8_length("\xe2\x80\xa8", 2), 0);
    assert_int_equal(pal_utf8_length("a", 0), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(tells_characters_from_bytes),
    cmocka_unit_test(looks_no_further_than_told),
};
CHECK_GROUP(tests, NULL, NULL)
