// What is said of foreign models: where, what, and not without end.
#include "check.h"
#include "scene/tree/notes.h"

#include <string.h>

static void fails_with_file_and_line(void **unused)
{
    (void)unused;
    PalError error = {0};
    PalNotes notes = {.path = "model.inp", .error = &error};
    assert_int_equal(pal_notes_fail(&notes, 7, "a step of %d, expected %s", 3, "one"),
                     PAL_BAD_INPUT);
    assert_string_equal(error.text, "model.inp:7: a step of 3, expected one");
    error = (PalError){0};
    assert_int_equal(pal_notes_fail(&notes, 0, "no step"), PAL_BAD_INPUT);
    assert_string_equal(error.text, "model.inp: no step");
    error = (PalError){0};
    assert_int_equal(pal_notes_no_memory(&notes), PAL_NO_MEMORY);
    assert_true(strncmp(error.text, "model.inp: no memory", 20) == 0);
}

static void warns_until_it_is_enough(void **unused)
{
    (void)unused;
    PalFindings warnings = {0};
    PalNotes notes = {.path = "model.inp", .warnings = &warnings};
    for (int i = 0; i < 100; ++i) {
        assert_true(pal_notes_can_warn(&notes));
        pal_notes_warn(&notes, i, "the keyword %d is not carried over", i);
    }
    assert_string_equal(warnings.list.items[0].text,
                        "model.inp: the keyword 0 is not carried over");
    assert_string_equal(warnings.list.items[99].text,
                        "model.inp:99: the keyword 99 is not carried over");
    for (int i = 0; i < 50; ++i)
        pal_notes_warn(&notes, 1, "one more");
    assert_false(pal_notes_can_warn(&notes));
    assert_int_equal(warnings.list.count, 101);
    assert_string_equal(warnings.list.items[100].text, "model.inp: further warnings left out");
    pal_array_clear(&warnings.list);
}

static void cuts_what_is_too_long(void **unused)
{
    (void)unused;
    char path[3000] = "";
    memset(path, 'p', sizeof path - 1);
    PalError error = {0};
    PalFindings warnings = {0};
    PalNotes notes = {.path = path, .warnings = &warnings, .error = &error};
    pal_notes_warn(&notes, 1, "%s", path);
    assert_int_equal(pal_notes_fail(&notes, 1, "%s", path), PAL_BAD_INPUT);
    assert_true(strlen(error.text) < sizeof error.text);
    assert_int_equal(warnings.list.count, 1);
    pal_array_clear(&warnings.list);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(fails_with_file_and_line),
    cmocka_unit_test(warns_until_it_is_enough),
    cmocka_unit_test(cuts_what_is_too_long),
};
CHECK_GROUP(tests, NULL, NULL)
