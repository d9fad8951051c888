// Where experiments are done: trials that are run once and kept, rows that put ours beside what is
// published, plots and pictures for the page.
#ifndef PAL_EXPERIMENTS_LAB_H
#define PAL_EXPERIMENTS_LAB_H

#include <experiments/lab/plot.h>
#include <experiments/lab/result.h>
#include <palpate/palpate.h>

#define PAL_LAB_PATH_MAX   4096
#define PAL_TRIAL_CHANGES  16
#define PAL_TRIAL_NAME_MAX 64

typedef struct PalLab PalLab;

// One of the papers' experiments. `run` does what is missing, and then tells its rows and figures.
typedef struct PalExperiment {
    const char *name, *paper, *title;
    const char *about;  // what is done, and what differs from the paper
    PalStatus (*run)(PalLab *lab, PalError *error);
    const char *apart;  // why it is run by its own name alone, unless quickly; NULL: it is not
} PalExperiment;

const PalExperiment *pal_experiment(int32_t index);  // NULL after the last one
const PalExperiment *pal_experiment_find(const char *name);

typedef struct PalLabDef {
    const char *folder;  // of results and the report; made if need be
    const char *scenes;  // folder of the scenes that ship
    bool quick;          // shortened runs, to see that all of it works
    int32_t thread_count;
    // Called often, with what is done now and the part of it that is done; false stops. May be
    // NULL.
    bool (*proceed)(void *context, const char *text, double part);
    void *context;
} PalLabDef;

PalStatus pal_lab_create(const PalLabDef *def, PalLab **lab, PalError *error);
void pal_lab_destroy(PalLab *lab);

// Runs one experiment. What it found is in the lab and, as far as it took computing, on disk.
PalStatus pal_lab_run(PalLab *lab, const PalExperiment *experiment, PalError *error);

// Writes FOLDER/report.html and FOLDER/results.json from what has been run.
PalStatus pal_lab_report(PalLab *lab, PalError *error);
void pal_lab_write_json(const PalLab *lab, FILE *file);

// ---- for experiments --------------------------------------------------------------------

bool pal_lab_quick(const PalLab *lab);
const char *pal_lab_folder(const PalLab *lab);
// Tells what is done now and how much of it is; false: stop.
bool pal_lab_goes_on(const PalLab *lab, const char *text, double part);

// Path of a scene that ships, or of one that is made on demand and kept; PAL_LAB_PATH_MAX bytes.
PalStatus pal_lab_scene(const PalLab *lab, const char *name, int32_t size, char *path,
                        PalError *error);

// A scene, changed, and run once.
typedef struct PalTrial {
    char name[PAL_TRIAL_NAME_MAX];  // unique in its experiment
    const char *scene;              // path
    int32_t change_count;
    PalSceneChange changes[PAL_TRIAL_CHANGES];
    double part;      // of the scene's time that is run; 0: all of it
    int32_t samples;  // how often `sample` is called, at equal intervals of time, and at the start
    void (*sample)(PalSim *sim, PalResult *result);
    int32_t threads;  // 0: one, and other trials may run at the same time
    bool pictured;    // its run keeps the end for pal_lab_picture, which need not run it again
} PalTrial;

void pal_trial_change(PalTrial *trial, const char *path, const char *value);

// Runs those of the trials that have no result yet, several at a time. The results, which the
// caller clears, have what `sample` has added and, at the end: seconds by the `clock` from reading
// the scene on, steps, seconds of `elements`, `integrate`, `update`, `search` and `response`,
// counts per step, energies, crossings.
PalStatus pal_lab_try(PalLab *lab, int32_t count, const PalTrial *trials, PalResult *results,
                      PalError *error);

typedef enum PalSense {
    PAL_SENSE_LESS,  // less is better
    PAL_SENSE_MORE,
    PAL_SENSE_NEAR,  // as near as can be
    PAL_SENSE_TOLD,  // not to be compared, such as seconds on another machine
} PalSense;

typedef enum PalVerdict {
    PAL_VERDICT_AS_PUBLISHED,
    PAL_VERDICT_BETTER,
    PAL_VERDICT_WORSE,
    PAL_VERDICT_DIFFERS,
    PAL_VERDICT_NOT_COMPARED,
} PalVerdict;

const char *pal_verdict_name(PalVerdict verdict);

typedef struct PalRow {
    const char *place;     // in the paper: "Table 1"
    const char *line;      // of the table: "AABB2, narrowest cone"
    const char *quantity;  // its column: "subtrees"
    double published;      // NAN: none is given
    double ours;
    double goal;  // of ours; NAN: none
    PalSense sense;
    double tolerance;    // relative; what still counts as published
    const char *reason;  // a sentence
} PalRow;

PalRow pal_row(const char *place, const char *line, const char *quantity, double published,
               double ours);  // less is better, no goal, tolerance 0.02

void pal_lab_row(PalLab *lab, const PalRow *row);     // copies
void pal_lab_plot(PalLab *lab, const PalPlot *plot);  // draws it at once

// A picture of how the scene looks at the end of a run, or when it has hardly begun. Runs the
// trial, unless it was pictured or has a picture already.
PalStatus pal_lab_picture(PalLab *lab, const PalTrial *trial, bool start, const char *caption,
                          PalError *error);

// Rows told so far, of the experiment that runs last: for the terminal.
typedef struct PalToldRow {
    const char *experiment, *paper, *place, *line, *quantity, *reason;
    double published, ours, goal;
    PalSense sense;
    PalVerdict verdict;
    bool met;  // the goal
} PalToldRow;

int32_t pal_lab_row_count(const PalLab *lab);
PalToldRow pal_lab_told(const PalLab *lab, int32_t index);

#endif
