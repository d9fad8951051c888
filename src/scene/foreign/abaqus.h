// An Abaqus model being read: what its files share.
#ifndef PAL_SCENE_FOREIGN_ABAQUS_H
#define PAL_SCENE_FOREIGN_ABAQUS_H

#include "mesh/readers/id_map.h"
#include "scene/foreign/model.h"

// A keyword with its data lines ahead.
typedef struct PalAbaqusKeyword {
    PalToken word;  // without the star
    PalToken rest;  // its parameters
    int32_t line;
} PalAbaqusKeyword;

// What a step says of a load.
typedef struct PalAbaqusChange {
    int32_t step;  // from 1; 0: before the first
    int32_t line;
    double value;
    int32_t curve;  // PAL_NONE: as the step has it
    bool removed;   // it is no longer there from this step on
} PalAbaqusChange;

// One thing that holds, moves or loads, through all steps: on a group, along one direction.
typedef struct PalAbaqusLoad {
    PalForeignKind kind;  // fixed nodes are displaced by 0
    int32_t line;
    const char *group;    // NULL: everything
    int32_t group_index;  // of the mesh
    double direction[3];  // what the value multiplies; pressure: none
    PAL_ARRAY(PalAbaqusChange) changes;
} PalAbaqusLoad;

typedef struct PalAbaqusStep {
    int32_t line;
    bool dynamic;
    double start, end;
} PalAbaqusStep;

// *SURFACE INTERACTION
typedef struct PalAbaqusInteraction {
    const char *name;
    double friction;
} PalAbaqusInteraction;

// A pair whose interaction may come later.
typedef struct PalAbaqusPair {
    int32_t line;
    const char *groups[2];  // none: general contact
    const char *interaction;
} PalAbaqusPair;

// *RIGID BODY of nodes: they do what the reference does.
typedef struct PalAbaqusRigid {
    int32_t line;
    const char *group;
    int32_t nodes[2];  // reference, rotations (PAL_NONE: the reference has them)
    bool given[6];
    bool turns;
} PalAbaqusRigid;

typedef struct PalAbaqus {
    PalForeign *model;
    const char *begin, *at, *end;
    int32_t line;         // of `at`
    int32_t data_line;    // of the data line read last
    int32_t material;     // the one being defined, or PAL_NONE
    bool long_term;       // its moduli are those that remain in the end
    double prony_sum[2];  // weights of its relaxation: shear, bulk
    PalIdMap node_ids, element_ids;
    PalInts element_cells;
    PAL_ARRAY(PalAbaqusStep) steps;
    PAL_ARRAY(PalAbaqusLoad) loads;
    PAL_ARRAY(PalAbaqusInteraction) interactions;
    PAL_ARRAY(PalAbaqusPair) pairs;
    PAL_ARRAY(PalAbaqusRigid) rigids;
    bool nonlinear;           // NLGEOM stays once it is there
    int32_t cleared_step[3];  // in which OP=NEW was met: of what holds, of forces, of the others
    // what is said of nodes or faces one by one, collected while it is the same; line 0: nothing
    PalAbaqusLoad pending;
    PalAbaqusChange pending_change;
    PalInts pending_nodes;
    PAL_ARRAY(PalRawFacet) pending_faces;
    int32_t decoration_line;  // of the first keyword that only says what to print; 0: none
    char decoration[160];     // their names
} PalAbaqus;

// The value of a parameter: empty if it has none, no text if it is not there.
PalToken pal_abaqus_parameter(const PalAbaqusKeyword *keyword, const char *name);
bool pal_abaqus_is(const PalAbaqusKeyword *keyword, const char *name);
// Loses every parameter that is not among the names, which end in NULL.
PalStatus pal_abaqus_know(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword,
                          const char *const *names);

// The next data line; false at a keyword or the end of the file.
bool pal_abaqus_data(PalAbaqus *abaqus, PalToken *line);
// Takes the text up to the next comma off the front of a line; false: nothing is left.
bool pal_abaqus_field(PalToken *line, PalToken *field);
// All numbers of the data lines that follow; empty fields count as 0.
PalStatus pal_abaqus_numbers(PalAbaqus *abaqus, double *values, int32_t most, int32_t *count);
PalStatus pal_abaqus_number(PalAbaqus *abaqus, PalToken field, double *value);

const char *pal_abaqus_name(PalAbaqus *abaqus, PalToken token);  // NULL: no memory
// Group of a set or a surface; "NAME" where "NAME suffix" is not there.
PalStatus pal_abaqus_find(PalAbaqus *abaqus, int32_t line, PalToken name, const char *suffix,
                          const char **group);
PalStatus pal_abaqus_skip(PalAbaqus *abaqus);  // the data lines ahead

// ---- parts: each says in *known whether the keyword is its own
// -----------------------------------

PalStatus pal_abaqus_material(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known);
PalStatus pal_abaqus_condition(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known);
PalStatus pal_abaqus_step(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known);
PalStatus pal_abaqus_contact(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known);

// *RIGID BODY, which must be known before the loads.
PalStatus pal_abaqus_rigid(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword);

// Enters a load or changes one of a former step.
PalStatus pal_abaqus_push(PalAbaqus *abaqus, const PalAbaqusLoad *load,
                          const PalAbaqusChange *change);
// OP=NEW: what former steps said of these kinds is gone.
PalStatus pal_abaqus_clear_loads(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, int which);

// To be called when a material is complete.
PalStatus pal_abaqus_end_material(PalAbaqus *abaqus);

// At the end: loads of all steps become conditions; pairs become contact; rigid bodies are told
// whether all of them is given.
PalStatus pal_abaqus_finish_loads(PalAbaqus *abaqus);
PalStatus pal_abaqus_finish_contact(PalAbaqus *abaqus);

#endif
