// What both implicit methods keep from step to step, and tell of it.
#ifndef PAL_SOLVER_IMPLICIT_H
#define PAL_SOLVER_IMPLICIT_H

#include "solver/method.h"
#include "solver/newton.h"

#define PAL_IMPLICIT_FOREVER 1e300  // time that lets viscoelastic memory relax altogether

typedef struct PalImplicit {
    PalNewton newton;
    PalVec3 *base;  // implicit: per node, see PalNewtonProblem
    // ---- along an arc, per node
    PalVec3 *way;            // displacements in the last step
    PalVec3 *rate;           // and those that a unit of load time makes
    PalVec3 *loads, *later;  // scratch
    double *unit;            // the same of unknowns
    double *held;            // and of held rows
    struct {
        double length;     // of the step to come, before it is cut where something has to be met
        double imbalance;  // of the last step
        double radius;     // along an arc: how far the step to come goes; 0: not known yet
    } numbers;
    struct {
        int64_t iterations, cuts, unstable;
    } counts;
    // Forces left over after each correction of the last search, of those that act.
    int32_t trace_count;
    double trace[PAL_NEWTON_MOST + 1];
} PalImplicit;

// solver->own, made by pal_implicit_create.
PalImplicit *pal_implicit_of(const PalSolver *solver);
PalStatus pal_implicit_create(const PalModel *model, PalSolver *solver, PalNewtonNeeds needs,
                              PalError *error);
void pal_implicit_destroy(void *own);

// One try from the state kept to `time`. Unless the outcome is convergence, the state is as before.
PalStatus pal_implicit_try(const PalModel *model, PalState *state, PalSolver *solver,
                           PalNewtonProblem problem, PalNewtonOutcome *outcome, PalError *error);
// A try that has failed is taken back.
void pal_implicit_take_back(const PalModel *model, PalState *state, PalSolver *solver);
// Half of the step that was tried is to be tried next. False: that is too short.
bool pal_implicit_halve(PalSolver *solver, double tried, double least);
// An equilibrium that would not last is counted.
void pal_implicit_count_unstable(PalSolver *solver, const PalNewtonOutcome *outcome);
// Moves what is rigid, and counts the step. `gain`: see PalTouch.
PalStatus pal_implicit_end_step(const PalModel *model, PalState *state, PalSolver *solver,
                                double end, double gain, PalError *error);

// ---- parts of rows
double pal_implicit_residual(const PalSolver *solver);
const double *pal_implicit_trace(const PalSolver *solver, int32_t *count);
double pal_implicit_load_time(const PalSolver *solver);
size_t pal_implicit_bytes(const PalModel *model, const PalSolver *solver);
int32_t pal_implicit_arrays(const PalModel *model, PalSolver *solver,
                            PalNamedArray list[PAL_METHOD_ARRAY_MAX]);
PalStatus pal_implicit_restored(const PalModel *model, PalState *state, PalSolver *solver,
                                PalError *error);

#endif
