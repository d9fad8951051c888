// Whatever a scene can choose by name has a name of its own and a sentence that explains it.
#include "check.h"
#include <palpate/sim.h>

#include <string.h>

// Checks one enumeration: each name is found again where it stands, and no other name is.
#define CHECK_CHOICES(thing, Kind, least)                                                          \
    do {                                                                                           \
        int32_t count = 0;                                                                         \
        const PalChoice *choice;                                                                   \
        for (; (choice = pal_##thing##_choice(count)) != NULL; ++count) {                          \
            Kind kind = (Kind)(count == 0);                                                        \
            assert_true(pal_##thing##_find(choice->name, &kind));                                  \
            assert_int_equal(kind, count);                                                         \
            assert_string_equal(pal_##thing##_name((Kind)count), choice->name);                    \
            assert_int_equal(choice->help[strlen(choice->help) - 1], '.');                         \
        }                                                                                          \
        assert_true(count >= (least));                                                             \
        assert_null(pal_##thing##_choice(PAL_NONE));                                               \
        assert_null(pal_##thing##_name((Kind)count));                                              \
        Kind kept = (Kind)(count - 1);                                                             \
        assert_false(pal_##thing##_find("no such thing", &kept));                                  \
        assert_false(pal_##thing##_find("", &kept));                                               \
        assert_int_equal(kept, count - 1);                                                         \
    } while (0)

static void names_are_found_again(void **state)
{
    (void)state;
    CHECK_CHOICES(method, PalMethod, 3);
    CHECK_CHOICES(element, PalElementKind, 3);
    CHECK_CHOICES(ramp, PalRampKind, 4);
    CHECK_CHOICES(schedule, PalScheduleKind, 1);
    CHECK_CHOICES(hierarchy, PalHierarchyKind, 3);
    CHECK_CHOICES(update, PalUpdateKind, 4);
    CHECK_CHOICES(cone, PalConeKind, 2);
    CHECK_CHOICES(self_test, PalSelfTest, 3);
    CHECK_CHOICES(response, PalResponseKind, 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_found_again),
};
CHECK_GROUP(tests, NULL, NULL)
