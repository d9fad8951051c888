// Hirota, Fisher and State, 2003: contact by material depth, integrated over areas.
#ifndef PAL_EXPERIMENTS_HIROTA2003_H
#define PAL_EXPERIMENTS_HIROTA2003_H

#include <experiments/lab/lab.h>

// wedge.c: Figs. 16 and 17
extern const PalExperiment pal_experiment_wedge_chatter;

// knee.c: section 6
extern const PalExperiment pal_experiment_knee;

// further.c: section 7
extern const PalExperiment pal_experiment_snake, pal_experiment_leaning_rods;

#endif
