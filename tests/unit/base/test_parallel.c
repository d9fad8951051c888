#include "base/parallel.h"
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { COUNT = 1000, CALLERS = 4 };

typedef struct Marks {
    int32_t seen[COUNT];
    int32_t worker[COUNT];
} Marks;

static void mark(void *context, int32_t index, int32_t worker)
{
    Marks *marks = context;
    marks->seen[index]++;
    marks->worker[index] = worker;
}

static void check_marks(const Marks *marks, int32_t threads)
{
    for (int32_t i = 0; i < COUNT; ++i) {
        assert_int_equal(marks->seen[i], 1);
        assert_in_range(marks->worker[i], 0, threads - 1);
    }
}

static void every_task_runs_once(void **state)
{
    (void)state;
    const int32_t threads[] = {1, 8, 2, 3, 5, 1, 300, 2};
    for (int32_t round = 0; round < 50; ++round)
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; ++t) {
            Marks marks = {0};
            pal_parallel_for(threads[t], COUNT, mark, &marks);
            check_marks(&marks, threads[t]);
        }
}

static void nothing_to_do_is_no_trouble(void **state)
{
    (void)state;
    pal_parallel_for(4, 0, mark, NULL);
    pal_parallel_for(0, 0, mark, NULL);
    Marks marks = {0};
    pal_parallel_for(0, COUNT, mark, &marks);
    check_marks(&marks, 1);
}

// What the caller does while helpers are at work may be loops as well.
static void helpers_may_begin(void **state)
{
    (void)state;
    const int32_t threads[] = {1, 8, 2, 3, 0, 300};
    for (int32_t round = 0; round < 50; ++round)
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; ++t) {
            Marks marks = {0}, inner = {0};
            PalLoop loop;
            pal_parallel_begin(threads[t], COUNT, mark, &marks, &loop);
            pal_parallel_for(threads[t], COUNT, mark, &inner);
            pal_parallel_end(&loop);
            check_marks(&inner, threads[t] > 1 ? threads[t] : 1);
            check_marks(&marks, threads[t] > 1 ? threads[t] : 1);
            pal_parallel_begin(threads[t], 0, mark, NULL, &loop);
            pal_parallel_end(&loop);
        }
}

static void *call_often(void *argument)
{
    Marks *marks = argument;
    bool whole = true;
    for (int round = 0; round < 200; ++round) {
        memset(marks, 0, sizeof *marks);
        pal_parallel_for(3, COUNT, mark, marks);
        for (int32_t i = 0; i < COUNT; ++i)
            whole &= marks->seen[i] == 1;
    }
    return whole ? marks : NULL;
}

static void several_threads_may_call(void **state)
{
    (void)state;
    static Marks marks[CALLERS];
    pthread_t threads[CALLERS];
    for (int k = 0; k < CALLERS; ++k)
        assert_int_equal(pthread_create(&threads[k], NULL, call_often, &marks[k]), 0);
    for (int k = 0; k < CALLERS; ++k) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[k], &result), 0);
        assert_non_null(result);
    }
}

// ---- helpers of several callers ----------------------------------------------------------

enum { PATIENCE = 20000 };  // milliseconds until a test that waits for threads gives up

// Tasks that wait until all tasks of all callers have begun: only threads of their own can do that.
typedef struct Meeting {
    atomic_int arrived;
    int expected, patience;
    atomic_bool missed;
} Meeting;

static void meet(void *context, int32_t index, int32_t worker)
{
    (void)index;
    (void)worker;
    Meeting *meeting = context;
    atomic_fetch_add(&meeting->arrived, 1);
    for (int wait = 0; atomic_load(&meeting->arrived) < meeting->expected; ++wait) {
        if (wait >= meeting->patience) {
            atomic_store(&meeting->missed, true);
            return;
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

static void *call_to_meet(void *argument)
{
    pal_parallel_for(2, 2, meet, argument);
    return NULL;
}

static void callers_at_once_all_have_help(void **state)
{
    (void)state;
    for (int round = 0; round < 20; ++round) {
        Meeting meeting = {.expected = 2 * CALLERS, .patience = PATIENCE};
        pthread_t threads[CALLERS];
        for (int k = 0; k < CALLERS; ++k)
            assert_int_equal(pthread_create(&threads[k], NULL, call_to_meet, &meeting), 0);
        for (int k = 0; k < CALLERS; ++k)
            assert_int_equal(pthread_join(threads[k], NULL), 0);
        assert_false(atomic_load(&meeting.missed));
        assert_int_equal(atomic_load(&meeting.arrived), 2 * CALLERS);
    }
}

typedef struct Inner {
    Marks marks;
    bool alone;
} Inner;

// With a helper, the two tasks would meet.
static void run_inner(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Inner *inner = (Inner *)context + index;
    Meeting meeting = {.expected = 2, .patience = 50};
    pal_parallel_for(3, COUNT, mark, &inner->marks);
    pal_parallel_for(2, 2, meet, &meeting);
    inner->alone = atomic_load(&meeting.missed);
}

static void a_loop_in_a_loop_runs_alone(void **state)
{
    (void)state;
    Inner inner[6] = {0};
    pal_parallel_for(4, 6, run_inner, inner);
    for (int k = 0; k < 6; ++k) {
        check_marks(&inner[k].marks, 1);
        assert_true(inner[k].alone);
    }
    Meeting meeting = {.expected = 2, .patience = PATIENCE};  // and afterwards there is help again
    pal_parallel_for(2, 2, meet, &meeting);
    assert_false(atomic_load(&meeting.missed));
}

// Helpers that have begun with a loop help the caller in others; as long as they are at a task, it
// works alone.
static void helpers_that_have_begun_help_beside(void **state)
{
    (void)state;
    for (int round = 0; round < 20; ++round) {
        Marks marks = {0};
        Inner inner[4] = {0};
        PalLoop loop;
        Meeting meeting = {.expected = 2, .patience = PATIENCE};
        pal_parallel_begin(2, COUNT, mark, &marks, &loop);
        pal_parallel_for(2, 2, meet, &meeting);
        if (round == 0)
            pal_parallel_for(2, 4, run_inner, inner);
        pal_parallel_end(&loop);
        assert_false(atomic_load(&meeting.missed));
        check_marks(&marks, 2);
        for (int k = 0; k < 4 && round == 0; ++k) {
            check_marks(&inner[k].marks, 1);
            assert_true(inner[k].alone);
        }
    }
    Meeting busy = {.expected = 2, .patience = PATIENCE}, beside = {.expected = 2, .patience = 50};
    PalLoop loop;
    pal_parallel_begin(2, 1, meet, &busy, &loop);
    while (atomic_load(&busy.arrived) == 0)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    pal_parallel_for(2, 2, meet, &beside);
    assert_true(atomic_load(&beside.missed));
    atomic_fetch_add(&busy.arrived, 1);
    pal_parallel_end(&loop);
    assert_false(atomic_load(&busy.missed));
}

// ---- loops beside one that was begun with --------------------------------------------------

typedef struct Beside {
    Meeting meeting;
    atomic_int begun, done;  // tasks of the loop that helpers have begun with
    int begun_when_met;
    int32_t waiter;  // which worker waits until they are done
    bool missed;
} Beside;

// The first of them lasts until the caller is in the loop beside.
static void last_until_caller_arrives(void *context, int32_t index, int32_t worker)
{
    Beside *beside = context;
    (void)index;
    (void)worker;
    atomic_fetch_add(&beside->begun, 1);
    for (int wait = 0; atomic_load(&beside->meeting.arrived) == 0 && wait < PATIENCE; ++wait)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    atomic_fetch_add(&beside->done, 1);
}

static void meet_and_count(void *context, int32_t index, int32_t worker)
{
    Beside *beside = context;
    if (worker > 0)
        beside->begun_when_met = atomic_load(&beside->begun);
    meet(&beside->meeting, index, worker);
}

// Who comes from the loop that was begun with comes before it is done.
static void a_loop_beside_comes_first(void **state)
{
    (void)state;
    for (int round = 0; round < 20; ++round) {
        Beside beside = {.meeting = {.expected = 2, .patience = PATIENCE}};
        PalLoop loop;
        pal_parallel_begin(2, COUNT, last_until_caller_arrives, &beside, &loop);
        pal_parallel_for(2, 2, meet_and_count, &beside);
        pal_parallel_end(&loop);
        assert_false(atomic_load(&beside.meeting.missed));
        assert_in_range(beside.begun_when_met, 0, 1);
        assert_int_equal(atomic_load(&beside.done), COUNT);
    }
}

// One of the two waits until all tasks of the loop that was begun with are done: the other, who has
// nothing left to do, has to do them.
static void meet_and_wait(void *context, int32_t index, int32_t worker)
{
    Beside *beside = context;
    meet(&beside->meeting, index, worker);
    for (int wait = 0; worker == beside->waiter && atomic_load(&beside->done) < COUNT; ++wait) {
        if (wait >= PATIENCE) {
            beside->missed = true;
            return;
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

static void who_waits_for_a_loop_beside_goes_on_with_the_first(void **state)
{
    (void)state;
    for (int round = 0; round < 20; ++round) {
        Beside beside = {.meeting = {.expected = 2, .patience = PATIENCE}, .waiter = round % 2};
        PalLoop loop;
        pal_parallel_begin(2, COUNT, last_until_caller_arrives, &beside, &loop);
        pal_parallel_for(2, 2, meet_and_wait, &beside);
        pal_parallel_end(&loop);
        assert_false(atomic_load(&beside.meeting.missed));
        assert_false(beside.missed);
        assert_int_equal(atomic_load(&beside.done), COUNT);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_task_runs_once),
    cmocka_unit_test(nothing_to_do_is_no_trouble),
    cmocka_unit_test(helpers_may_begin),
    cmocka_unit_test(several_threads_may_call),
    cmocka_unit_test(callers_at_once_all_have_help),
    cmocka_unit_test(a_loop_in_a_loop_runs_alone),
    cmocka_unit_test(helpers_that_have_begun_help_beside),
    cmocka_unit_test(a_loop_beside_comes_first),
    cmocka_unit_test(who_waits_for_a_loop_beside_goes_on_with_the_first),
};
CHECK_GROUP(tests, NULL, NULL)
