// The files of a run directory as a whole: clearing, cutting back, listing frames.
#ifndef PAL_OUTPUT_RUNDIR_H
#define PAL_OUTPUT_RUNDIR_H

#include "output/file.h"

#define PAL_FRAME_NAME_SIZE 40

// One file per output time, in a folder, and a collection that lists them with their times.
typedef struct PalSeries {
    const char *folder, *extension, *collection;
} PalSeries;

extern const PalSeries pal_frame_series;    // frames/*.vtu, run.pvd
extern const PalSeries pal_contact_series;  // contacts/*.vtp, contacts.pvd

// "frames/000012.vtu"
char *pal_frame_name(const PalSeries *series, int64_t frame_index, char name[PAL_FRAME_NAME_SIZE]);

// Removes what palpate writes, and nothing else; the checkpoint first, the log not at all.
PalStatus pal_rundir_clear(const PalDirectory *directory, PalError *error);

// Refuses with PAL_BAD_INPUT when one of the first `frame_count` files of a series is missing.
PalStatus pal_series_check(const PalDirectory *directory, const PalSeries *series,
                           int64_t frame_count, PalError *error);

// Removes files of all series from `frame_count` on, unfinished ones, and what is written at a
// run's end.
PalStatus pal_rundir_cut(const PalDirectory *directory, int64_t frame_count, PalError *error);

// The collection without frames; or with the first `frame_count`, whose times are in the
// history.
PalStatus pal_pvd_write(const PalDirectory *directory, const PalSeries *series,
                        const PalText *history, int64_t frame_count, PalError *error);

// Adds a frame at the end of the collection.
PalStatus pal_pvd_add(const PalDirectory *directory, const PalSeries *series, int64_t frame_index,
                      double time, PalError *error);

#endif
