// picture.png: a still picture of a frame with title and legend.
#ifndef PAL_OUTPUT_PICTURE_H
#define PAL_OUTPUT_PICTURE_H

#include "output/frame.h"
#include "output/text.h"

typedef struct PalPictureDef {
    const char *title;
    int32_t thread_count;
    bool failed;              // the frame is that of a failed run
    const bool *see_through;  // per body, as of pal_hidden_find; NULL: none
} PalPictureDef;

// PNG, added to the text. Colours are von Mises stress, or displacement where there is no stress.
PalStatus pal_picture_encode(const PalFrame *frame, const PalPictureDef *def, PalText *png,
                             PalError *error);

#endif
