// A simulation: a model, its state, and the step that advances it.
#ifndef PALPATE_SIM_H
#define PALPATE_SIM_H

#include <palpate/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PalMethod {
    PAL_METHOD_EXPLICIT,    // central differences: v += dt a, u += dt v
    PAL_METHOD_NEWMARK,     // explicit Newmark (velocity Verlet)
    PAL_METHOD_RELAXATION,  // adaptive dynamic relaxation to equilibrium
} PalMethod;

const char *pal_method_name(PalMethod method);
bool pal_method_find(const char *name, PalMethod *method);

typedef struct PalSolverDef {
    PalMethod method;
    double time;               // end, > 0
    double step;               // 0: automatic
    double damping;            // mass-proportional, 1 / time, >= 0
    double safety;             // automatic step as a fraction of the stable bound, (0, 1]
    double mass_scaling_step;  // 0: none; otherwise the smallest step any element may dictate
    double tolerance;          // relaxation: estimated error relative to the largest displacement
    int64_t step_limit;        // relaxation: give up after so many steps
    int32_t thread_count;      // 0: as many as cores
} PalSolverDef;

PalSolverDef pal_solver_def_default(void);

typedef struct PalSimDef {
    PalModelDef model;  // its end_time and mass_scaling_step are taken from the solver
    PalSolverDef solver;
    double align;  // > 0: automatic steps land on multiples of it (output times)
} PalSimDef;

PalSimDef pal_sim_def_default(void);

typedef struct PalSim PalSim;

PalStatus pal_sim_create(const PalSimDef *def, PalSim **sim, PalError *error);
void pal_sim_destroy(PalSim *sim);

// One step. PAL_SIM_FAILED names element, place and time; the state is then the last good one
// or the first bad one, and no further step may be taken.
PalStatus pal_sim_step(PalSim *sim, PalError *error);
// Steps until `time` is reached or the simulation is finished.
PalStatus pal_sim_advance(PalSim *sim, double time, PalError *error);
bool pal_sim_finished(const PalSim *sim);  // end reached, or equilibrium (relaxation)

const PalModel *pal_sim_model(const PalSim *sim);
const PalState *pal_sim_state(const PalSim *sim);
const PalSolverDef *pal_sim_solver(const PalSim *sim);
int32_t pal_sim_thread_count(const PalSim *sim);

// The stable bound of the current shape, and which body's cell dictates it.
double pal_sim_stable_step(PalSim *sim, int32_t *body_index, int32_t *cell_index);
double pal_sim_next_step(const PalSim *sim);  // length of the step to come
double pal_sim_progress(const PalSim *sim);  // 0 to 1; relaxation: by the logarithm of the residual
double pal_sim_residual(const PalSim *sim);  // relaxation: estimated relative error; 0 otherwise

typedef struct PalEnergy {
    double kinetic, strain;
    double external_work, contact_work, dissipated;
    double initial;  // kinetic + strain at the start
} PalEnergy;

// total = kinetic + strain; drift = (total - initial - external - contact + dissipated) / scale.
PalEnergy pal_sim_energy(PalSim *sim);
double pal_energy_drift(const PalEnergy *energy);

// Velocity at the state's own time (not half a step before), per node.
void pal_sim_velocity(const PalSim *sim, PalVec3 *velocity);
PalVec3 pal_sim_momentum(const PalSim *sim);
PalVec3 pal_sim_angular_momentum(const PalSim *sim);  // about the origin

// Centroid and mean velocity of a body, mass-weighted.
void pal_sim_body_motion(const PalSim *sim, int32_t body_index, PalVec3 *centroid,
                         PalVec3 *velocity);

// Per cell of one body, in the mesh's order; any pointer may be NULL.
typedef struct PalCellFields {
    double *energy_density;
    double *von_mises;
    double (*stress)[6];  // Cauchy: xx yy zz xy yz zx
    double *volume_ratio;
} PalCellFields;

PalStatus pal_sim_cell_fields(PalSim *sim, int32_t body_index, const PalCellFields *fields);

// Seconds spent, since the start.
typedef struct PalProfile {
    double elements, integrate, contact_update, contact_search, contact_response, output;
} PalProfile;

// Counts, since the start.
typedef struct PalCounters {
    int64_t step_estimates;  // times the automatic step was looked at again
    int64_t step_changes;    // times it changed
    int64_t volumes, refits, self_subtrees, volume_tests, node_facet, edge_edge, wakes;
} PalCounters;

const PalProfile *pal_sim_profile(const PalSim *sim);
const PalCounters *pal_sim_counters(const PalSim *sim);

// Everything a checkpoint must hold, array by array. After restoring each array in place, call
// pal_sim_restored. The order and names are the same for the same scene.
typedef struct PalNamedArray {
    const char *name;
    void *data;
    int64_t count;
    enum { PAL_ARRAY_DOUBLE, PAL_ARRAY_INT64 } kind;
} PalNamedArray;

#define PAL_SIM_ARRAY_MAX 32
int32_t pal_sim_arrays(PalSim *sim, PalNamedArray arrays[PAL_SIM_ARRAY_MAX]);
void pal_sim_restored(PalSim *sim);

// A number that is the same exactly when the states' bits are.
uint64_t pal_sim_hash(const PalSim *sim);

#ifdef __cplusplus
}
#endif

#endif
