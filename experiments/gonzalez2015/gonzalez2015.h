// Gonzalez, Alfaro, Quesada, Cueto and Chinesta, 2015: vademecums for contact at haptic rates.
#ifndef PAL_EXPERIMENTS_GONZALEZ2015_H
#define PAL_EXPERIMENTS_GONZALEZ2015_H

#include <experiments/lab/lab.h>

// vademecums.c: sections 4.1, 4.2 and 4.3
extern const PalExperiment pal_experiment_beam_block, pal_experiment_two_beams,
    pal_experiment_bunnies;

#endif
