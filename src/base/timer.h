// Seconds on a clock that never jumps.
#ifndef PAL_BASE_TIMER_H
#define PAL_BASE_TIMER_H

double pal_timer_seconds(void);

#endif
