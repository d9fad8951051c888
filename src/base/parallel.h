// The only way to use several threads.
#ifndef PAL_BASE_PARALLEL_H
#define PAL_BASE_PARALLEL_H

#include <palpate/base.h>

// Does the task with this index. Tasks may run in any order and at the same time: each writes
// only what is its own. worker is in [0, thread_count), for scratch memory.
typedef void (*PalTask)(void *context, int32_t index, int32_t worker);

// Runs tasks 0 .. task_count - 1 on at most thread_count threads and returns when all are done.
// Threads that call it at the same time have helpers of their own, up to 64 callers; one more would
// do its tasks alone. A loop inside a task of a loop that has helpers runs alone too.
// Memory is fixed; threads start when they are first needed and stay.
void pal_parallel_for(int32_t thread_count, int32_t task_count, PalTask task, void *context);

// A loop that helpers have begun with.
typedef struct PalLoop {
    void *crew;  // of helpers; NULL: there are none
    int32_t task_count;
    PalTask task;
    void *context;
} PalLoop;

// The same without the caller, who does something else and then ends the loop: does what is left
// and waits for what is being done. In loops in between helpers take part first of all; and while
// the caller waits for one of these to end, it does tasks of this one.
void pal_parallel_begin(int32_t thread_count, int32_t task_count, PalTask task, void *context,
                        PalLoop *loop);
void pal_parallel_end(PalLoop *loop);

int32_t pal_parallel_core_count(void);

#endif
