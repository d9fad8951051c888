// Johnsen and others, 2012: explicit contact modelling for surgical guidance and simulation.
#ifndef PAL_EXPERIMENTS_JOHNSEN2012_H
#define PAL_EXPERIMENTS_JOHNSEN2012_H

#include <experiments/lab/lab.h>

// livers.c: Fig. 6
extern const PalExperiment pal_experiment_liver_forceps, pal_experiment_liver_bars;

// normals.c: Table 2
extern const PalExperiment pal_experiment_normals;

#endif
