// The table of experiments. A paper's folder holds its rows.
#include <experiments/aragon2014/aragon2014.h>
#include <experiments/gonzalez2015/gonzalez2015.h>
#include <experiments/hirota2003/hirota2003.h>
#include <experiments/johnsen2012/johnsen2012.h>
#include <experiments/johnsen2015/johnsen2015.h>
#include <experiments/lab/lab.h>
#include <string.h>

static const PalExperiment *const experiments[] = {
    &pal_experiment_zipper,          &pal_experiment_c_shape,       &pal_experiment_ball_slab,
    &pal_experiment_liver_diaphragm, &pal_experiment_rigid_bar,     &pal_experiment_scaling,
    &pal_experiment_cradle,          &pal_experiment_billiard,      &pal_experiment_friction_bar,
    &pal_experiment_prostate,        &pal_experiment_liver_forceps, &pal_experiment_liver_bars,
    &pal_experiment_normals,         &pal_experiment_two_spheres,   &pal_experiment_breast,
    &pal_experiment_impact_spheres,  &pal_experiment_motorcycle,    &pal_experiment_exclusion,
    &pal_experiment_sphere_trees,    &pal_experiment_beam_block,    &pal_experiment_two_beams,
    &pal_experiment_bunnies,         &pal_experiment_wedge_chatter, &pal_experiment_knee,
    &pal_experiment_knee_barrier,    &pal_experiment_snake,         &pal_experiment_leaning_rods,
    &pal_experiment_rods_depth,
};

const PalExperiment *pal_experiment(int32_t index)
{
    int32_t count = sizeof experiments / sizeof experiments[0];
    return index >= 0 && index < count ? experiments[index] : NULL;
}

const PalExperiment *pal_experiment_find(const char *name)
{
    const PalExperiment *experiment;
    for (int32_t i = 0; (experiment = pal_experiment(i)) != NULL; ++i)
        if (strcmp(experiment->name, name) == 0)
            return experiment;
    return NULL;
}
