// Probes: one vector per output time, from selected nodes or from contact.
#ifndef PAL_OUTPUT_PROBE_H
#define PAL_OUTPUT_PROBE_H

#include <palpate/output.h>

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
} PalProbe;

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
    const PalSim *sim;  // for contact
} PalProbeSource;

PalVec3 pal_probe_value(const PalProbe *probe, const PalProbeSource *source);

#endif
