// Newton-Raphson with line search: what is solved and what it keeps.   docs/theory/implicit.md
//
// Looked for are displacements at which  R = weight f(u) - inertia m (u - base)  vanishes at all
// free components. f are the forces of elements and loads, at the end of the step or in the mean
// along it.
#ifndef PAL_SOLVER_NEWTON_H
#define PAL_SOLVER_NEWTON_H

#include "element/couplings.h"
#include "math/cg.h"
#include "math/gmres.h"
#include "solver/patience.h"
#include "solver/solver.h"

typedef struct PalNewtonProblem {
    double weight, inertia;
    const PalVec3 *base;  // per node; NULL where inertia is 0
    double step;          // by which viscoelastic memory advances
    // Forces of contact count so many times as much as others in R; 0: as they are. While u is
    // looked for, state->contact is as much larger.
    double contact;
    bool mean;          // f is the mean of the forces along the straight way to u
    double start, end;  // times at which loads are taken
    bool reuses;        // a correction may use the factors of the one before
    double shift;  // of the mean of the diagonal, added to it: for what nothing holds but contact
} PalNewtonProblem;

// How a search for equilibrium ended, and where.
typedef enum PalNewtonEnd {
    PAL_NEWTON_CONVERGED,
    PAL_NEWTON_INVERTED,  // a cell would turn inside out, however short the way
    PAL_NEWTON_SINGULAR,  // the tangent has no inverse
    PAL_NEWTON_LOST,      // no convergence
    PAL_NEWTON_JAMMED,    // contact leaves no way to go
} PalNewtonEnd;

#define PAL_NEWTON_MOST 20  // corrections in a step; with contact: patience.h

typedef struct PalNewtonOutcome {
    PalNewtonEnd end;
    int32_t iterations;
    int32_t effort;          // iterations as they count for the length of the next step
    int32_t negative_count;  // ways in which the equilibrium is unstable; PAL_NONE: not known
    double imbalance;        // forces left over, of those that act
    double trace[PAL_NEWTON_MOST + 1];  // the same after each correction, from 1
    int32_t node;                       // where most of them are, or a cell turns inside out
    bool rounding;  // the last correction was only rounding, and forces are left over all the same
    char why[160];  // what contact does not settle, in words; empty where forces are the trouble
} PalNewtonOutcome;

typedef struct PalNewton {
    PalStiffness *stiffness;
    const PalLinearSolver *linear;
    void *factors;
    size_t factor_bytes;  // expected
    double grain;         // how far neighbours are apart, about
    double load;          // time at which loads are taken
    double *right;        // per unknown: the right side, and then the correction
    double *held_motion;  // per held row
    PalVec3 *motion;      // per node: the correction
    PalVec3 *tried;       // displacements before it
    // ---- means along the step, where a problem asks for them
    PalVec3 *mean_force, *mean_external, *end;
    double *mean_stiffness;
    bool mean;  // the last one did
    bool late;  // contact acted all along the last step with the forces of its end
    // ---- where factors are not enough: pressures that follow, factors that are reused
    PalGmres gmres;
    bool follows;     // there are such pressures
    bool reuses;      // there are enough unknowns for it to be worth it
    PalVec3 *turned;  // per node: what their rim adds
    double *spare;    // per unknown: a right side
    // ---- as things were before the step ----
    PalVec3 *old_displacement, *old_force, *old_external, *old_reaction, *old_contact;
    double *old_history;
    double old_load;
    // ---- contact, where there is any (meet.h)
    bool touches;
    double *object_stiffness, *object_mass;  // per object: means of its nodes
    double *trial_stiffness;                 // the same, with inertia
    PalVec3 *lead;                           // per node: what instruments will change in forces
    PalCg cg;                                // where tangents need not be positive
    double shift;                            // see PalNewtonProblem
} PalNewton;

// A search for equilibrium.
typedef struct PalSeek {
    const PalModel *model;
    PalState *state;
    PalSolver *solver;
    PalNewton *newton;
    PalNewtonProblem problem;
    PalNewtonOutcome *outcome;
    double stiffness;  // sum of the diagonal
    double largest;    // component of the last correction
    bool exact;        // the tangent of contact is to be the consistent one
    int plain;         // corrections for which it is not
    double damping;    // of the mean of the diagonal, added to it: short ways, and always downhill
    double way;        // part of its way that what is held and rigid still has to go, about
    bool live;         // what contact keeps constant is renewed in each correction, and told
    bool far;          // and far from equilibrium, where it is not
    bool waits;        // what is held and rigid stays where it is in this correction
    PalPatience patience;
} PalSeek;

// What kinds of problems there will be.
typedef struct PalNewtonNeeds {
    bool means;   // with mean forces
    bool reuses;  // that reuse factors
} PalNewtonNeeds;

PalStatus pal_newton_create(const PalModel *model, const PalSolver *solver, PalNewtonNeeds needs,
                            PalNewton *newton, PalError *error);
void pal_newton_clear(PalNewton *newton);
size_t pal_newton_bytes(const PalModel *model, const PalNewton *newton);

// Keeps the state as it is before a step, and brings it back.
void pal_newton_keep(const PalModel *model, const PalState *state, PalNewton *newton);
void pal_newton_bring_back(const PalModel *model, PalState *state, const PalNewton *newton);

// Adds to the works what loads and holds have done in the step just taken, by mean forces.
void pal_newton_add_work(const PalModel *model, PalState *state, const PalNewton *newton);

// A sentence on why there is no equilibrium, where, and what to do about it.
PalStatus pal_newton_report(const PalModel *model, const PalState *state, const PalSolver *solver,
                            const PalNewtonOutcome *outcome, PalError *error);

#endif
