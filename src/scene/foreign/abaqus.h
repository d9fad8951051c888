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

typedef struct PalAbaqus {
    PalForeign *model;
    const char *at, *end;
    int32_t line;         // of `at`
    int32_t data_line;    // of the data line read last
    int32_t material;     // the one being defined, or PAL_NONE
    bool long_term;       // its moduli are those that remain in the end
    double prony_sum[2];  // weights of its relaxation: shear, bulk
    int32_t step_count;
    PalIdMap node_ids;
    PalForeignCondition pending;  // of nodes named one by one; line 0: none
    PalInts pending_nodes;
} PalAbaqus;

// The value of a parameter: empty if it has none, no text if it is not there.
PalToken pal_abaqus_parameter(const PalAbaqusKeyword *keyword, const char *name);
bool pal_abaqus_is(const PalAbaqusKeyword *keyword, const char *name);

// The next data line; false at a keyword or the end of the file.
bool pal_abaqus_data(PalAbaqus *abaqus, PalToken *line);
// Takes the text up to the next comma off the front of a line; false: nothing is left.
bool pal_abaqus_field(PalToken *line, PalToken *field);
// All numbers of the data lines that follow; empty fields count as 0.
PalStatus pal_abaqus_numbers(PalAbaqus *abaqus, double *values, int32_t most, int32_t *count);
PalStatus pal_abaqus_number(PalAbaqus *abaqus, PalToken field, double *value);

const char *pal_abaqus_name(PalAbaqus *abaqus, PalToken token);  // NULL: no memory

// ---- parts: each says in *known whether the keyword is its own
// -----------------------------------

PalStatus pal_abaqus_material(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known);
PalStatus pal_abaqus_condition(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known);

// Hands over what was collected of single nodes.
PalStatus pal_abaqus_end_nodes(PalAbaqus *abaqus);

// To be called when a material is complete.
PalStatus pal_abaqus_end_material(PalAbaqus *abaqus);

#endif
