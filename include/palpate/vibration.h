// How slowly bodies vibrate: what decides how long they take to come to rest.
#ifndef PALPATE_VIBRATION_H
#define PALPATE_VIBRATION_H

#include <palpate/sim.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef struct PalVibration {
    double rate;  // circular frequency of the slowest vibration, in radians; never too low; 0: none
    bool settled;  // further rounds would hardly lower it
    int32_t rounds;
} PalVibration;

// Of each body by itself, undeformed, with the nodes that are held. A body of which nothing is held
// drifts and turns freely; these motions are left out. `vibrations` has room for all bodies.
PalStatus pal_sim_slowest_vibrations(PalSim *sim, PalVibration *vibrations, PalError *error);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
