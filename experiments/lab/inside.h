// What the lab's own files share.
#ifndef PAL_EXPERIMENTS_INSIDE_H
#define PAL_EXPERIMENTS_INSIDE_H

#include "lab.h"

enum { PAL_LAB_TEXT_MAX = 160, PAL_LAB_REASON_MAX = 480 };

typedef struct PalKeptRow {
    const PalExperiment *experiment;
    char place[PAL_LAB_TEXT_MAX], line[PAL_LAB_TEXT_MAX], quantity[PAL_LAB_TEXT_MAX];
    char reason[PAL_LAB_REASON_MAX];
    double published, ours, goal;
    PalSense sense;
    PalVerdict verdict;
    bool met;
} PalKeptRow;

// A plot or a picture, as HTML.
typedef struct PalKeptFigure {
    const PalExperiment *experiment;
    char *html;
} PalKeptFigure;

struct PalLab {
    PalLabDef def;
    char folder[PAL_LAB_PATH_MAX], scenes[PAL_LAB_PATH_MAX];
    char program[64];  // which program the results are of
    const PalExperiment *experiment;
    int32_t row_count, row_capacity;
    PalKeptRow *rows;
    int32_t figure_count, figure_capacity;
    PalKeptFigure *figures;
    bool failed;  // for lack of memory
};

// Hash of some text, going on from another.
uint64_t pal_lab_hash(uint64_t hash, const void *data, size_t size);

// The line that the kept result of a trial begins with.
void pal_trial_head(const PalLab *lab, const PalTrial *trial, char *head, size_t size);

// Keeps a run directory, with the picture, of how a simulation of a trial looks now.
PalStatus pal_lab_keep_picture(const PalLab *lab, const PalTrial *trial, const PalScene *scene,
                               PalSim *sim, PalError *error);

// Takes the text over; frees it if there is no memory.
void pal_lab_keep_figure(PalLab *lab, char *html);

void pal_lab_write_page(const PalLab *lab, FILE *file);

#endif
