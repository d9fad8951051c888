// Probes: one vector per output time, from selected nodes or from contact.
#ifndef PAL_OUTPUT_PROBE_H
#define PAL_OUTPUT_PROBE_H

#include "output/probe_cells.h"

// Refuses a selection without nodes, unknown objects, records that mean nothing and a name used
// twice.
PalStatus pal_probes_create(const PalModel *model, int32_t count, const PalProbeDef *defs,
                            PalProbe **probes, PalError *error);
void pal_probes_destroy(PalProbe *probes, int32_t count);

// Whether a kind of probe can record this.
bool pal_probe_records(PalProbeKind kind, PalRecord record);

// What a probe reads from; nodes are numbered as in frames.
typedef struct PalProbeSource {
    const PalVec3 *reference, *displacement, *velocity;
    const PalSim *sim;            // for contact
    const PalCellFields *fields;  // of all cells; NULL where no probe asks for them
    const PalFrame *frame;        // with contact, where a probe asks for areas
} PalProbeSource;

PalVec3 pal_probe_value(const PalProbe *probe, const PalProbeSource *source);

#endif
