// Abaqus input files: what the reader of keywords and the one of sets share.
#ifndef PAL_MESH_READERS_INP_H
#define PAL_MESH_READERS_INP_H

#include "mesh/readers/id_map.h"

typedef struct PalInpElement {
    PalRawKind kind;  // PAL_RAW_OTHER: known by its number only
    int32_t first;    // of its corners in corner_ids
    int32_t cell;     // its index among its kind, once resolved
    const char *where;
} PalInpElement;

// What a line adds to a set.
typedef struct PalInpEntry {
    int32_t set;
    int32_t nested;             // the set that is added, or PAL_NONE
    bool indices;               // first .. last are indices, not numbers
    int64_t first, last, step;  // numbers first, first + step, .. last; a step of 0 is one number
    const char *where;
} PalInpEntry;

// All sets of nodes, or all sets of elements.
typedef struct PalInpSets {
    bool of_elements;
    PalNames names;
    PAL_ARRAY(PalInpEntry) entries;
    PAL_ARRAY(PalInts) items;  // by set, once resolved
} PalInpSets;

// A line of *SURFACE.
typedef struct PalInpFace {
    int32_t surface;
    bool of_nodes;
    PalToken label;  // a set or a number
    int32_t face;    // 1 to 6; 0: none is named
    const char *where;
} PalInpFace;

typedef struct PalInp {
    PalCursor *cursor;
    PalRawMesh *raw;
    PalIdMap node_ids, element_ids;
    PAL_ARRAY(PalInpElement) elements;
    PalLongs corner_ids;
    PalInpSets node_sets, element_sets;
    PalInpSets surfaces;  // their names
    PAL_ARRAY(PalInpFace) faces;
    int32_t part_count, instance_count;
    bool has_keyword, in_assembly, in_instance;
    PalVec3 move;    // of the instance
    double turn[7];  // two points of an axis and degrees
} PalInp;

// A line without the spaces around it, comments and empty lines passed over. False at the end
// of the file, and when the next line is a keyword unless `keyword` is true.
bool pal_inp_line(PalInp *inp, bool keyword, PalToken *line);

// Takes the text up to the next comma off the front of a line. False: nothing is left.
bool pal_inp_field(PalToken *line, PalToken *field);

// The set of a name, new or not; its quotation marks and instance are taken off.
PalStatus pal_inp_set(PalInp *inp, PalInpSets *sets, PalToken name, int32_t *set);
PalStatus pal_inp_add_entry(PalInp *inp, PalInpSets *sets, PalInpEntry entry);

// The data lines of *NSET or *ELSET.
PalStatus pal_inp_read_set(PalInp *inp, PalInpSets *sets, int32_t set, bool generate);

// The group of a set or surface of this name, or with the suffix where it must be apart.
PalStatus pal_inp_group(PalInp *inp, const char *name, const char *suffix, int32_t *group);

// Turns all sets into groups; nodes and elements are there.
PalStatus pal_inp_finish_sets(PalInp *inp);
void pal_inp_clear_sets(PalInpSets *sets);

// The data lines of *SURFACE, and what they are to groups once the sets are known.
PalStatus pal_inp_read_surface(PalInp *inp, PalToken name, bool of_nodes);
PalStatus pal_inp_finish_surfaces(PalInp *inp);

#endif
