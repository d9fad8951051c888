// When and where objects first touch, as they move without contact.
#ifndef PALPATE_IMPACT_H
#define PALPATE_IMPACT_H

#include <palpate/sim.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef struct PalImpact {
    int32_t objects[2];  // the lower first; twice the same: it meets itself
    double time;
    PalVec3 place;
    PalContactKind kind;
    PalVec3 normal;             // unit vector from the second to the first
    PalVec3 relative_velocity;  // of the first against the second, there
} PalImpact;

typedef struct PalImpactOptions {
    bool all;          // the first meeting of every pair, not only the very first
    double tolerance;  // of the time; 0: 1e-12 of the end, or as near as rounding allows
    // Called after each step; returning false interrupts. NULL: nothing is called.
    bool (*progress)(void *context, double time, double end_time);
    void *context;
} PalImpactOptions;

typedef struct PalImpacts {
    int32_t count;
    PalImpact *items;  // by time
    int32_t prediction_count;
    double *predictions;  // ascending, none later than the first impact: the earliest times of the
                          // queue, one after the other as trees were gone down. Those that were
                          // renewed before they were due are left out
    int64_t steps;        // until the first impact, or the end
    int64_t wakes;        // of these, how many detection worked in
    double end_time;      // where it ended: the time of the first impact, or the solver's end
} PalImpacts;

// The first impact is exact: steps are shortened until the time of contact is known within the
// tolerance. With `all`, the simulation goes on with contact, and each further meeting is where
// the motion of a step, gone on with, would bring two objects that have not met before. None:
// `count` is 0. PAL_BAD_INPUT where nothing can touch, where objects overlap at the start, and for
// a method that does not follow a motion in time. Clear the result in any case.
PalStatus pal_impacts_find(const PalSimDef *def, const PalImpactOptions *options,
                           PalImpacts *impacts, PalError *error);
void pal_impacts_clear(PalImpacts *impacts);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
