#include "base/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

// ThreadSanitizer cannot see inside the OpenMP runtime: tell it that a region's start
// and end order memory. Without it every shared read would be reported.
#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif

#ifdef THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define ORDER_AFTER(address)  __tsan_acquire(address)
#define ORDER_BEFORE(address) __tsan_release(address)
#define UNSEEN                __attribute__((no_sanitize("thread")))
#else
#define ORDER_AFTER(address)  ((void)0)
#define ORDER_BEFORE(address) ((void)(address))
#define UNSEEN
#endif

#ifdef _OPENMP
UNSEEN static void run_threads(int32_t thread_count, int32_t task_count, PalTask task,
                               void *context)
{
    static char start, end;
    ORDER_BEFORE(&start);
#pragma omp parallel num_threads(thread_count) default(none)                                       \
    shared(task_count, task, context, start, end)
    {
        ORDER_AFTER(&start);
        int32_t worker = (int32_t)omp_get_thread_num();
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = 0; i < task_count; ++i)
            task(context, i, worker);
        ORDER_BEFORE(&end);
    }
    ORDER_AFTER(&end);
}
#endif

void pal_parallel_for(int32_t thread_count, int32_t task_count, PalTask task, void *context)
{
#ifdef _OPENMP
    if (thread_count > 1 && task_count > 1) {
        run_threads(thread_count, task_count, task, context);
        return;
    }
#else
    (void)thread_count;
#endif
    for (int32_t i = 0; i < task_count; ++i)
        task(context, i, 0);
}

int32_t pal_parallel_core_count(void)
{
#ifdef _OPENMP
    return (int32_t)omp_get_num_procs();
#else
    return 1;
#endif
}
