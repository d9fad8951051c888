#include "base/claim.h"
#include "base/parallel.h"
#include "check.h"

#include <sched.h>

enum { THINGS = 64, TOGETHER = 8, ASKS = 1024, STEPS = 10 };

typedef struct Things {
    int64_t stamp;
    int64_t made[THINGS];
    int64_t value[THINGS];  // of the step
    int32_t times[THINGS];  // it was made in all
} Things;

static void ask(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Things *things = context;
    int32_t t = index / TOGETHER % THINGS;
    if (!pal_is_made(&things->made[t], things->stamp) &&
        pal_claim_to_make(&things->made[t], things->stamp)) {
        for (int i = 0; i < 4; ++i)
            sched_yield();  // others ask meanwhile
        things->value[t] = things->stamp * THINGS + t;
        ++things->times[t];
        pal_say_made(&things->made[t], things->stamp);
    }
    assert_true(things->value[t] == things->stamp * THINGS + t);
}

// Whoever asks finds it made, and nobody makes it twice.
static void each_is_made_once_a_step(void **state)
{
    (void)state;
    Things things = {0};
    for (things.stamp = 1; things.stamp <= STEPS; ++things.stamp)
        pal_parallel_for(8, ASKS, ask, &things);
    for (int t = 0; t < THINGS; ++t)
        assert_int_equal(things.times[t], STEPS);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_is_made_once_a_step),
};

CHECK_GROUP(tests, NULL, NULL)
