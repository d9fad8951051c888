// Ways to advance a state. Each is a row of a table, in a file of its own; nobody else asks which
// one is at work.
#ifndef PAL_SOLVER_METHOD_H
#define PAL_SOLVER_METHOD_H

#include "solver/solver.h"
#include <palpate/sim.h>

#define PAL_METHOD_ARRAY_MAX 9

#define PAL_STEP_COUNT_MAX (INT64_C(1) << 53)  // more than any run takes

// A node's velocity that contact has changed.
typedef struct PalCorrection {
    int64_t node;
    PalVec3 force;      // before the step, loads included
    PalVec3 before;     // velocity before the step
    PalVec3 predicted;  // for the step, without contact
    PalVec3 after;      // for the step
    PalVec3 contact;    // force that has changed it: none along axes that are held
    PalVec3 led;        // force of contact along those
    double step;        // displacements grow by step * velocity
} PalCorrection;

struct PalMethodRow {
    PalChoice choice;

    // Makes solver->own, if it needs any, and chooses the first step. The state has its forces, and
    // the solver its stable bound. What is made before a failure is destroyed by `destroy`.
    PalStatus (*create)(const PalModel *model, PalState *state, PalSolver *solver, PalError *error);
    void (*destroy)(void *own);  // NULL: it has nothing of its own

    // Takes one step.
    PalStatus (*step)(const PalModel *model, PalState *state, PalSolver *solver, PalError *error);
    bool (*finished)(const PalState *state, const PalSolver *solver);
    double (*progress)(const PalState *state, const PalSolver *solver);  // 0 to 1
    double (*residual)(const PalSolver *solver);  // estimated relative error; NULL: it has none
    // Forces left over after each correction of the last step; NULL: it has no corrections.
    const double *(*trace)(const PalSolver *solver, int32_t *count);

    // The step to come, or where held nodes go in it, has changed since the last step was taken:
    // finds anew what follows from that. NULL: it cannot be steered.
    void (*replan)(const PalModel *model, PalState *state, PalSolver *solver);

    // Of the step to come, in which v+ = (1 - damping gain) v- + gain f / m. NULL: it is no motion
    // in time.
    double (*gain)(const PalState *state, const PalSolver *solver);
    // The time at which loads and prescribed motion are taken; NULL: the state's, up to the end.
    double (*load_time)(const PalSolver *solver);
    // How some nodes, one after the other, move around the state's time.
    void (*halves)(const PalModel *model, const PalState *state, const PalSolver *solver,
                   int32_t first_node, int32_t node_count, PalHalves *halves);

    // ---- contact
    // Inverse masses per component, as a force of contact meets them.
    const double *(*inverse_mass)(const PalSolver *solver);
    // Adds to the works of the step what a correction changes in them.
    void (*book)(const PalModel *model, PalState *state, const PalSolver *solver,
                 const PalCorrection *correction);

    size_t (*bytes)(const PalModel *model, const PalSolver *solver);  // memory; NULL: little

    // ---- checkpoints
    // What it keeps from step to step, straight from where it lives; NULL: nothing.
    int32_t (*arrays)(const PalModel *model, PalSolver *solver,
                      PalNamedArray arrays[PAL_METHOD_ARRAY_MAX]);
    // They have been restored: brings what is derived from them up to date.
    PalStatus (*restored)(const PalModel *model, PalState *state, PalSolver *solver,
                          PalError *error);

    // Its velocities are those of a motion in time. Otherwise it leads to an equilibrium: loads
    // stay at their end values when the time is over, and kinetic energy means nothing.
    bool in_time;
    bool lags;  // its velocities are those of the middle of the last step
    // After contact come the forces of where it leaves the nodes, moved by step * velocity: they
    // may be begun ahead.
    bool forces_follow;
    // Solves for the forces at the end of the step: no step is too long to be stable, a step that
    // fails leaves the state as it was before, and contact is part of what is solved (meet.h).
    bool implicit;
    const char *inverted_advice;  // what to do about cells turned inside out; NULL: by the step
};

extern const PalMethodRow pal_method_explicit, pal_method_newmark, pal_method_relaxation,
    pal_method_implicit, pal_method_implicit_static;

// Row of a method; NULL: there is none of this number.
const PalMethodRow *pal_method_row(PalMethod method);

#endif
