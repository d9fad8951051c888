// A pool of threads that help the caller. The caller works on the tasks itself and waits only for
// helpers that are in the middle of one: a helper that the system has not woken yet, because the
// machine is busy, is not waited for. (An OpenMP region ends when the last thread has arrived,
// which on a busy machine takes hundreds of times longer than the work.)
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    HELPER_MAX = 255,
    SPIN_IDLE = 20000,  // looks for the next loop before a helper sleeps: some tens of microseconds
    SPIN_CLOSE = 1000,  // looks at busy helpers before the caller gives its core away
};

// `state` counts the helpers at work, plus OPEN while a loop takes more.
#define OPEN (1 << 16)

static struct Pool {
    atomic_flag taken;  // by a caller
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int32_t helper_count;         // touched by the caller only
    int32_t workers[HELPER_MAX];  // number of each helper, from 1
    atomic_int sleeping;
    atomic_int state;
    atomic_uint round;  // grows with every loop
    atomic_int next;    // task
    int32_t thread_count, task_count;
    PalTask task;
    void *context;
} pool = {.taken = ATOMIC_FLAG_INIT,
          .mutex = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER};

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void work(int32_t worker)
{
    for (;;) {
        int32_t index = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed);
        if (index >= pool.task_count)
            return;
        pool.task(pool.context, index, worker);
    }
}

// Takes part in the loop that is open, if one is. What the caller wrote before opening is seen
// after joining, and what is done here is seen by the caller after it has closed the loop.
static void help(int32_t worker)
{
    int state = atomic_load_explicit(&pool.state, memory_order_relaxed);
    do {
        if ((state & OPEN) == 0)
            return;
    } while (!atomic_compare_exchange_weak_explicit(&pool.state, &state, state + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    if (worker < pool.thread_count)
        work(worker);
    atomic_fetch_sub_explicit(&pool.state, 1, memory_order_release);
}

static void wait_for_round(unsigned seen)
{
    for (int32_t k = 0; k < SPIN_IDLE; ++k) {
        if (atomic_load_explicit(&pool.round, memory_order_relaxed) != seen)
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool.mutex);
    atomic_fetch_add(&pool.sleeping, 1);
    while (atomic_load(&pool.round) == seen)
        pthread_cond_wait(&pool.wake, &pool.mutex);
    atomic_fetch_sub(&pool.sleeping, 1);
    pthread_mutex_unlock(&pool.mutex);
}

static void *helper_main(void *argument)
{
    int32_t worker = *(const int32_t *)argument;
    unsigned seen = 0;
    for (;;) {
        wait_for_round(seen);
        seen = atomic_load_explicit(&pool.round, memory_order_relaxed);
        help(worker);
    }
    return NULL;
}

// Fewer helpers than wanted are no failure: the caller does what is left.
static void add_helpers(int32_t wanted)
{
    while (pool.helper_count < wanted) {
        pthread_t thread;
        int32_t *worker = &pool.workers[pool.helper_count];
        *worker = pool.helper_count + 1;
        if (pthread_create(&thread, NULL, helper_main, worker) != 0)
            return;
        pthread_detach(thread);
        pool.helper_count++;
    }
}

static void open_loop(int32_t thread_count, int32_t task_count, PalTask task, void *context)
{
    pool.thread_count = thread_count;
    pool.task_count = task_count;
    pool.task = task;
    pool.context = context;
    atomic_store_explicit(&pool.next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.state, OPEN, memory_order_release);
    atomic_fetch_add(&pool.round, 1);
    if (atomic_load(&pool.sleeping) > 0) {
        pthread_mutex_lock(&pool.mutex);
        pthread_cond_broadcast(&pool.wake);
        pthread_mutex_unlock(&pool.mutex);
    }
}

static void close_loop(void)
{
    atomic_fetch_sub_explicit(&pool.state, OPEN, memory_order_relaxed);
    for (int32_t k = 0; atomic_load_explicit(&pool.state, memory_order_acquire) != 0; ++k) {
        if (k < SPIN_CLOSE)
            pause_briefly();
        else
            sched_yield();
    }
}

void pal_parallel_for(int32_t thread_count, int32_t task_count, PalTask task, void *context)
{
    int32_t helpers = (thread_count < task_count ? thread_count : task_count) - 1;
    helpers = helpers < HELPER_MAX ? helpers : HELPER_MAX;
    // A loop inside a loop, or of another thread, runs alone.
    if (helpers > 0 && !atomic_flag_test_and_set_explicit(&pool.taken, memory_order_acquire)) {
        add_helpers(helpers);
        open_loop(helpers + 1, task_count, task, context);
        work(0);
        close_loop();
        atomic_flag_clear_explicit(&pool.taken, memory_order_release);
        return;
    }
    for (int32_t i = 0; i < task_count; ++i)
        task(context, i, 0);
}

int32_t pal_parallel_core_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int32_t)count : 1;
}
