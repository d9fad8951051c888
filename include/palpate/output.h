// A run directory: frames, history, summary, report, checkpoint. Part of libpalpate-io.
#ifndef PALPATE_OUTPUT_H
#define PALPATE_OUTPUT_H

#include <palpate/sim.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

typedef enum PalRecord {
    PAL_RECORD_DISPLACEMENT,  // mean over the nodes; free rigid bodies: of the centre of mass
    PAL_RECORD_VELOCITY,      // the same
    PAL_RECORD_POSITION,      // the same
    PAL_RECORD_FORCE,         // nodes: sum of what holds them (reaction); otherwise: of contact
    PAL_RECORD_TORQUE,        // of contact; rigid instruments: about the centre of the first of
                              // their motions that turns (or else of the first), which moves
                              // along; two objects: about the origin; or about `about`
    PAL_RECORD_ROTATION,      // rigid: since the start, axis times angle, the short way round
    PAL_RECORD_SPIN,          // rigid: angular velocity
    // Nodes: of the cells all of whose nodes are selected or, if there are none, that have one.
    PAL_RECORD_STRESS,    // principal values of the mean Cauchy stress, the largest first
    PAL_RECORD_STRAIN,    // the same of the Green-Lagrange strain
    PAL_RECORD_PRESSURE,  // mean, lowest and highest
    PAL_RECORD_VOLUME,    // now, at rest, and their ratio
    PAL_RECORD_AREA,      // that contact presses on; mean and largest pressure of contact there
} PalRecord;

const PalChoice *pal_record_choice(int32_t index);  // NULL after the last one
const char *pal_record_name(PalRecord record);
bool pal_record_find(const char *name, PalRecord *record);

typedef enum PalProbeKind {
    PAL_PROBE_NODES,    // body_index, where; anything but torque, rotation and spin
    PAL_PROBE_RIGID,    // rigid_index; anything
    PAL_PROBE_CONTACT,  // objects; force or torque, on the first of the two
} PalProbeKind;

typedef struct PalProbeDef {
    const char *name;
    PalProbeKind kind;
    int32_t body_index;
    PalWhere where;
    int32_t rigid_index;
    int32_t objects[2];  // as in PalContactPairDef
    PalRecord record;
    bool has_about;  // torque: about this point; a rigid instrument takes it along from the start,
    PalVec3 about;   // that of two objects stays
} PalProbeDef;

// What the frames can hold besides positions.
typedef enum PalField {
    PAL_FIELD_DISPLACEMENT,
    PAL_FIELD_VELOCITY,
    PAL_FIELD_STRESS,
    PAL_FIELD_ENERGY,
    PAL_FIELD_CONTACT,
    PAL_FIELD_STRAIN,
    PAL_FIELD_VOLUME,
    PAL_FIELD_COUNT,
} PalField;

const PalChoice *pal_field_choice(int32_t index);  // NULL after the last one
const char *pal_field_name(PalField field);
bool pal_field_find(const char *name, PalField *field);

// Of the numbers in the frames.
typedef enum PalPrecision {
    PAL_PRECISION_SINGLE,  // 32 bits
    PAL_PRECISION_DOUBLE,  // 64 bits, as in the simulation
} PalPrecision;

const PalChoice *pal_precision_choice(int32_t index);  // NULL after the last one
const char *pal_precision_name(PalPrecision precision);
bool pal_precision_find(const char *name, PalPrecision *precision);

typedef struct PalOutputDef {
    const char *directory;  // created if absent
    const char *title;
    const char *scene_text;        // as resolved; written to scene.yaml
    const char *identity;          // what a run must have in common with the one it goes on from;
                                   // NULL: its scene_text
    double every;                  // simulated time between frames, > 0
    double history;                // the same between rows of history; 0: as `every`
    bool fields[PAL_FIELD_COUNT];  // in the frames; force of contact only where there is contact
    PalPrecision precision;        // of the frames
    int32_t probe_count;           // free rigid bodies have probes NAME.position, NAME.velocity and
    const PalProbeDef *probes;     // NAME.rotation besides, unless there are more than ten
    double checkpoint_seconds;     // wall time between checkpoints; 0: at every output time
    bool report;                   // write report.html and picture.png at the end
} PalOutputDef;

PalOutputDef pal_output_def_default(void);

typedef struct PalOutput PalOutput;

// Opens a new run directory (clearing an older run's files in it), or, with `resume`, restores
// the simulation from its checkpoint and cuts the files back to that moment.
PalStatus pal_output_open(const PalOutputDef *def, PalSim *sim, bool resume, PalOutput **output,
                          PalError *error);

// A frame and a row of history for the current state; a checkpoint when one is due. Does nothing
// when this very state was written already, as after resuming. A thread writes the files while the
// simulation goes on. If it cannot, the next call says so: a checkpoint and the end wait for it.
PalStatus pal_output_write(PalOutput *output, PalSim *sim, PalError *error);

// A row of history alone, for rows at more moments than frames. Does nothing when this very state
// has a row already.
PalStatus pal_output_write_history(PalOutput *output, PalSim *sim, PalError *error);

// Waits until all frames and rows are in their files, and tells a failure.
PalStatus pal_output_wait(PalOutput *output, PalError *error);

// A checkpoint of the current state, now.
PalStatus pal_output_checkpoint(PalOutput *output, PalSim *sim, PalError *error);

// Frames written so far, those of before resuming included: with frames at 0, every, 2 every ...,
// the next one is due at this number times `every`.
int64_t pal_output_frame_count(const PalOutput *output);

// The largest energy drift in a row of history so far; a probe's value in the last one.
double pal_output_worst_drift(const PalOutput *output);
// Largest energy so far, that of earlier processes too.
double pal_output_energy_scale(const PalOutput *output);
PalVec3 pal_output_probe_value(const PalOutput *output, int32_t probe_index);
// Once the output is finished: was the probe's value 0 in every row of history?
bool pal_output_probe_silent(const PalOutput *output, int32_t probe_index);

// The largest value of a probe in the history, by its length, and when it occurred.
typedef struct PalProbePeak {
    PalVec3 value;
    double time;
} PalProbePeak;

PalProbePeak pal_output_probe_peak(const PalOutput *output, int32_t probe_index);  // once finished

// How a run ended.
typedef struct PalOutputEnd {
    PalStatus status;
    const char *reason;   // "" when ok
    double wall_seconds;  // of this process, before the output is finished
    int32_t lenient_count;
    const char *const *lenient;  // what a model lost on its way here; borrowed
} PalOutputEnd;

// Writes summary.json, picture.png and report.html and, unless the simulation failed, a
// checkpoint. The output stays open.
PalStatus pal_output_finish(PalOutput *output, PalSim *sim, const PalOutputEnd *end,
                            PalError *error);
void pal_output_destroy(PalOutput *output);

// Appends one line, with the time of day, to log.txt.
void pal_output_log(PalOutput *output, const char *text);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
