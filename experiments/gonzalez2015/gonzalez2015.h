// Gonzalez, Alfaro, Quesada, Cueto and Chinesta, 2015: vademecums for contact at haptic rates.
#ifndef PAL_EXPERIMENTS_GONZALEZ2015_H
#define PAL_EXPERIMENTS_GONZALEZ2015_H

#include <experiments/lab/lab.h>
#include <palpate/vademecum.h>

// vademecums.c: sections 4.1, 4.2 and 4.3
extern const PalExperiment pal_experiment_beam_block, pal_experiment_two_beams,
    pal_experiment_bunnies;

// truth.c: a scene of two bodies that have one vademecum, or of one and a rigid ball, the second of
// which is pushed.
#define PAL_TRUTH_CHANGES 3
typedef struct PalTruthPath {
    const char *place, *scene, *line;
    PalSceneChange changes[PAL_TRUTH_CHANGES];  // of the scene; a path of NULL: no more
    PalVec3 from, way;                          // of the second body
    PalQuaternion rotation;
    double ball;  // radius of a rigid ball instead of the second body; 0: none
    PalHapticAnswer answer;
} PalTruthPath;

// Runs the scene, and tells how far contact from the vademecum is off at some places of the path.
PalStatus pal_gonzalez_truth(PalLab *lab, const PalTruthPath *path, PalVademecum *book,
                             PalError *error);

#endif
