// The only way to use several threads.
#ifndef PAL_BASE_PARALLEL_H
#define PAL_BASE_PARALLEL_H

#include <palpate/base.h>

// Does the task with this index. Tasks may run in any order and at the same time: each writes
// only what is its own. worker is in [0, thread_count), for scratch memory.
typedef void (*PalTask)(void *context, int32_t index, int32_t worker);

// Runs tasks 0 .. task_count - 1 on at most thread_count threads and returns when all are done.
void pal_parallel_for(int32_t thread_count, int32_t task_count, PalTask task, void *context);

int32_t pal_parallel_core_count(void);

#endif
