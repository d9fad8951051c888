// Probes: one vector per output time, from selected nodes.
#ifndef PAL_OUTPUT_PROBE_H
#define PAL_OUTPUT_PROBE_H

#include <palpate/output.h>

typedef struct PalProbe {
    char *name;
    PalRecord record;
    int32_t node_count;
    int32_t *nodes;  // model numbering, ascending
} PalProbe;

// Refuses a selection without nodes, an unknown body and a name used twice.
PalStatus pal_probes_create(const PalModel *model, int32_t count, const PalProbeDef *defs,
                            PalProbe **probes, PalError *error);
void pal_probes_destroy(PalProbe *probes, int32_t count);

const char *pal_record_name(PalRecord record);  // "displacement", "velocity", ...

// What a probe reads from; all in the model's node numbering.
typedef struct PalProbeSource {
    const PalVec3 *reference, *displacement, *velocity, *reaction;
} PalProbeSource;

PalVec3 pal_probe_value(const PalProbe *probe, const PalProbeSource *source);

#endif
