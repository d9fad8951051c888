// checkpoint.h5: everything needed to go on with a run, as HDF5 behind a 512-byte block that
// holds a check sum, so that a damaged file is known before anything of it is used.
#ifndef PAL_OUTPUT_CHECKPOINT_H
#define PAL_OUTPUT_CHECKPOINT_H

#include "output/file.h"

#include <palpate/sim.h>

#define PAL_CHECKPOINT_FORMAT 6
#define PAL_CHECKPOINT_NAME   "checkpoint.h5"

// What a run directory holds at the moment of the checkpoint, and what a summary needs of before.
typedef struct PalRunRecord {
    int64_t frame_count;
    int64_t history_bytes;
    int64_t frame_step;  // steps at the last frame, or PAL_NONE
    int64_t row_step;    // the same at the last row of history
    int64_t steps;
    double time;
    double wall_seconds;  // of all processes so far
    double energy_scale;  // the largest so far
    double worst_drift;   // as a part of it
    double worst_penetration;
    PalVec3 momentum, angular_momentum;  // at the start
    PalProfile profile;
    PalCounters counters;
} PalRunRecord;

typedef struct PalCheckpoint {
    uint64_t scene;          // fingerprint of the resolved scene and its meshes
    const char *difference;  // reading: what differs in the scene, in words; "" or NULL: not known
    PalRunRecord record;
    int32_t array_count;  // at most PAL_SIM_ARRAY_MAX
    const PalNamedArray *arrays;
} PalCheckpoint;

PalStatus pal_checkpoint_write(const PalDirectory *directory, const PalCheckpoint *checkpoint,
                               PalError *error);

// Fills the record and the arrays in place. PAL_BAD_INPUT, with nothing filled in, when the file is
// damaged, of another scene, or does not fit the arrays; after PAL_NO_MEMORY and PAL_IO_FAILED the
// arrays may hold anything. An absent file is `*found` false.
PalStatus pal_checkpoint_read(const PalDirectory *directory, PalCheckpoint *checkpoint, bool *found,
                              PalError *error);

#endif
