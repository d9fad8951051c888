// The inside of dynamic relaxation: the way to equilibrium, and how near it is.
#ifndef PAL_SOLVER_RELAXATION_H
#define PAL_SOLVER_RELAXATION_H

#include "solver/method.h"

// The largest of a body since the start.
typedef struct PalBodyPeak {
    double deformation;  // distance of a node from where the body would have it if it were rigid
    double force;        // half of what loads, holds and contact do together, node by node
} PalBodyPeak;

// Numbers that a checkpoint keeps, all of one type.
typedef struct PalRelaxationNumbers {
    double load;          // the time at which loads are taken, up to the end
    double pace;          // by which it grows in a step
    double safety;        // of the pseudo-step
    double stiffness;     // Rayleigh quotient: estimate of the lowest circular frequency, squared
    double slow;          // the same from mark to mark, without what flickers; 0: not known
    double lowest;        // the least of the latest such estimates
    double damping;       // in use, per step
    double error;         // estimated relative error of the deformation, of the worst body
    double imbalance;     // forces left over relative to those that act, of the worst body
    double restoring;     // w^2 times the deformation of the body that deforms least
    double exactness;     // of contact: change of a gap that is too small to matter
    double trouble_load;  // the load at which it stepped back last; < 0: it never did
} PalRelaxationNumbers;

typedef struct PalRelaxationCounts {
    int64_t next_mass;      // step count at which the fictitious mass is made anew
    int64_t mass_interval;  // steps between two such
    int64_t loaded_step;    // step count at which the load was there, or a step was taken back
    int64_t marked_step;    // of the last mark; 0: none
    int64_t calm_looks;     // looks in a row with error and imbalance below the tolerance
    int64_t retries;        // times it has stepped back
    int64_t waits;          // 1: the load stays until forces are nearly in balance
} PalRelaxationCounts;

// Of the nodes of a chunk, in a step.
typedef struct PalRelaxationSums {
    double work, mass;    // of the Rayleigh quotient
    double thrown;        // how far forces left over would move a node, in edges, squared, at most
    int32_t thrown_node;  // which one; PAL_NONE: they move none
} PalRelaxationSums;

typedef struct PalRelaxation {
    double *inverse_mass;   // fictitious, per component
    double *mass_factors;   // per element
    double *mass;           // fictitious, per node
    PalVec3 *old_internal;  // internal force of the step before
    PalVec3 *mark;          // displacement at the last mark, and the internal force there
    PalVec3 *mark_internal;
    PalVec3 *mean_left;         // force left over, averaged over steps
    PalVec3 *calm_left;         // and averaged once more
    PalVec3 *old_displacement;  // where nodes were at the start of the step
    PalRigidState *old_rigids;  // and instruments
    PalRelaxationSums *sums;    // per chunk
    PalBodyPeak *peaks;         // per body
    double *edges;              // mean length, per body
    double shortest;            // of these
    PalRelaxationNumbers numbers;
    PalRelaxationCounts counts;
    bool converged;
} PalRelaxation;

// The force that is not in balance at a node.
PalVec3 pal_relaxation_left(const PalModel *model, const PalState *state, int32_t node);

// Sets a mark, and finds the Rayleigh quotient of the motion since the last one, if there is one.
void pal_relaxation_mark(const PalModel *model, const PalState *state, PalRelaxation *relaxation);

// Finds error and imbalance of the state. `touches`: bodies may touch something.
void pal_relaxation_measure(const PalModel *model, const PalState *state, bool touches,
                            PalRelaxation *relaxation);

#endif
