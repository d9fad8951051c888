// How many threads may build the model of a simulation: those it asks for, or else its solver.
#include "simulate.h"

#include <dirent.h>

// Threads of this process. Helpers start when they are first needed, and stay.
static int32_t threads_there(void)
{
    int32_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return count;
}

static void start(int32_t for_steps, int32_t for_model)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
    s.sim.solver.thread_count = for_steps;
    s.sim.model.thread_count = for_model;
    simulate_start(&s);
    simulate_end(&s);
}

static void models_are_built_by_as_many_as_are_asked_for(void **state)
{
    (void)state;
    if (threads_there() != 1)  // other tests were here before, or it is not told
        skip();
    start(1, 0);
    start(4, 1);
    assert_int_equal(threads_there(), 1);
    start(1, 2);
    assert_true(threads_there() > 1);  // the thread sanitizer adds one of its own
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(models_are_built_by_as_many_as_are_asked_for),
};
CHECK_GROUP(tests, NULL, NULL)
