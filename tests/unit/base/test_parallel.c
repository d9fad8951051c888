#include "base/parallel.h"
#include "check.h"

static void mark(void *context, int32_t index, int32_t worker)
{
    int32_t *seen = context;
    seen[index] += 1 + 0 * worker;
}

static void every_task_runs_once(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    for (int32_t threads = 1; threads <= 8; ++threads) {
        int32_t seen[COUNT] = {0};
        pal_parallel_for(threads, COUNT, mark, seen);
        for (int32_t i = 0; i < COUNT; ++i)
            assert_int_equal(seen[i], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_task_runs_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
