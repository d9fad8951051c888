// cmocka, with the headers it wants before it, and comparisons of numbers.
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

#endif
