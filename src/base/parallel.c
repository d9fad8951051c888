// Crews of threads that help callers. A caller works on the tasks itself and waits only for helpers
// that are in the middle of one: a helper that the system has not woken yet, because the machine is
// busy, is not waited for. (An OpenMP region ends when the last thread has arrived, which on a busy
// machine takes hundreds of times longer than the work.)
//
// Helpers look for the next loop for a while before they sleep: to be woken takes longer than many
// loops do. Where others want the core, that would take it away from them, and from the caller as
// well: a helper that was kept off its core sleeps soon, and grows patient again little by little.
//
// Callers in several threads have a crew each while their loops run, so that none waits for another
// or has to do without help. A caller comes back to the crew it had last, whose helpers are awake.
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum {
    HELPER_MAX = 255,      // in a crew
    CREW_MAX = 64,         // callers at once that have help
    SPIN_MOST = 20000,     // looks for the next loop before a helper sleeps: half a millisecond
    SPIN_LEAST = 500,      // the same on a busy machine: some ten microseconds
    SPIN_MORE = 8,         // by so many more with each loop for which it has had its core
    SPIN_CLOSE = 100,      // looks at busy helpers before the caller gives its core away
    KEPT_OFF_NS = 100000,  // a helper that is off its core for longer was kept from it
};

#define OPEN (1 << 16)

typedef struct Crew Crew;

// What there is to do. `state` counts the helpers at work, plus OPEN while the loop takes more.
typedef struct Loop {
    alignas(64) atomic_int state;
    atomic_int next;  // task
    int32_t thread_count, task_count;
    PalTask task;
    void *context;
} Loop;

typedef struct Helper {
    Crew *crew;
    int32_t worker;  // from 1
} Helper;

struct Crew {
    alignas(64) atomic_bool taken;  // by a caller
    bool ready;                     // mutex and condition are there; touched by the caller only
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int32_t helper_count;  // touched by the caller only
    atomic_int sleeping;
    atomic_uint round;  // grows with every loop
    Loop loops[2];      // the second while helpers have begun with the first
    Helper helpers[HELPER_MAX];
};

static Crew crews[CREW_MAX];

static _Thread_local bool at_work;       // in a task of a loop that several threads share
static _Thread_local Crew *begun;        // helpers have begun with a loop of this thread
static _Thread_local int32_t last_crew;  // that this thread had

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Does the next task. False: none is left.
static bool work_once(Loop *loop, int32_t worker)
{
    if (atomic_load_explicit(&loop->next, memory_order_relaxed) >= loop->task_count)
        return false;
    int32_t index = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
    if (index >= loop->task_count)
        return false;
    loop->task(loop->context, index, worker);
    return true;
}

static void work(Loop *loop, int32_t worker)
{
    while (work_once(loop, worker))
        continue;
}

// Takes part in a loop if it is open, and between its tasks in a more urgent one, which the caller
// is waiting for. What the caller wrote before opening is seen after joining, and what is done here
// is seen by the caller after it has closed the loop.
static void help(Loop *loop, Loop *urgent, int32_t worker)
{
    int state = atomic_load_explicit(&loop->state, memory_order_relaxed);
    do {
        if ((state & OPEN) == 0)
            return;
    } while (!atomic_compare_exchange_weak_explicit(&loop->state, &state, state + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    while (worker < loop->thread_count && work_once(loop, worker))
        if (urgent != NULL)
            help(urgent, NULL, worker);
    atomic_fetch_sub_explicit(&loop->state, 1, memory_order_release);
}

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return INT64_C(1000000000) * time.tv_sec + time.tv_nsec;
}

// How long this thread has been off its core, ever.
static int64_t time_off(void)
{
    return nanoseconds(CLOCK_MONOTONIC) - nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

// How long a helper looks for the next loop.
typedef struct Patience {
    int32_t looks;
    int64_t off;  // how long it had been off its core when it last began, or woke
} Patience;

static void renew_patience(Patience *patience)
{
    int64_t off = time_off();
    int32_t more = patience->looks + SPIN_MORE;
    bool kept_off = off - patience->off > KEPT_OFF_NS;
    patience->looks = kept_off ? SPIN_LEAST : more < SPIN_MOST ? more : SPIN_MOST;
    patience->off = off;
}

static void wait_for_round(Crew *crew, unsigned seen, Patience *patience)
{
    renew_patience(patience);
    for (int32_t k = 0; k < patience->looks; ++k) {
        if (atomic_load_explicit(&crew->round, memory_order_relaxed) != seen)
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&crew->mutex);
    atomic_fetch_add(&crew->sleeping, 1);
    while (atomic_load(&crew->round) == seen)
        pthread_cond_wait(&crew->wake, &crew->mutex);
    atomic_fetch_sub(&crew->sleeping, 1);
    pthread_mutex_unlock(&crew->mutex);
    patience->off = time_off();
}

static void *helper_main(void *argument)
{
    const Helper *helper = argument;
    Crew *crew = helper->crew;
    Patience patience = {SPIN_MOST, time_off()};
    unsigned seen = 0;
    at_work = true;
    for (;;) {
        wait_for_round(crew, seen, &patience);
        seen = atomic_load_explicit(&crew->round, memory_order_relaxed);
        help(&crew->loops[1], NULL, helper->worker);
        help(&crew->loops[0], &crew->loops[1], helper->worker);
    }
    return NULL;
}

// Fewer helpers than wanted are no failure: the caller does what is left. Signals are for the
// threads of the program.
static void add_helpers(Crew *crew, int32_t wanted)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (crew->helper_count < wanted) {
        pthread_t thread;
        Helper *helper = &crew->helpers[crew->helper_count];
        *helper = (Helper){crew, crew->helper_count + 1};
        if (pthread_create(&thread, NULL, helper_main, helper) != 0)
            break;
        pthread_detach(thread);
        crew->helper_count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool make_ready(Crew *crew)
{
    if (!crew->ready)
        crew->ready = pthread_mutex_init(&crew->mutex, NULL) == 0 &&
                      pthread_cond_init(&crew->wake, NULL) == 0;
    return crew->ready;
}

// The crew this thread had last, or the next one that is free. NULL: none is.
static Crew *take_crew(void)
{
    for (int32_t k = 0; k < CREW_MAX; ++k) {
        int32_t index = (last_crew + k) % CREW_MAX;
        Crew *crew = &crews[index];
        if (atomic_load_explicit(&crew->taken, memory_order_relaxed) ||
            atomic_exchange_explicit(&crew->taken, true, memory_order_acquire))
            continue;
        if (make_ready(crew)) {
            last_crew = index;
            return crew;
        }
        atomic_store_explicit(&crew->taken, false, memory_order_release);
    }
    return NULL;
}

static void open_loop(Crew *crew, Loop *loop, const Loop *given)
{
    loop->thread_count = given->thread_count;
    loop->task_count = given->task_count;
    loop->task = given->task;
    loop->context = given->context;
    atomic_store_explicit(&loop->next, 0, memory_order_relaxed);
    atomic_store_explicit(&loop->state, OPEN, memory_order_release);
    atomic_fetch_add(&crew->round, 1);
    if (atomic_load(&crew->sleeping) > 0) {
        pthread_mutex_lock(&crew->mutex);
        pthread_cond_broadcast(&crew->wake);
        pthread_mutex_unlock(&crew->mutex);
    }
}

// Waits for helpers that are in the middle of a task, with tasks of another loop, if there is one.
static void close_loop(Loop *loop, Loop *other)
{
    atomic_fetch_sub_explicit(&loop->state, OPEN, memory_order_relaxed);
    for (int32_t k = 0; atomic_load_explicit(&loop->state, memory_order_acquire) != 0; ++k) {
        if (other != NULL && work_once(other, 0))
            k = 0;
        else if (k < SPIN_CLOSE)
            pause_briefly();
        else
            sched_yield();
    }
}

static void run_alone(int32_t task_count, PalTask task, void *context)
{
    for (int32_t i = 0; i < task_count; ++i)
        task(context, i, 0);
}

// Helpers begin. NULL: there are none.
static Crew *begin(int32_t helpers, int32_t task_count, PalTask task, void *context)
{
    helpers = helpers < HELPER_MAX ? helpers : HELPER_MAX;
    Crew *crew = helpers > 0 && !at_work ? take_crew() : NULL;
    if (crew == NULL)
        return NULL;
    add_helpers(crew, helpers);
    Loop given = {
        .thread_count = helpers + 1, .task_count = task_count, .task = task, .context = context};
    open_loop(crew, &crew->loops[0], &given);
    at_work = true;
    return crew;
}

// The caller does what is left.
static void end(Crew *crew)
{
    work(&crew->loops[0], 0);
    at_work = false;
    close_loop(&crew->loops[0], NULL);
    atomic_store_explicit(&crew->taken, false, memory_order_release);
}

// A loop of a caller whose helpers have begun with another: they take part as soon as they are done
// with the task they are at, and go back then.
static void run_beside(Crew *crew, const Loop *given)
{
    Loop *loop = &crew->loops[1];
    add_helpers(crew, given->thread_count - 1);
    open_loop(crew, loop, given);
    begun = NULL;
    work(loop, 0);
    close_loop(loop, &crew->loops[0]);
    begun = crew;
}

void pal_parallel_for(int32_t thread_count, int32_t task_count, PalTask task, void *context)
{
    int32_t helpers = (thread_count < task_count ? thread_count : task_count) - 1;
    helpers = helpers < HELPER_MAX ? helpers : HELPER_MAX;
    if (begun != NULL && helpers > 0) {
        Loop given = {.thread_count = helpers + 1,
                      .task_count = task_count,
                      .task = task,
                      .context = context};
        run_beside(begun, &given);
        return;
    }
    Crew *crew = begin(helpers, task_count, task, context);
    if (crew != NULL)
        end(crew);
    else
        run_alone(task_count, task, context);
}

void pal_parallel_begin(int32_t thread_count, int32_t task_count, PalTask task, void *context,
                        PalLoop *loop)
{
    int32_t helpers = thread_count - 1 < task_count ? thread_count - 1 : task_count;
    *loop = (PalLoop){.task_count = task_count, .task = task, .context = context};
    loop->crew = begin(helpers, task_count, task, context);
    begun = loop->crew != NULL ? loop->crew : begun;
}

void pal_parallel_end(PalLoop *loop)
{
    if (loop->crew != NULL) {
        begun = NULL;
        end(loop->crew);
    } else {
        run_alone(loop->task_count, loop->task, loop->context);
    }
}

int32_t pal_parallel_core_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int32_t)count : 1;
}
