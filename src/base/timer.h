// Seconds on a clock that never jumps.
#ifndef PAL_BASE_TIMER_H
#define PAL_BASE_TIMER_H

#include <pthread.h>

double pal_timer_seconds(void);

// Seconds that processors have spent on a thread that lives, and on the whole process.
double pal_timer_thread_seconds(pthread_t thread);
double pal_timer_process_seconds(void);

#endif
