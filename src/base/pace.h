// How many threads make steps shortest, found by timing the steps themselves. Threads that wait for
// each other may cost more than they do: where little is shared, on cores that are one core's two
// halves, on a busy machine. For work whose results do not depend on the number of threads.
#ifndef PAL_BASE_PACE_H
#define PAL_BASE_PACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct PalPace {
    int32_t most;     // threads allowed
    int32_t kept;     // threads that were best so far
    int32_t rival;    // threads tried instead
    int32_t block;    // of the trial that is on, or PAL_NONE
    int32_t taken;    // steps in the block, or since rest began
    int32_t rest;     // steps from the last trial to the next
    bool upwards;     // the last rival was more threads
    double elapsed;   // seconds in the block
    double spent[2];  // seconds in steps of this trial: kept, rival
    int32_t counted[2];
    double usual;   // seconds a step took when the kept ones won; 0: not known
    double recent;  // seconds in the last few steps at rest
} PalPace;

void pal_pace_init(PalPace *pace, int32_t most);
// For the step to come.
int32_t pal_pace_threads(const PalPace *pace);
// Tells how long that step took.
void pal_pace_took(PalPace *pace, double seconds);

#endif
