// What probes tell of the cells at their nodes, and of the area that contact presses on.
#ifndef PAL_OUTPUT_PROBE_CELLS_H
#define PAL_OUTPUT_PROBE_CELLS_H

#include "output/frame.h"

typedef struct PalProbe {
    char *name;
    PalProbeKind kind;
    PalRecord record;
    bool has_about;
    PalVec3 about;       // torque: about this point; the origin where none is given
    int32_t objects[2];  // contact; of a rigid instrument: itself
    int32_t node_count;
    int32_t *nodes;     // numbered as in frames; ascending where there are no weights
    double weights[8];  // of the nodes of a cell, where the probe is a point of it
    bool is_point;
    int32_t cell_count;
    int32_t *cells;   // of what is recorded of cells, by their numbers in the model
    double *volumes;  // of these, at rest
} PalProbe;

// Stress, strain, pressure or volume; or the area.
bool pal_record_is_of_cells(PalRecord record);
bool pal_record_is_of_area(PalRecord record);

// Finds the cells of a body all of whose nodes the probe has; if there are none, those of which it
// has one at least.
PalStatus pal_probe_take_cells(const PalBody *body, PalProbe *probe, PalError *error);

// Fields of all cells, by their numbers in the model; and a frame with forces of contact.
PalVec3 pal_probe_cells(const PalProbe *probe, const PalCellFields *fields);
PalVec3 pal_probe_area(const PalProbe *probe, const PalFrame *frame);

#endif
