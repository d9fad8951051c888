// The machine is played by a function that says how long a step takes.
#include "base/pace.h"
#include "check.h"

typedef double (*Machine)(int32_t threads, int64_t step);

// Seconds from step `first` to step `last`, and what they would have taken with the best number of
// threads there is.
typedef struct Spent {
    double with_pace, at_best;
} Spent;

static Spent run(PalPace *pace, Machine machine, int64_t first, int64_t last)
{
    Spent spent = {0, 0};
    for (int64_t s = first; s < last; ++s) {
        int32_t threads = pal_pace_threads(pace);
        assert_in_range(threads, 1, pace->most);
        double best = machine(1, s);
        for (int32_t t = 2; t <= pace->most; ++t)
            best = fmin(best, machine(t, s));
        double seconds = machine(threads, s);
        pal_pace_took(pace, seconds);
        spent.with_pace += seconds;
        spent.at_best += best;
    }
    return spent;
}

static double shared(int32_t threads, int64_t step)
{
    (void)step;
    return 1e-3 / threads;
}

static double not_shared(int32_t threads, int64_t step)
{
    (void)step;
    return 1e-4 * (1 + 0.05 * (threads - 1));
}

static double best_with_three_of_twelve(int32_t threads, int64_t step)
{
    (void)step;
    return 1e-4 * (1.0 / threads + 0.1 * threads);
}

// As with two cores.
static double best_with_two(int32_t threads, int64_t step)
{
    (void)step;
    return threads == 2 ? 5e-5 : threads == 1 ? 1e-4 : 8e-5;
}

static double busy_later(int32_t threads, int64_t step)
{
    bool busy = step >= 20000 && step < 40000;
    return busy ? 2e-3 * (threads > 1 ? 20 : 1) : 1e-3 / threads;
}

// Steps grow longer, all the same for any number of threads, with a jolt now and then.
static double growing(int32_t threads, int64_t step)
{
    return (1e-4 + 1e-7 * (double)step) * (step % 97 == 0 ? 3 : 1) * (threads > 1 ? 0.9 : 1);
}

static void one_thread_stays_one(void **state)
{
    (void)state;
    PalPace pace;
    pal_pace_init(&pace, 1);
    Spent spent = run(&pace, shared, 0, 1000);
    check_near(spent.with_pace, 1, 1e-9);
}

static void threads_that_share_the_work_are_kept(void **state)
{
    (void)state;
    for (int32_t most = 2; most <= 12; ++most) {
        PalPace pace;
        pal_pace_init(&pace, most);
        Spent spent = run(&pace, shared, 0, 5000);
        assert_true(spent.with_pace < 1.03 * spent.at_best);
        assert_int_equal(pace.kept, most);
    }
}

static void threads_that_do_not_help_are_left_alone(void **state)
{
    (void)state;
    for (int32_t most = 2; most <= 12; ++most) {
        PalPace pace;
        pal_pace_init(&pace, most);
        Spent spent = run(&pace, not_shared, 0, 20000);
        assert_true(spent.with_pace < 1.02 * spent.at_best);
        assert_int_equal(pace.kept, 1);
    }
}

static void some_threads_may_be_better_than_all(void **state)
{
    (void)state;
    PalPace pace;
    pal_pace_init(&pace, 12);
    Spent spent = run(&pace, best_with_three_of_twelve, 0, 20000);
    assert_true(spent.with_pace < 1.02 * spent.at_best);
    assert_int_equal(pace.kept, 3);
}

static void two_threads_are_found_from_any_number(void **state)
{
    (void)state;
    for (int32_t most = 2; most <= 12; ++most) {
        PalPace pace;
        pal_pace_init(&pace, most);
        run(&pace, best_with_two, 0, 2000);
        assert_int_equal(pace.kept, 2);
    }
}

static void a_busy_machine_is_noticed_and_forgotten(void **state)
{
    (void)state;
    PalPace pace;
    pal_pace_init(&pace, 2);
    Spent calm = run(&pace, busy_later, 0, 20000);
    assert_true(calm.with_pace < 1.01 * calm.at_best);
    Spent busy = run(&pace, busy_later, 20000, 40000);
    assert_int_equal(pace.kept, 1);
    assert_true(busy.with_pace < 1.2 * busy.at_best);  // a step with two threads costs twenty
    run(&pace, busy_later, 40000, 60000);
    assert_int_equal(pace.kept, 2);
}

static void a_steady_change_favours_neither(void **state)
{
    (void)state;
    PalPace pace;
    pal_pace_init(&pace, 2);
    Spent spent = run(&pace, growing, 0, 50000);
    assert_true(spent.with_pace < 1.02 * spent.at_best);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_thread_stays_one),
    cmocka_unit_test(threads_that_share_the_work_are_kept),
    cmocka_unit_test(threads_that_do_not_help_are_left_alone),
    cmocka_unit_test(some_threads_may_be_better_than_all),
    cmocka_unit_test(two_threads_are_found_from_any_number),
    cmocka_unit_test(a_busy_machine_is_noticed_and_forgotten),
    cmocka_unit_test(a_steady_change_favours_neither),
};
CHECK_GROUP(tests, NULL, NULL)
