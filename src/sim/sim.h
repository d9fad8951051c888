// The inside of a simulation.
#ifndef PAL_SIM_SIM_H
#define PAL_SIM_SIM_H

#include "solver/method.h"
#include <palpate/sim.h>

struct PalSim {
    const PalModel *model;
    PalModel *own_model;  // the same; NULL where it is somebody else's
    PalState *state;
    PalSolver *solver;
    PalMeter meter;
    double initial_energy;
    PalVec3 *pivots;          // per rigid: of the pose that a program gave last
    int32_t *vertex_of_node;  // on the surface of its body; made when first asked for
    double scalars[16];       // copies of what a checkpoint must hold, see checkpoint.c
    int64_t integers[16];
};

#endif
