// Aragon and Molinari, 2014: a hierarchical detection framework that answers when, where and how
// near.
#ifndef PAL_EXPERIMENTS_ARAGON2014_H
#define PAL_EXPERIMENTS_ARAGON2014_H

#include <experiments/lab/lab.h>

// impacts.c: sections 4.1 and 4.2
extern const PalExperiment pal_experiment_impact_spheres, pal_experiment_motorcycle;

// tests.c: Table 1, and the trees of section 4.2
extern const PalExperiment pal_experiment_exclusion, pal_experiment_sphere_trees;

#endif
