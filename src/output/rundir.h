// The files of a run directory as a whole: clearing, cutting back, listing frames.
#ifndef PAL_OUTPUT_RUNDIR_H
#define PAL_OUTPUT_RUNDIR_H

#include "output/file.h"

#define PAL_FRAME_NAME_SIZE 40

// "frames/000012.vtu"
char *pal_frame_name(int64_t frame_index, char name[PAL_FRAME_NAME_SIZE]);

// Removes what palpate writes, and nothing else; the checkpoint first, the log not at all.
PalStatus pal_rundir_clear(const PalDirectory *directory, PalError *error);

// Removes frames from `frame_count` on, unfinished ones, and what is written at a run's end.
// Refuses with PAL_BAD_INPUT when an earlier frame is missing.
PalStatus pal_rundir_cut(const PalDirectory *directory, int64_t frame_count, PalError *error);

// run.pvd without frames; or with the first `frame_count`, whose times start the rows of history.
PalStatus pal_pvd_write(const PalDirectory *directory, const PalText *history, int64_t frame_count,
                        PalError *error);

// Adds a frame at the end of run.pvd.
PalStatus pal_pvd_add(const PalDirectory *directory, int64_t frame_index, double time,
                      PalError *error);

#endif
