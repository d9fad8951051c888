// How time advances: the method, its step, and what a run costs.
#ifndef PALPATE_SOLVER_H
#define PALPATE_SOLVER_H

#include <palpate/linear.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef enum PalMethod {
    PAL_METHOD_EXPLICIT,         // central differences: v += dt a, u += dt v
    PAL_METHOD_NEWMARK,          // explicit Newmark (velocity Verlet)
    PAL_METHOD_RELAXATION,       // adaptive dynamic relaxation to equilibrium
    PAL_METHOD_IMPLICIT,         // motion in time, any step, by Newton's method
    PAL_METHOD_IMPLICIT_STATIC,  // equilibrium by Newton's method, while loads grow
} PalMethod;

const char *pal_method_name(PalMethod method);
bool pal_method_find(const char *name, PalMethod *method);
const PalChoice *pal_method_choice(int32_t index);  // NULL after the last one
// Its velocities are those of a motion in time. Otherwise it leads to an equilibrium.
bool pal_method_in_time(PalMethod method);

// It solves for the forces at the end of a step: any length is stable, and a step that fails leaves
// the state as it was. Its contact has a response of its own kind (pal_response_serves).
bool pal_method_is_implicit(PalMethod method);

// How `implicit` follows a motion.
typedef enum PalScheme {
    PAL_SCHEME_HHT,
    PAL_SCHEME_NEWMARK,
    PAL_SCHEME_BACKWARD_EULER,
} PalScheme;

const PalChoice *pal_scheme_choice(int32_t index);  // NULL after the last one
const char *pal_scheme_name(PalScheme scheme);
bool pal_scheme_find(const char *name, PalScheme *scheme);

// What implicit statics measures its steps by.
typedef enum PalPath {
    PAL_PATH_LOAD,        // how far loads are along their ramps
    PAL_PATH_ARC_LENGTH,  // how far the body moves, so that loads may fall on the way
} PalPath;

const PalChoice *pal_path_choice(int32_t index);  // NULL after the last one
const char *pal_path_name(PalPath path);
bool pal_path_find(const char *name, PalPath *path);

#define PAL_NUMERICAL_DAMPING_MAX (1.0 / 3)

#define PAL_THREAD_MAX 1024

// A run that follows a motion in time takes at most so many steps: with more, a step would be lost
// in the rounding of the time. They are refused at the start.
#define PAL_STEPS_MAX 1e15

typedef struct PalSolverDef {
    PalMethod method;
    double time;               // end, > 0; infinite: a program decides (not relaxation)
    double step;               // 0: automatic
    double damping;            // mass-proportional, 1 / time, >= 0
    double safety;             // automatic step as a fraction of the stable bound, (0, 1]
    double mass_scaling_step;  // 0: none; otherwise the smallest step any element may dictate
    double tolerance;          // relaxation: see pal_sim_residual
    int64_t step_limit;        // relaxation: give up after so many steps
    PalScheme scheme;          // implicit
    double numerical_damping;  // implicit with PAL_SCHEME_HHT: 0 to PAL_NUMERICAL_DAMPING_MAX
    PalPath path;              // implicit statics
    PalLinearKind linear;      // implicit: how linear equations are solved
    int32_t thread_count;      // at most; 0: as many as cores, for a thousand elements each
} PalSolverDef;

PalSolverDef pal_solver_def_default(void);

// Seconds spent, since the start.
typedef struct PalProfile {
    double assemble, solve;  // implicit: tangents, and linear equations
    double elements, integrate, contact_update, contact_search, contact_response, output;
} PalProfile;

// Counts, since the start.
typedef struct PalCounters {
    int64_t step_estimates;  // times the automatic step was computed again
    int64_t step_changes;    // times it changed
    int64_t retries;         // times a relaxation took a step back that turned a cell inside out,
                             // or an implicit step was tried again with a shorter one
    int64_t iterations;      // implicit: tangents assembled and factored
    int64_t unstable;        // implicit statics: equilibria found that would not last
    int64_t volumes, refits, self_subtrees, volume_tests, node_facet, edge_edge, wakes;
} PalCounters;

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
