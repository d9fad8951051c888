// A vademecum in the making: what its parts share.
#ifndef PAL_REDUCED_BUILD_H
#define PAL_REDUCED_BUILD_H

#include "reduced/truth.h"
#include "reduced/vademecum.h"

#define PAL_BUILD_LEVELS 2
extern const double pal_build_levels[PAL_BUILD_LEVELS];  // parts of a load that are solved for

// Equilibria under one load.
typedef struct PalShot {
    PalVademecumLoad load;
    double radius;   // of the patch it is shared by
    int32_t found;   // levels
    double reached;  // part of the load
    double *u;       // PAL_BUILD_LEVELS vectors
} PalShot;

typedef struct PalBuild {
    const PalVademecumDef *def;
    PalTruth *truth;
    double begin, begin_cpu;  // when it began, in seconds
    PalVademecumProgress progress;
    const char *stage;  // that is told of, and when it began
    double stage_begin;

    // ---- the body: nodes as the vademecum counts them
    int32_t node_count, surface_count, triangle_count;
    int32_t *model_node;  // per node: its number in the model
    int32_t *node;        // and back
    int32_t *triangles;   // by surface nodes
    PalVec3 *normals;     // per surface node, outward
    int32_t *row;         // per component 3 node + axis: its place in vectors, or PAL_NONE

    // ---- loads
    int32_t site_count;
    int32_t *site;   // surface nodes
    bool *open;      // per surface node: loads may act there
    double *weight;  // scratch: per surface node

    // ---- equilibria that were learnt
    int32_t shot_count, shot_room;
    double longest;  // displacement of a load point
    PalShot *shots;
    int32_t linear_count;  // answers at rest: to loads along x, y and z at some sites
    double *linear;        // vectors

    // ---- modes: vectors, orthonormal in the stiffness at rest
    int32_t mode_count;
    double *modes;

    // ---- the local part, before modes are taken off
    int32_t local_count;
    int32_t *local_start, *local_node;
    double *local_block;

    // ---- sampled cells
    int32_t sample_count;
    int32_t *sample_cell;
    double *sample_weight;

    int32_t heldout_count;
    PalShot *heldout;
    int32_t solution_count;  // loads with an equilibrium, found now or before a stop
} PalBuild;

PalStatus pal_build_no_memory(PalError *error);
// Tells how far it is; PAL_INTERRUPTED where that is the answer.
PalStatus pal_build_tell(PalBuild *build, const char *stage, int32_t done, int32_t total,
                         PalError *error);
// Numbers in [0, 1), the same for the same seed.
double pal_build_random(uint64_t *seed);

// ---- parts
PalStatus pal_build_body(PalBuild *build, PalError *error);  // build_body.c
void pal_build_load(PalBuild *build, const PalVademecumLoad *load, double radius, double *vector);
PalVec3 pal_build_position(const PalBuild *build, int32_t node);
PalStatus pal_build_order_sites(PalBuild *build, int32_t limit, PalError *error);

// Solves for a shot's load.
PalStatus pal_build_shoot(PalBuild *build, PalShot *shot, PalError *error);  // build_shots.c
PalStatus pal_build_learn(PalBuild *build, PalError *error);
PalStatus pal_build_hold_out(PalBuild *build, PalError *error);
PalVec3 pal_build_direction(const PalBuild *build, int32_t site, uint64_t *seed);

PalStatus pal_build_modes(PalBuild *build, int32_t limit, PalError *error);  // build_modes.c
PalStatus pal_build_local(PalBuild *build, PalError *error);                 // build_local.c
PalStatus pal_build_cells(PalBuild *build, PalError *error);                 // build_cells.c

PalStatus pal_build_fill(PalBuild *build, PalVademecum **book, PalError *error);  // build_fill.c
// What both methods have: body, loads, facts. Sizes are set but for those of answers.
PalVademecumSize pal_build_size(const PalBuild *build);
void pal_build_fill_body(const PalBuild *build, PalVademecum *book);

PalStatus pal_build_measure(PalBuild *build, PalVademecum *book,
                            PalError *error);  // build_errors.c

PalStatus pal_build_pgd(PalBuild *build, PalVademecum **book, PalError *error);  // pgd.c

#endif
