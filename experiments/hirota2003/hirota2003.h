// Hirota, Fisher and State, 2003: contact by material depth, integrated over areas.
#ifndef PAL_EXPERIMENTS_HIROTA2003_H
#define PAL_EXPERIMENTS_HIROTA2003_H

#include <experiments/lab/lab.h>

// scene.c: a scene that is made, and what it looks like before and after
typedef struct PalHirotaScene {
    const char *name;
    void (*sample)(PalSim *sim, PalResult *result);
    void (*tell)(PalLab *lab, const PalResult *result);  // its rows and plots
    PalSceneChange change;                               // of the scene; no path: none
} PalHirotaScene;

PalStatus pal_hirota_run(PalLab *lab, const PalHirotaScene *scene, PalError *error);
// Largest number of a series.
double pal_hirota_most(const PalResult *result, const char *series);

// wedge.c: Figs. 16 and 17
extern const PalExperiment pal_experiment_wedge_chatter;

// knee.c: section 6
extern const PalExperiment pal_experiment_knee, pal_experiment_knee_barrier;

// further.c: section 7
extern const PalExperiment pal_experiment_snake, pal_experiment_leaning_rods,
    pal_experiment_rods_depth;

#endif
