#include "base/timer.h"

#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double pal_timer_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double pal_timer_thread_seconds(pthread_t thread)
{
    clockid_t clock;
    return pthread_getcpuclockid(thread, &clock) == 0 ? read_clock(clock) : 0;
}

double pal_timer_process_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
