// An open run directory, from within.
#ifndef PAL_OUTPUT_OUTPUT_H
#define PAL_OUTPUT_OUTPUT_H

#include "output/checkpoint.h"
#include "output/frame.h"
#include "output/history.h"
#include "output/probe.h"
#include "output/rundir.h"
#include "output/writer.h"

// What output spends its time on, besides the writer's.
typedef enum PalOutputStage {
    PAL_OUTPUT_OPENING,
    PAL_OUTPUT_FRAMES,  // and rows of history
    PAL_OUTPUT_CHECKPOINTS,
    PAL_OUTPUT_PICTURE,
    PAL_OUTPUT_REPORT,  // and the summary
    PAL_OUTPUT_STAGE_COUNT,
} PalOutputStage;

struct PalOutput {
    char *title;
    bool fields[PAL_FIELD_COUNT];
    bool touches;  // there is contact, and a series of files of it
    double checkpoint_seconds;
    bool report;
    uint64_t scene;

    PalDirectory directory;
    int history, log;  // descriptors
    PalFrame *frame;
    PalFrameFile file;
    PalWriter *writer;
    int32_t probe_count;
    PalProbe *probes;
    PalCellFields cell_fields;  // where probes ask for them
    bool probes_area;           // probes ask for areas of contact
    const char **probe_names;
    PalVec3 *probe_values;
    bool *probe_silent;         // known at the end
    PalProbePeak *probe_peaks;  // likewise
    PalText text;               // the row being made

    PalRunRecord record;  // its totals are those of earlier processes
    double opened_at, checkpoint_at;
    double cpu_seconds[PAL_OUTPUT_STAGE_COUNT];  // spent so far, by all threads but the writer
    int64_t synced_frames;                       // frames known to be on the disk
    int64_t checkpoint_step;                     // steps at the last checkpoint, or PAL_NONE
};

// What output costs: on the clock, and of processors. All that they do is counted but for the
// writer's thread, since no step is taken meanwhile.
typedef struct PalOutputCount {
    double clock, processor;
} PalOutputCount;

PalOutputCount pal_output_count_begin(const PalOutput *output);
void pal_output_count_end(PalOutput *output, PalSim *sim, PalOutputStage stage,
                          const PalOutputCount *begin);

// The same for processors alone.
void pal_output_count_processor(PalOutput *output, PalOutputStage stage,
                                const PalOutputCount *begin);

// Nothing is forced to the disk for a run of a few seconds so far, earlier processes included.
void pal_output_find_haste(PalOutput *output);

// Whether to write a checkpoint, `since` seconds after the last one, which came when the run was
// `age` seconds old. `seconds`: what lies between two later on.
bool pal_checkpoint_is_due(double seconds, double age, double since);
bool pal_output_checkpoint_is_due(const PalOutput *output);  // now
bool pal_output_has_checkpoint(const PalOutput *output);     // of this process, or resumed from

// What the simulation says now; reads the probes, too. The frame must be up to date.
PalHistoryRow pal_output_row(PalOutput *output, PalSim *sim);

// Adds `sign` times what the simulation itself counts.
void pal_run_record_add(PalRunRecord *record, const PalSim *sim, int sign);

// The record with totals over all processes.
PalRunRecord pal_output_total(const PalOutput *output, PalSim *sim, double wall_seconds);

#endif
