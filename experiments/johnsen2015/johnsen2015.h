// Johnsen and others, 2015: detection and modelling of contacts in explicit simulations.
#ifndef PAL_EXPERIMENTS_JOHNSEN2015_H
#define PAL_EXPERIMENTS_JOHNSEN2015_H

#include <experiments/lab/lab.h>

// search.c: tables 1 and 2
extern const PalExperiment pal_experiment_zipper, pal_experiment_c_shape, pal_experiment_ball_slab,
    pal_experiment_liver_diaphragm, pal_experiment_rigid_bar, pal_experiment_two_spheres;

// balls.c: Fig. 9 and 10
extern const PalExperiment pal_experiment_cradle, pal_experiment_billiard;

// friction.c: Fig. 11
extern const PalExperiment pal_experiment_friction_bar;

// prostate.c, breast.c: Table 3
extern const PalExperiment pal_experiment_prostate, pal_experiment_breast;

// scaling.c: Fig. 6 and 7
extern const PalExperiment pal_experiment_scaling;

#endif
