// Advancing a state by one step, by any method.
#ifndef PAL_SOLVER_SOLVER_H
#define PAL_SOLVER_SOLVER_H

#include "base/meter.h"
#include "base/pace.h"
#include "contact/contact.h"
#include "element/elements.h"
#include <palpate/linear.h>
#include <palpate/model.h>
#include <palpate/solver.h>

// Work done in one step by loads, held nodes, damping, elements and contact.
typedef struct PalWork {
    double external, damping, internal, contact;
} PalWork;

// A node's velocity half a step before and half a step after the state's time. Contact in the step
// to come is taken to be what it was in the last one: `push` is its part of `after`.
typedef struct PalHalves {
    PalVec3 before, after, push;
} PalHalves;

typedef struct PalMethodRow PalMethodRow;    // method.h
typedef struct PalCorrection PalCorrection;  // method.h

// Forces begun while contact is at work; see ahead.h.
typedef struct PalForcesAhead {
    bool allowed, begun;
    PalVec3 *displacement;  // per node, as without contact
    PalVec3 *force;         // at the start of the step, of nodes contact may push
    int32_t *pushed;        // nodes that contact has pushed
} PalForcesAhead;

typedef struct PalSolver {
    PalSolverDef def;
    const PalMethodRow *method;
    void *own;                   // what the method keeps
    PalMeter *meter;             // the simulation's
    PalWatch watch;              // asked in long steps whether to go on
    PalPace pace;                // how many threads are worth their while
    int32_t thread_count;        // of this step
    PalElementScratch *scratch;  // in which forces and bounds are found
    int32_t node_threads;        // for loops over nodes, which take a nanosecond each
    int32_t chunk_count;
    bool has_loads;
    double strain;  // strain energy after `strain_step` steps; PAL_NONE: not known
    int64_t strain_step;
    double align;            // automatic steps land on multiples of it
    double next_step;        // length of the step to come
    double bound;            // stable step, shorter where cells change suddenly
    double shape_bound;      // of the shape it was last estimated for
    double first_bound;      // of the shape at the start
    int32_t bound_node;      // dictates the bound
    int64_t next_estimate;   // step count at which to look again
    int64_t interval;        // steps between looks
    double *element_bounds;  // scratch of the estimate, per element
    double *node_sums;       // and per node
    PalVec3 *node_speeds;    // the same
    double stop;             // output time (or end) the steps lead to
    double origin_time;      // time = origin + steps since * next_step
    int64_t origin_count;
    bool cut;              // the step to come is shorter than it would be
    double *inverse_mass;  // per component
    PalVec3 *targets;      // of held nodes, at the end of the step to come
    PalWork *chunk_work;
    double *chunk_speed;  // largest of the nodes in a chunk, while contact wants to know
    PalContact *contact;  // NULL where nothing touches
    PalVec3 *before;      // velocities before the step, of nodes contact may push
    int32_t *kept_first;  // per chunk, and one more: the first of these nodes
    PalForcesAhead ahead;
} PalSolver;

typedef struct PalSolverSetup {
    const PalSolverDef *def;
    double align;                // > 0: automatic steps land on multiples of it
    PalMeter *meter;             // borrowed
    const PalMethodRow *method;  // NULL: as the definition has it
} PalSolverSetup;

// How many threads may be at work on so many cells.
int32_t pal_solver_most_threads(const PalSolverDef *def, int64_t cell_count);
// Evaluates the forces of the state as it is and chooses the first step. Owns no model or state.
PalStatus pal_solver_create(const PalSolverSetup *setup, const PalModel *model, PalState *state,
                            PalSolver **solver, PalError *error);
// Adds contact to a solver just made.
PalStatus pal_solver_touch_create(const PalContactSetup *setup, const PalModel *model,
                                  const PalState *state, PalSolver *solver, PalError *error);
void pal_solver_destroy(PalSolver *solver);

PalStatus pal_solver_step(const PalModel *model, PalState *state, PalSolver *solver,
                          PalError *error);
bool pal_solver_finished(const PalState *state, const PalSolver *solver);

// A program has changed what is to come: chooses the step to come anew, so that steps end where
// something steered is to arrive, and sees to it that the bound is looked at in time.
PalStatus pal_solver_replan(const PalModel *model, PalState *state, PalSolver *solver,
                            PalError *error);

// The step to come is only so long, and those after it are as they would be from there on. Only for
// methods with a row's `replan`.
void pal_solver_cut_step(const PalModel *model, PalState *state, PalSolver *solver, double length);

// Brings derived values up to date after state and solver were restored from a checkpoint.
PalStatus pal_solver_restored(const PalModel *model, PalState *state, PalSolver *solver,
                              PalError *error);

// Whether it is what the methods take it for; says what is broken. Each step asserts it.
PalStatus pal_solver_validate(const PalState *state, const PalSolver *solver, PalError *error);

// How some nodes, one after the other, move around the state's time.
void pal_solver_halves(const PalModel *model, const PalState *state, const PalSolver *solver,
                       int32_t first_node, int32_t node_count, PalHalves *halves);

// ---- shared by the methods --------------------------------------------------------------

// The time at which loads and prescribed motion are taken: a way to equilibrium goes on after the
// end with their last values.
double pal_solver_load_time(const PalState *state, const PalSolver *solver);

// Forces of the current shape: internal and loads. `step` advances viscoelastic memory.
PalStatus pal_solver_forces(const PalModel *model, PalState *state, PalSolver *solver, double step,
                            PalError *error);

// What holds prescribed nodes, given where they go next. Velocities are those of the step just
// taken. `acceleration`, if not NULL, receives that of held components.
void pal_solver_reactions(const PalModel *model, PalState *state, PalSolver *solver,
                          PalVec3 *acceleration);

// Explicit methods: the first step; held components start at the speed they are told.
PalStatus pal_solver_start(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error);

// Parts of rows that explicit methods share.
bool pal_solver_time_is_over(const PalState *state, const PalSolver *solver);
double pal_solver_time_passed(const PalState *state, const PalSolver *solver);
const double *pal_solver_inverse_mass(const PalSolver *solver);
PalStatus pal_solver_targets_restored(const PalModel *model, PalState *state, PalSolver *solver,
                                      PalError *error);

// What contact is taken to add to a node's velocity from the middle of this step to the middle of
// the next.
PalVec3 pal_solver_contact_push(const PalModel *model, const PalState *state,
                                const PalSolver *solver, int32_t node);

// Chooses the length of the next step and looks the stable bound up again when it is time.
PalStatus pal_solver_choose_step(const PalModel *model, const PalState *state, PalSolver *solver,
                                 PalError *error);
// After a resume: goes on by steps as they are given now, where they were others before.
PalStatus pal_solver_take_up_steps(const PalModel *model, PalState *state, PalSolver *solver,
                                   PalError *error);
// Whether the step just taken has led to a time of output, or first past one.
bool pal_solver_arrives(const PalState *state, const PalSolver *solver);
void pal_solver_estimate_bound(const PalModel *model, const PalState *state, PalSolver *solver);
// Sees to it that the bound is looked at again before anything may have struck.
void pal_solver_plan_estimate(const PalModel *model, const PalState *state, PalSolver *solver);

// The step at which central differences may turn unstable in a shape, and the node that dictates
// it.
double pal_solver_stable_step(const PalModel *model, const PalVec3 *displacement, PalSolver *solver,
                              int32_t *worst_node);

// The step in which no cell's volume changes by more than a tenth, and nothing that may touch goes
// farther than part of an edge, as the nodes would move in the middle of a step of this length.
double pal_solver_squeeze_step(const PalModel *model, const PalState *state,
                               const PalSolver *solver, double step);
// Steps in which nothing that may touch travels by more than part of an edge, as bodies move now
// and instruments will: 1 to `most`.
int64_t pal_solver_steps_to_strike(const PalModel *model, const PalState *state,
                                   const PalSolver *solver, int64_t most);

// How a method has just predicted the velocities of a step, for contact to correct. A force f
// changes velocities by gain f / m.
typedef struct PalTouch {
    double start_time, end_time;
    double step, gain;
} PalTouch;

// Prescribed components of a chunk's nodes go where they are to be.
void pal_solver_lead_held(const PalModel *model, const PalSolver *solver, int32_t chunk,
                          PalVec3 *displacement);

// Nodes of a chunk that contact may push, and where they stand in solver->before: [first, last) of
// the list returned. A method in time keeps their velocities there before it changes them.
const int32_t *pal_solver_kept_nodes(const PalSolver *solver, int32_t chunk, int32_t *first,
                                     int32_t *last);
// The velocities of a chunk are those of the step: its displacements follow them, and held ones go
// where they are to be. Where there is contact, they wait for pal_solver_touch.
void pal_solver_sped_up(const PalModel *model, PalState *state, PalSolver *solver, int32_t chunk,
                        double step);

// Corrects velocities for contact, and has displacements follow them where they have waited. Moves
// everything rigid.
PalStatus pal_solver_touch(const PalModel *model, PalState *state, PalSolver *solver,
                           const PalTouch *touch, PalError *error);

// The part of contact's push that does no more than hold other forces back: all of it where a body
// rests, nothing in a blow.
double pal_solver_held_back(PalVec3 other, PalVec3 push);

// The works of a correction, by central differences.
void pal_solver_book(const PalModel *model, PalState *state, const PalSolver *solver,
                     const PalCorrection *correction);

// Time at the end of the step to come, free of accumulated rounding.
double pal_solver_time_after(const PalState *state, const PalSolver *solver);
// Counts the step just taken and sets the time.
void pal_solver_pass_time(PalState *state, PalSolver *solver);

// Adds the chunks' work to the state in their order.
void pal_solver_add_work(PalState *state, const PalSolver *solver);

#endif
