// A simulation: a model, its state, and the step that advances it.
#ifndef PALPATE_SIM_H
#define PALPATE_SIM_H

#include <palpate/contact.h>
#include <palpate/model.h>
#include <palpate/solver.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef struct PalSimDef {
    PalModelDef model;  // its end_time and mass_scaling_step are taken from the solver, and its
                        // thread_count as well where that is 0
    PalSolverDef solver;
    PalContactDef contact;
    double align;  // > 0: automatic steps land on multiples of it (output times)
} PalSimDef;

PalSimDef pal_sim_def_default(void);

// Whether a solver and contact go together. PAL_BAD_INPUT says why not, and `key` receives what
// decides it: "response" of the contact, "path" or "scheme" of the solver.
PalStatus pal_solver_def_match(const PalSolverDef *solver, const PalContactDef *contact,
                               const char **key, PalError *error);

typedef struct PalSim PalSim;

PalStatus pal_sim_create(const PalSimDef *def, PalSim **sim, PalError *error);
// The same on a model that exists already, from pal_model_create or of another simulation; it must
// outlive this simulation. def->model is not used. Any number of simulations, also in threads of
// their own, may share a model, because they only read it. So overlaps at the start are refused, as
// removing them would move its nodes; so are mass scaling and a time after its end_time.
PalStatus pal_sim_create_on(const PalModel *model, const PalSimDef *def, PalSim **sim,
                            PalError *error);
void pal_sim_destroy(PalSim *sim);

// One step. PAL_SIM_FAILED names element, place and time; the state is then the last good one
// or the first bad one, and no further step may be taken.
PalStatus pal_sim_step(PalSim *sim, PalError *error);
// Steps until `time` is reached or the simulation is finished; relaxation, asked for its end time,
// until equilibrium.
PalStatus pal_sim_advance(PalSim *sim, double time, PalError *error);
// The same, but stops after the step in which `seconds` of this computer's time are used up; at
// least one step is taken, and none is cut short. `reached`, which may be NULL, receives the time
// it got to.
PalStatus pal_sim_advance_within(PalSim *sim, double time, double seconds, double *reached,
                                 PalError *error);
// Asked between the parts of long steps whether to go on; where not, the step ends with
// PAL_INTERRUPTED, and the state is as it was before. Implicit methods ask.
void pal_sim_set_watch(PalSim *sim, PalWatch watch);
// Memory that the method needs for itself while it steps, as far as it is known before.
size_t pal_sim_method_bytes(const PalSim *sim);
// End reached, or equilibrium (relaxation); never where the solver's time is infinite.
bool pal_sim_finished(const PalSim *sim);

const PalModel *pal_sim_model(const PalSim *sim);
const PalState *pal_sim_state(const PalSim *sim);
const PalSolverDef *pal_sim_solver(const PalSim *sim);
int32_t pal_sim_thread_count(const PalSim *sim);  // at most

// The stable bound of the current shape, and which body's cell dictates it: PAL_NONE where the
// spring of a free rigid body does, or nothing. Either may be NULL, and so below.
double pal_sim_stable_step(PalSim *sim, int32_t *body_index, int32_t *cell_index);
double pal_sim_next_step(const PalSim *sim);  // length of the step to come
// Makes the step to come end after this time, if that is earlier; steps of a length that was given
// go on where it was to end. False: the method cannot do that.
bool pal_sim_shorten_step(PalSim *sim, double length);
double pal_sim_progress(const PalSim *sim);  // 0 to 1; relaxation: by the logarithm of the residual
// Relaxation: the larger of the estimated relative error and the forces left over relative to those
// that act, of the worst body; 0 otherwise.
double pal_sim_residual(const PalSim *sim);
// Implicit methods: forces left over, of those that act, before the first and after each correction
// of the last search for equilibrium, the first 21 at most.
const double *pal_sim_convergence(const PalSim *sim, int32_t *count);
// The time on their ramps at which loads are taken: the state's, but where PAL_PATH_ARC_LENGTH lets
// loads fall.
double pal_sim_load_time(const PalSim *sim);

typedef struct PalEnergy {
    double kinetic, strain;
    double external_work, contact_work, dissipated;
    double initial;  // kinetic + strain at the start
} PalEnergy;

// total = kinetic + strain; drift = (total - initial - external - contact + dissipated) / scale.
PalEnergy pal_sim_energy(PalSim *sim);
double pal_energy_drift(const PalEnergy *energy);
double pal_energy_scale(const PalEnergy *energy);  // the largest energy or work in it

// All that is summed over the nodes, at once: for less than asking for each. `velocity` receives
// what pal_sim_velocity tells; it may be NULL.
typedef struct PalMeasures {
    PalEnergy energy;
    PalVec3 momentum, angular_momentum;
} PalMeasures;

PalMeasures pal_sim_measure(PalSim *sim, PalVec3 *velocity);

// Velocity at the state's own time (not half a step before), per node.
void pal_sim_velocity(const PalSim *sim, PalVec3 *velocity);
PalVec3 pal_sim_momentum(const PalSim *sim);
PalVec3 pal_sim_angular_momentum(const PalSim *sim);  // about the origin

// Where a rigid instrument or body is, and how it moves now; about which pivot, PalRigidReading of
// steer.h tells. Where there is none of that number, it rests at the origin.
void pal_sim_rigid_motion(const PalSim *sim, int32_t rigid_index, PalPose *pose, PalTwist *twist);

// Centroid and mean velocity of a body, mass-weighted; 0 where there is no such body.
void pal_sim_body_motion(const PalSim *sim, int32_t body_index, PalVec3 *centroid,
                         PalVec3 *velocity);

// ---- contact ------------------------------------------------------------------------------

// Contacts that carry force in the step just taken; valid until the next one. Contacts with less
// than a billionth of the largest force, or with no more than rounding errors, are left out.
const PalContactPoint *pal_sim_contacts(const PalSim *sim, int32_t *count);
PalContactReport pal_sim_contact_report(const PalSim *sim);
// One for each pair that the definition lists, in its order, and then one for each other pair that
// has touched; valid until the next step.
const PalContactPairReport *pal_sim_contact_pairs(const PalSim *sim, int32_t *count);
// Sum over the contacts between two objects (see PalContactPairDef), on the first; 0 if they do not
// touch, are not kept apart, or are no objects of the model.
PalVec3 pal_sim_contact_force(const PalSim *sim, int32_t object, int32_t other);
// All that contacts do to an object: force, and torque about a point.
void pal_sim_contact_load(const PalSim *sim, int32_t object, PalVec3 about, PalVec3 *force,
                          PalVec3 *torque);
// Pairs of triangles that cross each other now, of objects that contact keeps apart. Checks every
// pair whose boxes overlap. PAL_NONE: no memory for it.
int32_t pal_sim_intersections(PalSim *sim);

// ---- fields -------------------------------------------------------------------------------

// Per cell, in the mesh's order; any pointer may be NULL.
typedef struct PalCellFields {
    double *energy_density;
    double *von_mises;
    double (*stress)[6];   // Cauchy: xx yy zz xy yz zx
    double (*strain)[6];   // Green-Lagrange, in the same order; no factor of two in shear
    double *volume_ratio;  // current over reference
    // Of thin bodies; 0 elsewhere.
    double *thickness;                   // now
    double (*top)[6], (*bottom)[6];      // Cauchy stress on the side normals point to, and below
    double (*tension)[6], (*moment)[6];  // per current length, and per length at rest
} PalCellFields;

// Of one body, or of all bodies one after the other (PAL_NONE). PAL_BAD_INPUT: no such body.
PalStatus pal_sim_cell_fields(PalSim *sim, int32_t body_index, const PalCellFields *fields);

const PalProfile *pal_sim_profile(const PalSim *sim);
void pal_sim_add_output_seconds(PalSim *sim, double seconds);  // counted as profile.output
const PalCounters *pal_sim_counters(const PalSim *sim);

// Everything a checkpoint must hold, array by array. After restoring each array in place, call
// pal_sim_restored. The order and names are the same for the same scene, and so are the counts
// but for arrays with `resize`.
typedef struct PalNamedArray {
    const char *name;
    void *data;
    int64_t count;
    enum { PAL_ARRAY_DOUBLE, PAL_ARRAY_INT64 } kind;
    // Before restoring another count: room for so many, to be filled. NULL: no memory.
    void *(*resize)(void *owner, int64_t count);
    void *owner;
} PalNamedArray;

#define PAL_SIM_ARRAY_MAX 32
int32_t pal_sim_arrays(PalSim *sim,
                       PalNamedArray arrays[PAL_SIM_ARRAY_MAX]);  // PAL_NONE: no memory
PalStatus pal_sim_restored(PalSim *sim, PalError *error);

// Two states have the same hash if all their bits are the same.
uint64_t pal_sim_hash(const PalSim *sim);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
