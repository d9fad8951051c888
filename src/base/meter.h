// What a simulation has cost so far: seconds and counts, noted by whoever does the work.
#ifndef PAL_BASE_METER_H
#define PAL_BASE_METER_H

#include <palpate/solver.h>

typedef struct PalMeter {
    PalProfile profile;
    PalCounters counters;
} PalMeter;

#endif
