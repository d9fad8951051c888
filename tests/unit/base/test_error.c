// Messages are one line of bounded length, whatever they quote.
#include "check.h"

#include "base/utf8.h"

#include <palpate/base.h>

static void first_cause_stays(void **state)
{
    (void)state;
    PalError error = {0};
    assert_int_equal(pal_error_set(&error, PAL_BAD_INPUT, "%s:%d", "a", 1), PAL_BAD_INPUT);
    assert_int_equal(pal_error_set(&error, PAL_NO_MEMORY, "later"), PAL_NO_MEMORY);
    assert_string_equal(error.text, "a:1");
    assert_int_equal(error.status, PAL_BAD_INPUT);
    assert_int_equal(pal_error_set(NULL, PAL_IO_FAILED, "nobody listens"), PAL_IO_FAILED);
}

static void control_characters_are_written_out(void **state)
{
    (void)state;
    PalError error = {0};
    pal_error_set(&error, PAL_BAD_INPUT, "%s: bad", "a\nb\x1b[31m\x7f");
    assert_string_equal(error.text, "a\\nb\\x1b[31m\\x7f: bad");
}

static void long_names_lose_their_middle(void **state)
{
    (void)state;
    char name[6000];
    memset(name, 'x', sizeof name);
    memcpy(name, "first", 5);
    memcpy(name + sizeof name - 6, "last", 5);
    PalError error = {0};
    pal_error_set(&error, PAL_BAD_INPUT, "%s: cannot open %s", name, name);
    assert_true(strlen(error.text) < 420);
    assert_true(strncmp(error.text, "firstxxxx", 9) == 0);
    assert_non_null(strstr(error.text, "xxx...xxx"));
    assert_non_null(strstr(error.text, "xxlast: cannot open first"));
    // many short words
    for (size_t i = 5; i < sizeof name - 6; i += 4)
        name[i] = ' ';
    error = (PalError){0};
    pal_error_set(&error, PAL_BAD_INPUT, "%s: bad", name);
    assert_int_equal(strlen(error.text), 800);
    assert_string_equal(error.text + 791, "last: bad");
}

// Wherever a long name is cut, no character is.
static void characters_stay_whole(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 8; ++shift) {
        char name[2000] = "aaaaaaaa";
        size_t used = shift;
        for (; used + 8 < sizeof name; used += 7)
            memcpy(name + used, "\xf0\x9f\x98\x80\xe2\x82\xac", 7);
        name[used] = '\0';
        PalError error = {0};
        pal_error_set(&error, PAL_BAD_INPUT, "%s", name);
        for (const char *c = error.text; *c != '\0';) {
            int length = pal_utf8_length(c, PAL_UTF8_MAX);
            assert_true(length > 0);
            c += length;
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(first_cause_stays),
    cmocka_unit_test(control_characters_are_written_out),
    cmocka_unit_test(long_names_lose_their_middle),
    cmocka_unit_test(characters_stay_whole),
};
CHECK_GROUP(tests, NULL, NULL)
