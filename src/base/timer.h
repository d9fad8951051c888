// Seconds on a clock that never jumps.
#ifndef PAL_BASE_TIMER_H
#define PAL_BASE_TIMER_H

double pal_timer_seconds(void);

// Seconds that a processor has spent on the calling thread, and on the whole process.
double pal_timer_thread_seconds(void);
double pal_timer_process_seconds(void);

#endif
