// cmocka, with the headers it wants before it, comparisons of numbers, and how a file of tests
// becomes part of its folder's program.
#ifndef PAL_TESTS_CHECK_H
#define PAL_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// |actual - expected| <= tolerance, with the numbers in the message.
#define check_near(actual, expected, tolerance)                                                    \
    do {                                                                                           \
        double check_a = (actual), check_e = (expected), check_t = (tolerance);                    \
        if (!(fabs(check_a - check_e) <= check_t))                                                 \
            fail_msg("%s is %.17g, expected %.17g within %.3g (off by %.3g)", #actual, check_a,    \
                     check_e, check_t, fabs(check_a - check_e));                                   \
    } while (0)

// A call returned PAL_OK; prints the error otherwise.
#define check_ok(call, error)                                                                      \
    do {                                                                                           \
        if ((call) != PAL_OK)                                                                      \
            fail_msg("%s failed: %s", #call, (error)->text);                                       \
    } while (0)

// The tests of one file.
typedef struct CheckGroup {
    const char *file;
    int (*run)(void);  // returns how many tests failed
    struct CheckGroup *next;
} CheckGroup;

// Adds a group to the program; tests/main.c runs it by the name of its file.
void check_group_add(CheckGroup *group);

// The last line of each file of tests: hands its table of tests to the program. What prepares and
// what cleans up the whole group may be NULL.
#define CHECK_GROUP(table, prepare, clean_up)                                                      \
    static int check_group_run(void)                                                               \
    {                                                                                              \
        return cmocka_run_group_tests(table, prepare, clean_up);                                   \
    }                                                                                              \
    __attribute__((constructor)) static void check_group_announce(void)                            \
    {                                                                                              \
        static CheckGroup group = {.file = __FILE__, .run = check_group_run};                      \
        check_group_add(&group);                                                                   \
    }

#endif
