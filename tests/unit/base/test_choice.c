#include "base/choice.h"
#include "check.h"

static const PalChoice fruits[] = {
    {"apple", "Round."}, {"pear", "Long."}, {"plum", "Small."}, {"quince", "Hard."}};

static const PalChoice *fruit(int32_t index)
{
    return index >= 0 && index < 4 ? &fruits[index] : NULL;
}

// A bit for each.
static bool is_wanted(int32_t index, int32_t wanted)
{
    return wanted >> index & 1;
}

static void names_that_fit_are_listed_as_said(void **state)
{
    (void)state;
    static const struct {
        int32_t wanted;
        const char *text;
    } cases[] = {{0, ""},
                 {4, "plum"},
                 {8, "quince"},
                 {9, "apple or quince"},
                 {7, "apple, pear or plum"},
                 {15, "apple, pear, plum or quince"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        PalChoiceNames names = pal_choices_that(fruit, is_wanted, cases[i].wanted);
        assert_string_equal(names.text, cases[i].text);
    }
}

static void names_are_found(void **state)
{
    (void)state;
    assert_int_equal(pal_choice_find(fruit, "plum"), 2);
    assert_int_equal(pal_choice_find(fruit, "fig"), PAL_NONE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_that_fit_are_listed_as_said),
    cmocka_unit_test(names_are_found),
};
CHECK_GROUP(tests, NULL, NULL)
