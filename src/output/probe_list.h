// The probes of an output: those asked for, and for each free rigid body its position, velocity and
// rotation.
#ifndef PAL_OUTPUT_PROBE_LIST_H
#define PAL_OUTPUT_PROBE_LIST_H

#include <palpate/output.h>

// Of more free bodies than this, only what is asked for is recorded.
#define PAL_PROBED_BODIES_MAX 10

typedef struct PalProbeList {
    int32_t count;
    PalProbeDef *defs;  // those of the definition come first
    char *names;
} PalProbeList;

// False: no memory.
bool pal_probe_list_init(PalProbeList *list, const PalOutputDef *def, const PalModel *model);
void pal_probe_list_clear(PalProbeList *list);

#endif
