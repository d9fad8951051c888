// A frame as a VTU file. What is the same in all frames of a run is compressed once.
#ifndef PAL_OUTPUT_FRAME_FILE_H
#define PAL_OUTPUT_FRAME_FILE_H

#include "output/frame.h"
#include "output/vtu.h"

typedef struct PalFrameFile {
    const PalFrame *frame;  // borrowed
    bool fields[PAL_FIELD_COUNT];
    bool wide;         // 64-bit floats instead of 32-bit ones
    char **labels;     // "body.<name>": a file tells each body's number by this
    int32_t *numbers;  // 0, 1, 2, ...
    int32_t constant_count;
    PalVtuArray *constants;  // the labels come first
    PalVtuPacked packed;
    PalVtuPacked packed_labels;  // for files that have only these of the constants
} PalFrameFile;

// `fields` is what frames hold besides positions.
PalStatus pal_frame_file_init(const PalFrame *frame, const bool fields[PAL_FIELD_COUNT], bool wide,
                              PalFrameFile *file, PalError *error);
void pal_frame_file_clear(PalFrameFile *file);

// The beginning of the file for the frame as it is now, see pal_vtu_encode.
PalStatus pal_frame_file_encode(const PalFrameFile *file, PalText *text, PalError *error);

// Turns doubles into the 32-bit floats of an array.
void pal_vtu_fill_floats(const PalVtuArray *array, int64_t first, int64_t count, void *out);

#endif
